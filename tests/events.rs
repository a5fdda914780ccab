//! Events: where they happen, and how runs go on from consistent values.

mod interpreted;

use dae::runtime::contract::Dae;
use dae::runtime::event::Event;
use dae::runtime::stepper::Failure;
use dae::{Integration, Method, Record, RunError, Solution, Status};
use interpreted::system;

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];
const G: f64 = 9.81;

/// The place of an unknown in the state.
fn place(system: &dyn Dae, name: &str) -> usize {
    system.description().place_of(name).expect("a state")
}

fn times(solution: &Solution, event: &str) -> Vec<f64> {
    solution.occurrences.iter().filter(|it| it.event == event).map(|it| it.t).collect()
}

const BALL: &str = "struct Ball { var h = 1; var v = 0; der(h) = v; der(v) = -9.81; }";

/// The times of the first impacts of a ball that is dropped from height 1 and keeps the fraction `e` of its speed.
fn impacts(e: f64, count: i32) -> Vec<f64> {
    let first = (2.0 / G).sqrt();
    let mut all = vec![first];
    for k in 1..count {
        all.push(all[all.len() - 1] + 2.0 * first * e.powi(k));
    }
    all
}

#[test]
fn a_ball_bounces() {
    let ball = system(BALL, "original");
    let (h, v) = (place(ball.as_ref(), "h"), place(ball.as_ref(), "v"));
    for method in METHODS {
        let impact = Event::new("impact", move |_, y, _| y[h]).falling().reset(move |_, y| y[v] *= -0.8);
        let solution =
            Integration::new(ball.as_ref()).method(method).rtol(1e-8).atol(1e-8).event(impact).run(0.0, 3.5).unwrap();
        assert!(solution.is_success(), "{method:?}: {}", solution.status);
        let found = times(&solution, "impact");
        let expected = impacts(0.8, found.len() as i32 + 1);
        assert!(
            found.len() >= 8 && found[found.len() - 1] < 3.5 && expected[found.len()] > 3.5,
            "{method:?}: {found:?}"
        );
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-8, "{method:?}: {found} instead of {expected}");
        }
        // The ball never falls through the floor, and impacts are located on it.
        assert!(solution.column("h").unwrap().iter().all(|h| *h > -1e-9));
        assert!(solution.occurrences.iter().all(|it| it.state[h].abs() < 1e-14 && it.state[v] < 0.0));
        // The states before and after an impact have the same time.
        assert_eq!(solution.times.windows(2).filter(|pair| pair[0] == pair[1]).count(), found.len());
    }
}

#[test]
fn impacts_that_accumulate_are_reported() {
    let ball = system(BALL, "original");
    let (h, v) = (place(ball.as_ref(), "h"), place(ball.as_ref(), "v"));
    let end = (2.0 / G).sqrt() * (1.0 + 0.5) / (1.0 - 0.5);
    for method in METHODS {
        let impact = Event::new("impact", move |_, y, _| y[h]).falling().reset(move |_, y| y[v] *= -0.5);
        let error = Integration::new(ball.as_ref()).method(method).event(impact).run(0.0, 3.0).unwrap_err();
        let RunError::Stopped { failure: Failure::EventsAccumulate { t, event, .. }, solution } = &error else {
            panic!("{method:?}: {error}")
        };
        assert!((t - end).abs() < 1e-6 && event == "impact", "{method:?}: {t}, {end}");
        assert!(solution.occurrences.len() > 20 && solution.end_time == *t);
        assert!(solution.status.to_string().contains("`impact` happens again and again at t = 1.3"));
    }
}

