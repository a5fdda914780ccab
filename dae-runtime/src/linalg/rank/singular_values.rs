//! Singular values by one-sided Jacobi rotations, and solutions of least change.
//!
//! In: a dense matrix. Out: [`SingularValues`], minimum-norm least-squares solutions, bases of null spaces. Source: M.
//! R. Hestenes, *Inversion of matrices by biorthogonalization*, J. SIAM 6 (1958): rotate pairs of columns until all are
//! orthogonal, $A V = U \Sigma$.
//!
//! Why not the bidiagonal decomposition of a linear-algebra crate: this one runs inside a procedural macro without
//! optimisation, where plain loops over columns are twice as fast; it yields all of $V$, hence the null space of a wide
//! matrix; it finds small singular values of scaled matrices to high relative accuracy; and it always terminates.

use crate::linalg::matrix::Matrix;
use crate::linalg::vector::dot;

use super::error::{RankError, check_finite};

/// Jacobi's method converges quadratically after a few sweeps; more than this many mean that it does not converge.
const MAX_SWEEPS: usize = 60;
/// A column below this fraction of the largest counts as zero: of more columns than rows, not all can be made
/// orthogonal to one another.
const NEGLIGIBLE: f64 = 1e-20;

/// $A V = U \Sigma$ with orthogonal $V$ ($n \times n$) and singular values in descending order.
#[derive(Clone, Debug)]
pub struct SingularValues {
    rows: usize,
    columns: usize,
    /// $n$ values, of which at most $\min(m, n)$ are not rounding.
    values: Vec<f64>,
    /// $U \Sigma$, column by column.
    scaled_left: Vec<f64>,
    /// $V$, column by column.
    right: Vec<f64>,
}

impl SingularValues {
    /// Decomposes a matrix as it stands, without scaling it.
    pub fn of(matrix: &Matrix) -> Result<SingularValues, RankError> {
        SingularValues::decompose(matrix, matrix.columns())
    }

    /// Decomposes a matrix as it stands for its singular values only, without $V$.
    pub(super) fn without_vectors(matrix: &Matrix) -> Result<SingularValues, RankError> {
        SingularValues::decompose(matrix, 0)
    }

    /// The decomposition with `right_rows` rows of $V$: all $n$, or none when only the values are of interest.
    fn decompose(matrix: &Matrix, right_rows: usize) -> Result<SingularValues, RankError> {
        check_finite(matrix)?;
        let (m, n) = (matrix.rows(), matrix.columns());
        // Inner products must neither overflow nor vanish: work on the matrix divided by its largest entry.
        let size = matrix.largest_entry();
        let unit = if size > 0.0 { size } else { 1.0 };
        let mut left: Vec<f64> = matrix.as_slice().iter().map(|value| value / unit).collect();
        let mut right = vec![0.0; n * right_rows];
        for j in 0..right_rows {
            right[j * right_rows + j] = 1.0;
        }
        orthogonalise(&mut left, m, &mut right, right_rows, n)?;
        let norms: Vec<f64> = (0..n).map(|j| squared_norm(&left[j * m..(j + 1) * m]).sqrt() * unit).collect();
        left.iter_mut().for_each(|value| *value *= unit);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]));
        let gather = |from: &[f64], length: usize| -> Vec<f64> {
            order.iter().flat_map(|&j| from[j * length..(j + 1) * length].iter().copied()).collect()
        };
        Ok(SingularValues {
            rows: m,
            columns: n,
            values: order.iter().map(|&j| norms[j]).collect(),
            scaled_left: gather(&left, m),
            right: gather(&right, right_rows),
        })
    }

    /// The $\min(m, n)$ singular values, descending.
    pub fn values(&self) -> &[f64] {
        &self.values[..self.rows.min(self.columns)]
    }

    /// Number of rows or of columns, whichever is larger.
    pub(super) fn larger_dimension(&self) -> usize {
        self.rows.max(self.columns)
    }

    /// Ratio of the largest to the smallest of all singular values, infinite for a singular matrix, 1 for an empty
    /// one.
    pub fn condition(&self) -> f64 {
        match self.values() {
            [] => 1.0,
            [largest, .., smallest] => largest / smallest,
            [only] => {
                if *only > 0.0 {
                    1.0
                } else {
                    f64::INFINITY
                }
            }
        }
    }

    /// The solution of least Euclidean norm of $\min \lVert A z - b \rVert$ when only the first `rank` singular
    /// values count.
    pub fn least_norm(&self, rank: usize, b: &[f64]) -> Vec<f64> {
        let (m, n) = (self.rows, self.columns);
        let mut z = vec![0.0; n];
        for k in 0..rank.min(self.values.len()) {
            let left = &self.scaled_left[k * m..(k + 1) * m];
            let coefficient = dot(left, b) / (self.values[k] * self.values[k]);
            for (z, v) in z.iter_mut().zip(&self.right[k * n..(k + 1) * n]) {
                *z += coefficient * v;
            }
        }
        z
    }

    /// The solution of least Euclidean norm of $\min \lVert A^T z - b \rVert$ when only the first `rank` singular
    /// values count.
    pub fn least_norm_transposed(&self, rank: usize, b: &[f64]) -> Vec<f64> {
        let (m, n) = (self.rows, self.columns);
        let mut z = vec![0.0; m];
        for k in 0..rank.min(self.values.len()) {
            let coefficient = dot(&self.right[k * n..(k + 1) * n], b) / (self.values[k] * self.values[k]);
            for (z, u) in z.iter_mut().zip(&self.scaled_left[k * m..(k + 1) * m]) {
                *z += coefficient * u;
            }
        }
        z
    }

    /// The right singular vectors from number `first` on, column by column.
    pub fn right_vectors_from(&self, first: usize) -> Matrix {
        let n = self.columns;
        Matrix::from_column_slice(n, n - first.min(n), &self.right[first.min(n) * n..])
    }
}

