//! Rust source of a compiled model.
//!
//! In: a [`Compiled`] model. Out: formatted Rust text that depends on the crate `dae` alone. The macro hands its tokens to the
//! compiler, a build script writes it to a file, `dae expand` prints it; the text is a pure function of the model.
//!
//! The text has one public struct for the model (fields are parameters), one for its solutions (methods are unknowns),
//! a struct per formulation that fulfils the runtime's `Dae` contract, and one for the prolongation. Statements carry
//! the mathematics they compute as doc comments, which survive macro expansion where ordinary comments would not.

mod body;
mod external;
mod fields;
mod formulation;
mod listing;
mod method;
mod model;
mod names;
mod pivots;
mod prolongation;
mod rolled;
#[cfg(feature = "syntax")]
mod stub;
mod tables;
mod unknowns;
mod unrolled_lu;

use crate::compile::Compiled;
use crate::form::Form;
use crate::model::Torn;
#[cfg(feature = "syntax")]
pub use stub::emit_stub;

/// Lints that straight-line numeric code with the user's names, and with all or none of it public, would trigger.
const ALLOW: &str = "#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]\n\
    #[allow(clippy::all, clippy::pedantic, clippy::nursery)]\n";

const DERIVE: &str = "#[derive(Clone, Copy, Debug, PartialEq)]\n";

/// The Rust source of the model with its formulations.
///
/// # Errors
/// If an excerpt of a model does not determine the members left out; never for a whole model.
pub fn emit(compiled: &Compiled) -> Result<String, Torn> {
    let mut text = model::source(compiled)?;
    let model = &compiled.model;
    text.push_str(&unknowns::source(&model.name, &model.visibility, &unknowns::of(&model.unknowns)));
    text.push_str(&prolongation::source(compiled)?);
    for form in &compiled.forms {
        text.push_str(&formulation::source(compiled, form)?);
    }
    text.truncate(text.trim_end().len() + 1);
    Ok(text)
}

fn docs(lines: impl IntoIterator<Item = impl AsRef<str>>, indent: &str) -> String {
    let lines = lines.into_iter();
    lines
        .map(|line| format!("{indent}///{}{}\n", if line.as_ref().is_empty() { "" } else { " " }, line.as_ref()))
        .collect()
}

/// A visibility with the space after it, if there is one.
fn prefix(visibility: &str) -> String {
    if visibility.is_empty() { String::new() } else { format!("{visibility} ") }
}

/// `PendulumGgl`: the struct of a formulation.
fn form_type(model: &str, form: &Form) -> String {
    format!("{model}{}", form.suffix())
}

/// Ends an `impl` whose last method left an empty line.
fn close(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n\n");
}
