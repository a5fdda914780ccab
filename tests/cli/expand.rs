//! `dae expand`: the code of every form.

use super::*;

#[test]
fn every_form_of_every_model() {
    for model in [PENDULUM, CAR_AXIS, AMPLIFIER] {
        for (form, suffix) in [("original", "Original"), ("index1", "Index1"), ("index2", "Index2"), ("ggl", "Ggl")] {
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
