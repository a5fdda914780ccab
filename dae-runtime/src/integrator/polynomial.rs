//! Polynomials over a step.
//!
//! In: coefficients $c_0, c_1, \dots$ of all components, power by power, for the time from the end of the step in units
//! of its length. Out: values and derivatives.

/// Value and time derivative at $s$ of $\sum_j c_j s^j$ with $s$ in units of `length`.
pub(crate) fn evaluate(coefficients: &[f64], s: f64, length: f64, value: &mut [f64], slope: &mut [f64]) {
    value.fill(0.0);
    slope.fill(0.0);
    for power in coefficients.chunks_exact(value.len().max(1)).rev() {
        for ((value, slope), power) in value.iter_mut().zip(slope.iter_mut()).zip(power) {
            *slope = *slope * s + *value;
            *value = *value * s + power;
        }
    }
    slope.iter_mut().for_each(|slope| *slope /= length);
}

/// Second time derivative at $s$ of $\sum_j c_j s^j$ with $s$ in units of `length`.
pub(crate) fn curvature(coefficients: &[f64], s: f64, length: f64, curvature: &mut [f64]) {
    curvature.fill(0.0);
    let n = curvature.len().max(1);
    for (k, power) in coefficients.chunks_exact(n).enumerate().skip(2).rev() {
        let factor = (k * (k - 1)) as f64 / (length * length);
        curvature.iter_mut().zip(power).for_each(|(sum, power)| *sum = *sum * s + factor * power);
    }
}

/// Component `k`, of `n`, of $\sum_j c_j s^j$.
pub(crate) fn horner(coefficients: &[f64], n: usize, k: usize, s: f64) -> f64 {
    coefficients.chunks_exact(n).rev().fold(0.0, |sum, c| sum * s + c[k])
}

/// The coefficients of the cubic through two values and derivatives, in powers of the time from the end in units of the
/// length; derivatives are multiplied by the length.
pub(crate) fn hermite([start, end]: [f64; 2], [start_slope, end_slope]: [f64; 2]) -> [f64; 4] {
    let change = end - start;
    [end, end_slope, 2.0 * end_slope + start_slope - 3.0 * change, end_slope + start_slope - 2.0 * change]
}
