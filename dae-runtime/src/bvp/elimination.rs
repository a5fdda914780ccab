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

use std::ops::Range;

use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::add;
use crate::linalg::vectors::Vectors;

use super::householder::{reflect, triangularize};

/// The relations of intervals.
#[derive(Clone, Debug)]
pub(super) struct Relations {
    pub(super) m: usize,
    /// Number of shared quantities.
    pub(super) shared: usize,
    /// Of each interval, the columns of $(\Gamma, \Delta)$ one after the other.
    pub(super) columns: Vectors,
}

/// The eliminated relations of a segment.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    m: usize,
    /// For each vector that is eliminated, $2m$ rows, column after column. In the first $m$ columns $R$ in the upper
    /// triangle, and below it the reflections. In the others, the coefficients of the first vector of the segment, of the
    /// next vector, and of the shared quantities: the first $m$ rows give the vector that is eliminated, the others are the
    /// relation that remains.
    steps: Vectors,
    /// The factors of the reflections.
    factors: Vectors,
    /// $(S, R, D)$ of the relation between the ends.
    pub(super) relation: Matrix,
}

impl Elimination {
    /// Eliminates the vectors between the ends of a segment of at least one interval.
    pub(super) fn new(relations: &Relations, mut segment: Range<usize>) -> Elimination {
        let &Relations { m, shared, ref columns } = relations;
        let block = m * m;
        let zero = Matrix::zeros(m, m);
        let negative = Matrix::from_fn(m, m, |i, j| if i == j { -1.0 } else { 0.0 });
        let (gamma, delta) = columns[segment.start].split_at(block);
        // The relation so far.
        let mut relation = [gamma, negative.as_slice(), delta].concat();
        segment.next();
        let mut steps = Vectors::zeros(segment.len(), 2 * m * (3 * m + shared));
        let mut factors = Vectors::zeros(segment.len(), m);
        for (k, i) in segment.enumerate() {
            let step = &mut steps[k];
            let (gamma, delta) = columns[i].split_at(block);
            let (of_first, others) = relation.split_at(block);
            let (of_last, of_shared) = others.split_at(block);
            let above = [of_last, of_first, zero.as_slice(), of_shared];
            let below = [gamma, zero.as_slice(), negative.as_slice(), delta];
            let mut to = step.chunks_exact_mut((2 * m).max(1));
            for (above, below) in above.into_iter().zip(below) {
                let pairs = above.chunks_exact(m.max(1)).zip(below.chunks_exact(m.max(1)));
                for ((above, below), to) in pairs.zip(&mut to) {
                    to[..m].copy_from_slice(above);
                    to[m..].copy_from_slice(below);
                }
            }
            triangularize(2 * m, step, &mut factors[k]);
            let remaining = step.chunks_exact((2 * m).max(1)).skip(m);
            let so_far = relation.chunks_exact_mut(m.max(1));
            so_far.zip(remaining).for_each(|(to, column)| to.copy_from_slice(&column[m..]));
        }
        Elimination { m, steps, factors, relation: Matrix::from_column_slice(m, 2 * m + shared, &relation) }
    }

    /// Replaces the remainders $r_i$ of the intervals by what [`Elimination::solve`] needs, and last of all by the
    /// right-hand side $g$ of the relation between the ends.
    pub(super) fn reduce(&self, remainders: &mut [f64]) {
        remainders.iter_mut().for_each(|r| *r = -*r);
        for (k, (step, factors)) in self.steps.iter().zip(self.factors.iter()).enumerate() {
            reflect(step, factors, &mut remainders[k * self.m..(k + 2) * self.m]);
        }
    }

    /// The vectors between the first and the last one, which are given; `false` if they are not determined.
    pub(super) fn solve(&self, reduced: &[f64], shared: &[f64], vectors: &mut [f64]) -> bool {
        let m = self.m;
        for (k, step) in self.steps.iter().enumerate().rev() {
            let (before, next) = vectors.split_at_mut((k + 2) * m);
            let (first, y) = before.split_at_mut((k + 1) * m);
            y.copy_from_slice(&reduced[k * m..(k + 1) * m]);
            let (triangle, others) = step.split_at(2 * m * m);
            let known = first[..m].iter().chain(&next[..m]).chain(shared);
            for (column, x) in others.chunks_exact((2 * m).max(1)).zip(known) {
                add(-x, &column[..m], y);
            }
            for (j, column) in triangle.chunks_exact((2 * m).max(1)).enumerate().rev() {
                let pivot = column[j];
                if pivot == 0.0 || !pivot.is_finite() {
                    return false;
                }
                y[j] /= pivot;
                add(-y[j], &column[..j], &mut y[..j]);
            }
        }
        true
    }
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
            remainders.extend([0, 1].map(|k| next[k] - mapped[k] - delta[(k, 0)] * theta));
            relations.push([gamma.as_slice(), delta.as_slice()].concat());
        }
        let relations = Relations { m, shared: 1, columns: Vectors::of_length(6, relations) };
        let elimination = Elimination::new(&relations, 0..count);
        elimination.reduce(&mut remainders);
        let g = &remainders[2 * (count - 1)..];
        // Conditions: the sum of the ends of the first component, a value, and the shared quantity itself.
        let mut matrix = Matrix::zeros(5, 5);
        for i in 0..2 {
            (0..5).for_each(|j| matrix[(i, j)] = elimination.relation[(i, j)]);
        }
        (matrix[(2, 0)], matrix[(2, 2)], matrix[(3, 1)], matrix[(4, 4)]) = (1.0, 1.0, 2.0, 1.0);
        let (first, last) = (exact(0), exact(count));
        let mut right = vec![g[0], g[1], first[0] + last[0], 2.0 * first[1], 0.7];
        let (factors, scales) = factorize_scaled(matrix).unwrap();
        right.iter_mut().zip(&scales).for_each(|(value, scale)| *value /= scale);
        factors.solve(&mut right);
        let mut vectors = vec![0.0; 2 * (count + 1)];
        vectors[..2].copy_from_slice(&right[..2]);
        vectors[2 * count..].copy_from_slice(&right[2..4]);
        assert!(elimination.solve(&remainders, &right[4..], &mut vectors));
        let error = vectors.chunks_exact(2).enumerate().flat_map(|(i, y)| {
            let exact = exact(i);
            [0, 1].map(|k| (y[k] - exact[k]).abs())
        });
        let error = error.fold(0.0, f64::max);
        assert!(error < 1e-12, "{error:e}");
    }
}
