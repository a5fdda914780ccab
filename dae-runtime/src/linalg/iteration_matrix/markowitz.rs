//! Selection and ordering of the pivots of a sparse matrix.
//!
//! In: a pattern with typical values, of one matrix or of several that are to have their pivots in the same places.
//! Out: a [`SymbolicFactorization`] that takes little work.
//!
//! The pivot of each step has the smallest Markowitz count $(r_i - 1)(c_j - 1)$ among those entries of the shortest
//! columns that are not much smaller than the largest in their column (H. M. Markowitz, Management Sci. 3, 1957; I. S.
//! Duff, A. M. Erisman, J. K. Reid, *Direct Methods for Sparse Matrices*, 2nd ed., sect. 7.2). In systems with long
//! chains of neighbours this causes growing fill-in between pivots that lie apart; so the columns at the front of an
//! order in which neighbours are close (reverse Cuthill–McKee) are tried as well, and the order that takes less work
//! is chosen.
//!
//! As the values of a matrix change, an entry that changes its sign passes through zero. With several matrices of the
//! same pattern such entries are known, and avoided.

use std::array::from_fn;

use super::scalar::Scalar;
use super::symbolic_factorization::{Rows, SymbolicFactorization};
use crate::linalg::sparse::reverse_cuthill_mckee;
use crate::linalg::structure::Incidence;

/// A pivot is at least this fraction of the largest entry of its column.
const THRESHOLD: f64 = 0.1;
/// Number of shortest columns that are searched.
const SEARCHED: usize = 4;
/// Number of columns that are searched at the front of a given order.
const FRONT: usize = 2;
/// Smaller systems have no front worth considering.
const SMALLEST_WITH_FRONT: usize = 40;
/// Systems whose rows have, in root mean square, more than this many entries have no front worth considering.
const LONGEST_ROWS: usize = 30;

/// Row and column without a pivot: no entry left is large enough and of constant sign, or the elimination takes too
/// much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoPivot {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// The part of a matrix that remains to be eliminated.
struct Active<S, const K: usize> {
    /// Rows that have no pivot yet, by ascending column.
    rows: Vec<Vec<(usize, [S; K])>>,
    /// Rows with an entry in each column, some of which may have a pivot.
    rows_of: Vec<Vec<usize>>,
    counts: Vec<usize>,
    /// Which rows and which columns have a pivot.
    rows_done: Vec<bool>,
    columns_done: Vec<bool>,
    /// The order in which columns come to the front, if one is given, and the place in it of the first column that may
    /// lack a pivot.
    order: Option<Vec<usize>>,
    first: usize,
    /// Largest entry of each column in each matrix.
    sizes: Vec<[f64; K]>,
}

impl SymbolicFactorization {
    /// Chooses the pivots of a matrix.
    pub(super) fn of<S: Scalar>(matrix: Rows<'_>, values: &[S]) -> Result<SymbolicFactorization, NoPivot> {
        SymbolicFactorization::common(matrix, [values], usize::MAX)
    }

    /// Chooses pivots that suit several matrices with the same pattern, if there are any with which the elimination
    /// takes no more than `most_work` multiplications.
    pub(super) fn common<S: Scalar, const K: usize>(
        matrix: Rows<'_>,
        values: [&[S]; K],
        most_work: usize,
    ) -> Result<SymbolicFactorization, NoPivot> {
        let anywhere = SymbolicFactorization::among(matrix, values, None, most_work)?;
        let Some(graph) = neighbours(matrix) else { return Ok(anywhere) };
        let order = reverse_cuthill_mckee(&graph);
        SymbolicFactorization::among(matrix, values, Some(order), anywhere.work - 1).or(Ok(anywhere))
    }

    /// Chooses pivots among all columns, or those at the front of an order.
    fn among<S: Scalar, const K: usize>(
        matrix: Rows<'_>,
        values: [&[S]; K],
        order: Option<Vec<usize>>,
        most_work: usize,
    ) -> Result<SymbolicFactorization, NoPivot> {
        let mut active = Active { order, ..Active::new(matrix, values) };
        let (mut pivots, mut work) = (Vec::with_capacity(matrix.order()), 0);
        while pivots.len() < matrix.order() {
            let (row, column) = active.pivot()?;
            work += (active.counts[column] - 1) * active.rows[row].len() + 1;
            if work > most_work {
                return Err(NoPivot { row, column });
            }
            active.eliminate((row, column));
            pivots.push((row, column));
        }
        Ok(SymbolicFactorization::along(matrix, &pivots))
    }
}

