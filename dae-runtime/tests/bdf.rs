//! BDF: orders, accuracy against published solutions, work, dense output, failures.

mod problems;

use dae_runtime::contract::{
    Dae,
    Kind::{Algebraic, Differential},
    Leading,
};
use dae_runtime::solve::{Integration, Method, Record};
use dae_runtime::stepper::{Failure, Options, Statistics, StepControl, Stepper, Tolerance};
use problems::pendulum::{self, Form};
use problems::transistor_amplifier::{self, TransistorAmplifier, transistor_amplifier};
use problems::{Model, Problem, Scalar, manufactured, mixed_digits, steering_wheel, stiff};

fn tolerance(tol: f64) -> Options {
    Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() }
}

struct Run {
    y: Vec<f64>,
    statistics: Statistics,
    /// The largest residual of the enforced constraints over the steps.
    constraints: f64,
}

fn run_with<M: Model>(problem: &Problem<M>, t_end: f64, options: &Options) -> Result<Run, Failure> {
    run_on(problem, Method::Bdf.start(problem, problem.t0, &problem.y0, &problem.yp0, t_end, options)?, t_end)
}

fn run_on(dae: &dyn Dae, mut bdf: Box<dyn Stepper + '_>, t_end: f64) -> Result<Run, Failure> {
    let invariants = &dae.description().invariants;
    let mut values = vec![0.0; invariants.len()];
    let mut constraints = 0.0_f64;
    while bdf.time() != t_end {
        bdf.step()?;
        dae.invariants(bdf.time(), bdf.state(), &mut values);
        let enforced = invariants.iter().zip(&values).filter(|(invariant, _)| invariant.row.is_some());
        constraints = enforced.fold(constraints, |worst, (_, value)| worst.max(value.abs()));
    }
    Ok(Run { y: bdf.state().to_vec(), statistics: bdf.statistics(), constraints })
}

fn run<M: Model>(problem: &Problem<M>, t_end: f64, tol: f64) -> Run {
    run_with(problem, t_end, &tolerance(tol)).unwrap()
}

/// Asserts the orders 1 to 5 in each group of components from the errors at fixed steps $h$ and $h/2$. The error of a
/// group is its largest at the checkpoints, whose times are multiples of $h$.
fn assert_orders<M: Model>(problem: &Problem<M>, steps: usize, checkpoints: &[(f64, Vec<f64>)], groups: &[&[usize]]) {
    let t_end = checkpoints.last().unwrap().0;
    for order in 1..=5 {
        let errors = |steps: usize| {
            let h = (t_end - problem.t0) / steps as f64;
            let options = Options { control: StepControl::Fixed(h), max_order: Some(order), ..tolerance(1e-13) };
            let mut bdf = Method::Bdf.start(problem, problem.t0, &problem.y0, &problem.yp0, t_end, &options).unwrap();
            let mut errors = vec![0.0_f64; groups.len()];
            while bdf.time() != t_end {
                bdf.step().unwrap();
                for (_, exact) in checkpoints.iter().filter(|(t, _)| (t - bdf.time()).abs() < 1e-9) {
                    for (error, group) in errors.iter_mut().zip(groups) {
                        *error = group.iter().map(|&i| (bdf.state()[i] - exact[i]).abs()).fold(*error, f64::max);
                    }
                }
            }
            assert_eq!(bdf.statistics().steps, steps);
            errors
        };
        for (group, (coarse, fine)) in groups.iter().zip(errors(steps).iter().zip(errors(2 * steps))) {
            let observed = (coarse / fine).log2();
            assert!(
                (observed - order as f64).abs() < 0.3,
                "order {order}, {group:?}: {observed} ({coarse:e} {fine:e})"
            );
        }
    }
}

#[test]
fn order_on_an_ordinary_differential_equation() {
    assert_orders(&stiff::prothero_robinson(1.0), 40, &[(2.0, vec![2.0_f64.cos()])], &[&[0]]);
}

#[test]
fn order_on_index_one_with_state_dependent_leading_matrix() {
    let exact = |t: f64| (t, manufactured::state_dependent_leading_solution(t).to_vec());
    let checkpoints: Vec<_> = (1..=20).map(|i| exact(0.1 * f64::from(i))).collect();
    assert_orders(&manufactured::state_dependent_leading(), 160, &checkpoints, &[&[0, 1], &[2]]);
}

#[test]
fn order_on_index_two_multiplier_included() {
    let checkpoints = steering_wheel::REFERENCE.map(|(t, y)| (t, y.to_vec()));
    assert_orders(&steering_wheel::steering_wheel(), 80, &checkpoints, &[&[0, 1], &[2]]);
}

