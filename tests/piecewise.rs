//! Piecewise models: solutions with known values, switching functions, and warnings where index reduction
//! differentiates a kink.

use dae::runtime::solution::Enforcement;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Dae, Failure, Integration, Method, Record, RunError, Status};

/// Four diodes that conduct like resistors above a knee voltage, with a load between their outputs.
mod bridge {
    dae::dae! {
        /// Diode bridge.
        pub struct Bridge {
            param knee = 0.5;
            param on = 0.1;
            param off = 1e6;
            param load = 10;
            /// Of each output against the ground.
            param c = 1e-6;
            input source = 5 * sin(t);
            fn diode(v) { if v > knee { (v - knee) / on + knee / off } else { v / off } }
            /// The outputs of the bridge.
            var plus = 0;
            var minus = 0;
            /// The inner end of the source; the outer one is the ground.
            var a ~ 0;
            /// Charge that has passed through the load.
            var charge = 0;
            let through = (plus - minus) / load;
            c * der(plus) = diode(a - plus) + diode(-plus) - through;
            c * der(minus) = through - diode(minus - a) - diode(minus);
            a = source;
            der(charge) = through;
        }
    }
}

#[test]
fn a_bridge_rectifies() {
    let model = bridge::Bridge::default();
    let form = model.index1();
    let end = std::f64::consts::PI;
    // Small steps, so that the accuracy does not depend on the location of kinks.
    let solution = Integration::new(&form).rtol(1e-7).atol(1e-7).max_step(0.01).run(0.0, end).unwrap();
    assert!(solution.is_success(), "{}", solution.status);
    // While two diodes conduct, |u| = 2 knee + (load + 2 on) i; otherwise next to nothing flows.
    let (knee, resistance) = (0.5, 10.0 + 2.0 * 0.1);
    let start = f64::asin(2.0 * knee / 5.0);
    let charge = (2.0 * 5.0 * start.cos() - 2.0 * knee * (end - 2.0 * start)) / resistance;
    let found = solution.end_state[3];
    assert!((found - charge).abs() < 1e-4, "{found} instead of {charge}");
}

#[test]
fn switching_functions_change_their_sign_with_the_branch() {
    let form = bridge::Bridge::default().index1();
    let d = form.description();
    let names: Vec<&str> = d.switches.iter().map(|s| s.name.as_ref()).collect();
    assert_eq!(names, ["plus - a + knee", "plus + knee", "minus - a - knee", "minus - knee"]);
    let mut values = vec![0.0; names.len()];
    // plus, minus, a, charge
    form.switching_functions(0.0, &[2.0, 0.75, 4.0, 0.0], &[0.0; 4], &mut values);
    assert_eq!(values, [-1.5, 2.5, -3.75, 0.25]);
}

/// A pulse of a millionth of the interval, which steps that grow while nothing happens would pass over; by every
/// method, in both directions, and with outputs in the middle of it.
#[test]
fn a_short_pulse_is_not_missed() {
    let compiled = compiled("input pulse = if t > 3 && t < 3.00001 { 1e5 } else { 0 }; var x = 0; der(x) = pulse - x;");
    let form = compiled.forms.iter().find(|form| form.form == Form::Index1).expect("a form");
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    assert!(system.description().switches.iter().all(|switch| switch.of_time));
    let (middle, end) = (3.000005, 10.0);
    // The pulse raises x from 0 to 1e5 (1 - exp(-1e-5)).
    let exact =
        |t: f64| 1e5 * (if t < 3.00001 { 1.0 - f64::exp(3.0 - t) } else { f64::exp(3.00001 - t) - f64::exp(3.0 - t) });
    for method in [Method::Radau5, Method::Radau, Method::Bdf] {
        let run = || Integration::new(&system).method(method).rtol(1e-8).atol(1e-10);
        let solution = run().record(Record::At(vec![middle, end])).run(0.0, end).unwrap();
        assert!(solution.is_success(), "{}", solution.status);
        for (t, expected) in [(middle, exact(middle)), (end, exact(end))] {
            let found = solution.value("x", t).expect("recorded");
            assert!((found - expected).abs() < 1e-7, "{method:?}: x({t}) = {found}, {expected}");
        }
        let back = run().run_from(end, &[exact(end)], &[-exact(end)], 0.0).unwrap();
        assert!(back.is_success() && back.end_state[0].abs() < 1e-4, "{method:?}: {:?}", back.end_state);
    }
}

