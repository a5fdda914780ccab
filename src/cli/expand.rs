//! `dae expand`.
//!
//! In: a model file and a form. Out: the Rust code that the macro makes of it, formatted.

use dae_symbolic::emit::emit_form;
use dae_symbolic::formulation::Form;

use super::{Exit, ExpandArguments, Loaded, print};

pub(super) fn run(arguments: &ExpandArguments) -> Result<Exit, Exit> {
    let loaded = Loaded::read(&arguments.model)?;
    let form = Form::from(arguments.form);
    let code = emit_form(&loaded.compiled, form).ok_or_else(|| loaded.refuse(form))?;
    print(&code)?;
    Ok(Exit::Success)
}
