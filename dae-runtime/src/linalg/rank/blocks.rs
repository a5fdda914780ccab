//! Ranks of leading groups of columns by one orthogonal decomposition.
//!
//! In: a dense matrix $(A_1, A_2, \dots)$ of column blocks. Out: the ranks of $A_1$, $(A_1, A_2)$, … with the gaps that
//! support them.
//!
//! Householder's decomposition with column pivoting (Golub & Van Loan, *Matrix Computations*, sect. 5.4), pivots of a
//! block being exhausted before the next block is touched: the rest of a block then lies in the rows already used, so
//! that the number of pivots so far is the rank of the blocks so far. It costs a fraction of a singular value
//! decomposition; the pivots overestimate the smallest singular value kept, and the remaining column norms bound the
//! dropped ones up to a modest factor.

use crate::linalg::matrix::Matrix;
use crate::linalg::vector::norm;

use super::error::{RankError, check_finite};
use super::{CLEAR, Confidence, DROPPABLE, EQUILIBRATION_SWEEPS, Rank, inverse_root_power_of_two};

/// The ranks of the first block, the first two, … after scaling of rows and columns; `widths` are the numbers of
/// columns of the blocks.
pub fn block_ranks(matrix: &Matrix, widths: &[usize]) -> Result<Vec<Rank>, RankError> {
    block_ranks_scaled_by(matrix, matrix, widths)
}

/// The ranks of the first block, the first two, … with the scaling that suits `reference`: entries known to be nothing
/// but rounding errors are zero there, and a row or column of them keeps its size, so that they are dropped rather than
/// blown up.
pub fn block_ranks_scaled_by(matrix: &Matrix, reference: &Matrix, widths: &[usize]) -> Result<Vec<Rank>, RankError> {
    check_finite(matrix)?;
    check_finite(reference)?;
    let (rows, factors) = scaling(reference);
    let scaled = Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| matrix[(i, j)] * rows[i] * factors[j]);
    let (m, n) = (scaled.rows(), scaled.columns());
    let mut columns: Vec<Vec<f64>> = (0..n).map(|j| scaled.column(j).to_vec()).collect();
    let mut state =
        State { used: 0, smallest_kept: f64::INFINITY, largest_dropped: 0.0, largest: scaled.largest_entry() };
    let mut ranks = Vec::with_capacity(widths.len());
    let mut first = 0;
    for &width in widths {
        let end = (first + width).min(n);
        state.exhaust(&mut columns, first, end, m);
        ranks.push(state.rank(m.max(n)));
        first = end;
    }
    Ok(ranks)
}

/// Powers of two for rows and columns that bring the largest entry of each to about 1; 1 for those of zeros.
fn scaling(matrix: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (m, n) = (matrix.rows(), matrix.columns());
    let (mut rows, mut columns) = (vec![1.0; m], vec![1.0; n]);
    for _ in 0..EQUILIBRATION_SWEEPS {
        let (mut row_max, mut column_max) = (vec![0.0_f64; m], vec![0.0_f64; n]);
        for (j, column) in matrix.as_slice().chunks_exact(m.max(1)).enumerate() {
            for (i, value) in column.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let size = (value * rows[i] * columns[j]).abs();
                row_max[i] = row_max[i].max(size);
                column_max[j] = column_max[j].max(size);
            }
        }
        rows.iter_mut().zip(row_max).for_each(|(factor, size)| *factor *= inverse_root_power_of_two(size));
        columns.iter_mut().zip(column_max).for_each(|(factor, size)| *factor *= inverse_root_power_of_two(size));
    }
    (rows, columns)
}

struct State {
    /// Pivots so far.
    used: usize,
    smallest_kept: f64,
    largest_dropped: f64,
    /// The largest entry or column norm seen: a block that is small throughout must not be measured against itself.
    largest: f64,
}

impl State {
    /// Takes pivots from the columns `first..end`, and gives up those after the largest gap if they may be dropped.
    fn exhaust(&mut self, columns: &mut [Vec<f64>], first: usize, end: usize, m: usize) {
        let (before, mut next) = (self.used, first);
        let mut pivots: Vec<f64> = Vec::new();
        let rest = loop {
            let norms: Vec<f64> = columns[next..end].iter().map(|column| norm(&column[self.used.min(m)..])).collect();
            let (offset, size) =
                norms.iter().enumerate().fold((0, 0.0), |best, (k, &s)| if s > best.1 { (k, s) } else { best });
            self.largest = self.largest.max(size);
            if next == end || self.used == m || size <= self.rounding(m.max(columns.len())) {
                break size;
            }
            pivots.push(size);
            columns.swap(next, next + offset);
            reflect(columns, next, self.used);
            self.used += 1;
            next += 1;
        };
        let droppable = DROPPABLE * self.largest;
        let rounding = self.rounding(m.max(columns.len()));
        let value = |k: usize| pivots.get(k).copied().unwrap_or(rest);
        let above = |k: usize| if k == 0 { self.smallest_kept.min(self.largest) } else { pivots[k - 1] };
        let gap = |k: usize| above(k) / value(k).max(rounding);
        let all = pivots.len();
        let cut =
            (0..all).filter(|&k| value(k) <= droppable).fold(all, |best, k| if gap(k) > gap(best) { k } else { best });
        self.used = before + cut;
        self.smallest_kept = pivots[..cut].iter().fold(self.smallest_kept, |least, &size| least.min(size));
        self.largest_dropped = self.largest_dropped.max(value(cut));
    }