/// For each column, those that share a row with it; `None` if the system is too small, or its rows are too long, for a
/// front.
fn neighbours(matrix: Rows<'_>) -> Option<Incidence> {
    let n = matrix.order();
    let rows = || (0..n).map(|i| matrix.row(i));
    if n < SMALLEST_WITH_FRONT || rows().map(|row| row.len().pow(2)).sum::<usize>() > LONGEST_ROWS.pow(2) * n {
        return None;
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n];
    for row in rows() {
        for &j in row {
            neighbours[j].extend(row.iter().copied().filter(|&other| other != j));
        }
    }
    Incidence::from_rows(n, neighbours).ok()
}

impl<S: Scalar, const K: usize> Active<S, K> {
    fn new(matrix: Rows<'_>, values: [&[S]; K]) -> Self {
        let n = matrix.order();
        let mut active = Active {
            rows: Vec::with_capacity(n),
            rows_of: vec![Vec::new(); n],
            counts: vec![0; n],
            rows_done: vec![false; n],
            columns_done: vec![false; n],
            order: None,
            first: 0,
            sizes: vec![[0.0; K]; n],
        };
        for i in 0..n {
            let places = matrix.starts[i]..matrix.starts[i + 1];
            let row: Vec<(usize, [S; K])> = places.map(|p| (matrix.columns[p], values.map(|of| of[p]))).collect();
            for (j, values) in &row {
                active.rows_of[*j].push(i);
                active.counts[*j] += 1;
                active.sizes[*j].iter_mut().zip(values).for_each(|(size, value)| *size = size.max(value.norm_1()));
            }
            active.rows.push(row);
        }
        active
    }

    /// The values of an entry in each matrix.
    fn values(&self, i: usize, j: usize) -> [S; K] {
        let row = &self.rows[i];
        row.binary_search_by_key(&j, |&(j, _)| j).map_or([S::ZERO; K], |place| row[place].1)
    }

