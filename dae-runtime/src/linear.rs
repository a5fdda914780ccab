//! Linear algebra of an implicit step: the iteration matrix $a\\,F_{y'} + b\\,F_y$, real or complex, and its factors.
//!
//! In: Jacobian values on the patterns of a [`Description`], two scalars and a step size. Out: solutions of linear
//! systems, or the row and column where the matrix is singular. All storage is allocated by the constructors.
//!
//! Three scalings make the factorisation independent of the step size and of the units of the model:
//!
//! * the column of an unknown of index $k$ is multiplied by $h^{-(k-1)}$, that is, the system is solved for
//!   $h^{k-1}\\Delta y_j$. Otherwise the condition grows like $h^{-k}$ (Petzold & Lötstedt 1986);
//! * that of an auxiliary unknown is multiplied by its magnitude, the larger of its value and its nominal value: it may be any;
//! * rows are then equilibrated to largest entries between one and two.
//!
//! All use powers of two, so that they round nothing.
//!
//! The factorisation is the right-looking column form of Gaussian elimination with partial pivoting (Golub & Van
//! Loan, algorithm 3.4.1). A sparse solver belongs behind [`IterationMatrix`], whose users never see the storage.

use nalgebra::ComplexField;

use crate::contract::{Dae, Description, Kind, Pattern};
use crate::elimination::Elimination;

/// A number a matrix can have: `f64` or `Complex<f64>`.
pub(crate) trait Scalar: ComplexField<RealField = f64> + Copy {}

impl<S: ComplexField<RealField = f64> + Copy> Scalar for S {}

/// The matrix is singular to working precision, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Singular {
    /// No usable pivot is left for this column.
    Column(usize),
    /// This row is zero.
    Row(usize),
    /// This row contains a value that is not finite.
    NonFinite(usize),
}

/// Dense LU factorisation with equilibrated rows and partial pivoting, in storage that is allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Lu<S> {
    n: usize,
    /// Column-major; after factorisation $U$ and the multipliers of $L$.
    matrix: Vec<S>,
    row_scale: Vec<f64>,
    column_size: Vec<f64>,
    pivots: Vec<usize>,
}

impl<S: Scalar> Lu<S> {
    /// Room for a matrix of order `n`, zero to begin with.
    pub(crate) fn new(n: usize) -> Self {
        Lu { n, matrix: vec![S::zero(); n * n], row_scale: vec![1.0; n], column_size: vec![0.0; n], pivots: vec![0; n] }
    }

    /// Order of the matrix.
    pub(crate) fn order(&self) -> usize {
        self.n
    }

    /// The matrix, column by column; to be filled before [`Lu::factorize`].
    pub(crate) fn matrix_mut(&mut self) -> &mut [S] {
        &mut self.matrix
    }

    /// Replaces the matrix by its factors.
    pub(crate) fn factorize(&mut self) -> Result<(), Singular> {
        equilibrate_rows(self.n, &mut self.matrix, &mut self.row_scale)?;
        for (size, column) in self.column_size.iter_mut().zip(self.matrix.chunks_exact(self.n.max(1))) {
            *size = column.iter().fold(0.0, |size, x| x.norm1().max(size));
        }
        (0..self.n).try_for_each(|k| self.eliminate(k))
    }

    /// Step `k` of the elimination.
    fn eliminate(&mut self, k: usize) -> Result<(), Singular> {
        let n = self.n;
        let (done, rest) = self.matrix.split_at_mut((k + 1) * n);
        let column = &mut done[k * n..];
        let mut pivot = k;
        let mut size = column[k].norm1();
        for i in k + 1..n {
            if column[i].norm1() > size {
                pivot = i;
                size = column[i].norm1();
            }
        }
        // Below this the pivot consists of rounding errors of the elimination.
        if size.is_nan() || size <= f64::EPSILON * self.column_size[k] {
            return Err(Singular::Column(k));
        }
        self.pivots[k] = pivot;
        column.swap(k, pivot);
        let inverse = S::one() / column[k];
        let multipliers = &mut column[k + 1..];
        multipliers.iter_mut().for_each(|l| *l *= inverse);
        for other in rest.chunks_exact_mut(n) {
            other.swap(k, pivot);
            subtract_multiple(other[k], multipliers, &mut other[k + 1..]);
        }
        Ok(())
    }

