//! Dense output of extrapolation methods, and its error.
//!
//! In: the increments of the basic steps of an attempt, with state and derivative at both ends. Out: polynomials over the
//! step, and what limits its length for their sake.
//!
//! Backward differences of the sequences at the end of the step, divided by powers of their step size, tend to the
//! derivatives there, with errors that have expansions too (Hairer & Wanner II, section IV.9), except for those that
//! contain the state at the start, which in algebraic unknowns does not fit the sequence. From the others $y', \dots,
//! y^{(k-1)}$ are extrapolated; these, the state at the end, and state and derivative at the start determine a polynomial
//! of degree $k + 1$ (of algebraic unknowns, the derivative at the start is not known). Its error is $O(h^k)$, as is the
//! error estimate.
//!
//! The error between the ends is estimated by what the derivative at the start contributes (Hairer, Nørsett & Wanner I,
//! (II.9.27) ff.): a multiple of $(1 + s)\\, s^k$. The derivatives without the last sequence are entries of the same
//! tables, so that the error with one sequence less is known, too.

use super::table::Table;
use crate::contract::{Description, Kind};
use crate::integrator::error_weights::Weights;

/// The largest estimated error of dense output, in units of the error allowed at the end of a step. That of the derivative,
/// times the length of the step, is up to $e (k + 1)$ times as large, and states between the ends are corrected by what
/// the derivative leaves of the equations: with most steps, this is to be less than what is allowed.
const ALLOWED: f64 = 0.1;
/// With $k$ sequences, rounding errors of the increments contribute to the error estimate at most $4^k/6$ times: the sum of
/// the absolute values of the factors with which they enter, for $k$ from 3 to 8.
const AMPLIFICATION: (f64, f64) = (4.0, 6.0);
/// An estimate that may consist of rounding errors counts as at most this part of what is allowed: a shorter step would
/// not reduce it.
const LARGEST_NOISE: f64 = 0.3;
/// The estimated error, in units of the error allowed, that is aimed at where it does not decide on the order; and the
/// factor by which rounding errors are assumed to grow with each order there, since increments are solutions of linear
/// systems.
const AIM: f64 = 0.1;
const GROWTH: f64 = 10.0;
/// Largest number of states, both ends included, through which polynomials of algebraic unknowns are laid: as many as
/// determine one of the highest order.
const NODES: usize = 9;

/// Polynomials over the last attempt.
pub(super) struct Dense {
    /// Derivatives of one order.
    derivatives: Table,
    /// The polynomials, in powers of the time from the end of the step, in units of its length.
    coefficients: Vec<Vec<f64>>,
    /// State and derivative at the start of the attempt, and its signed length.
    start: Vec<f64>,
    start_slope: Vec<f64>,
    length: f64,
    is_differential: Vec<bool>,
    /// Value and derivative at the start of the polynomials without the last sequence, before they are made to fit.
    without: [Vec<f64>; 2],
    /// The contribution of the derivative at the start.
    between: Vec<f64>,
    /// Whether `coefficients` belong to the last attempt, and whether they contain what the basic method says of
    /// algebraic unknowns.
    is_complete: bool,
    is_corrected: bool,
    /// States at equal distances in the last step, from its end.
    nodes: Vec<Vec<f64>>,
}

impl Dense {
    /// For steps of at most `most` sequences.
    pub(super) fn new(description: &Description, most: usize) -> Dense {
        let zeros = vec![0.0; description.unknowns.len()];
        Dense {
            derivatives: Table::new(zeros.len(), most.max(2)),
            coefficients: vec![zeros.clone(); most + 2],
            start: zeros.clone(),
            start_slope: zeros.clone(),
            length: 0.0,
            is_differential: description.unknowns.iter().map(|unknown| unknown.kind == Kind::Differential).collect(),
            without: [zeros.clone(), zeros.clone()],
            between: zeros.clone(),
            is_complete: false,
            is_corrected: false,
            nodes: vec![zeros; NODES],
        }
    }