    fn rounding(&self, larger_dimension: usize) -> f64 {
        larger_dimension as f64 * f64::EPSILON * self.largest
    }

    fn rank(&self, larger_dimension: usize) -> Rank {
        let rounding = self.rounding(larger_dimension);
        let kept = if self.used == 0 { self.largest } else { self.smallest_kept };
        let dropped = self.largest_dropped.max(rounding);
        let gap = if dropped == 0.0 { f64::INFINITY } else { kept / dropped };
        let clear = gap >= CLEAR && self.largest_dropped <= CLEAR * rounding;
        Rank {
            rank: self.used,
            smallest_kept: self.smallest_kept,
            largest_dropped: self.largest_dropped,
            gap: if self.used == 0 && self.largest_dropped == 0.0 { f64::INFINITY } else { gap },
            condition: if self.used == 0 { 1.0 } else { self.largest / kept },
            confidence: if clear || self.largest == 0.0 { Confidence::Clear } else { Confidence::Uncertain },
        }
    }
}

/// Reflects all columns from `pivot` on so that the pivot column vanishes below row `row`.
fn reflect(columns: &mut [Vec<f64>], pivot: usize, row: usize) {
    let (head, tail) = columns.split_at_mut(pivot + 1);
    let column = &mut head[pivot];
    let alpha = if column[row] > 0.0 { -norm(&column[row..]) } else { norm(&column[row..]) };
    column[row] -= alpha;
    let direction = column[row..].to_vec();
    let square: f64 = direction.iter().map(|x| x * x).sum();
    for other in tail {
        let part = &mut other[row..];
        let product: f64 = direction.iter().zip(part.iter()).map(|(a, b)| a * b).sum();
        if product != 0.0 {
            let factor = 2.0 * product / square;
            part.iter_mut().zip(&direction).for_each(|(value, d)| *value -= factor * d);
        }
    }
    column[row..].fill(0.0);
    column[row] = alpha;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_leading_blocks() {
        // The second block adds one direction to the first, the third none.
        let matrix = Matrix::from_row_slice(
            4,
            6,
            &[
                1.0, 2.0, 0.0, 1.0, 3.0, 5.0, //
                2.0, 4.0, 0.0, 2.0, 6.0, 10.0, //
                0.0, 0.0, 1.0, 1.0, 1.0, 2.0, //
                0.0, 0.0, 2.0, 2.0, 2.0, 4.0,
            ],
        );
        let ranks = block_ranks(&matrix, &[2, 2, 2]).unwrap();
        assert_eq!(ranks.iter().map(|r| r.rank).collect::<Vec<_>>(), [1, 2, 2]);
        assert!(ranks.iter().all(|r| r.confidence == Confidence::Clear && r.gap > 1e12), "{ranks:?}");
    }

    #[test]
    fn they_agree_with_singular_values() {
        let matrix = Matrix::from_fn(9, 12, |i, j| ((5 * i + 3 * j + i * i * j) % 7) as f64 - 3.0);
        let ranks = block_ranks(&matrix, &[4, 3, 5]).unwrap();
        for (rank, end) in ranks.iter().zip([4, 7, 12]) {
            assert_eq!(rank.rank, super::super::rank(&matrix.select_columns(&Vec::from_iter(0..end))).unwrap().rank);
        }
    }

    #[test]
    fn what_is_rounding_is_not_blown_up() {
        let matrix = Matrix::from_row_slice(2, 2, &[1.0, 2.0, 1e-17, 3e-17]);
        let certain = Matrix::from_row_slice(2, 2, &[1.0, 2.0, 0.0, 0.0]);
        let rank = block_ranks_scaled_by(&matrix, &certain, &[2]).unwrap()[0];
        assert_eq!((rank.rank, rank.confidence), (1, Confidence::Clear));
        assert_eq!(block_ranks(&matrix, &[2]).unwrap()[0].rank, 2);
        let rank = block_ranks_scaled_by(&Matrix::from_row_slice(2, 2, &[1.0, 2.0, 1e-10, 3e-10]), &certain, &[2]);
        assert_eq!(rank.unwrap()[0].confidence, Confidence::Uncertain);
    }

    #[test]
    fn no_gap_is_uncertain_and_nothing_is_clear() {
        let hilbert = Matrix::from_fn(12, 12, |i, j| 1.0 / (i + j + 1) as f64);
        assert_eq!(block_ranks(&hilbert, &[12]).unwrap()[0].confidence, Confidence::Uncertain);
        let zero = block_ranks(&Matrix::zeros(3, 2), &[1, 1]).unwrap();
        assert!(zero.iter().all(|r| r.rank == 0 && r.confidence == Confidence::Clear && r.gap == f64::INFINITY));
        assert!(block_ranks(&Matrix::zeros(0, 3), &[2, 1]).unwrap().iter().all(|r| r.rank == 0));
    }
}
