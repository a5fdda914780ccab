//! Dense LU factorisation.
//!
//! In: a matrix, column by column. Out: its factors, and solutions of linear systems with the matrix or its transpose.
//! The factorisation is right-looking Gaussian elimination by columns with partial pivoting (Golub & Van Loan,
//! algorithm 3.4.1).

use super::equilibration::{Singular, equilibrate_rows};
use super::scalar::Scalar;

/// Dense LU factorisation with equilibrated rows and partial pivoting, in storage that is allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Lu<S> {
    n: usize,
    /// Column-major; after factorisation, $U$ and the multipliers of $L$.
    matrix: Vec<S>,
    row_scale: Vec<f64>,
    column_size: Vec<f64>,
    pivots: Vec<usize>,
}

impl Lu<f64> {
    /// The sign of the determinant of the factorised matrix.
    pub(crate) fn determinant_sign(&self) -> f64 {
        let factor = |k: usize| {
            let sign = self.matrix[k * self.n + k].signum();
            if self.pivots[k] == k { sign } else { -sign }
        };
        (0..self.n).map(factor).product()
    }

    /// The column of the smallest pivot of the factorised matrix, whose rows have been equilibrated; 0 if there is none.
    pub(crate) fn smallest_pivot(&self) -> usize {
        let size = |k: usize| self.matrix[k * self.n + k].abs();
        (0..self.n).min_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }

    /// The logarithm of the absolute value of the determinant of the factorised matrix.
    pub(crate) fn log_determinant(&self) -> f64 {
        (0..self.n).map(|k| (self.matrix[k * self.n + k] / self.row_scale[k]).abs().ln()).sum()
    }
}

impl<S: Scalar> Lu<S> {
    /// Room for a matrix of order `n`, initially zero.
    pub(crate) fn new(n: usize) -> Self {
        Lu { n, matrix: vec![S::ZERO; n * n], row_scale: vec![1.0; n], column_size: vec![0.0; n], pivots: vec![0; n] }
    }

    /// The matrix, column by column; to be filled before [`Lu::factorize`].
    pub(crate) fn matrix_mut(&mut self) -> &mut [S] {
        &mut self.matrix
    }

    /// Replaces the matrix by its factors; an error if it is not finite, or singular to working precision.
    pub(crate) fn factorize(&mut self) -> Result<(), Singular> {
        equilibrate_rows(self.n, &mut self.matrix, &mut self.row_scale)?;
        for (size, column) in self.column_size.iter_mut().zip(self.matrix.chunks_exact(self.n.max(1))) {
            *size = column.iter().fold(0.0, |size, x| x.norm_1().max(size));
        }
        (0..self.n).try_for_each(|k| self.eliminate(k))
    }

    /// Step `k` of the elimination.
    fn eliminate(&mut self, k: usize) -> Result<(), Singular> {
        let n = self.n;
        let (done, rest) = self.matrix.split_at_mut((k + 1) * n);
        let column = &mut done[k * n..];
        let mut pivot = k;
        let mut size = column[k].norm_1();
        for i in k + 1..n {
            if column[i].norm_1() > size {
                pivot = i;
                size = column[i].norm_1();
            }
        }
        // A pivot as small as this consists of rounding errors of the elimination.
        if size.is_nan() || size <= f64::EPSILON * self.column_size[k] {
            return Err(Singular::Column(k));
        }
        self.pivots[k] = pivot;
        column.swap(k, pivot);
        let inverse = S::ONE / column[k];
        let multipliers = &mut column[k + 1..];
        multipliers.iter_mut().for_each(|l| *l *= inverse);
        for other in rest.chunks_exact_mut(n) {
            other.swap(k, pivot);
            subtract_multiple(other[k], multipliers, &mut other[k + 1..]);
        }
        Ok(())
    }

    /// Replaces the right-hand side by the solution.
    pub(crate) fn solve(&self, x: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            x[i] = x[i].scale(self.row_scale[i]);
        }
        for k in 0..n {
            // Later interchanges were not applied to this column of L (as in LINPACK), hence the swap here.
            x.swap(k, self.pivots[k]);
            subtract_multiple(x[k], &self.matrix[k * n + k + 1..(k + 1) * n], &mut x[k + 1..]);
        }
        for k in (0..n).rev() {
            x[k] /= self.matrix[k * n + k];
            subtract_multiple(x[k], &self.matrix[k * n..k * n + k], &mut x[..k]);
        }
    }

    /// Replaces the right-hand side by the solution of the transposed system.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        let n = self.n;
        for k in 0..n {
            let column = &self.matrix[k * n..(k + 1) * n];
            x[k] = (x[k] - dot(&column[..k], &x[..k])) / column[k];
        }
        for k in (0..n).rev() {
            let sum = dot(&self.matrix[k * n + k + 1..(k + 1) * n], &x[k + 1..]);
            x[k] -= sum;
            x.swap(k, self.pivots[k]);
        }
        for i in 0..n {
            x[i] = x[i].scale(self.row_scale[i]);
        }
    }
}

