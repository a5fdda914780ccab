//! Gradients by the adjoint method, against forward sensitivities.

use super::*;

/// Gradients of a cost that is an integral, of end values and of a sum over recorded times, with respect to parameters
/// and start values.
#[test]
fn adjoint_gradients_are_those_of_forward_sensitivities() {
    let text =
        PENDULUM.replace("0 = x * x", "var cost = 0; der(cost) = (x - 0.3).powi(2) + l * lambda * y / 50; 0 = x * x");
    let by = ["g", "l", "y0", "y", "cost"];
    for form in ["index1", "index2", "ggl", "pa", "baumgarte:20", "underlying"] {
        let pendulum = system(&text, form);
        for method in METHODS {
            let what = format!("{form} by {method:?}");
            let times = [0.0, 0.4, 0.9, 1.5];
            let run = || {
                let run = Integration::new(pendulum.as_ref()).method(method).rtol(1e-9).atol(1e-9);
                run.record(Record::At(times.to_vec())).sensitivities(by)
            };
            let (forward, adjoint) =
                (run().run(0.0, 1.5).expect("consistent"), run().adjoint(0.0, 1.5).expect("consistent"));
            assert!(forward.is_success() && adjoint.solution.is_success(), "{what}");
            let check = |gradient: &dae::runtime::sensitivity::Gradient, expected: &dyn Fn(&str) -> f64, what: &str| {
                for name in by {
                    let (found, expected) = (gradient.by(name).expect("asked for"), expected(name));
                    let close = (found - expected).abs() <= 1e-7 * (1.0 + expected.abs());
                    assert!(close, "{what} by {name}: {found} instead of {expected}");
                }
            };
            for unknown in ["cost", "x", "v"] {
                let gradient = adjoint.gradient(unknown).expect("a way back");
                let at_end = |by: &str| forward.sensitivity_at(unknown, by, 1.5).expect("recorded");
                check(&gradient, &at_end, &format!("{what}: {unknown}"));
            }
            // The sum of y^2 over the recorded times.
            let y = forward.names.iter().position(|name| name == "y").expect("an unknown");
            let gradient = adjoint.gradient_of(|_, state, by_state| by_state[y] += 2.0 * state[y]).expect("a way back");
            let sum = |by: &str| {
                let (values, derivatives) =
                    (forward.column("y").expect("known"), forward.sensitivity("y", by).expect("asked for"));
                values.iter().zip(&derivatives).map(|(y, by)| 2.0 * y * by).sum()
            };
            check(&gradient, &sum, &format!("{what}: sum of squares"));
        }
    }
}

/// Gradients of runs with impacts, which change the state, and with jumps of the equations.
#[test]
fn adjoint_gradients_pass_impacts_and_jumps() {
    let impacts = |system: &dyn Dae| {
        let [x, u, v] = ["x", "u", "v"].map(|name| system.description().place_of(name).expect("a state"));
        let impact = Event::new("impact", move |t, y, _| y[x] + 0.05 + 0.01 * t).falling().reset(move |_, y| {
            y[u] *= -0.7;
            y[v] *= -0.7;
        });
        vec![impact]
    };
    let jumps = "struct Jumps {
        param place = 0.5;
        param time = 1.4;
        param force = 3;
        var x = 1;
        var v = 0;
        let pull = if x > place { -1 } else { -force };
        der(x) = v;
        der(v) = pull + if t > time { 2 * force } else { 0 };
    }";
    let wall = WALL.replace("0 = x * x", "var way = 0; der(way) = u * u + v * v; 0 = x * x");
    let by = ["g", "l", "x0", "way"];
    for form in ["index1", "index2", "ggl"] {
        agree(system(&wall, form).as_ref(), &impacts, &by, &["x", "u", "way"], form);
    }
    agree(system(jumps, "original").as_ref(), &no_events, &["place", "time", "force", "v"], &["x", "v"], "jumps");
}

