//! What every integrator must do, as functions of the method. A test binary instantiates the suite with [`conforms!`].
//!
//! In: a [`Method`] and what accuracy it promises ([`Promise`]). Out: panics where it does not keep it.

#![allow(unreachable_pub, reason = "shared between test binaries")]

use std::ops::ControlFlow;

use dae_runtime::solution::{Solution, Status};
use dae_runtime::solve::{Integration, Method, Record};
use dae_runtime::stepper::{Failure, Options, StepCause, Tolerance};

use crate::problems::{
    Model, Problem, manufactured, mixed_digits, pendulum, steering_wheel, stiff, transistor_amplifier,
};

/// Accuracy a method promises, in mixed digits.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// GGL pendulum at `rtol = atol = 1e-11`, at each reference time up to 10.
    pub ggl: f64,
    /// Transistor amplifier at 1e-8.
    pub transistor_amplifier: f64,
    /// Error over tolerance on the manufactured problems.
    pub error_per_tolerance: f64,
}

/// Instantiates the suite: one test per property.
#[macro_export]
macro_rules! conforms {
    ($method:expr, $promise:expr; $($property:ident),* $(,)?) => {
        $(#[test]
        fn $property() {
            conformance::$property($method, $promise);
        })*
    };
    ($method:expr, $promise:expr) => {
        conforms! { $method, $promise;
            ends_exactly, runs_backwards, does_nothing_on_an_empty_interval, error_follows_tolerance, keeps_enforced_constraints,
            solves_stiff_kinetics, solves_a_circuit, interpolates_continuously, records_the_times_asked_for, names_what_is_not_finite,
            names_what_makes_the_matrix_singular, stops_where_the_solution_ends, rejects_options_without_meaning,
            honours_bounds_and_observers, reproduces_cubics, takes_absolute_tolerances_alone, survives_output_times_that_nearly_coincide,
            starts_where_a_jacobian_has_no_value, counts_its_work, crosses_tiny_intervals, runs_far_from_the_origin, goes_step_by_step, interpolates_what_errors_are_not_tested_for,
        }
    };
}

