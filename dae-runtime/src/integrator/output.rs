//! States between the ends of a step.
//!
//! In: the polynomial of a step and the factors that were at hand for it. Out: the state at a time within the step, as accurate as the steps.
//!
//! Error tests leave out what the equations determine anew at every step: algebraic unknowns, unknowns of index 2, and for one-step methods whatever
//! constraints prescribe. With $\sin 100t$ as an algebraic unknown steps may be longer than its period, and a polynomial through their ends
//! has nothing to do with it. So the defect of the polynomial $p$ is measured in units of the unknowns,
//!
//! $$ e = -(c F_{y'} + F_y)^{-1} F(t, p(t), p'(t)), $$
//!
//! and where it is larger than errors may be, Newton's iteration goes on from there: the equations hold at the state that comes out, whose
//! differential unknowns the method knows, and of whose slopes $c\,e$ takes what the constraints ask for.

use super::{Run, Scheme};
use crate::contract::Kind;
use crate::solution::horner;
use crate::stepper::Interpolation;

/// Corrections that are this small, in units of what is allowed, end the iteration.
const SETTLED: f64 = 0.1;
/// So many there may be.
const MAX_CORRECTIONS: usize = 12;
/// Slowest rate worth waiting for.
const SLOWEST_RATE: f64 = 0.9;

/// Storage.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    coefficients: Vec<f64>,
    slope: Vec<f64>,
    correction: Vec<f64>,
}

impl Output {
    /// The state at time `t` of the step that began at `before`, in `y`.
    pub(super) fn state(
        &mut self,
        run: &mut Run<'_>,
        scheme: &dyn Scheme,
        before: f64,
        t: f64,
        y: &mut [f64],
    ) -> Interpolation {
        let (now, n) = (run.clock.time(), y.len());
        let s = (t - now) / (now - before);
        self.slope.resize(n, 0.0);
        self.correction.resize(n, 0.0);
        self.coefficients.resize((scheme.dense_degree() + 1) * n, 0.0);
        scheme.dense_coefficients(&mut self.coefficients);
        self.polynomial(s, now - before, y);
        match self.correct(run, scheme, t, y) {
            Some(size) if size <= 1.0 => {
                self.polynomial(s, now - before, y);
                return Interpolation::Polynomial;
            }
            _ => self.polynomial(s, now - before, y),
        }
        if self.solve(run, scheme, t, y) {
            return Interpolation::Corrected;
        }
        // A polynomial of high degree through few values may be far away.
        self.polynomial(s, now - before, y);
        for (k, unknown) in run.dae.description().unknowns.iter().enumerate() {
            if unknown.kind == Kind::Algebraic {
                let (start, end) = (horner(&self.coefficients, n, k, -1.0), self.coefficients[k]);
                y[k] = end + s * (end - start);
            }
        }
        if self.solve(run, scheme, t, y) {
            return Interpolation::Corrected;
        }
        self.polynomial(s, now - before, y);
        Interpolation::Polynomial
    }

    /// Value and slope of the polynomial of a step of length `h`, in `y` and `slope`.
    fn polynomial(&mut self, s: f64, h: f64, y: &mut [f64]) {
        let n = y.len();
        y.fill(0.0);
        self.slope.fill(0.0);
        for power in self.coefficients.chunks_exact(n.max(1)).rev() {
            for ((y, slope), power) in y.iter_mut().zip(&mut self.slope).zip(power) {
                *slope = *slope * s + *y;
                *y = *y * s + power;
            }
        }
        self.slope.iter_mut().for_each(|slope| *slope /= h);
    }

    /// Iterates until the equations hold; whether they do.
    fn solve(&mut self, run: &mut Run<'_>, scheme: &dyn Scheme, t: f64, y: &mut [f64]) -> bool {
        let mut previous = f64::INFINITY;
        for _ in 0..MAX_CORRECTIONS {
            let Some(size) = self.correct(run, scheme, t, y) else { return false };
            if size <= SETTLED {
                return true;
            }
            if size > SLOWEST_RATE * previous {
                return false;
            }
            previous = size;
        }
        false
    }

    /// One correction; its weighted norm, if it is finite.
    fn correct(&mut self, run: &mut Run<'_>, scheme: &dyn Scheme, t: f64, y: &mut [f64]) -> Option<f64> {
        let (matrix, leading) = scheme.factors();
        run.dae.residual(t, y, &self.slope, &mut self.correction);
        run.statistics.residuals += 1;
        if self.correction.iter().any(|r| !r.is_finite()) {
            return None;
        }
        matrix.solve(&mut self.correction);
        run.statistics.solves += 1;
        for ((y, slope), correction) in y.iter_mut().zip(&mut self.slope).zip(&self.correction) {
            *y -= correction;
            *slope -= leading * correction;
        }
        Some(run.weights.norm(&self.correction)).filter(|size| size.is_finite())
    }
}
