//! Elimination of an almost block diagonal system by orthogonal transformations.
//!
//! In: for each interval of a segment, $y_{i+1} = \Gamma_i y_i + \Delta_i \theta + r_i$ with vectors $y_i$ of length $m$
//! at the ends of intervals, and quantities $\theta$ that all intervals share. Out: one relation between the first and
//! the last vector of the segment, $S y_0 + R y_N + D \theta = g$, and from these all vectors in between.
//!
//! Interval after interval, the relation so far is stacked on the next one, and $Q^\top$ of $Q R = (R_j; \Gamma_j)$
//! frees $m$ of the $2m$ rows of $y_j$: a structured orthogonal factorisation (S. J. Wright, *Stable parallel algorithms
//! for two-point boundary value problems*, SIAM J. Sci. Stat. Comput. 13 (1992)). Its work is linear in the number of
//! intervals, and its rounding errors are not amplified by solutions that grow or decay, as long as the conditions at the
//! ends control them, separated or not; products of the $\Gamma_i$ would overflow.

use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::norm;

/// The relation of one interval.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// $\Gamma$, of order $m$.
    pub(super) gamma: Matrix,
    /// $\Delta$, with a column for each shared quantity.
    pub(super) delta: Matrix,
}

/// The eliminated relations of a segment.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    m: usize,
    steps: Vec<Step>,
    /// $S$, $R$ and $D$ of the relation between the ends.
    pub(super) start: Matrix,
    pub(super) end: Matrix,
    pub(super) shared: Matrix,
}

/// The elimination of one vector.
#[derive(Clone, Debug)]
struct Step {
    /// $2m$ rows. In the first $m$ columns the factors: $R$ in the upper triangle, and below it the directions of the
    /// reflections, whose first entries are in `first`. In the others, the coefficients of the first vector of the segment,
    /// of the next vector, and of the shared quantities: the first $m$ rows give the vector that is eliminated, the others
    /// are the relation that remains.
    rows: Matrix,
    first: Vec<f64>,
}

impl Elimination {
    /// Eliminates the vectors between the ends of a segment of at least one interval.
    pub(super) fn new(m: usize, shared: usize, relations: &[&Relation]) -> Elimination {
        let mut steps: Vec<Step> = Vec::with_capacity(relations.len() - 1);
        for pair in relations.windows(2) {
            let (before, relation) = (pair[0], pair[1]);
            let mut rows = Matrix::zeros(2 * m, 3 * m + shared);
            // The relation so far in the first m rows, and that of the interval in the others.
            for i in 0..m {
                let last = steps.last().map(|step| &step.rows);
                for j in 0..m {
                    let is_diagonal = f64::from(u8::from(i == j));
                    rows[(i, j)] = last.map_or(-is_diagonal, |last| last[(m + i, 2 * m + j)]);
                    rows[(i, m + j)] = last.map_or(before.gamma[(i, j)], |last| last[(m + i, m + j)]);
                    rows[(m + i, j)] = relation.gamma[(i, j)];
                    rows[(m + i, 2 * m + j)] = -is_diagonal;
                }
                for j in 0..shared {
                    rows[(i, 3 * m + j)] = last.map_or(before.delta[(i, j)], |last| last[(m + i, 3 * m + j)]);
                    rows[(m + i, 3 * m + j)] = relation.delta[(i, j)];
                }
            }
            let first = triangularize(&mut rows, m);
            steps.push(Step { rows, first });
        }
        let part = |offset: usize, columns: usize, single: &dyn Fn(usize, usize) -> f64| match steps.last() {
            Some(Step { rows, .. }) => Matrix::from_fn(m, columns, |i, j| rows[(m + i, offset + j)]),
            None => Matrix::from_fn(m, columns, single),
        };
        let only = relations[0];
        Elimination {
            m,
            start: part(m, m, &|i, j| only.gamma[(i, j)]),
            end: part(2 * m, m, &|i, j| if i == j { -1.0 } else { 0.0 }),
            shared: part(3 * m, shared, &|i, j| only.delta[(i, j)]),
            steps,
        }
    }

