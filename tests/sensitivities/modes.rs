//! Sensitivities and gradients across changes of mode, with jumps and impulses.

use super::*;

/// A motor behind a capacitor, and an inertia that is engaged at the start, released, and engaged again; the times are
/// parameters.
const CLUTCH: &str = "struct Drive {
    param j1 = 0.1; param j2 = 0.4; param r = 10; param c = 2; param k = 0.25; param v0 = 10;
    param off = 4; param on = 9; param spin = 10;
    var w1 = 0; var w2 = spin; var tau; var i; var v;
    j1 * der(w1) = k * i - tau;
    j2 * der(w2) = tau;
    v = k * w1;
    c * der(v) = (v0 - v) / r - i;
    modes clutch {
        free { tau = 0; when t < off || t >= on { clutch = engaged; } }
        engaged { w1 = w2; when t >= off && t < on { clutch = free; } }
    }
}";

/// A stone on a string that becomes taut with a jerk, and slack again where it no longer pulls.
const STRING: &str = "struct Stone {
    param g = 9.81; param l = 1; param speed = 2; param m = 0.7;
    var x = 0.2; var y = 0; var u ~ speed; var v ~ 1; var pull;
    start u = speed; start v = 1;
    der(x) = u; der(y) = v;
    m * der(u) = -pull * x; m * der(v) = -pull * y - m * g;
    modes string {
        slack { pull = 0; when x.powi(2) + y.powi(2) > l.powi(2) { string = taut; inelastic; } }
        taut { x.powi(2) + y.powi(2) = l.powi(2); when pull < 0 { string = slack; } }
    }
}";

/// A coil behind an ideal diode: the mode changes at zeros of the current and of the voltage.
const RECTIFIER: &str = "struct Rectifier {
    param l = 0.05; param r = 3; param amplitude = 5; param omega = 7; param c = 0.02;
    var i = 0; var u = 1; var v;
    l * der(i) = amplitude * sin(omega * t) - u + v;
    c * der(u) = i - u / r;
    complementary diode(i, v);
}";

/// Two modes are entered at one time, since the condition in the first holds there.
const CHAIN: &str = "struct Chain {
    param level = 1; param a = 0.5; param gain = 2;
    var x = 0; var y = 1; discrete n = 0;
    modes speed {
        slow { der(x) = y; der(y) = -a * y; when x > level { speed = middle; x = gain * pre(x); } }
        middle { der(x) = 3; der(y) = x; when x > 1.5 { speed = fast; n = pre(n) + 1; y = pre(y) + pre(x).powi(2); } }
        fast { der(x) = -x * y; der(y) = a + n; }
    }
}";

