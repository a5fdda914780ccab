//! The course of runs: their intervals, steps, limits, observers and counts.

use std::ops::ControlFlow;

use dae_runtime::solution::Status;
use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::stepper::{Failure, Options};

use super::{Promise, integrate, largest_difference, pendulum_for, suited};
use crate::problems::{mixed_digits, pendulum, steering_wheel, stiff};

/// The last time is exactly the end time, and the times increase strictly.
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

/// A run forwards, and then one backwards from its end, leads to the start.
pub fn runs_backwards(method: Method, _: Promise) {
    let problem = pendulum_for(method);
    let form = suited(&problem, method);
    let there = integrate(&problem, method, 1e-9, 2.0, Record::Steps);
    let back = Integration::new(form.as_ref()).method(method).rtol(1e-9).atol(1e-9);
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

/// Intervals near the resolution of floating-point numbers.
pub fn crosses_tiny_intervals(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    let form = suited(&problem, method);
    for (t0, t_end) in [(0.0, 1e-300), (0.0, -1e-300), (1.0, 1.0 + f64::EPSILON), (1.0, 1.0 - f64::EPSILON)] {
        let integration = Integration::new(form.as_ref()).method(method);
        let solution = integration.run_from(t0, &[f64::cos(t0)], &[-f64::sin(t0)], t_end).unwrap();
        assert!(solution.is_success() && solution.end_time == t_end, "{t_end:e}: {}", solution.status);
        assert!((solution.end_state[0] - t_end.cos()).abs() < 1e-15);
    }
}

/// Times so large that they leave few digits for the steps.
pub fn runs_far_from_the_origin(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    let (t0, t_end) = (1e9, 1e9 + 3.0);
    let form = suited(&problem, method);
    let integration = Integration::new(form.as_ref()).method(method);
    let solution = integration.run_from(t0, &[t0.cos()], &[-t0.sin()], t_end).unwrap();
    let error = (solution.end_state[0] - t_end.cos()).abs();
    assert!(solution.is_success() && error < 1e-4, "{}: {error:e}", solution.status);
}

/// A run made step by step has the same results as one made at once; if abandoned early, it keeps those obtained.
pub fn goes_step_by_step(method: Method, _: Promise) {
    let problem = pendulum_for(method);
    let form = suited(&problem, method);
    let integration = || Integration::new(form.as_ref()).method(method);
    let whole = integration().run(0.0, 3.0).unwrap();
    let mut steps = integration().steps(0.0, 3.0).unwrap();
    for (t, state) in whole.iter() {
        let step = steps.next().expect("as many steps");
        assert_eq!((step.t, &*step.state), (t, state));
    }
    assert!(steps.next().is_none() && steps.next().is_none());
    let finished = steps.finish().unwrap();
    assert_eq!((&finished.status, finished.statistics), (&Status::Success, whole.statistics));
    let mut steps = integration().record(Record::At(vec![0.0, 0.5, 1.0, 3.0])).steps(0.0, 3.0).unwrap();
    assert_eq!(steps.by_ref().take(3).map(|step| step.t).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    assert!((1.0..3.0).contains(&steps.time()));
    let left = steps.finish().unwrap();
    assert_eq!((&left.status, &*left.times), (&Status::Interrupted, &[0.0, 0.5, 1.0][..]));
    assert!((1..whole.statistics.steps).contains(&left.statistics.steps) && left.end_time >= 1.0);
    // A failure ends the iteration.
    let stopped = integration().max_steps(2).steps(0.0, 3.0).unwrap();
    assert_eq!(stopped.count(), 3);
    let mut stopped = integration().max_steps(2).steps(0.0, 3.0).unwrap();
    stopped.by_ref().for_each(drop);
    let error = stopped.finish().unwrap_err();
    assert!(matches!(error.failure(), Some(Failure::TooManySteps { max_steps: 2, .. })), "{error}");
    assert_eq!(error.solution().map(|solution| solution.times.len()), Some(3));
}

/// Limits on the number and length of steps hold, and an observer can end a run; what was computed is kept.
pub fn honours_bounds_and_observers(method: Method, _: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Index1);
    let form = suited(&problem, method);
    let start = |integration: Integration<'_, '_>| {
        let run = integration.method(method).run_from(0.0, &problem.y0, &problem.yp0, 10.0);
        run.or_else(RunError::into_solution).unwrap()
    };
    let solution = start(Integration::new(form.as_ref()).max_steps(7));
    assert!(matches!(solution.status, Status::Stopped(Failure::TooManySteps { max_steps: 7, .. })));
    assert_eq!(solution.times.len(), 8);

    // The failure says what keeps steps short.
    let stiff = stiff::decay_and_oscillation();
    let stiff_form = suited(&stiff, method);
    let limit = |integration: Integration<'_, '_>| {
        let run = integration.method(method).max_steps(50).run_from(0.0, &stiff.y0, &stiff.yp0, 100.0);
        let error = run.unwrap_err();
        let RunError::Stopped { failure: Failure::TooManySteps { h, unknown, .. }, .. } = error else {
            panic!("{error}")
        };
        (h, unknown)
    };
    let (h, unknown) = limit(Integration::new(stiff_form.as_ref()).rtol(1e-6).atol(1e-6));
    assert!(unknown.is_some_and(|name| ["u", "v"].contains(&name.as_ref())) && (1e-5..0.1).contains(&h), "{h}");
    assert_eq!(limit(Integration::new(stiff_form.as_ref()).max_step(1e-4)), (1e-4, None));
    assert_eq!(limit(Integration::new(stiff_form.as_ref()).fixed_step(1e-3)), (1e-3, None));

    let solution = start(Integration::new(form.as_ref()).max_step(0.01));
    assert!(solution.is_success());
    assert!(solution.times.windows(2).all(|pair| pair[1] - pair[0] < 0.01 * 1.0101));

    let mut calls = 0;
    let (mut last, mut seen) = (0.0, Vec::new());
    let solution = start(Integration::new(form.as_ref()).on_step(|step| {
        calls += 1;
        assert!((step.t - last - step.h).abs() < 1e-15 && step.h > 0.0 && step.derivative.len() == step.state.len());
        last = step.t;
        seen = step.state.to_vec();
        if calls == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    assert_eq!(solution.state(5).map(<[f64]>::to_vec), Some(seen));
    assert_eq!((solution.status.clone(), solution.times.len()), (Status::Interrupted, 6));
    assert_eq!(solution.column("x").map(|x| x.len()), Some(6));
}

/// Counts are consistent with one another and, except for a few evaluations at the start and the end, with those that
/// the model counts itself.
pub fn counts_its_work(method: Method, _: Promise) {
    let uncounted = |t_end: f64| {
        let problem = pendulum::pendulum(pendulum::Form::Ggl);
        let solution = integrate(&problem, method, 1e-6, t_end, Record::Steps);
        let s = solution.statistics;
        assert_eq!(s.steps + 1, solution.times.len());
        assert!(s.residuals > s.steps && s.solves >= s.steps, "{s:?}");
        assert!(s.factorizations > 0 && s.factorizations <= s.steps + s.rejected() + 1, "{s:?}");
        let [residuals, jacobians] = [0, 1].map(|function| problem.evaluations[function].get());
        [residuals - s.residuals, jacobians - s.jacobians]
    };
    let [short, long] = [1.0, 20.0].map(uncounted);
    assert!(short == long && short.iter().all(|&count| count <= 3), "{short:?} {long:?}");
}

/// Consecutive runs, each from the end of the one before, are as accurate as a single run.
pub fn goes_on_where_it_ended(method: Method, promise: Promise) {
    let problem = pendulum::pendulum(pendulum::Form::Ggl);
    let (mut y, mut yp, mut t) = (problem.y0.clone(), problem.yp0.clone(), 0.0);
    for (t_end, reference) in pendulum::REFERENCE.iter().filter(|(t, _)| *t > 0.0) {
        let integration = Integration::new(&problem).method(method).rtol(1e-11).atol(1e-11);
        let part = integration.run_from(t, &y, &yp, *t_end).unwrap();
        assert!(part.is_success(), "{}", part.status);
        let digits = mixed_digits(&part.end_state[..5], reference);
        assert!(digits >= promise.ggl, "{digits} digits at t = {t_end}");
        (y, yp, t) = (part.end_state, part.end_derivative, part.end_time);
    }
}

/// The first step has the requested length, provided that its error allows that.
pub fn begins_with_the_step_asked_for(method: Method, _: Promise) {
    let problem = stiff::prothero_robinson(5.0);
    let form = suited(&problem, method);
    for (h, t_end) in [(1e-3, 1.0), (2e-4, -1.0)] {
        let options = Options { initial_step: Some(h), ..Options::default() };
        let integration = Integration::new(form.as_ref()).method(method).options(options);
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, t_end).unwrap();
        assert_eq!(solution.times[1].abs(), h, "{:?}", solution.statistics);
    }
}

/// Jacobians and factorisations serve for many steps of a linear system with constant coefficients.
pub fn keeps_its_matrices(method: Method, _: Promise) {
    let problem = stiff::decay_and_oscillation();
    let solution = integrate(&problem, method, 1e-6, 3.0, Record::Steps);
    let s = solution.statistics;
    assert!(solution.is_success() && s.steps > 50, "{s:?}");
    assert!(10 * s.jacobians < s.steps && 3 * s.factorizations < s.steps, "{s:?}");
}
