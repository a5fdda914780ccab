//! Symbolic factorisation for a given order of pivots.
//!
//! In: a pattern and the places of the pivots. Out: a [`SymbolicFactorization`]: the pattern of the factors, for all
//! matrices with that pattern. With it, factorisation takes no search and no new storage (`sparse.rs`), and can be
//! written down as code without loops ([`UnrolledLu`](super::UnrolledLu)).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::mem::replace;

/// The pattern of a square matrix by compressed rows, columns ascending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) starts: &'a [usize],
    pub(super) columns: &'a [usize],
}

impl<'a> Rows<'a> {
    pub(super) fn order(self) -> usize {
        self.starts.len() - 1
    }

    /// Columns of the entries of a row.
    pub(super) fn row(self, i: usize) -> &'a [usize] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }
}

/// Pivots, and the patterns of $L$ and $U$ row by row, in the numbering of the pivots: $L$ has a unit diagonal, $U$ has
/// the pivots on its diagonal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicFactorization {
    /// Row and column of each pivot.
    pub pivots: Vec<(usize, usize)>,
    /// Where the entries of each row start in `entries`.
    pub entry_starts: Vec<usize>,
    /// Entries of the matrix: position in its values (row by row, those of $F_y$ and $F_{y'}$ together), and column.
    pub entries: Vec<(usize, usize)>,
    /// Where each row of $L$ starts in `lower`.
    pub lower_starts: Vec<usize>,
    /// Columns of $L$ before the diagonal, ascending.
    pub lower: Vec<usize>,
    /// Where each row of $U$ starts in `upper`.
    pub upper_starts: Vec<usize>,
    /// Columns of $U$ after the diagonal, ascending.
    pub upper: Vec<usize>,
    /// Multiplications and divisions of a factorisation.
    pub work: usize,
}

impl SymbolicFactorization {
    /// The elimination with these pivots: one in each row and each column.
    pub(super) fn along(matrix: Rows<'_>, pivots: &[(usize, usize)]) -> SymbolicFactorization {
        let mut place = vec![0; matrix.order()];
        pivots.iter().enumerate().for_each(|(k, &(_, column))| place[column] = k);
        let mut symbolic = SymbolicFactorization {
            pivots: pivots.to_vec(),
            entry_starts: vec![0],
            entries: Vec::with_capacity(matrix.columns.len()),
            lower_starts: vec![0],
            lower: Vec::new(),
            upper_starts: vec![0],
            upper: Vec::new(),
            work: 0,
        };
        // Which row reached a column last, and columns of L that are still to be eliminated.
        let mut reached_by = vec![usize::MAX; matrix.order()];
        let mut ahead = BinaryHeap::new();
        for (k, &(i, _)) in pivots.iter().enumerate() {
            let start = symbolic.upper.len();
            let mut reach = |column: usize, ahead: &mut BinaryHeap<_>, upper: &mut Vec<usize>| {
                if replace(&mut reached_by[column], k) != k {
                    match column.cmp(&k) {
                        Ordering::Less => ahead.push(Reverse(column)),
                        Ordering::Equal => {}
                        Ordering::Greater => upper.push(column),
                    }
                }
            };
            for position in matrix.starts[i]..matrix.starts[i + 1] {
                let column = place[matrix.columns[position]];
                symbolic.entries.push((position, column));
                reach(column, &mut ahead, &mut symbolic.upper);
            }
            while let Some(Reverse(j)) = ahead.pop() {
                symbolic.lower.push(j);
                let of_pivot = symbolic.upper_starts[j]..symbolic.upper_starts[j + 1];
                symbolic.work += of_pivot.len() + 1;
                for position in of_pivot {
                    reach(symbolic.upper[position], &mut ahead, &mut symbolic.upper);
                }
            }
            symbolic.work += 1;
            symbolic.upper[start..].sort_unstable();
            symbolic.entry_starts.push(symbolic.entries.len());
            symbolic.lower_starts.push(symbolic.lower.len());
            symbolic.upper_starts.push(symbolic.upper.len());
        }
        symbolic
    }

    /// Entries of the row of pivot `k`: position in the values of the matrix, and column in the numbering of the
    /// pivots.
    pub fn entries_of(&self, k: usize) -> &[(usize, usize)] {
        &self.entries[self.entry_starts[k]..self.entry_starts[k + 1]]
    }
}
