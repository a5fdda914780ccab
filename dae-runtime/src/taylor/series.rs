//! Series moved to another point.
//!
//! In: the series of an unknown in scaled time. Out: the sums of it and its derivatives elsewhere, with the sums of the
//! absolute values of their terms, which measure rounding errors.

use super::scalar::Scalar;

/// $\sum_{m \ge k} \binom mk x_m \theta^{m - k}$ for $k = 0, \dots$, as many as `shifted` has room for: the coefficients
/// at the point $\theta$ away, by Horner's scheme, repeated (Knuth, *The Art of Computer Programming* 2, sect. 4.6.4).
pub(super) fn shift<S: Scalar>(series: &[S], theta: S, shifted: &mut [S]) {
    shifted.fill(S::zero());
    for &x in series.iter().rev() {
        for k in (1..shifted.len()).rev() {
            shifted[k] = shifted[k] * theta + shifted[k - 1];
        }
        if let Some(first) = shifted.first_mut() {
            *first = *first * theta + x;
        }
    }
}

/// $\sum_{m \ge k} \binom mk |x_m| |\theta|^{m - k}$ for $k = 0, \dots$, as many as `sums` has room for.
pub(super) fn absolute_sums<S: Scalar>(series: &[S], theta: f64, sums: &mut [f64]) {
    let sizes: Vec<f64> = series.iter().map(|x| x.to_f64().abs()).collect();
    shift(&sizes, theta.abs(), sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_moves_exactly() {
        // (1 + x)^4 about x = 2 is (3 + y)^4.
        let mut shifted = [0.0; 5];
        shift(&[1.0, 4.0, 6.0, 4.0, 1.0], 2.0, &mut shifted);
        assert_eq!(shifted, [81.0, 108.0, 54.0, 12.0, 1.0]);
        let mut fewer = [0.0; 2];
        shift(&[1.0, 4.0, 6.0, 4.0, 1.0], 2.0, &mut fewer);
        assert_eq!(fewer, [81.0, 108.0]);
        let mut sums = [0.0; 2];
        absolute_sums(&[1.0, -4.0, 6.0], -1.0, &mut sums);
        assert_eq!(sums, [11.0, 16.0]);
    }
}
