//! The right-hand side of $Y' = A(t, Y)\\, Y$, checked wherever a method evaluates it.
//!
//! In: a manifold, an equation. Out: values of $A$ that are finite and in the Lie algebra, exponentials that have
//! digits.

use std::fmt;

use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::exponential::is_moderate;
use crate::lie::space::{HomogeneousSpace, Matrix, ROUNDING, exceeds, non_finite};

/// An equation on a manifold, as methods see it.
pub struct VectorField<'a, S: ?Sized, E: ?Sized, const N: usize, const K: usize> {
    space: &'a S,
    equation: &'a E,
}

impl<'a, S, E, const N: usize, const K: usize> VectorField<'a, S, E, N, K>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    /// The equation `equation` on `space`.
    pub fn new(space: &'a S, equation: &'a E) -> Self {
        VectorField { space, equation }
    }

    /// The manifold.
    pub fn space(&self) -> &'a S {
        self.space
    }

    /// $A(t, Y)$.
    ///
    /// # Errors
    /// [`LieError::NonFiniteCoefficient`], and [`LieError::NotInAlgebra`] if rounding errors of the size
    /// [`ROUNDING`] times the largest entry of $A$, or times one if that is larger, do not explain the defect of $A$.
    pub fn coefficient(&self, t: f64, y: &Matrix<N, K>) -> Result<Matrix<N, N>, LieError> {
        let a = self.equation.coefficient(t, y);
        if let Some((row, column)) = non_finite(&a) {
            return Err(LieError::NonFiniteCoefficient { t, row, column });
        }
        let (defect, allowed) = (self.space.algebra_defect(&a), ROUNDING * a.amax().max(1.0));
        if exceeds(defect, allowed) {
            return Err(LieError::NotInAlgebra { t, space: self.space.name(), defect, allowed });
        }
        Ok(a)
    }

    /// $\exp(\Omega)$ in a step from $t$.
    ///
    /// # Errors
    /// [`LieError::StepTooLong`] if entries of $\Omega$ exceed $10^8$.
    pub fn exp(&self, t: f64, omega: &Matrix<N, N>) -> Result<Matrix<N, N>, LieError> {
        if is_moderate(omega) {
            return Ok(self.space.exp(omega));
        }
        Err(LieError::StepTooLong { t, exponent: omega.amax() })
    }
}

impl<S: ?Sized, E: ?Sized, const N: usize, const K: usize> fmt::Debug for VectorField<'_, S, E, N, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VectorField<{N}, {K}>")
    }
}

/// The commutator $[A, B] = AB - BA$.
pub(super) fn commutator<const N: usize>(a: &Matrix<N, N>, b: &Matrix<N, N>) -> Matrix<N, N> {
    a * b - b * a
}
