//! Models compiled at run time, for the interpreter.
//!
//! In: the text of a model and the name of a form. Out: the form, ready to be integrated; the same model in generated code.

#![allow(unreachable_pub, reason = "shared between test binaries")]

use dae::runtime::contract::Dae;
use dae::symbolic::Text;
use dae::symbolic::form::Form;
use dae::symbolic::modes::compile_modes;

/// A model for generated code, and its text for the interpreter.
#[allow(unused_macros, reason = "shared between test binaries")]
macro_rules! both {
    ($text:ident: $($model:tt)*) => {
        const $text: &str = stringify!($($model)*);
        dae::dae! { $($model)* }
    };
}

/// The form of this name of a model. Panics if the model has errors or does not have the form.
pub fn system(text: &str, form: &str) -> Box<dyn Dae> {
    available(text, form).unwrap_or_else(|| panic!("no {form} form"))
}

/// The form of this name of a model; `None` if the model does not have it. Panics if the model has errors.
pub fn available(text: &str, form: &str) -> Option<Box<dyn Dae>> {
    let text = Text::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    match compile_modes(&text, Some(std::slice::from_ref(&form)), 0.0) {
        Ok(modes) => modes.formulation(&form, &[]).ok(),
        Err(rejected) => panic!("not well-posed: {:?}", rejected.diagnostics),
    }
}
