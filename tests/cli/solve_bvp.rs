//! `dae solve-bvp`: solutions in closed form, free quantities, methods, guesses, outputs, errors.

#[cfg(unix)]
use std::process::Stdio;
#[cfg(unix)]
use std::time::Duration;

use super::*;

const CONTROL: &str = "struct Control {
    var y = 1; var v ~ 0; var w ~ 0;
    der(y) = w; der(v) = -y; 0 = v + w;
    boundary { horizon(0, 1); v(t_end) = 0; }
}";

/// The first eigenvalue of a string is π².
const STRING: &str = "struct String {
    param lambda = 9;
    var y ~ sin(3 * t); var v = 1;
    der(y) = v; der(v) = -lambda * y;
    boundary { horizon(0, 1); y(t0) = 0; y(t_end) = 0; free lambda; }
}";

/// A fall from height 5, until the ground.
const FALL: &str = "struct Fall {
    param g = 10;
    var h = 5; var u = 0;
    der(h) = u; der(u) = -g;
    boundary { h(t_end) = 0; free t_end; }
}";

/// No solution: y'' = -k·exp(y) has one for k below 3.5138 only.
const BRATU: &str = "struct Bratu {
    param k = 4;
    var y ~ 0; var v ~ 0;
    der(y) = v; der(v) = -k * exp(y);
    boundary { horizon(0, 1); y(t0) = 0; y(t_end) = 0; }
}";

fn solve(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["solve-bvp"].iter().chain(arguments).chain(&["--json"]).copied().collect();
    let output = dae(&arguments);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{arguments:?}");
    json(&output)
}

fn refused(arguments: &[&str], exit: i32, message: &str) {
    let output = dae(&[&["solve-bvp"][..], arguments].concat());
    assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    assert_eq!((code(&output), stdout(&output).as_str()), (exit, ""), "{arguments:?}: {}", stderr(&output));
}

#[test]
fn optimal_control_by_every_method() {
    let path = file("bvp_control.dae", CONTROL);
    for (method, accuracy) in [("collocation", 1e-10), ("radau", 1e-10), ("shooting", 1e-9)] {
        let tight = ["--rtol", "1e-11", "--atol", "1e-11", "--at", "0:0.25:1", "--method", method];
        let run = solve(&[&[path.as_str()][..], &tight].concat());
        assert_eq!((&run["status"], &run["method"]), (&"success".into(), &method.into()));
        assert_eq!(run["times"], serde_json::json!([0.0, 0.25, 0.5, 0.75, 1.0]));
        for (k, t) in [0.0, 0.25, 0.5, 0.75, 1.0_f64].into_iter().enumerate() {
            let (y, v) = ((1.0 - t).cosh() / 1.0_f64.cosh(), (1.0 - t).sinh() / 1.0_f64.cosh());
            for (name, exact) in [("y", y), ("v", v), ("w", -v)] {
                let value = number(&run["values"][name][k]);
                assert!((value - exact).abs() <= accuracy, "{method}: {name}({t}) = {value}, not {exact}");
            }
        }
        let estimate = number(&run["error_estimate"]);
        assert!((0.0..=2e-11).contains(&estimate), "{method}: {estimate}");
    }
}

/// The command of the README.
#[test]
fn optimal_control_of_the_examples() {
    let run = solve(&["examples/models/optimal_control.dae", "--rtol", "1e-10", "--at", "0,1"]);
    assert!((number(&run["values"]["v"][0]) - 1.0_f64.tanh()).abs() < 1e-9, "{}", run["values"]);
    assert!((number(&run["values"]["y"][1]) - 1.0 / 1.0_f64.cosh()).abs() < 1e-9, "{}", run["values"]);
}

