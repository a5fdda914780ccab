//! Numerical rank of a matrix.
//!
//! In: a dense matrix. Out: its numerical [`Rank`] with the gap that supports it, from the [`SingularValues`] of the
//! equilibrated matrix. Equilibration after D. Ruiz, RAL-TR-2001-034.
//!
//! **Threshold.** With $\sigma_1$ the largest singular value of the equilibrated $m \times n$ matrix, rounding makes
//! zero singular values as large as $\varphi = \max(m, n)\\,\varepsilon\\,\sigma_1$. Only values below
//! $10^{-8} \sigma_1$ are ever dropped; among the admissible cuts the one with the largest gap
//! $\sigma_r / \max(\sigma_{r+1}, \varphi)$ is taken. The answer is [`Confidence::Uncertain`] when that gap is below
//! $10^4$ or a dropped value is above $10^4 \varphi$, that is, too large to be rounding.

mod blocks;
mod error;
mod singular_values;

use crate::linalg::matrix::Matrix;

pub use blocks::{block_ranks, block_ranks_scaled_by};
pub use error::RankError;
use error::check_finite;
pub use singular_values::SingularValues;

/// Singular values below this fraction of the largest may be taken for zero.
const DROPPABLE: f64 = 1e-8;
/// A rank is clear if the gap is at least this, and the dropped values are at most this multiple of the level of
/// rounding.
const CLEAR: f64 = 1e4;
/// Sweeps of the simultaneous row and column scaling.
const EQUILIBRATION_SWEEPS: usize = 8;

/// Whether a rank can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Kept and dropped singular values are far apart, and the dropped ones are rounding errors.
    Clear,
    /// Kept and dropped singular values are close, or the dropped ones are too large to be rounding errors: the matrix
    /// is close to one of another rank.
    Uncertain,
}

/// A numerical rank and its evidence. Singular values are those of the equilibrated matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// Number of singular values that count as nonzero.
    pub rank: usize,
    /// The smallest singular value that counts as nonzero; infinite when the rank is zero.
    pub smallest_kept: f64,
    /// The largest singular value that counts as zero; zero when there are none.
    pub largest_dropped: f64,
    /// `smallest_kept`, or the scale of the matrix when the rank is zero, over the larger of `largest_dropped` and the
    /// level of rounding.
    pub gap: f64,
    /// Largest singular value over `smallest_kept`; 1 when the rank is zero.
    pub condition: f64,
    /// Whether the rank can be trusted.
    pub confidence: Confidence,
}

/// Rank of a matrix after scaling of rows and columns.
pub fn rank(matrix: &Matrix) -> Result<Rank, RankError> {
    check_finite(matrix)?;
    let mut scaled = matrix.clone();
    equilibrate(&mut scaled);
    // Fewer columns mean fewer pairs to rotate, and the transpose has the same singular values.
    let orientation = if scaled.columns() > scaled.rows() { scaled.transpose() } else { scaled };
    Ok(SingularValues::without_vectors(&orientation)?.rank())
}

/// Scales rows and columns by powers of two until the largest entry of each is about 1. Rows and columns of zeros stay.
pub fn equilibrate(matrix: &mut Matrix) {
    let (m, n) = (matrix.rows(), matrix.columns());
    for _ in 0..EQUILIBRATION_SWEEPS {
        let (mut row_max, mut column_max) = (vec![0.0_f64; m], vec![0.0_f64; n]);
        for (j, column) in matrix.as_slice().chunks_exact(m.max(1)).enumerate() {
            for (i, value) in column.iter().enumerate() {
                row_max[i] = row_max[i].max(value.abs());
                column_max[j] = column_max[j].max(value.abs());
            }
        }
        let rows: Vec<f64> = row_max.into_iter().map(inverse_root_power_of_two).collect();
        let columns: Vec<f64> = column_max.into_iter().map(inverse_root_power_of_two).collect();
        if rows.iter().chain(&columns).all(|factor| *factor == 1.0) {
            break;
        }
        for (column, factor) in matrix.as_mut_slice().chunks_exact_mut(m.max(1)).zip(&columns) {
            for (value, row) in column.iter_mut().zip(&rows) {
                *value *= row * factor;
            }
        }
    }
}

