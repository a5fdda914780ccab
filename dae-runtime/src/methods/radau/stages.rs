//! The stage equations of a step and their solution by simplified Newton iterations.
//!
//! In: a state, a step, a residual (that of a formulation, or of its variational equations), factorised iteration
//! matrices, start values. Out: the stages $Z_1, \dots, Z_s$, or why there are none. Convergence is judged as in RADAU5
//! (Hairer & Wanner, section IV.8): the rate $\theta$ of the corrections predicts the error after the last iteration
//! allowed, and an iteration that cannot succeed is abandoned at once. There are two exceptions: a second correction
//! that concerns multipliers ([`CALM`]) decides nothing, and where a shorter step cannot be tried, the first
//! iterations do not.

use num_complex::Complex;

use crate::linalg::matrix::Matrix;

use super::tableau::Tableau;
use crate::contract::Description;
use crate::integrator::error_weights::Weights;
use crate::integrator::resolvent::Resolvent;
use crate::integrator::stepper::StepControl;
use crate::linalg::iteration_matrix::IterationMatrix;

/// Iterations per step of order 5 if a shorter step can be tried instead; methods of higher order have five more for every two stages.
const MAX_ITERATIONS: usize = 7;
/// Iterations per step if a shorter step cannot be tried.
const MAX_ITERATIONS_FIXED: usize = 30;
/// Iterations before convergence is judged if a shorter step cannot be tried.
const PATIENCE_FIXED: usize = 5;
/// Multipliers move in the second iteration, after the states. Where it moves the states by less than this fraction of
/// the first correction, the ratio of the two says nothing.
const CALM: f64 = 0.1;
/// [`Limits::noise`] where the matrix belongs to the step at hand: shorter steps would have the same rounding errors.
pub(crate) const NOISE: f64 = 0.03;
/// $\theta/(1 - \theta)$ of the last step enters the first test of the next one with this power, as in RADAU5.
const MEMORY: f64 = 0.8;
/// [`Limits::unobserved`] where the rate is known from this matrix: the rate of the last step need not be that of this
/// one. Where an exponential takes off, an iteration that would have ended at once goes anywhere.
pub(crate) const UNOBSERVED: f64 = 10.0;
/// Rates from this on mean that an iteration does not converge; the fraction of the step to try then.
const NO_CONVERGENCE: f64 = 0.99;
const SHORTER: f64 = 0.5;
/// The fraction of the step allowed by the forecast (8.11) that is tried, and the range to which the forecast is limited, as in RADAU5.
const SAFETY: f64 = 0.8;
const FORECAST: (f64, f64) = (1e-4, 20.0);
/// Where $F$ has kinks, no smaller $\theta/(1 - \theta)$ is carried to the next step: beyond a kink the iteration behaves differently.
const RATE_AT_KINKS: f64 = 0.05;

/// Iterations per step of a method with `stages` stages, as in RADAU.
pub(crate) fn max_iterations(stages: usize, control: StepControl) -> usize {
    match control {
        StepControl::Adaptive => MAX_ITERATIONS + 5 * stages.saturating_sub(3) / 2,
        StepControl::Fixed(_) => MAX_ITERATIONS_FIXED,
    }
}

/// Iterations before their convergence is judged.
pub(crate) fn patience(control: StepControl) -> usize {
    match control {
        StepControl::Adaptive => 1,
        StepControl::Fixed(_) => PATIENCE_FIXED,
    }
}

/// The factorised matrices of a step.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    /// $\frac{\gamma}{h} F_{y'} + F_y$.
    pub(crate) real: IterationMatrix<f64>,
    /// $\frac{\alpha_k + i\beta_k}{h} F_{y'} + F_y$.
    pub(crate) complex: Vec<IterationMatrix<Complex<f64>>>,
}

/// Start of a step.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'s> {
    pub(crate) t: f64,
    pub(crate) y: &'s [f64],
    pub(crate) h: f64,
}

/// A stage and its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagePlace {
    pub(crate) stage: usize,
    pub(crate) t: f64,
}

/// Writes the residual at a stage, given its value and derivative.
pub(crate) type AtStage<'r> = &'r mut dyn FnMut(StagePlace, &[f64], &[f64], &mut [f64]);

/// When the iteration ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bound on the weighted error of the stages.
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: usize,
    /// Iterations before convergence is judged.
    pub(crate) patience: usize,
    /// A first correction larger than this, in units of the error allowed, is followed by a second one, from which the rate is observed.
    pub(crate) unobserved: f64,
    /// Corrections up to this size, in units of the error allowed, that no longer decrease are rounding errors of $F$;
    /// zero for an old matrix, which may belong to another place.
    pub(crate) noise: f64,
}

