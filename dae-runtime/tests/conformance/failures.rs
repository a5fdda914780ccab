//! What cannot be integrated, and how runs fail.

use dae_runtime::solution::{Solution, Status};
use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::stepper::{Failure, Options, StepCause, Tolerance};

use super::{Promise, integrate, largest_difference, suited};
use crate::problems::{Disturbance, Function, manufactured, pendulum, steering_wheel, stiff};

/// Where a residual ceases to be finite, the run ends just before, and the failure names the equation.
pub fn names_what_is_not_finite(method: Method, _: Promise) {
    let solution = integrate(&stiff::end_of_domain(), method, 1e-6, 2.0, Record::Steps);
    let Status::Stopped(Failure::StepSizeTooSmall {
        t, cause: StepCause::NonFinite { equation, unknown: None }, ..
    }) = &solution.status
    else {
        panic!("{}", solution.status)
    };
    assert!((t - 1.0).abs() < 1e-12 && equation == "equation 2", "{t} {equation}");
    assert!(solution.times.len() > 1 && solution.end_time == *t);
    assert!(solution.iter().all(|(_, state)| state.iter().all(|x| x.is_finite())));

    let problem = stiff::end_of_domain();
    let integration = Integration::new(&problem).method(method);
    let error = integration.run_from(1.5, &[1.0, 1.0], &[-1.0, 0.0], 2.0).unwrap_err();
    let RunError::Stopped { failure: Failure::NonFinite { t, equations }, solution } = &error else {
        panic!("{error}")
    };
    assert_eq!((*t, equations.as_slice()), (1.5, &["equation 2".into()][..]));
    assert_eq!(
        (&solution.status, &*solution.end_state),
        (&Status::Stopped(error.failure().unwrap().clone()), &[1.0, 1.0][..])
    );
}

/// Where a system does not determine its unknowns, the failure names one of the equations and one of the unknowns.
pub fn names_what_makes_the_matrix_singular(method: Method, _: Promise) {
    let solution = integrate(&stiff::underdetermined(), method, 1e-6, 1.0, Record::Steps);
    let Status::Stopped(Failure::SingularIterationMatrix { t, equation, unknown }) = &solution.status else {
        panic!("{}", solution.status)
    };
    assert_eq!(*t, 0.0);
    assert!(["equation 2", "equation 3"].contains(&&**equation), "{equation}");
    assert!(["z", "w"].contains(&&**unknown), "{unknown}");
}

/// The run ends where the solution becomes infinite.
pub fn stops_where_the_solution_ends(method: Method, _: Promise) {
    let solution = integrate(&stiff::blow_up(), method, 1e-6, 2.0, Record::Steps);
    assert!(matches!(solution.status, Status::Stopped(Failure::StepSizeTooSmall { .. })), "{}", solution.status);
    assert!((solution.end_time - 1.0).abs() < 1e-4, "{}", solution.end_time);
    assert!(solution.end_state[0] > 1e3 && solution.end_state[0].is_finite());
}

/// Meaningless options or arguments are an error without a solution.
pub fn rejects_options_without_meaning(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(10.0);
    let form = suited(&problem, method);
    let run = |options: Options, y0: &[f64], t_end: f64| {
        Integration::new(form.as_ref())
            .method(method)
            .options(options)
            .run_from(0.0, y0, &[0.0], t_end)
            .map(|s| s.status)
    };
    let defaults = Options::default;
    for options in [
        Options { rtol: -1.0, ..defaults() },
        Options { rtol: f64::NAN, ..defaults() },
        Options { rtol: 0.0, atol: Tolerance::Scalar(0.0), ..defaults() },
        Options { atol: Tolerance::PerComponent(vec![1.0; 2]), ..defaults() },
        Options { initial_step: Some(0.0), ..defaults() },
        Options { max_step: -1.0, ..defaults() },
        Options { max_order: Some(0), ..defaults() },
        Options { max_order: Some(refused_order(method)), ..defaults() },
    ] {
        assert!(
            matches!(run(options.clone(), &[1.0], 1.0), Err(RunError::Options(Failure::InvalidOption { .. }))),
            "{options:?}"
        );
    }
    assert!(matches!(run(defaults(), &[1.0, 2.0], 1.0), Err(RunError::Options(Failure::InvalidOption { .. }))));
    assert!(matches!(run(defaults(), &[f64::NAN], 1.0), Err(RunError::Options(Failure::InvalidOption { .. }))));
    assert!(matches!(run(defaults(), &[1.0], f64::INFINITY), Err(RunError::Options(Failure::InvalidOption { .. }))));
    assert_eq!(run(defaults(), &[1.0], 1.0), Ok(Status::Success));
}

/// A highest order that the method does not have: too low where it has one order, otherwise too high.
fn refused_order(method: Method) -> usize {
    match method {
        Method::Hem4 => 3,
        Method::Hem5 => 4,
        Method::Limex | Method::Mexx => 9,
        _ if method.is_explicit() => 4,
        _ => 6,
    }
}

/// At the start the residual is finite, but its derivative is not.
pub fn starts_where_a_jacobian_has_no_value(method: Method, _: Promise) {
    let solution = integrate(&stiff::root_at_start(), method, 1e-6, 4.0, Record::Steps);
    assert!(solution.is_success(), "{}", solution.status);
    assert!(largest_difference(&solution.end_state, &[4.0, 2.0]) < 1e-5, "{:?}", solution.end_state);
}

