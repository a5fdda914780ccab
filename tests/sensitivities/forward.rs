//! Forward sensitivities: constraints, stiffness, components of a model, and derivatives that do not exist.

use super::complex_step::{Pendulum, derivatives};
use super::*;

/// Derivatives of a constrained motion and its multiplier with respect to gravity, to a start value, and to the length,
/// on which the consistent start values depend.
#[test]
fn a_pendulum_in_all_forms() {
    let case = Case { t_end: 2.0, times: &[0.0, 0.5, 1.0, 2.0], difference: 0.0, events: &no_events };
    let parameters = ["g", "l", "y0"];
    let expected = [0, 1, 2].map(|k| derivatives(Pendulum::at_height, [9.81, 1.0, 0.1], k, case.times));
    for form in [
        "index1",
        "index2",
        "ggl",
        "dummy",
        "state-space",
        "tangent",
        "pa",
        "baumgarte:20",
        "underlying",
        "derivative-array",
        "strangeness-free",
        "original",
    ] {
        // Multipliers converge more slowly where constraints are on velocities or positions (index 2 or 3).
        let (tolerance, of_states, of_multiplier) = match form {
            "original" => (1e-10, 1e-8, 1e-7),
            "index2" | "ggl" => (1e-13, 1e-7, 1e-7),
            _ => (1e-10, 1e-7, 1e-7),
        };
        let pendulum = system(PENDULUM, form);
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let what = format!("{form} by {method:?}");
            let run = case.integration(pendulum.as_ref(), method, tolerance).sensitivities(["g", "l", "y0", "y"]);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{what}: {}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "y", "u", "v"], of_states, &what);
                compare(&solution, parameter, expected, &["lambda"], of_multiplier, &what);
            }
            // The parameter `y0` is the start value of y.
            for name in ["x", "y", "u", "v"] {
                let [by_parameter, by_start] = ["y0", "y"].map(|by| solution.sensitivity(name, by).expect("asked for"));
                let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
                assert!(by_parameter.iter().zip(&by_start).all(close), "{what}: {by_parameter:?} {by_start:?}");
            }
        }
    }
}

/// The state is at rest and would allow steps of any length; its sensitivities do not.
#[test]
fn sensitivities_have_an_error_control_of_their_own() {
    let text = "struct Unstable { param a = 0; var x = 0; var z ~ 1; der(x) = x * (1 - x) + a; z = exp(x); }";
    let unstable = system(text, "index1");
    for method in METHODS {
        let run = Integration::new(unstable.as_ref()).method(method).rtol(1e-9).atol(1e-9);
        let solution = run.sensitivities(["x", "a"]).run(0.0, 8.0).expect("consistent");
        let (by_x, by_a) = (8f64.exp(), 8f64.exp() - 1.0);
        for (unknown, by, expected) in [("x", "x", by_x), ("x", "a", by_a), ("z", "x", by_x)] {
            let found = solution.sensitivity_at(unknown, by, 8.0).expect("recorded");
            assert!((found / expected - 1.0).abs() < 1e-7, "{method:?}: {unknown} by {by}: {found}, {expected}");
        }
    }
}