fn integrate<M: Model>(problem: &Problem<M>, method: Method, tolerance: f64, t_end: f64, record: Record) -> Solution {
    let integration = Integration::new(problem).method(method).rtol(tolerance).atol(tolerance).record(record);
    integration.run_from(problem.t0, &problem.y0, &problem.yp0, t_end).unwrap()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The last time is the end time, to the bit, and times ascend.
pub fn ends_exactly(method: Method, _: Promise) {
    let t_end = 0.1 + 0.2;
    let solution = integrate(&steering_wheel::steering_wheel(), method, 1e-7, t_end, Record::Steps);
    assert!(solution.is_success());
    assert_eq!(solution.end_time, t_end);
    assert_eq!(solution.times.last(), Some(&t_end));
    assert_eq!(solution.times.len(), solution.statistics.steps + 1);
    assert!(solution.times.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(solution.state(solution.times.len() - 1), Some(&solution.end_state[..]));
}

/// There and back again.
pub fn runs_backwards(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let there = integrate(&problem, method, 1e-9, 2.0, Record::Steps);
    let back = Integration::new(&problem).method(method).rtol(1e-9).atol(1e-9);
    let back = back.run_from(2.0, &there.end_state, &there.end_derivative, 0.0).unwrap();
    assert!(back.is_success() && back.end_time == 0.0);
    assert!(back.times.windows(2).all(|pair| pair[0] > pair[1]));
    let error = largest_difference(&back.end_state, &problem.y0);
    assert!(error < 1e-6, "{error:e}");
}

/// From `t0` to `t0`: success, one state, no step.
pub fn does_nothing_on_an_empty_interval(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(10.0);
    let solution = integrate(&problem, method, 1e-6, problem.t0, Record::Dense);
    assert!(solution.is_success());
    assert_eq!((solution.statistics.steps, solution.times.as_slice()), (0, &[problem.t0][..]));
    assert_eq!(solution.at(problem.t0), Some(problem.y0.clone()));
}

/// Leading matrices that depend on the state, equations nonlinear in the derivative, stiffness: the error is at most a
/// multiple of the tolerance, and not absurdly smaller.
pub fn error_follows_tolerance(method: Method, promise: Promise) {
    let check = |name: &str, tolerance: f64, error: f64| {
        assert!(error < promise.error_per_tolerance * tolerance, "{name} at {tolerance:e}: {error:e}");
        assert!(error > 1e-5 * tolerance, "{name} at {tolerance:e}: {error:e} is wasteful");
    };
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let solution =
            integrate(&manufactured::state_dependent_leading(), method, tolerance, 3.0, Record::At(vec![3.0]));
        let exact = manufactured::state_dependent_leading_solution(3.0);
        check("state-dependent", tolerance, largest_difference(&solution.end_state, &exact));

        let solution = integrate(&manufactured::nonlinear_leading(), method, tolerance, 3.0, Record::At(vec![3.0]));
        check("nonlinear", tolerance, (solution.end_state[0] - 3f64.sin()).abs());

        let solution = integrate(&stiff::prothero_robinson(20.0), method, tolerance, 3.0, Record::At(vec![3.0]));
        check("stiff", tolerance, (solution.end_state[0] - 3f64.cos()).abs());
    }
}

/// The GGL pendulum: accuracy at every reference time, both constraints at rounding after every step,
/// whatever the tolerance.
pub fn keeps_enforced_constraints(method: Method, promise: Promise) {
    let times = pendulum::REFERENCE.map(|(t, _)| t).to_vec();
    let solution = integrate(&pendulum::pendulum(pendulum::Form::Ggl), method, 1e-11, 10.0, Record::At(times));
    assert!(solution.is_success(), "{}", solution.status);
    for ((_, state), (t, reference)) in solution.iter().zip(&pendulum::REFERENCE) {
        let digits = mixed_digits(&state[..5], reference);
        assert!(digits >= promise.ggl, "{digits} digits at t = {t}");
    }
    assert_eq!(solution.times.len(), 4);
    for tolerance in [1e-3, 1e-5, 1e-8, 1e-11] {
        let solution = integrate(&pendulum::pendulum(pendulum::Form::Ggl), method, tolerance, 50.0, Record::Steps);
        assert!(solution.is_success(), "{}", solution.status);
        assert!(solution.invariants_max() <= 1e-13, "{tolerance:e}: {:?}", solution.invariants);
    }
}

/// Robertson's kinetics over eleven decades.
pub fn solves_stiff_kinetics(method: Method, _: Promise) {
    let problem = stiff::robertson();
    let (t_end, reference) = stiff::ROBERTSON_REFERENCE;
    let tolerance = 1e-8;
    let options = Options {
        rtol: tolerance,
        atol: Tolerance::PerComponent([1e-4, 1e-8, 1.0].map(|factor| factor * tolerance).to_vec()),
        ..Options::default()
    };
    let integration = Integration::new(&problem).method(method).options(options);
    let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, t_end).unwrap();
    assert!(solution.is_success(), "{}", solution.status);
    for (value, reference) in solution.end_state.iter().zip(reference) {
        assert!((value / reference - 1.0).abs() < 1e-4, "{value:e} {reference:e}");
    }
}

/// The transistor amplifier, whose leading matrix is singular although every derivative occurs.
pub fn solves_a_circuit(method: Method, promise: Promise) {
    let (t_end, reference) = transistor_amplifier::REFERENCE;
    let solution =
        integrate(&transistor_amplifier::transistor_amplifier(), method, 1e-8, t_end, Record::At(vec![t_end]));
    assert!(solution.is_success(), "{}", solution.status);
    let digits = mixed_digits(&solution.end_state, &reference);
    assert!(digits >= promise.transistor_amplifier, "{digits} digits");
}

/// Dense output meets the steps, and follows the solution between them.
pub fn interpolates_continuously(method: Method, _: Promise) {
    let problem = manufactured::state_dependent_leading();
    let solution = integrate(&problem, method, 1e-8, 2.0, Record::Dense);
    let mut worst: f64 = 0.0;
    for pair in solution.times.windows(2) {
        let h = pair[1] - pair[0];
        for (inside, at) in [(pair[0] + 1e-9 * h, pair[0]), (pair[1] - 1e-9 * h, pair[1])] {
            let jump = largest_difference(&solution.at(inside).unwrap(), &solution.at(at).unwrap());
            assert!(jump < 1e-8 * h + 1e-13, "jump of {jump:e} at {at}");
        }
        let t = pair[0] + 0.37 * h;
        let exact = manufactured::state_dependent_leading_solution(t);
        worst = worst.max(largest_difference(&solution.at(t).unwrap(), &exact));
    }
    assert!(worst < 1e-5, "{worst:e}");
    assert_eq!(solution.at(-0.1), None);
    assert_eq!(solution.at(2.1), None);
    assert_eq!(solution.value("y1", 2.0), Some(solution.end_state[0]));
    assert_eq!(solution.value("nobody", 2.0), None);
}