/// Between two switches the branch is that of the interior, whether the comparisons are strict or not. Single pulses,
/// many pulses, and a switch at the end of the run.
#[test]
fn pulses_keep_their_area() {
    // The time in each period for which sin t > 0.999.
    let narrow = 2.0 * f64::acos(0.999);
    for (text, end, exact) in [
        ("if t > 500 && t < 500.001 { 1000 } else { 0 }", 1000.0, 1000.0 * (500.001 - 500.0)),
        ("if t >= 1 && t <= 1.01 { 100 } else { 0 }", 10.0, 1.0),
        ("if sin(t) > 0.999 { 1 } else { 0 }", 30.0 * std::f64::consts::TAU, 30.0 * narrow),
        ("if sin(70 * t) > 0 { 1 } else { 0 }", std::f64::consts::TAU, std::f64::consts::PI),
        ("if t < 1 { 1 } else { 0 }", 1.0, 1.0),
    ] {
        let compiled = compiled(&format!("var x = 0; der(x) = {text};"));
        let form = compiled.forms.iter().find(|form| form.form == Form::Index1).expect("a form");
        let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            for record in [Record::Steps, Record::Dense, Record::At(vec![end])] {
                let solution =
                    Integration::new(&system).method(method).rtol(1e-7).atol(1e-9).record(record).run(0.0, end);
                let solution = solution.unwrap();
                assert!(solution.is_success(), "{text} by {method:?}: {}", solution.status);
                let found = solution.value("x", end).expect("recorded");
                assert!((found - exact).abs() < 1e-6, "{text} by {method:?}: {found} instead of {exact}");
            }
        }
    }
}

/// A pendulum that is pushed twice, by a jump and by kinks, in forms of every index.
#[test]
fn pushes_on_a_constrained_system() {
    let compiled = compiled(
        "input push = if t > 1 && t < 1.2 { 3 } else { 0 } - max(0, min(t - 2, 3 - t));
         var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lambda ~ 0;
         der(x) = u; der(y) = v; der(u) = -lambda * x + push; der(v) = -lambda * y - 9.81; 0 = x * x + y * y - 1;",
    );
    let mut ends = Vec::new();
    for form in &compiled.forms {
        let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            if form.form == Form::Original && method == Method::Bdf {
                continue;
            }
            let solution = Integration::new(&system).method(method).rtol(1e-9).atol(1e-9).run(0.0, 4.0).unwrap();
            assert!(solution.is_success(), "{} by {method:?}: {}", form.form, solution.status);
            let end: [f64; 4] = ["x", "y", "u", "v"].map(|name| solution.value(name, 4.0).expect("an unknown"));
            ends.push((format!("{} by {method:?}", form.form), end));
        }
    }
    for (label, end) in &ends {
        let error = end.iter().zip(&ends[1].1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // In the original form of index 3, velocities have a lower order of convergence.
        let allowed = if label.starts_with("original") { 2e-4 } else { 1e-6 };
        assert!(error < allowed, "{label}: {error:e}");
    }
}

/// The index-1 form of a capacitor at a voltage source contains the derivative of the voltage, which jumps where the
/// voltage has a kink, and algebraic unknowns jump with it.
#[test]
fn algebraic_unknowns_may_jump_at_kinks_of_inputs() {
    let compiled = compiled(
        "input v = min(1, max(0, t - 1)); var q ~ 0; var i ~ 0; var heat = 0; q = v; der(q) = i; der(heat) = i * i;",
    );
    for form in &compiled.forms {
        let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            let run = Integration::new(&system).method(method).rtol(1e-8).atol(1e-8);
            let solution = run.record(Record::Dense).run(0.0, 3.0).unwrap();
            assert!(solution.is_success(), "{} by {method:?}: {}", form.form, solution.status);
            let value = |name: &str, t: f64| solution.value(name, t).expect("an unknown");
            assert!((value("heat", 3.0) - 1.0).abs() < 1e-5, "{} by {method:?}: {}", form.form, value("heat", 3.0));
            assert!(
                (value("i", 1.5) - 1.0).abs() < 1e-6 && value("i", 0.5).abs() < 1e-6 && value("i", 2.5).abs() < 1e-6
            );
        }
    }
}

