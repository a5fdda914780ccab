//! In which order a sparse matrix is eliminated.
//!
//! In: a pattern with values of the size that they will have. Out: a [`Sequence`] of pivots and the pattern of the factors, for all matrices with that
//! pattern.
//!
//! The pivot of each step has the smallest Markowitz count $(r_i - 1)(c_j - 1)$ among the entries of the shortest columns that are not much smaller than the
//! largest of their column (H. M. Markowitz, Management Sci. 3, 1957; I. S. Duff, A. M. Erisman, J. K. Reid, *Direct Methods for Sparse Matrices*, 2nd ed.,
//! sect. 7.2). In systems with long chains of neighbours that leaves more and more between pivots that lie apart; so it is also tried with the columns at the front of
//! an order in which neighbours are close (reverse Cuthill–McKee), and what takes less work counts. With the sequence fixed, factors of other values need no search and no new storage (`sparse.rs`).

use super::Scalar;
use crate::sparse::reverse_cuthill_mckee;
use crate::structure::Incidence;

/// A pivot is at least this part of the largest entry of its column.
const THRESHOLD: f64 = 0.1;
/// So many of the shortest columns are searched.
const SEARCHED: usize = 4;
/// At the front so many are.
const FRONT: usize = 2;
/// Smaller systems have no front worth the name.
const SMALLEST_WITH_FRONT: usize = 40;
/// Rows that bind so many unknowns to one another, on average, leave none either.
const LONGEST_ROWS: usize = 30;

/// A square matrix by compressed rows, to be read.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, S> {
    pub(super) starts: &'a [usize],
    pub(super) columns: &'a [usize],
    pub(super) values: &'a [S],
}

/// Row and column without a pivot: all that is left of either is rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoPivot {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// Pivots, and the patterns of $L$ and $U$ row by row, in the numbering of the pivots.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    /// Row and column of each pivot.
    pub(super) row: Vec<usize>,
    pub(super) column: Vec<usize>,
    /// Where entries of the matrix go: position in its values, and column.
    pub(super) entry_starts: Vec<usize>,
    pub(super) entries: Vec<(usize, usize)>,
    /// Columns of $L$ before the diagonal, ascending.
    pub(super) lower_starts: Vec<usize>,
    pub(super) lower: Vec<usize>,
    /// Columns of $U$ after the diagonal.
    pub(super) upper_starts: Vec<usize>,
    pub(super) upper: Vec<usize>,
    /// Multiplications of a factorisation.
    pub(super) work: usize,
}

/// What is left of a matrix while it is eliminated.
struct Active<S> {
    /// Rows that have no pivot yet, by ascending column; of the others what they were when they became pivot rows.
    rows: Vec<Vec<(usize, S)>>,
    /// Rows with an entry in each column, of which some may have a pivot.
    rows_of: Vec<Vec<usize>>,
    counts: Vec<usize>,
    /// Number of the pivot of a row and of a column.
    pivot_of_row: Vec<Option<usize>>,
    pivot_of_column: Vec<Option<usize>>,
    /// Columns in the order in which they come to the front, if there is one, and the first of them that may be without a pivot.
    order: Option<Vec<usize>>,
    first: usize,
    /// Largest entries of the columns of the matrix.
    sizes: Vec<f64>,
    /// Columns of $L$ in each row.
    lower: Vec<Vec<usize>>,
}

impl Sequence {
    /// Chooses the pivots.
    pub(super) fn of<S: Scalar>(matrix: Rows<'_, S>) -> Result<Sequence, NoPivot> {
        let anywhere = Sequence::among(matrix, None)?;
        match neighbours(matrix) {
            None => Ok(anywhere),
            Some(graph) => match Sequence::among(matrix, Some(reverse_cuthill_mckee(&graph))) {
                Ok(at_front) if at_front.work < anywhere.work => Ok(at_front),
                _ => Ok(anywhere),
            },
        }
    }

    /// Chooses them among all columns, or those at the front of an order.
    fn among<S: Scalar>(matrix: Rows<'_, S>, order: Option<Vec<usize>>) -> Result<Sequence, NoPivot> {
        let n = matrix.starts.len() - 1;
        let mut active = Active { order, ..Active::new(matrix) };
        let (mut row, mut column) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for k in 0..n {
            let (i, j) = active.pivot()?;
            active.eliminate(k, i, j);
            row.push(i);
            column.push(j);
        }
        Ok(active.sequence(matrix, row, column))
    }
}

