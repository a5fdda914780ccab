//! Zeros of a function of time.
//!
//! In: two times at which a function has different signs. Out: a zero between them, to the resolution of time. In: two
//! times at which it has the same sign. Out: a time between them at which it has the other, if it comes near zero and
//! turns; the same for a list of samples. In: samples that do not show how a function changes, since it oscillates
//! between them. Out: samples fine enough to show it.

/// Number of steps of the search for an extremum.
const TO_EXTREMUM: usize = 40;
/// Where the values at the ends of an interval are no more than this multiple of those inside, an extremum between them is
/// far from zero.
const FLAT: f64 = 1.1;
/// At the ends of an interval, a function is also evaluated at this fraction of the distance to the next sample.
const LOOK: f64 = 1e-3;

/// Samples show how a function changes if the polynomial through them has its slopes at both ends, up to this multiple of
/// its range over the length of the interval.
const TELLING: f64 = 1.0;
/// Slopes and ranges below this fraction of the values are those of rounding errors.
const ROUNDING: f64 = 1e-9;
/// The largest mean change between neighbouring samples of a function that oscillates, as a fraction of its range.
const FINE: f64 = 0.25;
/// The smallest and the largest number of intervals between these samples.
const INTERVALS: [f64; 2] = [8.0, 1024.0];
/// An interval is halved at most this often, and not at all once there are this many samples.
const DIVISIONS: usize = 8;
const SAMPLES: usize = 4096;
/// An interval is not divided where the function is that near to the straight line, as a fraction of its distance from
/// zero.
const STRAIGHT: f64 = 0.25;

