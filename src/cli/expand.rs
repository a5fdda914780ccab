//! `dae expand`.
//!
//! In: a model file and a form. Out: the Rust code that the macro makes of it, formatted.

use dae_symbolic::emit::emit;
use dae_symbolic::formulation::Form;
use dae_symbolic::model::Torn;

use super::{Exit, ExpandArguments, Loaded, print};

pub(super) fn run(arguments: &ExpandArguments) -> Result<Exit, Exit> {
    let loaded = Loaded::read(&arguments.model)?;
    let form = Form::from(arguments.form);
    if loaded.compiled.forms.iter().all(|compiled| compiled.form != form) {
        return Err(loaded.refuse(form));
    }
    match emit(&loaded.compiled, &[form]) {
        Ok(code) => print(&code).map(|()| Exit::Success),
        // What was read here is a whole model.
        Err(Torn) => Err(loaded.refuse(form)),
    }
}
