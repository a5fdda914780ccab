//! Derivatives and algebraic unknowns at given differential unknowns.
//!
//! In: a time, differential unknowns, and what determines the unknowns of index 2 ([`Closure`]): a state built from the
//! derivatives that is to satisfy the constraints, or the differentiated constraints. Out: derivatives and algebraic
//! unknowns, by simplified Newton iterations.
//!
//! With the notation of `hessenberg`, the equations for $(y', z)$ at given $t$ and $y$ are $\Phi(t, y, y', z) = 0$
//! together with
//!
//! $$ g\bigl(\bar t, \bar y + \beta y'\bigr) = 0 \qquad\text{or}\qquad g_t(t, y) + g_y(t, y)\\,y' = 0 . $$
//!
//! For $\eta = y'/c$ one matrix serves for all times, all $\beta$ and both kinds,
//!
//! $$ \begin{pmatrix} c\\,\Phi_{y'} & \Phi_z \\\\ g_y & 0 \end{pmatrix}
//!    \begin{pmatrix} \Delta\eta \\\\ \Delta z \end{pmatrix} =
//!    -\begin{pmatrix} \Phi \\\\ g / (\beta c) \end{pmatrix}
//!    \quad\text{or}\quad
//!    -\begin{pmatrix} \Phi \\\\ (g_t + g_y y') / c \end{pmatrix}, $$
//!
//! if it is evaluated nearby. It is the iteration matrix $c F_{y'} + F_y$ of implicit methods without the derivatives of
//! $\Phi$ with respect to $y$; with $c = 1/h$ these would be smaller by a factor
//! $O(h)$.

use std::rc::Rc;

use super::hessenberg::Hessenberg;
use crate::contract::{Dae, Description};
use crate::integrator::StepError;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Statistics, StepControl};
use crate::linalg::iteration_matrix::{Deficiency, FactorizationPlan, IterationMatrix, Jacobians};

/// When an iteration ends.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Largest number of iterations.
    iterations: usize,
    /// Largest error, in units of the error allowed.
    tolerance: f64,
    /// Errors are small enough in any case if they are so many times the rounding errors of the state.
    roundings: f64,
}

const LIMITS: Limits = Limits { iterations: 10, tolerance: 1e-3, roundings: 0.0 };
/// Where errors are to be extrapolated. The coarsest sequences, which cost least, take the most corrections, so that many
/// are worth while.
const LIMITS_OF_BASIC_STEPS: Limits = Limits { iterations: 20, tolerance: 1e-5, roundings: 1.0 };
/// At a fixed step size no error test would notice an iteration that stopped too early, and steps cannot be shortened.
const LIMITS_AT_FIXED_STEP: Limits = Limits { iterations: 50, tolerance: 1e-13, roundings: 0.0 };
/// Steps are to be so short that iterations converge with so many fewer corrections than allowed.
const SPARE: usize = 2;
/// The rate of convergence that is assumed of the first correction.
const ASSUMED_RATE: f64 = 0.1;
/// Slowest rate of convergence worth waiting for.
const SLOWEST_RATE: f64 = 0.9;
/// Corrections that no longer become smaller by this factor are rounding errors, if they are at most [`NOISE`] in units
/// of the error allowed.
const STAGNATION: f64 = 0.5;
const NOISE: f64 = 0.1;
/// $1/c$ is no smaller than this, so that no entry of the matrix overflows.
const LEAST_LENGTH: f64 = 1e-100;

/// What solutions are to be accurate enough for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accuracy {
    /// The stages of a step.
    OfStages,
    /// Steps whose errors are extrapolated.
    OfBasicSteps,
}

/// What determines the unknowns of index 2.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closure<'a> {
    /// The constraints hold at time `t` for `base` plus `factor` times the derivatives.
    Constraints { t: f64, base: &'a [f64], factor: f64 },
    /// The differentiated constraints hold, with $F_y$ and $F_t$ at the point itself.
    Differentiated { jacobian_y: &'a [f64], jacobian_t: &'a [f64] },
}