    /// Replaces the right-hand side by the solution.
    pub(crate) fn solve(&self, x: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            x[i] = x[i].scale(self.row_scale[i]);
        }
        for k in 0..n {
            // Later interchanges were not applied to this column of L (as in LINPACK), hence swap on the way.
            x.swap(k, self.pivots[k]);
            subtract_multiple(x[k], &self.matrix[k * n + k + 1..(k + 1) * n], &mut x[k + 1..]);
        }
        for k in (0..n).rev() {
            x[k] /= self.matrix[k * n + k];
            subtract_multiple(x[k], &self.matrix[k * n..k * n + k], &mut x[..k]);
        }
    }
}

/// `target -= factor * column`.
fn subtract_multiple<S: Scalar>(factor: S, column: &[S], target: &mut [S]) {
    if factor.is_zero() {
        return;
    }
    for (x, &l) in target.iter_mut().zip(column) {
        *x -= factor * l;
    }
}

/// Divides each row by the power of two next below its largest entry.
fn equilibrate_rows<S: Scalar>(n: usize, matrix: &mut [S], scale: &mut [f64]) -> Result<(), Singular> {
    scale.fill(0.0);
    for column in matrix.chunks_exact(n.max(1)) {
        for (size, x) in scale.iter_mut().zip(column) {
            let norm = x.norm1();
            // `max` alone would forget a NaN.
            *size = if norm.is_finite() && !size.is_nan() { size.max(norm) } else { f64::NAN };
        }
    }
    for (i, size) in scale.iter_mut().enumerate() {
        if size.is_nan() {
            return Err(Singular::NonFinite(i));
        }
        if *size == 0.0 {
            return Err(Singular::Row(i));
        }
        *size = 1.0 / power_of_two(*size);
    }
    for column in matrix.chunks_exact_mut(n.max(1)) {
        for (x, &factor) in column.iter_mut().zip(scale.iter()) {
            *x = x.scale(factor);
        }
    }
    Ok(())
}

/// The power of two below a positive number, kept far from overflow of itself and its inverse.
fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.clamp(1e-300, 1e300).to_bits() & EXPONENT)
}

/// A row that the others already determine, and a column they do not determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deficiency {
    /// The dependent row.
    pub(crate) row: usize,
    /// The undetermined column.
    pub(crate) column: usize,
}

/// Finds out by complete pivoting whether a real matrix (column-major, overwritten) is singular to working
/// precision, and where. For the report of a failure, not for the step: it allocates.
pub(crate) fn deficiency(n: usize, matrix: &mut [f64]) -> Option<Deficiency> {
    let mut scale = vec![1.0; n];
    if let Err(Singular::Row(row) | Singular::NonFinite(row)) = equilibrate_rows(n, matrix, &mut scale) {
        let column = matrix.chunks_exact(n).position(|c| c.iter().all(|x| *x == 0.0)).unwrap_or(row);
        return Some(Deficiency { row, column });
    }
    for column in matrix.chunks_exact_mut(n.max(1)) {
        let size = column.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        if size > 0.0 {
            column.iter_mut().for_each(|x| *x /= size);
        }
    }
    let mut elimination = Elimination::new(n, vec![1.0; n]);
    for (column, entries) in matrix.chunks_exact(n.max(1)).enumerate() {
        entries.iter().enumerate().for_each(|(row, &x)| *elimination.entry(row, column) = x);
    }
    let threshold = 8.0 * n as f64 * f64::EPSILON;
    for _ in 0..n {
        match elimination.largest(0..n, 0..n, |_| true) {
            Some((pivot, size)) if size > threshold => elimination.pivot(pivot),
            Some(((row, column), _)) => return Some(Deficiency { row, column }),
            None => {
                let first = |open: &[bool]| open.iter().position(|&open| open).unwrap_or(0);
                let (row, column) = (first(&elimination.open_rows), first(&elimination.open_columns));
                return Some(Deficiency { row, column });
            }
        }
    }
    None
}

