//! The step of least change for a derivative array.
//!
//! In: the rows of a matrix $B$, a right-hand side $b$, and which columns cost nothing to move. Out: $z$ with $B z = b$
//! as far as the rows allow, with the costly part as small as possible, and then the free part.
//!
//! The rows of an array need not be independent (redundant equations), and nearly all columns are free: derivatives
//! without given values. So the rows that the free columns $B_F$ can satisfy are found by a pivoted decomposition
//! $B_F^\top \Pi = Q R$ (Golub & Van Loan, *Matrix Computations*, sect. 5.4); the others, $B_N$, are $C B_P$ in the
//! free columns with $C^\top = R_{PP}^{-1} R_{PN}$, and leave $(B_N - C B_P) z = b_N - C b_P$, few rows, for the costly
//! columns. Then $z_F = Q R_{PP}^{-\top} (b_P - B_P z)$.

use dae_runtime::matrix::Matrix;
use dae_runtime::rank::SingularValues;

/// Entries of the rows are at most this.
const REFERENCE: f64 = 1.0;

/// A sparse row: column and value.
pub(super) type SparseRow = Vec<(usize, f64)>;

/// A step, and the residual in directions that no column reaches.
pub(super) struct Step {
    /// The step, by column.
    pub(super) z: Vec<f64>,
    /// The residual that no column reaches, by row.
    pub(super) unreached: Vec<f64>,
}

/// A matrix prepared for steps with several right-hand sides.
pub(super) struct Prepared<'a> {
    rows: &'a [SparseRow],
    columns: usize,
    factors: Factors,
    /// $C$, row by row of $N$.
    combinations: Vec<Vec<f64>>,
    /// $B_N - C B_P$.
    reduced: Matrix,
    /// The columns of the reduced matrix that are not zero.
    used: Vec<usize>,
    /// The decomposition of these columns, transposed, which is cheaper for few rows. `None` if there are none.
    decomposition: Option<SingularValues>,
}

impl<'a> Prepared<'a> {
    /// Prepares the matrix; `None` if the decomposition of the reduced rows fails.
    pub(super) fn new(rows: &'a [SparseRow], columns: usize, is_free: &[bool], able: f64) -> Option<Self> {
        let factors = Factors::new(rows, columns, |j| is_free[j], able);
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
        let decomposition = match used.is_empty() {
            true => None,
            false => Some(SingularValues::of(&reduced.select_columns(&used).transpose()).ok()?),
        };
        Some(Prepared { rows, columns, factors, combinations, reduced, used, decomposition })
    }

    /// Solves for the step.
    pub(super) fn step(&self, b: &[f64]) -> Step {
        let factors = &self.factors;
        let rest = &factors.order[factors.rank..];
        let mut z = vec![0.0; self.columns];
        let mut unreached = vec![0.0; b.len()];
        let right: Vec<f64> = rest
            .iter()
            .zip(&self.combinations)
            .map(|(&i, combination)| b[i] - factors.order.iter().zip(combination).map(|(&p, c)| c * b[p]).sum::<f64>())
            .collect();
        if let Some(decomposition) = &self.decomposition {
            let found = decomposition.least_norm_transposed(decomposition.rank_against(REFERENCE).rank, &right);
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
        Step { z, unreached }
    }
}

/// Rows that are combinations of others: each with its combination, `(row, coefficient)`, including the row itself with
/// coefficient $-1$. A row that is closer than `dependent` to a combination of others, measured by its largest entry, counts as one.
pub(super) fn dependencies(rows: &[SparseRow], columns: usize, dependent: f64) -> Vec<Vec<(usize, f64)>> {
    let size = |row: &SparseRow| row.iter().fold(0.0_f64, |size, &(_, x)| size.max(x.abs()));
    let sizes: Vec<f64> = rows.iter().map(|row| Some(size(row)).filter(|&s| s > 0.0).unwrap_or(1.0)).collect();
    let scaled: Vec<SparseRow> =
        rows.iter().zip(&sizes).map(|(row, size)| row.iter().map(|&(j, x)| (j, x / size)).collect()).collect();
    let factors = Factors::new(&scaled, columns, |_| true, dependent);
    (factors.rank..rows.len())
        .map(|k| {
            let own = factors.order[k];
            let others = factors.order.iter().copied().zip(factors.combination(k));
            let relative = others.map(|(p, c)| (p, c * sizes[own] / sizes[p]));
            relative.filter(|(_, c)| c.abs() > dependent).chain([(own, -1.0)]).collect()
        })
        .collect()
}

/// $B_F^\top \Pi = Q R$.
struct Factors {
    /// The free columns that occur.
    free: Vec<usize>,
    /// Rows of $B$ in the order of the pivots.
    order: Vec<usize>,
    rank: usize,
    /// $R$ above the diagonal, column by column; below it, in the first `rank` columns, the reflections.
    columns: Vec<Vec<f64>>,
    /// Diagonal of $R$.
    diagonal: Vec<f64>,
}

impl Factors {
    fn new(rows: &[SparseRow], count: usize, is_free: impl Fn(usize) -> bool, threshold: f64) -> Factors {
        let mut place = vec![usize::MAX; count];
        let mut free = Vec::new();
        for &(j, value) in rows.iter().flatten() {
            if is_free(j) && value != 0.0 && place[j] == usize::MAX {
                place[j] = free.len();
                free.push(j);
            }
        }
        let mut columns: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let mut column = vec![0.0; free.len()];
                row.iter().filter(|&&(j, v)| is_free(j) && v != 0.0).for_each(|&(j, value)| column[place[j]] += value);
                column
            })
            .collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut norms: Vec<f64> = columns.iter().map(|column| squared(column)).collect();
        let mut diagonal = Vec::new();
        for k in 0..rows.len().min(free.len()) {
            let best = (k..rows.len()).fold(k, |best, i| if norms[i] > norms[best] { i } else { best });
            // Norms are updated, and recomputed where it matters.
            norms[best] = squared(&columns[best][k..]);
            let again = (k..rows.len()).fold(k, |best, i| if norms[i] > norms[best] { i } else { best });
            if again != best {
                norms[again] = squared(&columns[again][k..]);
            }
            if norms[again].sqrt() <= threshold {
                break;
            }
            columns.swap(k, again);
            order.swap(k, again);
            norms.swap(k, again);
            diagonal.push(reflect(&mut columns, &mut norms, k));
        }
        Factors { free, order, rank: diagonal.len(), columns, diagonal }
    }

    /// The row at place `k` of the order as a combination of the first `rank` ones, in the free columns: $R_{PP}\, c = R_{P k}$.
    fn combination(&self, k: usize) -> Vec<f64> {
        let mut c = self.columns[k][..self.rank].to_vec();
        for i in (0..self.rank).rev() {
            c[i] /= self.diagonal[i];
            let ci = c[i];
            if ci != 0.0 {
                c[..i].iter_mut().zip(&self.columns[i][..i]).for_each(|(x, r)| *x -= r * ci);
            }
        }
        c
    }

    /// Adds $Q R_{PP}^{-\top} b$ to the free columns of $z$.
    fn least_norm(&self, b: &[f64], z: &mut [f64]) {
        let mut y = vec![0.0; self.free.len()];
        for i in 0..self.rank {
            let known: f64 = self.columns[i][..i].iter().zip(&y).map(|(r, y)| r * y).sum();
            y[i] = (b[i] - known) / self.diagonal[i];
        }
        for k in (0..self.rank).rev() {
            let direction = &self.columns[k][k..];
            let product: f64 = direction.iter().zip(&y[k..]).map(|(d, y)| d * y).sum();
            let factor = 2.0 * product / squared(direction);
            y[k..].iter_mut().zip(direction).for_each(|(y, d)| *y -= factor * d);
        }
        self.free.iter().zip(y).for_each(|(&j, y)| z[j] += y);
    }
}

