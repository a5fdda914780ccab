//! Which start values may be given, and what is said about those that are given.
//!
//! In: pendulums and other models with start values fixed in all manners. Out: the degrees of freedom by name, and
//! errors that name the value and the constraint it contradicts.

use dae::symbolic::diagnostic::{Code, Diagnostic};
use dae::symbolic::form::Form;
use dae::symbolic::initial_values::{InitialValues, contradictions, initial_values};
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{text}\n{}", rejected.diagnostics))
}

/// The pendulum with these start values, such as `x = 0.6` or `u ~ 0`.
fn pendulum(starts: [&str; 5]) -> Compiled {
    let variables: String = starts.iter().map(|start| format!("    var {start};\n")).collect();
    compiled(&format!(
        "struct Pendulum {{
    param g = 1.0;
    param l = 1.0;
{variables}    der(x) = u;
    der(y) = v;
    der(u) = -lambda * x;
    der(v) = -lambda * y - g;
    0 = x.powi(2) + y.powi(2) - l.powi(2);
}}"
    ))
}

fn values(compiled: &Compiled) -> InitialValues {
    initial_values(compiled).expect("a consistent point")
}

fn contradiction(compiled: &Compiled) -> Option<Diagnostic> {
    let found = contradictions(compiled);
    assert!(found.len() <= 1, "{found}");
    found.into_iter().next()
}

#[test]
fn one_position_and_one_velocity_of_the_pendulum() {
    let model = pendulum(["x = 0.6", "y ~ -0.8", "u ~ 0", "v = 0.3", "lambda ~ 0"]);
    let values = values(&model);
    assert_eq!(values.degrees_of_freedom, 2);
    assert!(values.redundant.is_empty() && values.guessed.is_empty() && values.determined.is_empty());
    // A velocity or the multiplier may be given in place of a coordinate, but never both coordinates.
    assert_eq!(values.choices.len(), 1);
    let choice = &values.choices[0];
    assert_eq!((choice.count, choice.example.as_slice()), (2, ["x".to_string(), "v".to_string()].as_slice()));
    assert_eq!((choice.among.len(), choice.any), (5, Some(false)), "x and y do not go together");
    assert!(contradiction(&model).is_none());
}

#[test]
fn what_is_determined_to_first_order_is_said() {
    // At rest at the side of the circle, x and u cannot move.
    let values = values(&pendulum(["x ~ 1", "y = 0", "u ~ 0", "v = 0", "lambda ~ 0"]));
    assert_eq!(values.determined, ["x", "u"]);
    let groups: Vec<(usize, Vec<&str>)> =
        values.choices.iter().map(|c| (c.count, c.among.iter().map(String::as_str).collect())).collect();
    assert_eq!(groups, [(1, vec!["y", "lambda"]), (1, vec!["v"])]);
}

#[test]
fn too_few_fixed_values_leave_the_rest_to_guesses() {
    let values = values(&pendulum(["x = 0.6", "y ~ -0.8", "u ~ 0", "v ~ 0.3", "lambda ~ 0"]));
    assert_eq!(values.guessed, ["u"]);
    assert!(values.redundant.is_empty());
}

#[test]
fn fixed_values_that_agree_are_redundant_and_no_error() {
    let model = pendulum(["x = 1", "y = 0", "u = 0", "v = 0.5", "lambda ~ 0"]);
    assert!(contradiction(&model).is_none());
    let values = values(&model);
    let redundant: Vec<(&str, &[String])> =
        values.redundant.iter().map(|r| (r.name.as_str(), r.follows_from.as_slice())).collect();
    // x and u are determined at the side of the circle whatever is chosen: by the equations, and by y.
    assert_eq!(redundant[0], ("x", [].as_slice()));
    assert_eq!(redundant[1].0, "u");
    assert!(values.guessed.is_empty());
}

#[test]
fn a_velocity_that_contradicts_the_hidden_constraint() {
    let model = pendulum(["x ~ 1", "y = 0", "u = 1", "v = 0", "lambda ~ 0"]);
    let found = contradiction(&model).expect("u = 1 points off the circle");
    assert_eq!(found.code, Code::ContradictoryStart);
    assert_eq!(found.message, "`u = 1` contradicts 0 = x·u + y·v, the derivative of equation 5");
    assert_eq!(found.labels[1].text, "`y = 0` is fixed as well");
    assert_eq!(
        found.notes[0],
        "for the default parameters, at any time; 3 values are fixed, and the model has 2 degrees of freedom"
    );
    assert_eq!(found.help.as_deref(), Some("make it a guess, which may move: `var u ~ 1;`"));
}

