//! Values between the ends of steps.

use std::f64::consts::TAU;

use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::stepper::{Failure, Options, Tolerance};

use super::{Promise, integrate, largest_difference, suited};
use crate::problems::{Model, Problem, manufactured, steering_wheel, stiff};

/// Dense output agrees with the states at the ends of steps, and follows the solution between them.
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

/// Accurate values are recorded at the times asked for, including repeated ones; times out of order are refused.
pub fn records_the_times_asked_for(method: Method, _: Promise) {
    let times = vec![0.0, 0.1, 0.25, 0.25, 0.5];
    let solution = integrate(&steering_wheel::steering_wheel(), method, 1e-9, 0.5, Record::At(times.clone()));
    assert_eq!(solution.times, times);
    for (t, reference) in &steering_wheel::REFERENCE {
        let state = solution.at(*t).unwrap();
        let error = largest_difference(&state[..2], &reference[..2]);
        assert!(error < 1e-7, "{error:e} at {t}");
    }
    // Times that are tiny compared with the length of the run: y2 begins as 0.04 t.
    let decades = vec![1e-6, 1e-5, 1.0, 1e11];
    let solution = integrate(&stiff::robertson(), method, 1e-9, 1e11, Record::At(decades.clone()));
    assert_eq!(solution.times, decades);
    for (t, allowed) in [(1e-6, 1e-8), (1e-5, 1e-8)] {
        let y2 = solution.at(t).unwrap()[1];
        assert!((y2 - 0.04 * t).abs() < allowed, "{y2:e} at {t:e}");
    }
    let backwards = Integration::new(&steering_wheel::steering_wheel()).record(Record::At(vec![0.2, 0.1])).run_from(
        0.0,
        &[0.0, 1.0, 0.6],
        &[1.7, 0.0, 0.0],
        0.5,
    );
    assert!(matches!(backwards, Err(RunError::Options(Failure::InvalidOption { .. }))));
}

/// Two output times that nearly coincide harm neither what follows nor the number of steps.
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

/// Between steps longer than its period, an oscillating algebraic unknown has the value that the equations determine.
pub fn interpolates_algebraic_unknowns(method: Method, promise: Promise) {
    for frequency in [100.0, 3000.0] {
        agrees_between_steps(&stiff::signal(frequency), method, 3.0, promise, |t, state| {
            (state[0] - (-t).exp()).abs().max((state[1] - (frequency * t).sin()).abs())
        });
    }
}

/// The same where the period divides the step: no sample of the step then differs from the value at its ends.
pub fn interpolates_periods_that_divide_a_step(method: Method, _: Promise) {
    for parts in [20.0, 40.0, 60.0, 840.0] {
        let frequency = TAU * parts / 0.1;
        let problem = stiff::signal(frequency);
        let form = suited(&problem, method);
        let integration = Integration::new(form.as_ref()).method(method).fixed_step(0.1).record(Record::Dense);
        let dense = integration.run_from(0.0, &problem.y0, &problem.yp0, 0.5).unwrap();
        for t in (0..1009).map(|i| 0.5 * f64::from(i) / 1009.0) {
            let error = (dense.at(t).unwrap()[1] - (frequency * t).sin()).abs();
            assert!(error < 1e-4, "{parts} periods in a step, t = {t}: {error:e}");
        }
    }
}

/// Between steps longer than its period, a state prescribed by a constraint has the value that the equations determine,
/// and so has its multiplier.
pub fn interpolates_prescribed_states(method: Method, promise: Promise) {
    let current = stiff::driven_capacitor_current;
    agrees_between_steps(&stiff::driven_capacitor(), method, 0.01, promise, |t, state| {
        (state[0] - (2000.0 * t).sin()).abs().max((state[1] - current(t)).abs())
    });
}

/// Compares recorded times and dense output with a known solution.
fn agrees_between_steps<M: Model>(
    problem: &Problem<M>,
    method: Method,
    t_end: f64,
    promise: Promise,
    error: impl Fn(f64, &[f64]) -> f64,
) {
    let times: Vec<f64> = (1..=1000).map(|i| t_end * f64::from(i) / 1000.0).collect();
    let at = integrate(problem, method, 1e-6, t_end, Record::At(times.clone()));
    for (t, state) in at.iter() {
        assert!(error(t, state) < promise.error_per_tolerance * 1e-6, "t = {t}: {:e}", error(t, state));
    }
    // Dense output of Radau IIA is less accurate than its steps.
    let dense = integrate(problem, method, 1e-6, t_end, Record::Dense);
    for (t, state) in times.iter().map(|&t| (t, dense.at(t).unwrap())) {
        assert!(error(t, &state) < 1e-4, "t = {t}: {:e}", error(t, &state));
    }
}

/// When the step is halved, the errors between steps decrease with the promised order.
pub fn interpolates_to_its_order(method: Method, promise: Promise) {
    let problem = manufactured::state_dependent_leading();
    let form = suited(&problem, method);
    let (max_order, steps, order) = promise.dense_output;
    let worst = |n: usize| {
        let options = Options { max_order, rtol: 1e-12, atol: Tolerance::Scalar(1e-12), ..Options::default() };
        let integration = Integration::new(form.as_ref()).method(method).options(options).fixed_step(1.0 / n as f64);
        let solution = integration.record(Record::Dense).run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap();
        let error = |t: f64| {
            let exact = manufactured::state_dependent_leading_solution(t);
            largest_difference(&solution.at(t).unwrap(), &exact)
        };
        (0..997).map(|i| error(f64::from(i) / 997.0)).fold(0.0, f64::max)
    };
    let found = (worst(steps) / worst(2 * steps)).log2();
    assert!((found - order).abs() < 0.5, "{found}");
}