fn check(text: &str, (t_end, times): (f64, &[f64]), parameters: &[&str], unknowns: &[&str], changes: usize) {
    let case = Case { t_end, times, difference: 1e-3, events: &no_events };
    let mut count = 0;
    for form in ["original", "index1", "index2", "ggl", "underlying", "dummy"] {
        let Some(mut model) = available(text, form) else { continue };
        let expected: Vec<Values> = parameters.iter().map(|it| differences(model.as_mut(), it, &case)).collect();
        for method in METHODS {
            let run = || {
                let run = case.integration(model.as_ref(), method, 1e-10);
                run.sensitivities(parameters.iter().map(|it| it.to_string()))
            };
            let what = format!("{form} by {method:?}");
            let solution = match run().run(0.0, t_end) {
                Ok(solution) => solution,
                // BDF does not treat index 3.
                Err(RunError::Options(_) | RunError::Stopped { failure: Failure::UnsuitableMethod { .. }, .. }) => {
                    continue;
                }
                Err(error) => panic!("{what}: {error}"),
            };
            assert_eq!(solution.modes.len(), changes + 1, "{what}: {:?}", solution.modes);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, unknowns, 2e-6, &what);
            }
            let adjoint = run().adjoint(0.0, t_end).expect("consistent");
            for unknown in unknowns {
                let gradient = adjoint.gradient(unknown).expect("from sensitivities");
                for parameter in parameters {
                    let forward = solution.sensitivity_at(unknown, parameter, t_end).expect("recorded");
                    let found = gradient.by(parameter).expect("asked for");
                    assert!(
                        (found - forward).abs() <= 1e-12 * (1.0 + forward.abs()),
                        "{what}: {unknown} by {parameter}"
                    );
                }
            }
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn a_clutch() {
    let parameters = ["j1", "j2", "r", "c", "k", "v0", "off", "on", "spin"];
    check(CLUTCH, (15.0, &[2.0, 6.0, 12.0, 15.0]), &parameters, &["w1", "w2"], 3);
}

#[test]
fn a_string_that_becomes_taut() {
    check(STRING, (1.0, &[0.2, 0.6, 1.0]), &["g", "l", "speed", "m"], &["x", "y", "u", "v"], 1);
}

#[test]
fn an_ideal_diode() {
    check(RECTIFIER, (2.0, &[0.3, 0.9, 1.4, 2.0]), &["l", "r", "amplitude", "omega", "c"], &["i", "u"], 5);
}

#[test]
fn modes_that_follow_one_another_at_once() {
    check(CHAIN, (3.0, &[1.0, 2.0, 3.0]), &["level", "a", "gain"], &["x", "y", "n"], 2);
}

/// A ball at rest from the limit of its impacts on: the time of the limit has derivatives, which move what follows.
#[test]
fn the_limit_of_impacts() {
    let text = "struct Ball {
        param h0 = 1; param e = 0.7; param g = 9.81;
        var h = h0; var v = 0; var s = 0; discrete rest = 0;
        der(h) = v; der(v) = -g * (1 - rest); der(s) = 1 - rest;
        when h < 0 { v = -e * pre(v); limit { v = 0; h = 0; rest = 1; } }
    }";
    let ball = system(text, "index1");
    // The sum of all intervals is sqrt(2 h0/g) (1 + e)/(1 - e).
    let (fall, sum) = ((2.0_f64 / 9.81).sqrt(), 1.7 / 0.3);
    let expected = [("h0", fall * sum / 2.0), ("e", fall * 2.0 / 0.09), ("g", -fall * sum / (2.0 * 9.81))];
    for method in METHODS {
        let run =
            || Integration::new(ball.as_ref()).method(method).rtol(1e-10).atol(1e-10).sensitivities(["h0", "e", "g"]);
        let solution = run().run(0.0, 4.0).expect("a ball at rest");
        let last = solution.occurrences.last().expect("impacts");
        for (k, (parameter, expected)) in expected.iter().enumerate() {
            let found = solution.sensitivity_at("s", parameter, 4.0).expect("recorded");
            for found in [found, last.time_derivatives[k]] {
                assert!(
                    (found - expected).abs() < 1e-5 * expected.abs(),
                    "{method:?}: {parameter}: {found}, not {expected}"
                );
            }
        }
        // The way back knows no times before the last impact.
        let error = run().adjoint(0.0, 4.0).expect_err("no way back");
        assert!(matches!(error, RunError::Stopped { failure: Failure::NotDifferentiable { .. }, .. }), "{error}");
    }
}

/// Where a constraint that begins to hold has a kink in time, at a time that depends on the quantity, its derivatives from
/// the two sides differ: there is no derivative, and none is made up.
#[test]
fn a_kink_in_time_at_a_change() {
    let text = "struct A {
        param on = 1; var x = 0; var f;
        der(x) = f;
        modes state { free { f = 0; when t >= on { state = bound; } } bound { x = max(t - on, 0); } }
    }";
    for method in METHODS {
        let dae = system(text, "index1");
        let run = || Integration::new(dae.as_ref()).method(method).rtol(1e-8).atol(1e-8);
        assert!(run().run(0.0, 2.0).expect("a solution").is_success());
        let error = run().sensitivities(["on"]).run(0.0, 2.0).expect_err("no derivative");
        assert!(matches!(error, RunError::Stopped { failure: Failure::NotDifferentiable { .. }, .. }), "{error}");
    }
}