/// Columns that meet in a row, if there are few of them.
fn neighbours<S>(matrix: Rows<'_, S>) -> Option<Incidence> {
    let n = matrix.starts.len() - 1;
    let rows = || (0..n).map(|i| &matrix.columns[matrix.starts[i]..matrix.starts[i + 1]]);
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

impl<S: Scalar> Active<S> {
    fn new(matrix: Rows<'_, S>) -> Self {
        let n = matrix.starts.len() - 1;
        let mut active = Active {
            rows: Vec::with_capacity(n),
            rows_of: vec![Vec::new(); n],
            counts: vec![0; n],
            pivot_of_row: vec![None; n],
            pivot_of_column: vec![None; n],
            order: None,
            first: 0,
            sizes: vec![0.0; n],
            lower: vec![Vec::new(); n],
        };
        for i in 0..n {
            let range = matrix.starts[i]..matrix.starts[i + 1];
            let row: Vec<(usize, S)> = range.map(|p| (matrix.columns[p], matrix.values[p])).collect();
            for &(j, value) in &row {
                active.rows_of[j].push(i);
                active.counts[j] += 1;
                active.sizes[j] = active.sizes[j].max(value.norm1());
            }
            active.rows.push(row);
        }
        active
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        let row = &self.rows[i];
        row.binary_search_by_key(&j, |&(j, _)| j).map_or(0.0, |place| row[place].1.norm1())
    }

    /// The next pivot: from the columns at the front, or the shortest ones, or, where none of these has one, from any.
    fn pivot(&mut self) -> Result<(usize, usize), NoPivot> {
        let searched = match &self.order {
            Some(order) => {
                while order.get(self.first).is_some_and(|&j| self.pivot_of_column[j].is_some()) {
                    self.first += 1;
                }
                let front = order[self.first..].iter().copied();
                front.filter(|&j| self.pivot_of_column[j].is_none()).take(FRONT).collect()
            }
            None => self.shortest(),
        };
        let open = || (0..self.counts.len()).filter(|&j| self.pivot_of_column[j].is_none());
        let best = |columns: &mut dyn Iterator<Item = usize>| {
            columns.filter_map(|j| self.best_in(j)).min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))
        };
        match best(&mut searched.iter().copied()).or_else(|| best(&mut open())) {
            Some((_, _, i, j)) => Ok((i, j)),
            None => {
                let row = self.pivot_of_row.iter().position(Option::is_none).unwrap_or(0);
                Err(NoPivot { row, column: open().next().unwrap_or(0) })
            }
        }
    }

    /// The shortest columns, the first of them among equals.
    fn shortest(&self) -> Vec<usize> {
        let mut shortest: Vec<usize> = Vec::with_capacity(SEARCHED + 1);
        for j in (0..self.counts.len()).filter(|&j| self.pivot_of_column[j].is_none()) {
            let place = shortest.partition_point(|&other| self.counts[other] <= self.counts[j]);
            if place < SEARCHED {
                shortest.insert(place, j);
                shortest.truncate(SEARCHED);
            }
        }
        shortest
    }

    /// Markowitz count, relative size, row and column of the best pivot in a column.
    fn best_in(&self, j: usize) -> Option<(usize, f64, usize, usize)> {
        let rows = || self.rows_of[j].iter().copied().filter(|&i| self.pivot_of_row[i].is_none());
        let largest = rows().map(|i| self.value(i, j)).fold(0.0, f64::max);
        // Below this it consists of rounding errors of the elimination.
        if largest.is_nan() || largest <= f64::EPSILON * self.sizes[j] {
            return None;
        }
        let candidate = |i: usize| {
            let part = self.value(i, j) / largest;
            (part >= THRESHOLD).then(|| ((self.rows[i].len() - 1) * (self.counts[j] - 1), part, i, j))
        };
        rows().filter_map(candidate).min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))
    }

    /// Step `k`: rows with an entry in the pivot column become what is left of them.
    fn eliminate(&mut self, k: usize, i: usize, j: usize) {
        self.pivot_of_row[i] = Some(k);
        self.pivot_of_column[j] = Some(k);
        let pivot_row = std::mem::take(&mut self.rows[i]);
        for &(column, _) in &pivot_row {
            self.counts[column] -= 1;
        }
        let inverse = pivot_row.iter().find(|&&(column, _)| column == j).map_or_else(S::zero, |&(_, p)| S::one() / p);
        for other in std::mem::take(&mut self.rows_of[j]) {
            if self.pivot_of_row[other].is_some() {
                continue;
            }
            let row = std::mem::take(&mut self.rows[other]);
            let factor = row.iter().find(|&&(column, _)| column == j).map_or_else(S::zero, |&(_, v)| v * inverse);
            self.lower[other].push(k);
            self.rows[other] = self.combined(other, row, factor, &pivot_row, j);
        }
        self.rows[i] = pivot_row;
    }

    /// `row` $-$ `factor` `pivot_row` without column `j`.
    fn combined(
        &mut self,
        i: usize,
        row: Vec<(usize, S)>,
        factor: S,
        pivot_row: &[(usize, S)],
        j: usize,
    ) -> Vec<(usize, S)> {
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
                    (a.0, a.1 - factor * b.1)
                }
                (_, Some(b)) => {
                    other.next();
                    self.rows_of[b.0].push(i);
                    self.counts[b.0] += 1;
                    (b.0, -factor * b.1)
                }
            };
            if column != j {
                result.push((column, value));
            }
        }
    }

    /// Everything in the numbering of the pivots.
    fn sequence(self, matrix: Rows<'_, S>, row: Vec<usize>, column: Vec<usize>) -> Sequence {
        let n = row.len();
        let place = |j: usize| self.pivot_of_column[j].unwrap_or(0);
        let (mut entries, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
        let (mut entry_starts, mut lower_starts, mut upper_starts) = (vec![0], vec![0], vec![0]);
        for &i in &row {
            entries.extend((matrix.starts[i]..matrix.starts[i + 1]).map(|p| (p, place(matrix.columns[p]))));
            entry_starts.push(entries.len());
            lower.extend_from_slice(&self.lower[i]);
            lower_starts.push(lower.len());
            let pivot = self.pivot_of_row[i];
            let mut of_row: Vec<usize> =
                self.rows[i].iter().map(|&(j, _)| place(j)).filter(|&k| Some(k) != pivot).collect();
            of_row.sort_unstable();
            upper.extend(of_row);
            upper_starts.push(upper.len());
        }
        let length = |k: usize| upper_starts[k + 1] - upper_starts[k] + 1;
        let work = lower.iter().map(|&k| length(k)).sum::<usize>() + n;
        Sequence { row, column, entry_starts, entries, lower_starts, lower, upper_starts, upper, work }
    }
}
