//! `dae simulate`: solutions, parameters, options, files.

use super::*;

fn simulate(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["simulate"].iter().chain(arguments).chain(&["--json"]).copied().collect();
    let output = dae(&arguments);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{arguments:?}");
    json(&output)
}

/// The pendulum released from rest at (1, 0), at t = 10; from Jacobi elliptic functions.
const AT_10: [(&str, f64); 5] = [
    ("x", -0.811_586_446_191_303_9),
    ("y", -0.584_232_351_345_395_7),
    ("u", -0.631_529_149_065_017_5),
    ("v", 0.877_288_798_841_069_4),
    ("lambda", 1.752_697_054_036_187),
];

#[test]
fn pendulum_by_every_method() {
    let methods = [
        ("radau5", 1e-8),
        ("radau", 1e-7),
        ("bdf", 1e-7),
        ("hem5", 1e-8),
        ("hem4", 1e-8),
        ("mexx", 1e-8),
        ("dopri5", 1e-8),
        ("dop853", 1e-8),
    ];
    for (method, accuracy) in methods {
        let tight = ["--rtol", "1e-11", "--atol", "1e-11", "--at", "5,10", "--method", method];
        let run = simulate(&[&[PENDULUM, "--t-end", "10"][..], &tight].concat());
        assert_eq!(run["status"], "success");
        assert_eq!(run["times"], serde_json::json!([5.0, 10.0]));
        for (name, reference) in AT_10 {
            let value = number(&run["values"][name][1]);
            assert!((value - reference).abs() <= accuracy * reference.abs().max(1.0), "{method}: {name} = {value}");
        }
        assert!(number(&run["invariants_max"]) <= 1e-12, "{method}: {}", run["invariants_max"]);
        assert_eq!(keys(&run["invariants"]), ["der(equation 5)", "equation 5"]);
    }
}

/// A method for index 1 takes that form unless another is asked for; the constraints are implied there.
#[test]
fn pendulum_by_a_method_for_index_1() {
    let run = simulate(&[PENDULUM, "--t-end", "10", "--method", "limex", "--rtol", "1e-11", "--atol", "1e-11"]);
    assert_eq!((&run["status"], &run["form"]), (&"success".into(), &"index1".into()));
    assert!(number(&run["invariants_max"]) <= 1e-8, "{}", run["invariants_max"]);
}

#[test]
fn constraints_are_projected_onto_as_asked_for() {
    let of = |project: &str| {
        let run = simulate(&[PENDULUM, "--t-end", "10", "--method", "dopri5", "--project", project]);
        assert_eq!(run["form"], "underlying");
        ["equation 5", "der(equation 5)"].map(|name| number(&run["invariants"][name]) < 1e-14)
    };
    let kept = ["all", "positions", "velocities", "none"].map(of);
    assert_eq!(kept, [[true, true], [true, false], [false, true], [false, false]]);
    let implicit = dae(&["simulate", PENDULUM, "--t-end", "10", "--project", "positions"]);
    assert_eq!(code(&implicit), 2, "{}", stderr(&implicit));
    assert!(stderr(&implicit).contains("Radau IIA projects its steps onto all constraints"), "{}", stderr(&implicit));
}

#[test]
fn keys_of_the_json() {
    let run = simulate(&[PENDULUM, "--t-end", "0.5"]);
    let expected = ["name", "form", "status", "times", "values", "invariants_max", "invariants", "statistics"];
    assert_eq!(keys(&run), sorted(expected));
    let expected =
        ["steps", "rejected", "residuals", "jacobians", "factorizations", "coordinate_changes", "seconds", "switches"];
    assert_eq!(keys(&run["statistics"]), sorted(expected));
    assert_eq!(run["statistics"]["switches"], serde_json::json!([]));
    let times = run["times"].as_array().expect("a list");
    assert_eq!(times.len() as f64, number(&run["statistics"]["steps"]) + 1.0);
    assert_eq!((number(&times[0]), number(&times[times.len() - 1])), (0.0, 0.5));
    for name in ["x", "y", "u", "v", "lambda"] {
        assert_eq!(run["values"][name].as_array().map(Vec::len), Some(times.len()), "{name}");
    }
}

