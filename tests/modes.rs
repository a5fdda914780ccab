//! Models with modes: each mode has equations of its own, of any index; changes of mode conserve what the equations
//! conserve.

mod interpreted;

use std::rc::Rc;

use dae::runtime::contract::Dae;
use dae::symbolic::Text;
use dae::symbolic::form::Form;
use dae::symbolic::modes::{compile_start, formulation_on_entry};
use dae::{Integration, Method, Record, Solution};
use interpreted::{available, system};

const METHODS: [Method; 2] = [Method::Bdf, Method::Radau];

fn run(system: &dyn Dae, method: Method, tolerance: f64, t_end: f64) -> Solution {
    let integration = Integration::new(system).method(method).rtol(tolerance).atol(tolerance).record(Record::Dense);
    match integration.run(0.0, t_end) {
        Ok(solution) => solution,
        Err(error) => panic!("{} by {method:?}: {error}", system.description().form),
    }
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.value(name, solution.end_time).expect("an unknown")
}

/// The ideal clutch of ModiaMath's examples (M. Otter, H. Elmqvist: *Transformation of differential algebraic array
/// equations to index one form*, Modelica 2017) between a motor behind a capacitor and an inertia.
const CLUTCH: &str = "struct Drive {
    param j1 = 0.1; param j2 = 0.4; param r = 10; param c = 2; param k = 0.25; param v0 = 10;
    var w1 = 0; var w2 = 10; var tau; var i; var v;
    j1 * der(w1) = k * i - tau;
    j2 * der(w2) = tau;
    v = k * w1;
    c * der(v) = (v0 - v) / r - i;
    modes clutch {
        free { tau = 0; when t < 100 || t >= 300 { clutch = engaged; } }
        engaged { w1 = w2; when t >= 100 && t < 300 { clutch = free; } }
    }
}";

#[test]
fn a_clutch_conserves_momentum() {
    for form in ["original", "index1", "ggl", "index2", "underlying", "dummy"] {
        let drive = system(CLUTCH, form);
        for method in METHODS {
            let solution = run(drive.as_ref(), method, 1e-11, 500.0);
            let names: Vec<&str> = solution.modes.iter().map(|it| it.mode.as_ref()).collect();
            let [free, engaged] = ["clutch = free", "clutch = engaged"];
            assert_eq!(names, [free, engaged, free, engaged], "{form}, {method:?}");
            let times: Vec<f64> = solution.modes.iter().map(|it| it.t).collect();
            assert_eq!(times, [0.0, 0.0, 100.0, 300.0]);
            let after = |k: usize| solution.modes[k].jumps.iter().find(|it| it.unknown == "w1").expect("a jump");
            let found = [
                after(1).after,
                solution.value("w1", 100.0).unwrap(),
                after(3).before,
                after(3).after,
                last(&solution, "w1"),
                last(&solution, "w2"),
            ];
            let expected = [
                6.4,
                27.639250776639535,
                39.95221433063844,
                32.071917656079144,
                38.927050730462284,
                38.927050730462284,
            ];
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-8, "{form}, {method:?}: {found} for {expected}");
            }
        }
    }
}

/// A ball on a string that is slack or taut; `law` stands where it becomes taut.
fn cup_and_ball(law: &str) -> String {
    format!(
        "struct CupAndBall {{
            param m = 2; param l = 1;
            var x = 0.6; var y = 0.3; var u = 1; var v = 0; var lambda;
            der(x) = u;
            der(y) = v;
            m * der(u) = -lambda * x;
            m * der(v) = -lambda * y - m * 9.81;
            modes string {{
                slack {{ lambda = 0; when x.powi(2) + y.powi(2) > l.powi(2) {{ string = taut; {law} }} }}
                taut {{ x.powi(2) + y.powi(2) = l.powi(2); when lambda < 0 {{ string = slack; }} }}
            }}
        }}"
    )
}

/// Why a text is not accepted: the code, the message, the help and the notes of the first error.
fn rejection(text: &str) -> (String, String, String) {
    let found = match dae::symbolic::Text::read_text(text) {
        Err(rejection) => rejection.diagnostics,
        Ok(text) => match dae::symbolic::modes::compile_modes(&text, None, 0.0) {
            Err(rejected) => rejected.diagnostics,
            Ok(_) => panic!("accepted"),
        },
    };
    let first = found.iter().next().expect("an error");
    let notes = format!("{:?} {:?}", first.help, first.notes);
    (first.code.text().to_string(), first.message.clone(), notes)
}

