//! Methods for differential equations on Lie groups, and for mechanics on them.
//!
//! In: problems with known solutions. Out: orders, defects, published figures, identities, errors.

mod adaptive;
mod bodies;
mod errors;
mod groups;
mod heavy_top;
mod mechanics;
mod mechanics_errors;
mod orders;
mod pendulums;
mod problems;
mod published;