#[test]
fn the_index_1_form_drifts_and_says_so() {
    let run = simulate(&[PENDULUM, "--t-end", "50", "--form", "index1", "--rtol", "1e-6", "--atol", "1e-6"]);
    let drift = |name: &str| number(&run["invariants"][name]);
    assert!(drift("equation 5") > 1e-7 && drift("equation 5") < 1e-1, "{}", run["invariants"]);
    assert!(drift("equation 5") > drift("der(equation 5)"), "{}", run["invariants"]);
    assert!(number(&run["invariants_max"]) < 1e-9, "none of them is enforced: {}", run["invariants_max"]);
}

#[test]
fn inputs_come_from_files_and_arrays_are_set_by_name() {
    let text = "struct Driven { param c: [f64; 3] = 1; input u; var x = 0; var y;
        der(x) = c[0] + c[1] + c[2]; y = u; }";
    let model = file("driven.dae", text);
    let points = file("squares.csv", "t,u\n0,0\n1,1\n2,4\n3,9\n");
    let input = format!("u={points}");
    let common = [model.as_str(), "--form", "original", "--at", "1.5", "--input", input.as_str()];
    let run = simulate(&[&common[..], &["--t-end", "2", "--param", "c=2", "--param", "c[1]=5"]].concat());
    // A cubic through points of a parabola is the parabola.
    assert!((number(&run["values"]["y"][0]) - 2.25).abs() < 1e-9, "{run}");
    assert!((number(&run["values"]["x"][0]) - 9.0 * 1.5).abs() < 1e-9, "{run}");

    let refused = |more: &[&str], expected: &str| {
        let output = dae(&[&["simulate"][..], &common, more].concat());
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_ne!(code(&output), 0);
    };
    refused(&["--t-end", "4"], "it covers times from 0 to 3, and the run goes from 0 to 4");
    refused(&["--t-end", "2", "--param", "c[3]=1"], "no parameter `c[3]`; the last one of its name is `c[2]`");
    refused(&["--t-end", "2", "--input", "u=missing.csv"], "the input `u` cannot be read from `missing.csv`");
}

