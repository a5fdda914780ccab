//! Small dense matrices.
//!
//! In: entries. Out: [`Matrix`], column after column, and [`Factors`] by Gaussian elimination with partial pivoting
//! (Golub & Van Loan, *Matrix Computations*, algorithm 3.4.1).
//!
//! The crate has its own matrices, so that a program that ships a generated solver compiles no linear algebra library:
//! a general one took a third of the processor time of a clean release build. Iteration matrices, which are factorised
//! again and again during a run, are elsewhere ([`crate::linalg::iteration_matrix`]).

use std::ops::{Index, IndexMut};

use super::vector::add;

/// A dense matrix of `f64`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    /// Column after column.
    entries: Vec<f64>,
}

impl Matrix {
    /// The matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// The identity of order `n`.
    pub fn identity(n: usize) -> Self {
        Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// The matrix with entry `entry(i, j)` in row `i` and column `j`.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity(rows * columns);
        for j in 0..columns {
            entries.extend((0..rows).map(|i| entry(i, j)));
        }
        Matrix { rows, columns, entries }
    }

    /// The matrix with these entries, row after row; missing ones are zero.
    pub fn from_row_slice(rows: usize, columns: usize, entries: &[f64]) -> Self {
        Matrix::from_fn(rows, columns, |i, j| entries.get(i * columns + j).copied().unwrap_or(0.0))
    }

    /// The matrix with these entries, column after column; missing ones are zero.
    pub fn from_column_slice(rows: usize, columns: usize, entries: &[f64]) -> Self {
        Matrix::from_fn(rows, columns, |i, j| entries.get(j * rows + i).copied().unwrap_or(0.0))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether it has as many rows as columns.
    pub fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, column after column.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries
    }

    /// The entries, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// The entries of a column.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.entries[column * self.rows..(column + 1) * self.rows]
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        (0..self.columns).map(move |column| self.entries[column * self.rows + row])
    }

    /// Divides a row by a number.
    pub fn divide_row(&mut self, row: usize, divisor: f64) {
        (0..self.columns).for_each(|column| self.entries[column * self.rows + row] /= divisor);
    }

    /// The largest absolute value of an entry; 0 without entries.
    pub fn largest_entry(&self) -> f64 {
        largest(self.entries.iter().copied())
    }

    /// The largest absolute value in a row; 0 without entries.
    pub fn largest_in_row(&self, row: usize) -> f64 {
        largest(self.row(row))
    }

    /// $\lVert A \rVert_1$, the largest sum of absolute values of a column.
    pub fn norm_1(&self) -> f64 {
        largest((0..self.columns).map(|column| self.column(column).iter().map(|entry| entry.abs()).sum()))
    }

    /// $A^\top$.
    pub fn transpose(&self) -> Self {
        Matrix::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// Some of the columns.
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        Matrix::from_fn(self.rows, columns.len(), |i, j| self[(i, columns[j])])
    }

    /// $A B$.
    pub fn times(&self, other: &Matrix) -> Self {
        let mut product = Matrix::zeros(self.rows, other.columns);
        for j in 0..other.columns {
            let to = &mut product.entries[j * self.rows..(j + 1) * self.rows];
            for (k, &factor) in other.column(j).iter().enumerate().take(self.columns) {
                to.iter_mut().zip(self.column(k)).for_each(|(to, entry)| *to += entry * factor);
            }
        }
        product
    }

    /// The LU factors; `None` if the matrix is not square, or a pivot is zero or not finite.
    pub fn factors(self) -> Option<Factors> {
        Factors::of(self)
    }

    /// $A^{-1}$; `None` where there are no factors.
    pub fn inverse(&self) -> Option<Self> {
        let factors = self.clone().factors()?;
        let mut inverse = Matrix::identity(self.rows);
        inverse.entries.chunks_exact_mut(self.rows.max(1)).for_each(|column| factors.solve(column));
        Some(inverse)
    }

    /// Whether $\lVert A \rVert_1 \lVert A^{-1} \rVert_1$ is at most `limit`; `false` where there are no factors. The
    /// inverse is computed only where a bound on its norm does not decide.
    pub fn is_condition_within(&self, limit: f64) -> bool {
        let norm = self.norm_1();
        let Some(factors) = self.clone().factors() else { return false };
        norm * factors.inverse_bound() <= limit || self.inverse().is_some_and(|it| norm * it.norm_1() <= limit)
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[column * self.rows + row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[column * self.rows + row]
    }
}

