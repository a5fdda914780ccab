//! The symbolic layer.

pub mod diagnostic;
pub mod origin;
#[cfg(feature = "syntax")]
pub mod syntax;