    /// The next pivot: from the columns at the front, or the shortest ones, or, where none of these has one, from any.
    fn pivot(&mut self) -> Result<(usize, usize), NoPivot> {
        let searched = match &self.order {
            Some(order) => {
                while order.get(self.first).is_some_and(|&j| self.columns_done[j]) {
                    self.first += 1;
                }
                let front = order[self.first..].iter().copied();
                front.filter(|&j| !self.columns_done[j]).take(FRONT).collect()
            }
            None => self.shortest(),
        };
        let open = || (0..self.counts.len()).filter(|&j| !self.columns_done[j]);
        let best = |columns: &mut dyn Iterator<Item = usize>| {
            columns.filter_map(|j| self.best_in(j)).min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))
        };
        match best(&mut searched.iter().copied()).or_else(|| best(&mut open())) {
            Some((_, _, i, j)) => Ok((i, j)),
            None => {
                let row = self.rows_done.iter().position(|&done| !done).unwrap_or(0);
                Err(NoPivot { row, column: open().next().unwrap_or(0) })
            }
        }
    }

    /// The shortest columns; of equally short ones the first.
    fn shortest(&self) -> Vec<usize> {
        let mut shortest: Vec<usize> = Vec::with_capacity(SEARCHED + 1);
        for j in (0..self.counts.len()).filter(|&j| !self.columns_done[j]) {
            let place = shortest.partition_point(|&other| self.counts[other] <= self.counts[j]);
            if place < SEARCHED {
                shortest.insert(place, j);
                shortest.truncate(SEARCHED);
            }
        }
        shortest
    }

    /// Markowitz count, relative size, row and column of the best pivot in a column; `None` if none of its entries may
    /// be a pivot.
    fn best_in(&self, j: usize) -> Option<(usize, f64, usize, usize)> {
        let rows = || self.rows_of[j].iter().copied().filter(|&i| !self.rows_done[i]);
        let mut largest = [0.0_f64; K];
        for i in rows() {
            largest
                .iter_mut()
                .zip(self.values(i, j))
                .for_each(|(largest, value)| *largest = largest.max(value.norm_1()));
        }
        // A smaller entry consists of rounding errors of the elimination.
        let is_rounding = |(largest, size): (&f64, &f64)| *largest <= f64::EPSILON * size;
        if largest.iter().zip(&self.sizes[j]).any(is_rounding) {
            return None;
        }
        let candidate = |i: usize| {
            let values = self.values(i, j);
            let parts = || values.iter().zip(&largest).map(|(value, largest)| value.norm_1() / largest);
            let direction = |value: &S| value.unscale(value.norm_1());
            let first = direction(&values[0]);
            let keeps_sign = values[1..].iter().all(|value| direction(value).inner_product(first) > 0.0);
            let count = (self.rows[i].len() - 1) * (self.counts[j] - 1);
            let is_large = parts().all(|part| part >= THRESHOLD);
            (is_large && keeps_sign).then(|| (count, parts().fold(1.0, f64::min), i, j))
        };
        rows().filter_map(candidate).min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))
    }

    /// Eliminates the column of the pivot from the rows that have an entry in it.
    fn eliminate(&mut self, (i, j): (usize, usize)) {
        self.rows_done[i] = true;
        self.columns_done[j] = true;
        let pivots = self.values(i, j);
        let pivot_row = std::mem::take(&mut self.rows[i]);
        for &(column, _) in &pivot_row {
            self.counts[column] -= 1;
        }
        for other in std::mem::take(&mut self.rows_of[j]) {
            if self.rows_done[other] {
                continue;
            }
            let values = self.values(other, j);
            let factors = from_fn(|k| values[k] / pivots[k]);
            let row = std::mem::take(&mut self.rows[other]);
            self.rows[other] = self.combined(other, row, factors, &pivot_row, j);
        }
    }

    /// `row` $-$ `factors` `pivot_row` without column `j`.
    fn combined(
        &mut self,
        i: usize,
        row: Vec<(usize, [S; K])>,
        factors: [S; K],
        pivot_row: &[(usize, [S; K])],
        j: usize,
    ) -> Vec<(usize, [S; K])> {
        let mut result = Vec::with_capacity(row.len() + pivot_row.len());
        let (mut own, mut other) = (row.into_iter().peekable(), pivot_row.iter().copied().peekable());
        loop {
            let (column, value) = match (own.peek().copied(), other.peek().copied()) {
                (None, None) => return result,
                (Some(a), None) => {
                    own.next();
                    a
                }
                (Some(a), Some(b)) if a.0 < b.0 => {
                    own.next();
                    a
                }
                (Some(a), Some(b)) if a.0 == b.0 => {
                    own.next();
                    other.next();
                    (a.0, from_fn(|k| a.1[k] - factors[k] * b.1[k]))
                }
                (_, Some(b)) => {
                    other.next();
                    self.rows_of[b.0].push(i);
                    self.counts[b.0] += 1;
                    (b.0, from_fn(|k| -factors[k] * b.1[k]))
                }
            };
            if column != j {
                result.push((column, value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTS: [usize; 3] = [0, 2, 4];
    const COLUMNS: [usize; 4] = [0, 1, 0, 1];
    const ROWS: Rows<'_> = Rows { starts: &STARTS, columns: &COLUMNS };

    #[test]
    fn an_entry_that_changes_its_sign_is_no_pivot() {
        let (first, second) = ([3.0, 1.0, 1.0, 3.0], [-3.0, 1.0, 1.0, -3.0]);
        let of_first = SymbolicFactorization::of(ROWS, &first).unwrap();
        assert!(of_first.pivots.contains(&(0, 0)));
        let of_both = SymbolicFactorization::common(ROWS, [&first, &second], usize::MAX).unwrap();
        assert!(of_both.pivots.contains(&(0, 1)) && of_both.pivots.contains(&(1, 0)), "{:?}", of_both.pivots);
    }

    #[test]
    fn an_entry_that_is_small_once_is_no_pivot() {
        let (first, second) = ([3.0, -1.0, 1.0, 3.0], [0.01, -1.0, 1.0, 0.01]);
        let of_both = SymbolicFactorization::common(ROWS, [&first, &second], usize::MAX).unwrap();
        assert!(of_both.pivots.contains(&(0, 1)), "{:?}", of_both.pivots);
    }

    #[test]
    fn matrices_with_determinants_of_different_signs_have_no_common_pivots() {
        let (first, second) = ([3.0, 1.0, 1.0, 3.0], [1.0, 3.0, 3.0, 1.0]);
        assert!(SymbolicFactorization::common(ROWS, [&first, &second], usize::MAX).is_err());
    }

    #[test]
    fn work_is_limited() {
        let values = [3.0, 1.0, 1.0, 3.0];
        let work = SymbolicFactorization::of(ROWS, &values).unwrap().work;
        assert!(SymbolicFactorization::common(ROWS, [&values], work).is_ok());
        assert!(SymbolicFactorization::common(ROWS, [&values], work - 1).is_err());
    }

    #[test]
    fn tiny_columns_have_pivots_and_nan_has_none() {
        assert!(SymbolicFactorization::of(ROWS, &[3e-300, 1.0, 1e-300, 3.0]).is_ok());
        assert!(SymbolicFactorization::of(ROWS, &[f64::NAN, 1.0, 1.0, 3.0]).is_err());
    }
}
