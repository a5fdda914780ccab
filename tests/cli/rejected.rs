//! Models that are no good: exit codes, kinds of problems, and messages at the tokens at fault.

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
