//! States between the ends of a step.
//!
//! In: the polynomial of a step and the factors with which it was solved. Out: the state at a time within the step, as
//! accurate as at its ends.
//!
//! Error tests leave out what the equations determine anew at every step: algebraic unknowns, unknowns of index 2, and
//! for one-step methods whatever constraints prescribe. With $\sin 100t$ as an algebraic unknown, steps may be longer
//! than its period, and a polynomial through their ends bears no relation to it. So the defect of the polynomial $p$ is
//! measured in units of the unknowns,
//!
//! $$ e = -(c F_{y'} + F_y)^{-1} F(t, p(t), p'(t)), $$
//!
//! and where it is larger than the error allowed, Newton's iteration continues from there: the equations hold at the
//! resulting state. From it the unknowns are taken that the polynomial misses by more than their tolerance. Finally,
//! algebraic unknowns of index 1 are solved for, with the others held fixed: their events occur where the equations
//! say.
//!
//! A formulation that is solved for derivatives and algebraic unknowns ([`Leading::Solved`]) holds at any values of the
//! others: one evaluation gives what the polynomial may miss.

use super::run::Run;
use super::scheme::Scheme;
use crate::contract::{Description, Kind, Leading};
use crate::integrator::polynomial::{evaluate, horner};

/// Corrections of this size, in units of the error allowed, end the iteration.
const SETTLED: f64 = 0.1;
/// Largest number of corrections.
const MAX_CORRECTIONS: usize = 12;
/// Corrections of this size, in the same units, end the iteration for the algebraic unknowns of index 1.
const FOLLOWS: f64 = 1e-3;
/// Slowest rate of convergence worth waiting for.
const SLOWEST_RATE: f64 = 0.9;

/// Storage.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    /// Those of the polynomial of the last step, if `is_current`.
    coefficients: Vec<f64>,
    is_current: bool,
    /// The state and the derivative from which the iteration begins.
    start: [Vec<f64>; 2],
    /// Value and derivative of the polynomial.
    polynomial: [Vec<f64>; 2],
    /// The residual from which a correction is computed, and the correction.
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// Algebraic unknowns of index 1, and the equations with derivatives.
    algebraic: Vec<usize>,
    with_derivatives: Vec<usize>,
}

impl Output {
    pub(super) fn new(description: &Description) -> Output {
        let unknowns = &description.unknowns;
        let is_algebraic = |k: &usize| unknowns[*k].kind == Kind::Algebraic && unknowns[*k].index == 1;
        let has_derivatives = |row: &usize| description.jacobian_yp.row(*row).next().is_some();
        Output {
            algebraic: (0..unknowns.len()).filter(is_algebraic).collect(),
            with_derivatives: (0..description.equations.len()).filter(has_derivatives).collect(),
            ..Output::default()
        }
    }

    /// Drops what belongs to the last step: another one follows.
    pub(super) fn forget(&mut self) {
        self.is_current = false;
    }

    /// Computes the state at time `t` within the step that began at `before`, in `y`.
    pub(super) fn state(&mut self, run: &mut Run<'_>, scheme: &mut dyn Scheme, before: f64, t: f64, y: &mut [f64]) {
        let (now, n) = (run.clock.time(), y.len());
        let (s, h) = ((t - now) / (now - before), now - before);
        if !self.is_current {
            self.coefficients.resize((scheme.dense_degree() + 1) * n, 0.0);
            scheme.dense_coefficients(run, &mut self.coefficients);
            self.is_current = true;
        }
        let [mut polynomial, mut slope] = std::mem::take(&mut self.polynomial);
        polynomial.resize(n, 0.0);
        slope.resize(n, 0.0);
        evaluate(&self.coefficients, s, h, &mut polynomial, &mut slope);
        y.copy_from_slice(&polynomial);
        let is_solved = run.dae.description().leading == Leading::Solved;
        let is_satisfied = !is_solved && self.satisfies(run, scheme, t, y, &slope);
        if !is_satisfied && !self.correct(run, scheme, t, y, &mut slope) {
            // A polynomial of high degree may be far off: algebraic unknowns start from linear interpolation instead.
            for (k, unknown) in run.dae.description().unknowns.iter().enumerate() {
                if unknown.kind == Kind::Algebraic {
                    let (start, end) = (horner(&self.coefficients, n, k, -1.0), self.coefficients[k]);
                    y[k] = end + s * (end - start);
                }
            }
            if !self.correct(run, scheme, t, y, &mut slope) {
                y.copy_from_slice(&polynomial);
            }
        }
        // What the polynomial represents equally well is left to it, since it contains the history.
        for ((y, polynomial), weight) in y.iter_mut().zip(&polynomial).zip(run.weights.full()) {
            if !is_solved && (*y - polynomial).abs() * weight <= 1.0 {
                *y = *polynomial;
            }
        }
        if !is_solved && !self.algebraic.is_empty() {
            // If the polynomial satisfies the equations, its residual is known.
            if !is_satisfied {
                self.evaluate(run, t, y, &slope);
            }
            self.solve_for_algebraic(run, scheme, t, y, &slope);
        }
        self.polynomial = [polynomial, slope];
    }