/// Values of $F_y$ and $F_{y'}$ at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobians {
    /// Values of $F_y$ on its pattern.
    pub(crate) y: Vec<f64>,
    /// Values of $F_{y'}$ on its pattern.
    pub(crate) yp: Vec<f64>,
    /// Magnitudes of the auxiliary unknowns, powers of two; one for others.
    magnitudes: Vec<f64>,
}

impl Jacobians {
    /// Room for the Jacobians of a formulation.
    pub(crate) fn new(description: &Description) -> Self {
        Jacobians {
            y: vec![0.0; description.jacobian_y.len()],
            yp: vec![0.0; description.jacobian_yp.len()],
            magnitudes: vec![1.0; description.unknowns.len()],
        }
    }

    /// Evaluates both.
    pub(crate) fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        dae.jacobian_y(t, y, yp, &mut self.y);
        dae.jacobian_yp(t, y, yp, &mut self.yp);
        for ((magnitude, y), unknown) in self.magnitudes.iter_mut().zip(y).zip(dae.description().unknowns.iter()) {
            if unknown.kind == Kind::Auxiliary {
                // `max` ignores a NaN.
                *magnitude = power_of_two(unknown.nominal.abs().max(y.abs()).min(f64::MAX));
            }
        }
    }

    /// Whether every value is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.y.iter().chain(&self.yp).all(|x| x.is_finite())
    }

    /// Rows with a value that is not finite, ascending.
    pub(crate) fn non_finite_rows(&self, description: &Description) -> Vec<usize> {
        let bad = |pattern: &Pattern, values: &[f64], row: usize| {
            pattern.row(row).any(|(_, position)| !values[position].is_finite())
        };
        (0..description.equations.len())
            .filter(|&row| bad(&description.jacobian_y, &self.y, row) || bad(&description.jacobian_yp, &self.yp, row))
            .collect()
    }
}

/// The matrix $a\\,F_{y'} + b\\,F_y$ of Newton's iteration with scaled columns, and its factors.
#[derive(Clone, Debug)]
pub(crate) struct IterationMatrix<S> {
    lu: Lu<S>,
    column_scale: Vec<f64>,
    factorizations: usize,
}

impl<S: Scalar> IterationMatrix<S> {
    /// Room for a system of `n` equations.
    pub(crate) fn new(n: usize) -> Self {
        IterationMatrix { lu: Lu::new(n), column_scale: vec![1.0; n], factorizations: 0 }
    }

    /// Fills in $a\\,F_{y'} + b\\,F_y$ with the columns scaled for steps of length `h`.
    pub(crate) fn assemble(&mut self, description: &Description, a: S, b: S, jacobians: &Jacobians, h: f64) {
        let n = self.lu.order();
        scale_by_index(description, h, &mut self.column_scale);
        self.column_scale.iter_mut().zip(&jacobians.magnitudes).for_each(|(scale, magnitude)| *scale *= magnitude);
        let matrix = self.lu.matrix_mut();
        matrix.fill(S::zero());
        for (pattern, values, factor) in
            [(&description.jacobian_yp, &jacobians.yp, a), (&description.jacobian_y, &jacobians.y, b)]
        {
            for (row, column, position) in pattern.entries() {
                matrix[column * n + row] += factor.scale(values[position] * self.column_scale[column]);
            }
        }
    }

    /// Factorises what was assembled.
    pub(crate) fn factorize(&mut self) -> Result<(), Singular> {
        self.factorizations += 1;
        self.lu.factorize()
    }

    /// How many times it was factorised: tells whether what was computed with the factors is out of date.
    pub(crate) fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Replaces the right-hand side by the solution of the unscaled system.
    pub(crate) fn solve(&self, x: &mut [S]) {
        self.lu.solve(x);
        for (x, &scale) in x.iter_mut().zip(&self.column_scale) {
            *x = x.scale(scale);
        }
    }
}

