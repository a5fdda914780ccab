//! The step of least change.
//!
//! In: the rows of a matrix $B$ with entries up to 1, columns measured in nominal values, a right-hand side $b$, and
//! which columns cost nothing to move. Out: $z$ with $B z = b$ as far as the rows allow, with the costly part as small
//! as possible, and then the free part.
//!
//! The order is lexicographic rather than by weights, so that a guess that need not move does not move by a millionth
//! part either. The rows that the free columns $B_F$ can satisfy are found by $B_F^\top \Pi = Q R$
//! ([`crate::linalg::pivoted_qr`]); the others, $B_N$, are $C B_P$ in the free columns with
//! $C^\top = R_{PP}^{-1} R_{PN}$, and leave $(B_N - C B_P) z = b_N - C b_P$, few rows, for the costly columns: by the
//! same decomposition where these rows are clearly independent, otherwise by singular values, in the least-squares
//! sense. Then $z_F = Q R_{PP}^{-\top} (b_P - B_P z)$.

use crate::linalg::matrix::Matrix;
use crate::linalg::pivoted_qr::{PivotedQr, SparseRow};
use crate::linalg::rank::{RankError, SingularValues, equilibrate};

/// The threshold of free columns in an initialisation.
pub(super) const ABLE: f64 = 1e-3;
/// Rows with a smaller ratio of diagonal entries in their triangular factor are solved by singular values.
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

/// Solves a square system that is clearly regular, whatever the sizes of the unknowns: there is one solution, and nothing to choose.
fn by_inverse(matrix: &Matrix, b: &[f64]) -> Option<Vec<f64>> {
    if !matrix.is_square() || matrix.is_empty() {
        return None;
    }
    let mut scaled = matrix.clone();
    equilibrate(&mut scaled);
    let condition = scaled.norm_1() * scaled.inverse()?.norm_1();
    if condition.is_nan() || condition > SURELY_REGULAR {
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
    /// $B_N - C B_P$.
    reduced: Matrix,
    /// The columns of the reduced matrix that are not zero.
    used: Vec<usize>,
    /// The decomposition of these columns.
    costly: Costly,
}

/// How the reduced rows are solved.
#[derive(Clone, Debug)]
enum Costly {
    /// There are none, or they are zero.
    Nothing,
    /// The rows are clearly independent.
    Triangle(PivotedQr),
    /// Singular values of the transpose, which are cheaper for few rows.
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
        let used: Vec<usize> = (0..columns).filter(|&j| reduced.column(j).iter().any(|x| *x != 0.0)).collect();
        let sparse = |row: usize| -> SparseRow {
            used.iter().map(|&j| reduced[(row, j)]).enumerate().filter(|(_, value)| *value != 0.0).collect()
        };
        let remaining: Vec<SparseRow> = (0..rest.len()).map(sparse).collect();
        let triangle = PivotedQr::new(&remaining, used.len(), |_| true, CLEARLY_FULL);
        let costly = if used.is_empty() {
            Costly::Nothing
        } else if triangle.rank == rest.len() {
            Costly::Triangle(triangle)
        } else {
            Costly::SingularValues(SingularValues::of(&reduced.select_columns(&used).transpose())?)
        };
        Ok(LeastChange { rows, columns, factors, combinations, reduced, used, costly })
    }

    /// Solves for the step.
    pub fn step(&self, b: &[f64]) -> LeastChangeStep {
        let factors = &self.factors;
        let rest = &factors.order[factors.rank..];
        let mut z = vec![0.0; self.columns];
        let mut unreached = vec![0.0; b.len()];
        let right: Vec<f64> = rest
            .iter()
            .zip(&self.combinations)
            .map(|(&i, combination)| b[i] - factors.order.iter().zip(combination).map(|(&p, c)| c * b[p]).sum::<f64>())
            .collect();
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
        for (k, (&i, combination)) in rest.iter().zip(&self.combinations).enumerate() {
            let left = right[k] - self.used.iter().map(|&j| self.reduced[(k, j)] * z[j]).sum::<f64>();
            unreached[i] = left;
            factors.order.iter().zip(combination).for_each(|(&p, c)| unreached[p] -= c * left);
        }
        let remaining: Vec<f64> = factors.order[..factors.rank]
            .iter()
            .map(|&i| b[i] - self.rows[i].iter().map(|&(j, value)| value * z[j]).sum::<f64>())
            .collect();
        factors.least_norm(&remaining, &mut z);
        LeastChangeStep { z, unreached }
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
        // 1 and 3 contradict 1 : 2 by one unit in the second row.
        let size: f64 = found.unreached.iter().map(|x| x * x).sum::<f64>();
        assert!(size > 0.1 && found.unreached[2] == 0.0, "{:?}", found.unreached);
        let consistent = LeastChange::new(&rows, 3, &[true; 3], ABLE).unwrap().step(&[1.0, 2.0, 5.0]);
        assert!(consistent.unreached.iter().all(|x| x.abs() < 1e-14));
    }
}