#[test]
fn a_string_that_becomes_taut_needs_a_law() {
    let (code, message, notes) = rejection(&cup_and_ball(""));
    assert_eq!(code, "E443");
    assert_eq!(message, "what `der(x)` and `der(y)` are when `string = taut` is entered is left open");
    assert!(notes.contains("inelastic;"), "{notes}");
}

#[test]
fn a_string_that_becomes_taut_takes_the_radial_velocity() {
    let text = cup_and_ball("inelastic;");
    for form in ["original", "index1", "ggl", "index2"] {
        let Some(ball) = available(&text, form) else { continue };
        for method in METHODS {
            let refused = form == "original" && method == Method::Bdf;
            if refused {
                continue;
            }
            let solution = run(ball.as_ref(), method, 1e-10, 6.0);
            let taut: Vec<_> = solution.modes.iter().filter(|it| it.mode == "string = taut").collect();
            assert!(taut.len() > 2, "{form}, {method:?}: {:?}", solution.modes);
            for entered in taut {
                let before = solution.occurrences.iter().find(|it| it.t == entered.t).expect("an event");
                let at = |name: &str| before.state[solution.names.iter().position(|it| it == name).expect("known")];
                let after = |name: &str| {
                    let jump = entered.jumps.iter().find(|it| it.unknown == name);
                    jump.map_or(at(name), |it| it.after)
                };
                let [x, y, u, v] = ["x", "y", "u", "v"].map(at);
                let energy = |u: f64, v: f64| u * u + v * v;
                let radial = (x * u + y * v) / (x * x + y * y).sqrt();
                let lost = energy(u, v) - energy(after("u"), after("v"));
                assert!((lost - radial * radial).abs() < 1e-12 * energy(u, v).max(1.0), "{form}, {method:?}: {lost}");
            }
            let length = last(&solution, "x").powi(2) + last(&solution, "y").powi(2);
            assert!(length < 1.0 + 1e-8, "{form}, {method:?}: {length}");
        }
    }
}

/// A three-phase bridge of six thyristors behind inductances, with a load of a resistor and an inductance: `on` and `off`
/// for each thyristor. A thyristor begins to conduct when its gate is open and its voltage positive, and ends when its
/// current would become negative.
fn bridge() -> String {
    let mut text = String::from(
        "struct Bridge {
            param e = 325; param w = 314.1592653589793; param l = 1e-3; param r = 10; param ld = 0.05; param alpha = 0.5;
            var ia; var ib; var ic; var ua; var ub; var uc; var p; var n; var id = 0;
            ia = i1 - i4; ib = i3 - i6; ic = i5 - i2;
            l * der(ia) = e * cos(w * t) - ua;
            l * der(ib) = e * cos(w * t - 2 * PI / 3) - ub;
            l * der(ic) = e * cos(w * t + 2 * PI / 3) - uc;
            v1 = ua - p; v3 = ub - p; v5 = uc - p;
            v4 = n - ua; v6 = n - ub; v2 = n - uc;
            id = i1 + i3 + i5;
            id = i4 + i6 + i2;
            ld * der(id) = p - n - r * id;",
    );
    for k in 1..=6 {
        // The gate of thyristor k is open for a sixth of a period from its firing angle on.
        let angle = f64::from(k - 2) * std::f64::consts::PI / 3.0 + std::f64::consts::PI / 6.0;
        let start = if k == 1 || k == 6 { "on" } else { "off" };
        text.push_str(&format!(
            "var i{k}; var v{k};
            modes th{k} = {start} {{
                off {{ i{k} = 0; when cos(w * t - alpha - {angle:?}) > 0.8660254037844386 && v{k} > 0 {{ th{k} = on; }} }}
                on {{ v{k} = 0; when i{k} < 0 {{ th{k} = off; }} }}
            }}"
        ));
    }
    text + "}"
}

#[test]
fn a_bridge_commutates() {
    let text = bridge();
    let bridge = system(&text, "index1");
    for method in METHODS {
        let solution = run(bridge.as_ref(), method, 1e-6, 0.1);
        // Each thyristor conducts once in each of five periods, which makes twelve changes in a period.
        assert_eq!(solution.modes.len(), 1 + 5 * 12, "{method:?}");
        for pair in solution.modes.windows(2) {
            let on = |mode: &str| mode.matches("= on").count();
            let (before, after) = (on(&pair[0].mode), on(&pair[1].mode));
            // Two conduct, and three while the current passes from one to the next.
            assert!(matches!((before, after), (2, 3) | (3, 2)), "{method:?}: {pair:?}");
        }
    }
}