/// The quantities to differentiate by have to exist, and the solution has to have derivatives with respect to them.
#[test]
fn errors_name_what_is_in_the_way() {
    let pendulum = system(PENDULUM, "ggl");
    let run = |names: &[&'static str]| Integration::new(pendulum.as_ref()).sensitivities(names.iter().copied());
    let message = run(&["g", "m"]).run(0.0, 1.0).unwrap_err().to_string();
    assert_eq!(
        message,
        "`m` is neither a parameter nor an unknown with a start value; there are `g`, `l`, `y0`, `x`, `y`, `u`, `v`, `lambda`"
    );
    let message = run(&["g", "der(u)"]).run(0.0, 1.0).unwrap_err().to_string();
    assert!(message.starts_with("`der(u)` has no start value to differentiate by: it follows"), "{message}");
    let message = run(&["g"]).run_from(0.0, &[0.0; 6], &[0.0; 6], 1.0).unwrap_err().to_string();
    assert!(message.contains("use `run`"), "{message}");
    // Both coordinates are fixed, which is consistent with one length only.
    let fixed = system(&PENDULUM.replace("var x ~ 1", "var x = 1").replace("y0 = 0.1", "y0 = 0"), "ggl");
    let message = Integration::new(fixed.as_ref()).sensitivities(["l"]).run(0.0, 1.0).unwrap_err().to_string();
    assert_eq!(
        message,
        "no consistent initial values: equation 5 holds for one value of `l` only, since the start values of `x` and `y` are fixed; make \
         one a guess (`~`), or let it depend on `l`"
    );
    assert!(Integration::new(fixed.as_ref()).sensitivities(["g"]).run(0.0, 1.0).is_ok());
}

/// A stiff circuit whose parameters have very different magnitudes.
#[test]
fn a_transistor_amplifier() {
    let mut amplifier = system(include_str!("../../examples/models/transistor_amplifier.dae"), "original");
    let case = Case { t_end: 0.03, times: &[0.01, 0.03], difference: 5e-4, events: &no_events };
    let names = amplifier.description().parameters.to_vec();
    let by: Vec<&str> = names.iter().map(|name| &**name).collect();
    let unknowns: Vec<String> = amplifier.description().unknowns.iter().map(|it| it.name.to_string()).collect();
    let unknowns: Vec<&str> = unknowns.iter().map(|name| &**name).collect();
    let expected: Vec<Values> = by.iter().map(|name| differences(amplifier.as_mut(), name, &case)).collect();
    for method in METHODS {
        let run = case.integration(amplifier.as_ref(), method, 1e-10).sensitivities(names.iter().cloned());
        let solution = run.run(0.0, case.t_end).expect("consistent");
        assert!(solution.is_success(), "{}", solution.status);
        for (name, expected) in by.iter().zip(&expected) {
            compare(&solution, name, expected, &unknowns, 1e-7, &format!("{method:?}"));
        }
    }
}

/// The derivatives of the start values of one component of a model do not depend on other components.
#[test]
fn parts_of_a_model_start_by_themselves() {
    let pendulum = |n: u32, starts: &str| {
        format!(
            "{starts} var lam{n}; der(x{n}) = u{n}; der(y{n}) = v{n}; der(u{n}) = -lam{n}*x{n}; der(v{n}) = -lam{n}*y{n} - 1; 0 = x{n}*x{n} + y{n}*y{n} - 1;"
        )
    };
    let free = pendulum(1, "var x1 ~ 0; var y1 ~ -1; var u1 ~ 1; var v1 ~ 0;");
    // Its velocities are fixed and determine its positions.
    let fixed = pendulum(2, "var x2 ~ 0.6; var y2 ~ -0.8; var u2 = 0.8; var v2 = 0.6;");
    let derivative = |text: String| {
        let system = system(&text, "ggl");
        let solution = Integration::new(system.as_ref()).sensitivities(["x1"]).run(0.0, 0.0).expect("consistent");
        ["x1", "y1", "u1", "v1"].map(|name| solution.sensitivity_at(name, "x1", 0.0).expect("asked for"))
    };
    let (alone, together) =
        (derivative(format!("struct One {{ {free} }}")), derivative(format!("struct Two {{ {free} {fixed} }}")));
    for (a, b) in alone.iter().zip(&together) {
        assert!((a - b).abs() < 1e-9, "{alone:?} {together:?}");
    }
    assert!((alone[0] - 1.0).abs() < 1e-12 && (alone[3] - 1.0).abs() < 1e-12, "{alone:?}");
}

/// Sensitivities and gradients backwards in time, with an input that has kinks.
#[test]
fn sensitivities_run_backwards() {
    let text = "struct Driven { param a = 1.3; param w = 2; input u = abs(sin(w * t)); var x = 0.5; var z; der(x) = -a * x + u; z = x * x + a * u; }";
    let case = Case { t_end: -2.0, times: &[-0.5, -2.0], difference: 2e-3, events: &no_events };
    let mut driven = system(text, "index1");
    let expected = ["a", "w"].map(|parameter| differences(driven.as_mut(), parameter, &case));
    for method in METHODS {
        let run = case.integration(driven.as_ref(), method, 1e-10).sensitivities(["a", "w", "x"]);
        let solution = run.run(0.0, case.t_end).expect("consistent");
        assert!(solution.is_success(), "{}", solution.status);
        for (parameter, expected) in ["a", "w"].iter().zip(&expected) {
            compare(&solution, parameter, expected, &["x", "z"], 1e-7, &format!("{method:?}"));
        }
        let found = solution.sensitivity_at("x", "x", -2.0).expect("recorded");
        assert!((found / 2.6_f64.exp() - 1.0).abs() < 1e-8, "{method:?}: {found}");
        let run = case.integration(driven.as_ref(), method, 1e-10).sensitivities(["a", "w", "x"]);
        let gradient = run.adjoint(0.0, case.t_end).expect("consistent").gradient("z").expect("a way back");
        for by in ["a", "w", "x"] {
            let (found, forward) = (gradient.by(by).expect("asked for"), solution.sensitivity_at("z", by, -2.0).ok());
            let forward = forward.expect("recorded");
            assert!((found - forward).abs() < 1e-7 * (1.0 + forward.abs()), "{method:?}: {by} {found} {forward}");
        }
    }
}

/// The state is at rest, but its sensitivity has a pole.
#[test]
fn a_sensitivity_that_grows_without_bounds_is_told() {
    let rests = system("struct Rests { var x = 0; der(x) = x / (1 - t); }", "index1");
    for method in METHODS {
        let run = Integration::new(rests.as_ref()).method(method).rtol(1e-8).atol(1e-8);
        assert!(run.run(0.0, 2.0).expect("consistent").is_success());
        let run = Integration::new(rests.as_ref()).method(method).rtol(1e-8).atol(1e-8).sensitivities(["x"]);
        let error = run.run(0.0, 2.0).expect_err("there is a pole");
        let RunError::Stopped { failure: Failure::Sensitivity { t, unknown, quantity }, solution } = &error else {
            panic!("{method:?}: {error}")
        };
        assert!((t - 1.0).abs() < 1e-9 && unknown == "x" && quantity == "x", "{method:?}: {error}");
        // What was computed up to there is kept.
        let by_start = solution.sensitivity("x", "x").expect("asked for");
        for (t, found) in solution.times.iter().zip(by_start) {
            assert!((found * (1.0 - t) - 1.0).abs() < 1e-6, "{method:?}: {found} at {t}");
        }
    }
}