/// The matrix at some point.
struct Linearisation {
    /// Jacobians; entries of $\Phi_y$ are zero.
    jacobians: Jacobians,
    matrix: IterationMatrix<f64>,
    /// $c$.
    leading: f64,
}

/// The equations, with the matrix at hand.
pub(crate) struct Equations {
    pub(crate) structure: Hessenberg,
    here: Linearisation,
    /// The matrix before the last [`Equations::exchange`].
    other: Linearisation,
    limits: Limits,
    /// A point: differential unknowns are given, algebraic ones and derivatives are first guesses, then the solution.
    pub(crate) point: Vec<f64>,
    pub(crate) slope: Vec<f64>,
    correction: Vec<f64>,
    end: Vec<f64>,
    values: Vec<f64>,
    /// See [`Equations::reach`].
    reach: f64,
}

impl Equations {
    pub(crate) fn new(
        dae: &dyn Dae,
        structure: Hessenberg,
        plan: &Rc<FactorizationPlan>,
        control: StepControl,
        accuracy: Accuracy,
    ) -> Equations {
        let description = dae.description();
        let zeros = vec![0.0; description.unknowns.len()];
        let linearisation = || Linearisation {
            jacobians: Jacobians::new(description),
            matrix: IterationMatrix::new(plan),
            leading: 1.0,
        };
        let values = match structure.invariants {
            Some(_) => description.invariants.len(),
            None => zeros.len(),
        };
        let limits = match (control, accuracy) {
            (StepControl::Adaptive, Accuracy::OfStages) => LIMITS,
            (StepControl::Adaptive, Accuracy::OfBasicSteps) => LIMITS_OF_BASIC_STEPS,
            (StepControl::Fixed(_), _) => LIMITS_AT_FIXED_STEP,
        };
        Equations {
            structure,
            here: linearisation(),
            other: linearisation(),
            limits,
            reach: f64::INFINITY,
            point: zeros.clone(),
            slope: zeros.clone(),
            correction: zeros.clone(),
            end: zeros,
            values: vec![0.0; values],
        }
    }

    /// The matrix at hand.
    pub(crate) fn matrix(&self) -> &IterationMatrix<f64> {
        &self.here.matrix
    }

    /// $c$.
    pub(crate) fn leading(&self) -> f64 {
        self.here.leading
    }

    /// Fills in the matrix for steps of about the length `h`.
    fn assemble(&mut self, description: &Description, at: &Jacobians, h: f64) {
        let Linearisation { jacobians, matrix, leading } = &mut self.here;
        jacobians.copy_from(at);
        for row in (0..self.point.len()).filter(|&row| !self.structure.is_constraint[row]) {
            for (column, place) in description.jacobian_y.row(row) {
                if self.structure.is_differential[column] {
                    jacobians.y[place] = 0.0;
                }
            }
        }
        *leading = 1.0 / h.abs().max(LEAST_LENGTH).copysign(h);
        matrix.assemble(description, *leading, 1.0, jacobians, h);
    }

    /// How much longer steps may be with iterations that still converge, judged by those since
    /// [`Equations::forget_reach`]: rates of convergence are about proportional to the length.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// Forgets how iterations converged before.
    pub(crate) fn forget_reach(&mut self) {
        self.reach = f64::INFINITY;
    }

    /// Notes that an iteration has reduced its corrections by `reduction` in `iterations` further ones. At the mean rate
    /// that would reduce them as much in the number allowed, all but [`SPARE`], steps could be longer by the ratio.
    fn note_reach(&mut self, reduction: f64, iterations: usize) {
        if iterations > 0 && reduction < 1.0 {
            let most = self.limits.iterations.saturating_sub(1 + SPARE).max(1);
            let [mean, allowed] = [iterations, most].map(|n| reduction.powf(1.0 / n as f64));
            self.reach = self.reach.min(allowed / mean);
        }
    }