/// A pendulum that hits a wall below its pivot, in its angle and in Cartesian coordinates, of which only the velocities
/// are reset.
#[test]
fn a_pendulum_bounces_in_every_form() {
    let angle = system("struct Angle { var p = 1; var w = 0; der(p) = w; der(w) = -9.81*sin(p); }", "original");
    let (p, w) = (place(angle.as_ref(), "p"), place(angle.as_ref(), "w"));
    let wall = Event::new("wall", move |_, y, _| y[p]).falling().reset(move |_, y| y[w] *= -0.7);
    let reference = Integration::new(angle.as_ref()).method(Method::Radau).rtol(1e-12).atol(1e-12).event(wall);
    let reference = times(&reference.run(0.0, 4.0).unwrap(), "wall");
    assert_eq!(reference.len(), 4);
    let text = "struct Pendulum { var x = 0.8414709848078965; var y ~ -0.54; var u = 0; var v ~ 0; var lam;
        der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81; 0 = x.powi(2) + y.powi(2) - 1; }";
    for form in [
        "original",
        "index2",
        "ggl",
        "index1",
        "baumgarte:10",
        "dummy",
        "state-space",
        "underlying",
        "derivative-array",
        "strangeness-free",
    ] {
        let pendulum = system(text, form);
        let (x, u, v) = (place(pendulum.as_ref(), "x"), place(pendulum.as_ref(), "u"), place(pendulum.as_ref(), "v"));
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let wall = Event::new("wall", move |_, y, _| y[x]).falling().reset(move |_, y| {
                y[u] *= -0.7;
                y[v] *= -0.7;
            });
            let run = Integration::new(pendulum.as_ref()).method(method).rtol(1e-8).atol(1e-8).event(wall);
            let solution = run.run(0.0, 4.0).unwrap();
            assert!(solution.is_success(), "{form} by {method:?}: {}", solution.status);
            let found = times(&solution, "wall");
            assert_eq!(found.len(), reference.len(), "{form} by {method:?}: {found:?}");
            for (found, expected) in found.iter().zip(&reference) {
                assert!((found - expected).abs() < 1e-6, "{form} by {method:?}: {found} instead of {expected}");
            }
            if ["ggl", "index2"].contains(&form) {
                assert!(solution.invariants_max() < 1e-11, "{form} by {method:?}: {:e}", solution.invariants_max());
            }
        }
    }
}

/// One component of the velocity is reset, and the other follows from the hidden constraint.
#[test]
fn what_is_not_set_follows() {
    let text = "struct Pendulum { var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lam;
        der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81; 0 = x.powi(2) + y.powi(2) - 1; }";
    let pendulum = system(text, "ggl");
    let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| place(pendulum.as_ref(), name));
    let kick = Event::new("kick", |t, _, _| t - 0.1).rising().reset(move |_, state| state[u] = 0.5);
    let solution = Integration::new(pendulum.as_ref()).record(Record::Dense).event(kick).run(0.0, 0.2).unwrap();
    let k = solution.times.windows(2).position(|pair| pair[0] == pair[1]).expect("a reset");
    assert!((solution.times[k] - 0.1).abs() < 1e-15, "{}", solution.times[k]);
    let (before, after) = (solution.state(k).unwrap(), solution.state(k + 1).unwrap());
    assert_eq!((before[x], before[y], after[u]), (after[x], after[y], 0.5));
    assert!((after[x] * after[u] + after[y] * after[v]).abs() < 1e-14 && after[v] != before[v]);
    // Dense output on both sides.
    let [early, late] = [-1e-9, 1e-9].map(|d| solution.value("u", 0.1 + d).unwrap());
    assert!((early - before[u]).abs() < 1e-6 && (late - 0.5).abs() < 1e-6, "{early} {late}");
}

#[test]
fn resets_against_the_constraints_are_errors() {
    let text = "struct Pendulum { var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lam;
        der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81; 0 = x.powi(2) + y.powi(2) - 1; }";
    let pendulum = system(text, "ggl");
    let (u, v) = (place(pendulum.as_ref(), "u"), place(pendulum.as_ref(), "v"));
    let kick = Event::new("kick", |t, _, _| t - 0.1).reset(move |_, y| (y[u], y[v]) = (1.0, -1.0));
    let error = Integration::new(pendulum.as_ref()).event(kick).run(0.0, 1.0).unwrap_err();
    let RunError::Stopped { failure: Failure::InconsistentReset { t, .. }, solution } = &error else {
        panic!("{error}")
    };
    assert!((t - 0.1).abs() < 1e-15 && solution.end_time == *t);
    let message = error.to_string();
    assert!(
        message.starts_with("`kick` at t = 0.1") && message.contains('u') && message.contains("der(equation 5)"),
        "{message}"
    );
}

