//! Differential-algebraic equations written in Rust.

#[cfg(feature = "plot")]
pub mod plot;
