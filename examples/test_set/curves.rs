//! Work over precision, and ratios of the work of two codes.
//!
//! In: curves, whose points give correct digits and several measures of work. Out: ratios. The logarithm of work is
//! interpolated linearly in the number of digits, along the curve of a code through its tolerances. Where a code has
//! several curves (formulations, variants), the best counts at every number of digits. A ratio is the geometric mean
//! over the digits that both codes reach.

use std::collections::BTreeMap;

/// Curves are compared at about this many points per digit.
const SAMPLES_PER_DIGIT: f64 = 4.0;

/// A point of a curve: correct digits, and measures of work.
pub(crate) type Point<const M: usize> = (f64, [f64; M]);

/// Curves by their names.
pub(crate) type Curves<const M: usize> = BTreeMap<String, Vec<Point<M>>>;

/// The range of digits that both codes reach, and the ratios, one for each measure; `None` if there is no such range,
/// or a gap between curves in it.
pub(crate) fn ratios<const M: usize>(ours: &Curves<M>, theirs: &Curves<M>) -> Option<((f64, f64), [f64; M])> {
    let range = |curves: &Curves<M>| {
        let digits = || curves.values().flatten().map(|point| point.0);
        (digits().fold(f64::INFINITY, f64::min), digits().fold(f64::NEG_INFINITY, f64::max))
    };
    let (low, high) = (range(ours).0.max(range(theirs).0), range(ours).1.min(range(theirs).1));
    if low > high {
        return None;
    }
    let samples = ((high - low) * SAMPLES_PER_DIGIT).floor();
    let mut logarithms = [0.0; M];
    let mut count = 0.0;
    for k in 0..=samples.max(0.0) as usize {
        let digits = low + (high - low) * k as f64 / samples.max(1.0);
        for (measure, logarithm) in logarithms.iter_mut().enumerate() {
            *logarithm += (best(ours, digits, measure)? / best(theirs, digits, measure)?).ln();
        }
        count += 1.0;
    }
    Some(((low, high), logarithms.map(|sum| f64::exp(sum / count))))
}

/// The least work of all curves at a number of digits; `None` if no curve passes it.
fn best<const M: usize>(curves: &Curves<M>, digits: f64, measure: usize) -> Option<f64> {
    curves.values().filter_map(|curve| interpolated(curve, digits, measure)).min_by(f64::total_cmp)
}

/// Work at a number of digits, interpolated between neighbouring tolerances: the geometric mean if the curve turns back
/// and passes it several times, `None` if it never does.
fn interpolated<const M: usize>(curve: &[Point<M>], digits: f64, measure: usize) -> Option<f64> {
    let between = |pair: &[Point<M>]| {
        let ((d0, w0), (d1, w1)) = (pair[0], pair[1]);
        let part = if d1 == d0 { 0.5 } else { (digits - d0) / (d1 - d0) };
        (-1e-9..=1.0 + 1e-9).contains(&part).then(|| w0[measure].powf(1.0 - part) * w1[measure].powf(part))
    };
    let found: Vec<f64> = curve.windows(2).filter_map(between).collect();
    (!found.is_empty()).then(|| geometric_mean(found.into_iter()))
}

/// The geometric mean of positive values.
pub(crate) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    f64::exp(sum / count)
}