/// Rotates pairs of the $n$ columns of `left` ($m$ rows), and of `right` with them, until all columns of `left` are
/// orthogonal.
fn orthogonalise(left: &mut [f64], m: usize, right: &mut [f64], right_rows: usize, n: usize) -> Result<(), RankError> {
    let orthogonal = f64::EPSILON * (m.max(1) as f64).sqrt();
    for _ in 0..MAX_SWEEPS {
        let mut rotations = 0_usize;
        // Squared norms are updated within a sweep and recomputed for the next.
        let mut norms: Vec<f64> = (0..n).map(|j| squared_norm(&left[j * m..(j + 1) * m])).collect();
        let negligible = NEGLIGIBLE * NEGLIGIBLE * norms.iter().fold(0.0_f64, |a, &b| a.max(b));
        for p in 0..n {
            for q in p + 1..n {
                if norms[p].min(norms[q]) <= negligible {
                    continue;
                }
                let inner = dot(&left[p * m..(p + 1) * m], &left[q * m..(q + 1) * m]);
                if inner.abs() <= orthogonal * (norms[p] * norms[q]).sqrt() {
                    continue;
                }
                rotations += 1;
                let (c, s, change) = rotation(norms[p], norms[q], inner);
                rotate(left, m, p, q, c, s);
                rotate(right, right_rows, p, q, c, s);
                norms[p] -= change;
                norms[q] += change;
                // The smaller of the two suffers from cancellation.
                let smaller = if norms[p] < norms[q] { p } else { q };
                norms[smaller] = squared_norm(&left[smaller * m..(smaller + 1) * m]);
            }
        }
        if rotations == 0 {
            return Ok(());
        }
    }
    Err(RankError::NoConvergence)
}

/// Cosine and sine of the smaller angle that makes two columns with squared norms $\alpha, \beta$ and inner product
/// $\gamma$ orthogonal, and the part of its squared norm that the first loses to the second.
fn rotation(alpha: f64, beta: f64, gamma: f64) -> (f64, f64, f64) {
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + 1.0_f64.hypot(zeta));
    let cosine = 1.0 / 1.0_f64.hypot(tangent);
    (cosine, cosine * tangent, tangent * gamma)
}

/// Columns $p < q$ of a matrix with columns of length `length` become $c\\,a_p - s\\,a_q$ and $s\\,a_p + c\\,a_q$.
fn rotate(columns: &mut [f64], length: usize, p: usize, q: usize, c: f64, s: f64) {
    let (head, tail) = columns.split_at_mut(q * length);
    for (a, b) in head[p * length..(p + 1) * length].iter_mut().zip(&mut tail[..length]) {
        let (old_a, old_b) = (*a, *b);
        *a = c * old_a - s * old_b;
        *b = s * old_a + c * old_b;
    }
}

fn squared_norm(a: &[f64]) -> f64 {
    dot(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_values_of_a_known_matrix() {
        // A^T A = [[25, 20], [20, 25]] has the eigenvalues 45 and 5.
        let matrix = Matrix::from_row_slice(2, 2, &[3.0, 0.0, 4.0, 5.0]);
        let values = SingularValues::of(&matrix).unwrap();
        assert!((values.values()[0] - 45.0_f64.sqrt()).abs() < 1e-15 * 10.0);
        assert!((values.values()[1] - 5.0_f64.sqrt()).abs() < 1e-15 * 10.0);
    }

    #[test]
    fn least_norm_solves_what_can_be_solved() {
        // x + y = 2 twice, and x + y = 4: the best sum is 8/3, shared equally.
        let matrix = Matrix::from_row_slice(3, 2, &[1.0; 6]);
        let decomposition = SingularValues::of(&matrix).unwrap();
        let z = decomposition.least_norm(decomposition.rank().rank, &[2.0, 2.0, 4.0]);
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 4.0 / 3.0).abs() < 1e-15, "{z:?}");
    }

    #[test]
    fn agrees_with_the_bidiagonal_decomposition() {
        let matrix = Matrix::from_fn(20, 13, |i, j| ((i * i + 5 * j + i * j * j) % 17) as f64 / 17.0 - 0.4);
        let ours = SingularValues::of(&matrix).unwrap();
        let theirs = nalgebra::DMatrix::from_column_slice(20, 13, matrix.as_slice()).singular_values();
        for (a, b) in ours.values().iter().zip(theirs.iter()) {
            assert!((a - b).abs() < 1e-14 * theirs[0], "{a} {b}");
        }
    }
}
