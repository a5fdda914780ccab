//! Factorisation and solution of linear systems of one pattern as code without loops.
//!
//! In: what generated code supplies to the numerics ([`UnrolledLu`]). Out: its symbolic factorisation, if it fits the
//! formulation (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic generation of an optimal Crout algorithm for
//! sparse systems of linear equations*, J. ACM 17, 1970). As the entries of an iteration matrix change, `sparse.rs`
//! checks whether these pivots are still suitable; where they are not, `matrix.rs` chooses others.

use super::factorization_plan::FactorizationPlan;
use super::symbolic_factorization::{Rows, SymbolicFactorization};
use crate::contract::{Description, UnrolledLu};

impl UnrolledLu {
    /// The symbolic factorisation behind the generated code, for the iteration matrices of a formulation; `None` if the
    /// code was generated for a different pattern: some row or column does not have exactly one pivot, or the matrix or
    /// a factor has a different number of entries.
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
