//! Extrapolation methods: orders at fixed steps, and what they refuse.

mod problems;

use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Options, StepControl, Tolerance};
use problems::{Model, Problem, manufactured, pendulum, steering_wheel};

/// The end of a run of `n` fixed steps with the given order.
fn end<M: Model>(method: Method, order: usize, problem: &Problem<M>, n: usize, t_end: f64) -> Vec<f64> {
    let options =
        Options { control: StepControl::Fixed(t_end / n as f64), max_order: Some(order), ..Options::default() };
    let mut stepper = method.start(problem, 0.0, &problem.y0, &problem.yp0, t_end, &options).unwrap();
    while stepper.time() != t_end {
        stepper.step().unwrap();
    }
    assert_eq!(stepper.statistics().steps, n);
    stepper.state().to_vec()
}

/// The order observed on doubling `n` fixed steps.
fn observed<M: Model>(method: Method, order: usize, problem: &Problem<M>, n: usize, t_end: f64, exact: &[f64]) -> f64 {
    let error = |n: usize| largest_difference(&end(method, order, problem, n, t_end), exact);
    (error(n) / error(2 * n)).log2()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// How far an observed order may be off.
fn allowed(order: usize) -> f64 {
    if order < 6 { 0.1 } else { 0.3 }
}

/// On the index-1 form of a pendulum, multiplier included, with each order.
#[test]
fn limex_has_the_orders_of_its_columns() {
    let (t, exact) = &pendulum::REFERENCE[0];
    for (order, n) in [(1, 80), (2, 80), (3, 80), (4, 40), (5, 20), (6, 10), (7, 10)] {
        let found = observed(Method::Limex, order, &pendulum::pendulum(pendulum::Form::Index1), n, *t, exact);
        assert!((found - order as f64).abs() < allowed(order), "order {order}: {found}");
    }
}

/// Where an algebraic unknown occurs in the leading matrix, errors have an expansion only up to order 4.
#[test]
fn limex_has_orders_up_to_4_on_quasilinear_systems() {
    let exact = manufactured::state_dependent_leading_solution(1.0);
    for order in 1..=4 {
        let found = observed(Method::Limex, order, &manufactured::state_dependent_leading(), 160, 1.0, &exact);
        assert!((found - order as f64).abs() < 0.1, "order {order}: {found}");
    }
}

/// High orders take few steps at tight tolerances, and the orders used follow the tolerance.
#[test]
fn the_order_follows_the_tolerance() {
    let problem = pendulum::pendulum(pendulum::Form::Index1);
    let course = |tolerance: f64| {
        let options = Options { rtol: tolerance, atol: Tolerance::Scalar(tolerance), ..Options::default() };
        let mut stepper = Method::Limex.start(&problem, 0.0, &problem.y0, &problem.yp0, 10.0, &options).unwrap();
        let mut highest = 0;
        while stepper.time() != 10.0 {
            stepper.step().unwrap();
            highest = highest.max(stepper.order());
        }
        (highest, stepper.statistics().steps)
    };
    let [loose, tight] = [1e-3, 1e-11].map(course);
    assert!(loose.0 < tight.0, "{loose:?} {tight:?}");
    assert!(tight.1 < 20 * loose.1, "{loose:?} {tight:?}");
}

/// Unknowns of index 2 are refused, and orders that the method does not have.
#[test]
fn what_does_not_suit_is_refused() {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let run = |integration: Integration<'_, '_>| {
        integration.method(Method::Limex).run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap_err()
    };
    let error = run(Integration::new(&problem));
    assert!(matches!(error, RunError::Options(Failure::UnsuitableMethod { limit: 1, index: 2, .. })), "{error}");
    let options = |max_order| Options { max_order: Some(max_order), ..Options::default() };
    for max_order in [1, 9] {
        let index_1 = pendulum::pendulum(pendulum::Form::Index1);
        let integration = Integration::new(&index_1).method(Method::Limex).options(options(max_order));
        let error = integration.run_from(0.0, &index_1.y0, &index_1.yp0, 1.0).unwrap_err();
        assert!(matches!(error, RunError::Options(Failure::InvalidOption { .. })), "{error}");
    }
}

/// On a pendulum in forms of index 2 and 1, multipliers included, and on a system that is nonlinear in its unknown of
/// index 2.
#[test]
fn mexx_has_the_orders_of_its_columns() {
    let (t, exact) = &pendulum::REFERENCE[0];
    let (end_of_wheel, wheel) = &steering_wheel::REFERENCE[2];
    for (order, n) in [(1, 80), (2, 80), (3, 80), (4, 40), (5, 30)] {
        let of_pendulum = |form| observed(Method::Mexx, order, &pendulum::pendulum(form), n, *t, exact);
        let found = [
            of_pendulum(pendulum::Form::Ggl),
            of_pendulum(pendulum::Form::Index2),
            of_pendulum(pendulum::Form::Index1),
            observed(Method::Mexx, order, &steering_wheel::steering_wheel(), n, *end_of_wheel, wheel),
        ];
        let is_close = |found: &f64| (found - order as f64).abs() < allowed(order);
        assert!(found.iter().all(is_close), "order {order}: {found:?}");
    }
}

/// Near the state of rest, where it starts, multipliers enforce most of the motion of the pendulum: the ends of steps are
/// more accurate than dense output, which then decides on order and length. Hardly any step is rejected for that, and
/// steps at the tightest tolerances are long.
#[test]
fn mexx_takes_few_steps_at_tight_tolerances() {
    let (t, exact) = &pendulum::REFERENCE[3];
    for form in [pendulum::Form::Ggl, pendulum::Form::Index2, pendulum::Form::Index1] {
        for tolerance in [1e-9, 1e-10, 1e-11, 1e-12] {
            let problem = pendulum::pendulum(form);
            let options = Options { rtol: tolerance, atol: Tolerance::Scalar(tolerance), ..Options::default() };
            let mut stepper = Method::Mexx.start(&problem, 0.0, &problem.y0, &problem.yp0, *t, &options).unwrap();
            while stepper.time() != *t {
                stepper.step().unwrap();
            }
            let statistics = stepper.statistics();
            assert!(statistics.steps < 200, "{form:?} {tolerance:e}: {statistics:?}");
            assert!(statistics.rejected() < 30, "{form:?} {tolerance:e}: {statistics:?}");
            let error = largest_difference(&stepper.state()[..5], exact);
            assert!(error < 50.0 * tolerance, "{form:?} {tolerance:e}: {error:e}");
        }
    }
}

/// What half-explicit methods refuse, the method refuses too.
#[test]
fn mexx_needs_a_hessenberg_form() {
    let index_3 = pendulum::pendulum(pendulum::Form::Index3);
    let integration = Integration::new(&index_3).method(Method::Mexx).fixed_step(0.01);
    let error = integration.run_from(0.0, &index_3.y0, &index_3.yp0, 1.0).unwrap_err();
    let RunError::Options(Failure::NotHessenberg { method, equation, unknown, .. }) = &error else { panic!("{error}") };
    assert_eq!((&**method, &**equation, &**unknown), ("MEXX", "equation 5", "lambda"));
}