/// Where the equations jump as unknowns change, a step ends and the method is restarted, so that jumps cost neither
/// accuracy nor many steps.
#[test]
fn steps_end_at_jumps() {
    // Arcs around x = 0.5 and x = -0.25, from x = 1.2 on.
    let outer = (0.7f64.powi(2) - 0.5f64.powi(2) + 0.25f64.powi(2)).sqrt();
    let period = 2.0 * f64::acos(-0.5 / 0.7) + 2.0 * (std::f64::consts::PI - f64::acos(0.25 / outer));
    let on_a_line = "var x = 0; var y; var u = 0; var v; var lambda; der(x) = u; der(y) = v;
        der(u) = (if x < 0.5 { 2 } else { -2 }) - lambda; der(v) = lambda; x = y;";
    for (text, end, exact) in [
        ("var x = 1; der(x) = if x > 0.5 { -1 } else { -3 };", 3.0, -7.0),
        ("var x = 1; var w; der(x) = -w; w = if x > 0.5 { 1 } else { 3 };", 3.0, -7.0),
        // The switching function jumps as well.
        ("var x = 1; var w; der(x) = -w; w + x = if w + x > 1.5 { x + 1 } else { x + 3 };", 0.4, 0.6),
        ("var x = 1.2; var v = 0; der(x) = v; der(v) = -x + if x > 0 { 0.5 } else { -0.25 };", 5.0 * period, 1.2),
        (on_a_line, 4.5, 0.125),
    ] {
        let compiled = compiled(text);
        for form in compiled.forms.iter().filter(|form| form.form != Form::Original) {
            let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
            assert!(system.description().switches[0].jumps);
            for method in [Method::Radau5, Method::Radau, Method::Bdf] {
                let solution = Integration::new(&system).method(method).rtol(1e-7).atol(1e-7).run(0.0, end).unwrap();
                assert!(solution.is_success(), "{text}, {} by {method:?}: {}", form.form, solution.status);
                let error = (solution.end_state[0] - exact).abs();
                assert!(error < 1e-5, "{text}, {} by {method:?}: {error:e}", form.form);
                let statistics = solution.statistics;
                println!("{} {method:?}: {error:.1e}, {statistics:?}", form.form);
                assert!(statistics.steps < 1500 && statistics.error_rejections < 100, "{text}: {statistics:?}");
            }
        }
    }
}

/// Where the equations on both sides lead back to the switch, the solution stays there.
#[test]
fn where_both_sides_lead_back_a_run_stays() {
    // A body on a spring with dry friction, whose amplitude falls by twice the force in each half-swing: 1.05, -0.85,
    // ..., -0.05, where it rests after five half-swings.
    let friction = "var x = 1.05; var v = 0; der(x) = v; der(v) = -x - 0.1 * signum(v);";
    let relay = "var v = 1; der(v) = if v > 0 { -1 } else { 1 };";
    for (text, stop, end) in [(friction, 5.0 * std::f64::consts::PI, &[0.05, 0.0][..]), (relay, 1.0, &[0.0])] {
        let compiled = compiled(text);
        let form = compiled.forms.iter().find(|form| form.form == Form::Index1).expect("a form");
        let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            let solution = Integration::new(&system).method(method).rtol(1e-8).atol(1e-8).run(0.0, 20.0);
            let solution = solution.unwrap_or_else(|error| panic!("{text} by {method:?}: {error}"));
            let slide = solution.slides.last().expect("it stays there");
            assert!((slide.begin - stop).abs() < 1e-5 && slide.switch == "v", "{text} by {method:?}: {slide:?}");
            let is_near = |(found, exact): (&f64, &f64)| (found.abs() - exact).abs() < 1e-6;
            assert!(solution.end_state.iter().zip(end).all(is_near), "{text} by {method:?}: {:?}", solution.end_state);
        }
    }
}

/// Where the equations of both sides lead back and the form does not say what lies between, the failure says so.
#[test]
fn chattering_ends_a_run() {
    let (model, _) = read_text("struct M { var v = 1; der(v) = if v > 0 { -1 } else { 1 }; }").expect("a model");
    let compiled = compile(model.with_forms(["derivative_array".parse().expect("a form")]), 0.0).expect("a form");
    let form = &compiled.forms[0];
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let system = system.completed(form.formulation.completion);
    for method in [Method::Radau5, Method::Bdf] {
        let error = Integration::new(&*system).method(method).rtol(1e-8).atol(1e-8).run(0.0, 20.0).unwrap_err();
        let RunError::Stopped { failure: Failure::Chattering { t, switch, .. }, solution } = &error else {
            panic!("{method:?}: {error}")
        };
        assert!((t - 1.0).abs() < 1e-5 && switch == "v", "{method:?}: {error}");
        assert_eq!(solution.times.last(), Some(t), "what was computed is kept");
        assert!(error.to_string().contains("no equations for what lies between"), "{error}");
    }
}

