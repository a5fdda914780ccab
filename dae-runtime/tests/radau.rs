//! Radau IIA: orders at fixed steps, the choice of the order, the error estimate, and projection onto constraints.
//!
//! Expected orders: Hairer & Wanner, theorem IV.5.3 and section VI.1 (5 for ODEs and index 1); Hairer, Lubich & Roche
//! (1989), table for index 2 (5 for $y$ and 3 for $z$ with three stages).

mod problems;

use dae_runtime::contract::Dae;
use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::stepper::{Failure, Options, Projection, StepControl, Tolerance};
use problems::{Model, Problem, manufactured, mixed_digits, pendulum, steering_wheel, stiff};

fn options(tolerance: f64) -> Options {
    Options { rtol: tolerance, atol: Tolerance::Scalar(tolerance), ..Options::default() }
}

/// Absolute errors at `t_end` after `n` steps, one for each entry of the reference.
fn fixed_step_errors<M: Model>(
    problem: &Problem<M>,
    n: usize,
    t_end: f64,
    reference: &[f64],
    projection: Projection,
) -> Vec<f64> {
    let control = StepControl::Fixed(t_end / n as f64);
    let options = Options { control, projection, ..options(1e-12) };
    let mut stepper = Method::Radau5.start(problem, problem.t0, &problem.y0, &problem.yp0, t_end, &options).unwrap();
    while stepper.time() != t_end {
        stepper.step().unwrap();
    }
    assert_eq!(stepper.statistics().steps, n);
    stepper.state().iter().zip(reference).map(|(value, exact)| (value - exact).abs()).collect()
}

/// The observed order of one entry of the state, from its errors after `n` and `2n` steps.
fn order<M: Model>(
    problem: &Problem<M>,
    n: usize,
    t_end: f64,
    reference: &[f64],
    projection: Projection,
    entry: usize,
) -> f64 {
    let coarse = fixed_step_errors(problem, n, t_end, reference, projection)[entry];
    let fine = fixed_step_errors(problem, 2 * n, t_end, reference, projection)[entry];
    (coarse / fine).log2()
}

fn assert_order(observed: f64, expected: f64) {
    assert!((observed - expected).abs() < 0.2, "order {observed} instead of {expected}");
}

#[test]
fn order_is_five_for_index_1() {
    let quasilinear = manufactured::state_dependent_leading();
    let exact = manufactured::state_dependent_leading_solution(1.0);
    // The row of the algebraic unknown is an enforced constraint: projection onto it does not change the orders.
    for projection in [Projection::Off, Projection::On] {
        for entry in 1..3 {
            assert_order(order(&quasilinear, 12, 1.0, &exact, projection, entry), 5.0);
        }
    }
    let nonlinear = manufactured::nonlinear_leading();
    assert_order(order(&nonlinear, 8, 1.0, &[1f64.sin()], Projection::Off, 0), 5.0);
    let ode = stiff::prothero_robinson(0.5);
    assert_order(order(&ode, 4, 2.0, &[2f64.cos()], Projection::Off, 0), 5.0);
}

/// The order for an equation that is not stiff is $2s - 1$ with $s = 1$, 5 and 7 stages as well.
#[test]
fn other_orders_are_those_of_their_stages() {
    let problem = stiff::prothero_robinson(0.5);
    for (order, n, t_end) in [(1, 64, 2.0_f64), (9, 3, 6.0), (13, 2, 8.0)] {
        let error = |n: usize| {
            let control = StepControl::Fixed(t_end / n as f64);
            let options = Options { control, max_order: Some(order), ..options(1e-14) };
            let mut stepper =
                Method::Radau.start(&problem, problem.t0, &problem.y0, &problem.yp0, t_end, &options).unwrap();
            while stepper.time() != t_end {
                stepper.step().unwrap();
            }
            assert_eq!((stepper.order(), stepper.statistics().steps), (order, n));
            (stepper.state()[0] - t_end.cos()).abs()
        };
        let (coarse, fine) = (error(n), error(2 * n));
        let observed = (coarse / fine).log2();
        println!("{order}: {coarse:e} {fine:e} {observed}");
        assert!((observed - order as f64).abs() < 0.1 * order as f64 && fine > 1e-14, "order {observed}, not {order}");
    }
}

