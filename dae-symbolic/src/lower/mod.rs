//! Syntax tree to model.
//!
//! In: the statements as written. Out: a [`Model`]: names have a meaning, constants, functions and sub-expressions are
//! inlined, and every equation lists the unknowns that it contains as written. After this point there are no names to
//! resolve, no functions that the text defines, and no constants except exact numbers, $\pi$ and $e$.
//!
//! Statements are taken in the order of the text, after the extents and the constants these depend on; each is resolved
//! once. Findings are collected, and a statement with an error does not hide errors of others.

mod alternatives;
mod around_events;
mod arrays;
mod at_event;
mod at_time;
mod bounds;
mod branches;
mod choices;
mod conditional;
mod decisions;
mod derived;
mod elements;
mod enclosing;
mod evaluate;
mod extents;
mod external;
mod families;
mod floors;
mod incidence;
mod items;
mod leaves;
mod loops;
mod lowering;
mod names;
mod points;
mod resolve;
mod rounding;
mod starts;
mod statements;
mod stub;
mod text;
mod when;

use crate::model::Model;
use crate::syntax::{self, SourceMap};
use proc_macro2::TokenStream;
pub use stub::{Rejection, Stub};
pub use text::{Families, Text, scalar_model};

/// Reads the body of a `dae!` and leaves its families as they are; of a model with modes, it is the one in the mode at
/// the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_families(tokens: TokenStream) -> Result<Families, Box<Rejection>> {
    Text::read(tokens).map(Text::into_families)
}

/// Reads the body of a `dae!`; of a model with modes, the result is the one in the mode at the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read(tokens: TokenStream) -> Result<(Model, SourceMap), Box<Rejection>> {
    let Families { model, sources, stub } = read_families(tokens)?;
    match scalar_model(model) {
        Ok(model) => Ok((model, sources)),
        Err(mut diagnostics) => {
            diagnostics.sort_by_place(|origin| sources.order(origin));
            Err(Box::new(Rejection { diagnostics, sources, stub: Some(stub) }))
        }
    }
}

/// Reads a text with the body of a `dae!` and leaves its families as they are; of a model with modes, it is the one in the
/// mode at the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_families_text(text: &str) -> Result<Families, Box<Rejection>> {
    Text::read_text(text).map(Text::into_families)
}

/// Reads a text with the body of a `dae!`, a `.dae` file; of a model with modes, the result is the one in the mode at the
/// start ([`Text`] gives all).
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_text(text: &str) -> Result<(Model, SourceMap), Box<Rejection>> {
    match syntax::tokenize(text) {
        Ok(tokens) => read(tokens),
        Err((finding, sources)) => Err(Box::new(Rejection { diagnostics: finding, sources, stub: None })),
    }
}