    /// The right-hand side $g$ of the relation between the ends, for the remainders $r_i$ of the intervals, and what
    /// [`Elimination::solve`] needs of it.
    pub(super) fn reduce<'r>(&self, mut remainders: impl Iterator<Item = &'r [f64]>) -> (Vec<f64>, Vec<Vec<f64>>) {
        let m = self.m;
        let negative = |r: &[f64]| r.iter().map(|r| -r).collect::<Vec<f64>>();
        let mut g = remainders.next().map_or_else(Vec::new, negative);
        let mut tops = Vec::with_capacity(self.steps.len());
        for (step, r) in self.steps.iter().zip(remainders) {
            g.extend(r.iter().map(|r| -r));
            reflect(&step.rows, &step.first, &mut g);
            let bottom = g.split_off(m);
            tops.push(std::mem::replace(&mut g, bottom));
        }
        (g, tops)
    }

    /// The vectors between the ends, first to last; `false` if they are not determined.
    pub(super) fn solve(
        &self,
        tops: Vec<Vec<f64>>,
        [first, last]: [&[f64]; 2],
        shared: &[f64],
        vectors: &mut [Vec<f64>],
    ) -> bool {
        let m = self.m;
        let mut next = last;
        for ((step, mut y), place) in self.steps.iter().zip(tops).zip(vectors).rev() {
            let known = first.iter().chain(next).chain(shared).enumerate();
            for (j, &x) in known.filter(|(_, x)| **x != 0.0) {
                let column = &step.rows.column(m + j)[..m];
                y.iter_mut().zip(column).for_each(|(value, entry)| *value -= entry * x);
            }
            for k in (0..m).rev() {
                let pivot = step.rows[(k, k)];
                if pivot == 0.0 || !pivot.is_finite() {
                    return false;
                }
                y[k] /= pivot;
                let value = y[k];
                (0..k).for_each(|i| y[i] -= step.rows[(i, k)] * value);
            }
            *place = y;
            next = place;
        }
        true
    }
}

/// Reduces the first `count` columns of a matrix, no more than there are rows, to triangular form by reflections, and
/// applies these to the others; returns the first entries of their directions, whose others are left below the diagonal.
pub(super) fn triangularize(matrix: &mut Matrix, count: usize) -> Vec<f64> {
    let rows = matrix.rows();
    let mut first = Vec::with_capacity(count);
    for k in 0..count {
        let (done, rest) = matrix.as_mut_slice().split_at_mut((k + 1) * rows);
        let column = &mut done[k * rows + k..];
        let size = norm(column);
        let pivot = if column[0] > 0.0 { -size } else { size };
        let head = column[0] - pivot;
        first.push(head);
        column[0] = pivot;
        for other in rest.chunks_exact_mut(rows) {
            reflect_one(head, &column[1..], &mut other[k..]);
        }
    }
    first
}

/// Applies $Q^\top$ to a vector.
pub(super) fn reflect(factors: &Matrix, first: &[f64], vector: &mut [f64]) {
    for (k, &head) in first.iter().enumerate() {
        reflect_one(head, &factors.column(k)[k + 1..], &mut vector[k..]);
    }
}

/// Applies $Q$ to a vector.
pub(super) fn reflect_back(factors: &Matrix, first: &[f64], vector: &mut [f64]) {
    for (k, &head) in first.iter().enumerate().rev() {
        reflect_one(head, &factors.column(k)[k + 1..], &mut vector[k..]);
    }
}

/// Applies the reflection with this direction.
fn reflect_one(head: f64, tail: &[f64], vector: &mut [f64]) {
    let square = head * head + tail.iter().map(|d| d * d).sum::<f64>();
    if square == 0.0 {
        return;
    }
    let product = head * vector[0] + tail.iter().zip(&vector[1..]).map(|(d, v)| d * v).sum::<f64>();
    let factor = 2.0 * product / square;
    vector[0] -= factor * head;
    vector[1..].iter_mut().zip(tail).for_each(|(v, d)| *v -= factor * d);
}

