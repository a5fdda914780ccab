//! Explicit Runge–Kutta methods for formulations that are solved for derivatives and algebraic unknowns
//! ([`Leading::Solved`](crate::contract::Leading::Solved)).
//!
//! In: a formulation, consistent start values, an end time, options, a tableau. Out: a
//! [`Stepper`](crate::integrator::stepper::Stepper). Source: Hairer, Nørsett & Wanner, *Solving Ordinary Differential
//! Equations I*, sections II.4 to II.6 and II.10.
//!
//! The end of a step is projected onto the constraints of the formulation (Hairer & Wanner II, section VII.2) before
//! derivatives are evaluated there, so that this costs no evaluation; error estimates and dense output use the
//! projected end.
//!
//! The error of the differential unknowns is estimated by embedded formulas. That of the algebraic ones is what it makes
//! of them: their difference between the end of the step and the end without its error estimate. Between its ends, a
//! step has the dense output of its method for differential unknowns, and a parabola for the others, from which they
//! are found by the equations where it is not accurate enough ([`crate::integrator::output`]).

pub(in crate::methods) mod dense;
pub(crate) mod tableau;

use std::ops::RangeInclusive;

use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::solved::Evaluation;
use dense::{MAX_DEGREE, combined};
use tableau::{Combination, Estimate, Tableau};

/// Safety factor of the step size.
const SAFETY: f64 = 0.9;

/// A smaller error of the last step says nothing about the trend.
const SMALLEST_TREND: f64 = 1e-4;

/// After an attempt at whose stages the equations have no values, the step is shortened by this factor.
const AFTER_TROUBLE: f64 = 0.25;

/// Weight of the square of the second difference in [`Estimate::Combined`].
const PART_OF_THIRD: f64 = 0.01;

/// Begins an integration.
pub(crate) fn start<'d>(
    tableau: &'static Tableau,
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    if options.max_order.is_some_and(|order| order < tableau.order) {
        let message = format!("the order of {} is {}, above the highest allowed", tableau.name, tableau.order);
        return Err(Failure::InvalidOption { message });
    }
    Run::check(dae, start, options)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    let mut run = Run::new(dae, start, options, weights)?;
    run.weights.update(start.y0, 1.0);
    let mut scheme = ExplicitRungeKutta {
        tableau,
        unknowns: Evaluation::new(description),
        projected: options.projection.levels(),
        slopes: vec![vec![0.0; n]; tableau.stages() + 1 + tableau.c_of_output.len()],
        point: vec![0.0; n],
        slope: vec![0.0; n],
        error: vec![0.0; n],
        second_error: vec![0.0; n],
        origin: vec![0.0; n],
        middle: vec![0.0; n],
        length: 0.0,
        has_output: false,
        is_start_known: true,
        last_error: SMALLEST_TREND,
        is_repeated: false,
    };
    let first = scheme.first_step(&mut run);
    run.begin_with(first, options);
    Ok(Box::new(Integrator::new(run, scheme)))
}

/// The scheme of an explicit Runge–Kutta method.
struct ExplicitRungeKutta {
    tableau: &'static Tableau,
    unknowns: Evaluation,
    /// The constraints onto which steps are projected; see [`Projection::levels`].
    projected: RangeInclusive<u32>,
    /// Derivatives at the stages, at the end of the step, and at the stages of dense output.
    slopes: Vec<Vec<f64>>,
    /// A state, and derivatives there; before they are computed, guesses.
    point: Vec<f64>,
    slope: Vec<f64>,
    /// The estimated error of the attempt under way.
    error: Vec<f64>,
    /// The second difference of [`Estimate::Combined`].
    second_error: Vec<f64>,
    /// The state at the start of the last step.
    origin: Vec<f64>,
    /// Algebraic unknowns in the middle of the last step.
    middle: Vec<f64>,
    /// Signed length of the last step.
    length: f64,
    /// Whether the stages of dense output, and `middle`, belong to the last step.
    has_output: bool,
    /// Whether the derivatives of the last accepted state are those of the equations at hand.
    is_start_known: bool,
    /// Error of the last accepted step, in units of the error allowed.
    last_error: f64,
    /// Whether the step under way was tried before.
    is_repeated: bool,
}

impl ExplicitRungeKutta {
    /// Replaces the guesses in `slope`, and those of algebraic unknowns in `point`, by $w(t, y_d)$.
    fn evaluate(&mut self, run: &mut Run<'_>, t: f64) -> Result<(), StepError> {
        self.unknowns.evaluate(run, t, &mut self.point, &mut self.slope)
    }

    /// Moves `point` onto the constraints.
    fn project(&mut self, run: &Run<'_>, t: f64) -> Result<(), StepError> {
        let projected = run.dae.project(t, &mut self.point, self.projected.clone());
        projected.map_err(|unknown| StepError::Convergence { unknown })
    }

