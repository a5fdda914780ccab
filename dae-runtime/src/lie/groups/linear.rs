//! Matrices of determinant one, and invertible matrices.
//!
//! In: elements of $SL(n)$, $GL(n)$ and their Lie algebras. Out: defects, exponentials, projections. Source: Hairer
//! (2011), table II.1 and example III.1.2.

use nalgebra::{Const, DimMin};

use crate::lie::exponential::matrix_exponential;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The special linear group $SL(N)$: $\det Y = 1$. Its Lie algebra consists of the matrices with zero trace. Projected
/// is along $Y^{-\mathsf{T}}$, the gradient of the determinant (Hairer 2011, III (1.4)), and not by scaling, which is
/// ill-conditioned where entries differ by orders of magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialLinear;

/// The general linear group $GL(N)$ of invertible matrices. All matrices are in its Lie algebra; what is invertible is
/// projected onto itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneralLinear;

/// Iterations of a projection that takes one where it is used.
const MAX_ITERATIONS: usize = 20;

impl<const N: usize> HomogeneousSpace<N, N> for SpecialLinear
where
    Const<N>: DimMin<Const<N>, Output = Const<N>>,
{
    fn name(&self) -> String {
        format!("SL({N})")
    }

    fn defect(&self, y: &Matrix<N, N>) -> f64 {
        // By Hadamard's inequality no determinant exceeds the product of the columns, nor do its rounding errors.
        let largest: f64 = y.column_iter().map(|column| column.norm()).product();
        (y.determinant() - 1.0).abs() / largest.max(1.0)
    }

    fn algebra_defect(&self, a: &Matrix<N, N>) -> f64 {
        a.trace().abs()
    }

    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N> {
        matrix_exponential(omega)
    }

    /// $Y + \mu Y^{-\mathsf{T}}$, III (1.4), with $\mu$ by the simplified Newton iterations of example III.1.2.
    fn project(&self, y: &Matrix<N, N>) -> Option<Matrix<N, N>> {
        let direction = y.try_inverse()?.transpose();
        let (slope, mut mu) = (direction.norm_squared(), 0.0);
        for _ in 0..MAX_ITERATIONS {
            let projected = y + direction * mu;
            let change = (1.0 / projected.determinant() - 1.0) / slope;
            if !change.is_finite() {
                return None;
            }
            mu += change;
            if change.abs() * direction.amax() <= f64::EPSILON * y.amax() {
                return Some(y + direction * mu);
            }
        }
        None
    }
}

impl<const N: usize> HomogeneousSpace<N, N> for GeneralLinear {
    fn name(&self) -> String {
        format!("GL({N})")
    }

    /// Zero, or infinity if `y` is singular.
    fn defect(&self, y: &Matrix<N, N>) -> f64 {
        if y.try_inverse().is_some() { 0.0 } else { f64::INFINITY }
    }

    fn algebra_defect(&self, _: &Matrix<N, N>) -> f64 {
        0.0
    }

    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N> {
        matrix_exponential(omega)
    }

    fn project(&self, y: &Matrix<N, N>) -> Option<Matrix<N, N>> {
        y.try_inverse().map(|_| *y)
    }
}
