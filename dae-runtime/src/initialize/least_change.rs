//! The step of least change.
//!
//! In: the rows of a matrix $B$ with entries up to 1, whose columns belong to unknowns in units of their nominal
//! values, a right-hand side $b$, and which columns cost nothing to move. Out: $z$ with $B z = b$ as far as the rows
//! allow, with the costly part as small as possible, and then the free part.
//!
//! The order is lexicographic rather than by weights, so that a guess that need not move does not move by a millionth
//! part either. The rows $B_P$ that the free columns can satisfy are found by $B_F^\top \Pi = Q R$
//! ([`crate::linalg::pivoted_qr`]); in the free columns the others, $B_N$, are $C B_P$ with $C^\top = R_{PP}^{-1}
//! R_{PN}$, so that the rows of $(-C, I)$ span what the free columns cannot reach. With $L L^\top = I + C C^\top$ the
//! rows of $L^{-1} (-C, I)$ are an orthonormal basis of this space. They leave a few equations for the costly columns,
//! $L^{-1} (B_N - C B_P) z = L^{-1} (b_N - C b_P)$, which are solved by the same decomposition where they are clearly
//! independent, otherwise by singular values, in the least-squares sense. Of the residual $r$ that remains, $(-C,
//! I)^\top L^{-\top} L^{-1} (-C, I)\\, r$ is beyond reach, and the free columns take the rest.

use crate::linalg::matrix::Matrix;
use crate::linalg::pivoted_qr::{PivotedQr, SparseRow};
use crate::linalg::rank::{RankError, SingularValues, equilibrate};

/// The argument `able` of [`LeastChange::new`] in an initialisation.
pub(super) const ABLE: f64 = 1e-3;
/// Rows whose triangular factor has a smaller diagonal entry are solved by singular values.
const CLEARLY_FULL: f64 = 1e-7;
/// Entries of $B$ are at most this.
const REFERENCE: f64 = 1.0;
/// Condition, after scaling, below which a square matrix is regular beyond doubt.
const SURELY_REGULAR: f64 = 1e10;

/// Solves for the step of one small dense system; `free` and `costly` partition the columns.
pub(super) fn least_change(
    matrix: &Matrix,
    free: &[usize],
    costly: &[usize],
    b: &[f64],
) -> Result<Vec<f64>, RankError> {
    if let Some(z) = by_inverse(matrix, b) {
        return Ok(z);
    }
    // Where all columns are free, all count alike.
    let mut is_free = vec![false; matrix.columns()];
    free.iter().filter(|_| !costly.is_empty()).for_each(|&column| is_free[column] = true);
    let rows: Vec<SparseRow> =
        (0..matrix.rows()).map(|i| matrix.row(i).enumerate().filter(|(_, entry)| *entry != 0.0).collect()).collect();
    Ok(LeastChange::new(&rows, matrix.columns(), &is_free, ABLE)?.step(b).z)
}

/// Solves a square system that is clearly regular, whatever the sizes of the unknowns: there is one solution, and
/// nothing to choose. `None` for any other system.
fn by_inverse(matrix: &Matrix, b: &[f64]) -> Option<Vec<f64>> {
    if !matrix.is_square() || matrix.is_empty() {
        return None;
    }
    let mut scaled = matrix.clone();
    equilibrate(&mut scaled);
    if !scaled.is_condition_within(SURELY_REGULAR) {
        return None;
    }
    // Partial pivoting on rows of equal size; the columns may have any size.
    let mut z = b.to_vec();
    matrix.clone().factors()?.solve(&mut z);
    z.iter().all(|z| z.is_finite()).then_some(z)
}

/// A step, and the residual in directions that no column reaches.
#[derive(Clone, Debug)]
pub struct LeastChangeStep {
    /// The step, by column.
    pub z: Vec<f64>,
    /// The residual that no column reaches, by row.
    pub unreached: Vec<f64>,
}

/// A matrix prepared for steps with several right-hand sides.
#[derive(Clone, Debug)]
pub struct LeastChange<'a> {
    rows: &'a [SparseRow],
    columns: usize,
    factors: PivotedQr,
    /// $C$, row by row of $N$.
    combinations: Vec<Vec<f64>>,
    /// $L$.
    triangle: Matrix,
    /// $L^{-1} (B_N - C B_P)$.
    reduced: Matrix,
    /// The columns of the reduced matrix that are not zero.
    used: Vec<usize>,
    /// The decomposition of these columns.
    costly: Costly,
}

