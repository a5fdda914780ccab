//! Methods for matrix differential equations: what they are given, and what they promise.
//!
//! In: an equation on a manifold, as a checked [`VectorField`]. Out: the contract [`Method`], and its implementations.

mod classical;
mod crouch_grossman;
mod field;
mod implicit;
mod magnus;
mod munthe_kaas;

use crate::lie::error::LieError;
use crate::lie::space::Matrix;
pub use classical::{ExplicitEuler, Projected, RungeKutta4};
pub use crouch_grossman::{CrouchGrossman, LieEuler};
pub use field::VectorField;
pub use implicit::{ImplicitMidpoint, Trapezoidal};
pub use magnus::Magnus;
pub use munthe_kaas::MuntheKaas4;

/// A one-step method for equations `E` on manifolds `S`.
///
/// Methods that need a linear equation implement it only where `E` is a
/// [`LinearEquation`](crate::lie::LinearEquation).
pub trait Method<S, E, const N: usize, const K: usize> {
    /// The order $p$: errors at a given time are $\mathcal{O}(h^p)$.
    fn order(&self) -> u32;

    /// The end of a step of length $h$, which may be negative, from $Y$ at $t$.
    ///
    /// # Errors
    /// What [`VectorField`] finds wrong with $A$, an iteration that does not converge, a projection that does not
    /// exist.
    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError>;
}
