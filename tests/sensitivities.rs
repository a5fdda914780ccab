//! Sensitivities of solutions, against extrapolated differences of accurate solutions.

use dae::runtime::contract::Dae;
use dae::symbolic::compile::compile;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::{Event, Integration, Method, Record, Solution};

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];

fn system(text: &str, form: &str) -> Box<dyn Dae> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let Ok(compiled) = compile(model.with_forms([form]), 0.0) else { panic!("well-posed") };
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    system.completed(compiled.forms[0].formulation.completion)
}

/// Tolerance of the runs whose differences are taken.
const REFERENCE: f64 = 1e-12;

/// How a model is run.
struct Case<'a> {
    t_end: f64,
    times: &'a [f64],
    /// Relative differences of parameters.
    difference: f64,
    /// What happens on the way.
    events: &'a dyn Fn(&dyn Dae) -> Vec<Event<'static>>,
}

impl Case<'_> {
    fn integration<'d>(&self, system: &'d dyn Dae, method: Method, tolerance: f64) -> Integration<'d, 'static> {
        let run = Integration::new(system).method(method).rtol(tolerance).atol(tolerance);
        let run = run.record(Record::At(self.times.to_vec()));
        (self.events)(system).into_iter().fold(run, |run, event| run.event(event))
    }
}

fn no_events(_: &dyn Dae) -> Vec<Event<'static>> {
    Vec::new()
}

/// By states at the times asked for, and by the times of the events.
struct Values {
    /// Size of the parameter, if it is small.
    unit: f64,
    states: Vec<Vec<f64>>,
    events: Vec<f64>,
}