/// How the reduced rows are solved.
#[derive(Clone, Debug)]
enum Costly {
    /// There are no reduced rows, or all are zero.
    Nothing,
    /// The rows are clearly independent.
    Triangle(PivotedQr),
    /// The rows may be dependent. The decomposition is that of the transpose, which is cheaper for few rows.
    SingularValues(SingularValues),
}

impl<'a> LeastChange<'a> {
    /// Prepares the matrix $B$. Free columns count as able to absorb a change of a row only where its part in them that
    /// no other row shares is longer than `able`; below it, a free unknown would run far away to spare a costly one a
    /// small change.
    ///
    /// # Errors
    /// If the matrix is not finite, or has no singular values.
    pub fn new(rows: &'a [SparseRow], columns: usize, is_free: &[bool], able: f64) -> Result<Self, RankError> {
        for (row, entries) in rows.iter().enumerate() {
            if let Some(&(column, _)) = entries.iter().find(|(_, value)| !value.is_finite()) {
                return Err(RankError::NonFinite { row, column });
            }
        }
        let factors = PivotedQr::new(rows, columns, |j| is_free[j], able);
        let combinations: Vec<Vec<f64>> = (factors.rank..rows.len()).map(|k| factors.combination(k)).collect();
        let rest = &factors.order[factors.rank..];
        let mut reduced = Matrix::zeros(rest.len(), columns);
        for (k, (&i, combination)) in rest.iter().zip(&combinations).enumerate() {
            rows[i].iter().for_each(|&(j, value)| reduced[(k, j)] += value);
            for (&p, &c) in factors.order.iter().zip(combination).filter(|(_, c)| **c != 0.0) {
                rows[p].iter().for_each(|&(j, value)| reduced[(k, j)] -= c * value);
            }
        }
        let triangle = cholesky(&combinations);
        for j in 0..columns {
            let mut column: Vec<f64> = reduced.column(j).to_vec();
            if column.iter().any(|x| *x != 0.0) {
                forward(&triangle, &mut column);
                column.iter().enumerate().for_each(|(k, &x)| reduced[(k, j)] = x);
            }
        }
        let used: Vec<usize> = (0..columns).filter(|&j| reduced.column(j).iter().any(|x| *x != 0.0)).collect();
        let sparse = |row: usize| -> SparseRow {
            used.iter().map(|&j| reduced[(row, j)]).enumerate().filter(|(_, value)| *value != 0.0).collect()
        };
        let remaining: Vec<SparseRow> = (0..rest.len()).map(sparse).collect();
        let independent = PivotedQr::new(&remaining, used.len(), |_| true, CLEARLY_FULL);
        let costly = if used.is_empty() {
            Costly::Nothing
        } else if independent.rank == rest.len() {
            Costly::Triangle(independent)
        } else {
            Costly::SingularValues(SingularValues::of(&reduced.select_columns(&used).transpose())?)
        };
        Ok(LeastChange { rows, columns, factors, combinations, triangle, reduced, used, costly })
    }

    /// Solves for the step.
    pub fn step(&self, b: &[f64]) -> LeastChangeStep {
        let factors = &self.factors;
        let rest = &factors.order[factors.rank..];
        let mut z = vec![0.0; self.columns];
        let mut unreached = vec![0.0; b.len()];
        let mut right: Vec<f64> = rest
            .iter()
            .zip(&self.combinations)
            .map(|(&i, combination)| b[i] - factors.order.iter().zip(combination).map(|(&p, c)| c * b[p]).sum::<f64>())
            .collect();
        forward(&self.triangle, &mut right);
        // What remains for the costly columns may be the rounding error of the combinations: then they stay.
        let size = |values: &[f64]| values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        let factor = self.combinations.iter().fold(1.0_f64, |factor, combination| factor.max(size(combination)));
        if size(&right) > 8.0 * b.len() as f64 * f64::EPSILON * factor * size(b) {
            let mut found = vec![0.0; self.used.len()];
            match &self.costly {
                Costly::Nothing => {}
                Costly::Triangle(triangle) => {
                    let ordered: Vec<f64> = triangle.order.iter().map(|&k| right[k]).collect();
                    triangle.least_norm(&ordered, &mut found);
                }
                Costly::SingularValues(values) => {
                    found = values.least_norm_transposed(values.rank_against(REFERENCE).rank, &right);
                }
            }
            self.used.iter().zip(&found).for_each(|(&j, &x)| z[j] = x);
        }
        let mut left: Vec<f64> = (0..rest.len())
            .map(|k| right[k] - self.used.iter().map(|&j| self.reduced[(k, j)] * z[j]).sum::<f64>())
            .collect();
        backward(&self.triangle, &mut left);
        for ((&i, combination), left) in rest.iter().zip(&self.combinations).zip(left) {
            unreached[i] = left;
            factors.order.iter().zip(combination).for_each(|(&p, c)| unreached[p] -= c * left);
        }
        let remaining: Vec<f64> = factors.order[..factors.rank]
            .iter()
            .map(|&i| b[i] - unreached[i] - self.rows[i].iter().map(|&(j, value)| value * z[j]).sum::<f64>())
            .collect();
        factors.least_norm(&remaining, &mut z);
        LeastChangeStep { z, unreached }
    }
}

