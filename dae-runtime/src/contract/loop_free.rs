//! Code without loops for the linear systems of a formulation.
//!
//! In: nothing. Out: what generated code gives the numerics: the pivots that were chosen when the model was compiled, and functions that know every place of
//! every number (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic generation of an optimal Crout algorithm for sparse systems of linear equations*,
//! J. ACM 17, 1970).

use num_complex::Complex;

/// Code for the iteration matrices of a formulation, whose pattern is that of $F_y$ and $F_{y'}$ together.
#[derive(Clone, Copy, Debug)]
pub struct LoopFree {
    /// Row and column of each pivot; with the pattern of the matrix this is its [`Sequence`](crate::linear::Sequence).
    pub pivots: &'static [(usize, usize)],
    /// How many entries the matrix has, and its factors $L$ and $U$ beside the diagonal.
    pub lengths: [usize; 3],
    /// For real matrices.
    pub real: Code<f64>,
    /// For complex ones.
    pub complex: Code<Complex<f64>>,
}

/// The functions. Lengths of slices are those of the sequence.
#[allow(clippy::type_complexity, reason = "functions of slices, each with its name")]
#[derive(Clone, Copy, Debug)]
pub struct Code<S> {
    /// From the values of a matrix: $L$ without its diagonal, $U$ without its own, and the inverses of that. It does not stop at a pivot that is
    /// zero: then values are not finite.
    pub factorize: fn(values: &[S], lower: &mut [S], upper: &mut [S], inverse: &mut [S]),
    /// Replaces the right-hand side by the solution.
    pub solve: fn(lower: &[S], upper: &[S], inverse: &[S], x: &mut [S]),
}
