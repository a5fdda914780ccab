//! How many equations of a linear system are independent, and solutions of least change.
//!
//! In: a dense matrix. Out: its [`SingularValues`] by one-sided Jacobi rotations, the numerical [`Rank`] with the
//! gap that supports it, minimum-norm least-squares solutions and bases of null spaces.
//!
//! Sources: M. R. Hestenes, *Inversion of matrices by biorthogonalization*, J. SIAM 6 (1958): rotate pairs of
//! columns until all are orthogonal, $A V = U \Sigma$. Equilibration after D. Ruiz, RAL-TR-2001-034.
//!
//! Why not the bidiagonal decomposition of the linear-algebra crate: this one runs inside a procedural macro without
//! optimisation, where plain loops over columns are twice as fast; it yields all of $V$, hence the null space of a
//! wide matrix; it finds small singular values of scaled matrices to high relative accuracy; and it always ends.
//!
//! **Threshold.** With $\sigma_1$ the largest singular value of the equilibrated $m \times n$ matrix, rounding makes
//! zero singular values as large as $\varphi = \max(m, n)\\,\varepsilon\\,\sigma_1$. Only values below
//! $10^{-8} \sigma_1$ are ever dropped; among the admissible cuts the one with the largest gap
//! $\sigma_r / \max(\sigma_{r+1}, \varphi)$ is taken. The answer is [`Confidence::Uncertain`] when that gap is below
//! $10^4$ or a dropped value is above $10^4 \varphi$, that is, too large to be rounding.

use std::fmt;

use nalgebra::{DMatrix, DVector};

/// Singular values below this fraction of the largest may be taken for zero.
const DROPPABLE: f64 = 1e-8;
/// The gap, and the distance of dropped values from pure rounding, that count as clear.
const CLEAR: f64 = 1e4;
/// Jacobi's method converges quadratically after a few sweeps; more than this many mean that it does not.
const MAX_SWEEPS: usize = 60;
/// A column this much smaller than the largest is zero: more columns than rows leave some, which can be orthogonal
/// to nothing.
const NEGLIGIBLE: f64 = 1e-20;
/// Sweeps of the simultaneous row and column scaling.
const EQUILIBRATION_SWEEPS: usize = 8;

/// Why a matrix has no decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankError {
    /// An entry is infinite or not a number.
    NonFinite {
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// The rotations did not settle.
    NoConvergence,
}

impl fmt::Display for RankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankError::NonFinite { row, column } => {
                write!(f, "the matrix is not finite in row {row}, column {column}")
            }
            RankError::NoConvergence => f.write_str("the singular values did not converge"),
        }
    }
}

impl std::error::Error for RankError {}

/// Whether a rank can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Kept and dropped singular values are far apart, and what is dropped is rounding.
    Clear,
    /// They are not: the matrix is close to one of another rank.
    Uncertain,
}

/// A numerical rank and what supports it. Singular values are those of the equilibrated matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// Number of singular values that count as nonzero.
    pub rank: usize,
    /// The smallest of them; infinite when the rank is zero.
    pub smallest_kept: f64,
    /// The largest of the others; zero when there are none.
    pub largest_dropped: f64,
    /// `smallest_kept` over the larger of `largest_dropped` and the level of rounding.
    pub gap: f64,
    /// Largest singular value over `smallest_kept`; 1 when the rank is zero.
    pub condition: f64,
    /// Whether the rank can be trusted.
    pub confidence: Confidence,
}

/// Rank of a matrix after scaling of rows and columns.
pub fn rank(matrix: &DMatrix<f64>) -> Result<Rank, RankError> {
    check_finite(matrix)?;
    let mut scaled = matrix.clone();
    equilibrate(&mut scaled);
    // Fewer columns are fewer pairs to rotate, and the singular values are those of the transpose.
    let orientation = if scaled.ncols() > scaled.nrows() { scaled.transpose() } else { scaled };
    Ok(SingularValues::decompose(&orientation, 0)?.rank())
}

/// Orthonormal basis, column by column, of the null space of the matrix as it stands (scaled for the decision,
/// orthonormalised afterwards).
pub fn null_space(matrix: &DMatrix<f64>) -> Result<DMatrix<f64>, RankError> {
    check_finite(matrix)?;
    let mut scaled = matrix.clone();
    let (_, columns) = equilibrate(&mut scaled);
    let decomposition = SingularValues::of(&scaled)?;
    // R A C z = 0 exactly when A (C z) = 0.
    let mut basis = decomposition.null_space();
    for (mut row, scale) in basis.row_iter_mut().zip(columns.iter()) {
        row *= *scale;
    }
    Ok(basis.qr().q())
}

