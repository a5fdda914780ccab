//! Numerics of [`dae`](https://docs.rs/dae): what generated code promises, and everything that integrates it.
//!
//! In: an object that fulfils [`contract::Dae`]. Out: solutions.

pub mod contract;
pub mod initialize;
pub mod rank;
pub mod stepper;
