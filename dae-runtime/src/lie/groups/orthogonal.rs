//! Rotations, and matrices with orthonormal columns.
//!
//! In: elements of $SO(n)$, of Stiefel manifolds and of $\mathfrak{so}(n)$. Out: defects, exponentials, projections.
//! Source: Hairer (2011), table II.1 and example III.1.3.

use nalgebra::{Const, DimMin};

use super::polar::polar_factor;
use crate::lie::exponential::{matrix_exponential, rodrigues};
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The special orthogonal group $SO(N)$: $Y^\mathsf{T} Y = I$, $\det Y = 1$. Its Lie algebra consists of the
/// skew-symmetric matrices. Exponentials are by Rodrigues' formula for $N \le 3$; projected is by the polar
/// decomposition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialOrthogonal;

/// The Stiefel manifold of $N \times K$ matrices with orthonormal columns, $Y^\mathsf{T} Y = I$, on which $SO(N)$ acts:
/// $A$ is skew-symmetric. With $K = 1$ it is the unit sphere, with $K = N$ the orthogonal group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stiefel;

impl<const N: usize> HomogeneousSpace<N, N> for SpecialOrthogonal
where
    Const<N>: DimMin<Const<N>, Output = Const<N>>,
{
    fn name(&self) -> String {
        format!("SO({N})")
    }

    fn defect(&self, y: &Matrix<N, N>) -> f64 {
        // A reflection has determinant -1, and is as far off as that.
        Stiefel.defect(y).max((y.determinant() - 1.0).abs())
    }

    fn algebra_defect(&self, a: &Matrix<N, N>) -> f64 {
        asymmetry(a)
    }

    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N> {
        exponential(omega)
    }

    fn project(&self, y: &Matrix<N, N>) -> Option<Matrix<N, N>> {
        Stiefel.project(y).filter(|y| y.determinant() > 0.0)
    }
}

impl<const N: usize, const K: usize> HomogeneousSpace<N, K> for Stiefel {
    fn name(&self) -> String {
        format!("the Stiefel manifold of {N} x {K} matrices")
    }

    fn defect(&self, y: &Matrix<N, K>) -> f64 {
        (y.tr_mul(y) - Matrix::identity()).amax()
    }

    fn algebra_defect(&self, a: &Matrix<N, N>) -> f64 {
        asymmetry(a)
    }

    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N> {
        exponential(omega)
    }

    fn project(&self, y: &Matrix<N, K>) -> Option<Matrix<N, K>> {
        polar_factor(y, |y| y.tr_mul(y))
    }
}

/// The largest entry of $A + A^\mathsf{T}$.
fn asymmetry<const N: usize>(a: &Matrix<N, N>) -> f64 {
    (a + a.transpose()).amax()
}

fn exponential<const N: usize>(omega: &Matrix<N, N>) -> Matrix<N, N> {
    if N <= 3 { rodrigues(omega) } else { matrix_exponential(omega) }
}
