//! The systems of `tests/data/index_systems.json`, and their texts as models.

use serde_json::Value;

const SYSTEMS: &str = include_str!("../data/index_systems.json");

/// All systems.
pub(crate) fn systems() -> Vec<Value> {
    let book: Value = serde_json::from_str(SYSTEMS).expect("the data are JSON");
    book["systems"].as_array().expect("a list of systems").clone()
}

/// The strings of a list; none if `value` is not a list.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The system as the body of a `dae!`. The guesses are the consistent point, for each unknown up to its highest
/// derivative in the equations; a correct initialisation has no reason to leave it.
pub(crate) fn model_text(system: &Value) -> String {
    let equations = texts(&system["equations"]);
    let mut text = String::from("struct System {\n");
    for unknown in texts(&system["unknowns"]) {
        let values: Vec<f64> =
            system["consistent_point"][unknown].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        let order =
            (1..values.len()).rev().find(|k| equations.iter().any(|e| e.contains(&format!("der({unknown},{k})"))));
        text += &format!("    var {unknown} ~ {:?};\n", values[0]);
        for k in 1..=order.unwrap_or(0) {
            text += &format!("    start der({unknown}, {k}) ~ {:?};\n", values[k]);
        }
    }
    for equation in equations {
        text += &format!("    0 = {};\n", powers(equation).replace("pi", "PI"));
    }
    text + "}\n"
}

/// `base**2` becomes `base.powi(2)`; a method call binds as tightly as the power.
fn powers(expression: &str) -> String {
    expression
        .split("**")
        .enumerate()
        .map(|(k, part)| {
            let exponent = if k == 0 { 0 } else { part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()) };
            let (digits, rest) = part.split_at(exponent);
            if k == 0 { rest.to_string() } else { format!(".powi({digits}){rest}") }
        })
        .collect()
}

/// The name of a system.
pub(crate) fn name(system: &Value) -> &str {
    system["name"].as_str().unwrap_or_default()
}
