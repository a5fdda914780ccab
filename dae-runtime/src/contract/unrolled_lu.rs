//! Code without loops for the linear systems of a formulation.
//!
//! In: nothing. Out: what generated code supplies to the numerics: the pivots chosen when the model was compiled, and
//! functions in which the position of every number is known (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic
//! generation of an optimal Crout algorithm for sparse systems of linear equations*, J. ACM 17, 1970).

use num_complex::Complex;

/// Code for the iteration matrices of a formulation, whose pattern is that of $F_y$ and $F_{y'}$ together.
#[derive(Clone, Copy, Debug)]
pub struct UnrolledLu {
    /// Row and column of each pivot. Together with the pattern of the matrix, these determine its
    /// [`SymbolicFactorization`](crate::linalg::iteration_matrix::SymbolicFactorization).
    pub pivots: &'static [(usize, usize)],
    /// Number of entries of the matrix, and of its factors $L$ and $U$ without the diagonal.
    pub lengths: [usize; 3],
    /// Code for real matrices.
    pub real: Code<f64>,
    /// Code for complex matrices.
    pub complex: Code<Complex<f64>>,
}

/// Functions that factorise and solve. The lengths of the slices are those of the
/// [`SymbolicFactorization`](crate::linalg::iteration_matrix::SymbolicFactorization) of the matrix.
#[allow(clippy::type_complexity, reason = "functions of slices, each with its name")]
#[derive(Clone, Copy, Debug)]
pub struct Code<S> {
    /// Computes, from the values of a matrix, $L$ and $U$ without their diagonals, and the inverses of the diagonal
    /// entries of $U$. It does not stop at a zero pivot: the results are then not finite.
    pub factorize: fn(values: &[S], lower: &mut [S], upper: &mut [S], inverse: &mut [S]),
    /// Replaces the right-hand side by the solution.
    pub solve: fn(lower: &[S], upper: &[S], inverse: &[S], x: &mut [S]),
}