/// A ball comes to rest at the time at which its impacts accumulate, and is lifted off again.
#[test]
fn a_ball_comes_to_rest() {
    let text = "struct Ball {
        param e = 0.7; param g = 9.81;
        var h = 1; var v = 0; var f;
        der(h) = v;
        der(v) = f - g + if t > 4 { 20 } else { 0 };
        modes ball {
            flying {
                f = 0;
                when h < 0 { v = -e * pre(v); limit { ball = resting; note \"at rest\"; } }
            }
            resting { h = 0; when f < 0 { ball = flying; } }
        }
    }";
    for form in ["original", "index1", "ggl", "index2"] {
        let Some(ball) = available(text, form) else { continue };
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let solution = run(ball.as_ref(), method, 1e-9, 5.0);
            let [_, rest, flight] = &solution.modes[..] else { panic!("{form}, {method:?}: {:?}", solution.modes) };
            assert!((rest.t - 2.558633965585808).abs() < 1e-9, "{form}, {method:?}: {}", rest.t);
            assert!((flight.t - 4.0).abs() < 1e-9, "{form}, {method:?}: {}", flight.t);
            let limit = solution.occurrences.iter().find(|it| it.event == "h < 0 at its limit").expect("the limit");
            assert_eq!(limit.message.as_deref(), Some("at rest"));
            assert_eq!(solution.value("h", 3.0).map(|h| h.abs() < 1e-12), Some(true));
            assert!((last(&solution, "h") - 0.5 * 10.19).abs() < 1e-7, "{form}, {method:?}: {}", last(&solution, "h"));
        }
    }
}

/// A rectifier: the current through the diode and the voltage that it holds back are complementary.
#[test]
fn a_diode_rectifies() {
    let text = "struct Rectifier {
        param r = 10; param c = 0.01; param l = 1e-3;
        var i = 0; var u = 0; var d;
        l * der(i) = sin(100 * t) - u + d;
        c * der(u) = i - u / r;
        complementary diode(i, d);
    }";
    for form in ["index1", "ggl", "index2"] {
        let Some(rectifier) = available(text, form) else { continue };
        for method in METHODS {
            let solution = run(rectifier.as_ref(), method, 1e-8, 0.5);
            let place = |name: &str| solution.names.iter().position(|known| known == name).expect("an unknown");
            let [i, d] = ["i", "d"].map(place);
            for (t, state) in solution.iter() {
                assert!(
                    state[i] > -1e-6 && state[d] > -1e-6,
                    "{form}, {method:?}: {} and {} at {t}",
                    state[i],
                    state[d]
                );
                assert!(state[i].abs() < 1e-9 || state[d].abs() < 1e-9);
            }
            // At the start, and twice in each of the periods, of which there are nearly eight.
            assert_eq!(solution.modes.len(), 17, "{form}, {method:?}: {:?}", solution.modes);
        }
    }
}

/// Alternatives whose conditions hold together enter one another without end.
#[test]
fn changes_of_mode_come_to_an_end() {
    let heater = |on: &str, off: &str| {
        format!(
            "struct Heater {{ var x = 20; var p; der(x) = p - 0.1 * x;
            modes heater {{ off {{ p = 0; when {on} {{ heater = on; }} }} on {{ p = 5; when {off} {{ heater = off; }} }} }} }}"
        )
    };
    let (code, message, _) = rejection(&heater("x < 22", "2 * x > 40"));
    assert_eq!(code, "E444");
    assert_eq!(message, "`x < 22` and `2 * x > 40` can hold together, and enter one another's modes without end");
    // With a distance between the bounds, they cannot, for the default values of parameters.
    for (on, off) in
        [("x < low", "x > high"), ("x < mid - band", "x > mid + band"), ("x - mid < -abs(band)", "x > high")]
    {
        let parameters = "param low = 20; param high = low + 2; param mid = 21; param band = 0.5;";
        let text = heater(on, off).replace("var x", &format!("{parameters} var x"));
        assert!(run(system(&text, "index1").as_ref(), Method::Radau, 1e-8, 10.0).modes.len() > 5, "{on}, {off}");
        let crossed = text.replace("low + 2", "low - 2").replace("band = 0.5", "band = -0.5").replace("abs", "");
        let error = dae::symbolic::modes::compile_modes(&Text::read_text(&crossed).expect("readable"), None, 0.0);
        assert!(error.is_err_and(|it| it.diagnostics.to_string().contains("E444")), "{crossed}");
    }
    let heater = system(&heater("x < 20", "2 * x > 44"), "index1");
    let solution = run(heater.as_ref(), Method::Radau, 1e-8, 10.0);
    let inside = solution.iter().all(|(t, state)| t < 1.0 || state[0] > 20.0 - 1e-6 && state[0] < 22.0 + 1e-6);
    assert!(inside && solution.modes.len() > 5, "{:?}", solution.modes);
}