/// The orders of the steps of a run, and the number of correct digits at its end.
fn orders<M: Model>(problem: &Problem<M>, t_end: f64, options: &Options, exact: &[f64]) -> (Vec<usize>, f64) {
    let mut stepper = Method::Radau.start(problem, problem.t0, &problem.y0, &problem.yp0, t_end, options).unwrap();
    let mut orders = Vec::new();
    while stepper.time() != t_end {
        stepper.step().unwrap();
        orders.push(stepper.order());
    }
    (orders, mixed_digits(&stepper.state()[..exact.len()], exact))
}

/// The order rises where it pays: at a tight tolerance on a smooth solution, and not at a loose one.
#[test]
fn the_order_rises_with_the_accuracy() {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let (t_end, exact) = pendulum::REFERENCE[1];
    let run = |tolerance, max_order| orders(&problem, t_end, &Options { max_order, ..options(tolerance) }, &exact);
    let (loose, digits) = run(1e-2, None);
    assert!(loose.iter().all(|&order| order == 5) && digits > 0.5, "{loose:?} {digits}");
    let (tight, digits) = run(1e-12, None);
    let (of_order_5, digits_5) = run(1e-12, Some(5));
    assert_eq!((tight[0], tight.iter().max()), (5, Some(&13)), "{tight:?}");
    assert!(tight.windows(2).all(|pair| pair[1].abs_diff(pair[0]) <= 4), "{tight:?}");
    let high = tight.iter().filter(|&&order| order == 13).count();
    assert!(2 * high > tight.len() && 4 * tight.len() < of_order_5.len(), "{tight:?} {}", of_order_5.len());
    assert!(digits > 10.0 && digits_5 > 10.0, "{digits} {digits_5}");
}

/// The order falls where the solution is not smooth: at the kink of the constraint at $t = 1/4$.
#[test]
fn the_order_falls_where_it_does_not_pay() {
    let problem = steering_wheel::steering_wheel_kink();
    let mut stepper = Method::Radau.start(&problem, 0.0, &problem.y0, &problem.yp0, 0.5, &options(1e-11)).unwrap();
    let mut orders = Vec::new();
    while stepper.time() != 0.5 {
        stepper.step().unwrap();
        orders.push((stepper.time(), stepper.order()));
    }
    let before = orders.iter().filter(|(t, _)| *t < 0.24).map(|(_, order)| *order).max();
    let at = orders.iter().filter(|(t, _)| (t - 0.25).abs() < 0.01).map(|(_, order)| *order).min();
    let after = orders.iter().filter(|(t, _)| *t > 0.3).map(|(_, order)| *order).max();
    assert!(before > at && after > at && at == Some(5), "{orders:?}");
}

/// In a long first step of a GGL form, the multipliers move in the second Newton iteration, after the states; this does
/// not count as divergence.
#[test]
fn multipliers_may_move_after_the_states() {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    for (h, tolerance) in [(0.15, 1e-2), (0.1, 1e-4), (0.1, 1e-6), (0.05, 1e-6)] {
        let options = Options { initial_step: Some(h), ..options(tolerance) };
        let mut stepper = Method::Radau.start(&problem, 0.0, &problem.y0, &problem.yp0, 10.0, &options).unwrap();
        stepper.step().unwrap();
        assert_eq!((stepper.time(), stepper.statistics().convergence_rejections), (h, 0), "{tolerance:e}");
    }
}

/// Orders 1, 5, 9 and 13 as upper bounds of adaptive runs.
#[test]
fn no_order_is_higher_than_allowed() {
    let problem = stiff::prothero_robinson(1.0);
    for (max_order, tolerance, allowed) in
        [(1, 1e-4, &[1][..]), (5, 1e-12, &[5]), (9, 1e-12, &[5, 9]), (13, 1e-13, &[5, 9, 13])]
    {
        let options = Options { max_order: Some(max_order), ..options(tolerance) };
        let (orders, digits) = orders(&problem, 20.0, &options, &[20f64.cos()]);
        assert!(allowed.iter().all(|order| orders.contains(order)), "{max_order}: {orders:?}");
        assert!(orders.iter().all(|order| allowed.contains(order)), "{max_order}: {orders:?}");
        assert!(digits > -tolerance.log10() - 2.0, "{max_order}: {digits}");
    }
}

