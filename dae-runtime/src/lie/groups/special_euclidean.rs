//! Rigid motions of three-dimensional space.
//!
//! In: elements of $SE(3)$ and $\mathfrak{se}(3)$ as $4 \times 4$ matrices. Out: defects, exponentials, projections.
//! Source: R. M. Murray, Z. Li & S. S. Sastry, *A Mathematical Introduction to Robotic Manipulation*, CRC Press 1994,
//! section 2.3.

use nalgebra::{Matrix3, Vector3};

use super::orthogonal::SpecialOrthogonal;
use crate::lie::exponential::{screw, vee};
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The special Euclidean group $SE(3)$ of matrices $\begin{pmatrix} R & x \\\\ 0 & 1 \end{pmatrix}$ with $R \in SO(3)$
/// and $x \in \mathbb{R}^3$. Its Lie algebra consists of $\begin{pmatrix} \hat\omega & u \\\\ 0 & 0 \end{pmatrix}$.
/// Projection projects $R$ onto $SO(3)$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialEuclidean;

impl HomogeneousSpace<4, 4> for SpecialEuclidean {
    fn name(&self) -> String {
        "SE(3)".into()
    }

    fn defect(&self, y: &Matrix<4, 4>) -> f64 {
        let last = y.row(3) - Matrix::<1, 4>::new(0.0, 0.0, 0.0, 1.0);
        SpecialOrthogonal.defect(&rotation(y)).max(last.amax())
    }

    fn algebra_defect(&self, a: &Matrix<4, 4>) -> f64 {
        SpecialOrthogonal.algebra_defect(&rotation(a)).max(a.row(3).amax())
    }

    fn exp(&self, omega: &Matrix<4, 4>) -> Matrix<4, 4> {
        let (rotation, v) = screw(&vee(&rotation(omega)));
        matrix(&rotation, &(v * shift(omega)))
    }

    fn project(&self, y: &Matrix<4, 4>) -> Option<Matrix<4, 4>> {
        Some(matrix(&SpecialOrthogonal.project(&rotation(y))?, &shift(y)))
    }
}

fn rotation(y: &Matrix<4, 4>) -> Matrix3<f64> {
    y.fixed_view::<3, 3>(0, 0).into_owned()
}

fn shift(y: &Matrix<4, 4>) -> Vector3<f64> {
    y.fixed_view::<3, 1>(0, 3).into_owned()
}

fn matrix(rotation: &Matrix3<f64>, shift: &Vector3<f64>) -> Matrix<4, 4> {
    let mut y = Matrix::<4, 4>::identity();
    y.fixed_view_mut::<3, 3>(0, 0).copy_from(rotation);
    y.fixed_view_mut::<3, 1>(0, 3).copy_from(shift);
    y
}