/// A step that begins just before a zero of a switching function, where errors of the state decide its sign, does not
/// pass over the zeros that follow.
#[test]
fn no_tooth_of_a_comb_is_passed_over() {
    let compiled = compiled(
        "var x = 10; der(x) = -x / 4; var v = 0; var y; y = if sin(42.04 * x) > -0.7942 { 1 } else { -0.5 }; der(v) = y;",
    );
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    // Between -a and pi + a the sine is above -0.7942, and x falls to a smaller value in 4 ln of their ratio.
    let (a, t_end) = (0.7942_f64.asin(), 9.5);
    let (first, last) = (420.4 * f64::exp(-t_end / 4.0), 420.4);
    let teeth = (0..).map(|k| std::f64::consts::TAU * f64::from(k)).take_while(|tooth| tooth - a < last);
    let above: f64 = teeth
        .map(|tooth| [(tooth - a).max(first), (tooth + std::f64::consts::PI + a).min(last)])
        .filter(|[from, to]| from < to)
        .map(|[from, to]| 4.0 * (to / from).ln())
        .sum();
    let exact = above - 0.5 * (t_end - above);
    for method in [Method::Radau5, Method::Radau, Method::Bdf] {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-9] {
            let run = Integration::new(&system).method(method).rtol(tolerance).atol(tolerance).run(0.0, t_end);
            let solution = run.expect("the start is consistent");
            let error = (solution.value("v", t_end).expect("an unknown") - exact).abs();
            let is_right = solution.is_success() && error < 100.0 * tolerance * exact;
            assert!(is_right, "{method:?} at {tolerance:.0e}: {error:e}, {}", solution.status);
        }
    }
}

/// Runs a model in all its forms by three methods, and checks every solution.
fn runs(text: &str, end: f64, check: impl Fn(&str, &dae::Solution)) {
    let compiled = compiled(text);
    assert!(!compiled.forms.is_empty(), "{text}");
    for form in &compiled.forms {
        let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            let run = Integration::new(&system).method(method).rtol(1e-6).atol(1e-6).run(0.0, end);
            let solution = run.or_else(RunError::into_solution).unwrap();
            check(&format!("{text}, {} by {method:?}: {}", form.form, solution.status), &solution);
        }
    }
}

/// A run ends where a branch begins that has more or fewer degrees of freedom, at the start or later.
#[test]
fn changes_of_the_degrees_of_freedom_end_a_run() {
    for (text, stop, freedom) in [
        ("var y = 0.5; var w; der(y) = w; 0 = if t > 0 { y - sin(t) } else { w - 1 - y };", 0.0, [1, 0]),
        ("var y = 0.5; var w; der(y) = w; 0 = if t > 1 { y - sin(t) } else { w - 1 - y };", 1.0, [1, 0]),
        ("var y; var w; der(y) = w; 0 = if t > 1 { w - 1 - y } else { y - sin(t) };", 1.0, [0, 1]),
        (
            "var z = 0; var y = 0.5; var w; der(z) = 1; der(y) = w; 0 = if z > 1 { y - sin(t) } else { w - 1 - y };",
            1.0,
            [2, 1],
        ),
        (
            "var z = 0; var y; var w; der(z) = 1; der(y) = w; 0 = if z > 1 { w - 1 - y } else { y - sin(t) };",
            1.0,
            [1, 2],
        ),
    ] {
        runs(text, 2.0, |what, solution| {
            let Status::Stopped(Failure::FreedomChanges { t, before, after, .. }) = &solution.status else {
                panic!("{what}")
            };
            assert!((t - stop).abs() < 1e-5 && [*before, *after] == freedom, "{what}");
        });
    }
}

