//! The symbolic layer of `dae`.

pub mod diagnostic;
pub mod expr;
pub mod model;
pub mod origin;
pub mod program;
pub mod structure;
#[cfg(feature = "syntax")]
pub mod syntax;