/// A failure caused by a residual or derivative that is not finite names the equation and the unknown.
pub fn names_what_has_no_derivative(method: Method, _: Promise) {
    let cause = |solution: Solution| match solution.status {
        Status::Stopped(Failure::StepSizeTooSmall { t, cause, .. }) => (t, cause),
        other => panic!("{other}"),
    };
    let (t, found) = cause(integrate(&stiff::root_at_end(), method, 1e-6, 2.0, Record::Steps));
    assert!((t - 1.0).abs() < 1e-6, "{t}");
    assert_eq!(found, StepCause::NonFinite { equation: "equation 2".into(), unknown: Some("x".into()) });

    // `values[1]` is the derivative of equation 1 with respect to y2.
    let faults: [Disturbance; 2] = [
        |function, _, t, values| {
            if function == Function::Jacobian && t > 1.0 {
                values[1] = f64::NAN;
            }
        },
        |function, _, t, values| {
            if function == Function::Jacobian && t > 1.0 {
                values[1] = f64::INFINITY;
            }
        },
    ];
    for fault in faults {
        let mut problem = manufactured::state_dependent_leading();
        problem.disturbance = Some(fault);
        let (t, found) = cause(integrate(&problem, method, 1e-8, 10.0, Record::Steps));
        assert!((0.9..5.0).contains(&t), "{t}");
        assert_eq!(found, StepCause::NonFiniteDerivative { equation: "equation 1".into(), unknown: "y2".into() });
    }
}

/// A run recovers from values that are NaN or infinite in only a few evaluations, as a rule by a shorter step.
pub fn gets_over_values_that_are_missing_once(method: Method, promise: Promise) {
    let faults: [Disturbance; 3] = [
        |function, count, _, values| {
            if function == Function::Residual && (40..43).contains(&count) {
                values[0] = f64::NAN;
            }
        },
        |function, count, _, values| {
            if function == Function::Residual && (40..43).contains(&count) {
                values[1] = f64::INFINITY;
            }
        },
        |function, count, _, values| {
            if function == Function::Jacobian && count == 3 {
                values[0] = f64::NAN;
            }
        },
    ];
    for (k, fault) in faults.into_iter().enumerate() {
        let mut problem = manufactured::state_dependent_leading();
        problem.disturbance = Some(fault);
        let solution = integrate(&problem, method, 1e-8, 3.0, Record::Steps);
        assert!(solution.is_success(), "fault {k}: {}", solution.status);
        // After a fault in the Jacobian, it may be evaluated at another point without a shorter step.
        assert!(k == 2 || solution.statistics.convergence_rejections > 0, "fault {k}: {:?}", solution.statistics);
        let error = largest_difference(&solution.end_state, &manufactured::state_dependent_leading_solution(3.0));
        assert!(error < promise.error_per_tolerance * 1e-8, "fault {k}: {error:e}");
    }
}

/// Where an equation ceases to determine its unknown during a run, the failure names both.
pub fn names_what_becomes_singular(method: Method, _: Promise) {
    let solution = integrate(&stiff::fading(), method, 1e-6, 10.0, Record::Steps);
    let Status::Stopped(Failure::SingularIterationMatrix { t, equation, unknown }) = &solution.status else {
        panic!("{}", solution.status)
    };
    // The formulation announces no switch at t = 1: the iteration matrix may be kept beyond that time.
    assert!((0.9..10.0).contains(t), "{t}");
    assert_eq!((&**equation, &**unknown), ("equation 2", "z"));
}

/// Near the impasse, the unknown of index 2 behaves like the square root of the time that is left, so the time of the
/// impasse is found only to about the square root of the tolerance. How far the last step goes beyond it depends on
/// where that step happens to begin.
pub fn stops_at_an_impasse(method: Method, _: Promise) {
    let problem = steering_wheel::steering_wheel_impasse();
    let (count, mut late) = (61, 0);
    for k in 0..count {
        let tolerance = 10_f64.powf(-4.0 - 6.0 * f64::from(k) / f64::from(count - 1));
        let solution = integrate(&problem, method, tolerance, 4.0, Record::Steps);
        let stopped = matches!(solution.status, Status::Stopped(Failure::StepSizeTooSmall { .. }));
        assert!(stopped, "{tolerance:e}: {}", solution.status);
        let beyond = solution.end_time - steering_wheel::IMPASSE;
        assert!(beyond.abs() < 10.0 * tolerance.sqrt(), "{tolerance:e}: {beyond:e} beyond the impasse");
        late += i32::from(beyond > tolerance.sqrt());
        assert!(solution.statistics.steps < 1000, "{tolerance:e}: {:?}", solution.statistics);
    }
    assert!(10 * late <= count, "{late} of {count} runs end late");
}

/// Start values that violate a constraint are refused, and the failure names it; violations within the tolerance are
/// accepted.
pub fn refuses_inconsistent_start_values(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let start = |x: f64| {
        let mut y = problem.y0.clone();
        y[0] = x;
        let integration = Integration::new(&problem).method(method).rtol(1e-6).atol(1e-6);
        integration.run_from(0.0, &y, &problem.yp0, 0.1).map(|solution| solution.status)
    };
    let failure = start(1.01).unwrap_err();
    let RunError::Start(Failure::InconsistentStart { t, equation, value, allowed }) = &failure else {
        panic!("{failure}")
    };
    assert_eq!((*t, &**equation), (0.0, "equation 5"));
    assert!((value.abs() - 0.0201).abs() < 1e-9 && *allowed < 1e-5, "{failure}");
    assert_eq!(start(1.0 + 1e-9), Ok(Status::Success));
}