    /// Exchanges the matrix at hand for the other one.
    pub(crate) fn exchange(&mut self) {
        std::mem::swap(&mut self.here, &mut self.other);
    }

    /// Whether the determinants of the two matrices have different signs. Along a solution the determinant keeps its
    /// sign, since the equations determine nothing where it is zero; beyond a zero there may be another solution.
    pub(crate) fn is_turned(&self) -> bool {
        self.here.matrix.determinant_sign() * self.other.matrix.determinant_sign() < 0.0
    }

    /// Factorises the matrix with Jacobians at some point, for steps of about the length `h`.
    pub(crate) fn linearise(
        &mut self,
        description: &Description,
        at: &Jacobians,
        h: f64,
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        self.assemble(description, at, h);
        if let Some((equation, _)) = self.here.jacobians.non_finite(description).next() {
            return Err(StepError::NonFinite { equation });
        }
        statistics.factorizations += 1;
        Ok(self.here.matrix.factorize()?)
    }

    /// Where the matrix with Jacobians at some point is singular, if it is.
    pub(crate) fn deficiency(&mut self, description: &Description, at: &Jacobians, h: f64) -> Option<Deficiency> {
        self.assemble(description, at, h);
        self.here.matrix.deficiency()
    }

    /// Extrapolates derivatives and algebraic unknowns of the point, by `ratio` times their change since `y`, `yp`.
    pub(crate) fn extrapolate(&mut self, ratio: f64, y: &[f64], yp: &[f64]) {
        for &k in &self.structure.differential {
            self.slope[k] += ratio * (self.slope[k] - yp[k]);
        }
        for &k in &self.structure.algebraic {
            self.point[k] += ratio * (self.point[k] - y[k]);
        }
    }

    /// Replaces the guesses in `slope`, and those of algebraic unknowns in `point`, by the solution at time `t`.
    /// Changes of derivatives are measured by their effect over the length `h`.
    pub(crate) fn solve(
        &mut self,
        dae: &dyn Dae,
        [t, h]: [f64; 2],
        closure: Closure<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        let rounding = f64::EPSILON * weights.norm(&self.point);
        let tolerance = self.limits.tolerance.max(self.limits.roundings * rounding);
        let (mut first, mut previous) = (f64::INFINITY, f64::INFINITY);
        for iteration in 0..self.limits.iterations {
            self.correct(dae, t, closure, statistics)?;
            for &k in &self.structure.differential {
                self.slope[k] += self.here.leading * self.correction[k];
                self.correction[k] *= self.here.leading * h;
            }
            self.structure.algebraic.iter().for_each(|&k| self.point[k] += self.correction[k]);
            let size = weights.norm(&self.correction);
            let rate = if iteration == 0 { ASSUMED_RATE } else { size / previous };
            let is_noise = size <= NOISE && rate > STAGNATION;
            if (rate < 1.0 && rate / (1.0 - rate) * size <= tolerance) || is_noise {
                self.note_reach(size / first, iteration);
                return self.check_finite();
            }
            if rate.is_nan() || rate > SLOWEST_RATE {
                break;
            }
            previous = size;
            first = if iteration == 0 { size } else { first };
        }
        Err(StepError::Convergence { unknown: weights.worst(&self.correction) })
    }

    /// Of finite values, the sum may not be.
    fn check_finite(&self) -> Result<(), StepError> {
        let mut values = self.point.iter().zip(&self.slope);
        match values.position(|(value, slope)| !value.is_finite() || !slope.is_finite()) {
            Some(unknown) => Err(StepError::Convergence { unknown }),
            None => Ok(()),
        }
    }

