//! The symbolic layer of `dae`.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod alias;
pub mod boundary;
#[cfg(all(feature = "syntax", feature = "codegen"))]
pub mod build;
pub mod defaults;
pub mod derive;
pub mod diagnostic;
#[cfg(feature = "codegen")]
pub mod emit;
pub mod eval;
pub mod events;
#[cfg(all(feature = "syntax", feature = "codegen"))]
mod expand;
pub mod expr;
pub mod external_functions;
pub mod family;
pub mod first_integrals;
pub mod form;
pub mod formulation;
pub mod index;
pub mod index_concepts;
pub mod index_reduction;
pub mod initial_values;
#[cfg(feature = "syntax")]
pub mod lower;
pub mod model;
#[cfg(feature = "syntax")]
pub mod modes;
pub mod origin;
pub mod pipeline;
pub mod program;
pub mod prolongation;
pub mod recommendation;
#[cfg(feature = "report")]
pub mod report;
pub mod spelling;
pub mod structure;
mod subsets;
#[cfg(feature = "syntax")]
pub mod syntax;
pub mod system;
pub mod taylor;

#[cfg(all(feature = "syntax", feature = "codegen"))]
pub use expand::{ExpansionError, expand, expand_text};
#[cfg(feature = "syntax")]
pub use lower::{Families, Rejection, Stub, Text, read, read_families, read_families_text, read_text, scalar_model};