/// Whether neither number is zero, and they have the same sign: a product of very small ones would be zero.
fn have_one_sign(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// The zero between two times at which a function has different signs, to the resolution of time: regula falsi with the
/// Illinois rule, and bisection where that is slower.
pub(super) fn bracketed(
    mut a: (f64, f64),
    mut b: (f64, f64),
    resolution: f64,
    function: &mut impl FnMut(f64) -> f64,
) -> f64 {
    // The function values, halved at an end that stays.
    let mut weights = [a.1, b.1];
    let mut last = 0;
    // Widths of the last two brackets.
    let mut widths = [f64::INFINITY; 2];
    loop {
        let width = (b.0 - a.0).abs();
        if width <= resolution {
            break;
        }
        let secant = b.0 - weights[1] * (b.0 - a.0) / (weights[1] - weights[0]);
        let inside = (secant - a.0) * (secant - b.0) < 0.0;
        let t = if inside && width <= 0.5 * widths[0] { secant } else { 0.5 * (a.0 + b.0) };
        widths = [widths[1], width];
        if t == a.0 || t == b.0 {
            break;
        }
        let value = function(t);
        if value == 0.0 || value.is_nan() {
            return t;
        }
        let end = usize::from(have_one_sign(value, b.1));
        *(if end == 1 { &mut b } else { &mut a }) = (t, value);
        weights[end] = value;
        if last == end + 1 {
            weights[1 - end] *= 0.5;
        }
        last = end + 1;
    }
    if a.1.abs() < b.1.abs() { a.0 } else { b.0 }
}

/// A time between two others at which a function, with the sign of `sign` at both, has not that sign, by golden-section
/// search towards zero, and its value there; `None` if none is found.
pub(super) fn dip([mut a, mut b]: [f64; 2], sign: f64, function: &mut dyn FnMut(f64) -> f64) -> Option<(f64, f64)> {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    // Values at the ends; those of the first ones are not needed.
    let mut ends = [f64::INFINITY; 2];
    for _ in 0..TO_EXTREMUM {
        let (left, right) = (b - golden * (b - a), a + golden * (b - a));
        let (at_left, at_right) = (function(left), function(right));
        for (t, value) in [(left, at_left), (right, at_right)] {
            if !have_one_sign(value, sign) {
                return Some((t, value));
            }
        }
        let (at_left, at_right) = (at_left.abs(), at_right.abs());
        let least = at_left.min(at_right);
        if ends[0].max(ends[1]) <= FLAT * least {
            return None;
        }
        if at_left < at_right { (b, ends[1]) = (right, at_right) } else { (a, ends[0]) = (left, at_left) }
    }
    None
}

/// The slope of the polynomial through these points at the last of them.
fn slope_at_last(points: &[(f64, f64)]) -> f64 {
    // Newton's divided differences, from the last point on.
    let mut differences: Vec<f64> = points.iter().rev().map(|point| point.1).collect();
    let times: Vec<f64> = points.iter().rev().map(|point| point.0).collect();
    let (mut slope, mut product) = (0.0, 1.0);
    for order in 1..times.len() {
        for k in 0..times.len() - order {
            differences[k] = (differences[k + 1] - differences[k]) / (times[k + order] - times[k]);
        }
        slope += differences[0] * product;
        product *= times[0] - times[order];
    }
    slope
}

/// The slope of a function in units of its range over the length of the interval, if samples, those at the ends included, do
/// not show how it changes: their polynomial does not have its `slopes` at both ends, by more than the `noise` of values
/// between which these are measured.
pub(super) fn untold(samples: &[(f64, f64)], slopes: [f64; 2], noise: &dyn Fn() -> f64) -> Option<f64> {
    let length = (samples.last()?.0 - samples.first()?.0).abs();
    let backwards: Vec<(f64, f64)> = samples.iter().rev().copied().collect();
    let expected = [slope_at_last(&backwards), slope_at_last(samples)];
    let range = range(samples);
    let off =
        slopes.iter().zip(expected).map(|(slope, expected)| (slope - expected).abs() * length).fold(0.0, f64::max);
    let steepness = slopes[0].abs().max(slopes[1].abs()) * length / range;
    let is_off = off > TELLING * range && !steepness.is_nan() && off > TELLING * range + noise();
    is_off.then_some(steepness)
}

/// Samples of a function that oscillates between two times, those at the ends included. `steepness` is its slope in units
/// of its range over the length of the interval ([`untold`]).
pub(super) fn oscillation(ends: [f64; 2], steepness: f64, function: &mut dyn FnMut(f64) -> f64) -> Vec<(f64, f64)> {
    let mut count = (steepness / FINE).clamp(INTERVALS[0], INTERVALS[1]).ceil();
    let mut samples = evenly(ends, count, function);
    while count < INTERVALS[1] && mean_change(&samples) > FINE {
        count = (2.0 * count).min(INTERVALS[1]);
        samples = evenly(ends, count, function);
    }
    let mut refined = vec![samples[0]];
    for &end in &samples[1..] {
        let mut ahead = vec![(end, 0)];
        while let Some((end, divisions)) = ahead.pop() {
            let start = refined[refined.len() - 1];
            if divisions < DIVISIONS && refined.len() < SAMPLES {
                let t = 0.5 * (start.0 + end.0);
                let middle = (t, function(t));
                let bend = (middle.1 - 0.5 * (start.1 + end.1)).abs();
                let distance = match have_one_sign(start.1, end.1) {
                    true => middle.1.abs().min(start.1.abs()).min(end.1.abs()),
                    false => (start.1 - end.1).abs(),
                };
                if bend > STRAIGHT * distance {
                    ahead.extend([(end, divisions + 1), (middle, divisions + 1)]);
                    continue;
                }
            }
            refined.push(end);
        }
    }
    refined
}

/// Samples at the ends of this number of equal intervals.
fn evenly([from, to]: [f64; 2], count: f64, function: &mut dyn FnMut(f64) -> f64) -> Vec<(f64, f64)> {
    let time = |k: f64| if k == count { to } else { from + (to - from) * (k / count) };
    (0..=count as usize).map(|k| time(k as f64)).map(|t| (t, function(t))).collect()
}

/// The mean change between neighbouring samples, as a fraction of their range.
fn mean_change(samples: &[(f64, f64)]) -> f64 {
    let changes: f64 = samples.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).sum();
    changes / (range(samples) * (samples.len() - 1) as f64)
}

/// The range of samples, but no less than rounding errors.
fn range(samples: &[(f64, f64)]) -> f64 {
    let ends = samples.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lowest, highest], &(_, value)| {
        [lowest.min(value), highest.max(value)]
    });
    (ends[1] - ends[0]).max(ROUNDING * ends[1].abs().max(ends[0].abs()))
}

