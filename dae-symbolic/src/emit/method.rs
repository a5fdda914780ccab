//! Contract methods that run a program.
//!
//! In: a signature, a program, and what its results are called. Out: the method.

use super::body::{Body, Outputs};
use super::names::Names;
use crate::program::Program;

/// A result: its name, and the mathematics it stands for (empty where that is clear).
pub(super) type Label = (String, String);

/// A contract method that runs a program. In the signature `{t}`, `{y}`, `{yp}`, `{out}` stand for names that the model
/// does not use; `slots` are the names wanted for them.
pub(super) fn method(
    names: &Names,
    signature: &str,
    doc: &str,
    program: &Program,
    slots: [&str; 4],
    outputs: Outputs<'_>,
) -> String {
    let mut body = Body::new(names, program);
    let slots = slots.map(|slot| body.reserve(slot));
    let mut signature = signature.to_string();
    for (key, slot) in ["{t}", "{y}", "{yp}", "{out}"].iter().zip(&slots) {
        signature = signature.replace(key, slot);
    }
    let code = body.finish(&slots, outputs);
    format!("{doc}    fn {signature} {{\n{code}    }}\n\n")
}

/// The name of a row.
pub(super) fn labels_of(labels: &[(String, String)], row: usize) -> String {
    labels.get(row).map_or_else(String::new, |(name, _)| name.clone())
}