/// The largest absolute value, NaN if there is a NaN.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |size, value| if value.abs() > size || value.is_nan() { value.abs() } else { size })
}

/// $P A = L U$.
#[derive(Clone, Debug)]
pub struct Factors {
    /// $U$, and below its diagonal $L$ without its unit diagonal.
    matrix: Matrix,
    /// The row exchanged with row $k$ before step $k$.
    exchanges: Vec<usize>,
}

impl Factors {
    fn of(mut matrix: Matrix) -> Option<Self> {
        let mut exchanges = vec![0; matrix.rows];
        let has_factors = matrix.is_square() && eliminate(&mut matrix.entries, &mut exchanges);
        has_factors.then_some(Factors { matrix, exchanges })
    }

    /// Replaces $b$ by $A^{-1} b$.
    pub fn solve(&self, b: &mut [f64]) {
        solve(&self.matrix.entries, &self.exchanges, b);
    }

    /// A bound on $\lVert A^{-1} \rVert_1$, at the cost of one solution. With $M(T)$, the diagonal of $|T|$ minus the rest
    /// of it, $|A^{-1}| \le M(U)^{-1} M(L)^{-1} P$ (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, sect.
    /// 8.3); the bound is the largest sum of a column.
    pub fn inverse_bound(&self) -> f64 {
        let n = self.matrix.rows;
        let mut sums = vec![1.0; n];
        let product = |entries: &[f64], sums: &[f64]| entries.iter().zip(sums).map(|(a, b)| a.abs() * b).sum::<f64>();
        for k in 0..n {
            let column = self.matrix.column(k);
            sums[k] = (1.0 + product(&column[..k], &sums)) / column[k].abs();
        }
        for k in (0..n).rev() {
            sums[k] += product(&self.matrix.column(k)[k + 1..], &sums[k + 1..]);
            sums.swap(k, self.exchanges[k]);
        }
        largest(sums.into_iter())
    }

    /// The pivots, whose product is $\pm\det A$.
    pub fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.matrix.rows).map(|k| self.matrix[(k, k)])
    }
}

/// Replaces the square matrix $A$ of the first columns by its factors, and columns $b$ after it by $L^{-1} P b$; notes the
/// row exchanged with row $k$ before step $k$. `false` if a pivot is zero, or a factor not finite.
pub(crate) fn eliminate(columns: &mut [f64], exchanges: &mut [usize]) -> bool {
    let n = exchanges.len();
    for (k, exchange) in exchanges.iter_mut().enumerate() {
        let (done, rest) = columns.split_at_mut((k + 1) * n);
        let column = &mut done[k * n + k..];
        let larger = |best: usize, i: usize| if column[i].abs() > column[best].abs() { i } else { best };
        let row = (1..n - k).fold(0, larger);
        *exchange = k + row;
        column.swap(0, row);
        let (pivot, column) = (column[0], &mut column[1..]);
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        column.iter_mut().for_each(|entry| *entry /= pivot);
        // Without an early exit, many are tested at once.
        if !column.iter().fold(true, |all, entry| all & entry.is_finite()) {
            return false;
        }
        for other in rest.chunks_exact_mut(n) {
            let other = &mut other[k..];
            other.swap(0, row);
            add(-other[0], column, &mut other[1..]);
        }
    }
    true
}

