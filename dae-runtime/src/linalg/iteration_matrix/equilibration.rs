//! Equilibration of rows by powers of two, which cause no rounding errors.
//!
//! In: a matrix. Out: the matrix with largest entries of rows between one and two, or the row where that is impossible
//! ([`Singular`]).

use super::scalar::Scalar;

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

/// The largest power of two that does not exceed a positive number, kept so far from 0 and infinity that neither it nor
/// its inverse overflows.
pub(super) fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.clamp(1e-300, 1e300).to_bits() & EXPONENT)
}

/// Divides each row by the largest power of two that does not exceed its largest entry; the inverses of these powers
/// are left in `scale`.
pub(super) fn equilibrate_rows<S: Scalar>(n: usize, matrix: &mut [S], scale: &mut [f64]) -> Result<(), Singular> {
    scale.fill(0.0);
    for column in matrix.chunks_exact(n.max(1)) {
        for (size, x) in scale.iter_mut().zip(column) {
            let norm = x.norm_1();
            // `max` alone would ignore a NaN.
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
