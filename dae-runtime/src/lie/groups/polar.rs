//! Projections onto groups and manifolds that a quadratic form defines.
//!
//! In: a matrix near the manifold, the adjoint of its form. Out: the factor on the manifold of its polar decomposition.
//! Source: N. J. Higham, D. S. Mackey, N. Mackey & F. Tisseur, *Computing the polar decomposition and the matrix sign
//! decomposition in matrix groups*, SIAM J. Matrix Anal. Appl. 25 (2004).

use crate::lie::space::{Matrix, exceeds};

/// The factor $Q$, $Q^\star Q = I$, of the decomposition $Y = QS$ with $S^\star = S$ near $I$; `gram` is $Y \mapsto
/// Y^\star Y$. For $Y^\star = Y^\mathsf{T}$ it is the point of the manifold nearest to $Y$ in the norm of Frobenius
/// (Hairer 2011, example III.1.3).
///
/// By the iteration of Newton and Schulz, $Y \leftarrow \frac12 Y (3I - Y^\star Y)$, which needs no inverse and
/// converges quadratically if $\lVert Y^\star Y - I\rVert < 1$; `None` where it is not.
pub(super) fn polar_factor<const N: usize, const K: usize>(
    y: &Matrix<N, K>,
    gram: impl Fn(&Matrix<N, K>) -> Matrix<K, K>,
) -> Option<Matrix<N, K>> {
    let mut q = *y;
    let mut last = f64::INFINITY;
    loop {
        let residual = gram(&q) - Matrix::identity();
        let size = residual.norm();
        if exceeds(size, 1.0) {
            return None;
        }
        if size >= last || size == 0.0 {
            return Some(q);
        }
        // The residual of the next iterate is about the square of this one: below rounding errors, it is the last.
        q -= q * residual * 0.5;
        last = if size * size < f64::EPSILON { 0.0 } else { size };
    }
}
