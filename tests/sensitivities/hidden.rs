//! Unknowns that only hidden equations determine: their derivatives are as accurate as those of the states.
//!
//! In: circuits of index 2 and a pendulum, with derivatives in closed form, by complex steps or by extrapolated
//! differences. Out: forward and adjoint derivatives of every unknown, as accurate as the solution.

use super::complex_step::{Pendulum, derivatives};
use super::*;
use dae::runtime::contract::Unknown;

const TOLERANCES: [f64; 2] = [1e-6, 1e-9];

/// Checks the derivatives at the end with respect to all quantities `by`, forwards and backwards, to within ten times
/// the tolerance, or ten times the error of the solution in unknowns of index up to 2 where that is larger: errors of
/// many steps add up.
fn check(
    (system, exact): (&dyn Dae, &Solution),
    (method, tolerance): (Method, f64),
    t_end: f64,
    by: &[&'static str],
    expected: &[(&str, Vec<f64>)],
    what: &str,
) {
    let run = || Integration::new(system).method(method).rtol(tolerance).atol(tolerance);
    let solution = run().sensitivities(by.iter().copied()).run(0.0, t_end).expect("consistent");
    assert!(solution.is_success(), "{what}: {}", solution.status);
    let states = system.description().unknowns.iter().enumerate();
    let error = |(k, unknown): (usize, &Unknown)| {
        let exact = exact.value(&unknown.name, t_end).filter(|_| unknown.index < 3);
        exact.map_or(0.0, |exact| (solution.end_state[k] - exact).abs() / (1.0 + exact.abs()))
    };
    let unit = states.map(error).fold(tolerance, f64::max);
    let is_close = |found: f64, wanted: f64| (found - wanted).abs() <= 10.0 * unit * (1.0 + wanted.abs());
    for (unknown, wanted) in expected {
        for (by, wanted) in by.iter().zip(wanted) {
            let found = solution.sensitivity_at(unknown, by, t_end).expect("asked for");
            assert!(is_close(found, *wanted), "{what} at {tolerance:e}: {unknown} by {by}: {found}, {wanted}");
        }
    }
    let adjoint = run().sensitivities(by.iter().copied()).adjoint(0.0, t_end).expect("consistent");
    for (unknown, wanted) in expected {
        let gradient = adjoint.gradient(unknown).unwrap_or_else(|error| panic!("{what}: {unknown}: {error}"));
        for (by, wanted) in by.iter().zip(wanted) {
            let found = gradient.by(by).expect("asked for");
            assert!(
                is_close(found, *wanted),
                "{what} at {tolerance:e}, backwards: {unknown} by {by}: {found}, {wanted}"
            );
        }
    }
}

/// The solution at a tolerance near rounding errors.
fn exact(text: &str, t_end: f64) -> Solution {
    let reduced = system(text, "index1");
    let run = Integration::new(reduced.as_ref()).method(Method::Radau).rtol(REFERENCE).atol(REFERENCE);
    run.run(0.0, t_end).expect("consistent")
}

/// A voltage source across a capacitor, and a state that the current drives.
#[test]
fn a_capacitor_across_a_source() {
    let text = "struct Circuit { param om = 3; param c = 0.7; var v; var i; var z = 0.5; \
        v = sin(om * t); c * der(v) = i; der(z) = i - z; }";
    let (om, c, t): (f64, f64, f64) = (3.0, 0.7, 2.0);
    let (sin, cos, decay) = ((om * t).sin(), (om * t).cos(), (-t).exp());
    // z = (z0 - c s) e^-t + c s (cos + om sin) with s = om / (1 + om^2).
    let (s, by_om) = (om / (1.0 + om * om), (1.0 - om * om) / (1.0 + om * om).powi(2));
    let moving = cos + om * sin;
    let z_by_om = c * by_om * (moving - decay) + c * s * (sin - t * sin + om * t * cos);
    let expected = [
        ("v", vec![0.0, t * cos, 0.0]),
        ("i", vec![om * cos, c * cos - c * om * t * sin, 0.0]),
        ("z", vec![s * (moving - decay), z_by_om, decay]),
    ];
    let exact = exact(text, t);
    for form in ["index1", "ggl", "original"] {
        let circuit = system(text, form);
        for method in METHODS {
            for tolerance in TOLERANCES {
                let what = format!("{form} by {method:?}");
                check((circuit.as_ref(), &exact), (method, tolerance), t, &["c", "om", "z"], &expected, &what);
            }
        }
    }
}

/// Three meshes fed by a source with a capacitor across it; derivatives with respect to all ten elements.
#[test]
fn a_network_by_all_its_elements() {
    let text = "struct Network { param r1 = 0.8; param r2 = 1.7; param r3 = 0.6; param l1 = 0.5; param l2 = 0.9; param l3 = 1.2; \
        param c1 = 0.7; param c2 = 0.4; param c3 = 1.1; param c4 = 0.6; \
        var u; var i; var i1; var j1 = 0.1; var j2 = 0; var j3 = -0.1; var u2 = 0.3; var u3 = 0; var u4 = 0.2; \
        u = sin(2 * t); c1 * der(u) = i1; i = i1 + j1; \
        l1 * der(j1) = u - u2 - r1 * j1; c2 * der(u2) = j1 - j2; \
        l2 * der(j2) = u2 - u3 - r2 * j2; c3 * der(u3) = j2 - j3; \
        l3 * der(j3) = u3 - u4; c4 * der(u4) = j3 - u4 / r3; }";
    let by = ["r1", "r2", "r3", "l1", "l2", "l3", "c1", "c2", "c3", "c4"];
    let unknowns = ["u", "i", "i1", "j1", "j2", "j3", "u2", "u3", "u4"];
    let case = Case { t_end: 3.0, times: &[3.0], difference: 2e-3, events: &no_events };
    let mut reduced = system(text, "index1");
    let names: Vec<String> = {
        let solution = case.integration(reduced.as_ref(), Method::Radau, 1e-6).run(0.0, 3.0).expect("consistent");
        solution.names.iter().map(ToString::to_string).collect()
    };
    let differences: Vec<Values> = by.iter().map(|by| differences(reduced.as_mut(), by, &case)).collect();
    let expected = unknowns.map(|unknown| {
        let k = names.iter().position(|name| name == unknown).expect("an unknown");
        (unknown, differences.iter().map(|by| by.states[0][k]).collect())
    });
    let exact = exact(text, case.t_end);
    for form in ["ggl", "index1", "original"] {
        let network = system(text, form);
        for method in METHODS {
            for tolerance in TOLERANCES {
                let what = format!("{form} by {method:?}");
                check((network.as_ref(), &exact), (method, tolerance), case.t_end, &by, &expected, &what);
            }
        }
    }
}

/// Every unknown of a pendulum, including the force in its rod. BDF is left out: its errors add up to more than ten
/// tolerances.
#[test]
fn a_pendulum_in_six_forms() {
    let by = ["g", "l", "y0"];
    let t_end = 0.4;
    let columns = [0, 1, 2].map(|k| derivatives(Pendulum::at_height, [9.81, 1.0, 0.1], k, &[t_end]));
    let exact = exact(PENDULUM, t_end);
    for form in ["original", "index1", "index2", "ggl", "dummy", "baumgarte:20"] {
        let pendulum = system(PENDULUM, form);
        let solution = Integration::new(pendulum.as_ref()).run(0.0, 0.0).expect("consistent");
        let expected = ["x", "y", "u", "v", "lambda"].map(|unknown| {
            let k = solution.names.iter().position(|name| name == unknown).expect("an unknown");
            (unknown, columns.iter().map(|column| column.states[0][k]).collect())
        });
        for method in [Method::Radau5, Method::Radau] {
            for tolerance in TOLERANCES {
                let what = format!("{form} by {method:?}");
                check((pendulum.as_ref(), &exact), (method, tolerance), t_end, &by, &expected, &what);
            }
        }
    }
}