    /// Sets the differential unknowns of `point` to `from` plus `h` times a combination of the slopes.
    fn advance(&mut self, from: &[f64], combination: Combination, h: f64) {
        for &k in &self.unknowns.differential {
            self.point[k] = from[k] + h * combined(&self.slopes, combination, k);
        }
    }

    /// Estimates the error of the attempt under way, of length `h`, in `error`.
    fn estimate_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        match self.tableau.error {
            Estimate::Embedded(difference) => {
                self.unknowns
                    .differential
                    .iter()
                    .for_each(|&k| self.error[k] = h * combined(&self.slopes, difference, k));
            }
            Estimate::Combined { fifth, third } => {
                for &k in &self.unknowns.differential {
                    self.error[k] = h * combined(&self.slopes, fifth, k);
                    self.second_error[k] = h * combined(&self.slopes, third, k);
                }
                let [five, three] = [&self.error, &self.second_error]
                    .map(|error| run.weights.norm_over(&self.unknowns.differential, error));
                let divisor = (five * five + PART_OF_THIRD * three * three).sqrt();
                let factor = if divisor > 0.0 { five / divisor } else { 1.0 };
                self.unknowns.differential.iter().for_each(|&k| self.error[k] *= factor);
            }
        }
        if self.unknowns.algebraic.is_empty() {
            return Ok(());
        }
        self.point.copy_from_slice(&run.candidate);
        self.slope.copy_from_slice(&run.candidate_slope);
        self.unknowns.differential.iter().for_each(|&k| self.point[k] -= self.error[k]);
        self.evaluate(run, run.clock.time() + h)?;
        self.unknowns.algebraic.iter().for_each(|&k| self.error[k] = run.candidate[k] - self.point[k]);
        Ok(())
    }

    /// The factor by which the controller changes the length of a step with this error, before it is bounded.
    fn factor(&self, error: f64) -> f64 {
        SAFETY * error.powf(-self.tableau.control.alpha)
    }

    /// Makes the stages of dense output, and the algebraic unknowns in the middle of the last step. Where the equations
    /// have no values, the cubic through both ends, or a straight line, has to do.
    fn complete_output(&mut self, run: &mut Run<'_>) {
        if std::mem::replace(&mut self.has_output, true) {
            return;
        }
        let (h, start) = (self.length, run.clock.time() - self.length);
        let origin = std::mem::take(&mut self.origin);
        let first = self.tableau.stages() + 1;
        let mut is_defined = true;
        for (k, (row, node)) in self.tableau.a_of_output.iter().zip(self.tableau.c_of_output).enumerate() {
            self.point.copy_from_slice(&origin);
            self.slope.copy_from_slice(&self.slopes[0]);
            self.advance(&origin, row, h);
            is_defined = is_defined && self.evaluate(run, start + node * h).is_ok();
            self.slopes[first + k].copy_from_slice(&self.slope);
        }
        self.origin = origin;
        if !is_defined {
            self.slopes[first..].iter_mut().for_each(|slope| slope.fill(f64::NAN));
        }
        if !self.unknowns.algebraic.is_empty() {
            for k in 0..self.point.len() {
                self.point[k] = 0.5 * (self.origin[k] + run.y[k]);
            }
            for &k in &self.unknowns.differential {
                self.point[k] = self.powers(run, k).iter().rev().fold(0.0, |sum, c| sum * -0.5 + c);
            }
            self.slope.copy_from_slice(&run.yp);
            self.middle.copy_from_slice(&self.point);
            if self.evaluate(run, start + 0.5 * h).is_ok() {
                self.middle.copy_from_slice(&self.point);
            }
        }
    }

    /// The coefficients of the dense output of a differential unknown, in powers of the time from the end of the step.
    fn powers(&self, run: &Run<'_>, k: usize) -> [f64; MAX_DEGREE + 1] {
        dense::powers(self.tableau, &self.slopes, k, self.length, [self.origin[k], run.y[k], run.yp[k]])
    }

    /// Length of the first step: such that a step of the explicit Euler method would have an error of a hundredth of that
    /// allowed, and the method of its order has one of about this size (Hairer, Nørsett & Wanner I, section II.4).
    fn first_step(&mut self, run: &mut Run<'_>) -> f64 {
        let norm = |weights: &Weights, v: &[f64]| weights.norm_over(&self.unknowns.differential, v);
        let (size, speed) = (norm(&run.weights, &run.y), norm(&run.weights, &run.yp));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        let guess = guess.min(run.clock.span());
        let h = run.clock.direction() * guess;
        self.point.copy_from_slice(&run.y);
        self.slope.copy_from_slice(&run.yp);
        self.unknowns.differential.iter().for_each(|&k| self.point[k] += h * run.yp[k]);
        if self.evaluate(run, run.clock.time() + h).is_err() {
            return 1e-3 * guess;
        }
        let change: Vec<f64> = self.slope.iter().zip(&run.yp).map(|(new, old)| (new - old) / guess).collect();
        let curvature = run.weights.norm_over(&self.unknowns.differential, &change);
        let largest = speed.max(curvature);
        let next = if largest <= 1e-15 {
            (1e-3 * guess).max(1e-6)
        } else {
            (0.01 / largest).powf(1.0 / (self.tableau.order + 1) as f64)
        };
        next.min(100.0 * guess)
    }
}