    /// Begins an attempt of length `h` with this state and derivative.
    pub(super) fn begin(&mut self, y: &[f64], slope: &[f64], h: f64) {
        self.start.copy_from_slice(y);
        self.start_slope.copy_from_slice(slope);
        self.length = h;
        self.forget();
    }

    /// The polynomials are no longer those of the attempt.
    pub(super) fn forget(&mut self) {
        (self.is_complete, self.is_corrected) = (false, false);
    }

    /// Extrapolates $h^\kappa y^{(\kappa)}$ at the end of an attempt, from differences without the state at the start,
    /// unless there is but one sequence.
    pub(super) fn derivative(&mut self, increments: &[Vec<Vec<f64>>], order: usize) -> &[f64] {
        let most = increments.len();
        self.derivatives.clear();
        for columns in (order + 1).min(most)..=most {
            let increments = &increments[columns - 1];
            let scale = (columns as f64).powi(order as i32);
            self.derivatives.push(columns, |k| {
                // The backward difference, with binomial coefficients.
                let (mut sum, mut binomial) = (0.0, 1.0);
                for i in 0..=order {
                    sum += binomial * increments[columns - i][k];
                    binomial *= -((order - i) as f64) / (i + 1) as f64;
                }
                scale * sum
            });
        }
        self.derivatives.best()
    }

    /// Computes the polynomials of an attempt with these sequences, given its end with the derivative there, unless that
    /// is done.
    pub(super) fn complete(&mut self, increments: &[Vec<Vec<f64>>], end: &[f64], end_slope: &[f64]) {
        if std::mem::replace(&mut self.is_complete, true) {
            return;
        }
        let degree = increments.len();
        self.coefficients[0].copy_from_slice(end);
        self.coefficients[1].iter_mut().zip(end_slope).for_each(|(c, slope)| *c = self.length * slope);
        let [value, slope] = &mut self.without;
        value.iter_mut().zip(end).zip(&self.coefficients[1]).for_each(|((value, end), c)| *value = end - c);
        slope.copy_from_slice(&self.coefficients[1]);
        let (mut factorial, mut sign) = (1.0, -1.0);
        for order in 2..degree {
            factorial *= order as f64;
            sign = -sign;
            self.derivative(increments, order);
            let Dense { coefficients, derivatives, without: [value, slope], .. } = self;
            coefficients[order].iter_mut().zip(derivatives.best()).for_each(|(c, best)| *c = best / factorial);
            if order + 1 < degree {
                let before = derivatives.best_before().iter().map(|before| sign * before / factorial);
                for ((value, slope), c) in value.iter_mut().zip(slope).zip(before) {
                    *value += c;
                    *slope -= order as f64 * c;
                }
            }
        }
        // The last two are such that the polynomial begins at the start, and with the derivative there.
        for k in 0..end.len() {
            let (mut value, mut slope) = (0.0, 0.0);
            for c in self.coefficients[..degree].iter().rev() {
                slope = value - slope;
                value = c[k] - value;
            }
            let missing = [self.start[k] - value, self.length * self.start_slope[k] - slope];
            let last = if self.is_differential[k] { contribution(degree, missing) } else { 0.0 };
            self.coefficients[degree][k] = parity(degree) * missing[0] + last;
            self.coefficients[degree + 1][k] = last;
        }
    }

    /// The errors of the polynomials with these sequences, which have to be complete, and without the last one, in units of
    /// what is allowed.
    pub(super) fn sizes(&mut self, columns: usize, weights: &Weights) -> [f64; 2] {
        for k in (0..self.between.len()).filter(|&k| self.is_differential[k]) {
            let [value, slope] = [&self.without[0], &self.without[1]].map(|without| without[k]);
            let missing = [self.start[k] - value, self.length * self.start_slope[k] - slope];
            self.between[k] = contribution(columns - 1, missing);
        }
        let before = self.size(columns - 1, weights);
        self.between.copy_from_slice(&self.coefficients[columns + 1]);
        let sizes = [self.size(columns, weights), before];
        let rounding = self.rounding(weights);
        [0, 1].map(|i| {
            let noise = rounding * AMPLIFICATION.0.powi((columns - i) as i32) / AMPLIFICATION.1;
            if sizes[i] <= noise { (sizes[i] / ALLOWED).min(LARGEST_NOISE) } else { sizes[i] / ALLOWED }
        })
    }