/// Mode variables that act on one another: a ring of relays that never settles does not compile, and names its relays; one
/// that hands on a request does, whichever of several events come first.
#[test]
fn changes_of_several_mode_variables_come_to_an_end() {
    let relays = |last: &str| {
        format!(
            "struct Relays {{ var x = 0; der(x) = 1;
            modes a {{ off {{ when x > 1 && {last} {{ a = on; }} }} on {{ when b == on {{ a = off; }} }} }}
            modes b {{ off {{ when a == on {{ b = on; }} }} on {{ when a == off {{ b = off; }} }} }} }}"
        )
    };
    let (code, message, _) = rejection(&relays("b == off"));
    assert_eq!(code, "E444");
    assert_eq!(
        message,
        "`x > 1 && b == off`, `a == on`, `b == on` and `a == off` can hold together, and enter one another's modes without end"
    );
    // One that waits for a threshold settles.
    let settles = "struct Relays { var x = 0; der(x) = 1;
        modes a { off { when x > 1 && b == off { a = on; } } on { when x > 2 && b == on { a = off; } } }
        modes b { off { when a == on { b = on; } } on { when x < 0 && a == off { b = off; } } } }";
    for method in METHODS {
        let solution = run(system(settles, "index1").as_ref(), method, 1e-8, 3.0);
        let entered: Vec<(f64, &str)> = solution.modes.iter().map(|it| (it.t.round(), it.mode.as_ref())).collect();
        let [off, a, both, b] = ["a = off, b = off", "a = on, b = off", "a = on, b = on", "a = off, b = on"];
        assert_eq!(entered, [(0.0, off), (1.0, a), (1.0, both), (2.0, b)], "{method:?}");
    }
    // Events that enter alternatives of others: three stations that pass a token once, and stop.
    let line = "struct Line { var x = 0; der(x) = 1;
        modes first { idle { when x > 1 { first = busy; } } busy { when x > 1 { second = busy; } } }
        modes second { idle { } busy { when x > 1 { third = busy; } } }
        modes third { idle { } busy { when x > 1 { note \"done\"; } } } }";
    for method in METHODS {
        let solution = run(system(line, "index1").as_ref(), method, 1e-8, 2.0);
        let last = solution.modes.last().expect("a mode");
        assert_eq!(last.mode, "first = busy, second = busy, third = busy");
        assert_eq!((solution.modes.len(), solution.occurrences.len()), (4, 4));
    }
}

/// Stick and slip: a block at rest on a belt, and its friction, whose direction is that of the motion.
#[test]
fn a_block_sticks_and_slips() {
    let text = "struct Block {
        param k = 1; param vb = 0.2; param stick = 1; param slip = 0.6;
        var x = 0; var v = 0.2; var f;
        der(x) = v;
        der(v) = f - k * x;
        modes block {
            sticking { v = vb; when f > stick { block = slipping; } }
            slipping { f = slip; when v > vb { block = sticking; } }
        }
    }";
    for form in ["original", "index1", "ggl"] {
        let Some(block) = available(text, form) else { continue };
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let solution = run(block.as_ref(), method, 1e-9, 30.0);
            let times: Vec<f64> = solution.modes.iter().map(|it| it.t).collect();
            // It begins to slip where the spring pulls with the force of static friction, and does so periodically:
            // sliding from x = 1 with v = 0.2, x = 0.6 + 0.4 cos t + 0.2 sin t, until v = 0.2 again.
            assert!((times[1] - 5.0).abs() < 1e-7, "{form}, {method:?}: {times:?}");
            assert!((times[2] - times[1] - slide_time()).abs() < 1e-7, "{form}, {method:?}: {times:?}");
            assert!((times[3] - times[2] - (times[5] - times[4])).abs() < 1e-7, "{form}, {method:?}: {times:?}");
        }
    }
}

