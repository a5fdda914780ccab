//! Explicit Runge–Kutta methods: orders at fixed steps, and what they refuse.
//!
//! Expected orders: Hairer, Nørsett & Wanner I, sections II.5 and II.10.

mod problems;

use dae_runtime::contract::Dae;
use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Options, StepControl};
use dae_runtime::underlying::UnderlyingOde;
use problems::{manufactured, pendulum, stiff};

/// Error at `t_end` after `n` steps.
fn error(method: Method, dae: &dyn Dae, [y0, yp0, exact]: [&[f64]; 3], n: usize, t_end: f64) -> f64 {
    let options = Options { control: StepControl::Fixed(t_end / n as f64), ..Options::default() };
    let mut stepper = method.start(dae, 0.0, y0, yp0, t_end, &options).unwrap();
    while stepper.time() != t_end {
        stepper.step().unwrap();
    }
    assert_eq!(stepper.statistics().steps, n);
    stepper.state().iter().zip(exact).map(|(value, exact)| (value - exact).abs()).fold(0.0, f64::max)
}

#[test]
fn orders_are_those_of_the_methods() {
    let equation = stiff::prothero_robinson(0.5);
    let quasilinear = manufactured::state_dependent_leading();
    let exact = manufactured::state_dependent_leading_solution(2.0);
    for (method, order, n, allowed) in
        [(Method::ExplicitEuler, 1.0, 400, 0.1), (Method::Dopri5, 5.0, 24, 0.1), (Method::Dop853, 8.0, 8, 0.3)]
    {
        let observed = |dae: &dyn Dae, values: [&[f64]; 3], t_end: f64, n: usize| {
            (error(method, dae, values, n, t_end) / error(method, dae, values, 2 * n, t_end)).log2()
        };
        let ode = UnderlyingOde::new(&equation);
        let found = observed(&ode, [&equation.y0, &equation.yp0, &[4_f64.cos()]], 4.0, n);
        assert!((found - order).abs() < allowed, "{method:?}: order {found} for an ordinary differential equation");
        let ode = UnderlyingOde::new(&quasilinear);
        let found = observed(&ode, [&quasilinear.y0, &quasilinear.yp0, &exact], 2.0, n);
        assert!((found - order).abs() < allowed, "{method:?}: order {found} for index 1");
    }
}

#[test]
fn debug_orders() {
    let equation = stiff::prothero_robinson(0.5);
    let quasilinear = manufactured::state_dependent_leading();
    let exact = manufactured::state_dependent_leading_solution(2.0);
    for method in [Method::ExplicitEuler, Method::Dopri5, Method::Dop853] {
        for n in [3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 400, 800] {
            let a = UnderlyingOde::new(&equation);
            let b = UnderlyingOde::new(&quasilinear);
            eprintln!(
                "DEBUG {method:?} {n} {:e} {:e}",
                error(method, &a, [&equation.y0, &equation.yp0, &[4_f64.cos()]], n, 4.0),
                error(method, &b, [&quasilinear.y0, &quasilinear.yp0, &exact], n, 2.0)
            );
        }
    }
}

#[test]
fn formulations_that_are_not_solved_are_refused() {
    let problem = pendulum::pendulum(pendulum::Form::Index1);
    let run = Integration::new(&problem).method(Method::Dopri5).run_from(0.0, &problem.y0, &problem.yp0, 1.0);
    let RunError::Options(Failure::NotSolved { method, form }) = run.unwrap_err() else { panic!("not refused") };
    assert_eq!((&*method, &*form), ("DOPRI5", "original"));
}
