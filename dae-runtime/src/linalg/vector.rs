//! Products, norms, maxima and sums of vectors.
//!
//! In: entries. Out: a number, or a vector.

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

/// Adds a multiple of a vector; nothing if the factor is zero, whatever the entries are.
pub(crate) fn add(factor: f64, vector: &[f64], to: &mut [f64]) {
    if factor != 0.0 {
        to.iter_mut().zip(vector).for_each(|(to, entry)| *to += factor * entry);
    }
}