#[test]
fn parameters_are_set_before_initialisation() {
    let run = simulate(&[PENDULUM, "--t-end", "0.1", "--param", "l=2", "--param", "g=9.81", "--at", "0,0.1"]);
    assert!((number(&run["values"]["x"][0]) - 2.0).abs() < 1e-14, "{}", run["values"]["x"]);
    let y = number(&run["values"]["y"][1]);
    assert!((y + 9.81 * 0.005).abs() < 2e-4, "falls freely at first: {y}");

    let output = dae(&["simulate", CAR_AXIS, "--t-end", "1", "--param", "omga=1"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert_eq!(stderr(&output), "error: the model has no parameter `omga`; did you mean `omega`?\n");
    let output = dae(&["simulate", PENDULUM, "--t-end", "1", "--param", "mass=1"]);
    assert_eq!(stderr(&output), "error: the model has no parameter `mass`; it has g, l\n");
}

#[test]
fn start_values_that_contradict_the_equations() {
    let text = "struct Conflict { param r = 2.0; var x = 1.0; var y = 1.0; der(x) = -y; x * x + y * y = r * r; }";
    let path = file("conflict.dae", text);
    let output = dae(&["simulate", &path, "--t-end", "2", "--json"]);
    assert_eq!(code(&output), 1);
    let run = json(&output);
    let reason = run["status"].as_str().expect("a reason");
    assert!(reason.contains("`x = 1` and `y = 1` are fixed, but equation 2 cannot hold"), "{reason}");
    assert_eq!(stderr(&output), format!("error: {reason}\n"));
    assert_eq!((&run["times"], &run["values"]["x"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!(run["invariants_max"], Value::Null);
}

#[test]
fn a_run_that_ends_early_keeps_what_it_has() {
    let path = file("blow_up.dae", "struct BlowUp { var x = 1.0; der(x) = x * x; }");
    let output = dae(&["simulate", &path, "--t-end", "2", "--json"]);
    assert_eq!(code(&output), 3);
    let run = json(&output);
    let status = run["status"].as_str().expect("a reason");
    assert!(status.starts_with("step size ") && status.contains("local error of `x`"), "{status}");
    assert_eq!(stderr(&output), format!("error: {status}\n"));
    let times = run["times"].as_array().expect("a list");
    let last = number(&times[times.len() - 1]);
    assert!(times.len() > 20 && (last - 1.0).abs() < 1e-5, "ends at {last}");
    // x = 1/(1 - t).
    for (t, x) in times.iter().zip(run["values"]["x"].as_array().expect("a list")).filter(|(t, _)| number(t) < 0.9) {
        assert!((number(x) * (1.0 - number(t)) - 1.0).abs() < 1e-4, "x({t}) = {x}");
    }
}

#[test]
fn pendulum_by_taylor_series() {
    let taylor = [PENDULUM, "--method", "taylor", "--rtol", "1e-15", "--atol", "1e-15", "--t-end"];
    let run = simulate(&[&taylor[..], &["10", "--at", "0,5,10"]].concat());
    assert_eq!((&run["status"], &run["form"]), (&"success".into(), &"original".into()));
    assert_eq!(run["times"], serde_json::json!([0.0, 5.0, 10.0]));
    for (name, reference) in AT_10 {
        let value = number(&run["values"][name][2]);
        assert!((value - reference).abs() <= 1e-13 * reference.abs().max(1.0), "{name} = {value}");
    }
    // A pendulum of length 2 in twice the gravity moves twice as far in the same time.
    let [plain, large] = [&[][..], &["--param", "l=2", "--param", "g=2"]]
        .map(|parameters| simulate(&[&taylor[..], &["3", "--at", "3"], parameters].concat()));
    let [one, other] = [&plain, &large].map(|run| number(&run["values"]["y"][0]));
    assert!((other - 2.0 * one).abs() < 1e-14, "{one}, {other}");
}

#[test]
fn taylor_series_in_106_bits() {
    let path = file("exponential.dae", "struct Exponential { var x = 1; der(x) = x; }");
    let (table, picture) = (scratch("exponential.csv"), scratch("exponential.svg"));
    let taylor = ["simulate", &path, "--method", "taylor", "--double-double", "--rtol", "1e-30", "--atol", "0"];
    let e = "2.71828182845904523536028747135";
    let summary = stdout(&dae(&[&taylor[..], &["--t-end", "1"]].concat()));
    assert!(summary.starts_with("Exponential, Taylor series: success\n\nAt t = 1\n"), "{summary}");
    assert!(summary.contains(e), "{summary}");
    let paths = [table.display().to_string(), picture.display().to_string()];
    let outputs = ["--t-end", "1", "--at", "0.5,1", "--csv", &paths[0], "--plot", &paths[1]];
    assert_eq!(code(&dae(&[&taylor[..], &outputs].concat())), 0);
    let text = std::fs::read_to_string(table).expect("a table");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "t,x");
    assert!(lines[1].contains("1.64872127070012814684865078781"), "{text}");
    assert!(lines[2].contains(e), "{text}");
    let picture = std::fs::read_to_string(picture).expect("a picture");
    assert!(picture.contains("Exponential, Taylor series"));
}

#[test]
fn what_taylor_series_cannot_do_is_refused() {
    let kink = file("kink.dae", "struct Kink { var x = 1; der(x) = -abs(x - t); }");
    let pole = file("pole.dae", "struct Pole { var x = 1; der(x) = x.powi(2); }");
    for (arguments, exit, message) in [
        (vec![PENDULUM, "--form", "ggl"], 2, "--form cannot be combined with Taylor series: it integrates the text"),
        (vec![PENDULUM, "--by", "l"], 2, "--by cannot be combined with Taylor series"),
        (vec![PENDULUM, "--at", "3"], 2, "output time 3 is not between 0 and 2"),
        (vec![PENDULUM, "--rtol", "2"], 2, "`rtol` is 2"),
        (vec![&kink], 1, "abs"),
        (vec![&pole], 3, "too small at t = 1.0000000"),
    ] {
        let arguments = [&["simulate"], &arguments[..], &["--t-end", "2", "--method", "taylor"]].concat();
        let output = dae(&arguments);
        assert_eq!(code(&output), exit, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    let output = dae(&["simulate", PENDULUM, "--t-end", "2", "--double-double"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--double-double is for `--method taylor`"), "{}", stderr(&output));
}

#[test]
fn options_without_meaning() {
    for (arguments, message) in [
        (["--at", "1,3"], "output time 3 is not between 0 and 2"),
        (["--rtol", "-1"], "a tolerance is negative"),
        (["--rtol", "nan"], "not a finite number"),
        (["--param", "g"], "expected NAME=VALUE"),
        (["--method", "euler"], "radau5, radau"),
    ] {
        let arguments = [&["simulate", PENDULUM, "--t-end", "2"][..], &arguments].concat();
        let output = dae(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn backwards_from_another_start() {
    let path = file("decay.dae", "struct Decay { var x = 1.0; der(x) = -x + t; }");
    let run = simulate(&[&path, "--t0", "1", "--t-end", "-1", "--at", "1,0,-1", "--rtol", "1e-9", "--atol", "1e-9"]);
    // x = t - 1 + exp(1 - t).
    for (k, t) in [1.0, 0.0, -1.0_f64].into_iter().enumerate() {
        let (value, exact) = (number(&run["values"]["x"][k]), t - 1.0 + (1.0 - t).exp());
        assert!((value - exact).abs() < 1e-7 * exact, "x({t}) = {value}, not {exact}");
    }
}

#[test]
fn tables_pictures_and_summaries() {
    let (table, picture) = (scratch("pendulum.csv"), scratch("pendulum.svg"));
    let paths = [table.display().to_string(), picture.display().to_string()];
    let output =
        dae(&["simulate", PENDULUM, "--t-end", "3", "--at", "0,1.5,3", "--csv", &paths[0], "--plot", &paths[1]]);
    assert_eq!((code(&output), stdout(&output).as_str(), stderr(&output).as_str()), (0, "", ""));
    let text = std::fs::read_to_string(table).expect("a table");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("t,x,y,u,v,lambda"), "{}", lines[0]);
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("0.0,1.0,0.0,") && lines[2].starts_with("1.5,"), "{text}");
    let text = std::fs::read_to_string(picture).expect("a picture");
    for word in ["<svg", "Pendulum, ggl form", "x, y", "u, v", "lambda"] {
        assert!(text.contains(word), "{word}");
    }

    let summary = stdout(&dae(&["simulate", PENDULUM, "--t-end", "3", "--method", "bdf"]));
    assert!(summary.starts_with("Pendulum, ggl form, bdf: success\n\nAt t = 3\n"), "{summary}");
    assert!(summary.contains("  equation 5 ") && summary.contains("  enforced\n"), "{summary}");
}

#[test]
fn derivatives_are_printed_if_asked_for() {
    let arguments =
        ["simulate", PENDULUM, "--t-end", "2", "--form", "index1", "--rtol", "1e-9", "--atol", "1e-9", "--by", "l,g,y"];
    let summary = stdout(&dae(&arguments));
    assert!(
        summary.contains("Derivatives at t = 2\n") && summary.contains("by l  ") && summary.contains("by g  "),
        "{summary}"
    );
    // By dimensional analysis: x scales with l, and time with (l/g)^(1/2).
    let run = simulate(&[&arguments[1..], &["--at", "0,2"]].concat());
    let at = |by: &str, unknown: &str| number(&run["sensitivities"][by][unknown][1]);
    let value = |unknown: &str| number(&run["values"][unknown][1]);
    let dimension = at("l", "x") + at("g", "x") - value("x");
    assert!(dimension.abs() < 1e-6, "{dimension}");
    let refused = dae(&["simulate", PENDULUM, "--t-end", "2", "--by", "m"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("`m` is neither a parameter nor an unknown with a start value; there are `g`, `l`")
    );
}

#[test]
fn steps_and_orders_are_constant_if_asked_for() {
    let error = |method: &str, steps: f64| {
        let h = format!("{}", 1.0 / steps);
        let run =
            ["--t-end", "1", "--form", "ggl", "--method", method, "--step", &h, "--rtol", "1e-12", "--atol", "1e-12"];
        let run = simulate(&[&[PENDULUM], &run[..]].concat());
        assert_eq!(number(&run["statistics"]["steps"]), steps, "{method}");
        let values = run["values"]["x"].as_array().expect("a list");
        // The reference value of x at t = 1.
        (number(&values[values.len() - 1]) - 0.879_548_132_411_889_2).abs()
    };
    for (method, order, steps) in
        [("implicit-euler", 1, 500.0), ("bdf2", 2, 500.0), ("bdf3", 3, 500.0), ("radau5", 5, 4.0), ("radau9", 9, 2.0)]
    {
        let observed = (error(method, steps) / error(method, 2.0 * steps)).log2();
        assert!((observed - f64::from(order)).abs() < 0.3, "{method}: order {observed}");
    }
    // The method of the highest order needs only two steps.
    assert!(error("radau13", 2.0) < 1e-12);
}

#[test]
fn forms_with_choices() {
    for form in [
        "baumgarte:5",
        "baumgarte:5,5",
        "stabilized:B",
        "projected:C",
        "pa",
        "pb",
        "pc",
        "overdetermined",
        "state-space",
    ] {
        let run = simulate(&[PENDULUM, "--t-end", "1", "--form", form, "--rtol", "1e-9", "--atol", "1e-9"]);
        assert_eq!(run["status"], "success", "{form}");
        let values = run["values"]["x"].as_array().expect("a list");
        let error = (number(&values[values.len() - 1]) - 0.879_548_132_411_889_2).abs();
        assert!(error < 1e-6, "{form}: {error:e}");
        assert_eq!(run["form"].as_str().map(|name| name.contains(&form[..2])), Some(true), "{form}");
    }
    for (arguments, expected) in [
        (["--form", "projected"], "the form projected needs the directions of its multipliers"),
        (["--form", "index3"], "there is no form `index3`"),
        (["--method", "bdf6"], "bdf1 to bdf5"),
    ] {
        let output = dae(&[&["simulate", PENDULUM, "--t-end", "1"], &arguments[..]].concat());
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// The events of a text are in the JSON, in the summary, and on both sides of each in a table.
#[test]
fn events_are_reported() {
    let text = "struct Ball { var h = 1; var v = 0; discrete n = 0; der(h) = v; der(v) = -9.81;
        when h < 0 { v = -0.5 * pre(v); n = pre(n) + 1; note \"impact\"; } }";
    let model = file("events.dae", text);
    let run = simulate(&[&model, "--t-end", "1"]);
    let fall = (2.0_f64 / 9.81).sqrt();
    let events = run["events"].as_array().expect("events");
    assert_eq!(events.len(), 2);
    for (event, t) in events.iter().zip([fall, 2.0 * fall]) {
        assert_eq!((&event["name"], &event["message"]), (&"h < 0".into(), &"impact".into()));
        assert!((number(&event["time"]) - t).abs() < 1e-6, "{event}");
    }
    let times: Vec<f64> = run["times"].as_array().expect("times").iter().map(number).collect();
    assert_eq!(times.windows(2).filter(|pair| pair[0] == pair[1]).count(), 2);
    let summary = stdout(&dae(&["simulate", &model, "--t-end", "1"]));
    assert!(summary.contains("\nEvents\n  t = 0.4515") && summary.contains("h < 0: impact"), "{summary}");
    let report = stdout(&dae(&["analyze", &model]));
    assert!(report.contains("when h < 0") && report.contains("v = -0.5·pre(v)"), "{report}");
    let output = dae(&["simulate", &model, "--t-end", "1", "--method", "taylor"]);
    assert!(code(&output) != 0 && stderr(&output).contains("the event `h < 0`"), "{}", stderr(&output));
}

/// What switching functions and events cost is in the JSON, and in the summary the most expensive first.
#[test]
fn costs_of_switches_are_reported() {
    let text = "struct Ball { var h = 1; var v = 0; der(h) = v; der(v) = -9.81 + if v > 0 { -0.1 } else { 0.1 };
        when h < 0 { v = -0.5 * pre(v); } when h > 10 { note \"high\"; } }";
    let model = file("switches.dae", text);
    let run = simulate(&[&model, "--t-end", "1"]);
    let switches = run["statistics"]["switches"].as_array().expect("switches");
    let expected = [
        "name",
        "kind",
        "crossings",
        "restarts",
        "rejected",
        "switch_rejections",
        "error_rejections",
        "convergence_rejections",
        "sliding",
    ];
    assert!(switches.iter().all(|it| keys(it) == sorted(expected)), "{switches:?}");
    let found: Vec<_> = switches.iter().map(|it| (&it["name"], &it["kind"], number(&it["restarts"]))).collect();
    let [function, event] = ["function", "event"].map(Value::from);
    let [v, low, high] = ["v", "h < 0", "h > 10"].map(Value::from);
    // The speed changes its sign at the first impact, on the way back, and at the second impact.
    assert_eq!(found, [(&v, &function, 1.0), (&low, &event, 2.0), (&high, &event, 0.0)]);
    assert_eq!([0, 1, 2].map(|k| number(&switches[k]["crossings"])), [3.0, 2.0, 0.0]);
    let summary = stdout(&dae(&["simulate", &model, "--t-end", "1"]));
    let (_, table) = summary.split_once("\nSwitching functions and events by cost\n").expect("a table");
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split("  ").last()).collect();
    assert!(names.contains(&"h < 0") && names.contains(&"v") && !table.contains("h > 10"), "{table}");
}

/// The modes that a run has entered are in the JSON and in the summary; a report says what is known about each mode, and
/// a graph how they change.
#[test]
fn modes_are_reported() {
    let text = "struct Shafts { var w1 = 8; var w2 = 0; var tau; der(w1) = -tau; 3 * der(w2) = tau;
        modes clutch {
            free { tau = 0; when t >= 1 && t < 2 { clutch = engaged; } }
            engaged { w1 = w2; when t >= 2 { clutch = free; } }
        } }";
    let model = file("modes.dae", text);
    let run = simulate(&[&model, "--t-end", "3"]);
    let modes = run["modes"].as_array().expect("modes");
    let names: Vec<&str> = modes.iter().filter_map(|it| it["mode"].as_str()).collect();
    assert_eq!(names, ["clutch = free", "clutch = engaged", "clutch = free"]);
    assert!((number(&modes[1]["jumps"]["w1"][1]) - 2.0).abs() < 1e-9, "{}", modes[1]);
    assert!((number(&modes[1]["impulses"]["tau"]) - 6.0).abs() < 1e-9, "{}", modes[1]);
    let summary = stdout(&dae(&["simulate", &model, "--t-end", "3"]));
    assert!(summary.contains("\nModes\n  t = 0") && summary.contains("tau is an impulse of 6.0"), "{summary}");
    let report: serde_json::Value =
        serde_json::from_str(&stdout(&dae(&["analyze", &model, "--json"]))).expect("a report");
    let known: Vec<(u64, u64)> = (report["modes"].as_array().expect("modes").iter())
        .filter_map(|it| Some((it["differentiation_index"].as_u64()?, it["degrees_of_freedom"].as_u64()?)))
        .collect();
    assert_eq!(known, [(1, 2), (2, 1)]);
    assert!(stdout(&dae(&["analyze", &model])).contains("mode clutch = engaged"));
    assert!(stdout(&dae(&["analyze", &model, "--dot"])).contains("t >= 1 && t < 2"));
    let expanded = stdout(&dae(&["expand", &model, "--form", "index1"]));
    assert!(expanded.contains("struct ShaftsMode1") && expanded.contains("MultiMode"), "{expanded}");
    let output = dae(&["simulate", &model, "--t-end", "1", "--method", "taylor"]);
    assert!(code(&output) != 0 && stderr(&output).contains("has no modes"), "{}", stderr(&output));
}