/// The power of two nearest to $s^{-1/2}$; 1 if $s$ is zero or not finite.
pub(crate) fn inverse_root_power_of_two(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { (-0.5 * size.log2()).round().exp2() } else { 1.0 }
}

impl SingularValues {
    /// The numerical rank under the policy of this module.
    pub fn rank(&self) -> Rank {
        self.rank_against(0.0)
    }

    /// The numerical rank when the matrix is part of one whose entries have the size `reference`, so that its own
    /// largest singular value may be rounding error.
    pub fn rank_against(&self, reference: f64) -> Rank {
        let values = self.values();
        let largest = values.first().copied().unwrap_or(0.0).max(reference);
        let rounding = self.larger_dimension() as f64 * f64::EPSILON * largest;
        let dropped_at = |rank: usize| values.get(rank).copied().unwrap_or(0.0);
        // Rank zero is judged by the distance of everything from the reference.
        let kept_at = |rank: usize| if rank == 0 { largest } else { values[rank - 1] };
        let gap_at = |rank: usize| match dropped_at(rank).max(rounding) {
            0.0 => f64::INFINITY,
            dropped => kept_at(rank) / dropped,
        };
        let full = if largest == 0.0 { 0 } else { values.len() };
        let rank = (0..full)
            .filter(|&rank| dropped_at(rank) <= DROPPABLE * largest)
            .fold(full, |best, rank| if gap_at(rank) > gap_at(best) { rank } else { best });
        let clear = gap_at(rank) >= CLEAR && dropped_at(rank) <= CLEAR * rounding;
        Rank {
            rank,
            smallest_kept: if rank == 0 { f64::INFINITY } else { kept_at(rank) },
            largest_dropped: dropped_at(rank),
            gap: gap_at(rank),
            condition: if rank == 0 { 1.0 } else { largest / kept_at(rank) },
            confidence: if clear { Confidence::Clear } else { Confidence::Uncertain },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hilbert(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64)
    }

    #[test]
    fn rank_one_less_is_seen_with_its_gap() {
        let mut matrix = Matrix::from_fn(6, 6, |i, j| ((3 * i + 7 * j + i * j * (i + j)) % 11) as f64 - 5.0);
        (0..6).for_each(|i| matrix[(i, 5)] = matrix[(i, 0)] + 2.0 * matrix[(i, 1)]);
        let rank = rank(&matrix).unwrap();
        assert_eq!((rank.rank, rank.confidence), (5, Confidence::Clear));
        assert!(rank.gap > 1e12 && rank.largest_dropped < 1e-14, "{rank:?}");
    }

    #[test]
    fn scales_of_rows_and_columns_do_not_matter() {
        let matrix = Matrix::from_row_slice(3, 3, &[1e12, 2e3, 0.0, 1e-3, 5e-12, 1e-9, 0.0, 4.0, 1.0]);
        let rank = rank(&matrix).unwrap();
        assert_eq!((rank.rank, rank.confidence), (3, Confidence::Clear));
    }

    #[test]
    fn nearly_singular_is_uncertain() {
        let matrix = Matrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-9]);
        assert_eq!(rank(&matrix).unwrap().confidence, Confidence::Uncertain);
        // Hilbert's matrix of order 12: singular values down to the level of rounding without any gap.
        assert_eq!(rank(&hilbert(12)).unwrap().confidence, Confidence::Uncertain);
        assert_eq!(rank(&hilbert(4)).unwrap().rank, 4);
    }

    #[test]
    fn empty_zero_and_non_finite() {
        assert_eq!(rank(&Matrix::zeros(0, 3)).unwrap().rank, 0);
        assert_eq!(rank(&Matrix::zeros(3, 0)).unwrap().rank, 0);
        let zero = rank(&Matrix::zeros(3, 2)).unwrap();
        assert_eq!((zero.rank, zero.confidence, zero.gap), (0, Confidence::Clear, f64::INFINITY));
        let mut matrix = Matrix::identity(3);
        matrix[(2, 1)] = f64::NAN;
        assert_eq!(rank(&matrix), Err(RankError::NonFinite { row: 2, column: 1 }));
        matrix[(2, 1)] = 1e30;
        assert_eq!(rank(&matrix).unwrap().rank, 3);
    }
}