/// Derivatives by a parameter: central differences of runs whose errors are rounding, extrapolated once.
fn differences(system: &mut dyn Dae, parameter: &str, case: &Case<'_>) -> Values {
    let k = system.description().parameters.iter().position(|name| name == parameter).expect("a parameter");
    let at = system.parameters().to_vec();
    let mut solution = |p: f64| {
        let mut parameters = at.clone();
        parameters[k] = p;
        system.set_parameters(&parameters);
        let solution = case.integration(system, Method::Radau, REFERENCE).run(0.0, case.t_end).expect("consistent");
        assert!(solution.is_success(), "{parameter} = {p}: {}", solution.status);
        let mut all: Vec<Vec<f64>> = solution.iter().map(|(_, state)| state.to_vec()).collect();
        all.push(solution.occurrences.iter().map(|event| event.t).collect());
        all
    };
    let h = case.difference * if at[k] == 0.0 { 1.0 } else { at[k].abs() };
    let mut difference = |h: f64| -> Vec<Vec<f64>> {
        let (above, below) = (solution(at[k] + h), solution(at[k] - h));
        let of_state = |(above, below): (&Vec<f64>, &Vec<f64>)| {
            assert_eq!(above.len(), below.len());
            above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        above.iter().zip(&below).map(of_state).collect()
    };
    let (coarse, fine) = (difference(h), difference(0.5 * h));
    system.set_parameters(&at);
    let extrapolated = |(fine, coarse): (&f64, &f64)| fine + (fine - coarse) / 3.0;
    let all = fine.iter().zip(&coarse);
    let mut states: Vec<Vec<f64>> =
        all.map(|(fine, coarse)| fine.iter().zip(coarse).map(extrapolated).collect()).collect();
    let events = states.pop().unwrap_or_default();
    Values { unit: if at[k] == 0.0 { 1.0 } else { at[k].abs().min(1.0) }, states, events }
}

/// All derivatives of some unknowns by a parameter, to so much of one or of themselves, in units of the parameter if that is small.
fn compare(solution: &Solution, parameter: &str, expected: &Values, unknowns: &[&str], tolerance: f64, what: &str) {
    let unit = expected.unit;
    for name in unknowns {
        let found = solution.sensitivity(name, parameter).expect("asked for");
        let k = solution.names.iter().position(|known| known == name).expect("an unknown");
        assert_eq!(found.len(), expected.states.len());
        for ((found, expected), t) in found.iter().zip(&expected.states).zip(&solution.times) {
            let (found, wanted) = (*found, expected[k]);
            assert!(
                unit * (found - wanted).abs() <= tolerance * (1.0 + unit * wanted.abs()),
                "{what}: {name} by {parameter} at {t}: {found} instead of {wanted}"
            );
        }
    }
    let quantities = &solution.sensitivities.as_ref().expect("asked for").quantities;
    let quantity = quantities.iter().position(|name| name == parameter).expect("asked for");
    assert_eq!(solution.occurrences.len(), expected.events.len(), "{what}");
    for (event, expected) in solution.occurrences.iter().zip(&expected.events) {
        let found = event.time_derivatives[quantity];
        assert!(
            (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
            "{what}: time of {} at {} by {parameter}: {found} instead of {expected}",
            event.event,
            event.t
        );
    }
}

const PENDULUM: &str = "struct Pendulum {
    param g = 9.81;
    param l = 1;
    param y0 = 0.1;
    var x ~ 1;
    var y = y0;
    var u ~ 0;
    var v = 0;
    var lambda ~ 0;
    der(x) = u;
    der(y) = v;
    der(u) = -lambda * x;
    der(v) = -lambda * y - g;
    0 = x * x + y * y - l * l;
}";

/// Hidden constraints, consistent initialisation, multipliers: by the length, which the start values have to follow, and by a start value.
#[test]
fn a_pendulum_in_all_forms() {
    let case = Case { t_end: 2.0, times: &[0.0, 0.5, 1.0, 2.0], difference: 2e-3, events: &no_events };
    let parameters = ["g", "l", "y0"];
    let mut reference = system(PENDULUM, "index1");
    let expected = parameters.map(|parameter| differences(reference.as_mut(), parameter, &case));
    // Multipliers of forms with constraints of positions are of lower order.
    for (form, of_multiplier) in [
        ("index1", 1e-7),
        ("index2", 1e-6),
        ("ggl", 1e-6),
        ("dummy", 1e-7),
        ("state-space", 1e-7),
        ("tangent", 1e-7),
        ("pa", 1e-7),
        ("baumgarte:20", 1e-7),
        ("underlying", 1e-7),
        ("derivative-array", 1e-7),
        ("strangeness-free", 1e-7),
        ("original", 1e-3),
    ] {
        let pendulum = system(PENDULUM, form);
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let what = format!("{form} by {method:?}");
            let run = case.integration(pendulum.as_ref(), method, 1e-10).sensitivities(["g", "l", "y0", "y"]);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{what}: {}", solution.status);
            let of_states = if form == "original" { 1e-6 } else { 1e-7 };
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "y", "u", "v"], of_states, &what);
                compare(&solution, parameter, expected, &["lambda"], of_multiplier, &what);
            }
            // The parameter is the start value.
            for name in ["x", "y", "u", "v"] {
                let [by_parameter, by_start] = ["y0", "y"].map(|by| solution.sensitivity(name, by).expect("asked for"));
                let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
                assert!(by_parameter.iter().zip(&by_start).all(close), "{what}: {by_parameter:?} {by_start:?}");
            }
        }
    }
}

const WALL: &str = "struct Pendulum {
    param g = 9.81;
    param l = 1;
    param x0 = 0.8414709848078965;
    var x = x0;
    var y ~ -0.54;
    var u = 0;
    var v ~ 0;
    var lambda;
    der(x) = u;
    der(y) = v;
    der(u) = -lambda * x;
    der(v) = -lambda * y - g;
    0 = x * x + y * y - l * l;
}";

