//! Solutions of least norm.
//!
//! In: a matrix $B$ with at most as many rows as columns, in any [`Scalar`]. Out: $z$ with $B z = b$ and the least
//! $\lVert z \rVert_2$, by $B^\top = Q R$ with Householder reflections (Golub & Van Loan, *Matrix Computations*,
//! algorithms 5.2.1 and 5.6.2): $R^\top u = b$, $z = Q u$. For a square matrix that is its only solution.

use super::scalar::Scalar;

/// A row is dependent on the ones before it if what it adds to them is shorter than this, in units of rounding errors
/// of its length.
const DEPENDENT: f64 = 64.0;

/// $B^\top = Q R$.
#[derive(Clone, Debug)]
pub(super) struct LeastNorm<S> {
    rows: usize,
    columns: usize,
    /// The rows of $B$, one after the other, each divided by its norm; then, of row $i$, the entries of $R$ before the
    /// diagonal and the direction of the reflection from there on.
    entries: Vec<S>,
    /// The diagonal of $R$.
    diagonal: Vec<S>,
    /// $2 / \lVert w \rVert^2$ for each direction $w$.
    factors: Vec<S>,
    /// The norms of the rows of $B$.
    norms: Vec<S>,
    /// The units of the columns: 1, or what they are divided by in a square matrix, where that changes no solution.
    units: Vec<f64>,
}

/// Why there are no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsolvable {
    /// This row has an entry that is not finite.
    NonFinite(usize),
    /// This row is a combination of others.
    Dependent(usize),
}

impl Unsolvable {
    /// The row at fault.
    pub(super) fn row(self) -> usize {
        match self {
            Unsolvable::NonFinite(row) | Unsolvable::Dependent(row) => row,
        }
    }
}

impl<S: Scalar> LeastNorm<S> {
    /// Factors of the matrix with these rows, one after the other.
    pub(super) fn new(rows: usize, columns: usize, mut entries: Vec<S>) -> Result<LeastNorm<S>, Unsolvable> {
        let mut norms = Vec::with_capacity(rows);
        let units = if rows == columns { column_units(columns, &entries) } else { vec![1.0; columns] };
        for i in 0..rows {
            let row = &mut entries[i * columns..(i + 1) * columns];
            row.iter_mut().zip(&units).for_each(|(x, unit)| *x = *x / S::from_f64(*unit));
            let largest = row
                .iter()
                .fold(0.0_f64, |largest, x| if x.is_finite() { largest.max(x.to_f64().abs()) } else { f64::NAN });
            if !largest.is_finite() || row.iter().any(|x| !x.is_finite()) {
                return Err(Unsolvable::NonFinite(i));
            }
            if largest == 0.0 || i >= columns {
                return Err(Unsolvable::Dependent(i));
            }
            // Scaled first, so that squares neither overflow nor vanish.
            row.iter_mut().for_each(|x| *x = *x / S::from_f64(largest));
            let norm = row.iter().fold(S::zero(), |sum, &x| sum + x * x).sqrt();
            row.iter_mut().for_each(|x| *x = *x / norm);
            norms.push(norm.times(largest));
        }
        let mut factors = LeastNorm { rows, columns, entries, diagonal: Vec::new(), factors: Vec::new(), norms, units };
        for i in 0..rows {
            let (done, rest) = factors.entries.split_at_mut(i * columns);
            let row = &mut rest[..columns];
            for (k, reflection) in done.chunks_exact(columns).enumerate() {
                reflect(&reflection[k..], factors.factors[k], &mut row[k..]);
            }
            let length = row[i..].iter().fold(S::zero(), |sum, &x| sum + x * x).sqrt();
            if length.to_f64() <= DEPENDENT * columns as f64 * S::EPSILON || !length.is_finite() {
                return Err(Unsolvable::Dependent(i));
            }
            // The sign avoids cancellation.
            let diagonal = if row[i] > S::zero() { -length } else { length };
            row[i] -= diagonal;
            let square = row[i..].iter().fold(S::zero(), |sum, &x| sum + x * x);
            factors.diagonal.push(diagonal);
            factors.factors.push(S::from_f64(2.0) / square);
        }
        Ok(factors)
    }

