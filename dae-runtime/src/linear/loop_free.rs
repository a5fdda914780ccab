//! Factorisation and solution of linear systems of one pattern as code without loops.
//!
//! In: nothing. Out: what generated code gives the numerics: the pivots that were chosen when the model was compiled, and functions that know every place of
//! every number (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic generation of an optimal Crout algorithm for sparse systems of linear equations*,
//! J. ACM 17, 1970). The numbers of an iteration matrix change; whether these pivots still do is watched by the caller (`sparse.rs`), who has others where they do not.

use nalgebra::{Complex, ComplexField};

use super::schedule::Schedule;
use super::sequence::{Rows, Sequence};
use crate::contract::Description;

/// A number that an iteration matrix can have: `f64` or `Complex<f64>`.
pub trait Scalar: ComplexField<RealField = f64> + Copy {
    /// The functions for these numbers.
    fn code(of: &LoopFree) -> Code<Self>;
}

impl Scalar for f64 {
    fn code(of: &LoopFree) -> Code<f64> {
        of.real
    }
}

impl Scalar for Complex<f64> {
    fn code(of: &LoopFree) -> Code<Complex<f64>> {
        of.complex
    }
}

/// Code for the iteration matrices of a formulation, whose pattern is that of $F_y$ and $F_{y'}$ together.
#[derive(Clone, Copy, Debug)]
pub struct LoopFree {
    /// Row and column of each pivot; with the pattern of the matrix this is its [`Sequence`](super::Sequence).
    pub pivots: &'static [(usize, usize)],
    /// How many entries the matrix has, and its factors $L$ and $U$ beside the diagonal.
    pub lengths: [usize; 3],
    /// For real matrices.
    pub real: Code<f64>,
    /// For complex ones.
    pub complex: Code<Complex<f64>>,
}

impl LoopFree {
    /// Its elimination for the iteration matrices of a formulation; `None` if it is for others: if not every row and every column has one pivot, or the
    /// factors have other lengths.
    pub fn sequence(&self, description: &Description) -> Option<Sequence> {
        self.along(Schedule::unordered(description).rows())
    }

    pub(super) fn along(&self, matrix: Rows<'_>) -> Option<Sequence> {
        let n = matrix.order();
        let all = |place: fn(&(usize, usize)) -> usize| {
            let mut open = vec![true; n];
            self.pivots.iter().all(|pivot| open.get_mut(place(pivot)).is_some_and(std::mem::take))
        };
        let is_permutation = self.pivots.len() == n && all(|&(row, _)| row) && all(|&(_, column)| column);
        let sequence = is_permutation.then(|| Sequence::along(matrix, self.pivots))?;
        let lengths = [sequence.entries.len(), sequence.lower.len(), sequence.upper.len()];
        (lengths == self.lengths).then_some(sequence)
    }
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