/// Four impacts at a wall that is met under an angle, where the constraint acts too, and turning points that are only noted.
#[test]
fn sensitivities_pass_impacts() {
    let events = |system: &dyn Dae| {
        let [x, u, v] = ["x", "u", "v"].map(|name| system.description().place_of(name).expect("a state"));
        let impact = Event::new("impact", move |t, y, _| y[x] + 0.05 + 0.01 * t).falling().reset(move |_, y| {
            y[u] *= -0.7;
            y[v] *= -0.7;
        });
        vec![impact, Event::new("turn", move |_, y, _| y[u]).falling()]
    };
    let case = Case { t_end: 3.0, times: &[0.3, 0.7, 1.5, 2.2, 3.0], difference: 2e-3, events: &events };
    let parameters = ["g", "l", "x0"];
    let mut reference = system(WALL, "index1");
    let expected = parameters.map(|parameter| differences(reference.as_mut(), parameter, &case));
    assert!(expected[0].events.len() > 4);
    for form in ["index1", "index2", "ggl", "dummy", "underlying"] {
        let pendulum = system(WALL, form);
        for method in METHODS {
            let what = format!("{form} by {method:?}");
            let run = case.integration(pendulum.as_ref(), method, 1e-10).sensitivities(parameters);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{what}: {}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "y", "u", "v"], 1e-6, &what);
            }
        }
    }
}

/// A ball: everything is known.
#[test]
fn a_bouncing_ball_is_known_exactly() {
    let ball = system("struct Ball { param g = 9.81; var h = 1; var v = 0; der(h) = v; der(v) = -g; }", "original");
    let [h, v] = ["h", "v"].map(|name| ball.description().place_of(name).expect("a state"));
    for method in METHODS {
        let impact = Event::new("impact", move |_, y, _| y[h]).falling().reset(move |_, y| y[v] *= -0.8);
        let run = Integration::new(ball.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(impact);
        let solution = run.sensitivities(["g", "h"]).run(0.0, 1.0).expect("consistent");
        // t1 = sqrt(2 h/g), then v = -0.8 g t1 upwards.
        let (g, t1) = (9.81_f64, (2.0_f64 / 9.81).sqrt());
        let [by_g, by_h] = [-0.5 * t1 / g, 0.5 * t1];
        let impact = &solution.occurrences[0].time_derivatives;
        assert!((impact[0] - by_g).abs() < 1e-8 && (impact[1] - by_h).abs() < 1e-8, "{method:?}: {impact:?}");
        // h(t) = 0.8 g t1 (t - t1) - g (t - t1)^2 / 2.
        let after = 1.0 - t1;
        let by_t1 = 0.8 * g * after - 0.8 * g * t1 + g * after;
        let expected = [0.8 * t1 * after - 0.5 * after * after + by_t1 * by_g, by_t1 * by_h];
        for (by, expected) in ["g", "h"].into_iter().zip(expected) {
            let found = solution.sensitivity_at("h", by, 1.0).expect("recorded");
            assert!((found - expected).abs() < 1e-7, "{method:?}: by {by} {found} instead of {expected}");
        }
    }
}

/// The state rests, and would allow for steps of any length; what a disturbance becomes does not.
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

/// Forces that jump at a place and at a time, both of which are parameters; `w` follows the jump.
#[test]
fn sensitivities_pass_jumps_of_the_equations() {
    let text = "struct Jumps {
        param place = 0.5;
        param time = 1.4;
        param force = 3;
        var x = 1;
        var v = 0;
        var w;
        let pull = if x > place { -1 } else { -force };
        der(x) = v;
        der(v) = pull + if t > time { 2 * force } else { 0 };
        w = x * v + force;
    }";
    let case = Case { t_end: 2.0, times: &[0.5, 1.2, 1.6, 2.0], difference: 2e-3, events: &no_events };
    let parameters = ["place", "time", "force"];
    for form in ["index1", "underlying"] {
        let mut jumps = system(text, form);
        let expected = parameters.map(|parameter| differences(jumps.as_mut(), parameter, &case));
        assert!(expected[1].states[3][0].abs() > 1.0);
        for method in METHODS {
            let run = case.integration(jumps.as_ref(), method, 1e-9).sensitivities(parameters);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "v", "w"], 1e-6, &format!("{form} by {method:?}"));
            }
        }
    }
}

