//! Factorisation and solution of linear systems of one pattern as code without loops.
//!
//! In: what generated code supplies to the numerics ([`UnrolledLu`]). Out: its elimination, if it fits the formulation
//! (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic generation of an optimal Crout algorithm for sparse systems
//! of linear equations*, J. ACM 17, 1970). The entries of an iteration matrix change; the caller (`sparse.rs`) checks
//! whether these pivots are still suitable, and has others where they are not.

use super::factorization_plan::FactorizationPlan;
use super::symbolic_factorization::{Rows, SymbolicFactorization};
use crate::contract::{Description, UnrolledLu};

impl UnrolledLu {
    /// The elimination of the code for the iteration matrices of a formulation; `None` if it is for others: if not
    /// every row and every column has one pivot, or the factors have other lengths.
    pub fn symbolic_factorization(&self, description: &Description) -> Option<SymbolicFactorization> {
        self.along(FactorizationPlan::unordered(description).rows())
    }

    pub(super) fn along(&self, matrix: Rows<'_>) -> Option<SymbolicFactorization> {
        let n = matrix.order();
        let all = |place: fn(&(usize, usize)) -> usize| {
            let mut open = vec![true; n];
            self.pivots.iter().all(|pivot| open.get_mut(place(pivot)).is_some_and(std::mem::take))
        };
        let is_permutation = self.pivots.len() == n && all(|&(row, _)| row) && all(|&(_, column)| column);
        let symbolic = is_permutation.then(|| SymbolicFactorization::along(matrix, self.pivots))?;
        let lengths = [symbolic.entries.len(), symbolic.lower.len(), symbolic.upper.len()];
        (lengths == self.lengths).then_some(symbolic)
    }
}