/// $a^T b$, not conjugated.
fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::ZERO, |sum, (a, b)| sum + *a * *b)
}

/// `target -= factor * column`.
fn subtract_multiple<S: Scalar>(factor: S, column: &[S], target: &mut [S]) {
    if factor == S::ZERO {
        return;
    }
    for (x, &l) in target.iter_mut().zip(column) {
        *x -= factor * l;
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use proptest::prelude::*;

    use super::super::deficiency::deficiency;
    use super::*;

    /// Largest [`Scalar::norm_1`] of the entries of $Ax - b$, for a column-major $A$.
    fn defect<S: Scalar>(n: usize, matrix: &[S], x: &[S], b: &[S]) -> f64 {
        (0..n)
            .map(|i| ((0..n).fold(S::ZERO, |sum, j| sum + matrix[j * n + i] * x[j]) - b[i]).norm_1())
            .fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn solves_real_and_complex_systems(
            n in 1usize..9,
            numbers in prop::collection::vec(-1.0f64..1.0, 200),
        ) {
            let mut lu = Lu::new(n);
            let entry = |k: usize| Complex::new(numbers[k], numbers[k + 90]);
            let matrix: Vec<_> = (0..n * n).map(entry).collect();
            let rhs: Vec<_> = (0..n).map(|k| entry(k + 81)).collect();
            lu.matrix_mut().copy_from_slice(&matrix);
            prop_assume!(lu.factorize().is_ok());
            let mut x = rhs.clone();
            lu.solve(&mut x);
            let growth = x.iter().fold(1.0, |m: f64, x| m.max(x.norm_1()));
            prop_assert!(defect(n, &matrix, &x, &rhs) < 1e-13 * growth);
            let transposed: Vec<_> = (0..n * n).map(|k| matrix[k % n * n + k / n]).collect();
            let mut x = rhs.clone();
            lu.solve_transposed(&mut x);
            let growth = x.iter().fold(1.0, |m: f64, x| m.max(x.norm_1()));
            prop_assert!(defect(n, &transposed, &x, &rhs) < 1e-12 * growth);
        }
    }

    #[test]
    fn pivots_when_the_diagonal_is_zero() {
        let mut lu = Lu::new(3);
        let matrix = [0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 5.0, 0.0];
        lu.matrix_mut().copy_from_slice(&matrix);
        lu.factorize().unwrap();
        let mut x = [1.0, 2.0, 3.0];
        lu.solve(&mut x);
        assert!(defect(3, &matrix, &x, &[1.0, 2.0, 3.0]) < 1e-15);
    }

    #[test]
    fn bad_units_of_rows_do_not_look_singular() {
        let mut lu = Lu::new(2);
        lu.matrix_mut().copy_from_slice(&[1e-20, 1.0, 1e-20, -1.0]);
        lu.factorize().unwrap();
        let mut x = [2e-20, 0.0];
        lu.solve(&mut x);
        assert!(f64::abs(x[0] - 1.0) < 1e-15 && f64::abs(x[1] - 1.0) < 1e-15);
    }

    #[test]
    fn tells_why_there_are_no_factors() {
        let factorize = |matrix: &[f64]| {
            let mut lu = Lu::new(2);
            lu.matrix_mut().copy_from_slice(matrix);
            lu.factorize()
        };
        assert_eq!(factorize(&[1.0, 0.3, 0.1, 0.03]), Err(Singular::Column(1)));
        assert_eq!(factorize(&[1.0, 0.0, 2.0, 0.0]), Err(Singular::Row(1)));
        assert_eq!(factorize(&[1.0, f64::NAN, 2.0, 0.0]), Err(Singular::NonFinite(1)));
    }

    #[test]
    fn names_a_dependent_row_and_an_undetermined_column() {
        // Rows 0 and 2 are proportional; unknowns 1 and 2 occur only as their sum.
        let mut matrix = [1.0, 0.0, 0.1, 3.0, 1.0, 0.3, 3.0, 1.0, 0.3];
        let found = deficiency(3, &mut matrix).unwrap();
        assert!([0, 2].contains(&found.row) && [1, 2].contains(&found.column));
        assert_eq!(deficiency(2, &mut [1.0, 2.0, 3.0, 4.0]), None);
    }
}