/// The time after which $-0.4 \sin t + 0.2 \cos t = 0.2$ again, for the first time.
fn slide_time() -> f64 {
    // With tan(t/2) = s: -0.8 s + 0.2 - 0.2 s² = 0.2 + 0.2 s², so that s = -2.
    2.0 * (std::f64::consts::PI - 2.0_f64.atan())
}

/// The failure of a run by Radau5 in the form index1.
fn failure(text: &str) -> String {
    match Integration::new(system(text, "index1").as_ref()).run(0.0, 3.0) {
        Ok(solution) => panic!("{:?}", solution.modes),
        Err(error) => error.to_string(),
    }
}

/// An impulse that is multiplied by itself has no strength, and a state without a value cannot be invented.
#[test]
fn what_is_not_defined_at_a_change_ends_the_run() {
    let squared = "struct Shafts { var w1 = 8; var w2 = 0; var tau;
        der(w1) = -tau - tau.powi(3); 3 * der(w2) = tau + tau.powi(3);
        modes clutch {
            free { tau = 0; when t >= 1 && t < 2 { clutch = engaged; } }
            engaged { w1 = w2; when t >= 2 { clutch = free; } }
        } }";
    let message = failure(squared);
    assert!(message.contains("an impulse occurs nonlinearly"), "{message}");
    // Only the sum of the two rates follows from the equations.
    let rates = "struct Rates { var x; var z; var u = 0; var f; der(u) = 1;
        modes state {
            given { x = sin(u); z = 1 - x; f = 0; when t >= 1 { state = moving; inelastic; } }
            moving { der(x, 2) = f; der(z, 2) = f - u; x + z = 1; }
        } }";
    let message = failure(rates);
    assert!(message.contains("has no value before, and the equations do not determine it"), "{message}");
}

/// The value before a jump is that before the event, also of what the event sets.
#[test]
fn jumps_are_those_of_the_event() {
    let text = "struct A { var x = 1; var y; der(x) = 1;
        modes state { a { y = x; when t >= 1 { state = b; x = 5; } } b { y = -x; } } }";
    let solution = run(system(text, "index1").as_ref(), Method::Radau, 1e-9, 2.0);
    let jump = solution.modes[1].jumps.iter().find(|it| it.unknown == "x").expect("a jump");
    assert!((jump.before - 2.0).abs() < 1e-9 && jump.after == 5.0, "{jump:?}");
    assert!((last(&solution, "y") + 6.0).abs() < 1e-9);
}

/// An equation that gives a compared quantity its value decides the comparison; a mode with a wrong number of equations is
/// named.
#[test]
fn findings_about_modes_are_right() {
    let decided = "struct A { var x = 0; var f; der(x) = f;
        modes state { a { f = 0; when f > 2 { state = b; } } b { f = 3; when f > 1 && x > 9 { state = a; } } } }";
    assert!(available(decided, "index1").is_some());
    let unbalanced = "struct A { var x = 0; var f; der(x) = f;
        modes state { a { f = 1; when x > 1 { state = b; } } b { f = 2; x = 3; } } }";
    let (_, message, notes) = rejection(unbalanced);
    assert!(message.contains("equations") && notes.contains("in the mode `state = b`"), "{message}: {notes}");
}