/// Values at given times are there, in that order, as accurate as the steps.
pub fn records_the_times_asked_for(method: Method, _: Promise) {
    let times = vec![0.0, 0.1, 0.25, 0.25, 0.5];
    let solution = integrate(&steering_wheel::steering_wheel(), method, 1e-9, 0.5, Record::At(times.clone()));
    assert_eq!(solution.times, times);
    for (t, reference) in &steering_wheel::REFERENCE {
        let state = solution.at(*t).unwrap();
        let error = largest_difference(&state[..2], &reference[..2]);
        assert!(error < 1e-7, "{error:e} at {t}");
    }
    let backwards = Integration::new(&steering_wheel::steering_wheel()).record(Record::At(vec![0.2, 0.1])).run_from(
        0.0,
        &[0.0, 1.0, 0.6],
        &[1.7, 0.0, 0.0],
        0.5,
    );
    assert!(matches!(backwards, Err(Failure::InvalidOption { .. })));
}

/// A residual that stops being a number ends the run just before, with the name of the equation.
pub fn names_what_is_not_finite(method: Method, _: Promise) {
    let solution = integrate(&stiff::end_of_domain(), method, 1e-6, 2.0, Record::Steps);
    let Status::Stopped(Failure::StepSizeTooSmall { t, cause: StepCause::NonFinite { equation }, .. }) =
        &solution.status
    else {
        panic!("{}", solution.status)
    };
    assert!((t - 1.0).abs() < 1e-6 && equation == "equation 2", "{t} {equation}");
    assert!(solution.times.len() > 1 && solution.end_time == *t);
    assert!(solution.iter().all(|(_, state)| state.iter().all(|x| x.is_finite())));

    let problem = stiff::end_of_domain();
    let integration = Integration::new(&problem).method(method);
    let solution = integration.run_from(1.5, &[1.0, 1.0], &[-1.0, 0.0], 2.0).unwrap();
    let Status::Stopped(Failure::NonFinite { t, equations }) = &solution.status else { panic!("{}", solution.status) };
    assert_eq!((*t, equations.as_slice()), (1.5, &["equation 2".into()][..]));
}

/// A system that does not determine its unknowns is refused with names.
pub fn names_what_makes_the_matrix_singular(method: Method, _: Promise) {
    let solution = integrate(&stiff::underdetermined(), method, 1e-6, 1.0, Record::Steps);
    let Status::Stopped(Failure::SingularIterationMatrix { t, equation, unknown }) = &solution.status else {
        panic!("{}", solution.status)
    };
    assert_eq!(*t, 0.0);
    assert!(["equation 2", "equation 3"].contains(&&**equation), "{equation}");
    assert!(["z", "w"].contains(&&**unknown), "{unknown}");
}

/// Where the solution becomes infinite, or ceases to exist, the run ends.
pub fn stops_where_the_solution_ends(method: Method, _: Promise) {
    let solution = integrate(&stiff::blow_up(), method, 1e-6, 2.0, Record::Steps);
    assert!(matches!(solution.status, Status::Stopped(Failure::StepSizeTooSmall { .. })), "{}", solution.status);
    assert!((solution.end_time - 1.0).abs() < 1e-4, "{}", solution.end_time);
    assert!(solution.end_state[0] > 1e3 && solution.end_state[0].is_finite());
}

/// Misuse is an error, not a solution.
pub fn rejects_options_without_meaning(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(10.0);
    let run = |options: Options, y0: &[f64], t_end: f64| {
        Integration::new(&problem).method(method).options(options).run_from(0.0, y0, &[0.0], t_end).map(|s| s.status)
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
        Options { max_order: Some(6), ..defaults() },
    ] {
        assert!(matches!(run(options.clone(), &[1.0], 1.0), Err(Failure::InvalidOption { .. })), "{options:?}");
    }
    assert!(matches!(run(defaults(), &[1.0, 2.0], 1.0), Err(Failure::InvalidOption { .. })));
    assert!(matches!(run(defaults(), &[f64::NAN], 1.0), Err(Failure::InvalidOption { .. })));
    assert!(matches!(run(defaults(), &[1.0], f64::INFINITY), Err(Failure::InvalidOption { .. })));
    assert_eq!(run(defaults(), &[1.0], 1.0), Ok(Status::Success));
}