/// Scales rows and columns by powers of two until the largest entry of each is about 1, and returns the factors of
/// the rows and of the columns. Rows and columns of zeros keep the factor 1.
pub fn equilibrate(matrix: &mut DMatrix<f64>) -> (DVector<f64>, DVector<f64>) {
    let (m, n) = matrix.shape();
    let (mut row_scale, mut column_scale) = (DVector::repeat(m, 1.0), DVector::repeat(n, 1.0));
    for _ in 0..EQUILIBRATION_SWEEPS {
        let (mut row_max, mut column_max) = (vec![0.0_f64; m], vec![0.0_f64; n]);
        for (j, column) in matrix.as_slice().chunks_exact(m.max(1)).enumerate() {
            for (i, value) in column.iter().enumerate() {
                row_max[i] = row_max[i].max(value.abs());
                column_max[j] = column_max[j].max(value.abs());
            }
        }
        let rows: Vec<f64> = row_max.iter().map(|&size| inverse_root_power_of_two(size)).collect();
        let columns: Vec<f64> = column_max.iter().map(|&size| inverse_root_power_of_two(size)).collect();
        for (j, column) in matrix.as_mut_slice().chunks_exact_mut(m.max(1)).enumerate() {
            for (i, value) in column.iter_mut().enumerate() {
                *value *= rows[i] * columns[j];
            }
            column_scale[j] *= columns[j];
        }
        for (scale, factor) in row_scale.iter_mut().zip(&rows) {
            *scale *= factor;
        }
    }
    (row_scale, column_scale)
}

/// The power of two next to $s^{-1/2}$, or 1 for zero.
fn inverse_root_power_of_two(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { (-0.5 * size.log2()).round().exp2() } else { 1.0 }
}