/// Inserts times at which a function that comes near zero between samples, and turns, is beyond it; the samples are
/// times with values, in order.
pub(super) fn insert_dips(samples: &mut Vec<(f64, f64)>, function: &mut dyn FnMut(f64) -> f64) {
    // Conditions on discrete variables and on the mode are constant between events.
    if samples.windows(2).all(|pair| pair[0].1 == pair[1].1) {
        return;
    }
    let mut dips: Vec<(usize, (f64, f64))> = Vec::new();
    let is_smaller = |a: f64, b: f64| have_one_sign(a, b) && a.abs() < b.abs();
    let last = samples.len().saturating_sub(1);
    for k in 0..samples.len() {
        let (t, value) = samples[k];
        let [before, after] = [k.checked_sub(1), Some(k + 1).filter(|&next| next <= last)];
        let [before, after] = [before, after].map(|place| place.map(|place| samples[place]));
        if ![before, after].into_iter().flatten().all(|(_, other)| is_smaller(value, other) || other == value) {
            continue;
        }
        // At an end of the step, the function has turned inside if it is smaller a little way inside.
        let turns_towards = |(other, _): (f64, f64), function: &mut dyn FnMut(f64) -> f64| {
            let near = function(t + LOOK * (other - t));
            !have_one_sign(near, value) || is_smaller(near, value)
        };
        let ends = match (before, after) {
            (Some(before), Some(after)) => Some([before.0, after.0]),
            (Some(before), None) => turns_towards(before, function).then_some([before.0, t]),
            (None, Some(after)) => turns_towards(after, function).then_some([t, after.0]),
            (None, None) => None,
        };
        let found = ends.and_then(|ends| dip(ends, value, function)).filter(|it| have_one_sign(it.1, -value));
        if let Some(found) = found {
            let is_later = before.is_none() || before.is_some_and(|it| (found.0 - t) * (t - it.0) > 0.0);
            dips.push((if is_later { k + 1 } else { k }, found));
        }
    }
    dips.into_iter().rev().for_each(|(place, dip)| samples.insert(place, dip));
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn a_constant_is_not_examined() {
        let mut samples: Vec<(f64, f64)> = (0..5).map(|k| (f64::from(k), -1.0)).collect();
        insert_dips(&mut samples, &mut |t| panic!("evaluated at {t}"));
        assert_eq!(samples.len(), 5);
    }

    #[test]
    fn zeros_are_found_to_rounding() {
        type Case = (fn(f64) -> f64, f64);
        let functions: [Case; 5] = [
            (|t| t - 0.3, 0.3),
            (|t| (t - 0.7).powi(3), 0.7),
            (|t| (20.0 * (t - 0.2)).tanh(), 0.2),
            (|t| if t < 0.4 { -1e-9 } else { 1e9 }, 0.4),
            (|t| t.exp() - 1.5, 1.5_f64.ln()),
        ];
        for (function, zero) in functions {
            let mut calls = 0;
            let mut counted = |t: f64| {
                calls += 1;
                function(t)
            };
            let t = bracketed((0.0, function(0.0)), (1.0, function(1.0)), 1e-15, &mut counted);
            assert!((t - zero).abs() < 1e-14 || function(t).abs() < 1e-40, "{t} for {zero}");
            assert!(calls < 130, "{calls} calls for {zero}");
        }
    }

    #[test]
    fn dips_are_found_or_not() {
        for (depth, is_found) in [(1e-9, true), (1e-3, true), (-1e-9, false), (-1e-3, false)] {
            let found = dip([0.0, 1.0], 1.0, &mut |t| (t - 0.3).powi(2) - depth);
            assert_eq!(found.is_some(), is_found, "{depth}: {found:?}");
            assert!(found.is_none_or(|(t, value)| (t - 0.3).powi(2) <= depth && value <= 0.0));
        }
    }

    /// What five samples and the slopes at both ends of $[0, 1]$ tell of a function, and its changes of sign as found.
    fn examined(function: &dyn Fn(f64) -> f64) -> (Option<f64>, usize) {
        let samples = [0.0, 0.2, 0.47, 0.78, 1.0].map(|t| (t, function(t)));
        let slopes = [(0.0, 1e-3), (1.0, -1e-3)].map(|(t, by)| (function(t + by) - function(t)) / by);
        let steepness = untold(&samples, slopes, &|| 0.0);
        let samples = oscillation([0.0, 1.0], steepness.unwrap_or(0.0), &mut |t| function(t));
        (steepness, samples.windows(2).filter(|pair| !have_one_sign(pair[0].1, pair[1].1)).count())
    }

    #[test]
    fn no_oscillation_between_samples_is_missed() {
        for k in 0..2000 {
            let rate = 4.0 + 0.2 * f64::from(k);
            let phase = 1.7 + f64::from(k);
            let (steepness, found) = examined(&|t| (rate * t + phase).sin());
            let changes = ((rate + phase) / PI).floor() - (phase / PI).floor();
            // Three samples in half a period show all changes as they are.
            assert!(steepness.is_some() || rate < 3.0 * PI, "{rate}, {phase}");
            assert_eq!(found as f64, changes, "{rate}, {phase}");
        }
    }

    #[test]
    fn what_samples_show_is_not_examined() {
        let smooth: [fn(f64) -> f64; 4] =
            [|t| 3.0 * t - 1.0, |t| (t - 0.3).powi(4), |t| (4.0 * t).sin(), |t| (-4.0 * t).exp() - 0.5];
        assert!(smooth.iter().all(|function| examined(function).0.is_none()));
        // A jump is: it is found, and nothing else.
        assert_eq!(examined(&|t| if t < 0.4 { -1.0 } else { 1.0 }).1, 1);
    }
}
