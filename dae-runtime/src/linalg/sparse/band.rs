//! Elimination within a band.
//!
//! In: a square sparse matrix. Out: its factors in an order that keeps the entries close to the diagonal: reverse
//! Cuthill–McKee (A. George & J. W. H. Liu, *Computer Solution of Large Sparse Positive Definite Systems*, 1981, ch. 4)
//! on the pattern of $A + A^T$, after rows have been permuted so that the diagonal is not zero. Elimination with row
//! exchanges as in LAPACK's `gbtf2` (G. H. Golub & C. F. Van Loan, *Matrix Computations*, Sect. 4.3.3): a band of $p$
//! below and $q$ above the diagonal fills up to $p + q$ above.
//!
//! Chains, ladders and lines of cells have a narrow band, however long they are.

use super::SparseMatrix;
use super::error::FactorError;
use crate::linalg::structure::{Incidence, Matching};

/// Multiplications beyond which a band is too wide: a procedural macro runs unoptimised. A full matrix of order 400 is
/// within this bound.
const MAX_WORK: usize = 150_000_000;

/// $L U$ within a band, and the order of rows and columns.
#[derive(Clone, Debug)]
pub(super) struct BandFactors {
    n: usize,
    below: usize,
    above: usize,
    /// Row by row, $2p + q + 1$ entries each: column $j$ of row $i$ is at $j - i + p$.
    values: Vec<f64>,
    /// The row exchanged with row `k` at step `k`.
    exchanged: Vec<usize>,
    /// Row and column of the matrix at each place.
    row_order: Vec<usize>,
    column_order: Vec<usize>,
}

impl BandFactors {
    pub(super) fn of(matrix: &SparseMatrix) -> Result<BandFactors, FactorError> {
        let n = matrix.rows();
        let row_of = rows_for_diagonal(matrix).ok_or(FactorError::Singular)?;
        let column_order = reverse_cuthill_mckee(&symmetric_pattern(matrix, &row_of));
        let row_order: Vec<usize> = column_order.iter().map(|&column| row_of[column]).collect();
        let (row_place, column_place) = (inverse(&row_order), inverse(&column_order));
        let (mut below, mut above) = (0, 0);
        for (i, j, _) in matrix.entries() {
            below = below.max(row_place[i].saturating_sub(column_place[j]));
            above = above.max(column_place[j].saturating_sub(row_place[i]));
        }
        if n.saturating_mul(below).saturating_mul(below + above) > MAX_WORK {
            return Err(FactorError::TooLarge);
        }
        let width = 2 * below + above + 1;
        let mut values = vec![0.0; n * width];
        for (i, j, value) in matrix.entries() {
            let (i, j) = (row_place[i], column_place[j]);
            values[i * width + j + below - i] = value;
        }
        let mut factors = BandFactors { n, below, above, values, exchanged: vec![0; n], row_order, column_order };
        factors.eliminate()?;
        Ok(factors)
    }

    fn width(&self) -> usize {
        2 * self.below + self.above + 1
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * self.width() + j + self.below - i
    }

    fn eliminate(&mut self) -> Result<(), FactorError> {
        let (n, below, reach) = (self.n, self.below, self.below + self.above);
        for k in 0..n {
            let last_row = (k + below).min(n - 1);
            let mut pivot = k;
            for i in k + 1..=last_row {
                if self.values[self.at(i, k)].abs() > self.values[self.at(pivot, k)].abs() {
                    pivot = i;
                }
            }
            let size = self.values[self.at(pivot, k)];
            if size == 0.0 || !size.is_finite() {
                return Err(FactorError::Singular);
            }
            self.exchanged[k] = pivot;
            let length = (k + reach).min(n - 1) - k + 1;
            let (top, other) = (self.at(k, k), self.at(pivot, k));
            if pivot != k {
                let (head, tail) = self.values.split_at_mut(other);
                head[top..top + length].swap_with_slice(&mut tail[..length]);
            }
            for i in k + 1..=last_row {
                let start = self.at(i, k);
                if self.values[start] == 0.0 {
                    continue;
                }
                let (head, tail) = self.values.split_at_mut(start);
                let pivot_row = &head[top..top + length];
                let factor = tail[0] / pivot_row[0];
                tail[0] = factor;
                for (entry, pivot) in tail[1..length].iter_mut().zip(&pivot_row[1..]) {
                    *entry -= factor * pivot;
                }
            }
        }
        Ok(())
    }

    pub(super) fn solve(&self, b: &mut [f64]) {
        let (n, reach) = (self.n, self.below + self.above);
        let mut x: Vec<f64> = self.row_order.iter().map(|&i| b[i]).collect();
        for k in 0..n {
            x.swap(k, self.exchanged[k]);
            let known = x[k];
            for i in k + 1..=(k + self.below).min(n - 1) {
                x[i] -= self.values[self.at(i, k)] * known;
            }
        }
        for k in (0..n).rev() {
            let start = self.at(k, k);
            let length = (k + reach).min(n - 1) - k + 1;
            let row = &self.values[start..start + length];
            let sum: f64 = row[1..].iter().zip(&x[k + 1..]).map(|(entry, x)| entry * x).sum();
            x[k] = (x[k] - sum) / row[0];
        }
        for (&place, value) in self.column_order.iter().zip(x) {
            b[place] = value;
        }
    }

