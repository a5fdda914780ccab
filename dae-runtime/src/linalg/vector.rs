//! Products, norms and maxima of vectors.
//!
//! In: entries. Out: a number.

/// $a^\top b$.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean norm.
pub(crate) fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

/// The larger number; NaN if either is NaN, which `f64::max` ignores.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
