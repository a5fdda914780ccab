//! Determinant and rank of sparse matrices over the prime field.
//!
//! In: rows as lists of (column, residue). Out: determinant or rank. Gaussian elimination; the next pivot row is one
//! with the fewest entries, and among its columns one with the fewest entries is the pivot column (a greedy form of
//! Markowitz, *Management Science* 3, 1957), so that banded and tree-like matrices fill in little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::arithmetic::{add, inv, mul, neg, sub};

/// The determinant of the $n \times n$ matrix; entries in the same place are added.
/// The result is zero for a matrix that does not have exactly $n$ rows, or has a nonzero entry beyond $n$ columns.
pub fn sparse_determinant(n: usize, rows: &[Vec<(usize, u64)>]) -> u64 {
    let mut elimination = Elimination::new(rows);
    if rows.len() != n || elimination.count.len() > n {
        return 0;
    }
    let pivots = elimination.run();
    if pivots.len() < n {
        return 0;
    }
    let mut column_of = vec![0; n];
    let mut determinant = 1;
    for pivot in &pivots {
        column_of[pivot.row] = pivot.column;
        determinant = mul(determinant, pivot.value);
    }
    if odd(&column_of) { neg(determinant) } else { determinant }
}

/// The rank of a matrix of any shape; entries in the same place are added.
pub fn sparse_rank(rows: &[Vec<(usize, u64)>]) -> usize {
    Elimination::new(rows).run().len()
}

/// Whether the permutation is odd: whether the number of its cycles of even length is odd.
fn odd(permutation: &[usize]) -> bool {
    let mut seen = vec![false; permutation.len()];
    let mut odd = false;
    for start in 0..permutation.len() {
        let (mut at, mut length) = (start, 0);
        while !std::mem::replace(&mut seen[at], true) {
            at = permutation[at];
            length += 1;
        }
        odd ^= length > 0 && length % 2 == 0;
    }
    odd
}

struct Pivot {
    row: usize,
    column: usize,
    value: u64,
}

struct Elimination {
    /// Entries of each row, ascending by column; empty once the row has been a pivot row.
    rows: Vec<Vec<(usize, u64)>>,
    /// Rows that have or had an entry in the column.
    occurs: Vec<Vec<usize>>,
    /// Number of entries of the column in rows that are still to be eliminated.
    count: Vec<usize>,
}

impl Elimination {
    fn new(rows: &[Vec<(usize, u64)>]) -> Self {
        let rows: Vec<Vec<(usize, u64)>> = rows.iter().map(|row| collected(row)).collect();
        let columns = rows.iter().filter_map(|row| row.last()).map(|&(c, _)| c + 1).max().unwrap_or(0);
        let (mut occurs, mut count) = (vec![Vec::new(); columns], vec![0; columns]);
        for (r, row) in rows.iter().enumerate() {
            for &(c, _) in row {
                occurs[c].push(r);
                count[c] += 1;
            }
        }
        Elimination { rows, occurs, count }
    }

    fn run(&mut self) -> Vec<Pivot> {
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> =
            self.rows.iter().enumerate().map(|(r, row)| Reverse((row.len(), r))).collect();
        let mut pivots = Vec::new();
        while let Some(Reverse((length, r))) = queue.pop() {
            // An entry of the queue is outdated if the length of the row has changed since.
            if length == 0 || self.rows[r].len() != length {
                continue;
            }
            let row = std::mem::take(&mut self.rows[r]);
            let Some(&(column, value)) = row.iter().min_by_key(|&&(c, _)| (self.count[c], c)) else { continue };
            for &(c, _) in &row {
                self.count[c] -= 1;
            }
            for other in std::mem::take(&mut self.occurs[column]) {
                if self.eliminate(other, &row, column, value) {
                    queue.push(Reverse((self.rows[other].len(), other)));
                }
            }
            pivots.push(Pivot { row: r, column, value });
        }
        pivots
    }

