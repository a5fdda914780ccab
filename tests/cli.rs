//! The command `dae`, run as users run it.
//!
//! In: models of the repository and broken ones written here. Out: keys, numbers, exit codes and messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn dae(arguments: &[&str]) -> Output {
    let command =
        Command::new(env!("CARGO_BIN_EXE_dae")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    command.expect("the command runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}

fn sorted<const N: usize>(mut keys: [&str; N]) -> [&str; N] {
    keys.sort_unstable();
    keys
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A file with the text, by its path.
fn file(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).expect("the target directory is writable");
    path.display().to_string()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

const PENDULUM: &str = "examples/models/pendulum.dae";
const AMPLIFIER: &str = "examples/models/transistor_amplifier.dae";
const CAR_AXIS: &str = "examples/models/car_axis.dae";

mod analyze {
    use super::*;

    const KEYS: [&str; 30] = [
        "name",
        "unknowns",
        "equation_names",
        "equations",
        "structural_index",
        "structural_status",
        "structural_degrees_of_freedom",
        "sigma_jacobian_singular",
        "differentiation_index",
        "index_upper_bound",
        "degrees_of_freedom",
        "perturbation_index",
        "kronecker_index",
        "strangeness_index",
        "notions",
        "initial_values",
        "manifold_dimensions",
        "explanation",
        "rewrites",
        "redundant_equations",
        "derivations",
        "eliminated",
        "offsets",
        "hessenberg",
        "certificate",
        "hidden_constraints",
        "stand_ins",
        "warnings",
        "forms",
        "problem",
    ];

    #[test]
    fn pages_stand_alone() {
        let output = dae(&["analyze", PENDULUM, "--html"]);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
        let page = stdout(&output);
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        for foreign in ["<script", "http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        for part in ["<math", "<svg", "Hidden constraints", "may be chosen", "prefers-color-scheme"] {
            assert!(page.contains(part), "{part}");
        }

        let output = dae(&["analyze", PENDULUM, "--latex"]);
        let article = stdout(&output);
        assert_eq!(code(&output), 0);
        assert!(article.starts_with("\\documentclass") && article.trim_end().ends_with("\\end{document}"));
        assert!(article.contains("\\dot{x} &= u") && article.contains("0 &= x\\,u + y\\,v"), "{article}");
        assert_eq!(code(&dae(&["analyze", PENDULUM, "--latex", "--json"])), 2);
    }

    #[test]
    fn contradictory_start_values_are_told() {
        let text = "struct Circle { var x = 1.5; var y ~ 0; der(x) = y; 0 = x.powi(2) + y.powi(2) - 1; }";
        let file = file("contradictory.dae", text);
        let output = dae(&["analyze", &file, "--json"]);
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains("`x = 1.5` contradicts 0 = x² + y² - 1, equation 2"), "{}", stderr(&output));
        assert_eq!(json(&output)["problem"]["kind"], "contradictory start values");
        let page = stdout(&dae(&["analyze", &file, "--html"]));
        assert!(page.contains("contradictory start values"));
    }

    #[test]
    fn pendulum_as_json() {
        let output = dae(&["analyze", PENDULUM, "--json"]);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
        let report = json(&output);
        assert_eq!(keys(&report), sorted(KEYS));
        assert_eq!(report["name"], "Pendulum");
        assert_eq!(report["unknowns"], serde_json::json!(["x", "y", "u", "v", "lambda"]));
        assert_eq!(report["equations"][4], "0 = x² + y² - l²");
        for (key, value) in [
            ("structural_index", 3),
            ("structural_degrees_of_freedom", 2),
            ("differentiation_index", 3),
            ("index_upper_bound", 3),
            ("degrees_of_freedom", 2),
            ("hessenberg", 3),
        ] {
            assert_eq!(report[key], value, "{key}");
        }
        assert_eq!(report["structural_status"], "ok");
        assert_eq!(report["sigma_jacobian_singular"], false);
        assert_eq!(report["problem"], Value::Null);
        let offsets = serde_json::json!({"equations": [1, 1, 0, 0, 2], "unknowns": [2, 2, 1, 1, 0]});
        assert_eq!(report["offsets"], offsets);

        let hidden = report["hidden_constraints"].as_array().expect("a list");
        assert_eq!(hidden.len(), 2);
        assert_eq!(
            hidden[0],
            serde_json::json!({
                "name": "der(equation 5)", "equation": 5, "order": 1, "text": "0 = x·u + y·v", "latex": r"0 = x\,u + y\,v"
            })
        );
        assert_eq!(hidden[1]["order"], 2);
    }

    #[test]
    fn the_certificate_can_be_checked() {
        let report = json(&dae(&["analyze", PENDULUM, "--json"]));
        let certificate = &report["certificate"];
        assert_eq!(certificate["verdict"], "exact");
        assert_eq!(certificate["bound"], 3);
        let generic = &certificate["generic"];
        assert_eq!(generic["prime"], "2305843009213693951");
        assert_eq!(generic["assuming"], serde_json::json!([]));
        // The only entries that are not constant are those of the constraint and its reaction: det J = ±2 (x² + y²).
        let prime: i128 = (1 << 61) - 1;
        let residue = |value: &Value| value.as_str().and_then(|text| text.parse::<i128>().ok()).expect("a residue");
        let at = |name: &str| {
            let point = generic["point"].as_array().expect("a point");
            residue(&point.iter().find(|entry| entry["symbol"] == name).expect("a coordinate")["value"])
        };
        let square = |x: i128| x * x % prime;
        let expected = 2 * (square(at("x")) + square(at("y"))) % prime;
        let determinant = residue(&generic["determinant"]);
        assert!(determinant == expected || determinant == prime - expected, "{determinant} is not ±{expected}");

        let local = &certificate["local"];
        assert_eq!(local["t0"], 0.0);
        assert!((1.0..100.0).contains(&number(&local["condition"])), "{local}");
        let lower = &certificate["lower"];
        assert_eq!((&lower["status"], &lower["differentiations"]), (&"witness".into(), &2.into()));
        assert!(lower["free"] == "der(lambda)" && number(&lower["share"]) > 0.1, "{lower}");
        assert_eq!(report["manifold_dimensions"], serde_json::json!([4, 3, 2, 2]));
    }

    #[test]
    fn pendulum_for_people() {
        let output = dae(&["analyze", PENDULUM]);
        let text = stdout(&output);
        for line in [
            "Pendulum: 5 equations, 5 unknowns",
            "  differentiation index    3, certified at the start values",
            "  degrees of freedom       2",
            "  classification           Hessenberg form of size 3",
            "    5  c = 2  0 = x² + y² - l²",
            "  lambda  d = 0",
            "  der(equation 5)     0 = x·u + y·v",
            "  ggl       available",
        ] {
            assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
        }
    }

    #[test]
    fn the_other_models() {
        let facts = |file: &str| {
            let report = json(&dae(&["analyze", file, "--json"]));
            ["differentiation_index", "degrees_of_freedom", "structural_index"].map(|key| report[key].as_u64())
        };
        assert_eq!(facts(CAR_AXIS), [Some(3), Some(4), Some(3)]);
        assert_eq!(facts(AMPLIFIER), [Some(1), Some(5), Some(0)]);
    }

    #[test]
    fn ill_posed_models_are_rejected_by_name_and_place() {
        let path = file(
            "twice.dae",
            "struct Twice {
    var x = 0.0;
    var y ~ 0.0;
    var z ~ 0.0;
    0 = x - sin(t);
    der(x) + x = cos(t) + sin(t);
    y + z = x;
}
",
        );
        let output = dae(&["analyze", &path, "--json"]);
        assert_eq!(code(&output), 1);
        let report = json(&output);
        assert_eq!(keys(&report), sorted(KEYS));
        for key in ["structural_index", "differentiation_index", "index_upper_bound", "degrees_of_freedom", "offsets"] {
            assert_eq!(report[key], Value::Null, "{key}");
        }
        assert_eq!(report["structural_status"], "structurally singular");
        let problem = &report["problem"];
        assert_eq!(keys(problem), sorted(["kind", "equations", "unknowns", "messages"]));
        assert_eq!(problem["kind"], "structurally singular");
        assert_eq!(problem["equations"], serde_json::json!(["equation 1", "equation 2", "equation 3"]));
        assert_eq!(problem["unknowns"], serde_json::json!(["x", "y", "z"]));
        let expected = "\
error[E301]: the model is structurally singular: no solution is determined, whatever the values are
 --> FILE:5:5
  |
5 |     0 = x - sin(t);
  |     ^^^^^^^^^^^^^^ equation 1 contains only `x`
 ::: FILE:6:5
  |
6 |     der(x) + x = cos(t) + sin(t);
  |     ---------------------------- equation 2 contains only `x`
 ::: FILE:3:9
  |
3 |     var y ~ 0.0;
  |         - `y` occurs in only equation 3
 ::: FILE:4:9
  |
4 |     var z ~ 0.0;
  |         - `z` occurs in only equation 3
";
        let message = stderr(&output).replace(&path, "FILE");
        assert!(message.starts_with(expected), "{message}");

        let output = dae(&["analyze", &path]);
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
        let path = file("open.dae", "struct Open { var y = 0.0; var w ~ 0.0; der(y) = w - y; }");
        let report = json(&dae(&["analyze", &path, "--json"]));
        assert_eq!(
            (&report["structural_status"], &report["problem"]["kind"]),
            (&"non-square".into(), &"underdetermined".into())
        );
    }

    #[test]
    fn a_broken_text_is_rejected_at_its_token() {
        let path = file(
            "broken.dae",
            "struct Broken {
    param gravity = 9.81;
    var x = 0.0;
    var v = 1.0;
    der(x) = v;
    der(v) = -gravitty * x;
    0 = sin(x, v);
}
",
        );
        let output = dae(&["analyze", &path, "--json"]);
        assert_eq!(code(&output), 1);
        let report = json(&output);
        assert_eq!(keys(&report), sorted(KEYS));
        assert_eq!(report["name"], "Broken");
        assert_eq!(report["unknowns"], serde_json::json!(["x", "v"]));
        assert_eq!(report["problem"]["kind"], "invalid text");
        assert_eq!(report["problem"]["messages"].as_array().map(Vec::len), Some(2));
        let message = stderr(&output).replace(&path, "FILE");
        assert!(
            message.contains(" --> FILE:6:15\n  |\n6 |     der(v) = -gravitty * x;\n  |               ^^^^^^^^"),
            "{message}"
        );
        assert!(message.contains("gravity") && message.contains(" --> FILE:7:9"), "{message}");
        for command in [&["expand", &path, "--form", "ggl"][..], &["simulate", &path, "--t-end", "1"]] {
            let output = dae(command);
            assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
            assert_eq!(stderr(&output).replace(&path, "FILE"), message);
        }
    }

    #[test]
    fn files_that_are_not_there() {
        let output = dae(&["analyze", "no/such.dae"]);
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).starts_with("error: `no/such.dae` cannot be read: "), "{}", stderr(&output));
    }

    #[test]
    fn the_same_bytes_every_time() {
        for model in [PENDULUM, CAR_AXIS, AMPLIFIER] {
            for command in [&["analyze", model][..], &["analyze", model, "--json"], &["expand", model, "--form", "ggl"]]
            {
                assert_eq!(dae(command).stdout, dae(command).stdout, "{command:?}");
            }
        }
    }
}