#[test]
fn pendulum_ggl_at_tight_tolerance() {
    let problem = pendulum::pendulum(Form::Ggl);
    for (t, reference) in pendulum::REFERENCE {
        let run = run(&problem, t, 1e-11);
        let digits = mixed_digits(&run.y[..5], &reference);
        assert!(digits > 8.5, "{digits} digits at t = {t}");
        assert!(run.constraints < 1e-12, "{}", run.constraints);
    }
}

#[test]
fn all_forms_of_the_pendulum() {
    let (t, reference) = pendulum::REFERENCE[3];
    for (form, expected) in [(Form::Index1, 6.5), (Form::Index2, 6.5), (Form::Ggl, 6.8)] {
        let run = run(&pendulum::pendulum(form), t, 1e-8);
        let digits = mixed_digits(&run.y[..4], &reference[..4]);
        assert!(digits > expected, "{form:?}: {digits}");
        assert!(run.statistics.steps < 1_050, "{form:?}: {:?}", run.statistics);
    }
}

/// For comparison: at 1e-8, IDA needs 214,924 steps for the equations as they stand, and 2,774 in semi-explicit form.
#[test]
fn transistor_amplifier_without_rewriting_it() {
    let problem = transistor_amplifier();
    for (tol, digits, steps) in [(1e-6, 5.0, 1_800), (1e-8, 7.0, 3_500)] {
        let run = run(&problem, 0.2, tol);
        let found = mixed_digits(&run.y, &transistor_amplifier::REFERENCE.1);
        assert!(found > digits && run.statistics.steps < steps, "{found} {:?}", run.statistics);
    }
}

#[test]
fn algebraic_unknowns_in_disguise_behind_a_leading_matrix_said_to_vary() {
    let constant = transistor_amplifier();
    let names = ["y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"];
    let unknowns = names.map(|name| (name, Differential, 1));
    let start = (0.0, constant.y0.as_slice(), constant.yp0.as_slice());
    let problem = Problem::new("amplifier", TransistorAmplifier, &unknowns, &[], (Leading::Quasilinear, 5), start);
    let run = run(&problem, 0.2, 1e-6);
    let digits = mixed_digits(&run.y, &transistor_amplifier::REFERENCE.1);
    assert!(digits > 6.0 && run.statistics.steps < 4_000, "{digits} {:?}", run.statistics);
}

#[test]
fn robertson_over_eleven_decades() {
    let (t, reference) = stiff::ROBERTSON_REFERENCE;
    let tol = 1e-6;
    let atol = Tolerance::PerComponent(vec![tol * 1e-4, tol * 1e-8, tol]);
    let options = Options { rtol: tol, atol, ..Options::default() };
    let run = run_with(&stiff::robertson(), t, &options).unwrap();
    let relative = run.y.iter().zip(&reference).map(|(y, r)| (y / r - 1.0).abs()).fold(0.0, f64::max);
    assert!(relative < 5e-3 && run.statistics.steps < 1_500, "{relative} {:?}", run.statistics);
}

/// Car axis in GGL form (Bari/CWI test set): unknowns `xl yl xr yr`, their velocities, and two multipliers each in the
/// equations of motion and in the kinematic equations.
struct CarAxis;

impl Model for CarAxis {
    fn residual<S: Scalar>(&self, t: S, w: &[S], wp: &[S], out: &mut [S]) {
        let k = 10.0 * 1e-4 / 2.0;
        let yb = (t * 10.0).sin() * 0.1;
        let xb = (-yb.square() + 1.0).sqrt();
        let (dx, dy, rx, ry) = (w[0] - w[2], w[1] - w[3], w[2] - xb, w[3] - yb);
        let force = |length: S| (-length + 0.5) / length;
        let (left, right) = (force((w[0].square() + w[1].square()).sqrt()), force((rx.square() + ry.square()).sqrt()));
        // G^T times the multipliers w[i] and w[i + 1], with the constraint Jacobian G.
        let gt = |i: usize| {
            [
                w[i] * xb + w[i + 1] * dx * 2.0,
                w[i] * yb + w[i + 1] * dy * 2.0,
                -w[i + 1] * dx * 2.0,
                -w[i + 1] * dy * 2.0,
            ]
        };
        let (lambda, mu) = (gt(8), gt(10));
        let applied = [left * w[0], left * w[1] - S::constant(k), right * rx, right * ry - S::constant(k)];
        for i in 0..4 {
            out[i] = wp[i] - w[4 + i] - mu[i];
            out[4 + i] = wp[4 + i] * k - applied[i] - lambda[i];
        }
        self.invariants(t, w, &mut out[8..]);
    }

