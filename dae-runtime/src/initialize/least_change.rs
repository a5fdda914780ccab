//! The step of least change.
//!
//! In: a matrix $B$ whose rows have entries up to 1 and whose columns are measured in nominal values, a right-hand
//! side $b$, and which columns cost nothing to move. Out: $z$ with $B z = b$ in the least-squares sense, the costly
//! part of $z$ of least norm among all such $z$, and the free part of least norm after that.
//!
//! The order is lexicographic rather than by weights, so that a guess that need not move does not move by a millionth
//! part either. With $P$ a basis of the left null space of the free columns $B_F$, the costly part solves
//! $P^T B_G z_G = P^T b$.

use crate::linalg::matrix::Matrix;
use crate::linalg::rank::{RankError, SingularValues, equilibrate};

/// Free columns count as able to absorb a change only where their singular values exceed this; below it, a free unknown
/// would run far away to spare a guess a small change.
pub(super) const ABLE: f64 = 1e-3;
/// A triangular factor with a smaller ratio of diagonal entries is replaced by the singular value decomposition.
const CLEARLY_FULL: f64 = 1e-7;
/// Entries of $B$ are at most this.
const REFERENCE: f64 = 1.0;
/// Condition, after scaling, below which a square matrix is regular beyond doubt.
const SURELY_REGULAR: f64 = 1e10;

/// Solves for the step; `free` and `costly` partition the columns.
pub(super) fn least_change(
    matrix: &Matrix,
    free: &[usize],
    costly: &[usize],
    b: &[f64],
) -> Result<Vec<f64>, RankError> {
    if let Some(z) = by_inverse(matrix, b) {
        return Ok(z);
    }
    if free.is_empty() || costly.is_empty() {
        return least_norm(matrix, b);
    }
    let free_part = matrix.select_columns(free);
    let mut z = vec![0.0; matrix.columns()];
    if let Some(step) = by_triangle(&free_part, b, ABLE) {
        scatter(&step, free, &mut z);
        return Ok(z);
    }
    let decomposition = SingularValues::of(&free_part.transpose())?;
    let able = decomposition.values().iter().take_while(|&&value| value > ABLE).count();
    let unable_rows = decomposition.right_vectors_from(able);
    if unable_rows.columns() > 0 {
        let product = |row: usize| unable_rows.column(row).iter().zip(b).map(|(row, b)| row * b).sum();
        let rest: Vec<f64> = (0..unable_rows.columns()).map(product).collect();
        // What remains for the costly columns may be the rounding error of the projection: then they stay.
        let rounding = 8.0 * b.len() as f64 * f64::EPSILON * b.iter().fold(0.0_f64, |size, b| size.max(b.abs()));
        if rest.iter().any(|rest| rest.abs() > rounding) {
            z = least_norm(&unable_rows.transpose().times(matrix), &rest)?;
        }
    }
    let remaining: Vec<f64> =
        (0..b.len()).map(|i| b[i] - matrix.row(i).zip(&z).map(|(entry, z)| entry * z).sum::<f64>()).collect();
    let correction = decomposition.least_norm_transposed(able, &remaining);
    scatter(&correction, free, &mut z);
    Ok(z)
}

fn scatter(step: &[f64], columns: &[usize], z: &mut [f64]) {
    for (&column, step) in columns.iter().zip(step) {
        z[column] += step;
    }
}

/// Least-squares solution of least norm: by a triangular factor where the rows are clearly independent, otherwise by
/// singular values.
fn least_norm(matrix: &Matrix, b: &[f64]) -> Result<Vec<f64>, RankError> {
    if let Some(z) = by_triangle(matrix, b, CLEARLY_FULL) {
        return Ok(z);
    }
    let decomposition = SingularValues::of(matrix)?;
    Ok(decomposition.least_norm(decomposition.rank_against(REFERENCE).rank, b))
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

/// $\Pi B = L Q^\top$ with orthonormal columns of $Q$, hence $z = Q L^{-1} \Pi b$; `None` unless the diagonal of $L$
/// stays above `threshold`. Modified Gram–Schmidt with the longest row next, and reorthogonalisation (Golub & Van Loan,
/// *Matrix Computations*, sects. 5.2 and 5.4).
fn by_triangle(matrix: &Matrix, b: &[f64], threshold: f64) -> Option<Vec<f64>> {
    let (m, n) = (matrix.rows(), matrix.columns());
    if m > n || m == 0 || !matrix.as_slice().iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let subtract = |from: &mut [f64], factor: f64, row: &[f64]| {
        from.iter_mut().zip(row).for_each(|(entry, row)| *entry -= factor * row);
    };
    // What remains of each row, and of its right-hand side, once those that are done have been eliminated.
    let mut open: Vec<(Vec<f64>, f64)> = (0..m).map(|i| (matrix.row(i).collect(), b[i])).collect();
    let (mut done, mut z): (Vec<(Vec<f64>, f64)>, Vec<f64>) = (Vec::with_capacity(m), vec![0.0; n]);
    while !open.is_empty() {
        let squares: Vec<f64> = open.iter().map(|(row, _)| dot(row, row)).collect();
        let next = (1..open.len()).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
        let (mut row, mut rest) = open.swap_remove(next);
        for (other, coefficient) in &done {
            let share = dot(&row, other);
            subtract(&mut row, share, other);
            rest -= share * coefficient;
        }
        let length = dot(&row, &row).sqrt();
        if length <= threshold {
            return None;
        }
        row.iter_mut().for_each(|entry| *entry /= length);
        let coefficient = rest / length;
        subtract(&mut z, -coefficient, &row);
        for (other, rest) in &mut open {
            let share = dot(other, &row);
            subtract(other, share, &row);
            *rest -= share * coefficient;
        }
        done.push((row, coefficient));
    }
    Some(z)
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
}