#[test]
fn directions_and_ends_count_as_the_run_goes_on() {
    let wave = system("struct Wave { var x = 0; var y = 1; der(x) = y; der(y) = -x; }", "original");
    let (x, pi) = (place(wave.as_ref(), "x"), std::f64::consts::PI);
    for method in METHODS {
        let run = |end: f64| {
            let integration = Integration::new(wave.as_ref()).method(method).rtol(1e-9).atol(1e-9);
            let integration = integration.event(Event::new("up", move |_, y, _| y[x]).rising());
            let integration = integration.event(Event::new("down", move |_, y, _| y[x]).falling());
            integration.event(Event::crossing(wave.as_ref(), "y", 0.5).unwrap()).run(0.0, end).unwrap()
        };
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{method:?}: {found:?}");
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{method:?}: {found:?}");
        };
        // The zero at the start is no event.
        let forward = run(10.0);
        close(times(&forward, "down"), &[pi, 3.0 * pi]);
        close(times(&forward, "up"), &[2.0 * pi]);
        close(times(&forward, "y"), &[pi / 3.0, 5.0 * pi / 3.0, 7.0 * pi / 3.0]);
        let backward = run(-10.0);
        close(times(&backward, "up"), &[-pi, -3.0 * pi]);
        close(times(&backward, "down"), &[-2.0 * pi]);
        let end = Event::new("second", move |t, y, _| if t < 4.0 { 1.0 } else { y[x] }).terminal();
        let ended =
            Integration::new(wave.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(end).run(0.0, 10.0).unwrap();
        assert_eq!(ended.status, Status::Event("second".into()));
        assert!(ended.is_success() && (ended.end_time - 4.0).abs() < 1e-9, "{method:?}: {}", ended.end_time);
    }
}

/// Events at one time are handled together, with their resets in the order of declaration.
#[test]
fn simultaneous_events_all_happen() {
    let wave = system("struct Two { var a = 1; var b = 1; der(a) = -1; der(b) = -2*b; }", "original");
    let (a, b) = (place(wave.as_ref(), "a"), place(wave.as_ref(), "b"));
    let half = (-1.0_f64).exp();
    for method in METHODS {
        let first = Event::new("first", move |_, y, _| y[a] - 0.5).reset(move |_, y| y[b] += 1.0);
        let second = Event::new("second", |t, _, _| t - 0.5).reset(move |_, y| y[b] *= 2.0);
        let third = Event::new("third", |t, _, _| 0.5 - t);
        let run = Integration::new(wave.as_ref()).method(method).rtol(1e-9).atol(1e-9);
        let solution = run.event(first).event(second).event(third).run(0.0, 1.0).unwrap();
        let names: Vec<&str> = solution.occurrences.iter().map(|it| &*it.event).collect();
        assert_eq!(names, ["first", "second", "third"], "{method:?}");
        let expected = 2.0 * (half + 1.0) * half;
        assert!((solution.end_state[b] - expected).abs() < 1e-7, "{method:?}: {}", solution.end_state[b] - expected);
    }
}

/// Without a bound, steps would be longer than the period of the algebraic unknown.
#[test]
fn events_of_algebraic_unknowns_are_where_the_equations_say() {
    let signal = system("struct Signal { var x = 1; var y; der(x) = -x; y = sin(100*t); }", "original");
    for method in METHODS {
        let options = dae::Options { max_step: 0.02, ..dae::Options::default() };
        let zero = Event::crossing(signal.as_ref(), "y", 0.0).unwrap();
        let solution =
            Integration::new(signal.as_ref()).method(method).options(options).event(zero).run(0.0, 1.0).unwrap();
        let found = times(&solution, "y");
        assert_eq!(found.len(), 31, "{method:?}");
        for (k, t) in found.iter().enumerate() {
            let expected = std::f64::consts::PI * (k + 1) as f64 / 100.0;
            assert!((t - expected).abs() < 1e-9, "{method:?}: {t} instead of {expected}");
        }
    }
}