/// What depends on the mode may say so in conditions: of equations, of sub-expressions, and of events, which occur as the
/// mode is entered.
#[test]
fn conditions_may_ask_for_the_mode() {
    let text = "struct Heater {
        var x = 20; var power; discrete on_count = 0; discrete alarms = 0;
        let loss = 0.1 * (if heater != on { x } else { 2 * x });
        power = if heater == on { 9 } else { 0 };
        der(x) = power - loss;
        modes heater {
            off { when x < 18 { heater = on; } }
            on { when x > 22 { heater = off; } }
        }
        when heater == on { on_count = pre(on_count) + 1; }
        when heater == off && t > 1.5 { alarms = pre(alarms) + 1; }
    }";
    // Cooling from 20 to 18, heating to 22 with x' = 9 - 0.2 x, cooling from 22 to 18, …
    let (first, up, down) =
        (10.0 * (20.0_f64 / 18.0).ln(), 5.0 * ((45.0 - 18.0) / (45.0 - 22.0_f64)).ln(), 10.0 * (22.0_f64 / 18.0).ln());
    for form in ["original", "index1", "ggl", "underlying"] {
        let Some(heater) = available(text, form) else { continue };
        for method in METHODS {
            let solution = run(heater.as_ref(), method, 1e-9, 10.0);
            let times: Vec<f64> = solution.modes.iter().map(|it| it.t).collect();
            let expected =
                [0.0, first, first + up, first + up + down, first + 2.0 * up + down, first + 2.0 * (up + down)];
            for (k, expected) in expected.iter().take_while(|t| **t < 10.0).enumerate() {
                assert!((times[k] - expected).abs() < 1e-7, "{form}, {method:?}: {times:?}");
            }
            let entered = solution.modes.iter().filter(|it| it.mode.contains("= on")).count();
            assert_eq!(last(&solution, "on_count"), entered as f64, "{form}, {method:?}");
            // Once as the time comes, if the heater is off then, and whenever it goes off later.
            let off = solution.modes.iter().filter(|it| it.mode.contains("= off") && it.t > 1.5).count();
            let is_off = expected.partition_point(|t| *t <= 1.5) % 2 == 1;
            assert_eq!(last(&solution, "alarms"), (off + usize::from(is_off)) as f64, "{form}, {method:?}");
        }
    }
    let with = |condition: &str| text.replace("heater != on", condition);
    let (code, message, _) = rejection(&with("heater != onn"));
    assert_eq!((code.as_str(), message.as_str()), ("E442", "`heater` has no alternative `onn`"));
    let (code, ..) = rejection(&with("heater > 1"));
    assert_eq!(code, "E106");
    // Parameters are the same in all modes, and an argument of a function hides a mode variable.
    assert_eq!(
        rejection(&text.replace("var x = 20;", "param p = if heater == on { 1 } else { 2 }; var x = 20;")).0,
        "E106"
    );
    let hidden = text.replace("let loss", "fn same(heater, on) { if heater == on { 1 } else { 0 } } let loss");
    assert_eq!(rejection(&hidden.replace("heater != on", "same(x, 1) > 0")).0, "E005");
    // A sub-expression that asks for the mode decides a condition, too.
    let through = text.replace("when heater == on {", "let hot = if heater == on { 1 } else { 0 }; when hot > 0.5 {");
    let solution = run(system(&through, "index1").as_ref(), Method::Radau, 1e-9, 10.0);
    let entered = solution.modes.iter().filter(|it| it.mode.contains("= on")).count();
    assert_eq!(last(&solution, "on_count"), entered as f64);
    // The same text of an equation is another constraint in another mode, which needs a law.
    let bead = "struct Bead { var x = 1; var y = 0; var u = 0; var v = 1; var f;
        der(x) = u; der(y) = v; der(u) = f; der(v) = -f - 1;
        y = if side == right { x - 1 } else { 0 };
        modes side { right { when x > 2 { side = left; } } left { when t > 5 { side = right; inelastic; } } } }";
    assert_eq!(rejection(bead).0, "E443");
}

/// The form index1 of a text, whose modes are analysed as a run enters them.
fn on_entry(text: &str) -> Box<dyn Dae> {
    let form = Form::Index1;
    let text = Rc::new(Text::read_text(text).expect("readable"));
    let start = compile_start(&text, Some(std::slice::from_ref(&form)), 0.0).expect("well-posed at the start");
    formulation_on_entry(&text, &start, &form, &[]).expect("a form")
}

/// Coils and capacitors behind a source, with an ideal diode in each of `n` stages.
fn ladder(n: usize) -> String {
    let stage = |k: usize| {
        let source = if k == 0 { "5 * sin(10 * t)".to_string() } else { format!("u{}", k - 1) };
        let next = if k + 1 < n { format!(" - i{}", k + 1) } else { String::new() };
        format!(
            "var i{k} = 0; var u{k} = 0; var v{k};
            l * der(i{k}) = {source} - u{k} + v{k};
            c * der(u{k}) = i{k}{next} - u{k} / r;
            complementary d{k}(i{k}, v{k});\n"
        )
    };
    let stages: String = (0..n).map(stage).collect();
    format!("struct Ladder {{ param l = 0.01; param c = 0.02; param r = 2; {stages} }}")
}