    /// Solves $B z = b$.
    pub(super) fn solve(&self, b: &[S]) -> Vec<S> {
        let mut z = vec![S::zero(); self.columns];
        for i in 0..self.rows {
            let row = self.row(i);
            let known = row[..i].iter().zip(&z).fold(S::zero(), |sum, (&r, &u)| sum + r * u);
            z[i] = (b[i] / self.norms[i] - known) / self.diagonal[i];
        }
        for i in (0..self.rows).rev() {
            reflect(&self.row(i)[i..], self.factors[i], &mut z[i..]);
        }
        z.iter_mut().zip(&self.units).for_each(|(z, unit)| *z = *z / S::from_f64(*unit));
        z
    }

    fn row(&self, i: usize) -> &[S] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }
}

/// The largest power of two below the largest entry of each column; 1 for a column of zeros.
fn column_units<S: Scalar>(columns: usize, entries: &[S]) -> Vec<f64> {
    let mut largest = vec![0.0_f64; columns];
    for row in entries.chunks_exact(columns.max(1)) {
        largest.iter_mut().zip(row).for_each(|(largest, x)| *largest = largest.max(x.to_f64().abs()));
    }
    largest.into_iter().map(|x| if x > 0.0 && x.is_finite() { x.log2().floor().exp2() } else { 1.0 }).collect()
}

/// $x \leftarrow x - \phi\, w\, (w^\top x)$.
fn reflect<S: Scalar>(w: &[S], factor: S, x: &mut [S]) {
    let product = w.iter().zip(&*x).fold(S::zero(), |sum, (&w, &x)| sum + w * x) * factor;
    x.iter_mut().zip(w).for_each(|(x, &w)| *x -= product * w);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taylor::double_double::DoubleDouble;

    #[test]
    fn the_shortest_solution_of_an_underdetermined_system() {
        // (1, 2, 2) z = 9: the shortest solution is along the row.
        let factors = LeastNorm::new(1, 3, vec![1.0, 2.0, 2.0]).unwrap();
        let z = factors.solve(&[9.0]);
        for (z, expected) in z.iter().zip([1.0, 2.0, 2.0]) {
            assert!((z - expected).abs() < 1e-14, "{z}");
        }
    }

    #[test]
    fn a_square_system_to_thirty_digits() {
        // The Hilbert matrix of order 6, which has a condition of 1.5e7.
        let entry = |i: usize, j: usize| DoubleDouble::ONE / DoubleDouble::from((i + j + 1) as f64);
        let entries: Vec<DoubleDouble> = (0..36).map(|k| entry(k / 6, k % 6)).collect();
        let b: Vec<DoubleDouble> =
            (0..6).map(|i| (0..6).fold(DoubleDouble::ZERO, |sum, j| sum + entry(i, j).times(j as f64 - 2.0))).collect();
        let z = LeastNorm::new(6, 6, entries).unwrap().solve(&b);
        for (j, z) in z.iter().enumerate() {
            assert!((*z - DoubleDouble::from(j as f64 - 2.0)).abs().high() < 1e-23, "{z}");
        }
    }

    #[test]
    fn what_cannot_be_solved_is_named() {
        let dependent = LeastNorm::new(2, 3, vec![1.0, 2.0, 3.0, 2.0, 4.0, 6.0]);
        assert_eq!(dependent.unwrap_err(), Unsolvable::Dependent(1));
        assert_eq!(LeastNorm::new(1, 2, vec![0.0, 0.0]).unwrap_err(), Unsolvable::Dependent(0));
        assert_eq!(LeastNorm::new(2, 2, vec![1.0, 0.0, f64::NAN, 1.0]).unwrap_err(), Unsolvable::NonFinite(1));
        assert_eq!(LeastNorm::new(2, 1, vec![1.0, 1.0]).unwrap_err(), Unsolvable::Dependent(1));
    }
}
