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
    let output = dae(&["expand", PENDULUM, "--form", "index3"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("index1, index2, ggl, original"), "{}", stderr(&output));
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

/// Generated code can be read without the contract at hand: each function says what it computes, and each row of a residual has its equation above it.
#[test]
fn generated_functions_say_what_they_compute() {
    let plain = [
        "as_dae",
        "description",
        "prolongation_description",
        "parameters",
        "set_parameters",
        "prolongation",
        "input_error",
    ];
    let names = file(
        "names_of_code.dae",
        "struct Names { var F ~ 1; var dx ~ 0; var x: [f64; 6] = 1; var w: [f64; 6] ~ 0; var y = 0; var z = 0; var p ~ 0;
        for i in 0..6 { der(x[i], 2) = -F * x[i] + w[i]; } for i in 0..6 { w[i] = sin(t) * x[i]; }
        0 = F - 1 - dx; 0 = dx + x[0]; der(y) = z; der(z) = p; 0 = y; }",
    );
    let mut rows = 0;
    for model in
        [PENDULUM, CAR_AXIS, AMPLIFIER, "examples/models/chain.dae", "examples/models/slider_crank.dae", &names]
    {
        for form in ["index1", "ggl"] {
            let code = stdout(&dae(&["expand", model, "--form", form]));
            let lines: Vec<&str> = code.lines().map(str::trim).collect();
            let contract = lines.iter().position(|line| line.starts_with("impl ::dae::__private")).expect("a contract");
            for (before, line) in lines[contract..].iter().zip(&lines[contract + 1..]) {
                let function = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next());
                if let Some(name) = function.filter(|name| !plain.contains(name) && !name.starts_with("part_")) {
                    assert!(before.starts_with("///"), "{model}: {name}, {before}");
                }
                if line.starts_with("let equation_") || line.starts_with("let der_equation_") {
                    assert!(before.starts_with("/// "), "{model}: {line}, {before}");
                    rows += 1;
                }
            }
        }
    }
    assert!(rows > 100, "{rows}");
    let code = stdout(&dae(&["expand", &names, "--form", "ggl"]));
    assert!(code.contains("/// `F_` is F"), "{code}");
    assert!(code.contains("/// `der_x_i_2` is der(x[i]) as a rate"), "{code}");
    assert!(code.contains("/// definition of der(x[i]): 0 = d/dt x[i] - der(x[i])"), "{code}");
    let code = stdout(&dae(&["expand", PENDULUM, "--form", "ggl"]));
    assert!(code.contains("/// * mu_1: multiplier that enforces equation 5, zero on solutions"), "{code}");
}
