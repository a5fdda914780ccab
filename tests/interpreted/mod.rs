//! Models at run time.
//!
//! In: a text and the name of a form. Out: a system that runs.

#![allow(unreachable_pub, reason = "shared between test binaries")]

use dae::runtime::contract::Dae;
use dae::symbolic::compile::compile;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;

/// A form of a model that has no errors.
pub fn system(text: &str, form: &str) -> Box<dyn Dae> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let Ok(compiled) = compile(model.with_forms([form]), 0.0) else { panic!("well-posed") };
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    system.completed(compiled.forms[0].formulation.completion)
}