impl Scheme for ExplicitRungeKutta {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        let (t, retry) = (run.clock.time(), AFTER_TROUBLE * h.abs());
        let rejected = |cause| Rejection { cause, retry };
        self.has_output = false;
        self.point.copy_from_slice(&run.y);
        self.slope.copy_from_slice(&run.yp);
        if !self.is_start_known {
            self.evaluate(run, t).map_err(rejected)?;
            run.yp.copy_from_slice(&self.slope);
            self.unknowns.algebraic.iter().for_each(|&k| run.y[k] = self.point[k]);
            self.is_start_known = true;
        }
        self.slopes[0].copy_from_slice(&run.yp);
        for (stage, row) in self.tableau.a.iter().enumerate() {
            let at = t + self.tableau.c[stage + 1] * h;
            self.advance(&run.y, row, h);
            self.evaluate(run, at).map_err(rejected)?;
            self.slopes[stage + 1].copy_from_slice(&self.slope);
        }
        self.advance(&run.y, self.tableau.b, h);
        self.project(run, t + h).map_err(rejected)?;
        self.evaluate(run, t + h).map_err(rejected)?;
        self.slopes[self.tableau.stages()].copy_from_slice(&self.slope);
        run.candidate.copy_from_slice(&self.point);
        run.candidate_slope.copy_from_slice(&self.slope);
        Ok(())
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        let rejected = |cause| Rejection { cause, retry: AFTER_TROUBLE * h.abs() };
        self.estimate_error(run, h).map_err(rejected)?;
        let error = run.weights.error_norm(&self.error);
        let (least, most) = self.tableau.control.range;
        if error.is_nan() || error > 1.0 {
            let factor = if error.is_finite() { self.factor(error).clamp(least, 1.0) } else { least };
            self.is_repeated = true;
            return Err(Rejection { cause: StepError::Error { unknown: self.worst(run) }, retry: factor * h.abs() });
        }
        let trend = self.last_error.powf(self.tableau.control.beta);
        let most = if self.is_repeated { 1.0 } else { most };
        let factor = (trend * self.factor(error)).clamp(least, most);
        self.last_error = error.max(SMALLEST_TREND);
        self.is_repeated = false;
        Ok(factor * h.abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        self.origin.copy_from_slice(&run.y);
        self.length = h;
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
    }

    fn forget(&mut self, _run: &Run<'_>) {
        self.is_start_known = false;
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst_error(&self.error)
    }

    /// There is no matrix.
    fn deficiency(&mut self, _run: &mut Run<'_>, _h: f64) -> Option<Deficiency> {
        None
    }

    /// That of the implicit Euler method for the last step.
    fn leading(&self) -> f64 {
        if self.length == 0.0 { 1.0 } else { 1.0 / self.length }
    }

    /// With the matrix of the implicit Euler method, in which $h\,\partial w/\partial y_d$ is left out: where an explicit
    /// method is suitable, that is small.
    fn respond(&self, residual: &mut [f64]) {
        let leading = self.leading();
        self.unknowns.differential.iter().for_each(|&k| residual[k] /= leading);
    }

    fn order(&self) -> usize {
        self.tableau.order
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::AsSteps
    }

    fn dense_degree(&self) -> usize {
        self.tableau.degree()
    }

    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        self.complete_output(run);
        let n = self.point.len();
        for &k in &self.unknowns.differential {
            let powers = self.powers(run, k);
            powers[..=self.tableau.degree()].iter().enumerate().for_each(|(i, c)| coefficients[i * n + k] = *c);
        }
        for &k in &self.unknowns.algebraic {
            let [start, middle, end] = [self.origin[k], self.middle[k], run.y[k]];
            let parabola = [end, start - 4.0 * middle + 3.0 * end, 2.0 * (start - 2.0 * middle + end)];
            (0..=self.tableau.degree()).for_each(|i| coefficients[i * n + k] = parabola.get(i).copied().unwrap_or(0.0));
        }
    }
}