/// How the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The stages are accurate enough.
    Converged,
    /// They will not become accurate; a step shorter by this factor may succeed. The unknown is the one that changes most.
    Diverged { factor: f64, unknown: usize },
    /// This component of $F$ is not finite at a stage.
    NonFinite { equation: usize },
}

/// Stage values and work space.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    /// $Z_i$: stage minus $y_n$. Allocated for the method with most stages; a tableau says how many of them are used.
    pub(crate) z: Vec<Vec<f64>>,
    /// $W = T^{-1} Z$.
    w: Vec<Vec<f64>>,
    residual: Vec<Vec<f64>>,
    /// Corrections of $W$.
    delta: Vec<Vec<f64>>,
    complex: Vec<Complex<f64>>,
    stage: Vec<f64>,
    slope: Vec<f64>,
    /// The unknowns of index 1.
    states: Vec<usize>,
    /// Whether $F$ has switching functions.
    has_kinks: bool,
    /// Whether unknowns of higher index hide states and constraints: errors that the weights of these unknowns let pass
    /// may be large in those.
    hides_states: bool,
    /// $\theta / (1 - \theta)$ of the last iteration; carried from step to step for the first test.
    eta: f64,
    /// Rate of convergence of the last iteration.
    pub(crate) theta: f64,
    /// Iterations of the last solution.
    pub(crate) iterations: usize,
    /// Evaluations of $F$ in the last solution.
    pub(crate) residuals: usize,
}

impl Stages {
    /// Room for a formulation and at most `most` stages.
    pub(crate) fn new(description: &Description, most: usize) -> Self {
        let n = description.unknowns.len();
        let room = || vec![vec![0.0; n]; most];
        Stages {
            z: room(),
            w: room(),
            residual: room(),
            delta: room(),
            complex: vec![Complex::ZERO; n],
            stage: vec![0.0; n],
            slope: vec![0.0; n],
            states: (0..n).filter(|&i| description.unknowns[i].index == 1).collect(),
            has_kinks: !description.switches.is_empty(),
            hides_states: Resolvent::of(description).is_some(),
            eta: 1.0,
            theta: 0.0,
            iterations: 0,
            residuals: 0,
        }
    }

    /// Solves the stage equations from the values in `z`.
    pub(crate) fn solve(
        &mut self,
        residual: AtStage<'_>,
        tableau: &Tableau,
        matrices: &Matrices,
        weights: &Weights,
        limits: Limits,
        origin: Origin<'_>,
    ) -> Outcome {
        transform(&tableau.t_inverse, &self.z, &mut self.w);
        let lowest = if self.has_kinks { RATE_AT_KINKS } else { f64::EPSILON.powf(MEMORY) };
        self.eta = self.eta.powf(MEMORY).max(lowest);
        self.theta = 0.0;
        (self.iterations, self.residuals) = (0, 0);
        let (mut previous, mut previous_ratio) = (0.0, None);
        let mut is_last = !self.hides_states;
        let (has_multipliers, mut of_states) = (self.states.len() < self.stage.len(), 0.0);
        while self.iterations < limits.max_iterations {
            if let Err(equation) = self.evaluate(residual, tableau, origin) {
                let diverges = self.theta >= NO_CONVERGENCE;
                return if diverges { self.diverged(SHORTER, weights) } else { Outcome::NonFinite { equation } };
            }
            let size = self.correct(tableau, matrices, weights);
            self.iterations += 1;
            if !size.is_finite() {
                return self.diverged(SHORTER, weights);
            }
            if is_last && self.hides_states {
                return Outcome::Converged;
            }
            let mut is_calm = false;
            if has_multipliers && self.iterations <= 2 {
                let size = self.size_of_states(tableau, weights);
                is_calm = size < CALM * of_states;
                of_states = size;
            }
            if self.iterations > 1 {
                let ratio: f64 = size / previous;
                self.theta = previous_ratio.map_or(ratio, |previous: f64| (ratio * previous).sqrt());
                previous_ratio = Some(if is_calm { ratio.min(1.0) } else { ratio });
                let is_judged = self.iterations > limits.patience && !is_calm;
                if self.theta >= NO_CONVERGENCE && is_judged {
                    let begins_as_noise = previous <= limits.noise;
                    let is_noise = size <= limits.noise && (self.iterations > 2 || begins_as_noise);
                    return if is_noise { Outcome::Converged } else { self.diverged(SHORTER, weights) };
                }
                self.eta = self.theta / (1.0 - self.theta.min(NO_CONVERGENCE));
                let left = limits.max_iterations - self.iterations;
                // (8.11): size of the error when the iterations are used up, in units of the tolerance.
                let forecast = self.eta * size * self.theta.powi(left as i32 - 1) / limits.tolerance;
                if left > 0 && forecast >= 1.0 && is_judged {
                    let exponent = -1.0 / (4.0 + left as f64 - 1.0);
                    let forecast = forecast.clamp(FORECAST.0, FORECAST.1);
                    return self.diverged(SAFETY * forecast.powf(exponent), weights);
                }
            }
            previous = size.max(f64::EPSILON);
            let is_observed = self.iterations > 1 || size <= limits.unobserved;
            if is_observed && self.eta * size <= limits.tolerance {
                if is_last || self.iterations == limits.max_iterations {
                    return Outcome::Converged;
                }
                is_last = true;
            }
        }
        self.diverged(SHORTER, weights)
    }

