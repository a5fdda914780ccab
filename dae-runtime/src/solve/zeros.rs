//! Zeros of a function of time.
//!
//! In: two times at which a function has different signs. Out: a zero between them, to the resolution of time. In: two
//! times at which it has the same sign. Out: a time between them at which it has the other, if it comes near zero and
//! turns.

/// Number of steps of the search for an extremum.
const TO_EXTREMUM: usize = 40;

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
        let end = usize::from(value * b.1 > 0.0);
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
    for _ in 0..TO_EXTREMUM {
        let (left, right) = (b - golden * (b - a), a + golden * (b - a));
        let (at_left, at_right) = (function(left), function(right));
        for (t, value) in [(left, at_left), (right, at_right)] {
            if value * sign <= 0.0 || value.is_nan() {
                return Some((t, value));
            }
        }
        if at_left.abs() < at_right.abs() { b = right } else { a = left }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