/// The factors of the square system that remains: relations of the segments, and conditions at their ends.
pub(super) fn factorize_scaled(mut matrix: Matrix) -> Option<(Factors, Vec<f64>)> {
    // Rows of conditions are in units of their own.
    let scales: Vec<f64> = (0..matrix.rows()).map(|row| matrix.largest_in_row(row)).collect();
    if scales.iter().any(|scale| *scale == 0.0 || !scale.is_finite()) {
        return None;
    }
    scales.iter().enumerate().for_each(|(row, &scale)| matrix.divide_row(row, scale));
    Some((matrix.factors()?, scales))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Growing and decaying solutions, and conditions at both ends that control them: the error does not grow with the
    /// factor by which solutions do.
    #[test]
    fn solutions_that_grow_and_decay_are_found_to_rounding() {
        let (count, m) = (400, 2);
        let (grow, decay) = (4.0_f64, 0.2);
        // In a rotating frame, so that no entry is special.
        let turn = |i: usize| {
            let (sin, cos) = (0.1 * i as f64).sin_cos();
            Matrix::from_row_slice(2, 2, &[cos, -sin, sin, cos])
        };
        let exact = |i: usize| [(0.3 * i as f64).sin(), 1.0 + (0.2 * i as f64).cos()];
        let product = |a: &Matrix, x: &[f64]| [0, 1].map(|i| a[(i, 0)] * x[0] + a[(i, 1)] * x[1]);
        let mut relations = Vec::new();
        let mut remainders = Vec::new();
        for i in 0..count {
            let diagonal = Matrix::from_row_slice(2, 2, &[grow, 0.0, 0.0, decay]);
            let gamma = turn(i + 1).times(&diagonal).times(&turn(i).transpose());
            let delta = Matrix::from_row_slice(2, 1, &[0.5, (0.1 * i as f64).cos()]);
            let mapped = product(&gamma, &exact(i));
            let next = exact(i + 1);
            let theta = 0.7;
            remainders.push([0, 1].map(|k| next[k] - mapped[k] - delta[(k, 0)] * theta));
            relations.push(Relation { gamma, delta });
        }
        let elimination = Elimination::new(m, 1, &relations.iter().collect::<Vec<_>>());
        let (g, tops) = elimination.reduce(remainders.iter().map(|r| &r[..]));
        // Conditions: the sum of the ends of the first component, a value, and the shared quantity itself.
        let mut matrix = Matrix::zeros(5, 5);
        for i in 0..2 {
            for j in 0..2 {
                matrix[(i, j)] = elimination.start[(i, j)];
                matrix[(i, 2 + j)] = elimination.end[(i, j)];
            }
            matrix[(i, 4)] = elimination.shared[(i, 0)];
        }
        (matrix[(2, 0)], matrix[(2, 2)], matrix[(3, 1)], matrix[(4, 4)]) = (1.0, 1.0, 2.0, 1.0);
        let (first, last) = (exact(0), exact(count));
        let mut right = vec![g[0], g[1], first[0] + last[0], 2.0 * first[1], 0.7];
        let (factors, scales) = factorize_scaled(matrix).unwrap();
        right.iter_mut().zip(&scales).for_each(|(value, scale)| *value /= scale);
        factors.solve(&mut right);
        let mut between = vec![Vec::new(); count - 1];
        assert!(elimination.solve(tops, [&right[..2], &right[2..4]], &right[4..], &mut between));
        let error = between.iter().enumerate().flat_map(|(i, y)| {
            let exact = exact(i + 1);
            [0, 1].map(|k| (y[k] - exact[k]).abs())
        });
        let error = error.fold(0.0, f64::max);
        assert!(error < 1e-12, "{error:e}");
    }

    #[test]
    fn one_transformation_undoes_the_other() {
        let mut matrix = Matrix::from_fn(5, 3, |i, j| ((3 * i + 7 * j) % 5) as f64 - 1.5);
        let original = matrix.clone();
        let first = triangularize(&mut matrix, 3);
        for j in 0..3 {
            let mut column = original.column(j).to_vec();
            reflect(&matrix, &first, &mut column);
            assert!((0..5).all(|i| (column[i] - if i <= j { matrix[(i, j)] } else { 0.0 }).abs() < 1e-14));
            reflect_back(&matrix, &first, &mut column);
            assert!(column.iter().zip(original.column(j)).all(|(a, b)| (a - b).abs() < 1e-14));
        }
    }
}