    /// Computes $(\Delta\eta, \Delta z)$.
    fn correct(
        &mut self,
        dae: &dyn Dae,
        t: f64,
        closure: Closure<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        dae.residual(t, &self.point, &self.slope, &mut self.correction);
        statistics.residuals += 1;
        match closure {
            _ if self.structure.constraints.is_empty() => {}
            Closure::Constraints { t, base, factor } => {
                self.end.copy_from_slice(base);
                for &k in &self.structure.differential {
                    self.end[k] += factor * self.slope[k];
                }
                self.constraints(dae, t, statistics);
                for &row in &self.structure.constraints {
                    self.correction[row] /= factor * self.here.leading;
                }
            }
            Closure::Differentiated { jacobian_y, jacobian_t } => {
                for &row in &self.structure.constraints {
                    let entries = dae.description().jacobian_y.row(row);
                    let entries = entries.filter(|&(column, _)| self.structure.is_differential[column]);
                    let change: f64 = entries.map(|(column, place)| jacobian_y[place] * self.slope[column]).sum();
                    self.correction[row] = (change + jacobian_t[row]) / self.here.leading;
                }
            }
        }
        if let Some(equation) = self.correction.iter().position(|r| !r.is_finite()) {
            return Err(StepError::NonFinite { equation });
        }
        self.correction.iter_mut().for_each(|r| *r = -*r);
        self.here.matrix.solve(&mut self.correction);
        statistics.solves += 1;
        Ok(())
    }

    /// Writes the constraints at `end` into their rows of `correction`.
    fn constraints(&mut self, dae: &dyn Dae, t: f64, statistics: &mut Statistics) {
        match &self.structure.invariants {
            Some(invariants) => {
                dae.invariants(t, &self.end, &mut self.values);
                for (&row, &invariant) in self.structure.constraints.iter().zip(invariants) {
                    self.correction[row] = self.values[invariant];
                }
            }
            None => {
                dae.residual(t, &self.end, &self.slope, &mut self.values);
                statistics.residuals += 1;
                self.structure.constraints.iter().for_each(|&row| self.correction[row] = self.values[row]);
            }
        }
    }

    /// One simplified Newton step that moves the differential unknowns of the point towards the constraints, in the
    /// directions in which the unknowns of index 2 act.
    pub(crate) fn move_onto_constraints(&mut self, dae: &dyn Dae, t: f64, statistics: &mut Statistics) {
        if self.structure.constraints.is_empty() {
            return;
        }
        self.end.copy_from_slice(&self.point);
        self.correction.fill(0.0);
        self.constraints(dae, t, statistics);
        self.here.matrix.solve(&mut self.correction);
        statistics.solves += 1;
        self.structure.differential.iter().for_each(|&k| self.point[k] -= self.correction[k]);
    }

    /// Sets, in `error`, the errors that those of the differential unknowns cause in algebraic unknowns of index 1 at the
    /// point; those of index 2, which follow from the differential unknowns, are left out.
    pub(crate) fn spread_error(
        &mut self,
        dae: &dyn Dae,
        t: f64,
        error: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        let unknowns = &dae.description().unknowns;
        self.structure.algebraic.iter().for_each(|&k| error[k] = 0.0);
        if self.structure.algebraic.iter().all(|&k| unknowns[k].index > 1) {
            return Ok(());
        }
        self.structure.differential.iter().for_each(|&k| self.point[k] -= error[k]);
        dae.residual(t, &self.point, &self.slope, &mut self.correction);
        self.structure.differential.iter().for_each(|&k| self.point[k] += error[k]);
        statistics.residuals += 1;
        self.structure.constraints.iter().for_each(|&row| self.correction[row] = 0.0);
        if let Some(equation) = self.correction.iter().position(|r| !r.is_finite()) {
            return Err(StepError::NonFinite { equation });
        }
        self.here.matrix.solve(&mut self.correction);
        statistics.solves += 1;
        for &k in self.structure.algebraic.iter().filter(|&&k| unknowns[k].index == 1) {
            error[k] = self.correction[k];
        }
        Ok(())
    }
}