    /// By how much the next step may be longer for the sake of polynomials that do not become more accurate with the
    /// order. They have to be complete.
    pub(super) fn bound(&mut self, columns: usize, weights: &Weights) -> f64 {
        self.between.copy_from_slice(&self.coefficients[columns + 1]);
        let size = self.size(columns, weights);
        let noise = self.rounding(weights) * GROWTH.powi(columns as i32);
        if size <= noise { f64::INFINITY } else { (AIM / size).powf(1.0 / columns as f64) }
    }

    /// The size of the errors that follow from `between`, the last coefficients, which are replaced by the errors.
    fn size(&mut self, columns: usize, weights: &Weights) -> f64 {
        let k = columns as f64;
        let largest = (k / (k + 1.0)).powf(k) / (k + 1.0);
        self.between.iter_mut().for_each(|between| *between *= largest);
        weights.error_norm(&self.between)
    }

    /// Rounding errors of the state at the end, in units of the error allowed.
    fn rounding(&self, weights: &Weights) -> f64 {
        f64::EPSILON * weights.error_norm(&self.coefficients[0])
    }

    /// The signed length of the attempt.
    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The estimated errors between the ends of the attempt.
    pub(super) fn error(&self) -> &[f64] {
        &self.between
    }

    /// The polynomials of an attempt with so many sequences. Those of algebraic unknowns are replaced by polynomials through
    /// equidistant states, if `find` determines such: it corrects a state at the given position.
    pub(super) fn coefficients(&mut self, columns: usize, find: impl FnMut(f64, &mut [f64]) -> bool) -> &[Vec<f64>] {
        if !std::mem::replace(&mut self.is_corrected, true) && self.is_differential.contains(&false) {
            self.correct(columns, find);
        }
        &self.coefficients[..columns + 2]
    }

    fn correct(&mut self, columns: usize, mut find: impl FnMut(f64, &mut [f64]) -> bool) {
        let degree = columns + 1;
        let parts = self.nodes.len().min(degree + 1) - 1;
        for (j, node) in self.nodes.iter_mut().enumerate().take(parts + 1) {
            let s = -(j as f64) / parts as f64;
            for (k, value) in node.iter_mut().enumerate() {
                *value = match self.is_differential[k] {
                    true => self.coefficients[..=degree].iter().rev().fold(0.0, |sum, c| sum * s + c[k]),
                    false => self.coefficients[0][k] - s * (self.start[k] - self.coefficients[0][k]),
                };
            }
            if j > 0 && j < parts && !find(s, node) {
                return;
            }
        }
        for k in (0..self.start.len()).filter(|&k| !self.is_differential[k]) {
            self.coefficients.iter_mut().for_each(|c| c[k] = 0.0);
            // Newton's forward differences of x = -s parts, as powers of s.
            let mut basis = [0.0; NODES + 1];
            basis[0] = 1.0;
            for i in 0..=parts {
                let mut difference = 0.0;
                let mut binomial = 1.0;
                for j in (0..=i).rev() {
                    difference += binomial * self.nodes[j][k];
                    binomial *= -(j as f64) / (i + 1 - j) as f64;
                }
                let mut scale = difference;
                for (c, factor) in self.coefficients.iter_mut().zip(&basis[..=i]) {
                    c[k] += scale * factor;
                    scale *= -(parts as f64);
                }
                for power in (0..=i).rev() {
                    basis[power + 1] += basis[power] / (i + 1) as f64;
                    basis[power] *= -(i as f64) / (i + 1) as f64;
                }
            }
        }
    }
}

/// $(-1)^k$.
fn parity(k: usize) -> f64 {
    if k.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The coefficient of $s^{k+1}$, if value and derivative at $s = -1$ that are missing are due to powers $k$ and $k + 1$.
fn contribution(k: usize, [value, slope]: [f64; 2]) -> f64 {
    parity(k) * (slope + k as f64 * value)
}