fn squared(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// Reflects the columns after `k` so that column `k` would vanish below row `k`; keeps the direction there and returns
/// the diagonal entry.
fn reflect(columns: &mut [Vec<f64>], norms: &mut [f64], k: usize) -> f64 {
    let (head, tail) = columns.split_at_mut(k + 1);
    let column = &mut head[k];
    let size = squared(&column[k..]).sqrt();
    let alpha = if column[k] > 0.0 { -size } else { size };
    column[k] -= alpha;
    let direction = &column[k..];
    let square = squared(direction);
    for (other, norm) in tail.iter_mut().zip(&mut norms[k + 1..]) {
        let part = &mut other[k..];
        let product: f64 = direction.iter().zip(part.iter()).map(|(a, b)| a * b).sum();
        if product != 0.0 {
            let factor = 2.0 * product / square;
            part.iter_mut().zip(direction).for_each(|(value, d)| *value -= factor * d);
        }
        *norm = (*norm - part[0] * part[0]).max(0.0);
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rows: &[SparseRow], columns: usize, is_free: &[bool], b: &[f64]) -> Option<Step> {
        Some(Prepared::new(rows, columns, is_free, 1e-3)?.step(b))
    }

    #[test]
    fn free_columns_take_the_whole_change_and_costly_ones_share_the_rest() {
        // The first row is beyond the free column; the second is left to it.
        let rows = vec![vec![(0, 1.0), (1, 1.0)], vec![(0, 1.0), (2, 0.5)]];
        let found = step(&rows, 3, &[false, false, true], &[2.0, 0.0]).unwrap();
        for (x, expected) in found.z.iter().zip([1.0, 1.0, -2.0]) {
            assert!((x - expected).abs() < 1e-13, "{:?}", found.z);
        }
        let found = step(&rows, 3, &[true, true, true], &[2.0, 0.0]).unwrap();
        let residual = |row: &SparseRow| row.iter().map(|&(j, v)| v * found.z[j]).sum::<f64>();
        assert!((residual(&rows[0]) - 2.0).abs() < 1e-13 && residual(&rows[1]).abs() < 1e-13);
    }

    #[test]
    fn contradictions_are_left_over() {
        let rows = vec![vec![(0, 1.0), (1, 2.0)], vec![(0, 2.0), (1, 4.0)], vec![(2, 1.0)]];
        let found = step(&rows, 3, &[true, true, true], &[1.0, 3.0, 5.0]).unwrap();
        assert!((found.z[2] - 5.0).abs() < 1e-14);
        // 1 and 3 contradict 1 : 2 by one unit in the second row.
        let size: f64 = found.unreached.iter().map(|x| x * x).sum::<f64>();
        assert!(size > 0.1 && found.unreached[2] == 0.0, "{:?}", found.unreached);
        let consistent = step(&rows, 3, &[true, true, true], &[1.0, 2.0, 5.0]).unwrap();
        assert!(consistent.unreached.iter().all(|x| x.abs() < 1e-14));
    }

    #[test]
    fn a_nearly_vanishing_free_column_does_not_run_away() {
        let found = step(&[vec![(0, 1.0), (1, 1e-9)]], 2, &[false, true], &[0.5]).unwrap();
        assert!((found.z[0] - 0.5).abs() < 1e-12 && found.z[1].abs() < 1e-8, "{:?}", found.z);
    }
}