mod expand {
    use super::*;

    #[test]
    fn every_form_of_every_model() {
        for model in [PENDULUM, CAR_AXIS, AMPLIFIER] {
            for (form, suffix) in [("original", "Original"), ("index1", "Index1"), ("index2", "Index2"), ("ggl", "Ggl")]
            {
                let output = dae(&["expand", model, "--form", form]);
                assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{model} {form}");
                let text = stdout(&output);
                let name = json(&dae(&["analyze", model, "--json"]))["name"].as_str().expect("a name").to_string();
                assert!(text.contains(&format!("pub struct {name} {{")), "{model} {form}");
                assert!(text.contains(&format!("{name}{suffix}")), "{model} {form}");
            }
        }
    }

    #[test]
    fn forms_that_a_model_does_not_have() {
        let output = dae(&["expand", PENDULUM, "--form", "dummy"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("original, index1, index2, ggl"), "{}", stderr(&output));
        // On the branch x2 = 1 the index is 2, and no constraint can be singled out by the pattern.
        let text = "struct Branch { var x1 ~ 0.0; var x2 ~ 1.0; var x3 ~ 1.0;
            der(x1) = x3; 0 = x2 * (1 - x2); 0 = x1 * x2 + x3 * (1 - x2) - t; }";
        let path = file("branch.dae", text);
        let output = dae(&["expand", &path, "--form", "ggl"]);
        assert_eq!(code(&output), 1);
        let message = stderr(&output);
        assert!(message.starts_with("error: no ggl form: ") && message.contains(&format!("{path}:1:8")), "{message}");
        assert!(message.contains("help: the model has these forms: original"), "{message}");
    }
}

