//! Formulations against each other: all forms of a model have the same solutions.
//!
//! In: the solvable systems of `tests/data/index_systems.json`. Out: from the consistent point in that file, every form
//! ends at the same values of the model's unknowns, by Radau5 and by BDF, where these converge.

mod book;

use dae::runtime::contract::Dae;
use dae::runtime::stepper::Failure;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::{Integration, Method, RunError};

/// The length of the interval: long enough to reveal a wrong constraint, short enough for every solution to exist.
const LENGTH: f64 = 0.1;
const TOLERANCE: f64 = 1e-9;

/// Radau IIA with three stages has order 3 for an unknown $u$ of index 2 and 5 for the others, and controls the error
/// of $h u$ only (Hairer & Wanner, *Solving Ordinary Differential Equations II*, section VII.4): for the same digits in
/// $u$ the tolerance has to be tighter. For the flexible arm $u$ is off by about $3 h^3$ (5e-6 at h = 1.25e-2), while
/// its differential unknowns agree to 3e-11.
fn tolerance(method: Method, index: u8) -> f64 {
    if method == Method::Radau5 && index == 2 { 0.1 * TOLERANCE } else { TOLERANCE }
}

/// The largest relative difference that is allowed between end values of two forms. It exceeds the tolerance because
/// multipliers are less accurate, and even more so for the original form, whose index is up to 3.
fn allowed(form: &Form) -> f64 {
    if *form == Form::Original { 2e-4 } else { 2e-6 }
}

/// The methods that converge for a form whose unknowns have indices up to `index`.
fn methods(index: u8) -> Vec<Method> {
    match index {
        ..=2 => vec![Method::Radau5, Method::Bdf],
        3 => vec![Method::Radau5],
        _ => vec![],
    }
}

/// Every kind of form except `recommended`, which is one of the others.
fn all_forms() -> Vec<Form> {
    let chosen = [
        "stabilized(B)",
        "projected(B)",
        "pa",
        "pb",
        "pc",
        "baumgarte(1)",
        "overdetermined",
        "state_space",
        "tangent",
        "dummy",
        "underlying",
        "essential_underlying",
        "derivative_array",
        "strangeness_free",
    ];
    let chosen = chosen.into_iter().map(|name| name.parse::<Form>().expect("a form"));
    Form::BASIC.into_iter().chain(chosen).collect()
}