impl IterationMatrix<f64> {
    /// Where the assembled (not yet factorised) matrix is singular to working precision, if it is. Overwrites it.
    pub(crate) fn deficiency(&mut self) -> Option<Deficiency> {
        deficiency(self.lu.order(), self.lu.matrix_mut())
    }
}

/// $h^{-(k-1)}$ for each unknown of index $k$, with $h$ rounded to a power of two.
fn scale_by_index(description: &Description, h: f64, scale: &mut [f64]) {
    let inverse = 1.0 / power_of_two(h.abs());
    for (scale, unknown) in scale.iter_mut().zip(description.unknowns.iter()) {
        *scale = inverse.powi(i32::from(unknown.index) - 1);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Complex;
    use proptest::prelude::*;

    use super::*;

    /// Largest entry of $Ax - b$ for the column-major $A$.
    fn defect<S: Scalar>(n: usize, matrix: &[S], x: &[S], b: &[S]) -> f64 {
        (0..n)
            .map(|i| ((0..n).fold(S::zero(), |sum, j| sum + matrix[j * n + i] * x[j]) - b[i]).modulus())
            .fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn solves_real_and_complex_systems(
            n in 1usize..9,
            numbers in prop::collection::vec(-1.0f64..1.0, 200),
        ) {
            let mut lu = Lu::new(n);
            let entry = |k: usize| Complex::new(numbers[k], numbers[k + 90]);
            let matrix: Vec<_> = (0..n * n).map(entry).collect();
            let rhs: Vec<_> = (0..n).map(|k| entry(k + 81)).collect();
            lu.matrix_mut().copy_from_slice(&matrix);
            prop_assume!(lu.factorize().is_ok());
            let mut x = rhs.clone();
            lu.solve(&mut x);
            let growth = x.iter().fold(1.0, |m: f64, x| m.max(x.modulus()));
            prop_assert!(defect(n, &matrix, &x, &rhs) < 1e-13 * growth);
        }
    }

    #[test]
    fn pivots_when_the_diagonal_is_zero() {
        let mut lu = Lu::new(3);
        let matrix = [0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 5.0, 0.0];
        lu.matrix_mut().copy_from_slice(&matrix);
        lu.factorize().unwrap();
        let mut x = [1.0, 2.0, 3.0];
        lu.solve(&mut x);
        assert!(defect(3, &matrix, &x, &[1.0, 2.0, 3.0]) < 1e-15);
    }

    #[test]
    fn bad_units_of_rows_do_not_look_singular() {
        let mut lu = Lu::new(2);
        lu.matrix_mut().copy_from_slice(&[1e-20, 1.0, 1e-20, -1.0]);
        lu.factorize().unwrap();
        let mut x = [2e-20, 0.0];
        lu.solve(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn tells_why_there_are_no_factors() {
        let factorize = |matrix: &[f64]| {
            let mut lu = Lu::new(2);
            lu.matrix_mut().copy_from_slice(matrix);
            lu.factorize()
        };
        assert_eq!(factorize(&[1.0, 0.3, 0.1, 0.03]), Err(Singular::Column(1)));
        assert_eq!(factorize(&[1.0, 0.0, 2.0, 0.0]), Err(Singular::Row(1)));
        assert_eq!(factorize(&[1.0, f64::NAN, 2.0, 0.0]), Err(Singular::NonFinite(1)));
    }

    #[test]
    fn names_a_dependent_row_and_an_undetermined_column() {
        // Rows 0 and 2 are proportional; unknowns 1 and 2 occur as a sum only.
        let mut matrix = [1.0, 0.0, 0.1, 3.0, 1.0, 0.3, 3.0, 1.0, 0.3];
        let found = deficiency(3, &mut matrix).unwrap();
        assert!([0, 2].contains(&found.row) && [1, 2].contains(&found.column));
        assert_eq!(deficiency(2, &mut [1.0, 2.0, 3.0, 4.0]), None);
    }
}
