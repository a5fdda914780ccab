//! Polynomials of the steps, for a solution that can be evaluated anywhere.
//!
//! In: a stepper after a step. Out: the polynomial of the step, if that satisfies the equations; otherwise as many
//! pieces as are needed, through states that do (see [`Stepper::interpolate`]). Parts are halved until their pieces are
//! accurate. An error that halving does not make smaller may be that of an oscillation with many periods in the part, or
//! noise, of equations that are solved to a few digits only: it is noise if it is there on the shortest part as well.

use std::f64::consts::PI;

use crate::integrator::polynomial::{evaluate, horner};
use crate::integrator::stepper::Stepper;
use crate::solution::Solution;

/// Where the polynomial of a step is compared with states that satisfy the equations, in units of the step from its
/// end. These are no multiples of a common fraction of the step, since an oscillation may have a period of its length.
const COMPARED: [f64; 2] = [-0.6137, -0.1583];
/// A piece is a polynomial through this many states.
const NODES: usize = 6;
/// Where a piece is compared with states that satisfy the equations, in units of the piece from its end: between nodes,
/// and as irregularly as [`COMPARED`].
const COMPARED_IN_PIECE: [f64; 3] = [-0.7723, -0.4819, -0.0461];
/// Largest number of successive halvings of a step.
const MAX_DEPTH: i32 = 14;
/// After so many parts of a step that are not accurate at this depth, no others are halved: where equations are not
/// solved reliably, halving does not help.
const MOST_INACCURATE: usize = 32;
/// Where the error of a half is more than this part of the error of the whole, it may be noise.
const GAIN: f64 = 0.7;

/// Part of a step, in units of the step from its end.
#[derive(Clone, Copy)]
struct Part {
    begin: f64,
    end: f64,
    depth: i32,
    /// Error of the piece of which it is a half; infinite for the whole step.
    whole: f64,
}

/// A polynomial in place of that of a part, in units of the part from its end.
struct Piece {
    coefficients: Vec<f64>,
    /// Its error, in units of the error allowed; infinite where it is compared with nothing, since the equations could
    /// not be solved.
    error: f64,
}

/// Records the polynomial of the last step, which began at `before`, or the pieces that replace it.
pub(super) fn record(stepper: &mut dyn Stepper, before: f64, solution: &mut Solution) {
    solution.begin_polynomials();
    let mut step = LastStep::new(stepper, before);
    step.compare();
    if step.missed.is_empty() {
        return solution.push_polynomial([-1.0, 0.0], &step.polynomial);
    }
    let mut inaccurate = 0;
    let mut parts = vec![Part { begin: -1.0, end: 0.0, depth: 0, whole: f64::INFINITY }];
    while let Some(Part { begin, end, depth, whole }) = parts.pop() {
        let Piece { coefficients, error } = step.piece(begin, end);
        let is_noise = |step: &mut LastStep<'_>| {
            let shortest = begin + 0.5_f64.powi(MAX_DEPTH);
            error >= GAIN * whole && step.piece(begin, shortest).error >= GAIN * error
        };
        if error > 1.0 && depth < MAX_DEPTH && inaccurate < MOST_INACCURATE && !is_noise(&mut step) {
            let middle = 0.5 * (begin + end);
            // The later half first, since the part pushed last is taken next.
            parts.push(Part { begin: middle, end, depth: depth + 1, whole: error });
            parts.push(Part { begin, end: middle, depth: depth + 1, whole: error });
        } else {
            inaccurate += usize::from(error > 1.0 && depth == MAX_DEPTH);
            solution.push_polynomial([begin, end], &coefficients);
        }
    }
}

/// The last step of a stepper.
struct LastStep<'a> {
    stepper: &'a mut dyn Stepper,
    /// Its end and its length.
    now: f64,
    length: f64,
    polynomial: Vec<f64>,
    /// The unknowns that the polynomial misses somewhere.
    missed: Vec<usize>,
    state: Vec<f64>,
    slope: Vec<f64>,
}

impl<'a> LastStep<'a> {
    fn new(stepper: &'a mut dyn Stepper, before: f64) -> Self {
        let (n, now) = (stepper.state().len(), stepper.time());
        let mut polynomial = vec![0.0; (stepper.dense_degree() + 1) * n];
        stepper.dense_coefficients(&mut polynomial);
        let [state, slope] = [vec![0.0; n], vec![0.0; n]];
        LastStep { stepper, now, length: now - before, polynomial, missed: Vec::new(), state, slope }
    }

    fn time(&self, s: f64) -> f64 {
        self.now + s * self.length
    }

    /// Compares the polynomial with states that satisfy the equations.
    fn compare(&mut self) {
        let n = self.state.len();
        let mut missed = vec![false; n];
        for s in COMPARED {
            self.stepper.interpolate(self.time(s), &mut self.state);
            for (k, weight) in self.stepper.error_weights().iter().enumerate() {
                missed[k] |= (self.state[k] - horner(&self.polynomial, n, k, s)).abs() * weight > 1.0;
            }
        }
        self.missed = (0..n).filter(|&k| missed[k]).collect();
    }

    /// The polynomial through states that satisfy the equations, for the unknowns that the polynomial of the step
    /// misses; for the others it is that polynomial.
    fn piece(&mut self, begin: f64, end: f64) -> Piece {
        let (n, length) = (self.state.len(), end - begin);
        let mut values = vec![0.0; NODES * n];
        for (sigma, values) in nodes().into_iter().zip(values.chunks_exact_mut(n)) {
            let s = end + sigma * length;
            self.stepper.interpolate(self.time(s), &mut self.state);
            (0..n).for_each(|k| values[k] = horner(&self.polynomial, n, k, s));
            self.missed.iter().for_each(|&k| values[k] = self.state[k]);
        }
        // Unknowns that depend on derivatives are corrected now that the piece supplies these.
        let coefficients = fit(&values, n);
        for (sigma, values) in nodes().into_iter().zip(values.chunks_exact_mut(n)) {
            self.corrected(&coefficients, sigma, begin, end);
            self.missed.iter().for_each(|&k| values[k] = self.state[k]);
        }
        let coefficients = fit(&values, n);
        let mut error: f64 = 0.0;
        for sigma in COMPARED_IN_PIECE {
            if !self.corrected(&coefficients, sigma, begin, end) {
                error = f64::INFINITY;
            }
            for &k in &self.missed {
                let difference = (self.state[k] - horner(&coefficients, n, k, sigma)).abs();
                error = error.max(difference * self.stepper.error_weights()[k]);
            }
        }
        Piece { coefficients, error }
    }

    /// Computes the state that satisfies the equations next to a piece, in `state`; where that fails, it is the value
    /// of the piece.
    fn corrected(&mut self, coefficients: &[f64], sigma: f64, begin: f64, end: f64) -> bool {
        let length = end - begin;
        evaluate(coefficients, sigma, length * self.length, &mut self.state, &mut self.slope);
        self.stepper.correct(self.time(end + sigma * length), &mut self.state, &mut self.slope)
    }
}

/// The nodes of a piece, in units of its length from its end: the ends and the extrema of a Chebyshev polynomial.
fn nodes() -> [f64; NODES] {
    std::array::from_fn(|j| -0.5 - 0.5 * (PI * j as f64 / (NODES - 1) as f64).cos())
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
