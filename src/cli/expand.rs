//! `dae expand`.
//!
//! In: a model file and a form. Out: the Rust code that the macro generates from it, formatted.

use dae_symbolic::emit::{emit, emit_modes};
use dae_symbolic::model::Torn;

use super::loaded::{AnalysedModes, Loaded};
use super::{Exit, ExpandArguments, fail, print};

pub(super) fn run(arguments: &ExpandArguments) -> Result<Exit, Exit> {
    let form = &arguments.form;
    let loaded = Loaded::read(&arguments.model, form, AnalysedModes::All)?;
    if loaded.compiled().forms.is_empty() {
        return Err(loaded.refuse(form));
    }
    let code = match loaded.modes.has_modes() {
        true => emit_modes(loaded.modes),
        false => emit(loaded.compiled()),
    };
    match code {
        Ok(code) => print(&code).map(|()| Exit::Success),
        // Only an excerpt can be torn, and this model is complete.
        Err(Torn) => Err(fail(Exit::Rejected, "a whole model was taken for an excerpt")),
    }
}
