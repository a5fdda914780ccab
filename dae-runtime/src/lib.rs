//! Numerics of [`dae`](https://docs.rs/dae): what generated code promises, and everything that integrates it.
//!
//! In: an object that fulfils [`contract::Dae`]. Out: solutions.

pub mod bdf;
pub mod clock;
pub mod closing;
pub mod contract;
pub mod generated;
pub mod initialize;
pub mod linear;
pub mod multipliers;
pub mod radau5;
pub mod rank;
pub mod solution;
pub mod solve;
mod stall;
pub mod stepper;
pub mod weights;

pub use solution::{Solution, Status};
pub use solve::{Integration, Method, Record};