    fn invariants<S: Scalar>(&self, t: S, w: &[S], out: &mut [S]) {
        let (yb, yb_slope) = ((t * 10.0).sin() * 0.1, (t * 10.0).cos());
        let xb = (-yb.square() + 1.0).sqrt();
        let xb_slope = -(yb * yb_slope) / xb;
        let (dx, dy) = (w[0] - w[2], w[1] - w[3]);
        out[0] = xb * w[0] + yb * w[1];
        out[1] = dx.square() + dy.square() - 1.0;
        out[2] = xb * w[4] + yb * w[5] + xb_slope * w[0] + yb_slope * w[1];
        out[3] = (dx * (w[4] - w[6]) + dy * (w[5] - w[7])) * 2.0;
    }
}

/// For comparison: at 1e-8, IDA needs 2,447 steps and 6,222 residuals for 5.3 digits.
#[test]
fn car_axis_with_multipliers_of_every_size() {
    let names = ["xl", "yl", "xr", "yr", "u1", "u2", "u3", "u4", "lambda1", "lambda2", "mu1", "mu2"];
    let unknowns: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(i, &name)| if i < 8 { (name, Differential, 1) } else { (name, Algebraic, 2) })
        .collect();
    let constraints = [("left", Some(8)), ("axis", Some(9)), ("der(left)", Some(10)), ("der(axis)", Some(11))];
    let y0 = [0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0];
    let yp0 = [-0.5, 0.0, -0.5, 0.0, 0.0, -1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0];
    let problem = Problem::new("car axis", CarAxis, &unknowns, &constraints, (Leading::Constant, 8), (0.0, &y0, &yp0));
    // The values of the test set, published with 21 digits.
    let reference = [
        0.049_345_578_427_540_28,
        0.496_989_460_230_171_15,
        1.041_742_524_885_421_5,
        0.373_911_027_265_361_26,
        -0.077_058_368_404_097_24,
        0.007_446_866_587_237_786,
        0.017_556_815_753_723_222,
        0.770_341_043_779_251_9,
    ];
    let run = run(&problem, 3.0, 1e-8);
    let digits = mixed_digits(&run.y[..8], &reference);
    assert!(digits > 5.2, "{digits} digits");
    assert!(run.statistics.steps < 3_700 && run.statistics.residuals < 5_500, "{:?}", run.statistics);
    assert!(run.constraints < 1e-12, "{}", run.constraints);
}

#[test]
fn backwards_and_forwards_again() {
    let forward = run(&steering_wheel::steering_wheel(), 0.5, 1e-9);
    let start = steering_wheel::steering_wheel();
    let mut yp = [0.0; 3];
    let (y1, y2, z) = (forward.y[0], forward.y[1], forward.y[2]);
    (yp[0], yp[1]) = (0.7 * y2 + (2.5 * z).sin(), 1.4 * y1 + (2.5 * z).cos());
    let bdf = Method::Bdf.start(&start, 0.5, &forward.y, &yp, 0.0, &tolerance(1e-9)).unwrap();
    let back = run_on(&start, bdf, 0.0).unwrap();
    assert!(mixed_digits(&back.y, &start.y0) > 7.0, "{:?}", back.y);
}

#[test]
fn intervals_that_are_empty_or_tiny() {
    let problem = stiff::prothero_robinson(1e4);
    let mut bdf = Method::Bdf.start(&problem, 0.0, &problem.y0, &problem.yp0, 0.0, &tolerance(1e-6)).unwrap();
    bdf.step().unwrap();
    assert_eq!((bdf.time(), bdf.state(), bdf.statistics().steps), (0.0, &[1.0][..], 0));
    let run = run(&problem, 1e-300, 1e-6);
    assert_eq!(run.y, [1.0]);
}

#[test]
fn steps_end_where_they_are_told_to() {
    let problem = stiff::prothero_robinson(1.0);
    let mut bdf = Method::Bdf.start(&problem, 0.0, &problem.y0, &problem.yp0, 3.0, &tolerance(1e-8)).unwrap();
    bdf.stop_at(1.7);
    let mut times = vec![];
    while bdf.time() != 3.0 {
        bdf.step().unwrap();
        times.push(bdf.time());
    }
    assert!(times.contains(&1.7) && times.windows(2).all(|pair| pair[0] < pair[1]));
    assert!((bdf.state()[0] - 3.0_f64.cos()).abs() < 1e-6);
}

#[test]
fn no_order_is_higher_than_allowed() {
    let problem = stiff::prothero_robinson(1.0);
    for max_order in 1..=5 {
        let options = Options { max_order: Some(max_order), ..tolerance(1e-5) };
        let mut bdf = Method::Bdf.start(&problem, 0.0, &problem.y0, &problem.yp0, 20.0, &options).unwrap();
        let mut highest = 0;
        while bdf.time() != 20.0 {
            bdf.step().unwrap();
            highest = highest.max(bdf.order());
        }
        assert_eq!(highest, max_order);
        let error = (bdf.state()[0] - 20.0_f64.cos()).abs();
        assert!(error < 2e-3, "{max_order}: {error}");
    }
}