/// Steps and accuracy with and without projection, averaged over a range of tolerances, because the number of steps of
/// a single run varies by chance, by up to a fifth.
#[test]
fn closing_an_index_1_form_leaves_errors_and_steps_alone() {
    const RUNS: u32 = 200;
    let problem = manufactured::state_dependent_leading();
    let exact = manufactured::state_dependent_leading_solution(10.0);
    for method in [Method::Radau5, Method::Bdf] {
        let run = |mode| {
            let (mut steps, mut digits, mut invariants) = (0, 0.0, 0.0_f64);
            for k in 0..RUNS {
                let tolerance = 10f64.powf(-3.0 - 7.0 * f64::from(k) / f64::from(RUNS));
                let integration = Integration::new(&problem).method(method).rtol(tolerance).atol(tolerance);
                let integration = integration.projection(mode);
                let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap();
                steps += solution.statistics.steps;
                digits += mixed_digits(&solution.end_state, &exact) / f64::from(RUNS);
                invariants = invariants.max(solution.invariants_max());
            }
            (steps as f64, digits, invariants)
        };
        let ((steps, digits, invariants), open) = (run(Projection::On), run(Projection::Off));
        // BDF tests the errors of algebraic unknowns, which contain the remaining error of Newton's iteration;
        // projection removes it.
        let least = if method == Method::Bdf { 0.7 } else { 0.97 };
        assert!((least..1.03).contains(&(steps / open.0)), "{method:?}: {steps} and {} steps", open.0);
        assert!((digits - open.1).abs() < 0.3, "{method:?}: {digits} and {} digits", open.1);
        assert!(invariants < 1e-13 && open.2 > 1e-6, "{method:?}: {invariants:e} {:e}", open.2);
    }
}

#[test]
fn order_is_five_and_three_for_index_2() {
    let problem = steering_wheel::steering_wheel();
    let (t_end, reference) = steering_wheel::REFERENCE[2];
    for (entry, expected) in [(0, 5.0), (1, 5.0), (2, 3.0)] {
        assert_order(order(&problem, 20, t_end, &reference, Projection::Off, entry), expected);
    }
}

#[test]
fn closing_gives_multipliers_the_order_of_the_states() {
    let problem = steering_wheel::steering_wheel();
    let (t_end, reference) = steering_wheel::REFERENCE[2];
    let closed = fixed_step_errors(&problem, 40, t_end, &reference, Projection::On);
    let open = fixed_step_errors(&problem, 40, t_end, &reference, Projection::Off);
    assert!(closed[2] < 1e-2 * open[2], "{closed:?} {open:?}");
    for entry in 0..3 {
        let observed = order(&problem, 20, t_end, &reference, Projection::On, entry);
        assert!(observed > 4.5, "order {observed} of entry {entry}");
    }
}

#[test]
fn without_closing_constraints_hold_to_newtons_tolerance_only() {
    for tolerance in [1e-4, 1e-7, 1e-11] {
        let problem = pendulum::pendulum(pendulum::Form::Ggl);
        let run = |mode| {
            let integration = Integration::new(&problem).rtol(tolerance).atol(tolerance).projection(mode);
            integration.run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap()
        };
        let (closed, open) = (run(Projection::On), run(Projection::Off));
        assert!(closed.is_success() && open.is_success());
        assert!(closed.invariants_max() <= 1e-13, "{tolerance:e}: {:?}", closed.invariants);
        assert!(open.invariants_max() > 10.0 * closed.invariants_max(), "{tolerance:e}: {:?}", open.invariants);
    }
}

#[test]
fn forms_of_the_pendulum_agree_with_the_reference() {
    // In the index-3 form, only positions are compared: the multiplier converges with order 2, and its error is
    // weighted by the square of the step.
    for (form, entries, digits) in [
        (pendulum::Form::Index1, 5, 9.0),
        (pendulum::Form::Index2, 5, 8.5),
        (pendulum::Form::Ggl, 5, 8.5),
        (pendulum::Form::Index3, 2, 8.0),
    ] {
        let problem = pendulum::pendulum(form);
        let times = pendulum::REFERENCE.map(|(t, _)| t).to_vec();
        let integration = Integration::new(&problem).rtol(1e-11).atol(1e-11).record(Record::At(times));
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap();
        assert!(solution.is_success(), "{form:?}: {}", solution.status);
        for (t, reference) in &pendulum::REFERENCE {
            let found = mixed_digits(&solution.at(*t).unwrap()[..entries], &reference[..entries]);
            assert!(found >= digits, "{form:?}: {found} digits at {t}");
        }
    }
}

