//! Integration methods.
//!
//! In: a formulation and options. Out: a [`Stepper`](crate::integrator::stepper::Stepper), whose scheme is that of the
//! method.

pub mod bdf;
pub mod radau;