/// Values at given times cost residual evaluations and solves but no steps, and satisfy the constraint to about the
/// tolerance.
#[test]
fn output_is_interpolated_and_leaves_the_steps_alone() {
    let problem = steering_wheel::steering_wheel_wobbling();
    let run = |record| {
        let integration = Integration::new(&problem).method(Method::Bdf).rtol(1e-8).atol(1e-8).record(record);
        integration.run_from(0.0, &problem.y0, &problem.yp0, 0.5).unwrap()
    };
    let times: Vec<f64> = (0..=5000).map(|i| f64::from(i) * 1e-4).collect();
    let (steps, dense) = (run(Record::Steps), run(Record::At(times)));
    let Statistics { residuals, solves, .. } = steps.statistics;
    let mut others = dense.statistics;
    (others.residuals, others.solves) = (residuals, solves);
    assert_eq!((others, &dense.end_state), (steps.statistics, &steps.end_state));
    assert!(dense.statistics.residuals < residuals + 5001, "{:?}", dense.statistics);
    assert_eq!(dense.times.len(), 5001);
    let mut residual = [0.0];
    let between = dense.iter().map(|(t, state)| {
        problem.invariants(t, state, &mut residual);
        residual[0].abs()
    });
    let worst = between.fold(0.0, f64::max);
    assert!(worst < 1e-7 && steps.invariants_max() < 1e-13, "{worst:e}");
}

#[test]
fn dense_output_joins_the_steps_and_is_accurate_between_them() {
    let problem = stiff::prothero_robinson(1.0);
    let mut bdf = Method::Bdf.start(&problem, 0.0, &problem.y0, &problem.yp0, 10.0, &tolerance(1e-8)).unwrap();
    let (mut before, mut worst) = ((0.0, 1.0), 0.0_f64);
    while bdf.time() != 10.0 {
        bdf.step().unwrap();
        let mut coefficients = vec![0.0; bdf.dense_degree() + 1];
        bdf.dense_coefficients(&mut coefficients);
        let at = |s: f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * s + c);
        assert_eq!(coefficients[0], bdf.state()[0]);
        assert!(bdf.order() == 1 || (at(-1.0) - before.1).abs() < 1e-14, "{} {}", at(-1.0), before.1);
        for s in [-0.75, -0.5, -0.25] {
            worst = worst.max((at(s) - (bdf.time() + s * (bdf.time() - before.0)).cos()).abs());
        }
        before = (bdf.time(), bdf.state()[0]);
    }
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn too_many_steps_and_bad_input_are_statuses() {
    let problem = stiff::prothero_robinson(1.0);
    let options = Options { max_steps: 5, ..tolerance(1e-9) };
    assert!(matches!(run_with(&problem, 10.0, &options), Err(Failure::TooManySteps { max_steps: 5, .. })));
    let start = |y0: &[f64], t_end: f64, tol: f64| {
        Method::Bdf.start(&problem, 0.0, y0, &[0.0], t_end, &tolerance(tol)).map(|_| ())
    };
    for bad in [
        start(&[1.0, 2.0], 1.0, 1e-6),
        start(&[f64::NAN], 1.0, 1e-6),
        start(&[1.0], f64::NAN, 1e-6),
        start(&[1.0], 1.0, -1.0),
    ] {
        assert!(matches!(bad, Err(Failure::InvalidOption { .. })), "{bad:?}");
    }
    let ended = stiff::end_of_domain();
    let found = Method::Bdf.start(&ended, 2.0, &[1.0, 0.0], &[0.0, 0.0], 3.0, &tolerance(1e-6)).map(|_| ());
    assert_eq!(found, Err(Failure::NonFinite { t: 2.0, equations: vec!["equation 2".into()] }));
}

#[test]
fn an_unknown_of_index_two_far_below_its_nominal_value_is_as_accurate_as_its_tolerance() {
    for tol in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        let problem = stiff::driven_capacitor();
        let integration = Integration::new(&problem).method(Method::Bdf).rtol(tol).atol(tol).record(Record::Steps);
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 0.01).unwrap();
        assert!(solution.is_success(), "{}", solution.status);
        for (t, state) in solution.iter() {
            let error = (state[1] - stiff::driven_capacitor_current(t)).abs();
            assert!(error < 3.0 * tol, "{tol:e}, t = {t}: {error:e}");
        }
    }
}