/// Replaces $b$ by $A^{-1} b$, from the factors of $A$.
pub(crate) fn solve(factors: &[f64], exchanges: &[usize], b: &mut [f64]) {
    let n = exchanges.len();
    for (k, (column, &row)) in factors.chunks_exact(n.max(1)).zip(exchanges).enumerate() {
        // Later exchanges were not applied to this column of L.
        b.swap(k, row);
        add(-b[k], &column[k + 1..], &mut b[k + 1..]);
    }
    substitute(factors, b);
}

/// Replaces $b$ by $U^{-1} b$, from the factors of $A$.
#[inline]
pub(crate) fn substitute(factors: &[f64], b: &mut [f64]) {
    let n = b.len();
    for (k, column) in factors.chunks_exact(n.max(1)).enumerate().take(n).rev() {
        let (rest, done) = b.split_at_mut(k);
        done[0] /= column[k];
        add(-done[0], &column[..k], rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_one() {
        let entry =
            |i: usize, j: usize| ((7 * i + 3 * j + i * j * j) % 11) as f64 - 5.0 + f64::from(u8::from(i == j)) * 0.7;
        let matrix = Matrix::from_fn(7, 7, entry);
        let product = matrix.times(&matrix.inverse().unwrap());
        for i in 0..7 {
            for j in 0..7 {
                let expected = f64::from(i == j);
                assert!((product[(i, j)] - expected).abs() < 1e-12, "{i} {j}: {}", product[(i, j)]);
            }
        }
        let determinant: f64 =
            Matrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]).factors().unwrap().pivots().product();
        assert!((determinant.abs() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn conditions_are_decided_as_by_the_inverse() {
        for n in [1, 2, 5, 12] {
            let entry = |i: usize, j: usize| match (i * 7 + j * 5 + i * i * j) % 4 {
                0 => ((3 * i + 11 * j) % 13) as f64 - 6.3,
                _ => f64::from(u8::from(i == j)),
            };
            let matrix = Matrix::from_fn(n, n, entry);
            let factors = matrix.clone().factors().unwrap();
            let (exact, bound) = (matrix.inverse().unwrap().norm_1(), factors.inverse_bound());
            assert!(bound >= exact * (1.0 - 1e-14) && bound < 1e6 * exact, "{n}: {bound} for {exact}");
            let condition = matrix.norm_1() * exact;
            assert!(matrix.is_condition_within(1.001 * condition) && !matrix.is_condition_within(0.999 * condition));
        }
        assert!(!Matrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]).is_condition_within(f64::INFINITY));
        assert!(!Matrix::from_row_slice(2, 2, &[1.0, f64::NAN, 0.0, 1.0]).is_condition_within(f64::INFINITY));
    }

    #[test]
    fn what_has_no_factors_has_no_inverse() {
        assert_eq!(Matrix::zeros(2, 2).inverse(), None);
        assert_eq!(Matrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]).inverse(), None);
        assert_eq!(Matrix::from_row_slice(1, 1, &[f64::NAN]).inverse(), None);
        assert_eq!(Matrix::zeros(0, 0).inverse(), Some(Matrix::zeros(0, 0)));
        assert!(Matrix::zeros(1, 2).factors().is_none());
    }

    #[test]
    fn rows_and_columns_are_where_they_belong() {
        let matrix = Matrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, -6.0]);
        assert_eq!(matrix.column(1), [2.0, 5.0]);
        assert_eq!(matrix.row(1).collect::<Vec<f64>>(), [4.0, 5.0, -6.0]);
        assert_eq!(matrix.transpose().column(1), [4.0, 5.0, -6.0]);
        assert_eq!(matrix.select_columns(&[2, 0]).as_slice(), [3.0, -6.0, 1.0, 4.0]);
        assert_eq!((matrix.largest_entry(), matrix.largest_in_row(0), matrix.norm_1()), (6.0, 3.0, 9.0));
        assert!(Matrix::from_row_slice(1, 2, &[f64::NAN, 1.0]).largest_entry().is_nan());
    }
}
