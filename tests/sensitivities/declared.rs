//! Sensitivities and gradients across events that the text of a model declares.

use super::*;

/// A wall that moves, a coefficient of restitution, a threshold and an amount that are parameters, and a time that is one.
const KICKED: &str = "struct Kicked {
    param e = 0.7; param wall = -0.4; param speed = 0.05; param threshold = 0.3; param kick = 0.2; param when_at = 1.1;
    var x = 1; var v = 0; var w; discrete last = 0; discrete n = 0;
    der(x) = v;
    der(v) = -x - 0.1 * last * v;
    w = x * v + last;
    when x < wall + speed * t { v = speed - e * (pre(v) - speed); last = kick * pre(v).powi(2); }
    when v > threshold { n = pre(n) + 1; v = pre(v) + kick; }
    when t >= when_at { last = hold(n) * kick + pre(last); }
}";

#[test]
fn sensitivities_pass_declared_events() {
    let case = Case { t_end: 4.0, times: &[0.5, 1.05, 1.6, 2.5, 4.0], difference: 1e-3, events: &no_events };
    let parameters = ["e", "wall", "speed", "threshold", "kick", "when_at"];
    for form in ["index1", "underlying"] {
        let mut kicked = system(KICKED, form);
        let expected = parameters.map(|parameter| differences(kicked.as_mut(), parameter, &case));
        assert!(expected[0].events.len() >= 3, "{} events", expected[0].events.len());
        for method in METHODS {
            let run = case.integration(kicked.as_ref(), method, 1e-10).sensitivities(parameters);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{form} by {method:?}: {}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                let what = format!("{form} by {method:?}");
                compare(&solution, parameter, expected, &["x", "v", "w", "last"], 1e-6, &what);
            }
        }
    }
}

#[test]
fn adjoint_gradients_pass_declared_events() {
    let by = ["e", "wall", "threshold", "kick", "when_at", "x"];
    // A change that makes the next condition true at once has no way back.
    let text = KICKED.replace("when v > threshold {", "when v > threshold && x > 0 {");
    let kicked = system(&text, "index1");
    for method in METHODS {
        let run = || Integration::new(kicked.as_ref()).method(method).rtol(1e-10).atol(1e-10).sensitivities(by);
        let (forward, adjoint) =
            (run().run(0.0, 4.0).expect("consistent"), run().adjoint(0.0, 4.0).expect("consistent"));
        for unknown in ["x", "v", "last"] {
            let gradient = adjoint.gradient(unknown).expect("a way back");
            for name in by {
                let expected = forward.sensitivity_at(unknown, name, 4.0).expect("recorded");
                let found = gradient.by(name).expect("asked for");
                assert!(
                    (found - expected).abs() <= 1e-6 * (1.0 + expected.abs()),
                    "{method:?}: {unknown} by {name}: {found} instead of {expected}"
                );
            }
        }
    }
}

/// A period that is a parameter moves every sample: there are no derivatives with respect to it, and those with respect
/// to others are right.
#[test]
fn periods_have_no_derivatives() {
    let text = "struct Sampled { param gain = 2; param period = 0.25; var x = 0.2; discrete u = 0; der(x) = -x + u;
        when sample(period) { u = gain * (1 - pre(x)); } }";
    let mut sampled = system(text, "index1");
    let case = Case { t_end: 1.1, times: &[0.6, 1.1], difference: 1e-3, events: &no_events };
    let expected = differences(sampled.as_mut(), "gain", &case);
    let run = case.integration(sampled.as_ref(), Method::Radau, 1e-10).sensitivities(["gain"]);
    compare(&run.run(0.0, 1.1).expect("consistent"), "gain", &expected, &["x", "u"], 1e-7, "gain");
    let run = case.integration(sampled.as_ref(), Method::Radau, 1e-10).sensitivities(["period"]);
    let error = run.run(0.0, 1.1).unwrap_err();
    assert!(matches!(error, RunError::Stopped { failure: Failure::NotDifferentiable { .. }, .. }), "{error}");
}

/// A change that leaves all values as they are at the given parameters has derivatives nevertheless.
#[test]
fn changes_of_nothing_have_derivatives() {
    let text =
        "struct A { param gain = 1; var x = 0; var v = 1; der(x) = v; der(v) = 0; when x > 1 { v = gain * pre(v); } }";
    let line = system(text, "index1");
    for method in METHODS {
        let run = Integration::new(line.as_ref()).method(method).rtol(1e-9).atol(1e-9).sensitivities(["gain"]);
        let solution = run.run(0.0, 3.0).expect("consistent");
        for (name, expected) in [("v", 1.0), ("x", 2.0)] {
            let found = solution.sensitivity_at(name, "gain", 3.0).expect("recorded");
            assert!((found - expected).abs() < 1e-7, "{method:?}: {name} by gain: {found}");
        }
    }
}

/// An event on an unknown that jumps where the equations do occurs as the switch is passed: the derivatives of its time are
/// not those of its own function, and none are given.
#[test]
fn events_on_what_jumps_have_no_derivatives() {
    let jump = "param p = 1; var x = 0; var a; var y = 0; der(x) = p; der(y) = 1; a = if x > 1 { 3 } else { 1 };";
    for event in ["when a > 2 { y = 5; }", "when a > 2 { note \"beyond\"; }"] {
        let system = system(&format!("struct M {{ {jump} {event} }}"), "index1");
        let error = Integration::new(system.as_ref()).sensitivities(["p"]).run(0.0, 3.0).expect_err("no derivative");
        assert!(matches!(error, RunError::Stopped { failure: Failure::NotDifferentiable { .. }, .. }), "{error}");
    }
}