#[test]
fn keys_of_the_json() {
    let run = solve(&[&file("bvp_keys.dae", STRING)]);
    let expected = [
        "name",
        "form",
        "method",
        "status",
        "times",
        "values",
        "parameters",
        "end",
        "mesh",
        "intervals",
        "error_estimate",
        "errors",
        "invariants",
        "statistics",
    ];
    assert_eq!(keys(&run), sorted(expected));
    let expected = ["meshes", "factorizations", "residuals", "reductions", "continuation_steps", "stages", "seconds"];
    assert_eq!(keys(&run["statistics"]), sorted(expected));
    let mesh = run["mesh"].as_array().expect("a list");
    assert_eq!((&run["times"], mesh.len() as f64), (&run["mesh"], number(&run["intervals"]) + 1.0));
    assert_eq!((number(&mesh[0]), number(&mesh[mesh.len() - 1])), (0.0, 1.0));
    assert_eq!(keys(&run["errors"]), ["v", "y"]);
    assert_eq!(run["end"], serde_json::json!({ "value": 1.0, "free": false }));
    assert_eq!(run["values"]["y"].as_array().map(Vec::len), Some(mesh.len()));
}

#[test]
fn derivatives_with_respect_to_parameters() {
    // y'' = -a y, y(0) = 0, y(1) = 1: y = sin(w t)/sin(w) with w the root of a.
    let text = "pub struct M { param a = 2; var y ~ 0; var z ~ 0; der(y) = z; der(z) = -a * y; \
                boundary { horizon(0, 1); y(t0) = 0; y(t_end) = 1; } }";
    let path = file("bvp_by.dae", text);
    let run = solve(&[&path, "--rtol", "1e-9", "--atol", "1e-9", "--by", "a"]);
    let w = 2.0_f64.sqrt();
    for (k, t) in run["times"].as_array().expect("times").iter().map(number).enumerate() {
        let by_w = (t * (w * t).cos() * w.sin() - (w * t).sin() * w.cos()) / w.sin().powi(2);
        let error = number(&run["sensitivities"]["a"]["y"][k]) - by_w / (2.0 * w);
        assert!(error.abs() < 1e-8, "at {t}: {error:e}");
    }
    refused(&[&path, "--by", "b"], 2, "`b`");
}

#[test]
fn a_free_parameter_is_found() {
    let path = file("bvp_string.dae", STRING);
    let pi = std::f64::consts::PI;
    for (guess, expected) in [("lambda=9", pi.powi(2)), ("lambda=40", 4.0 * pi.powi(2))] {
        let run = solve(&[&path, "--rtol", "1e-9", "--atol", "1e-9", "--param", guess]);
        let found = number(&run["parameters"]["lambda"]["value"]);
        assert!((found - expected).abs() < 1e-6, "from {guess}: {found}");
        assert_eq!(run["parameters"]["lambda"]["free"], true);
    }
}

#[test]
fn a_free_end_is_found() {
    let path = file("bvp_fall.dae", FALL);
    refused(&[&path], 2, "add --t-end T, a first guess, or write `horizon(0, 1);`");
    let run = solve(&[&path, "--t0", "0", "--t-end", "0.7", "--at", "0.5"]);
    assert!((number(&run["end"]["value"]) - 1.0).abs() < 1e-6, "{}", run["end"]);
    assert_eq!((&run["end"]["free"], &run["parameters"]["g"]["free"]), (&true.into(), &false.into()));
    assert!((number(&run["values"]["h"][0]) - 3.75).abs() < 1e-6, "{}", run["values"]["h"]);
    let summary = stdout(&dae(&["solve-bvp", &path, "--t0", "0", "--t-end", "0.7"]));
    assert!(summary.starts_with("Fall, ") && summary.contains(" form, collocation: success\n\n"), "{summary}");
    for part in ["t = 0  ", "Found by the conditions\n  t_end ", " intervals, estimated relative error "] {
        assert!(summary.contains(part), "{part} is not in\n{summary}");
    }
    // On Mars.
    let run = solve(&[&path, "--t0", "0", "--t-end", "1", "--param", "g=3.6"]);
    assert!((number(&run["end"]["value"]) - (10.0 / 3.6_f64).sqrt()).abs() < 1e-6, "{}", run["end"]);
    let output = dae(&["solve-bvp", &path, "--t0", "0", "--t-end", "0.7", "--at", "0.5,1.5", "--json"]);
    assert_eq!((code(&output), &json(&output)["times"]), (0, &serde_json::json!([0.5])));
    assert!(stderr(&output).starts_with("note: output times beyond the interval from 0 to "), "{}", stderr(&output));
}

