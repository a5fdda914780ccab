//! Explicit Runge–Kutta methods: orders at fixed steps, and what they refuse.
//!
//! Expected orders: Hairer, Nørsett & Wanner I, sections II.5 and II.10.

mod problems;

use dae_runtime::contract::Dae;
use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Options, StepControl};
use dae_runtime::underlying::UnderlyingOde;
use problems::{pendulum, stiff};

/// The end of a run of `n` fixed steps.
fn end(method: Method, dae: &dyn Dae, [y0, yp0]: [&[f64]; 2], n: usize, t_end: f64) -> Vec<f64> {
    let options = Options { control: StepControl::Fixed(t_end / n as f64), ..Options::default() };
    let mut stepper = method.start(dae, 0.0, y0, yp0, t_end, &options).unwrap();
    while stepper.time() != t_end {
        stepper.step().unwrap();
    }
    assert_eq!(stepper.statistics().steps, n);
    stepper.state().to_vec()
}

/// On an ordinary differential equation, and on the underlying equation of a pendulum, multiplier included.
#[test]
fn orders_are_those_of_the_methods() {
    let equation = stiff::prothero_robinson(0.5);
    let pendulum = pendulum::pendulum(pendulum::Form::Index1);
    let [of_equation, of_pendulum]: [&dyn Dae; 2] = [&UnderlyingOde::new(&equation), &UnderlyingOde::new(&pendulum)];
    let at_end = end(Method::Dop853, of_pendulum, [&pendulum.y0, &pendulum.yp0], 1000, 3.0);
    for (method, order, n, allowed) in [
        (Method::ExplicitEuler, 1.0, [400, 8000], 0.1),
        (Method::Dopri5, 5.0, [24, 160], 0.1),
        (Method::Dop853, 8.0, [8, 20], 0.3),
    ] {
        let found = |n: usize, t_end: f64, dae: &dyn Dae, start: [&[f64]; 2], exact: &[f64]| {
            let error = |n: usize| largest_difference(&end(method, dae, start, n, t_end), exact);
            (error(n) / error(2 * n)).log2()
        };
        let orders = [
            found(n[0], 4.0, of_equation, [&equation.y0, &equation.yp0], &[4_f64.cos()]),
            found(n[1], 3.0, of_pendulum, [&pendulum.y0, &pendulum.yp0], &at_end),
        ];
        assert!(orders.iter().all(|found| (found - order).abs() < allowed), "{method:?}: orders {orders:?}");
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn formulations_that_are_not_solved_are_refused() {
    let problem = pendulum::pendulum(pendulum::Form::Index1);
    let run = Integration::new(&problem).method(Method::Dopri5).run_from(0.0, &problem.y0, &problem.yp0, 1.0);
    let RunError::Options(Failure::NotSolved { method, form }) = run.unwrap_err() else { panic!("not refused") };
    assert_eq!((&*method, &*form), ("DOPRI5", "original"));
}