/// Bounds on steps hold, and an observer can end a run; what was computed stays.
pub fn honours_bounds_and_observers(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Index1);
    let start = |integration: Integration<'_, '_>| {
        integration.method(method).run_from(0.0, &problem.y0, &problem.yp0, 10.0).unwrap()
    };
    let solution = start(Integration::new(&problem).max_steps(7));
    assert!(matches!(solution.status, Status::Stopped(Failure::TooManySteps { max_steps: 7, .. })));
    assert_eq!(solution.times.len(), 8);

    // What keeps steps short is told.
    let stiff = stiff::decay_and_oscillation();
    let limit = |integration: Integration<'_, '_>| {
        let run = integration.method(method).max_steps(50).run_from(0.0, &stiff.y0, &stiff.yp0, 100.0).unwrap();
        let Status::Stopped(Failure::TooManySteps { h, unknown, .. }) = run.status else { panic!("{:?}", run.status) };
        (h, unknown)
    };
    let (h, unknown) = limit(Integration::new(&stiff).rtol(1e-6).atol(1e-6));
    assert!(unknown.is_some_and(|name| ["u", "v"].contains(&name.as_ref())) && (1e-5..0.1).contains(&h), "{h}");
    assert_eq!(limit(Integration::new(&stiff).max_step(1e-4)), (1e-4, None));
    assert_eq!(limit(Integration::new(&stiff).fixed_step(1e-3)), (1e-3, None));

    let solution = start(Integration::new(&problem).max_step(0.01));
    assert!(solution.is_success());
    assert!(solution.times.windows(2).all(|pair| pair[1] - pair[0] < 0.01 * 1.02));

    let mut calls = 0;
    let mut observer = |_t: f64| {
        calls += 1;
        if calls == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let solution = start(Integration::new(&problem).on_step(&mut observer));
    assert_eq!((solution.status.clone(), solution.times.len()), (Status::Interrupted, 6));
    assert_eq!(solution.column("x").map(|x| x.len()), Some(6));
}

/// A polynomial of degree three is integrated exactly: both methods are of that order at least from the first step on.
pub fn reproduces_cubics(method: Method, _: Promise) {
    for t_end in [2.0, -2.0] {
        let solution = integrate(&stiff::cubic(), method, 1e-6, t_end, Record::Steps);
        let exact = t_end.powi(3) - t_end.powi(2) + 1.0;
        let error = largest_difference(&solution.end_state, &[exact, 2.0 * exact]);
        assert!(solution.is_success() && error < 1e-12, "{error:e}");
    }
}

/// Zero for a relative tolerance leaves the absolute one.
pub fn takes_absolute_tolerances_alone(method: Method, promise: Promise) {
    for atol in [1e-5, 1e-8] {
        let problem = stiff::prothero_robinson(20.0);
        let integration = Integration::new(&problem).method(method).rtol(0.0).atol(atol);
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 3.0).unwrap();
        let error = (solution.end_state[0] - 3f64.cos()).abs();
        assert!(solution.is_success() && error < promise.error_per_tolerance * atol, "{atol:e}: {error:e}");
    }
}

/// A tiny step between two outputs harms neither what follows nor the number of steps.
pub fn survives_output_times_that_nearly_coincide(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    let steps = |times: &[f64]| {
        let solution = integrate(&problem, method, 1e-7, 3.0, Record::At(times.to_vec()));
        assert!(solution.is_success(), "{}", solution.status);
        let error = (solution.end_state[0] - 3f64.cos()).abs();
        assert!(error < 1e-5, "{error:e}");
        solution.statistics.steps
    };
    let (one, two) = (steps(&[1.0, 3.0]), steps(&[1.0, 1.0 + 1e-12, 3.0]));
    assert!(two <= one + 20, "{two} and {one} steps");
}

/// The residual has a value at the start, its derivative has none.
pub fn starts_where_a_jacobian_has_no_value(method: Method, _: Promise) {
    let solution = integrate(&stiff::root_at_start(), method, 1e-6, 4.0, Record::Steps);
    assert!(solution.is_success(), "{}", solution.status);
    assert!(largest_difference(&solution.end_state, &[4.0, 2.0]) < 1e-5, "{:?}", solution.end_state);
}

/// Counts fit to one another.
pub fn counts_its_work(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let solution = integrate(&problem, method, 1e-6, 5.0, Record::Steps);
    let s = solution.statistics;
    assert_eq!(s.steps + 1, solution.times.len());
    assert_eq!(s.rejected(), s.error_rejections + s.convergence_rejections + s.switch_rejections);
    assert!(s.residuals > s.steps && s.solves >= s.steps, "{s:?}");
    assert!(s.factorizations > 0 && s.jacobians > 0 && s.factorizations <= s.steps + s.rejected() + 1, "{s:?}");
}

