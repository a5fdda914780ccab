//! Half-explicit Runge–Kutta methods: orders at fixed steps, costs, and what they refuse.
//!
//! Expected orders: `methods::half_explicit::tableau`, after Brasey & Hairer (1993), Murua (1997) and Arnold (1998).

mod problems;

use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Options, StepControl};
use dae_runtime::underlying::UnderlyingOde;
use problems::{Model, Problem, manufactured, pendulum, steering_wheel, transistor_amplifier};

const METHODS: [(Method, f64); 2] = [(Method::Hem4, 4.0), (Method::Hem5, 5.0)];

/// The end of a run of `n` fixed steps.
fn end<M: Model>(method: Method, problem: &Problem<M>, n: usize, t_end: f64) -> Vec<f64> {
    let options = Options { control: StepControl::Fixed(t_end / n as f64), ..Options::default() };
    let mut stepper = method.start(problem, 0.0, &problem.y0, &problem.yp0, t_end, &options).unwrap();
    while stepper.time() != t_end {
        stepper.step().unwrap();
    }
    assert_eq!(stepper.statistics().steps, n);
    stepper.state().to_vec()
}

/// The order observed on doubling `n` fixed steps.
fn order<M: Model>(method: Method, problem: &Problem<M>, n: usize, t_end: f64, exact: &[f64]) -> f64 {
    let error = |n: usize| largest_difference(&end(method, problem, n, t_end), exact);
    (error(n) / error(2 * n)).log2()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// On a system of index 2 that is nonlinear in its algebraic unknown, and on a pendulum in forms of index 2 and 1;
/// algebraic unknowns included, which are as accurate as the others.
#[test]
fn orders_are_those_of_the_methods() {
    let reference = {
        let problem = pendulum::pendulum(pendulum::Form::Index1);
        let underlying = UnderlyingOde::new(&problem);
        let integration = Integration::new(&underlying).method(Method::Dop853).fixed_step(1e-3);
        integration.run_from(0.0, &problem.y0, &problem.yp0, 3.0).unwrap().end_state
    };
    for (method, order_of_method) in METHODS {
        let (t, exact) = &steering_wheel::REFERENCE[2];
        let of_wheel = order(method, &steering_wheel::steering_wheel(), 40, *t, exact);
        let of_pendulum = |form| order(method, &pendulum::pendulum(form), 160, 3.0, &reference);
        let found = [
            of_wheel,
            of_pendulum(pendulum::Form::Ggl),
            of_pendulum(pendulum::Form::Index2),
            of_pendulum(pendulum::Form::Index1),
        ];
        assert!(found.iter().all(|found| (found - order_of_method).abs() < 0.1), "{method:?}: orders {found:?}");
    }
}

/// A leading matrix that depends on the state, with an algebraic unknown of index 1.
#[test]
fn order_4_on_a_quasilinear_system() {
    let exact = manufactured::state_dependent_leading_solution(3.0);
    let found = order(Method::Hem4, &manufactured::state_dependent_leading(), 160, 3.0, &exact);
    assert!((found - 4.0).abs() < 0.1, "{found}");
}

/// For index 3, for which the position constraint and its multiplier are too far apart, the failure names an equation
/// and an unknown; so it does where the leading matrix is singular.
#[test]
fn other_formulations_are_refused() {
    let index_3 = pendulum::pendulum(pendulum::Form::Index3);
    for (method, _) in METHODS {
        let run = |integration: Integration<'_, '_>| {
            integration.method(method).run_from(0.0, &index_3.y0, &index_3.yp0, 1.0).unwrap_err()
        };
        let error = run(Integration::new(&index_3).fixed_step(0.01));
        let RunError::Options(Failure::NotHessenberg { method: name, equation, unknown, .. }) = &error else {
            panic!("{error}")
        };
        assert_eq!(**name, *format!("{method:?}").to_uppercase());
        assert_eq!((&**equation, &**unknown), ("equation 5", "lambda"));
        let error = run(Integration::new(&index_3));
        assert!(matches!(error, RunError::Options(Failure::UnsuitableMethod { limit: 2, .. })), "{error}");

        let amplifier = transistor_amplifier::transistor_amplifier();
        let run = Integration::new(&amplifier).method(method).run_from(0.0, &amplifier.y0, &amplifier.yp0, 0.1);
        let error = run.unwrap_err();
        let is_singular = matches!(error.failure(), Some(Failure::SingularIterationMatrix { t: 0.0, .. }));
        assert!(is_singular, "{error}");
    }
}

/// A step factorises one matrix, and each stage takes few evaluations.
#[test]
fn steps_are_cheap() {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    for (method, stages) in [(Method::Hem4, 4), (Method::Hem5, 6)] {
        let integration = Integration::new(&problem).method(method).rtol(1e-8).atol(1e-8);
        let s = integration.run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap().statistics;
        let attempts = s.steps + s.rejected();
        assert!(s.factorizations <= attempts + 1 && s.jacobians <= attempts + 3, "{s:?}");
        assert!(s.residuals <= 5 * stages * attempts, "{s:?}");
    }
}
