//! Polynomials of the steps, for a solution that can be evaluated anywhere.
//!
//! In: a stepper after a step. Out: the polynomial of the step, if that satisfies the equations; otherwise as many
//! pieces as are needed, through states that do (see [`Stepper::interpolate`]).

use crate::integrator::polynomial::{evaluate, horner};
use crate::integrator::stepper::Stepper;
use crate::solution::Solution;

/// Where the polynomial of a step is compared with states that satisfy the equations, in units of the step from its
/// end.
const COMPARED: [f64; 2] = [-0.6, -0.15];
/// A piece is a polynomial through this many equidistant states.
const NODES: usize = 6;
/// Where a piece is compared with states that satisfy the equations, in units of the piece from its end: between its
/// first two nodes and between its last two, where the error is largest.
const COMPARED_IN_PIECE: [f64; 2] = [-0.9, -0.1];
/// Largest number of successive halvings of a step.
const MAX_DEPTH: usize = 8;
/// From this depth on, a part is halved only if its error is at most `GAIN` times that of the piece of which it is a
/// half; otherwise the remaining error is taken for noise.
const TRUSTED_DEPTH: usize = 5;
const GAIN: f64 = 0.7;

/// Part of a step, in units of the step from its end.
#[derive(Clone, Copy)]
struct Part {
    begin: f64,
    end: f64,
    depth: usize,
    /// Error of the piece of which it is a half; infinite for the whole step.
    whole: f64,
}

/// Records the polynomial of the last step, which began at `before`, or the pieces that replace it.
pub(super) fn record(stepper: &mut dyn Stepper, before: f64, solution: &mut Solution) {
    let n = stepper.state().len();
    let mut state = vec![0.0; n];
    let now = stepper.time();
    let time = |s: f64| now + s * (now - before);
    solution.begin_polynomials();
    let mut polynomial = vec![0.0; (stepper.dense_degree() + 1) * n];
    stepper.dense_coefficients(&mut polynomial);
    let mut missed = vec![false; n];
    for s in COMPARED {
        stepper.interpolate(time(s), &mut state);
        for (k, weight) in stepper.error_weights().iter().enumerate() {
            missed[k] |= (state[k] - horner(&polynomial, n, k, s)).abs() * weight > 1.0;
        }
    }
    let missed: Vec<usize> = (0..n).filter(|&k| missed[k]).collect();
    if missed.is_empty() {
        return solution.push_polynomial([-1.0, 0.0], &polynomial);
    }
    let mut values = vec![0.0; NODES * n];
    let mut slope = vec![0.0; n];
    let mut parts = vec![Part { begin: -1.0, end: 0.0, depth: 0, whole: f64::INFINITY }];
    while let Some(Part { begin, end, depth, whole }) = parts.pop() {
        let length = end - begin;
        let seconds = length * (now - before);
        for (sigma, values) in nodes().into_iter().zip(values.chunks_exact_mut(n)) {
            let s = end + sigma * length;
            stepper.interpolate(time(s), &mut state);
            (0..n).for_each(|k| values[k] = horner(&polynomial, n, k, s));
            missed.iter().for_each(|&k| values[k] = state[k]);
        }
        // Unknowns that depend on derivatives are corrected now that the piece supplies these.
        let coefficients = fit(&values, n);
        for (sigma, values) in nodes().into_iter().zip(values.chunks_exact_mut(n)) {
            evaluate(&coefficients, sigma, seconds, &mut state, &mut slope);
            stepper.correct(time(end + sigma * length), &mut state, &mut slope);
            missed.iter().for_each(|&k| values[k] = state[k]);
        }
        let coefficients = fit(&values, n);
        let mut error: f64 = 0.0;
        for sigma in COMPARED_IN_PIECE {
            evaluate(&coefficients, sigma, seconds, &mut state, &mut slope);
            stepper.correct(time(end + sigma * length), &mut state, &mut slope);
            for &k in &missed {
                error = error.max((state[k] - horner(&coefficients, n, k, sigma)).abs() * stepper.error_weights()[k]);
            }
        }
        let gains = depth < TRUSTED_DEPTH || error <= GAIN * whole;
        if error > 1.0 && depth < MAX_DEPTH && gains {
            let middle = 0.5 * (begin + end);
            // The later half first, since the part pushed last is taken next.
            parts.push(Part { begin: middle, end, depth: depth + 1, whole: error });
            parts.push(Part { begin, end: middle, depth: depth + 1, whole: error });
        } else {
            solution.push_polynomial([begin, end], &coefficients);
        }
    }
}

/// The nodes of a piece, in units of its length from its end.
fn nodes() -> [f64; NODES] {
    std::array::from_fn(|j| j as f64 / (NODES - 1) as f64 - 1.0)
}

/// Coefficients of the polynomial in $\sigma$ through values at the nodes, power by power, by Newton's divided
/// differences. Each node has `n` values, one per unknown, and so has each power.
fn fit(values: &[f64], n: usize) -> Vec<f64> {
    let nodes = nodes();
    let mut coefficients = vec![0.0; values.len()];
    for k in 0..n {
        let mut differences: [f64; NODES] = std::array::from_fn(|j| values[j * n + k]);
        for order in 1..NODES {
            for j in (order..NODES).rev() {
                differences[j] = (differences[j] - differences[j - 1]) / (nodes[j] - nodes[j - order]);
            }
        }
        let mut powers = [0.0; NODES];
        for j in (0..NODES).rev() {
            for i in (0..NODES).rev() {
                let lower = if i == 0 { differences[j] } else { powers[i - 1] };
                powers[i] = lower - nodes[j] * powers[i];
            }
        }
        for (j, power) in powers.iter().enumerate() {
            coefficients[j * n + k] = *power;
        }
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_five_is_found_again() {
        let exact = |sigma: f64| [1.0 - sigma.powi(5) + 3.0 * sigma.powi(2), sigma.powi(3)];
        let values: Vec<f64> = nodes().into_iter().flat_map(exact).collect();
        let coefficients = fit(&values, 2);
        for sigma in [-1.3, -0.77, -0.2, 0.0, 0.4] {
            for (k, value) in exact(sigma).into_iter().enumerate() {
                assert!((horner(&coefficients, 2, k, sigma) - value).abs() < 1e-12);
            }
        }
    }
}