#[test]
fn positions_off_the_circle() {
    let found = contradiction(&pendulum(["x = 1", "y = 1", "u ~ 0", "v ~ 0", "lambda ~ 0"])).expect("off the circle");
    assert_eq!(found.message, "`x = 1` and `y = 1` contradict 0 = x² + y² - l², equation 5");
    let found = contradiction(&pendulum(["x = 1.5", "y ~ 0", "u ~ 0", "v ~ 0", "lambda ~ 0"])).expect("off the circle");
    assert_eq!(found.message, "`x = 1.5` contradicts 0 = x² + y² - l², equation 5");
}

#[test]
fn a_multiplier_that_contradicts_the_second_derivative() {
    let model = pendulum(["x = 0.6", "y ~ -0.8", "u ~ 0", "v = 0", "lambda = 5"]);
    let found = contradiction(&model).expect("lambda is given by the position and velocity");
    assert!(found.message.starts_with("`lambda = 5` contradicts 0 = "), "{}", found.message);
    assert!(found.message.ends_with(", the second derivative of equation 5"), "{}", found.message);
}

/// A coefficient that is zero evaluates to a rounding error. The initialisation takes it for nonzero and fails; the
/// derivative array shows that there is a consistent point.
#[test]
fn what_has_a_consistent_point_contradicts_nothing() {
    for coefficient in ["cbrt((y + 1).powi(3)) - y - 1", "ln(y * y) - ln(y) - ln(y)"] {
        let text =
            format!("struct Hidden {{ var y = 0.43; var w ~ 0.5; ({coefficient}) * der(w) + w = y; der(y) = -y; }}");
        let found = contradiction(&compiled(&text));
        assert!(found.is_none(), "{coefficient}: {:?}", found.map(|found| found.message));
    }
}

/// Rounding errors are no contradictions: those of a zero with a large factor, of decimals that are not machine
/// numbers, or of a table minus the linear function that it interpolates.
#[test]
fn rounding_contradicts_nothing() {
    for body in [
        "var y = 0.36; var a; var b; var z; der(y) = -y; b = y + 1e29 * (exp(ln(2) * 3) - 8) * exp(y) * der(a); z = der(b); 0 = a - sin(t);",
        "var y = 0.5; var d = 18.83000000000000000000000000001; var a ~ 1; var b ~ 0.2; der(y) = -y; der(d) = 0 * y;
         a + b = cos(t); a + (1 + (d - 12.177 - 6.653)) * b = sin(t);",
        "var y = 0.41; var w ~ 0.5; table mu = [(-2, -3000), (-1, 0), (0, 3000), (1, 6000), (2, 9000), (3, 12000)];
         der(y) = -y; (mu(y) - 3000 * y - 3000) * der(w) + w = y;",
        "var a = 1; var b = 2; der(a) + der(b) = -a; der(a) + 1.0000000001 * der(b) = -b;",
        "var y = 1; var x; 0 = y + 1e-30 * der(y); x = y;",
        "var y = 1; 0 = y + der(y);",
    ] {
        let found = contradiction(&compiled(&format!("struct Rounding {{ {body} }}")));
        assert!(found.is_none(), "{body}: {:?}", found.map(|found| found.message));
    }
}

#[test]
fn derivatives_have_start_values_too() {
    let text = |slope: &str| format!("struct Decay {{ var x = 1; start der(x) = {slope}; der(x) = -2 * x; }}");
    assert!(contradiction(&compiled(&text("-2"))).is_none());
    let found = contradiction(&compiled(&text("3"))).expect("the slope is given");
    assert_eq!(found.message, "`der(x) = 3` contradicts 0 = 2·x + der(x), equation 1");
    assert_eq!(found.help.as_deref(), Some("make it a guess, which may move: `start der(x) ~ 3;`"));
}

#[test]
fn guesses_are_never_errors() {
    // Next to the guess of y, the residual of the constraint has a minimum that is not zero; there is a solution
    // elsewhere.
    let model = compiled("struct Well { var x = 0; var y ~ 1.01; der(x) = y; 0 = y.powi(3) - 3 * y + 6 + x; }");
    assert!(contradiction(&model).is_none());
    // No real solution at all, but no fixed value either.
    let model = compiled("struct Nowhere { var x ~ 1; var y ~ 1; der(x) = y; 0 = y.powi(2) + 1; }");
    assert!(contradiction(&model).is_none());
}

#[test]
fn an_equation_that_fails_by_itself_is_not_blamed_on_a_value() {
    let model = compiled("struct Nowhere { var x = 1; var y ~ 1; der(x) = x; 0 = y.powi(2) + 1; }");
    assert!(contradiction(&model).is_none(), "x has nothing to do with it");
}
