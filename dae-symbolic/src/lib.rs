//! The symbolic layer of `dae`.

pub mod diagnostic;
pub mod expr;
pub mod formulation;
pub mod index;
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