/// Checks by every method that gradients of end values are the forward sensitivities there.
fn agree(
    system: &dyn Dae,
    events: &dyn Fn(&dyn Dae) -> Vec<Event<'static>>,
    by: &[&'static str],
    unknowns: &[&str],
    what: &str,
) {
    let case = Case { t_end: 2.0, times: &[0.2, 1.0, 2.0], difference: 2e-3, events };
    for method in METHODS {
        let run = || case.integration(system, method, 1e-10).sensitivities(by.iter().copied());
        let (forward, adjoint) = (run().run(0.0, 2.0).unwrap(), run().adjoint(0.0, 2.0).unwrap());
        for unknown in unknowns {
            let gradient = adjoint.gradient(unknown).expect("a way back");
            for name in by {
                let expected = forward.sensitivity_at(unknown, name, 2.0).expect("recorded");
                let found = gradient.by(name).expect("asked for");
                let close = (found - expected).abs() <= 1e-7 * (1.0 + expected.abs());
                assert!(close, "{what} by {method:?}: {unknown} by {name}: {found} instead of {expected}");
            }
        }
    }
}

/// A run of so many steps that only some keep their stages: $x = \cos(w t)$ and an algebraic $z = x^2 + w$.
#[test]
fn a_long_way_back_goes_over_its_checkpoints() {
    let text = "struct Oscillator { param w = 1.5; var x = 1; var v = 0; var z; der(x) = v; der(v) = -w * w * x; z = x * x + w; }";
    let oscillator = system(text, "index1");
    let t = 60.0;
    for method in METHODS {
        let run = Integration::new(oscillator.as_ref()).method(method).rtol(1e-11).atol(1e-11);
        let run = run.record(Record::At(vec![20.0, t])).sensitivities(["w", "x"]).adjoint(0.0, t).expect("consistent");
        assert!(run.solution.statistics.steps > 100, "{method:?}: {:?}", run.solution.statistics);
        let (sin, cos) = (1.5 * t).sin_cos();
        let gradient = run.gradient("z").expect("a way back");
        let expected = [1.0 - 2.0 * t * sin * cos, 2.0 * cos * cos];
        // The sum of x over the two recorded times.
        let x = oscillator.description().place_of("x").expect("a state");
        let sum = run.gradient_of(|_, _, by_state| by_state[x] = 1.0).expect("a way back");
        let of_sum = [-t * sin - 20.0 * 30f64.sin(), cos + 30f64.cos()];
        for (found, expected) in [(gradient, expected), (sum, of_sum)] {
            for (by, expected) in ["w", "x"].into_iter().zip(expected) {
                let found = found.by(by).expect("asked for");
                assert!(
                    (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                    "{method:?}: {by} {found} {expected}"
                );
            }
        }
        // A NaN among the derivatives that the caller supplies is an error.
        let failure = run.gradient_of(|_, _, by_state| by_state[x] = f64::NAN).expect_err("no number");
        assert!(matches!(failure, Failure::Adjoint { t: at } if at == t), "{method:?}: {failure}");
    }
}

/// Where there is no gradient, the error says why.
#[test]
fn a_way_back_that_does_not_exist_is_told() {
    let run = |form: &str, by: &[&'static str], t_end: f64| {
        let pendulum = system(PENDULUM, form);
        let u = pendulum.description().place_of("u").expect("a state");
        let kick = Event::new("kick", move |_, _, yp| yp[u]).reset(move |_, y| y[u] += 0.5);
        let run = Integration::new(pendulum.as_ref()).rtol(1e-8).atol(1e-8).sensitivities(by.iter().copied());
        let run = if t_end > 5.0 {
            run.event(kick).max_steps(40)
        } else if t_end > 2.0 {
            run.event(kick)
        } else {
            run
        };
        match run.adjoint(0.0, t_end) {
            Ok(adjoint) => adjoint.gradient("x").map_err(|failure| failure.to_string()),
            Err(error) => Err(error.to_string()),
        }
    };
    for (form, by, t_end, words) in [
        ("ggl", &[][..], 1.0, "say by `sensitivities` what to differentiate by"),
        ("index1", &["g"], 3.0, "do not pass an event that depends on slopes at t = "),
        ("index1", &["g"], 9.0, "40 steps done at t = "),
    ] {
        let message = run(form, by, t_end).expect_err(words);
        assert!(message.contains(words), "{message}");
    }
    // These forms have gradients.
    for (form, t_end) in [("ggl", 1.0), ("original", 1.0), ("tangent", 2.0)] {
        assert!(run(form, &["g"], t_end).is_ok(), "{form}");
    }
    let pendulum = system(PENDULUM, "ggl");
    let adjoint = Integration::new(pendulum.as_ref()).sensitivities(["g"]).adjoint(0.0, 1.0).expect("consistent");
    let message = adjoint.gradient("z").expect_err("no such unknown").to_string();
    assert_eq!(message, "there is no unknown `z`; there are x, y, u, v, lambda, mu_1");
}
