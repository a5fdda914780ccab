//! The symbolic layer.

pub mod diagnostic;
pub mod origin;
#[cfg(feature = "syntax")]
pub mod syntax;
//! The symbolic layer of `dae`.

pub mod expr;
pub mod program;
pub mod structure;