/// $L$ with $L L^\top = I + C C^\top$, which is positive definite whatever the rows of $C$ are.
fn cholesky(c: &[Vec<f64>]) -> Matrix {
    let n = c.len();
    let mut l = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let product = c[i].iter().zip(&c[j]).map(|(a, b)| a * b).sum::<f64>();
            let rest = product + f64::from(u8::from(i == j)) - (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum::<f64>();
            // All eigenvalues are at least 1, and so are the squares of the pivots but for rounding errors.
            l[(i, j)] = if i == j { rest.max(1.0).sqrt() } else { rest / l[(j, j)] };
        }
    }
    l
}

/// Overwrites $x$ by $L^{-1} x$.
fn forward(l: &Matrix, x: &mut [f64]) {
    for i in 0..x.len() {
        let known: f64 = (0..i).map(|k| l[(i, k)] * x[k]).sum();
        x[i] = (x[i] - known) / l[(i, i)];
    }
}

/// Overwrites $x$ by $L^{-\top} x$.
fn backward(l: &Matrix, x: &mut [f64]) {
    for i in (0..x.len()).rev() {
        let known: f64 = (i + 1..x.len()).map(|k| l[(k, i)] * x[k]).sum();
        x[i] = (x[i] - known) / l[(i, i)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_column_takes_the_whole_change() {
        let matrix = Matrix::from_row_slice(1, 3, &[1.0, 0.5, 1.0]);
        let z = least_change(&matrix, &[1], &[0, 2], &[2.0]).unwrap();
        assert_eq!((z[0], z[2]), (0.0, 0.0));
        assert!((z[1] - 4.0).abs() < 1e-14);
    }

    #[test]
    fn guesses_share_what_free_columns_cannot_take() {
        // The free column cannot help the first row; the second is left to it.
        let matrix = Matrix::from_row_slice(2, 3, &[1.0, 1.0, 0.0, 1.0, 0.0, 0.5]);
        let z = least_change(&matrix, &[2], &[0, 1], &[2.0, 0.0]).unwrap();
        for (found, expected) in z.iter().zip([1.0, 1.0, -2.0]) {
            assert!((found - expected).abs() < 1e-14, "{z:?}");
        }
    }

    #[test]
    fn a_nearly_vanishing_free_column_does_not_run_away() {
        let matrix = Matrix::from_row_slice(1, 2, &[1.0, 1e-9]);
        let z = least_change(&matrix, &[1], &[0], &[0.5]).unwrap();
        assert!((z[0] - 0.5).abs() < 1e-12 && z[1].abs() < 1e-8, "{z:?}");
    }

    #[test]
    fn dependent_rows_are_met_in_the_mean() {
        let matrix = Matrix::from_row_slice(2, 1, &[1.0, 1.0]);
        let z = least_change(&matrix, &[], &[0], &[1.0, 3.0]).unwrap();
        assert!((z[0] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn contradictions_are_left_over() {
        let rows = vec![vec![(0, 1.0), (1, 2.0)], vec![(0, 2.0), (1, 4.0)], vec![(2, 1.0)]];
        let found = LeastChange::new(&rows, 3, &[true; 3], ABLE).unwrap().step(&[1.0, 3.0, 5.0]);
        assert!((found.z[2] - 5.0).abs() < 1e-14);
        // 1 and 3 contradict 1 : 2. The nearest right-hand sides that do not, 7/5 and 14/5, are (-2, 1)/5 away.
        for (left, expected) in found.unreached.iter().zip([-0.4, 0.2, 0.0]) {
            assert!((left - expected).abs() < 1e-14, "{:?}", found.unreached);
        }
        assert!((found.z[0] + 2.0 * found.z[1] - 1.4).abs() < 1e-14, "{:?}", found.z);
        let consistent = LeastChange::new(&rows, 3, &[true; 3], ABLE).unwrap().step(&[1.0, 2.0, 5.0]);
        assert!(consistent.unreached.iter().all(|x| x.abs() < 1e-14));
    }
}
