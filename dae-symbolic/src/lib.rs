//! The symbolic layer of `dae`.

pub mod compile;
pub mod diagnostic;
pub mod emit;
pub mod eval;
pub mod expr;
pub mod formulation;
pub mod index;
#[cfg(feature = "syntax")]
pub mod lower;
pub mod model;
pub mod origin;
pub mod program;
pub mod prolong;
pub mod reduce;
pub mod report;
pub mod structure;
#[cfg(feature = "syntax")]
pub mod syntax;
pub mod system;

#[cfg(feature = "syntax")]
pub use lower::{Rejection, Stub, read, read_text};