    /// Solves the algebraic equations, whose residual has been evaluated, for the algebraic unknowns of index 1; leaves
    /// these unchanged where the iteration does not converge.
    fn solve_for_algebraic(&mut self, run: &mut Run<'_>, scheme: &dyn Scheme, t: f64, y: &mut [f64], slope: &[f64]) {
        self.start[0].clear();
        self.start[0].extend_from_slice(y);
        let mut previous = f64::INFINITY;
        for _ in 0..MAX_CORRECTIONS {
            self.correction.clone_from(&self.residual);
            self.with_derivatives.iter().for_each(|&row| self.correction[row] = 0.0);
            scheme.respond(&mut self.correction);
            run.statistics.solves += 1;
            let size = run.weights.norm_over(&self.algebraic, &self.correction);
            if size > SLOWEST_RATE * previous || !size.is_finite() {
                break;
            }
            self.algebraic.iter().for_each(|&k| y[k] -= self.correction[k]);
            if size <= FOLLOWS {
                return;
            }
            previous = size;
            self.evaluate(run, t, y, slope);
        }
        self.algebraic.iter().for_each(|&k| y[k] = self.start[0][k]);
    }

    /// Whether the equations hold to within the error allowed.
    fn satisfies(&mut self, run: &mut Run<'_>, scheme: &dyn Scheme, t: f64, y: &[f64], slope: &[f64]) -> bool {
        self.defect(run, scheme, t, y, slope).is_some_and(|size| size <= 1.0)
    }

    /// Iterates until the equations hold; if the iteration fails, restores `y` and `slope` and returns `false`.
    pub(super) fn correct(
        &mut self,
        run: &mut Run<'_>,
        scheme: &dyn Scheme,
        t: f64,
        y: &mut [f64],
        slope: &mut [f64],
    ) -> bool {
        if run.dae.description().leading == Leading::Solved {
            return self.evaluate_solved(run, t, y, slope);
        }
        for (start, value) in self.start.iter_mut().zip([&*y, &*slope]) {
            start.clear();
            start.extend_from_slice(value);
        }
        let leading = scheme.leading();
        let mut previous = f64::INFINITY;
        for _ in 0..MAX_CORRECTIONS {
            match self.defect(run, scheme, t, y, slope) {
                Some(size) if size <= SLOWEST_RATE * previous => {
                    for ((y, slope), correction) in y.iter_mut().zip(slope.iter_mut()).zip(&self.correction) {
                        *y -= correction;
                        *slope -= leading * correction;
                    }
                    if size <= SETTLED {
                        return true;
                    }
                    previous = size;
                }
                _ => break,
            }
        }
        y.copy_from_slice(&self.start[0]);
        slope.copy_from_slice(&self.start[1]);
        false
    }

    /// Evaluates derivatives and algebraic unknowns of a formulation that is solved for them; if they have no values,
    /// leaves `y` and `slope` unchanged and returns `false`.
    fn evaluate_solved(&mut self, run: &mut Run<'_>, t: f64, y: &mut [f64], slope: &mut [f64]) -> bool {
        self.evaluate(run, t, y, slope);
        if self.residual.iter().any(|r| !r.is_finite()) {
            return false;
        }
        for (k, unknown) in run.dae.description().unknowns.iter().enumerate() {
            match unknown.kind {
                Kind::Differential => slope[k] -= self.residual[k],
                Kind::Algebraic | Kind::Auxiliary { .. } => y[k] -= self.residual[k],
            }
        }
        true
    }

    /// Evaluates the residual.
    fn evaluate(&mut self, run: &mut Run<'_>, t: f64, y: &[f64], slope: &[f64]) {
        self.residual.resize(y.len(), 0.0);
        run.dae.residual(t, y, slope, &mut self.residual);
        run.statistics.residuals += 1;
    }

    /// Computes the Newton correction of a state and its derivative, in `correction`; returns its weighted norm, or
    /// `None` if that is not finite.
    fn defect(&mut self, run: &mut Run<'_>, scheme: &dyn Scheme, t: f64, y: &[f64], slope: &[f64]) -> Option<f64> {
        self.evaluate(run, t, y, slope);
        if self.residual.iter().any(|r| !r.is_finite()) {
            return None;
        }
        self.correction.clone_from(&self.residual);
        scheme.respond(&mut self.correction);
        run.statistics.solves += 1;
        Some(run.weights.norm(&self.correction)).filter(|size| size.is_finite())
    }
}
