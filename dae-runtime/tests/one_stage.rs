//! Implicit midpoint rule, trapezoidal rule and implicit Euler method in steps of fixed size, directly on
//! $F(t, y, y') = 0$.
//!
//! Sources: E. Hairer, *Solving Differential Equations on Manifolds*, chapter V and exercises V.6.1 to V.6.3.

mod problems;

use dae_runtime::contract::Kind::Differential;
use dae_runtime::contract::{Dae, Leading};
use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::Failure;
use problems::{Model, Problem, Scalar, pendulum, stiff};

/// The end of a run of `n` steps.
fn end(dae: &dyn Dae, method: Method, [y0, yp0]: [&[f64]; 2], n: usize, t_end: f64) -> Vec<f64> {
    let run = Integration::new(dae).method(method).fixed_step(t_end / n as f64);
    run.run_from(0.0, y0, yp0, t_end).unwrap().end_state
}

const RULES: [Method; 2] = [Method::ImplicitMidpoint, Method::Trapezoidal];

#[test]
fn orders_for_an_ordinary_differential_equation_and_index_1() {
    let equation = stiff::prothero_robinson(0.5);
    let pendulum = pendulum::pendulum(pendulum::Form::Index1);
    let exact = Integration::new(&pendulum as &dyn Dae).method(Method::Radau).rtol(1e-13).atol(1e-13);
    let exact = exact.run_from(0.0, &pendulum.y0, &pendulum.yp0, 1.0).unwrap().end_state;
    for method in RULES {
        let error = |n: usize| (end(&equation, method, [&equation.y0, &equation.yp0], n, 4.0)[0] - 4_f64.cos()).abs();
        let order = (error(100) / error(200)).log2();
        assert!((order - 2.0).abs() < 0.1, "{method:?}: {order}");
        let error = |n: usize| {
            let found = end(&pendulum, method, [&pendulum.y0, &pendulum.yp0], n, 1.0);
            (0..4).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max)
        };
        let order = (error(100) / error(200)).log2();
        assert!((order - 2.0).abs() < 0.1, "{method:?} at index 1: {order}");
    }
}

/// A step there and a step back.
#[test]
fn both_rules_are_symmetric() {
    let equation = stiff::prothero_robinson(0.5);
    for method in RULES {
        let run = |from: f64, y: &[f64], yp: &[f64], to: f64| {
            let run = Integration::new(&equation as &dyn Dae).method(method).fixed_step(0.1);
            run.run_from(from, y, yp, to).unwrap().end_state
        };
        let there = run(0.0, &equation.y0, &equation.yp0, 0.1);
        let mut residual = [0.0];
        equation.residual(0.1, &there, &[0.0], &mut residual);
        let back = run(0.1, &there, &[-residual[0]], 0.0);
        assert!((back[0] - equation.y0[0]).abs() < 1e-15, "{method:?}: {}", back[0] - equation.y0[0]);
    }
}

/// (V.6.1): $y + \eta t z = \sin t$, $y' + \eta t z' + (1 + \eta) z = e^{-t}$; index 2 for every $\eta$.
struct Eta(f64);

impl Model for Eta {
    fn residual<S: Scalar>(&self, t: S, w: &[S], wp: &[S], out: &mut [S]) {
        out[0] = w[0] + t * w[1] * self.0 - t.sin();
        out[1] = wp[0] + t * wp[1] * self.0 + w[1] * (1.0 + self.0) - (-t).exp();
    }
}

fn eta(eta: f64) -> Problem<Eta> {
    // z = exp(-t) - cos t and y = sin t - eta t z.
    let unknowns = [("y", Differential, 2), ("z", Differential, 2)];
    Problem::new("eta", Eta(eta), &unknowns, &[], (Leading::Quasilinear, 1), (0.0, &[0.0, 0.0], &[1.0, -1.0]))
}

/// The implicit Euler method converges for $\eta > -1/2$, and diverges below; errors at $t = 1$ as computed elsewhere.
#[test]
fn implicit_euler_on_the_eta_problem() {
    for (value, errors) in [
        (1.0, [0.06907, 0.03999, 0.02123, 0.0109]),
        (0.0, [0.04114, 0.02081, 0.01046, 0.005245]),
        (-0.25, [0.0306, 0.0152, 0.00758, 0.003785]),
        (-0.5, [0.03196, 0.0159, 0.007925, 0.003957]),
        (-2.0, [156.3, 91870.0, 5.15e10, 2.926e22]),
    ] {
        let problem = eta(value);
        for (n, expected) in [10, 20, 40, 80].into_iter().zip(errors) {
            let run =
                Integration::new(&problem as &dyn Dae).method(Method::Bdf).max_order(1).fixed_step(1.0 / n as f64);
            let found = run.run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap().end_state[1];
            let error = (found - ((-1_f64).exp() - 1_f64.cos())).abs();
            assert!((error / expected - 1.0).abs() < 1e-3, "eta = {value}, {n} steps: {error}, not {expected}");
        }
    }
    // The matrix of a step is singular.
    let problem = eta(-1.0);
    let run = Integration::new(&problem as &dyn Dae).method(Method::Bdf).max_order(1).fixed_step(0.1);
    let failure = run.run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap_err();
    assert!(failure.to_string().contains("singular"), "{failure}");
}

/// On index 3, changing the step size once makes an error of order $h^0$ in the multiplier of the implicit Euler method,
/// of which nothing is left two steps later (Gear & Petzold 1984; Brenan, Campbell & Petzold, section 3.1).
#[test]
fn a_change_of_the_step_size_disturbs_the_multiplier_at_index_3() {
    let problem = pendulum::pendulum(pendulum::Form::Index3);
    let multiplier = |h: f64, second: f64, steps: usize| {
        let first = Integration::new(&problem as &dyn Dae).method(Method::Bdf).max_order(1).fixed_step(h);
        let first = first.run_from(0.0, &problem.y0, &problem.yp0, 10.0 * h).unwrap();
        let (t, y) = (first.end_time, first.end_state);
        let yp = [y[2], y[3], -y[0] * y[4], -1.0 - y[1] * y[4], 0.0];
        let t_end = t + steps as f64 * second;
        let run = Integration::new(&problem as &dyn Dae).method(Method::Bdf).max_order(1).fixed_step(second);
        let y = run.run_from(t, &y, &yp, t_end).or_else(RunError::into_solution).unwrap().end_state;
        let lambda = y[2] * y[2] + y[3] * y[3] - y[1];
        (y[4] - lambda).abs()
    };
    for h in [4e-3, 2e-3, 1e-3] {
        let (disturbed, later) = (multiplier(h, 0.5 * h, 1), multiplier(h, 0.5 * h, 4));
        assert!(later < 20.0 * h, "h = {h}: {later}");
        assert!(disturbed > 2.0 * later, "h = {h}: {disturbed}, later {later}");
    }
}

#[test]
fn step_control_is_refused() {
    let problem = stiff::prothero_robinson(0.5);
    for method in RULES {
        let run = Integration::new(&problem as &dyn Dae).method(method);
        let refused = run.run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap_err();
        let RunError::Options(Failure::InvalidOption { message }) = refused else { panic!("not refused") };
        assert!(message.contains("fixed_step"), "{message}");
    }
}
