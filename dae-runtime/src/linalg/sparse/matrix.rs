//! Sparse matrices in compressed-row form.
//!
//! In: entries in any order. Out: a [`SparseMatrix`], its products and submatrices.

use crate::linalg::matrix::Matrix;

use crate::linalg::structure::Incidence;

/// Sweeps of the simultaneous row and column scaling.
const EQUILIBRATION_SWEEPS: usize = 8;

/// Compressed rows; columns ascend within a row, no entry is stored twice.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    columns: usize,
    row_starts: Vec<usize>,
    column_indices: Vec<usize>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// The matrix with the given entries `(row, column, value)`; duplicate entries are added up, and those outside the
    /// matrix are ignored.
    pub fn from_entries(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        let mut entries: Vec<(usize, usize, f64)> =
            entries.into_iter().filter(|&(i, j, _)| i < rows && j < columns).collect();
        if !entries.is_sorted_by_key(|&(i, j, _)| (i, j)) {
            entries.sort_by_key(|&(i, j, _)| (i, j));
        }
        let mut matrix = SparseMatrix {
            columns,
            row_starts: vec![0; rows + 1],
            column_indices: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };
        let mut last = None;
        for (i, j, value) in entries {
            match matrix.values.last_mut() {
                Some(sum) if last == Some((i, j)) => *sum += value,
                _ => {
                    matrix.column_indices.push(j);
                    matrix.values.push(value);
                    matrix.row_starts[i + 1] += 1;
                }
            }
            last = Some((i, j));
        }
        for i in 0..rows {
            matrix.row_starts[i + 1] += matrix.row_starts[i];
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether there are as many rows as columns.
    pub fn is_square(&self) -> bool {
        self.rows() == self.columns
    }

    /// `(column, value)` of the entries of a row, columns ascending.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_starts[row]..self.row_starts[row + 1];
        self.column_indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// `(row, column, value)` of every entry, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows()).flat_map(|i| self.row(i).map(move |(j, value)| (i, j, value)))
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }

    /// $A x$.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows()).map(|i| self.row(i).map(|(j, value)| value * x[j]).sum()).collect()
    }

    /// $A^T y$.
    pub fn transposed_times(&self, y: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.columns];
        for (i, j, value) in self.entries() {
            product[j] += value * y[i];
        }
        product
    }

    /// The largest sum of absolute values of a column, $\lVert A \rVert_1$.
    pub fn norm(&self) -> f64 {
        let mut sums = vec![0.0_f64; self.columns];
        for (_, j, value) in self.entries() {
            sums[j] += value.abs();
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The dense matrix with these entries.
    pub fn to_dense(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.rows(), self.columns);
        for (i, j, value) in self.entries() {
            dense[(i, j)] = value;
        }
        dense
    }

    /// The pattern of the nonzero entries.
    pub fn pattern(&self) -> Incidence {
        let row = |i: usize| self.row(i).filter(|&(_, value)| value != 0.0).map(|(j, _)| j).collect::<Vec<_>>();
        // Columns are within range by construction.
        Incidence::from_rows(self.columns, (0..self.rows()).map(row))
            .unwrap_or_else(|_| Incidence::without_equations(self.columns))
    }

    /// The submatrix of the rows `rows`, and of the columns that `place` maps to one of `columns` new ones.
    pub fn part(&self, rows: &[usize], columns: usize, place: impl Fn(usize) -> Option<usize>) -> SparseMatrix {
        let entries = rows.iter().enumerate().flat_map(|(i, &row)| {
            let place = &place;
            self.row(row).filter_map(move |(j, value)| Some((i, place(j)?, value)))
        });
        SparseMatrix::from_entries(rows.len(), columns, entries)
    }

    /// Scales rows and columns by powers of two until the largest entry of each is about 1, like
    /// [`equilibrate`](crate::linalg::rank::equilibrate). Returns the factors of the rows and of the columns.
    pub fn equilibrate(&mut self) -> (Vec<f64>, Vec<f64>) {
        let (mut row_factors, mut column_factors) = (vec![1.0; self.rows()], vec![1.0; self.columns]);
        for _ in 0..EQUILIBRATION_SWEEPS {
            let (mut row_max, mut column_max) = (vec![0.0_f64; self.rows()], vec![0.0_f64; self.columns]);
            for (i, j, value) in self.entries() {
                row_max[i] = row_max[i].max(value.abs());
                column_max[j] = column_max[j].max(value.abs());
            }
            let rows: Vec<f64> = row_max.into_iter().map(crate::linalg::rank::inverse_root_power_of_two).collect();
            let columns: Vec<f64> =
                column_max.into_iter().map(crate::linalg::rank::inverse_root_power_of_two).collect();
            for i in 0..rows.len() {
                for position in self.row_starts[i]..self.row_starts[i + 1] {
                    self.values[position] *= rows[i] * columns[self.column_indices[position]];
                }
            }
            row_factors.iter_mut().zip(&rows).for_each(|(product, factor)| *product *= factor);
            column_factors.iter_mut().zip(&columns).for_each(|(product, factor)| *product *= factor);
        }
        (row_factors, column_factors)
    }
}