    /// Subtracts from row `r` the multiple of the pivot row that clears its entry in the column; `false` if there was
    /// none.
    fn eliminate(&mut self, r: usize, pivot: &[(usize, u64)], column: usize, value: u64) -> bool {
        let row = &self.rows[r];
        let Ok(at) = row.binary_search_by_key(&column, |&(c, _)| c) else { return false };
        let Some(inverse) = inv(value) else { return false };
        let factor = mul(row[at].1, inverse);
        let mut merged = Vec::with_capacity(row.len() + pivot.len());
        let (mut i, mut k) = (0, 0);
        while i < row.len() || k < pivot.len() {
            let left = row.get(i).map_or(usize::MAX, |e| e.0);
            let right = pivot.get(k).map_or(usize::MAX, |e| e.0);
            if left < right {
                merged.push(row[i]);
                i += 1;
            } else if right < left {
                merged.push((right, neg(mul(factor, pivot[k].1))));
                self.occurs[right].push(r);
                self.count[right] += 1;
                k += 1;
            } else {
                let entry = sub(row[i].1, mul(factor, pivot[k].1));
                if entry == 0 {
                    self.count[left] -= 1;
                } else {
                    merged.push((left, entry));
                }
                (i, k) = (i + 1, k + 1);
            }
        }
        self.rows[r] = merged;
        true
    }
}

/// The entries of a row, ascending, those in the same column added, zeros dropped.
fn collected(row: &[(usize, u64)]) -> Vec<(usize, u64)> {
    let mut entries = row.to_vec();
    entries.sort_unstable_by_key(|&(c, _)| c);
    let mut merged: Vec<(usize, u64)> = Vec::with_capacity(entries.len());
    for (c, value) in entries {
        match merged.last_mut() {
            Some(last) if last.0 == c => last.1 = add(last.1, value),
            _ => merged.push((c, value)),
        }
    }
    merged.retain(|&(_, value)| value != 0);
    merged
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{PRIME, draw};
    use super::*;

    /// The determinant by Laplace expansion along the first row.
    fn by_definition(matrix: &[Vec<u64>]) -> u64 {
        if matrix.is_empty() {
            return 1;
        }
        (0..matrix.len()).fold(0, |sum, k| {
            let minor: Vec<Vec<u64>> = matrix[1..].iter().map(|row| [&row[..k], &row[k + 1..]].concat()).collect();
            let term = mul(matrix[0][k], by_definition(&minor));
            if k % 2 == 0 { add(sum, term) } else { sub(sum, term) }
        })
    }

    #[test]
    fn small_matrices_against_the_definition() {
        for case in 0..300 {
            let n = 1 + (draw(case, &[0]) % 6) as usize;
            let entry = |r: usize, c: usize| {
                let value = draw(case, &[1, r as u64, c as u64]);
                if value.is_multiple_of(3) { value % 5 } else { 0 }
            };
            let dense: Vec<Vec<u64>> = (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect()).collect();
            let rows: Vec<Vec<(usize, u64)>> =
                dense.iter().map(|row| row.iter().copied().enumerate().collect()).collect();
            let determinant = by_definition(&dense);
            assert_eq!(sparse_determinant(n, &rows), determinant);
            assert_eq!(sparse_rank(&rows) == n, determinant != 0);
        }
    }

    #[test]
    fn dense_vandermonde() {
        let x: Vec<u64> = (0..100).map(|k| draw(3, &[k])).collect();
        let rows: Vec<Vec<(usize, u64)>> =
            x.iter().map(|&x| (0..100).map(|k| (k, super::super::arithmetic::pow(x, k as u64))).collect()).collect();
        let mut product = 1;
        for i in 0..100 {
            for j in 0..i {
                product = mul(product, sub(x[i], x[j]));
            }
        }
        assert_eq!(sparse_determinant(100, &rows), product);
    }

    #[test]
    fn second_difference_matrix() {
        // det tridiag(-1, 2, -1) = n + 1; the matrix of a long chain must not fill in.
        let n = 5000;
        let rows: Vec<Vec<(usize, u64)>> = (0..n)
            .map(|k: usize| {
                let neighbours = [k.wrapping_sub(1), k + 1].into_iter().filter(|&c| c < n).map(|c| (c, PRIME - 1));
                neighbours.chain([(k, 2)]).collect()
            })
            .collect();
        assert_eq!(sparse_determinant(n, &rows), n as u64 + 1);
        let mut short = rows.clone();
        short[17] = short[18].clone();
        assert_eq!(sparse_rank(&short), n - 1);
        assert_eq!(sparse_determinant(n, &short), 0);
    }

    #[test]
    fn shapes() {
        assert_eq!(sparse_determinant(0, &[]), 1);
        assert_eq!(sparse_determinant(2, &[vec![(0, 1)], vec![(5, 1)]]), 0);
        assert_eq!(sparse_determinant(2, &[vec![(1, 1)], vec![(0, 1)]]), PRIME - 1);
        assert_eq!(sparse_rank(&[vec![(9, 4), (9, PRIME - 4)], vec![]]), 0);
    }
}