/// The local error of each accepted step, in units of the tolerance, is found by integrating over the step again at a
/// tight tolerance.
#[test]
fn error_estimate_bounds_the_local_error_with_a_state_dependent_leading_matrix() {
    let problem = manufactured::state_dependent_leading();
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let mut stepper =
            Method::Radau5.start(&problem, 0.0, &problem.y0, &problem.yp0, 2.0, &options(tolerance)).unwrap();
        while stepper.time() != 2.0 {
            let (t, y, yp) = (stepper.time(), stepper.state().to_vec(), stepper.derivative().to_vec());
            stepper.step().unwrap();
            let exact = Integration::new(&problem).rtol(1e-13).atol(1e-13);
            let exact = exact.run_from(t, &y, &yp, stepper.time()).unwrap();
            for (value, exact) in stepper.state().iter().zip(&exact.end_state) {
                let ratio = (value - exact).abs() / (tolerance * (1.0 + exact.abs()));
                assert!(ratio < 20.0, "local error {ratio} tolerances at {t}");
            }
        }
    }
}

#[test]
fn steps_can_be_made_one_by_one_and_told_where_to_stop() {
    let problem = steering_wheel::steering_wheel();
    let mut stepper = Method::Radau5.start(&problem, 0.0, &problem.y0, &problem.yp0, 0.5, &options(1e-9)).unwrap();
    stepper.stop_at(0.25);
    while stepper.time() != 0.25 {
        assert!(stepper.time() < 0.25);
        stepper.step().unwrap();
    }
    let digits = mixed_digits(stepper.state(), &steering_wheel::REFERENCE[1].1);
    assert!(digits > 8.0, "{digits}");
    let mut residual = [0.0; 3];
    problem.residual(0.25, stepper.state(), stepper.derivative(), &mut residual);
    assert!(residual.iter().all(|r| r.abs() < 1e-8), "{residual:?}");
}

#[test]
fn fixed_steps_that_do_not_converge_say_so() {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let integration = Integration::new(&problem).options(options(1e-12)).fixed_step(5.0);
    let error = integration.run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap_err();
    let RunError::Stopped { failure: Failure::StepSizeTooSmall { t, h, .. }, .. } = error else { panic!("{error}") };
    assert_eq!((t, h), (0.0, 5.0));
}

#[test]
fn runs_start_from_the_prolongation() {
    let problem = steering_wheel::steering_wheel();
    let solution = Integration::new(&problem).rtol(1e-9).atol(1e-9).run(0.0, 0.5).unwrap();
    assert!(mixed_digits(&solution.end_state, &steering_wheel::REFERENCE[2].1) > 8.0);
}

#[test]
fn a_kink_of_the_constraint_is_passed() {
    let problem = steering_wheel::steering_wheel_kink();
    for tolerance in [1e-5, 1e-7, 1e-9, 1e-11] {
        let integration =
            Integration::new(&problem).rtol(tolerance).atol(tolerance).record(Record::At(vec![0.25001, 0.5]));
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 0.5).unwrap();
        assert!(solution.is_success(), "{tolerance:e}: {}", solution.status);
        let jump = (solution.value("z", 0.25001).unwrap() - steering_wheel::AFTER_KINK).abs();
        assert!(jump < 1e-3, "{tolerance:e}: {jump:e}");
    }
}

#[test]
fn multipliers_follow_constraints_that_depend_on_time() {
    let problem = steering_wheel::steering_wheel_wobbling();
    let (t_end, reference) = steering_wheel::WOBBLING_REFERENCE;
    let integration = Integration::new(&problem).rtol(1e-10).atol(1e-10);
    let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, t_end).unwrap();
    let digits = mixed_digits(&solution.end_state, &reference);
    assert!(digits > 8.0 && solution.invariants_max() < 1e-13, "{digits} digits, {:?}", solution.invariants);
}