/// A pendulum of index 3 from one side to the other, in whatever form can be solved.
#[test]
fn a_form_is_found_and_named() {
    let text = "struct Swing {
        var x ~ 0.6 - 2.4 * t; var y ~ -1; var u ~ -1; var v ~ 0; var lambda ~ 9;
        der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 9.81;
        x.powi(2) + y.powi(2) = 1;
        boundary { horizon(0, 0.5); x(t0) = 0.6; x(t_end) = -0.6; }
    }";
    let path = file("bvp_swing.dae", text);
    let [chosen, index1] = [&[][..], &["--form", "index1"]].map(|form| solve(&[&[path.as_str()], form].concat()));
    assert_eq!((&chosen["form"], &index1["form"]), (&"ggl".into(), &"index1".into()));
    for run in [&chosen, &index1] {
        let (x, y) = (number(&run["values"]["x"][0]), number(&run["values"]["y"][0]));
        assert!((x - 0.6).abs() < 1e-6 && (y + 0.8).abs() < 1e-6, "({x}, {y})");
    }
    refused(&[&path, "--form", "original"], 1, "the formulation original cannot be solved as a boundary value problem");
    // Only a combination of derivatives occurs: there is no state in the text as it stands.
    let text = "struct Combined {
        var x ~ 1; var y ~ 1;
        der(x) + der(y) = -x; x = 2 * y;
        boundary { horizon(0, 1); x(t_end) = 1; }
    }";
    let path = file("bvp_combined.dae", text);
    let output = dae(&["solve-bvp", &path, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let note = stderr(&output);
    assert!(note.starts_with("note: the ggl form cannot be solved as a boundary value problem, since "), "{note}");
    assert!(note.ends_with("; the underlying form is solved\n"), "{note}");
    let start = number(&json(&output)["values"]["x"][0]);
    assert!((start - (2.0 / 3.0_f64).exp()).abs() < 1e-6, "{start}");
    refused(
        &[&path, "--form", "index1"],
        1,
        "only combinations of them are states; use `index1`, `ggl` or `underlying`",
    );
}

#[test]
fn the_horizon_of_the_text_can_be_replaced() {
    let path = file("bvp_horizon.dae", &CONTROL.replace("horizon(0, 1)", "horizon(1, 2)"));
    let start = 1.0_f64.tanh();
    for (ends, begin, end) in [(&[][..], 1.0, 2.0), (&["--t0", "-1", "--t-end", "0"], -1.0, 0.0)] {
        let run = solve(&[&[path.as_str()], ends].concat());
        let mesh = run["mesh"].as_array().expect("a list");
        assert_eq!((number(&mesh[0]), number(&mesh[mesh.len() - 1])), (begin, end));
        assert!((number(&run["values"]["v"][0]) - start).abs() < 1e-6);
    }
}

#[test]
fn a_solution_is_a_guess() {
    let path = file("bvp_guess.dae", CONTROL);
    let table = scratch("bvp_guess.csv").display().to_string();
    let output = dae(&["solve-bvp", &path, "--csv", &table, "--intervals", "3"]);
    assert_eq!((code(&output), stdout(&output).as_str(), stderr(&output).as_str()), (0, "", ""));
    let text = std::fs::read_to_string(&table).expect("a table");
    assert!(text.starts_with("t,y,v,w\n0.0,1.0,"), "{text}");
    let again = solve(&[&path, "--guess", &table, "--intervals", "3"]);
    assert!((number(&again["values"]["v"][0]) - 1.0_f64.tanh()).abs() < 1e-6);
    assert!(number(&again["statistics"]["meshes"]) <= 3.0, "{}", again["statistics"]);
    // The second eigenfunction as a guess, with its mesh, leads to the second eigenvalue.
    let string = file("bvp_modes.dae", STRING);
    let rows: String = (0..=20)
        .map(|k| f64::from(k) / 20.0)
        .map(|t| format!("{t},{}\n", (2.0 * std::f64::consts::PI * t).sin() / 6.3))
        .collect();
    let mode = file("bvp_mode.csv", &format!("t,y\n{rows}"));
    let run = solve(&[&string, "--guess", &mode, "--param", "lambda=37"]);
    let lambda = number(&run["parameters"]["lambda"]["value"]);
    assert!((lambda - 4.0 * std::f64::consts::PI.powi(2)).abs() < 1e-4, "{lambda}");
    let other = file("bvp_other.csv", "t,p,q\n0,1,1\n1,1,1\n");
    refused(&[&path, "--guess", &other], 1, "has no column of an unknown; these are ");
    let backwards = file("bvp_unordered.csv", "t,y\n0,1\n1,1\n0.5,1\n");
    refused(&[&path, "--guess", &backwards], 2, "the times of a guess have to be in order, and 0.5 follows on 1");
    refused(&[&path, "--guess", "missing.csv"], 1, "the guess cannot be read from `missing.csv`");
    refused(&[&path, "--guess", &table, "--csv", &table], 2, "is the same file as --guess");
}

#[test]
fn a_picture_shows_the_mesh() {
    let path = file("bvp_picture.dae", CONTROL);
    let picture = scratch("bvp_picture.svg").display().to_string();
    let output = dae(&["solve-bvp", &path, "--plot", &picture]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let text = std::fs::read_to_string(&picture).expect("a picture");
    for word in ["<svg", "Control, ", " form", "</svg>\n"] {
        assert!(text.contains(word), "{word}");
    }
    let intervals = number(&solve(&[&path])["intervals"]) as usize;
    // The colour of the marks, and of nothing else.
    assert!(text.matches("opacity=\"0.6\"").count() > intervals, "{text}");
}

#[test]
fn a_problem_without_solution_keeps_its_last_iterate() {
    let path = file("bvp_bratu.dae", BRATU);
    let [table, picture] = ["bvp_bratu.csv", "bvp_bratu.svg"].map(|name| scratch(name).display().to_string());
    let output = dae(&["solve-bvp", &path, "--no-continuation", "--csv", &table, "--plot", &picture]);
    assert_eq!((code(&output), stdout(&output).as_str()), (3, ""));
    assert!(stderr(&output).starts_with("error: no solution was found: "), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&table).expect("a table").lines().count() > 10);
    assert!(std::fs::read_to_string(&picture).expect("a picture").ends_with("</svg>\n"));
    let output = dae(&["solve-bvp", &path, "--no-continuation", "--json"]);
    assert_eq!(code(&output), 3);
    let run = json(&output);
    let status = run["status"].as_str().expect("a reason");
    assert_eq!(stderr(&output), format!("error: {status}\n"));
    assert!(status.starts_with("no solution was found") && run["mesh"].as_array().is_some_and(|it| it.len() > 10));
    // Below the turning point there is one.
    let run = solve(&[&path, "--param", "k=1", "--at", "0.5"]);
    assert!((number(&run["values"]["y"][0]) - 0.140_539_214_4).abs() < 1e-6, "{}", run["values"]["y"]);
    let run = solve(&[&path, "--param", "k=3.4", "--continuation", "k=1"]);
    assert!(number(&run["statistics"]["continuation_steps"]) >= 1.0, "{}", run["statistics"]);
}

/// The mesh that would be fine enough is far away.
#[cfg(unix)]
#[test]
fn a_signal_keeps_the_last_mesh() {
    let text = "struct Waves {
        param k = 1e7; var y ~ 0; var v ~ 0;
        der(y) = k * v; der(v) = -k * y;
        boundary { horizon(0, 1); y(t0) = 1; y(t_end) = 0.5; }
    }";
    let path = file("bvp_waves.dae", text);
    // A signal before the first mesh ends the process without output: each attempt waits longer.
    for seconds in [1, 4, 16] {
        let child = Command::new(env!("CARGO_BIN_EXE_dae"))
            .args(["solve-bvp", &path, "--max-intervals", "100000000", "--no-continuation", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        // The output is longer than a pipe holds, and is read while the command ends.
        let id = child.id().to_string();
        let signal = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(seconds));
            Command::new("kill").args(["-INT", &id]).status().expect("kill").success()
        });
        let output = child.wait_with_output().expect("it ends");
        assert!(signal.join().expect("no panic"), "the command ended before: {}", stderr(&output));
        assert_eq!(code(&output), 3);
        if !output.stderr.is_empty() {
            let run = json(&output);
            assert_eq!(run["status"], "interrupted");
            assert!(stderr(&output).contains("interrupted"), "{}", stderr(&output));
            assert!(run["mesh"].as_array().is_some_and(|mesh| mesh.len() > 10), "{}", run["mesh"]);
            return;
        }
    }
    panic!("there was no mesh");
}

