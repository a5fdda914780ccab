//! Accuracy of the values at the ends of steps.

use dae_runtime::solve::{Integration, Method, Record};
use dae_runtime::stepper::{Options, Tolerance};

use super::{Promise, integrate, largest_difference, suited};
use crate::problems::{manufactured, mixed_digits, pendulum, stiff, transistor_amplifier};

/// A leading matrix that depends on the state, an equation nonlinear in the derivative, and stiffness: the error is at
/// most the promised multiple of the tolerance, and not absurdly small.
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

/// With a relative tolerance of zero, the absolute tolerance alone controls the error.
pub fn takes_absolute_tolerances_alone(method: Method, promise: Promise) {
    for atol in [1e-5, 1e-8] {
        let problem = stiff::prothero_robinson(20.0);
        let form = suited(&problem, method);
        let integration = Integration::new(form.as_ref()).method(method).rtol(0.0).atol(atol);
        let solution = integration.run_from(0.0, &problem.y0, &problem.yp0, 3.0).unwrap();
        let error = (solution.end_state[0] - 3f64.cos()).abs();
        assert!(solution.is_success() && error < promise.error_per_tolerance * atol, "{atol:e}: {error:e}");
    }
}

/// The GGL pendulum: the promised digits at every reference time, and both constraints satisfied to rounding error
/// after every step, whatever the tolerance.
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

/// Robertson's kinetics up to $t = 10^{11}$.
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

/// Cubics are integrated exactly: every method has order 3 or higher from the first step on, since BDF starts with
/// Radau IIA.
pub fn reproduces_cubics(method: Method, _: Promise) {
    for t_end in [2.0, -2.0] {
        let solution = integrate(&stiff::cubic(), method, 1e-6, t_end, Record::Steps);
        let exact = t_end.powi(3) - t_end.powi(2) + 1.0;
        let error = largest_difference(&solution.end_state, &[exact, 2.0 * exact]);
        assert!(solution.is_success() && error < 1e-12, "{error:e}");
    }
}

/// The error is roughly proportional to the tolerance: the mean logarithmic slope over eight pairs of tolerances two
/// decades apart is near 1.
pub fn error_is_proportional_to_tolerance(method: Method, _: Promise) {
    let slope = |error: &dyn Fn(f64) -> f64| {
        let (mut sum, mut count) = (0.0, 0.0);
        for step in 0..8 {
            let tolerance = 10f64.powf(-4.0 - 0.5 * f64::from(step));
            sum += (error(tolerance) / error(1e-2 * tolerance)).log10() / 2.0;
            count += 1.0;
        }
        sum / count
    };
    let quasilinear = manufactured::state_dependent_leading();
    let exact = manufactured::state_dependent_leading_solution(3.0);
    let stiff = stiff::prothero_robinson(20.0);
    let slopes = [
        slope(&|tolerance| {
            let solution = integrate(&quasilinear, method, tolerance, 3.0, Record::At(vec![3.0]));
            largest_difference(&solution.end_state, &exact)
        }),
        slope(&|tolerance| {
            let solution = integrate(&stiff, method, tolerance, 3.0, Record::At(vec![3.0]));
            (solution.end_state[0] - 3f64.cos()).abs()
        }),
    ];
    assert!(slopes.iter().all(|slope| (0.65..1.25).contains(slope)), "{slopes:?}");
}

/// A run stays the same if some unknowns are given in other units, together with their nominal values.
pub fn does_not_depend_on_units(method: Method, _: Promise) {
    let run = |unit: f64| {
        let problem = stiff::decay_and_oscillation().with_nominal(&[1.0, unit, unit]);
        let scale = |values: &[f64]| vec![values[0], unit * values[1], unit * values[2]];
        let form = suited(&problem, method);
        let integration = Integration::new(form.as_ref()).method(method).rtol(0.0).atol(1e-9);
        let solution = integration.run_from(0.0, &scale(&problem.y0), &scale(&problem.yp0), 1.0).unwrap();
        assert!(solution.is_success());
        (solution.statistics, scale(&solution.end_state)[1] / unit.powi(2))
    };
    let (plain, thousands) = (run(1.0), run(1024.0));
    assert_eq!(plain.0, thousands.0);
    assert!((plain.1 - thousands.1).abs() < 1e-13, "{} {}", plain.1, thousands.1);
    // If the nominal values are not scaled with the unknowns, the run differs.
    let problem = stiff::decay_and_oscillation();
    let large = problem.y0.iter().map(|y| 1024.0 * y).collect::<Vec<_>>();
    let slopes = problem.yp0.iter().map(|y| 1024.0 * y).collect::<Vec<_>>();
    let form = suited(&problem, method);
    let integration = Integration::new(form.as_ref()).method(method).rtol(0.0).atol(1e-9);
    let other = integration.run_from(0.0, &large, &slopes, 1.0).unwrap();
    assert!(2 * other.statistics.steps > 3 * plain.0.steps, "{:?} {:?}", other.statistics, plain.0);
}