    pub(super) fn solve_transposed(&self, b: &mut [f64]) {
        let (n, reach) = (self.n, self.below + self.above);
        let mut x: Vec<f64> = self.column_order.iter().map(|&j| b[j]).collect();
        for k in 0..n {
            let start = self.at(k, k);
            let length = (k + reach).min(n - 1) - k + 1;
            let row = &self.values[start..start + length];
            x[k] /= row[0];
            let known = x[k];
            for (x, entry) in x[k + 1..].iter_mut().zip(&row[1..]) {
                *x -= entry * known;
            }
        }
        for k in (0..n).rev() {
            let below = k + 1..=(k + self.below).min(n - 1);
            let sum: f64 = below.map(|i| self.values[self.at(i, k)] * x[i]).sum();
            x[k] -= sum;
            x.swap(k, self.exchanged[k]);
        }
        for (&place, value) in self.row_order.iter().zip(x) {
            b[place] = value;
        }
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (k, &index) in order.iter().enumerate() {
        place[index] = k;
    }
    place
}

/// For each column a row with an entry in it: its own if the diagonal is complete, that of a matching otherwise; `None`
/// if there is no such matching.
fn rows_for_diagonal(matrix: &SparseMatrix) -> Option<Vec<usize>> {
    let n = matrix.rows();
    if (0..n).all(|i| matrix.row(i).any(|(j, _)| j == i)) {
        return Some((0..n).collect());
    }
    let transversal = Matching::maximum(&matrix.pattern()).transversal()?;
    Some((0..n).map(|column| transversal.equation_of(column)).collect())
}

/// The pattern of $A + A^T$ without the diagonal, where the rows of $A$ are in the order `row_of`.
fn symmetric_pattern(matrix: &SparseMatrix, row_of: &[usize]) -> Incidence {
    let column_of = inverse(row_of);
    let n = matrix.rows();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, j, _) in matrix.entries() {
        let i = column_of[i];
        if i != j {
            neighbours[i].push(j);
            neighbours[j].push(i);
        }
    }
    Incidence::from_rows(n, neighbours).unwrap_or_else(|_| Incidence::without_equations(n))
}

/// Nodes in an order in which neighbours are close to each other.
pub(crate) fn reverse_cuthill_mckee(graph: &Incidence) -> Vec<usize> {
    let n = graph.equations();
    let degree = |node: usize| graph.row(node).len();
    let mut by_degree: Vec<usize> = (0..n).collect();
    by_degree.sort_by_key(|&node| (degree(node), node));
    let mut place = vec![usize::MAX; n];
    let mut order: Vec<usize> = Vec::with_capacity(n);
    let (mut seen, mut searches) = (vec![0; n], 0);
    for root in by_degree {
        if place[root] != usize::MAX {
            continue;
        }
        let mut next = order.len();
        let root = peripheral(graph, root, &mut seen, &mut searches);
        place[root] = next;
        order.push(root);
        while let Some(&node) = order.get(next) {
            next += 1;
            let first = order.len();
            for &neighbour in graph.row(node) {
                if place[neighbour] == usize::MAX {
                    place[neighbour] = order.len();
                    order.push(neighbour);
                }
            }
            order[first..].sort_by_key(|&neighbour| (degree(neighbour), neighbour));
        }
    }
    order.reverse();
    order
}

/// A node far from the middle of its component: the end of breadth-first searches, repeated while they get deeper.
fn peripheral(graph: &Incidence, start: usize, seen: &mut [usize], searches: &mut usize) -> usize {
    const SEARCHES: usize = 4;
    let (mut root, mut depth) = (start, 0);
    for _ in 0..SEARCHES {
        // What this search has seen carries its number.
        *searches += 1;
        seen[root] = *searches;
        let mut level = vec![root];
        let mut deepest = 0;
        loop {
            let mut next = Vec::new();
            for &neighbour in level.iter().flat_map(|&node| graph.row(node)) {
                if seen[neighbour] != *searches {
                    seen[neighbour] = *searches;
                    next.push(neighbour);
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
            deepest += 1;
        }
        if deepest <= depth {
            break;
        }
        depth = deepest;
        root = level.into_iter().min_by_key(|&node| (graph.row(node).len(), node)).unwrap_or(root);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_any_order_gets_bandwidth_one() {
        // Nodes 0, 5, 1, 6, 2, 7, 3, 8, 4 along the path.
        let path = [0, 5, 1, 6, 2, 7, 3, 8, 4];
        let mut rows = vec![Vec::new(); 9];
        for pair in path.windows(2) {
            rows[pair[0]].push(pair[1]);
            rows[pair[1]].push(pair[0]);
        }
        let order = reverse_cuthill_mckee(&Incidence::from_rows(9, rows).unwrap());
        assert!(order == path || order.iter().rev().eq(&path), "{order:?}");
    }

    #[test]
    fn a_zero_diagonal_is_no_obstacle() {
        // Anti-diagonal plus a few entries.
        let entries = [(0, 3, 2.0), (1, 2, 1.0), (2, 1, 4.0), (3, 0, -1.0), (0, 1, 1.0), (2, 3, 0.5)];
        let matrix = SparseMatrix::from_entries(4, 4, entries);
        let factors = BandFactors::of(&matrix).unwrap();
        let x = [1.0, -2.0, 0.5, 3.0];
        let mut b = matrix.times(&x);
        factors.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
        let mut b = matrix.transposed_times(&x);
        factors.solve_transposed(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
    }

    #[test]
    fn a_wide_band_is_refused() {
        // An arrow: 3000 rows that all meet in one are no band at all.
        let n = 3000;
        let arrow = (0..n).flat_map(|i| [(i, i, 2.0), (0, i, 1.0), (i, 0, 1.0)]);
        let matrix = SparseMatrix::from_entries(n, n, arrow);
        assert_eq!(BandFactors::of(&matrix).unwrap_err(), FactorError::TooLarge);
    }
}
