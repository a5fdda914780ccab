//! Models compiled at run time, for the interpreter.
//!
//! In: the text of a model and the name of a form. Out: the form, ready to be integrated.

#![allow(unreachable_pub, reason = "shared between test binaries")]

use dae::runtime::contract::Dae;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;

/// The form of this name of a model. Panics if the model has errors or does not have the form.
pub fn system(text: &str, form: &str) -> Box<dyn Dae> {
    available(text, form).unwrap_or_else(|| panic!("no {form} form"))
}

/// The form of this name of a model; `None` if the model does not have it. Panics if the model has errors.
pub fn available(text: &str, form: &str) -> Option<Box<dyn Dae>> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let Ok(compiled) = compile(model.with_forms([form]), 0.0) else { panic!("well-posed") };
    let form = compiled.forms.first()?;
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    Some(system.completed(form.formulation.completion))
}