#[test]
fn what_is_not_a_problem() {
    let text = CONTROL.replace("v(t_end) = 0;", "v(t_end) = 0;\n        w(t0) = 1;");
    let path = file("bvp_many.dae", &text);
    let output = dae(&["solve-bvp", &path]);
    assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
    for part in ["E432", "1 too many", "w(t0) = 1", "^", "bvp_many.dae:"] {
        assert!(stderr(&output).contains(part), "{part} is not in\n{}", stderr(&output));
    }
    refused(&[PENDULUM], 1, "has no boundary conditions: write `boundary { x(t0) = 1; x(t_end) = 0; }`");
    let path = file("bvp_options.dae", CONTROL);
    for (arguments, message) in [
        (&["--param", "k=1"][..], "the model has no parameter `k`"),
        (&["--continuation", "k=1"], "there is no parameter `k` for continuation"),
        (&["--continuation", "k=1", "--no-continuation"], "cannot be used with"),
        (&["--at", "0,3"], "output time 3 is not between 0 and 1"),
        (&["--at", "0:1"], "expected a time, or START:STEP:END"),
        (&["--rtol", "2"], "the relative tolerance has to be between 0 and 1, not 2"),
        (&["--stages", "1"], "an interval can have 2 to 9 nodes, not 1"),
        (&["--intervals", "0"], "a mesh has 1 to 10000 intervals here, not 0"),
        (&["--method", "magic"], "[possible values: collocation, radau, shooting]"),
        (&["--t-end", "0"], "the solution is sought between two times, not between 0 and 0"),
    ] {
        refused(&[&[path.as_str()], arguments].concat(), 2, message);
    }
    let fixed = file("bvp_fixed.dae", STRING);
    refused(&[&fixed, "--continuation", "lambda=1"], 2, "the conditions determine `lambda`");
    let output = dae(&["solve-bvp", &path, "--rtol", "2", "--json"]);
    let run = json(&output);
    assert_eq!((code(&output), &run["mesh"], &run["error_estimate"]), (2, &serde_json::json!([]), &Value::Null));
}

#[test]
fn the_boundary_block_is_in_the_help() {
    let help = stdout(&dae(&["--help"]));
    assert!(help.contains("solve-bvp") && help.contains("boundary value problem"), "{help}");
    let help = stdout(&dae(&["solve-bvp", "--help"]));
    for option in ["--guess", "--continuation", "--no-continuation", "--max-intervals", "--stages", "horizon"] {
        assert!(help.contains(option), "{option} is not in\n{help}");
    }
}
