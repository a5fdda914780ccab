//! Integration methods.
//!
//! In: a formulation, consistent start values and options. Out: a [`Stepper`](crate::integrator::stepper::Stepper) for
//! the chosen method.

pub mod bdf;
pub(crate) mod extrapolation;
pub(crate) mod half_explicit;
mod iteration;
pub(crate) mod one_stage;
pub mod radau;
pub(crate) mod runge_kutta;
mod solved;
pub mod symplectic;
