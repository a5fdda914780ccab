//! Dense output of Runge–Kutta methods.
//!
//! In: a tableau, the slopes of a step, and what is known at its ends. Out: the polynomial of an unknown over the step.

use super::tableau::{Combination, Tableau};

/// The highest degree of dense output of any method.
pub(in crate::methods) const MAX_DEGREE: usize = 7;

/// Entry `k` of a combination of slopes.
pub(in crate::methods) fn combined(slopes: &[Vec<f64>], combination: Combination, k: usize) -> f64 {
    combination.iter().map(|&(stage, coefficient)| coefficient * slopes[stage][k]).sum()
}

/// The coefficients of the dense output of unknown `k`, in powers of the time from the end of the step, in units of its
/// signed length `h`; given the values at both ends and the derivative at the end.
pub(in crate::methods) fn powers(
    tableau: &Tableau,
    slopes: &[Vec<f64>],
    k: usize,
    h: f64,
    [start, end, end_slope]: [f64; 3],
) -> [f64; MAX_DEGREE + 1] {
    let degree = tableau.degree();
    let change = end - start;
    let first = h * slopes[0][k] - change;
    let mut terms = [start, change, first, change - h * end_slope - first, 0.0, 0.0, 0.0, 0.0];
    let higher = tableau.output.iter().map(|row| h * combined(slopes, row, k));
    terms[4..].iter_mut().zip(higher).for_each(|(term, higher)| *term = higher);
    if terms.iter().any(|term| term.is_nan()) {
        terms[4..].fill(0.0);
    }
    // Horner's scheme in theta = 1 + s and 1 - theta = -s in turn.
    let mut powers = [0.0; MAX_DEGREE + 1];
    powers[0] = terms[degree];
    for level in (0..degree).rev() {
        for power in (0..MAX_DEGREE).rev() {
            powers[power + 1] = if level % 2 == 0 { powers[power + 1] + powers[power] } else { -powers[power] };
        }
        powers[0] = if level % 2 == 0 { powers[0] + terms[level] } else { terms[level] };
    }
    powers
}