    /// The norm of the last correction in the unknowns of index 1.
    fn size_of_states(&self, tableau: &Tableau, weights: &Weights) -> f64 {
        let parts = self.delta[..tableau.stages()].iter();
        parts.map(|part| weights.norm_over(&self.states, part).powi(2)).sum::<f64>().sqrt()
    }

    fn diverged(&self, factor: f64, weights: &Weights) -> Outcome {
        Outcome::Diverged { factor, unknown: weights.worst(&self.delta[0]) }
    }

    /// $F(t_n + c_i h, y_n + Z_i, h^{-1} \sum_j (A^{-1})_{ij} Z_j)$ for all stages; the first component that is not
    /// finite is the error.
    fn evaluate(
        &mut self,
        residual: AtStage<'_>,
        tableau: &Tableau,
        Origin { t, y, h }: Origin<'_>,
    ) -> Result<(), usize> {
        for i in 0..tableau.stages() {
            combine(tableau.inverse.row(i).map(|a| a / h), &self.z, &mut self.slope);
            for k in 0..y.len() {
                self.stage[k] = y[k] + self.z[i][k];
            }
            let place = StagePlace { stage: i, t: t + tableau.c[i] * h };
            residual(place, &self.stage, &self.slope, &mut self.residual[i]);
            self.residuals += 1;
            if let Some(equation) = self.residual[i].iter().position(|x| !x.is_finite()) {
                return Err(equation);
            }
        }
        Ok(())
    }

    /// One correction of $W$ and $Z$; returns its weighted norm and leaves the real part of it in `delta[0]`.
    fn correct(&mut self, tableau: &Tableau, matrices: &Matrices, weights: &Weights) -> f64 {
        let (n, s) = (self.stage.len(), tableau.stages());
        transform(&tableau.t_inverse, &self.residual, &mut self.delta);
        self.delta[..s].iter_mut().flatten().for_each(|f| *f = -*f);
        matrices.real.solve(&mut self.delta[0]);
        for (pair, matrix) in self.delta[1..s].chunks_exact_mut(2).zip(&matrices.complex) {
            for k in 0..n {
                self.complex[k] = Complex::new(pair[0][k], pair[1][k]);
            }
            matrix.solve(&mut self.complex);
            for k in 0..n {
                (pair[0][k], pair[1][k]) = (self.complex[k].re, self.complex[k].im);
            }
        }
        for (w, delta) in self.w[..s].iter_mut().zip(&self.delta) {
            w.iter_mut().zip(delta).for_each(|(w, delta)| *w += delta);
        }
        transform(&tableau.t, &self.w, &mut self.z);
        let sum: f64 = self.delta[..s].iter().map(|part| weights.sum_of_squares(part)).sum();
        (sum / (s * n.max(1)) as f64).sqrt()
    }
}

/// `to` $= \sum_j f_j\,$`from[j]`.
pub(crate) fn combine(factors: impl Iterator<Item = f64>, from: &[Vec<f64>], to: &mut [f64]) {
    to.fill(0.0);
    for (factor, from) in factors.zip(from) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
    }
}

/// `to` = `matrix` applied to the vectors `from`.
fn transform(matrix: &Matrix, from: &[Vec<f64>], to: &mut [Vec<f64>]) {
    for (row, to) in to.iter_mut().enumerate().take(matrix.rows()) {
        combine(matrix.row(row), from, to);
    }
}
