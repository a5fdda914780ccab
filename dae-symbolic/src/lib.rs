//! The symbolic layer.

pub mod structure;