/// What is asked for has to exist, and to have a derivative.
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
    // Both coordinates are fixed: that fits one length only.
    let fixed = system(&PENDULUM.replace("var x ~ 1", "var x = 1").replace("y0 = 0.1", "y0 = 0"), "ggl");
    let message = Integration::new(fixed.as_ref()).sensitivities(["l"]).run(0.0, 1.0).unwrap_err().to_string();
    assert_eq!(
        message,
        "no consistent initial values: equation 5 holds for one value of `l` only, since the start values of `x` and `y` are fixed; make \
         one a guess (`~`), or let it depend on `l`"
    );
    assert!(Integration::new(fixed.as_ref()).sensitivities(["g"]).run(0.0, 1.0).is_ok());
}

/// Of a tracking cost, an integral, and of a sum over measurements, by parameters and start values: the same as forward, which is the same as differences.
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
            // The sum of y^2 over the times.
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

/// Back through impacts, which change the state, and through jumps of the equations.
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

/// Gradients of the values at the end are the sensitivities there, by every method.
fn agree(
    system: &dyn Dae,
    events: &dyn Fn(&dyn Dae) -> Vec<Event<'static>>,
    by: &[&'static str],
    unknowns: &[&str],
    what: &str,
) {
    let case = Case { t_end: 2.0, times: &[0.2, 1.0, 2.0], difference: 2e-3, events };
    for method in METHODS {
        let run = || case.integration(system, method, 1e-9).sensitivities(by.iter().copied());
        let (forward, adjoint) = (run().run(0.0, 2.0).unwrap(), run().adjoint(0.0, 2.0).unwrap());
        for unknown in unknowns {
            let gradient = adjoint.gradient(unknown).expect("a way back");
            for name in by {
                let expected = forward.sensitivity_at(unknown, name, 2.0).expect("recorded");
                let found = gradient.by(name).expect("asked for");
                let close = (found - expected).abs() <= 1e-6 * (1.0 + expected.abs());
                assert!(close, "{what} by {method:?}: {unknown} by {name}: {found} instead of {expected}");
            }
        }
    }
}

/// Ways back that do not exist.
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
        ("original", &["g"], 1.0, "`lambda` of the original form has index 3"),
        ("tangent", &["g"], 2.0, "the tangent form has local coordinates"),
        ("index1", &["g"], 3.0, "do not pass an event that depends on slopes at t = "),
        ("index1", &["g"], 9.0, "a run that has stopped: 40 steps done"),
    ] {
        let message = run(form, by, t_end).expect_err(words);
        assert!(message.contains(words), "{message}");
    }
    assert!(run("ggl", &["g"], 1.0).is_ok());
    let pendulum = system(PENDULUM, "ggl");
    let adjoint = Integration::new(pendulum.as_ref()).sensitivities(["g"]).adjoint(0.0, 1.0).expect("consistent");
    let message = adjoint.gradient("z").expect_err("no such unknown").to_string();
    assert_eq!(message, "there is no unknown `z`; there are x, y, u, v, lambda, mu_1");
}

/// A stiff circuit, whose parameters are of very different size.
#[test]
fn a_transistor_amplifier() {
    let mut amplifier = system(include_str!("../examples/models/transistor_amplifier.dae"), "original");
    let case = Case { t_end: 0.03, times: &[0.01, 0.03], difference: 5e-4, events: &no_events };
    let names = amplifier.description().parameters.to_vec();
    let by: Vec<&str> = names.iter().map(|name| &**name).collect();
    let unknowns: Vec<String> = amplifier.description().unknowns.iter().map(|it| it.name.to_string()).collect();
    let unknowns: Vec<&str> = unknowns.iter().map(|name| &**name).collect();
    let expected: Vec<Values> = by.iter().map(|name| differences(amplifier.as_mut(), name, &case)).collect();
    for method in METHODS {
        let run = case.integration(amplifier.as_ref(), method, 1e-9).sensitivities(names.iter().cloned());
        let solution = run.run(0.0, case.t_end).expect("consistent");
        assert!(solution.is_success(), "{}", solution.status);
        for (name, expected) in by.iter().zip(&expected) {
            compare(&solution, name, expected, &unknowns, 1e-6, &format!("{method:?}"));
        }
    }
}

