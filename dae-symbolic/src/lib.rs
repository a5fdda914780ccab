//! The symbolic layer of `dae`.

pub mod expr;
pub mod program;
pub mod structure;
