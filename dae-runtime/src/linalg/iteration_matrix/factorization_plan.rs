//! Storage and elimination of the matrices of a formulation.
//!
//! In: patterns of $F_y$ and $F_{y'}$. Out: the pattern of iteration matrices, to which pivots may be added.

use std::rc::Rc;

use super::scalar::Scalar;
use super::symbolic_factorization::{Rows, SymbolicFactorization};
use crate::contract::{Description, Pattern, UnrolledLu};

/// How matrices of a formulation are stored and eliminated.
#[derive(Clone, Debug)]
pub(crate) struct FactorizationPlan {
    /// Union of the patterns of $F_y$ and $F_{y'}$, by compressed rows.
    pub(super) starts: Vec<usize>,
    pub(super) columns: Vec<usize>,
    /// Position in that pattern of every entry of $F_y$ and of $F_{y'}$.
    pub(super) of_y: Vec<usize>,
    pub(super) of_yp: Vec<usize>,
    /// Pivots, if the elimination is sparse.
    pub(super) symbolic: Option<Rc<SymbolicFactorization>>,
    /// Code for these pivots.
    pub(super) code: Option<UnrolledLu>,
    /// Number of pairs of Jacobians that were evaluated to find the pivots.
    pub(crate) jacobians: usize,
}

impl FactorizationPlan {
    /// The pattern without pivots.
    pub(super) fn unordered(description: &Description) -> FactorizationPlan {
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..description.unknowns.len() {
            let both = description.jacobian_y.row(row).chain(description.jacobian_yp.row(row));
            let mut of_row: Vec<usize> = both.map(|(column, _)| column).collect();
            of_row.sort_unstable();
            of_row.dedup();
            columns.extend(of_row);
            starts.push(columns.len());
        }
        let places = |pattern: &Pattern| -> Vec<usize> {
            let place = |(row, column, _): (usize, usize, usize)| {
                let of_row = &columns[starts[row]..starts[row + 1]];
                starts[row] + of_row.binary_search(&column).unwrap_or(0)
            };
            pattern.entries().map(place).collect()
        };
        let (of_y, of_yp) = (places(&description.jacobian_y), places(&description.jacobian_yp));
        FactorizationPlan { starts, columns, of_y, of_yp, symbolic: None, code: None, jacobians: 0 }
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { starts: &self.starts, columns: &self.columns }
    }

    /// Values on the pattern as a dense matrix, column by column.
    pub(super) fn scatter<S: Scalar>(&self, values: &[S], matrix: &mut [S]) {
        let n = self.order();
        matrix.fill(S::ZERO);
        for row in 0..n {
            for place in self.starts[row]..self.starts[row + 1] {
                matrix[self.columns[place] * n + row] = values[place];
            }
        }
    }

    /// Number of rows.
    pub(super) fn order(&self) -> usize {
        self.starts.len() - 1
    }
}
