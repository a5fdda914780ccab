//! What makes a matrix singular.
//!
//! In: a real matrix. Out: a row that the others imply and a column that they do not determine, found by complete
//! pivoting, if the matrix is singular.

use super::equilibration::{Singular, equilibrate_rows};
use crate::linalg::complete_pivoting::CompletePivoting;

/// A row that the others already imply, and a column that they do not determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deficiency {
    /// The dependent row.
    pub(crate) row: usize,
    /// The undetermined column.
    pub(crate) column: usize,
}

/// Where a real matrix (column-major, overwritten) is singular to working precision, by complete pivoting; `None` if it
/// is regular. A row of zeros, or one that is not finite, is reported first. For reporting a failure, not for use in a
/// step: it allocates.
pub(crate) fn deficiency(n: usize, matrix: &mut [f64]) -> Option<Deficiency> {
    let mut scale = vec![1.0; n];
    if let Err(Singular::Row(row) | Singular::NonFinite(row)) = equilibrate_rows(n, matrix, &mut scale) {
        let column = matrix.chunks_exact(n).position(|c| c.iter().all(|x| *x == 0.0)).unwrap_or(row);
        return Some(Deficiency { row, column });
    }
    for column in matrix.chunks_exact_mut(n.max(1)) {
        let size = column.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        if size > 0.0 {
            column.iter_mut().for_each(|x| *x /= size);
        }
    }
    let mut elimination = CompletePivoting::new(n, vec![1.0; n]);
    for (column, entries) in matrix.chunks_exact(n.max(1)).enumerate() {
        entries.iter().enumerate().for_each(|(row, &x)| *elimination.entry(row, column) = x);
    }
    let threshold = 8.0 * n as f64 * f64::EPSILON;
    for _ in 0..n {
        match elimination.largest(0..n, 0..n, |_| true) {
            Some((pivot, size)) if size > threshold => elimination.pivot(pivot),
            Some(((row, column), _)) => return Some(Deficiency { row, column }),
            None => {
                let first = |open: &[bool]| open.iter().position(|&open| open).unwrap_or(0);
                let (row, column) = (first(&elimination.open_rows), first(&elimination.open_columns));
                return Some(Deficiency { row, column });
            }
        }
    }
    None
}