/// Jumps of given functions, and of coefficients however stiff one side is, do not change the degrees of freedom.
#[test]
fn branches_with_the_same_degrees_of_freedom_are_gone_through() {
    for (text, end) in [
        ("var y; var x = 0; var z; der(x) = 1; der(y) = z; y = if x < 1 { x } else { 2 * x };", 6.0),
        ("var y; var w; der(y) = w; y = if t > 0 { 2 * t } else { t };", 6.0),
        ("var y = 1; var i; der(y) = -i; i = if t > 1 { 1e9 * y } else { 1e-9 * y };", 0.0),
        ("var x = 0; var y = 0; der(x) = 1; (if x > 1 { 1e-9 } else { 1 }) * der(y) = x - y;", 3.0),
    ] {
        runs(text, 3.0, |what, solution| {
            // Where a constraint jumps and a form contains only its derivatives, the run cannot go on from its state.
            if let Status::Stopped(Failure::ConstraintLeft { t, .. }) = &solution.status {
                assert!(solution.invariants.iter().any(|it| it.enforcement == Enforcement::Implied), "{what}");
                assert!((t - 1.0).abs() < 1e-4, "{what}");
                return;
            }
            assert!(solution.is_success(), "{what}");
            let y = solution.names.iter().position(|name| name == "y").expect("y");
            assert!((solution.end_state[y] - end).abs() < 1e-4, "{what}: {}", solution.end_state[y]);
        });
    }
}

/// The solution of one form of a model by a run that starts, however it ends.
fn run(body: &str, form: &str, method: Method, tolerance: f64, end: f64) -> dae::Solution {
    let compiled = compiled(body);
    let form = compiled.forms.iter().find(|it| it.form.to_string() == form).expect("the form exists");
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let run = Integration::new(&system).method(method).rtol(tolerance).atol(tolerance).run(0.0, end);
    run.or_else(RunError::into_solution).expect("it starts")
}

/// Unstabilised index reduction drifts, and the run ends when half of the digits are lost; with the constraint enforced
/// it goes on.
#[test]
fn drift_that_costs_half_of_the_digits_ends_a_run() {
    let body = "var x ~ 1; var y = 0; var u ~ 0; var v = 0; var lambda ~ 0; der(x) = u; der(y) = v; \
                der(u) = -lambda * x; der(v) = -lambda * y - 9.81; x.powi(2) + y.powi(2) = 1;";
    let end = |form: &str| run(body, form, Method::Bdf, 1e-3, 200.0).status;
    assert!(matches!(end("index1"), Status::Stopped(Failure::ConstraintDrift { .. })));
    assert_eq!(end("ggl"), Status::Success);
}

/// Where the first step after a switch does not lead to the other side, the next ones are longer; a switching function
/// that nothing drives back to its zero is not reported as chattering. The exact values are 3/2 of the time for which
/// the condition holds, minus half of the whole time.
#[test]
fn a_rigid_rod_is_driven_by_a_comb() {
    for (clock, comb, tolerance, end, exact) in [
        ("var x = 0; der(x) = 1;", "sin(56.37 * x) > -0.6553", 1.205_035_940_371_797_4e-4, 9.729, 5.7646122545240495),
        (
            "var x = 10; der(x) = -x / 4;",
            "sin(59.27 * x) > 0.799",
            1.244_514_611_771_384_3e-8,
            9.763,
            -1.8491024472851048,
        ),
    ] {
        let body = format!(
            "{clock} var v = 0; var u; var force; der(v) = 2 * (if {comb} {{ 1 }} else {{ -0.5 }}) - force; \
             der(u) = force; u = v;"
        );
        let solution = run(&body, "ggl", Method::Radau5, tolerance, end);
        let v = solution.value("v", end).expect("an unknown");
        assert!(solution.is_success() && (v - exact).abs() < 100.0 * tolerance, "{body}: {}, {v}", solution.status);
    }
}

fn compiled(body: &str) -> Compiled {
    let (model, _) = read_text(&format!("struct M {{ {body} }}")).unwrap_or_else(|r| panic!("{}", r.diagnostics));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|r| panic!("{}", r.diagnostics))
}

/// Codes and messages of the warnings.
fn warnings(body: &str) -> Vec<String> {
    compiled(body).warnings.iter().map(|w| format!("{}: {}", w.code, w.message)).collect()
}

/// The warnings about `x' = u, u' = -lambda, 0 = constraint(x, t)`.
fn constrained(constraint: &str) -> Vec<String> {
    warnings(&format!(
        "param k = 2; var x ~ 0.7; var u ~ 0.3; var lambda; var w;
         der(x) = u; der(u) = -lambda; {constraint}; w = abs(lambda);"
    ))
}