/// Where two events or switches coincide for some values only, the solution has no derivative there; and what is not located is refused.
#[test]
fn what_has_no_derivative_is_no_success() {
    let balls = system(
        "struct Balls { var a = 1; var b = 1; var u = 0; var v = 0; der(a) = u; der(b) = v; der(u) = -9.81; der(v) = -9.81; }",
        "original",
    );
    let [a, b, u, v] = ["a", "b", "u", "v"].map(|name| balls.description().place_of(name).expect("a state"));
    let bounce = |h: usize, v: usize| {
        let name = if h == v { "none" } else { "bounce" };
        Event::new(name, move |_, y: &[f64], _| y[h]).falling().reset(move |_, y| y[v] *= -0.8)
    };
    let run = Integration::new(balls.as_ref()).event(bounce(a, u)).event(bounce(b, v)).sensitivities(["a", "b"]);
    let solution = run.run(0.0, 1.0).unwrap();
    let message = solution.status.to_string();
    assert!(message.contains("an event there has no derivative") && solution.end_time > 0.4, "{message}");
    // One after the other is no trouble, and each has its own time.
    let run =
        Integration::new(balls.as_ref()).event(bounce(a, u)).event(Event::crossing(balls.as_ref(), "b", 0.5).unwrap());
    let solution = run.sensitivities(["a", "b"]).run(0.0, 0.6).unwrap();
    let times: Vec<&[f64]> = solution.occurrences.iter().map(|it| &*it.time_derivatives).collect();
    assert!(
        times[0][0].abs() < 1e-8 && times[0][1] > 0.2 && times[1][0] > 0.2 && times[1][1].abs() < 1e-8,
        "{times:?}"
    );
    let text = "struct Jumps { param a = 1; param b = 1; var v = 0; der(v) = if t > a { 1 } else { 0 } + if t > b { 10 } else { 0 }; }";
    let jumps = system(text, "original");
    let solution = Integration::new(jumps.as_ref()).sensitivities(["a", "b"]).run(0.0, 2.0).unwrap();
    assert!(!solution.is_success() && (solution.end_time - 1.0).abs() < 1e-9, "{}", solution.status);
    let fixed = Integration::new(jumps.as_ref()).fixed_step(0.1).sensitivities(["a"]).run(0.0, 2.0);
    assert!(fixed.unwrap_err().to_string().contains("steps of one length do not end where"));
    // A change of the state where the equations change as well.
    let kick = Event::new("kick", |t, _, _| t - 1.0).reset(|_, y| y[0] += 1.0);
    let solution = Integration::new(jumps.as_ref()).event(kick).sensitivities(["a"]).run(0.0, 2.0).unwrap();
    assert!(!solution.is_success() && (solution.end_time - 1.0).abs() < 1e-9, "{}", solution.status);
    // A gradient of the value at an end that moves.
    let end = Event::crossing(balls.as_ref(), "a", 0.0).unwrap().terminal();
    let adjoint = Integration::new(balls.as_ref()).event(end).sensitivities(["a"]).adjoint(0.0, 1.0).unwrap();
    assert!(adjoint.gradient("u").unwrap_err().to_string().contains("the run has ended at `a`, whose time changes"));
}

/// Derivatives of start values of one part of a model have nothing to do with those of another.
#[test]
fn parts_of_a_model_start_by_themselves() {
    let pendulum = |n: u32, starts: &str| {
        format!(
            "{starts} var lam{n}; der(x{n}) = u{n}; der(y{n}) = v{n}; der(u{n}) = -lam{n}*x{n}; der(v{n}) = -lam{n}*y{n} - 1; 0 = x{n}*x{n} + y{n}*y{n} - 1;"
        )
    };
    let free = pendulum(1, "var x1 ~ 0; var y1 ~ -1; var u1 ~ 1; var v1 ~ 0;");
    // Velocities that are fixed decide on the positions.
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

/// Backwards in time, and along an input with kinks.
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
            let (found, forward) = (gradient.by(by).expect("asked for"), solution.sensitivity_at("z", by, -2.0));
            let forward = forward.expect("recorded");
            assert!((found - forward).abs() < 1e-7 * (1.0 + forward.abs()), "{method:?}: {by} {found} {forward}");
        }
    }
}
