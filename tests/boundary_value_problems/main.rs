//! Boundary value problems: a collection with known solutions, constraints of optimal control, observed orders, random
//! linear problems of known solution, and what is said where there is no solution.

mod cart_pole;
mod collection;
mod constraints;
mod options;
mod orders;
mod random;

use dae::bvp::BvpSolution;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use dae::symbolic::syntax::{SourceText, to_text};

/// The model of a text in a form.
fn try_model(text: &str, form: &Form) -> Result<Interpreter, String> {
    let source = SourceText { file: "model.dae", text };
    let (model, sources) = read_text(text).map_err(|rejection| rejection.to_text(source))?;
    let compiled = compile(model.with_forms([form.clone()]), 0.0)
        .map_err(|rejected| to_text(&rejected.diagnostics, &sources, source))?;
    let found = compiled.forms.iter().find(|it| it.form == *form).ok_or("the form is not available")?;
    Ok(Interpreter::new(found.program.clone(), compiled.prolonged.clone()))
}

fn model(text: &str, form: &Form) -> Interpreter {
    try_model(text, form).unwrap_or_else(|message| panic!("{message}\n{text}"))
}

/// Value of an unknown at a time of the solution.
fn value(found: &BvpSolution, name: &str, t: f64) -> f64 {
    found.value(name, t).unwrap_or_else(|| panic!("{name} at {t}"))
}
