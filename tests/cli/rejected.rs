//! Rejected models: exit codes, kinds of problems, messages at the tokens at fault, and advice.

use super::analyze::KEYS;
use super::*;

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
3 |     var y ~ 0.0;
  |         - `y` occurs in only equation 3
4 |     var z ~ 0.0;
  |         - `z` occurs in only equation 3
5 |     0 = x - sin(t);
  |     ^^^^^^^^^^^^^^ equation 1 contains only `x`
6 |     der(x) + x = cos(t) + sin(t);
  |     ---------------------------- equation 2 contains only `x`
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

/// Output to a pipe has no colours unless `CLICOLOR_FORCE` asks for them; `NO_COLOR` takes precedence.
#[test]
fn messages_have_colours_where_they_are_wanted() {
    let path = file("colours.dae", "struct Colours { var x; x = y; }");
    let message = |variables: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dae"));
        command.args(["analyze", &path]).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        stderr(&command.envs(variables.iter().map(|name| (name, "1"))).output().expect("the command runs"))
    };
    let coloured = message(&["CLICOLOR_FORCE"]);
    assert!(coloured.starts_with("\u{1b}[") && coloured.contains("unknown name `y`"), "{coloured}");
    for plain in [message(&[]), message(&["NO_COLOR", "CLICOLOR_FORCE"])] {
        assert!(plain.starts_with("error[E101]: unknown name `y`\n") && !plain.contains('\u{1b}'), "{plain}");
    }
}

#[test]
fn files_that_are_not_there() {
    let output = dae(&["analyze", "no/such.dae"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).starts_with("error: `no/such.dae` cannot be read: "), "{}", stderr(&output));
}

/// Defaults and start values that are not finite are reported by name; values computed from them are not.
#[test]
fn values_that_are_no_numbers_are_told() {
    let text = "struct S { param a = 0; param b = 1 / a; param c = b + 1; var x = 1; der(x) = -b * x + c; }";
    let output = dae(&["analyze", &file("infinite.dae", text)]);
    let message = stderr(&output);
    assert_eq!(code(&output), 1);
    assert!(message.starts_with("error[E205]: the default of `b` is infinite, with a = 0\n"), "{message}");
    assert!(message.contains(":1:31") && !message.contains("`c`"), "{message}");
    let text = "struct S { param a = -1; var x = sqrt(a); der(x) = -x; }";
    let message = stderr(&dae(&["analyze", &file("undefined.dae", text)]));
    assert!(message.starts_with("error[E205]: the start value of `x` is undefined, with a = -1\n"), "{message}");
    let text = "struct S { const N = 4; param a: [f64; N] = |i| i; param b: [f64; N] = |i| 1 / a[i]; var x = 1;
        der(x) = -b[1] * x; }";
    let message = stderr(&dae(&["analyze", &file("infinite_element.dae", text)]));
    assert!(message.starts_with("error[E205]: the default of `b[0]` is infinite, with a[0] = 0\n"), "{message}");
}

/// Help messages use the names of the model, and recognise the usual names of the time and of π.
#[test]
fn helps_speak_of_the_model() {
    let text = "struct S { var w: [f64; 3] = 1; var z ~ 0; for i in 0..3 { der(w[i]) = -w[i]; } 0 = z - w; }";
    let message = stderr(&dae(&["analyze", &file("whole_array.dae", text)]));
    assert!(message.contains("= help: take an element, `w[i]`, in a `for` or a `sum` over all of them"), "{message}");
    let text = "struct S { var x = 1; der(x) = -x + time; }";
    let message = stderr(&dae(&["analyze", &file("time.dae", text)]));
    assert!(message.contains("unknown name `time`") && message.contains("= help: the time is called `t`"), "{message}");
    let text = "struct S { var i = 1; der(i) = -i + sin(100 * pi * t); }";
    let message = stderr(&dae(&["analyze", &file("pi.dae", text)]));
    assert!(
        message.contains("unknown name `pi`") && message.contains("= help: the number π is called `PI`"),
        "{message}"
    );
}

/// Where the search for consistent values fails, the report names the equations to check; it blames none without proof.
#[test]
fn what_to_check_is_said() {
    let warnings = |name: &str, text: &str| {
        let report = json(&dae(&["analyze", &file(name, text), "--json"]));
        (report["warnings"][0].as_str().unwrap_or_default().to_string(), report)
    };
    let text =
        "struct S { var x ~ 1; var y ~ 0.2; var z ~ 1; 0 = x.powi(2) + y.powi(2) - 1; 0 = x + y - 3; der(z) = x - z; }";
    let (advice, _) = warnings("far_apart.dae", text);
    let expected =
        "equation 1 and equation 2 together restrict x, y and could not be fulfilled from the start values: check";
    assert!(advice.starts_with(expected), "{advice}");
    let text = "struct S { input u; var x = 1; var y ~ 0; 0 = x - u; der(y) = x; }";
    let (advice, report) = warnings("supplied.dae", text);
    assert!(advice.starts_with("`u` had no values while the model was analysed"), "{advice}");
    let reason = report["certificate"]["local"]["reason"].as_str().expect("a reason");
    assert_eq!(reason, "whether `x = 1` agrees with equation 1 depends on u, which the caller supplies");
    // A correct model is given no advice.
    assert_eq!(warnings("right.dae", "struct S { var x = 1; der(x) = -x; }").0, "");
}

/// The report says why a verdict is only numerical.
#[test]
fn a_proof_that_is_not_made_is_explained() {
    let text = std::fs::read_to_string("examples/models/chain.dae").expect("an example");
    let long = file("unproved_chain.dae", &text.replace("const N = 6;", "const N = 60;"));
    let text = stdout(&dae(&["analyze", &long])).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "it is not proved by intervals, because more than 150 equations have to be solved together";
    assert!(text.contains("established numerically") && text.contains(why), "{text}");
}

/// The members of a family share one place in the text, and are reported there once.
#[test]
fn families_that_are_at_fault_are_told_once() {
    let text = "struct S { var x: [f64; 20] ~ 0; var y: [f64; 20] ~ 0; var z ~ 0;
        for k in 0..20 { der(x[k]) = z; }
        for k in 0..20 { x[k] = sin(t); }
        z = y[0]; }";
    let message = stderr(&dae(&["analyze", &file("families_at_fault.dae", text)]));
    for part in [
        "equation 1[k = 0..=19] contain only `x[0..=19]`, `z`\n",
        "equation 2[k = 0..=19] contain only `x[0..=19]`\n",
        "`y[1..=19]` occur in no equation\n",
        "= note: overdetermined: equation 1[k = 0..=19], equation 2[k = 0..=19] contain only `x[0..=19]`, `z`\n",
    ] {
        assert!(message.contains(part), "`{part}` is not in\n{message}");
    }
    assert!(message.lines().count() < 22, "{message}");
}
