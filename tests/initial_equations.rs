//! Equations that hold at the start of a run only: `initial { … }`, in several forms and by several methods.

#[macro_use]
mod interpreted;

use dae::runtime::contract::Dae;
use dae::symbolic::Text;
use dae::symbolic::form::Form;
use dae::symbolic::initial_values::{contradictions, initial_values};
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Integration, Method, RunError, Solution};
use interpreted::{available, system};

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau, Method::Radau5];
const FORMS: [&str; 6] = ["original", "index1", "index2", "ggl", "underlying", "dummy"];

fn integration(system: &dyn Dae, method: Method) -> Integration<'_, '_> {
    Integration::new(system).method(method).rtol(1e-9).atol(1e-9)
}

fn start(solution: &Solution) -> &[f64] {
    solution.state(0).expect("a first state")
}

fn value(solution: &Solution, state: &[f64], name: &str) -> f64 {
    state[solution.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no {name}"))]
}

/// Start values in every form and by every method that a model has.
fn starts(text: &str, t_end: f64, expected: &[(&str, f64)]) {
    let mut count = 0;
    for form in FORMS {
        let Some(system) = available(text, form) else { continue };
        for method in METHODS {
            let solution = match integration(system.as_ref(), method).run(0.0, t_end) {
                Ok(solution) => solution,
                // BDF does not treat index 3.
                Err(RunError::Options(_)) => continue,
                Err(error) => panic!("{form} by {method:?}: {error}"),
            };
            for &(name, expected) in
                expected.iter().filter(|(name, _)| solution.names.iter().any(|known| known == name))
            {
                let found = value(&solution, start(&solution), name);
                assert!((found - expected).abs() < 1e-9, "{form} by {method:?}: {name} = {found}, not {expected}");
                count += 1;
            }
        }
    }
    assert!(count >= 6, "{count}");
}

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{text}\n{}", rejected.diagnostics))
}

/// The findings about a text, from reading it to its start values: code and message.
fn findings(text: &str) -> Vec<(String, String)> {
    let found = match read_text(text) {
        Err(rejection) => rejection.diagnostics,
        Ok((model, _)) => match compile(model.with_forms(Form::BASIC), 0.0) {
            Err(rejected) => rejected.diagnostics,
            Ok(compiled) => contradictions(&compiled),
        },
    };
    found.iter().map(|it| (it.code.text().to_string(), it.message.clone())).collect()
}

/// A pendulum with these declarations of its unknowns, and these initial equations.
fn pendulum(variables: &str, initial: &str) -> String {
    format!(
        "struct Pendulum {{
            param g = 1;
            {variables}
            initial {{ {initial} }}
            der(x) = u;
            der(y) = v;
            der(u) = -lambda * x;
            der(v) = -lambda * y - g;
            0 = x.powi(2) + y.powi(2) - 1;
        }}"
    )
}

#[test]
fn states_follow_from_equations_between_them() {
    let text = "struct A { var x; var y ~ 1; initial { x + y = 3; x = 2 * y; } der(x) = -x; der(y) = x - y; }";
    starts(text, 1.0, &[("x", 2.0), ("y", 1.0)]);
}

/// A sum, an energy and a steady state: equations of the first, of a middle and of the last stage.
#[test]
fn they_hold_together_with_hidden_constraints() {
    let guesses = "var x ~ 0.5; var y ~ -0.9; var u ~ 1; var v ~ 0.5; var lambda;";
    let energy = pendulum(guesses, "x + 2 * y = -1; u.powi(2) / 2 + v.powi(2) / 2 + g * y = -0.3;");
    starts(&energy, 0.5, &[("x", 0.6), ("y", -0.8), ("u", 0.8), ("v", 0.6), ("lambda", 1.8)]);
    // The multiplier, which the last stage determines, restricts the velocities of the one before.
    let force = pendulum("var x = 0.6; var y ~ -0.9; var u ~ 1; var v ~ 0.5; var lambda;", "lambda = 1.8;");
    starts(&force, 0.5, &[("x", 0.6), ("y", -0.8), ("u", 0.8), ("v", 0.6)]);
    let at_rest = pendulum("var x ~ 0.1; var y ~ -0.9; var u ~ 0.2; var v; var lambda;", "der(x) = 0; der(u) = 0;");
    starts(&at_rest, 0.5, &[("x", 0.0), ("y", -1.0), ("u", 0.0), ("v", 0.0), ("lambda", 1.0)]);
}

