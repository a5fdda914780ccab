//! Numerics of [`dae`](https://docs.rs/dae): what generated code promises, and everything that integrates it.
//!
//! In: an object that fulfils [`contract::Dae`]. Out: solutions.

pub mod bdf;
pub mod clock;
pub mod closing;
pub mod contract;
pub mod initialize;
pub mod linear;
pub mod rank;
pub mod stepper;
pub mod weights;
