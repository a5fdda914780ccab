//! Gaussian elimination with complete pivoting, for finding independent rows and columns.
//!
//! In: a dense matrix, magnitudes of the unknowns. Out: pivots, the remaining matrix of the rows and columns without a
//! pivot (open ones), solutions for the pivot columns. The constructor allocates the storage. Matrices factorised at
//! every step of an integration use partial pivoting, in `iteration_matrix`.

use std::ops::Range;

use super::vector::dot;

/// A dense matrix during elimination, with one right-hand side as its last column.
#[derive(Clone, Debug)]
pub(crate) struct CompletePivoting {
    /// Number of columns, including the right-hand side.
    columns: usize,
    /// Row by row.
    pub(crate) matrix: Vec<f64>,
    row_scale: Vec<f64>,
    /// Magnitudes of the unknowns.
    pub(crate) column_scale: Vec<f64>,
    /// Rows, and columns, without a pivot.
    pub(crate) open_rows: Vec<bool>,
    pub(crate) open_columns: Vec<bool>,
    /// Row and column of the pivots, in their order.
    pub(crate) taken: Vec<(usize, usize)>,
    pub(crate) solution: Vec<f64>,
}

impl CompletePivoting {
    /// Room for `rows` equations in unknowns of these magnitudes.
    pub(crate) fn new(rows: usize, column_scale: Vec<f64>) -> Self {
        let columns = column_scale.len() + 1;
        CompletePivoting {
            columns,
            matrix: vec![0.0; rows * columns],
            row_scale: vec![1.0; rows],
            column_scale,
            open_rows: vec![true; rows],
            open_columns: vec![true; columns - 1],
            taken: Vec::with_capacity(rows),
            solution: vec![0.0; columns - 1],
        }
    }

    /// An entry to be filled in before [`CompletePivoting::equilibrate`].
    pub(crate) fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.matrix[row * self.columns + column]
    }

    /// An entry at this stage.
    pub(crate) fn at(&self, (row, column): (usize, usize)) -> f64 {
        self.matrix[row * self.columns + column]
    }

    /// A row at this stage.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.columns..(row + 1) * self.columns]
    }

    /// Multiplies columns by the magnitudes of their unknowns, then scales rows to largest entries of one. Columns are
    /// not scaled by their entries, because the basis of the kernel would then change where an entry vanishes.
    pub(crate) fn equilibrate(&mut self) {
        let CompletePivoting { columns, matrix, row_scale, column_scale, .. } = self;
        for (row, scale) in matrix.chunks_exact_mut(*columns).zip(row_scale) {
            row.iter_mut().zip(column_scale.iter()).for_each(|(x, scale)| *x *= scale);
            let size = row.iter().fold(0.0_f64, |largest, x| x.abs().max(largest));
            *scale = if size > 0.0 && size.is_finite() { 1.0 / size } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= *scale);
        }
    }

    /// Sets the right-hand side of the first rows.
    pub(crate) fn right_hand_side(&mut self, values: &[f64]) {
        let last = self.columns - 1;
        for (row, value) in values.iter().enumerate() {
            *self.entry(row, last) = value * self.row_scale[row];
        }
    }

    /// Makes all rows and columns open, before the first pivot.
    pub(crate) fn begin(&mut self) {
        self.open_rows.fill(true);
        self.open_columns.fill(true);
        self.taken.clear();
    }

    /// The largest entry in the open columns of those open rows that are `wanted`; `None` if all are zero.
    pub(crate) fn largest(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<((usize, usize), f64)> {
        let mut best: Option<((usize, usize), f64)> = None;
        for row in rows.filter(|&row| self.open_rows[row] && wanted(row)) {
            for column in columns.clone().filter(|&column| self.open_columns[column]) {
                let size = self.at((row, column)).abs();
                if size > best.map_or(0.0, |(_, size)| size) {
                    best = Some(((row, column), size));
                }
            }
        }
        best
    }

    /// Takes `count` pivots, each the largest remaining entry; `None` if there are fewer.
    pub(crate) fn complete(&mut self, count: usize, rows: Range<usize>, columns: Range<usize>) -> Option<()> {
        for _ in 0..count {
            let (pivot, _) = self.largest(rows.clone(), columns.clone(), |_| true)?;
            self.pivot(pivot);
        }
        Some(())
    }

    /// Eliminates a column from the open rows.
    pub(crate) fn pivot(&mut self, (row, column): (usize, usize)) {
        self.open_rows[row] = false;
        self.open_columns[column] = false;
        self.taken.push((row, column));
        let pivot = self.at((row, column));
        for other in (0..self.open_rows.len()).filter(|&other| self.open_rows[other]) {
            let factor = self.matrix[other * self.columns + column] / pivot;
            if factor != 0.0 {
                let (at, from) = (other * self.columns, row * self.columns);
                for k in 0..self.columns {
                    self.matrix[at + k] -= factor * self.matrix[from + k];
                }
            }
            self.matrix[other * self.columns + column] = 0.0;
        }
    }

    /// Solves for the unknowns of the pivot columns, with all others zero.
    pub(crate) fn back_substitute(&mut self) {
        self.solution.fill(0.0);
        for &(row, column) in self.taken.iter().rev() {
            let entries = &self.matrix[row * self.columns..(row + 1) * self.columns];
            let known = dot(&entries[..self.columns - 1], &self.solution);
            self.solution[column] = (entries[self.columns - 1] - known) / entries[column];
        }
        self.solution.iter_mut().zip(&self.column_scale).for_each(|(x, scale)| *x *= scale);
    }
}
