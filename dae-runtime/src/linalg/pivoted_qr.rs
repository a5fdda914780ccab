//! Orthogonal decomposition of rows, with pivots.
//!
//! In: the rows of a matrix $B$. Out: which of them are independent, the others as combinations of those, and solutions
//! of least norm, by $B^\top \Pi = Q R$ (Golub & Van Loan, *Matrix Computations*, sect. 5.4).

/// A sparse row: column and value.
pub type SparseRow = Vec<(usize, f64)>;

/// For each row that is a combination of others, the terms `(row, coefficient)` of that combination, and the row itself
/// with coefficient $-1$. A row that is closer to a combination of others than `dependent`, in units of its largest
/// entry, counts as one; coefficients that are no larger are omitted.
pub fn dependencies(rows: &[SparseRow], columns: usize, dependent: f64) -> Vec<Vec<(usize, f64)>> {
    let size = |row: &SparseRow| row.iter().fold(0.0_f64, |size, &(_, x)| size.max(x.abs()));
    let sizes: Vec<f64> = rows.iter().map(|row| Some(size(row)).filter(|&s| s > 0.0).unwrap_or(1.0)).collect();
    let scaled: Vec<SparseRow> =
        rows.iter().zip(&sizes).map(|(row, size)| row.iter().map(|&(j, x)| (j, x / size)).collect()).collect();
    let factors = PivotedQr::new(&scaled, columns, |_| true, dependent);
    (factors.rank..rows.len())
        .map(|k| {
            let own = factors.order[k];
            let others = factors.order.iter().copied().zip(factors.combination(k));
            let relative = others.map(|(p, c)| (p, c * sizes[own] / sizes[p]));
            relative.filter(|(_, c)| c.abs() > dependent).chain([(own, -1.0)]).collect()
        })
        .collect()
}

/// $B_F^\top \Pi = Q R$, where $B_F$ are some columns of $B$.
#[derive(Clone, Debug)]
pub(crate) struct PivotedQr {
    /// The chosen columns that have an entry other than zero.
    chosen: Vec<usize>,
    /// Rows of $B$ in the order of the pivots.
    pub(crate) order: Vec<usize>,
    /// Number of pivots.
    pub(crate) rank: usize,
    /// $R$ above the diagonal, column by column; from the diagonal down, in the first `rank` columns, the directions of
    /// the reflections.
    columns: Vec<Vec<f64>>,
    /// Diagonal of $R$.
    diagonal: Vec<f64>,
}

impl PivotedQr {
    /// Decomposes the chosen ones of `count` columns. The next pivot is the row whose remaining part has the largest
    /// norm, until this is at most `threshold`.
    pub(crate) fn new(
        rows: &[SparseRow],
        count: usize,
        is_chosen: impl Fn(usize) -> bool,
        threshold: f64,
    ) -> PivotedQr {
        let mut place = vec![usize::MAX; count];
        let mut chosen = Vec::new();
        for &(j, value) in rows.iter().flatten() {
            if is_chosen(j) && value != 0.0 && place[j] == usize::MAX {
                place[j] = chosen.len();
                chosen.push(j);
            }
        }
        let mut columns: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let mut column = vec![0.0; chosen.len()];
                row.iter()
                    .filter(|&&(j, v)| is_chosen(j) && v != 0.0)
                    .for_each(|&(j, value)| column[place[j]] += value);
                column
            })
            .collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut norms: Vec<f64> = columns.iter().map(|column| squared(column)).collect();
        let mut diagonal = Vec::new();
        for k in 0..rows.len().min(chosen.len()) {
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
        PivotedQr { chosen, order, rank: diagonal.len(), columns, diagonal }
    }

    /// The row at place `k` of the order as a combination of the first `rank` ones, in the chosen columns: $R_{PP}\, c
    /// = R_{P k}$.
    pub(crate) fn combination(&self, k: usize) -> Vec<f64> {
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

    /// Adds $Q R_{PP}^{-\top} b$ to the chosen entries of $z$: the change of least norm that changes the product of the
    /// rows with pivots and $z$ by $b$.
    pub(crate) fn least_norm(&self, b: &[f64], z: &mut [f64]) {
        let mut y = vec![0.0; self.chosen.len()];
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
        self.chosen.iter().zip(y).for_each(|(&j, y)| z[j] += y);
    }
}

fn squared(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// Applies to the columns after `k` the reflection that would make column `k` vanish below row `k`, and updates their
/// norms; leaves the direction in column `k` and returns the diagonal entry of $R$.
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