#[test]
fn the_rate_of_an_input_of_the_caller_may_have_either_sign() {
    let compiled = compiled("input u; var x = 1; der(x) = if der(u) > 0 { 1 } else { x };");
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    let switches: Vec<&str> = system.description().switches.iter().map(|switch| switch.name.as_ref()).collect();
    assert_eq!(switches, ["der(u)"]);
}

#[test]
fn differentiated_kinks_and_jumps_are_named() {
    let kink =
        |order: &str, at: &str| vec![format!("W501: equation 3 {order} where {at} = 0, and is differentiated twice")];
    assert_eq!(constrained("0 = x + abs(x) / 2 - sin(t) - 1"), kink("has a kink", "x"));
    assert_eq!(constrained("0 = x + x * abs(x) - sin(t) - 1"), kink("is not smooth", "x"));
    assert_eq!(constrained("0 = x + if x > k { (x - k).powi(2) } else { 0 }"), kink("is not smooth", "x - k"));
    let jump = ["W502: equation 3 jumps where x - k = 0, and is differentiated twice"];
    assert_eq!(constrained("x = sin(t) + if x < k { 0 } else { x }"), jump);
    // Differentiable often enough, not piecewise where it looks so, piecewise in parameters only, or not differentiated.
    for smooth in [
        "0 = x + x.powi(2) * abs(x) - sin(t) - 1",
        "1 = x + abs(x).powi(2)",
        "0 = x - sin(t) * abs(k)",
        "0 = x + if x > k { (x - k).powi(3) } else { 0 }",
    ] {
        assert_eq!(constrained(smooth), Vec::<String>::new(), "{smooth}");
    }
    // An input that is differentiated.
    let input = warnings("input g = abs(sin(t)); var x; var y; x = g; der(x) = y;");
    assert_eq!(input, ["W501: equation 1 has a kink where sin(t) = 0, and is differentiated once"]);
}

#[test]
fn the_documentation_warns() {
    let compiled = compiled("var x ~ 1; var y; 0 = abs(x) - 1 - t; der(x) = y;");
    let summary = compiled.summary().join("\n");
    assert!(summary.contains("Warning: equation 1 has a kink where x = 0, and is differentiated once."), "{summary}");
    assert!(summary.contains("* der(equation 1) jumps there"), "{summary}");
}

#[test]
fn friction_brings_a_body_to_rest() {
    // v' = -mu g sign(v), regularised: at rest after v0 / (mu g), having gone v0² / (2 mu g).
    let compiled = compiled(
        "param f = 2; param eps = 1e-4; var x = 0; var v = 1;
         der(x) = v; der(v) = if v > eps { -f } else if v < -eps { f } else { -f * v / eps };",
    );
    assert!(compiled.warnings.is_empty());
    let form = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    let solution = Integration::new(&form).rtol(1e-8).atol(1e-8).run(0.0, 2.0).unwrap();
    assert!(solution.is_success(), "{}", solution.status);
    assert!(
        (solution.end_state[0] - 0.25).abs() < 1e-4 && solution.end_state[1].abs() < 1e-6,
        "{:?}",
        solution.end_state
    );
}

/// Terms that cancel only on the branch of the start values are no reason to combine equations: the solution may reach
/// the other branch, and so may runs with other parameters.
#[test]
fn reductions_hold_on_every_branch() {
    for text in [
        "var x ~ 1; var q; var z = 0; der(z) = 1; der(x) = q; 0 = (if z > 1 { 1 } else { 0 }) * q + x - 1 - sin(t);",
        "param s = 0; var x ~ 1; var q; der(x) = q; 0 = (if s > 0.5 { 1 } else { 0 }) * q + x - 1 - sin(t);",
        "var x ~ 1; var q; var z = -1; der(z) = 1; der(x) = q; 0 = (z + abs(z)) * q + x - 1 - sin(t);",
        "var a ~ 1; var b ~ 1; var f; var z = 0; der(z) = 1; der(a) = 1 - f; der(b) = f - b; \
         0 = if z < 1 { a - b } else { f };",
    ] {
        let compiled = compiled(text);
        assert!(compiled.analysis.rewrites.is_empty(), "{text}: {:?}", compiled.analysis.rewrites);
        let forms: Vec<String> = compiled.forms.iter().map(|form| form.form.to_string()).collect();
        assert_eq!(forms, ["original"], "{text}");
    }
}