#[test]
fn every_form_has_the_same_solution() {
    let (mut compared, mut failures) = (0, Vec::new());
    for system in book::systems() {
        let name = book::name(&system);
        let Ok((model, _)) = dae::symbolic::read_text(&book::model_text(&system)) else { panic!("{name} is readable") };
        let unknowns: Vec<String> = model.unknowns.iter().map(|u| u.name.clone()).collect();
        let t0 = system["t"].as_f64().expect("a time");
        let Ok(compiled) = compile(model.with_forms(all_forms()), t0) else { continue };
        let regular = compiled.analysis.certificate.is_regular();
        let mut reference: Option<Vec<f64>> = None;
        // Index 1 first: the others are compared with it. Where the system Jacobian is singular or equations had to be
        // combined, no method is suitable for the original form.
        let as_written = regular && compiled.analysis.rewrites.is_empty();
        let mut forms: Vec<_> = compiled.forms.iter().filter(|f| as_written || f.form != Form::Original).collect();
        forms.sort_by_key(|form| form.form != Form::Index1);
        for form in forms {
            let index = form.formulation.unknowns.iter().map(|unknown| unknown.index).max();
            for method in methods(index.unwrap_or(1)) {
                let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
                let system = system.completed(form.formulation.completion);
                let label = format!("{name}, {} by {method:?}", form.form);
                let tolerance = tolerance(method, index.unwrap_or(1));
                let run = Integration::new(system.as_ref()).method(method).rtol(tolerance).atol(tolerance);
                let run = run.run(t0, t0 + LENGTH);
                let solution = match run {
                    Ok(solution) => solution,
                    Err(error) => {
                        failures.push(format!("{label}: {error}"));
                        continue;
                    }
                };
                let place = |u: &String| solution.names.iter().position(|n| n == u).expect("every unknown is a state");
                let end: Vec<f64> = unknowns.iter().map(|u| solution.end_state[place(u)]).collect();
                let expected = reference.get_or_insert_with(|| end.clone());
                for ((unknown, value), expected) in unknowns.iter().zip(&end).zip(expected.iter()) {
                    let error = (value - expected).abs() / (1.0 + expected.abs());
                    if error.is_nan() || error > allowed(&form.form) {
                        failures.push(format!("{label}: {unknown} = {value}, the first form says {expected}"));
                    }
                }
                compared += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{compared} integrations agree");
    assert!(compared >= 700, "only {compared} integrations were compared");
}

#[test]
fn a_method_refuses_a_form_it_does_not_converge_for() {
    let (model, _) = dae::symbolic::read_text(include_str!("../examples/models/pendulum.dae")).expect("readable");
    let Ok(compiled) = compile(model.with_forms(Form::BASIC), 0.0) else { panic!("well-posed") };
    let original = compiled.forms.iter().find(|form| form.form == Form::Original).expect("every model has it");
    let system = Interpreter::new(original.program.clone(), compiled.prolonged.clone());
    let refused = Integration::new(&system).method(Method::Bdf).run(0.0, 1.0).expect_err("index 3");
    assert_eq!(
        refused.to_string(),
        "BDF with step size control integrates unknowns of index up to 2, and `lambda` of the original form has index 3; \
         integrate the ggl, index2 or index1 form"
    );
    let constant_steps = Integration::new(&system).method(Method::Bdf).fixed_step(1e-3).run(0.0, 0.1);
    assert!(constant_steps.is_ok(), "constant steps converge and are allowed");
}

fn with_form(text: &str, form: &str) -> Result<dae::symbolic::pipeline::Compiled, String> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let compiled = compile(model.with_forms([form]), 0.0).map_err(|rejected| rejected.diagnostics.to_string())?;
    match compiled.unavailable.first() {
        Some(error) => Err(error.to_string()),
        None => Ok(compiled),
    }
}

/// Where the direction of a multiplier becomes tangent to its constraint, the form has equilibria that are not on any
/// solution of the model.
#[test]
fn false_equilibria_are_no_success() {
    let text = "struct M { var x = 1; var y ~ 0; var lam;
        der(x) + 3*der(y) = -3*y + 2*x*0.1 + lam*(x + 3*y);
        der(y) = 1 + lam*y;
        0 = x.powi(2) + y.powi(2) - 1; }";
    let compiled = with_form(text, "projected(unit)").expect("it has the form");
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    let mut messages = Vec::new();
    for tolerance in [1e-4, 3e-5, 2.5e-5, 1e-5, 1e-6, 1e-7, 1e-8] {
        for method in [Method::Bdf, Method::Radau5] {
            let run = Integration::new(&system).method(method).rtol(tolerance).atol(tolerance);
            let solution = run.run(0.0, 3.0).or_else(RunError::into_solution).expect("it starts");
            // The end value of the ggl form, on which both methods agree.
            let error = (solution.end_state[0] + 0.969_162_93).abs();
            assert!(!solution.is_success() || error < 100.0 * tolerance, "{tolerance:e} by {method:?}: {error:e}");
            messages.push(solution.status.to_string());
        }
    }
    // A run that ends in such an equilibrium reports it.
    let message = "`mu_1` of the projected(unit) form is -";
    assert!(messages.iter().all(|m| m == "success" || m.contains(message)), "{messages:?}");
    let (equilibrium, at_rest) = ([0.0, 1.0, -1.0, -6.0], [0.0; 4]);
    let mut residual = [f64::NAN; 4];
    system.residual(0.0, &equilibrium, &at_rest, &mut residual);
    assert_eq!(residual, [0.0; 4]);
    let message = "`mu_1` of the projected(unit) form is -6";
    for method in [Method::Bdf, Method::Radau5, Method::Radau] {
        let run = Integration::new(&system).method(method).run_from(0.0, &equilibrium, &at_rest, 3.0);
        let error = run.expect_err("no solution goes on");
        assert!(matches!(error.failure(), Some(Failure::MultiplierNotZero { .. })), "{method:?}: {error}");
        assert!(error.to_string().contains(message), "{method:?}: {error}");
    }
    // The leading matrix is not symmetric, so that it defines no metric for gradients.
    let message = with_form(text, "overdetermined").expect_err("refused");
    assert!(message.contains("no symmetric mass matrix"), "{message}");
}

/// Constraints of different index, with the multipliers declared in either order.
#[test]
fn directions_belong_to_their_constraints() {
    for multipliers in ["var mu; var lam;", "var lam; var mu;"] {
        let text = format!(
            "struct M {{ var x = 0.6; var y ~ 0.8; var u ~ 0; var v = 0.2; var z = 0; var w ~ 1; {multipliers}
             der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 1; der(z) = -z + mu; der(w) = w + 2*mu;
             0 = x.powi(2) + y.powi(2) - 1; w = cos(t) + z; }}"
        );
        for form in ["stabilized(B)", "projected(B)"] {
            let compiled = with_form(&text, form).unwrap_or_else(|message| panic!("{message}"));
            let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
            let run = Integration::new(&system).rtol(1e-8).atol(1e-8).run(0.0, 1.0);
            assert!(run.is_ok(), "{form}: {run:?}");
        }
    }
}
