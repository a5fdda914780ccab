//! Models at run time.
//!
//! In: a text and the name of a form. Out: a system that runs.

#![allow(unreachable_pub, reason = "shared between test binaries")]

use dae::runtime::contract::Dae;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;

/// A form of a model that has no errors.
pub fn system(text: &str, form: &str) -> Box<dyn Dae> {
    available(text, form).unwrap_or_else(|| panic!("no {form} form"))
}

/// A form of a model that has no errors, if the model has this form.
pub fn available(text: &str, form: &str) -> Option<Box<dyn Dae>> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let Ok(compiled) = compile(model.with_forms([form]), 0.0) else { panic!("well-posed") };
    let form = compiled.forms.first()?;
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    Some(system.completed(form.formulation.completion))
}
