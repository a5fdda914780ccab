//! The symbolic layer of `dae`.

pub mod diagnostic;
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
pub mod structure;
#[cfg(feature = "syntax")]
pub mod syntax;
pub mod system;
pub mod eval;

#[cfg(feature = "syntax")]
pub use lower::{Rejection, Stub, read, read_text};
