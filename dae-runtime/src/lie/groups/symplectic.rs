//! Symplectic matrices.
//!
//! In: elements of $Sp(2n)$ and $\mathfrak{sp}(2n)$. Out: defects, exponentials, projections. Source: Hairer (2011),
//! table II.1.

use super::polar::polar_factor;
use crate::lie::exponential::matrix_exponential;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The symplectic group $Sp(N)$, $N$ even: $Y^\mathsf{T} J Y = J$ with $J = \begin{pmatrix} 0 & I \\\\ -I & 0
/// \end{pmatrix}$. Its Lie algebra consists of the matrices for which $JA$ is symmetric. With an odd $N$ it does not
/// compile. Projected is by the polar decomposition of the group, which keeps the order of a method but is not the
/// point nearest in the norm of Frobenius.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symplectic;

impl<const N: usize> HomogeneousSpace<N, N> for Symplectic {
    fn name(&self) -> String {
        format!("Sp({N})")
    }

    fn defect(&self, y: &Matrix<N, N>) -> f64 {
        (y.tr_mul(&times_j(y)) - times_j(&Matrix::identity())).amax() / y.norm_squared().max(1.0)
    }

    fn algebra_defect(&self, a: &Matrix<N, N>) -> f64 {
        let ja = times_j(a);
        (ja - ja.transpose()).amax()
    }

    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N> {
        matrix_exponential(omega)
    }

    fn project(&self, y: &Matrix<N, N>) -> Option<Matrix<N, N>> {
        polar_factor(y, |y| -times_j(&y.tr_mul(&times_j(y))))
    }
}

/// $J Y$.
fn times_j<const N: usize>(y: &Matrix<N, N>) -> Matrix<N, N> {
    const { assert!(N.is_multiple_of(2), "symplectic matrices have an even number of rows") }
    Matrix::from_fn(|row, column| if row < N / 2 { y[(row + N / 2, column)] } else { -y[(row - N / 2, column)] })
}
