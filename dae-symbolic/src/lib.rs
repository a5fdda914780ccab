//! The symbolic layer of `dae`.

pub mod diagnostic;
pub mod expr;
#[cfg(feature = "syntax")]
pub mod lower;
pub mod model;
pub mod origin;
pub mod program;
pub mod structure;
#[cfg(feature = "syntax")]
pub mod syntax;

#[cfg(feature = "syntax")]
pub use lower::{Rejection, Stub, read, read_text};