/// Intervals near the resolution of numbers.
pub fn crosses_tiny_intervals(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    for (t0, t_end) in [(0.0, 1e-300), (0.0, -1e-300), (1.0, 1.0 + f64::EPSILON), (1.0, 1.0 - f64::EPSILON)] {
        let integration = Integration::new(&problem).method(method);
        let solution = integration.run_from(t0, &[f64::cos(t0)], &[-f64::sin(t0)], t_end).unwrap();
        assert!(solution.is_success() && solution.end_time == t_end, "{t_end:e}: {}", solution.status);
        assert!((solution.end_state[0] - t_end.cos()).abs() < 1e-15);
    }
}

/// A time that leaves few digits for steps.
pub fn runs_far_from_the_origin(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    let (t0, t_end) = (1e9, 1e9 + 3.0);
    let solution = Integration::new(&problem).method(method).run_from(t0, &[t0.cos()], &[-t0.sin()], t_end).unwrap();
    let error = (solution.end_state[0] - t_end.cos()).abs();
    assert!(solution.is_success() && error < 1e-4, "{}: {error:e}", solution.status);
}

/// Step by step it is the same run, and one that is left early has what was done until then.
pub fn goes_step_by_step(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let integration = || Integration::new(&problem).method(method);
    let whole = integration().run(0.0, 3.0).unwrap();
    let mut steps = integration().steps(0.0, 3.0).unwrap();
    for (t, state) in whole.iter() {
        let step = steps.next().expect("as many steps");
        assert_eq!((step.t, &*step.state), (t, state));
    }
    assert!(steps.next().is_none() && steps.next().is_none());
    let finished = steps.finish();
    assert_eq!((&finished.status, finished.statistics), (&Status::Success, whole.statistics));
    let mut steps = integration().record(Record::At(vec![0.0, 0.5, 1.0, 3.0])).steps(0.0, 3.0).unwrap();
    assert_eq!(steps.by_ref().take(3).map(|step| step.t).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    assert!((1.0..3.0).contains(&steps.time()));
    let left = steps.finish();
    assert_eq!((&left.status, &*left.times), (&Status::Interrupted, &[0.0, 0.5, 1.0][..]));
    assert!(left.statistics.steps > 3 && left.end_time >= 1.0);
    // What goes wrong ends the iteration.
    let stopped = integration().max_steps(2).steps(0.0, 3.0).unwrap();
    assert_eq!(stopped.count(), 3);
    let mut stopped = integration().max_steps(2).steps(0.0, 3.0).unwrap();
    stopped.by_ref().for_each(drop);
    assert!(matches!(stopped.finish().status, Status::Stopped(Failure::TooManySteps { max_steps: 2, .. })));
}

/// Between steps that are longer than its period an algebraic unknown is what the equations say, and so is what a constraint prescribes.
pub fn interpolates_what_errors_are_not_tested_for(method: Method, promise: Promise) {
    fn check<M: Model>(
        problem: &Problem<M>,
        method: Method,
        t_end: f64,
        bound: f64,
        error: impl Fn(f64, &[f64]) -> f64,
    ) {
        let times: Vec<f64> = (1..=1000).map(|i| t_end * f64::from(i) / 1000.0).collect();
        let at = integrate(problem, method, 1e-6, t_end, Record::At(times.clone()));
        for (t, state) in at.iter() {
            assert!(error(t, state) < bound, "t = {t}: {:e}", error(t, state));
        }
        // Dense output of Radau IIA is less accurate than its steps.
        let dense = integrate(problem, method, 1e-6, t_end, Record::Dense);
        for (t, state) in times.iter().map(|&t| (t, dense.at(t).unwrap())) {
            assert!(error(t, &state) < 1e-4, "t = {t}: {:e}", error(t, &state));
        }
    }
    let bound = promise.error_per_tolerance * 1e-6;
    check(&stiff::signal(), method, 3.0, bound, |t, state| {
        (state[0] - (-t).exp()).abs().max((state[1] - (100.0 * t).sin()).abs())
    });
    let current = stiff::driven_capacitor_current;
    check(&stiff::driven_capacitor(), method, 0.01, bound, |t, state| {
        (state[0] - (2000.0 * t).sin()).abs().max((state[1] - current(t)).abs())
    });
}