/// A rod heated at one end, at rest: its temperatures are those of the stationary solution, in the interpreter and in
/// generated code, and stay there.
#[test]
fn a_family_begins_at_its_steady_state() {
    both! { TEXT:
        struct Rod {
            const N = 40;
            param hot = 5;
            var T: [f64; N] ~ 1;
            initial { for i in 0..N { der(T[i]) = 0; } }
            der(T[0]) = hot - 2 * T[0] + T[1];
            for i in 1..N - 1 { der(T[i]) = T[i - 1] - 2 * T[i] + T[i + 1]; }
            der(T[N - 1]) = T[N - 2] - 2 * T[N - 1];
        }
    }
    let generated = Rod { hot: 10.0 }.index1();
    let mut interpreted = system(TEXT, "index1");
    interpreted.set_parameters(&[10.0]);
    for dae in [&generated as &dyn Dae, interpreted.as_ref()] {
        for method in METHODS {
            let solution = integration(dae, method).run(0.0, 10.0).expect("a solution");
            for state in [start(&solution), &solution.end_state] {
                for (i, found) in state.iter().take(40).enumerate() {
                    let expected = 10.0 * (40 - i) as f64 / 41.0;
                    assert!((found - expected).abs() < 1e-8, "{method:?}: T[{i}] = {found}, not {expected}");
                }
            }
        }
    }
}

/// $x_0 + x_0^3 = p$: sensitivities and gradients begin with $1/(1 + 3 x_0^2)$.
#[test]
fn sensitivities_begin_with_their_derivatives() {
    let text =
        "struct A { param p = 10; var x ~ 1; var y = 1; initial { x + x.powi(3) = p; } der(x) = -x; der(y) = x; }";
    for form in ["original", "index1", "underlying"] {
        let dae = system(text, form);
        for method in METHODS {
            let run = || integration(dae.as_ref(), method).sensitivities(["p", "y"]);
            let solution = run().run(0.0, 1.0).expect("a solution");
            assert!((value(&solution, start(&solution), "x") - 2.0).abs() < 1e-12, "{form} by {method:?}");
            let adjoint = run().adjoint(0.0, 1.0).expect("a solution");
            for (unknown, by, expected) in [
                ("x", "p", (-1.0_f64).exp() / 13.0),
                ("y", "p", (1.0 - (-1.0_f64).exp()) / 13.0),
                ("x", "y", 0.0),
                ("y", "y", 1.0),
            ] {
                let forward = solution.sensitivity_at(unknown, by, 1.0).expect("recorded");
                let backward = adjoint.gradient(unknown).expect("a way back").by(by).expect("asked for");
                for found in [forward, backward] {
                    assert!((found - expected).abs() < 1e-7, "{form} by {method:?}: d{unknown}/d{by} = {found}");
                }
            }
        }
    }
}

/// Neither an impact nor the way back into the mode of the start makes them hold again.
#[test]
fn they_hold_at_the_start_only() {
    let ball = "struct Ball { var h ~ 1; var v ~ 0; initial { v = 1 - h; h = 1; } der(h) = v; der(v) = -9.81;
        when h < 0 { v = -0.7 * pre(v); } }";
    let modes = "struct Relay { var x; initial { x = 2 * t + 1; }
        modes relay { falls { der(x) = -1; when x < 0 { relay = rises; } }
                      rises { der(x) = 1; when x > 0.5 { relay = falls; } } } }";
    for method in METHODS {
        let solution = integration(system(ball, "original").as_ref(), method).run(0.0, 1.0).expect("a solution");
        let impact = (2.0_f64 / 9.81).sqrt();
        assert!((solution.occurrences[0].t - impact).abs() < 1e-9, "{:?}", solution.occurrences);
        let after = 1.0 - impact;
        let height = 0.7 * 9.81 * impact * after - 9.81 / 2.0 * after * after;
        assert!((value(&solution, &solution.end_state, "h") - height).abs() < 1e-7, "{method:?}");
        let solution = integration(system(modes, "original").as_ref(), method).run(0.0, 2.25).expect("a solution");
        assert!((value(&solution, start(&solution), "x") - 1.0).abs() < 1e-12);
        assert!((value(&solution, &solution.end_state, "x") - 0.25).abs() < 1e-9, "{method:?}");
    }
}

/// The report says what they leave to choose, and which of them nothing needs.
#[test]
fn the_report_counts_them() {
    let guesses = "var x ~ 0.6; var y ~ -0.8; var u ~ 0.8; var v ~ 0.6; var lambda;";
    let values = |initial: &str| initial_values(&compiled(&pendulum(guesses, initial))).expect("a consistent point");
    assert_eq!(values("x + 2 * y = -1;").guessed.len(), 1);
    assert!(values("x + 2 * y = -1; u = 0.8;").guessed.is_empty());
    let redundant = values("x + 2 * y = -1; u = 0.8; v = 0.6;").redundant;
    assert_eq!(redundant.len(), 1);
    assert_eq!(redundant[0].name, "initial equation 3");
    assert_eq!(redundant[0].follows_from, ["initial equation 1", "initial equation 2"]);
    let report = dae::symbolic::report::Report::compiled(&compiled(&pendulum(guesses, "x + 2 * y = -1;")));
    assert_eq!(report.initial_equations, ["initial equation 1: 0 = x + 2·y + 1"]);
}