mod simulate {
    use super::*;

    fn simulate(arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = ["simulate"].iter().chain(arguments).chain(&["--json"]).copied().collect();
        let output = dae(&arguments);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{arguments:?}");
        json(&output)
    }

    /// Pendulum from (1, 0) at rest at t = 10, from Jacobi elliptic functions.
    const AT_10: [(&str, f64); 5] = [
        ("x", -0.811_586_446_191_303_9),
        ("y", -0.584_232_351_345_395_7),
        ("u", -0.631_529_149_065_017_5),
        ("v", 0.877_288_798_841_069_4),
        ("lambda", 1.752_697_054_036_187),
    ];

    #[test]
    fn pendulum_by_both_methods() {
        for (method, accuracy) in [("radau5", 1e-8), ("bdf", 1e-7)] {
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

    #[test]
    fn keys_of_the_json() {
        let run = simulate(&[PENDULUM, "--t-end", "0.5"]);
        let expected = ["name", "form", "status", "times", "values", "invariants_max", "invariants", "statistics"];
        assert_eq!(keys(&run), sorted(expected));
        let expected = ["steps", "rejected", "residuals", "jacobians", "factorizations", "seconds"];
        assert_eq!(keys(&run["statistics"]), sorted(expected));
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
        for (t, x) in times.iter().zip(run["values"]["x"].as_array().expect("a list")).filter(|(t, _)| number(t) < 0.9)
        {
            assert!((number(x) * (1.0 - number(t)) - 1.0).abs() < 1e-4, "x({t}) = {x}");
        }
    }

    #[test]
    fn options_without_meaning() {
        for (arguments, message) in [
            (["--at", "1,3"], "output time 3 is not between 0 and 2"),
            (["--rtol", "-1"], "a tolerance is negative"),
            (["--rtol", "nan"], "not a finite number"),
            (["--param", "g"], "expected NAME=VALUE"),
            (["--method", "euler"], "radau5, bdf"),
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
        let run =
            simulate(&[&path, "--t0", "1", "--t-end", "-1", "--at", "1,0,-1", "--rtol", "1e-9", "--atol", "1e-9"]);
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
}