#[test]
fn modes_may_be_analysed_as_they_are_entered() {
    let (mut before, mut later) = (system(&ladder(3), "index1"), on_entry(&ladder(3)));
    for parameters in [[0.01, 0.02, 2.0], [0.02, 0.03, 1.0]] {
        [&mut before, &mut later].into_iter().for_each(|dae| dae.set_parameters(&parameters));
        for method in METHODS {
            let (expected, found) = (run(before.as_ref(), method, 1e-7, 1.0), run(later.as_ref(), method, 1e-7, 1.0));
            assert_eq!(found.modes, expected.modes, "{method:?}");
            let unknowns = ["i0", "u0", "v0", "i2", "u2", "v2"];
            assert_eq!(unknowns.map(|it| last(&found, it)), unknowns.map(|it| last(&expected, it)), "{method:?}");
        }
    }
    // Of 4,096 modes, a run enters a few.
    let solution = run(on_entry(&ladder(12)).as_ref(), Method::Radau, 1e-6, 0.5);
    assert!(solution.modes.len() > 10 && solution.names.len() == 36, "{:?}", solution.names);
    // What does not compile ends a run where it enters the mode.
    let string = "struct Stone {
        var x = 0.5; var y = 0; var u = 1; var v = 0; var pull;
        der(x) = u; der(y) = v; der(u) = -pull * x; der(v) = -pull * y - 1;
        modes string {
            slack { pull = 0; when x.powi(2) + y.powi(2) > 1 { string = taut; } }
            taut { x.powi(2) + y.powi(2) = 1; when pull < 0 { string = slack; } }
        }
    }";
    assert_eq!(rejection(string).0, "E443");
    let error = Integration::new(on_entry(string).as_ref()).run(0.0, 3.0).expect_err("no law").to_string();
    assert!(error.contains("when `string = taut` is entered is left open"), "{error}");
}

/// Values of an unknown at the end of a run of a model with modes, by both methods.
fn ends(text: &str, name: &str, t_end: f64) -> [f64; 2] {
    METHODS.map(|method| last(&run(system(text, "index1").as_ref(), method, 1e-9, t_end), name))
}

/// What several events at one time do to one another, across a change of mode.
#[test]
fn events_at_the_time_of_a_change_occur_once_each() {
    let near = |found: [f64; 2], expected: f64| {
        assert!(found.iter().all(|found| (found - expected).abs() < 1e-7), "{found:?}, not {expected}");
    };
    // A discrete variable at the zero of a condition is set together with the mode.
    let alarm = "struct S { var x = 0; var z = 0; discrete alarm = 0; der(x) = 1;
        modes m { a { der(z) = 0; when x > 1 { m = b; alarm = 1; } } b { der(z) = 1; } }
        when alarm > 0 { z = 10; } }";
    near(ends(alarm, "z", 2.0), 11.0);
    // The condition of an event outside is at a rounding error below its zero as another event follows.
    let twice = "struct S { var x = 0; var z = 0; discrete alarm = 0; discrete n = 0; der(x) = 1;
        modes m { a { der(z) = 0; } b { der(z) = 1; } }
        when x > 1 { m = b; alarm = 1; n = pre(n) + 1; }
        when alarm > 0.5 { z = 10; } }";
    near(ends(twice, "z", 2.0), 11.0);
    near(ends(twice, "n", 2.0), 1.0);
    // A condition that a change has made true, and from which the motion leads back.
    let reset = "struct S { var x = 0; var y = -0.5; discrete n = 0; der(x) = 1;
        modes m { a { der(y) = 0; } b { der(y) = -0.1; } }
        when x > 1 { y = 0.3; }
        when y > 0 { m = b; n = pre(n) + 1; } }";
    near(ends(reset, "n", 5.0), 1.0);
    near(ends(reset, "y", 5.0), -0.1);
    // Integer parts that another event carries beyond the next integer, with and without a change of mode.
    for (to, y) in [(5.5, 3.0), (0.5, 1.0)] {
        let floors = format!(
            "struct S {{ var x = 0; var y = 0; modes m {{ a {{ der(x) = 1; }} b {{ der(x) = 1; }} }}
            when x >= 2 {{ m = b; x = {to:?}; }} der(y) = floor(x); }}"
        );
        near(ends(&floors, "y", 2.4), y);
        let without = format!(
            "struct S {{ var x = 0; var y = 0; der(x) = 1; when x >= 2 {{ x = {to:?}; }} der(y) = floor(x); }}"
        );
        near(ends(&without, "y", 2.4), y);
    }
}