#[test]
fn mistakes_are_named() {
    let first = |text: &str| {
        let found = findings(text);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    };
    let with = |initial: &str| format!("struct A {{ param p = 1; var x ~ 1; initial {{ {initial} }} der(x) = -x; }}");
    assert_eq!(first(&with("p = 1;")).0, "E450");
    let (code, message) = first(&with("der(x, 2) = 0;"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("E450", "`der(x, 2)` is a higher derivative than the equations determine")
    );
    assert!(first(&with("var y;")).1.contains("`initial` holds equations"), "a declaration");
    assert!(first(&with("when x > 1 { x = 0; }")).1.contains("`initial` holds equations"), "an event");
    assert!(first(&with("pre(x) = 1;")).1.contains("belongs to the values after an event"));
    let inside = "struct A { var x: [f64; 2]; for i in 0..2 { initial { x[i] = 1; } der(x[i]) = -x[i]; } }";
    assert!(first(inside).1.contains("stands on its own"));
    let boundary =
        "struct A { var x; var v; initial { x = 1; } der(x) = v; der(v) = -x; boundary { x(t0) = 0; x(1) = 1; } }";
    assert!(findings(boundary).iter().any(|(code, _)| code == "E450"));
}

/// Contradictions are errors when the model is compiled, and typed errors of a run for other parameters.
#[test]
fn contradictions_are_named() {
    let found = findings("struct A { var x; var y ~ 1; initial { x + y = 3; x + y = 4; } der(x) = -x; der(y) = -y; }");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0], ("E601".into(), "initial equation 1 contradicts 0 = x + y - 4, initial equation 2".into()));
    let found = findings("struct A { var x = 1; var y ~ 1; initial { x * y = 2; y = 3; } der(x) = -x; der(y) = -y; }");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.starts_with("`x = 1` and initial equation 1 contradict"), "{found:?}");
    let found =
        findings(&pendulum("var x ~ 0.6; var y ~ -0.8; var u ~ 0; var v ~ 0; var lambda;", "x = 0.6; u = 1; v = 1;"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.contains("the derivative of equation 5"), "{found:?}");
    let text = "struct A { param p = 1; var x = 1; var y ~ 1; initial { x = p; } der(x) = -x; der(y) = -y; }";
    assert!(findings(text).is_empty());
    let mut dae = system(text, "original");
    dae.set_parameters(&[2.0]);
    let error = integration(dae.as_ref(), Method::Radau).run(0.0, 1.0).expect_err("a contradiction");
    assert!(matches!(error, RunError::Initialization(_)), "{error:?}");
    assert!(error.to_string().contains("initial equation 1"), "{error}");
}

/// A word of its own only before a brace: models may have an unknown of this name.
#[test]
fn the_word_remains_a_name() {
    let text = "struct A { param initial = 2; var x; initial { x = initial; } der(x) = -initial * x; }";
    starts(text, 1.0, &[("x", 2.0)]);
    assert!(Text::read_text(text).is_ok());
}

/// A `for` in the block of a model without arrays is a loop in generated code as well.
#[test]
fn a_loop_needs_no_array() {
    dae::dae! {
        struct Overdetermined {
            var x ~ 1;
            var y ~ 1;
            initial { for i in 0..3 { x + (i + 2) * y = 5 + i; } }
            der(x) = -x;
            der(y) = -y;
        }
    }
    let solution = Integration::new(&Overdetermined::default().index1()).run(0.0, 1.0).expect("x = 3, y = 1");
    assert!((start(&solution)[0] - 3.0).abs() < 1e-9 && (start(&solution)[1] - 1.0).abs() < 1e-9);
}

/// What is left to choose is counted after them.
#[test]
fn states_may_be_chosen_as_they_leave() {
    let guesses = "var x ~ 0.6; var y ~ -0.8; var u ~ 0.8; var v ~ 0.6; var lambda;";
    let values = initial_values(&compiled(&pendulum(guesses, "x + 2 * y = -1;"))).expect("a consistent point");
    assert_eq!((values.degrees_of_freedom, &values.determined[..]), (1, &["x".to_string(), "y".to_string()][..]));
}

/// One that has no solution on its own is named, with the time at which it is judged.
#[test]
fn an_equation_without_a_solution_is_named() {
    let found = findings("struct A { var x ~ 1; initial { x.powi(2) = -1 - t; } der(x) = -x; }");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.starts_with("no values near the guesses fulfil 0 = "), "{found:?}");
    assert!(found[0].1.ends_with("initial equation 1, at t = 0"), "{found:?}");
}