/// Events of the force in the rod of a pendulum: one that is only recorded, and one that ends the run.
#[test]
fn what_is_noted_is_located_like_what_is_terminal() {
    let text = "struct Pendulum { var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lambda ~ 1; \
        der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 9.81; 0 = x * x + y * y - 1; }";
    for form in ["index1", "ggl", "dummy"] {
        let pendulum = system(text, form);
        let level = || Event::crossing(pendulum.as_ref(), "lambda", 10.0).unwrap();
        for method in METHODS {
            let run = || Integration::new(pendulum.as_ref()).method(method).rtol(1e-10).atol(1e-10);
            let ended = run().event(level().terminal()).run(0.0, 1.0).unwrap();
            let noted = run().event(level()).run(0.0, 1.0).unwrap();
            let plain = run().run(0.0, 1.0).unwrap();
            assert_eq!(noted.end_state, plain.end_state, "{form} by {method:?}: what is noted changes nothing");
            // By conservation of energy, lambda = u^2 + v^2 - 9.81 y = 3 * 9.81 (-y) - 2 * 9.81 * 0.8, which is 10 at
            // this height.
            let height = (10.0 + 2.0 * 9.81 * 0.8) / (3.0 * 9.81);
            let y = noted.names.iter().position(|name| name == "y").unwrap();
            let (found, ended) = (&noted.occurrences[0], ended.end_time);
            assert!((found.t - ended).abs() < 1e-9, "{form} by {method:?}: {} and {ended}", found.t);
            assert!((found.state[y] + height).abs() < 1e-8, "{form} by {method:?}: {} and {height}", found.state[y]);
        }
    }
}

/// Zeros that coincide, or nearly so, where the dense output is not exact: none is lost, and none is found twice.
#[test]
fn nearly_simultaneous_events_all_happen_once() {
    let decay = system("struct Decay { var a = 1; var n = 0; der(a) = -a; der(n) = 0; }", "original");
    let (a, n) = (place(decay.as_ref(), "a"), place(decay.as_ref(), "n"));
    for method in METHODS {
        for apart in [0.0, 1e-12, 1e-9, -1e-9, 1e-7, -1e-7] {
            let level = (-0.5_f64 - apart).exp();
            let run = Integration::new(decay.as_ref()).method(method).rtol(1e-6).atol(1e-6);
            let run = run.event(Event::new("level", move |_, y, _| y[a] - level).reset(move |_, y| y[n] += 1.0));
            let run = run.event(Event::new("noted", move |_, y, _| y[a] - level));
            let run = run.event(Event::new("time", |t, _, _| t - 0.5).reset(move |_, y| y[n] += 10.0));
            let solution = run.run(0.0, 1.0).unwrap();
            assert!(solution.is_success(), "{method:?}, {apart:e}: {}", solution.status);
            let counts = ["level", "noted", "time"].map(|event| times(&solution, event).len());
            assert_eq!(counts, [1; 3], "{method:?}, {apart:e}: {:?}", solution.occurrences);
            assert!((solution.end_state[n] - 11.0).abs() < 1e-9, "{method:?}, {apart:e}");
        }
    }
}

