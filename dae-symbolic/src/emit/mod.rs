//! Rust source of a compiled model.
//!
//! In: a [`Compiled`] model. Out: formatted Rust text that depends on the crate `dae` alone. The macro hands its tokens
//! to the compiler, a build script writes it to a file, `dae expand` prints it; the text is a pure function of the
//! model.
//!
//! The text has one public struct for the model (fields are parameters), one for its solutions (methods are unknowns),
//! a struct per formulation that implements the runtime's `Dae` contract, one for the prolongation, and one for the
//! equation of a matrix on a Lie group. Statements
//! carry the mathematics they compute as doc comments, which survive macro expansion where ordinary comments would not.

mod blended;
mod body;
mod boundary;
mod events;
mod external;
mod fields;
mod first_integrals;
mod formulation;
mod initial;
mod items;
mod lie_group;
mod listing;
mod method;
mod model;
#[cfg(feature = "syntax")]
mod modes;
mod names;
mod pivots;
mod prolongation;
mod rolled;
#[cfg(feature = "syntax")]
mod stub;
mod tables;
mod unknowns;
mod unrolled_lu;

use crate::model::Torn;
use crate::pipeline::Compiled;
#[cfg(feature = "syntax")]
pub use modes::emit_modes;
#[cfg(feature = "syntax")]
pub use stub::emit_stub;

/// The Rust source of the model with its formulations.
///
/// # Errors
/// If an excerpt of a model does not determine the members left out; never for a whole model.
pub fn emit(compiled: &Compiled) -> Result<String, Torn> {
    let mut text = model::source(compiled)?;
    let model = &compiled.model;
    text.push_str(&unknowns::source(&model.name, &model.visibility, &unknowns::of(&model.unknowns)));
    text.push_str(&mathematics(compiled)?);
    text.truncate(text.trim_end().len() + 1);
    Ok(text)
}

/// The prolongation, the formulations, and the equation on a Lie group.
fn mathematics(compiled: &Compiled) -> Result<String, Torn> {
    let mut text = prolongation::source(compiled)?;
    for form in &compiled.forms {
        text.push_str(&formulation::source(compiled, form)?);
    }
    Ok(text + &lie_group::source(compiled)?)
}
