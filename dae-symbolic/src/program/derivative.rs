//! Jacobians on their sparsity pattern.
//!
//! In: functions and the symbols to differentiate with respect to, each with its column. Out: the pattern of the
//! entries that are not identically zero, and a program for their values in row-major order.

use dae_runtime::contract::Pattern;

use super::{Load, Program, Rows, Unplaced};
use crate::expr::{Dag, Expr, Symbol, gradient};
use crate::model::{Domain, Numbering};

/// A Jacobian as a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// The positions of the entries that are not identically zero.
    pub pattern: Pattern,
    /// The values of these entries, row by row.
    pub program: Program,
}

impl Derivative {
    /// The symbolic entries `(row, column, value)` of the Jacobian of `functions`, row by row, columns ascending.
    pub fn entries(
        dag: &mut Dag,
        functions: &[Expr],
        column: impl Fn(Symbol) -> Option<usize>,
    ) -> Vec<(usize, usize, Expr)> {
        let mut entries = Vec::new();
        for (row, &function) in functions.iter().enumerate() {
            let mut partials: Vec<(usize, Expr)> = gradient(dag, function, |s| column(s).is_some())
                .into_iter()
                .filter_map(|(symbol, partial)| Some((column(symbol)?, partial)))
                .collect();
            partials.sort_unstable_by_key(|&(column, _)| column);
            entries.extend(partials.into_iter().map(|(column, partial)| (row, column, partial)));
        }
        entries
    }

    /// The Jacobian of `functions` with respect to the symbols to which `column` gives one of `columns` columns.
    /// `domains` says which functions are members of families, `names` which sub-expressions have names of their own,
    /// and `load` where symbols are found at run time.
    ///
    /// # Errors
    /// If a symbol is not found at run time, or the members of an excerpt do not determine those left out.
    pub fn new(
        dag: &mut Dag,
        functions: &[Expr],
        domains: &[Domain],
        columns: usize,
        names: &[(Expr, String)],
        column: impl Fn(Symbol) -> Option<usize>,
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Derivative, Unplaced> {
        let entries = Self::entries(dag, functions, column);
        let mut row_starts = vec![0; functions.len() + 1];
        for &(row, ..) in &entries {
            row_starts[row + 1] += 1;
        }
        for row in 0..functions.len() {
            row_starts[row + 1] += row_starts[row];
        }
        let column_indices: Vec<usize> = entries.iter().map(|&(_, column, _)| column).collect();
        let roots: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
        let places = Numbering::of(entries.iter().map(|&(row, ..)| &domains[row]))?;
        let rows = Rows { roots: &roots, row_starts: &row_starts, domains, places: &places };
        let program = Program::with_families(dag, rows, names, load)?;
        Ok(Derivative {
            pattern: Pattern { columns, row_starts: row_starts.into(), column_indices: column_indices.into() },
            program,
        })
    }
}