/// Events where a function of time changes its branch, at the end of the run, and long before it.
#[test]
fn events_at_special_times_happen() {
    let pulse = system("struct Pulse { var x = 0; der(x) = if t < 1 { 1 } else { 2 }; }", "original");
    let wave = system("struct Wave { var x = 0; var y = 1; der(x) = y; der(y) = -x; }", "original");
    let (x, pi) = (place(wave.as_ref(), "x"), std::f64::consts::PI);
    for method in METHODS {
        let kick = Event::new("kick", |t, _, _| t - 1.0).reset(|_, y| y[0] += 1.0);
        let run = Integration::new(pulse.as_ref()).method(method).record(Record::Dense).event(kick);
        let solution = run.run(0.0, 2.0).unwrap();
        assert_eq!(times(&solution, "kick").len(), 1, "{method:?}");
        assert!((solution.end_state[0] - 4.0).abs() < 1e-9 && solution.value("x", 1.0).is_some(), "{method:?}");
        assert!(solution.times.windows(2).all(|pair| pair[0] <= pair[1]), "{method:?}: {:?}", solution.times);

        for end in [pi, pi - 1e-9, pi + 1e-9, 1e9] {
            let zero = Event::new("zero", move |_, y, _| y[x]).falling().terminal();
            let run = Integration::new(wave.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(zero);
            let solution = run.run(0.0, end).unwrap();
            assert!(solution.is_success() && solution.end_time <= end, "{method:?}: {}", solution.end_time);
            assert!((solution.end_time - pi).abs() < 1e-7, "{method:?} to {end}: {}", solution.end_time);
            let zero = Event::new("zero", move |_, y, _| y[x]).falling().reset(move |_, y| y[x] = 1e-3);
            let run = Integration::new(wave.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(zero);
            let solution = run.run(0.0, end.min(5.0)).unwrap();
            assert!(solution.is_success() && solution.end_time == end.min(5.0), "{method:?}: {}", solution.status);
            assert!(solution.times.windows(2).all(|pair| pair[0] <= pair[1]), "{method:?}: {:?}", solution.times);
        }
    }
}

/// Events of algebraic unknowns, whose derivatives are not known, happen once each; a step may contain several zeros.
#[test]
fn events_of_algebraic_unknowns_happen_once() {
    let text =
        "struct Wave { var x = 0; var v = 1; var y; var n = 0; der(x) = v; der(v) = -x; y = x*x - 0.25; der(n) = 0; }";
    let wave = system(text, "original");
    let n = place(wave.as_ref(), "n");
    let y = place(wave.as_ref(), "y");
    for method in METHODS {
        let run = Integration::new(wave.as_ref()).method(method).rtol(1e-8).atol(1e-8);
        let run = run.event(Event::new("reset", move |_, state, _| state[y]).reset(move |_, state| state[n] += 1.0));
        let solution = run.event(Event::crossing(wave.as_ref(), "y", 0.0).unwrap()).run(0.0, 6.0).unwrap();
        let expected = [1.0, 5.0, 7.0, 11.0].map(|k| k * std::f64::consts::PI / 6.0);
        for event in ["reset", "y"] {
            let found = times(&solution, event);
            assert!(found.len() == 4, "{method:?}: {event} at {found:?}, {}", solution.status);
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{method:?}: {event} at {found:?}");
        }
        assert!((solution.end_state[n] - 4.0).abs() < 1e-9, "{method:?}");
    }
}

/// A block on a belt, held by a spring: it sticks until the spring overcomes static friction, and slips until it is as fast as the belt again.
#[test]
fn a_block_sticks_and_slips() {
    // Dynamic friction and static friction are forces; `slip` is 1 while the block slips and 0 while it sticks.
    let (k, dynamic, limit, belt) = (4.0_f64, 0.5, 1.0, 0.25);
    let block = system(
        "struct Block {
            param k = 4; param dynamic = 0.5; param belt = 0.25;
            var x = 0; var v = 0.25; var slip = 0;
            der(x) = v;
            der(v) = slip * (dynamic - k * x);
            der(slip) = 0;
        }",
        "original",
    );
    let [x, v, slip] = ["x", "v", "slip"].map(|name| place(block.as_ref(), name));
    // The belt carries the block to where the force of the spring reaches the limit; then it slips around the point
    // where that force equals dynamic friction, on an arc of an ellipse in the phase plane.
    let (rate, half) = (k.sqrt(), (limit - dynamic) / k);
    let phase = (half * rate).atan2(belt);
    let (slipping, sticking) = ((2.0 * std::f64::consts::PI - 2.0 * phase) / rate, 2.0 * half / belt);
    for method in METHODS {
        let release = Event::new("release", move |_, y, _| limit - k * y[x]).falling().reset(move |_, y| y[slip] = 1.0);
        let capture = Event::new("capture", move |_, y, _| y[slip] * (y[v] - belt)).rising();
        let capture = capture.reset(move |_, y| (y[v], y[slip]) = (belt, 0.0));
        let run = Integration::new(block.as_ref()).method(method).rtol(1e-9).atol(1e-9).record(Record::Dense);
        let solution = run.event(release).event(capture).run(0.0, 20.0).unwrap();
        assert!(solution.is_success(), "{method:?}: {}", solution.status);
        let (released, captured) = (times(&solution, "release"), times(&solution, "capture"));
        assert!(released.len() >= 5 && released.len() - captured.len() <= 1, "{method:?}: {released:?} {captured:?}");
        for (cycle, (released, captured)) in released.iter().zip(&captured).enumerate() {
            let expected = limit / k / belt + cycle as f64 * (slipping + sticking);
            assert!((released - expected).abs() < 1e-6, "{method:?}: {released} instead of {expected}");
            assert!((captured - expected - slipping).abs() < 1e-6, "{method:?}: {captured}");
            let within = |t: f64| solution.at(t).unwrap()[v];
            assert_eq!(within(captured + 0.5 * sticking), belt);
        }
    }
}

/// A rectifier: a diode, which is a resistor while it conducts, between a sinusoidal source and a capacitor with a
/// load. The current, an algebraic unknown, follows from the reinitialisation after each switch.
#[test]
fn a_diode_switches() {
    let rectifier = system(
        "struct Rectifier {
            param r = 0.1; param load = 10; param c = 0.5;
            var u = 0; var i ~ 0; var conducts = 1;
            c * der(u) = i - u / load;
            0 = conducts * (sin(t) - u) - (if conducts > 0.5 { r } else { 1 }) * i;
            der(conducts) = 0;
        }",
        "original",
    );
    let [u, i, conducts] = ["u", "i", "conducts"].map(|name| place(rectifier.as_ref(), name));
    let (r, load, c) = (0.1_f64, 10.0, 0.5);
    // While it conducts, u' = -a u + b sin t.
    let (a, b) = ((1.0 / r + 1.0 / load) / c, 1.0 / (r * c));
    let forced = |t: f64| b * (a * t.sin() - t.cos()) / (a * a + 1.0);
    let conducting = |t0: f64, u0: f64, t: f64| (u0 - forced(t0)) * (-a * (t - t0)).exp() + forced(t);
    let blocking = |t0: f64, u0: f64, t: f64| u0 * (-(t - t0) / (load * c)).exp();
    let zero = |f: &dyn Fn(f64) -> f64, mut lower: f64, mut upper: f64| {
        for _ in 0..80 {
            let middle = 0.5 * (lower + upper);
            if (f(middle) > 0.0) == (f(lower) > 0.0) { lower = middle } else { upper = middle }
        }
        lower
    };
    let (mut expected, mut on, mut u0) = (Vec::new(), 0.0, 0.0);
    for cycle in 0..3 {
        let start = 2.0 * std::f64::consts::PI * f64::from(cycle);
        if cycle > 0 {
            let (off, u_off): (f64, f64) = expected[expected.len() - 1];
            on = zero(&|t| t.sin() - blocking(off, u_off, t), start, start + 1.5);
            u0 = blocking(off, u_off, on);
            expected.push((on, u0));
        }
        let off = zero(&|t| t.sin() - conducting(on, u0, t), start + 1.5, start + 3.0);
        expected.push((off, conducting(on, u0, off)));
    }
    for method in METHODS {
        let on = Event::new("on", move |t: f64, y: &[f64], _: &[f64]| t.sin() - y[u]).rising();
        let off = Event::new("off", move |_: f64, y: &[f64], _: &[f64]| y[conducts] * y[i]).falling();
        let integration = Integration::new(rectifier.as_ref()).method(method).rtol(1e-9).atol(1e-9);
        let switch = |event: Event<'static>, value: f64| event.reset(move |_, y| y[conducts] = value);
        let solution = integration.event(switch(on, 1.0)).event(switch(off, 0.0)).run(0.0, 15.5).unwrap();
        assert!(solution.is_success(), "{method:?}: {}", solution.status);
        let found: Vec<_> = solution.occurrences.iter().map(|it| (it.t, it.state[u])).collect();
        assert_eq!(found.len(), expected.len(), "{method:?}: {found:?}");
        for ((t, u), (t_expected, u_expected)) in found.iter().zip(&expected) {
            assert!((t - t_expected).abs() < 1e-6, "{method:?}: {t} instead of {t_expected}");
            assert!((u - u_expected).abs() < 1e-6, "{method:?}: {u} instead of {u_expected}");
        }
    }
}

/// Events of runs with constant steps that go backwards in time.
#[test]
fn events_happen_at_a_fixed_step() {
    let ball = system(BALL, "original");
    let (h, v) = (place(ball.as_ref(), "h"), place(ball.as_ref(), "v"));
    for method in METHODS {
        let impact = Event::new("impact", move |_, y, _| y[h]).falling().reset(move |_, y| y[v] *= -1.0);
        let integration = Integration::new(ball.as_ref()).method(method).fixed_step(0.01).event(impact);
        let solution = integration.run(0.0, -2.0).unwrap();
        assert!(solution.is_success() && solution.end_time == -2.0, "{method:?}: {}", solution.status);
        let found = times(&solution, "impact");
        let first = (2.0 / G).sqrt();
        assert_eq!(found.len(), 2, "{method:?}: {found:?}");
        for (found, expected) in found.iter().zip([-first, -3.0 * first]) {
            assert!((found - expected).abs() < 1e-9, "{method:?}: {found} instead of {expected}");
        }
    }
}