fn check_finite(matrix: &DMatrix<f64>) -> Result<(), RankError> {
    match matrix.as_slice().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(position) => {
            let m = matrix.nrows();
            Err(RankError::NonFinite { row: position % m, column: position / m })
        }
    }
}

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
    pub fn of(matrix: &DMatrix<f64>) -> Result<SingularValues, RankError> {
        SingularValues::decompose(matrix, matrix.ncols())
    }

    /// The same with $V$ of `right_rows` rows: all $n$, or none when only the values are of interest.
    fn decompose(matrix: &DMatrix<f64>, right_rows: usize) -> Result<SingularValues, RankError> {
        check_finite(matrix)?;
        let (m, n) = matrix.shape();
        // Inner products must neither overflow nor vanish: work on the matrix divided by its largest entry.
        let size = matrix.amax();
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

    /// The numerical rank under the policy of this module.
    pub fn rank(&self) -> Rank {
        self.rank_against(0.0)
    }

    /// The same when the matrix is part of one whose entries have the size `reference`, so that its own largest
    /// singular value may be rounding.
    pub fn rank_against(&self, reference: f64) -> Rank {
        let values = self.values();
        let largest = values.first().copied().unwrap_or(0.0).max(reference);
        let rounding = self.rows.max(self.columns) as f64 * f64::EPSILON * largest;
        let dropped_at = |rank: usize| values.get(rank).copied().unwrap_or(0.0);
        // Rank zero is judged by the distance of everything from the reference.
        let kept_at = |rank: usize| if rank == 0 { largest } else { values[rank - 1] };
        let gap_at = |rank: usize| match dropped_at(rank).max(rounding) {
            0.0 => f64::INFINITY,
            dropped => kept_at(rank) / dropped,
        };
        let full = if largest == 0.0 { 0 } else { values.len() };
        let rank = (0..full)
            .filter(|&rank| dropped_at(rank) <= DROPPABLE * largest)
            .fold(full, |best, rank| if gap_at(rank) > gap_at(best) { rank } else { best });
        let clear = gap_at(rank) >= CLEAR && dropped_at(rank) <= CLEAR * rounding;
        Rank {
            rank,
            smallest_kept: if rank == 0 { f64::INFINITY } else { kept_at(rank) },
            largest_dropped: dropped_at(rank),
            gap: gap_at(rank),
            condition: if rank == 0 { 1.0 } else { largest / kept_at(rank) },
            confidence: if clear { Confidence::Clear } else { Confidence::Uncertain },
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

    /// Orthonormal basis of the null space, column by column, under the rank policy of this module.
    pub fn null_space(&self) -> DMatrix<f64> {
        self.right_vectors_from(self.rank().rank)
    }

    /// The right singular vectors from number `first` on, column by column.
    pub fn right_vectors_from(&self, first: usize) -> DMatrix<f64> {
        let n = self.columns;
        DMatrix::from_column_slice(n, n - first.min(n), &self.right[first.min(n) * n..])
    }
}

/// Rotates pairs of the $n$ columns of `left` ($m$ rows), and of `right` with them, until all columns of `left` are
/// orthogonal.
fn orthogonalise(left: &mut [f64], m: usize, right: &mut [f64], right_rows: usize, n: usize) -> Result<(), RankError> {
    let orthogonal = f64::EPSILON * (m.max(1) as f64).sqrt();
    for _ in 0..MAX_SWEEPS {
        let mut rotations = 0_usize;
        // Squared norms are kept up to date within a sweep and computed afresh for the next.
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
/// $\gamma$ orthogonal, and what the first loses of its squared norm to the second.
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in a.iter().zip(b) {
        sum += x * y;
    }
    sum
}

fn squared_norm(a: &[f64]) -> f64 {
    dot(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hilbert(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64)
    }

    #[test]
    fn singular_values_of_a_known_matrix() {
        // A^T A = [[25, 20], [20, 25]] has the eigenvalues 45 and 5.
        let matrix = DMatrix::from_row_slice(2, 2, &[3.0, 0.0, 4.0, 5.0]);
        let values = SingularValues::of(&matrix).unwrap();
        assert!((values.values()[0] - 45.0_f64.sqrt()).abs() < 1e-15 * 10.0);
        assert!((values.values()[1] - 5.0_f64.sqrt()).abs() < 1e-15 * 10.0);
    }

    #[test]
    fn rank_one_less_is_seen_with_its_gap() {
        let mut matrix = DMatrix::from_fn(6, 6, |i, j| ((3 * i + 7 * j + i * j * (i + j)) % 11) as f64 - 5.0);
        let dependent = matrix.column(0) + 2.0 * matrix.column(1);
        matrix.set_column(5, &dependent);
        let rank = rank(&matrix).unwrap();
        assert_eq!((rank.rank, rank.confidence), (5, Confidence::Clear));
        assert!(rank.gap > 1e12 && rank.largest_dropped < 1e-14, "{rank:?}");
    }

    #[test]
    fn scales_of_rows_and_columns_do_not_matter() {
        let matrix = DMatrix::from_row_slice(3, 3, &[1e12, 2e3, 0.0, 1e-3, 5e-12, 1e-9, 0.0, 4.0, 1.0]);
        let rank = rank(&matrix).unwrap();
        assert_eq!((rank.rank, rank.confidence), (3, Confidence::Clear));
    }

    #[test]
    fn nearly_singular_is_uncertain() {
        let matrix = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-9]);
        assert_eq!(rank(&matrix).unwrap().confidence, Confidence::Uncertain);
        // Hilbert's matrix of order 12: singular values down to the level of rounding without any gap.
        assert_eq!(rank(&hilbert(12)).unwrap().confidence, Confidence::Uncertain);
        assert_eq!(rank(&hilbert(4)).unwrap().rank, 4);
    }

    #[test]
    fn empty_zero_and_non_finite() {
        assert_eq!(rank(&DMatrix::zeros(0, 3)).unwrap().rank, 0);
        assert_eq!(rank(&DMatrix::zeros(3, 0)).unwrap().rank, 0);
        let zero = rank(&DMatrix::zeros(3, 2)).unwrap();
        assert_eq!((zero.rank, zero.confidence, zero.gap), (0, Confidence::Clear, f64::INFINITY));
        let mut matrix = DMatrix::identity(3, 3);
        matrix[(2, 1)] = f64::NAN;
        assert_eq!(rank(&matrix), Err(RankError::NonFinite { row: 2, column: 1 }));
        matrix[(2, 1)] = 1e30;
        assert_eq!(rank(&matrix).unwrap().rank, 3);
    }

    #[test]
    fn null_space_of_a_wide_matrix_is_orthonormal() {
        let matrix = DMatrix::from_row_slice(2, 4, &[1.0, 2.0, 3.0, 4.0, 1e6, -1e6, 0.0, 2e6]);
        let basis = null_space(&matrix).unwrap();
        assert_eq!(basis.shape(), (4, 2));
        assert!((&matrix * &basis).amax() < 1e-9, "{}", &matrix * &basis);
        assert!((basis.transpose() * &basis - DMatrix::identity(2, 2)).amax() < 1e-14);
    }

    #[test]
    fn least_norm_solves_what_can_be_solved() {
        // x + y = 2 twice, and x + y = 4: the best sum is 8/3, shared equally.
        let matrix = DMatrix::from_row_slice(3, 2, &[1.0; 6]);
        let decomposition = SingularValues::of(&matrix).unwrap();
        let z = decomposition.least_norm(decomposition.rank().rank, &[2.0, 2.0, 4.0]);
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 4.0 / 3.0).abs() < 1e-15, "{z:?}");
    }

    #[test]
    fn agrees_with_the_bidiagonal_decomposition() {
        let matrix = DMatrix::from_fn(20, 13, |i, j| ((i * i + 5 * j + i * j * j) % 17) as f64 / 17.0 - 0.4);
        let ours = SingularValues::of(&matrix).unwrap();
        let theirs = matrix.singular_values();
        for (a, b) in ours.values().iter().zip(theirs.iter()) {
            assert!((a - b).abs() < 1e-14 * theirs[0], "{a} {b}");
        }
    }
}
