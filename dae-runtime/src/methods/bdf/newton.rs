//! Newton's iteration of a BDF step.
//!
//! In: predictor, leading coefficient, weights. Out: the correction $e$ with
//! $F(t, y^{(0)} + e, y'^{(0)} + c\\,e) = 0$.
//!
//! Modified Newton with the matrix $c\\,F_{y'} + F_y$ kept over several steps (Brenan, Campbell & Petzold, Sect.
//! 5.2.2), and the two Jacobians for longer than its factors: if it was factorised for another $c_0$, the correction is
//! multiplied by $2/(1 + c/c_0)$, which is best for the two extremes of the spectrum. The iteration has converged when
//! $\varrho/(1-\varrho)\\,\lVert\delta\rVert$ is below a fraction of the tolerance, with the correction $\delta$ and
//! the rate $\varrho$ measured over the iteration. In the norm an unknown of index $k$ counts with the factor
//! $h^{k-1}$ (see [`crate::integrator::error_weights`]), since its correction contains residuals divided by $h^{k-1}$.
//! This test alone would accept anything as $h \to 0$: a wrong value in a step where it was badly predicted and, along
//! an impasse, steps where there is no solution. So unknowns of index 2 also have to be within their own tolerance, as
//! far as rounding errors, which they contain divided by $h$, allow.

use std::rc::Rc;

use crate::contract::{Dae, Description};
use crate::integrator::StepError;
use crate::integrator::error_weights::Weights;
use crate::integrator::resolvent::Resolvent;
use crate::integrator::sides::Sides;
use crate::integrator::stepper::Statistics;
use crate::linalg::iteration_matrix::{Deficiency, FactorizationPlan, IterationMatrix, Jacobians};

/// Iterations before the matrix is renewed or, if it is new, the attempt is given up.
pub(super) const MAX_ITERATIONS: usize = 4;
/// Iterations, at a prescribed step size, before the matrix is renewed or, if it is new, the attempt is given up.
pub(super) const MAX_ITERATIONS_AT_FIXED_STEP: usize = 20;
/// Slowest rate of convergence worth waiting for.
const SLOWEST_RATE: f64 = 0.9;
/// Largest number of iterations with a new matrix each time, where $F$ has kinks; corrections after the first
/// [`FULL_ITERATIONS`] are halved.
const ITERATIONS_ANEW: usize = 24;
const FULL_ITERATIONS: usize = 8;
/// Two corrections in a row across jumps, the second of which is no smaller than this fraction of the first, lead from
/// one side to the other and back: there is no solution on either.
const RETURNS: f64 = 0.5;
/// Damping is tried once the iteration has failed in this many attempts in a row.
const FAILURES: usize = 2;
/// Largest number of damped iterations, each with a new matrix, and the smallest damping factor.
const DAMPED_ITERATIONS: usize = 60;
const SMALLEST_FACTOR: f64 = 1e-4;
/// Bound on the iteration error, as a fraction of the tolerance.
const TOLERANCE: f64 = 0.1;
/// Bound on the iteration error at a fixed step size, as a fraction of the tolerance: no error test would notice an
/// iteration that stopped too early. With [`TOLERANCE`] met, the iteration also ends when rounding errors keep the
/// corrections from becoming smaller.
const TOLERANCE_AT_FIXED_STEP: f64 = 1e-4 * TOLERANCE;
/// Ratio of successive corrections above which they are ascribed to rounding, and the one above which an old matrix is
/// renewed at a fixed step size.
const STAGNATION: (f64, f64) = (0.5, 0.1);
/// Corrections that no longer shrink and are smaller than the first by this factor are rounding errors, and end the
/// iteration at a fixed step size, whatever the tolerance.
const ROUNDING: f64 = 1e-6;
/// Iteration error, relative to the size of the unknown, allowed in an unknown of index 2 that rounding errors keep
/// from meeting its tolerance.
const ROUNDED_MULTIPLIER_TOLERANCE: f64 = 1e-3;
/// A first correction with a larger weighted norm is followed by a second one: the rate of the last step need not be
/// that of this one.
const UNOBSERVED: f64 = 10.0;
/// A first correction whose weighted norm is at most this ends the iteration, whatever the rate.
const AT_ONCE: f64 = 1e-4 * TOLERANCE;
/// $\varrho/(1-\varrho)$ assumed for a new matrix, as in IDA, and for any matrix at a fixed step size.
const RATE_OF_NEW_MATRIX: f64 = 20.0;
/// $\varrho/(1-\varrho)$ assumed for an old matrix when the leading coefficient differs from that of the last step, as
/// in IDA.
const RATE_OF_OTHER_LEADING: f64 = 100.0;
/// Smallest $\varrho/(1-\varrho)$ that is carried over to the next step: an iteration that happened to converge
/// immediately says little about the next one.
const SMALLEST_RATE: f64 = 1e-3;
/// Smallest $\varrho/(1-\varrho)$ carried over if $F$ has kinks, beyond which the iteration behaves differently, or if
/// there are auxiliary unknowns, which are known to only a few digits.
const SMALLEST_UNCERTAIN_RATE: f64 = 0.05;
/// Bounds on $c/c_0$ beyond which the matrix is factorised again: at $(1 - \tfrac14)/(1 + \tfrac14)$ and
/// its inverse, corrections with the best factor $2/(1 + c/c_0)$ still reduce the error to a quarter at both ends of
/// the spectrum.
const LEADING_RATIO: (f64, f64) = (0.6, 1.0 / 0.6);
/// Jacobians evaluated at most this many steps ago are used again where the leading coefficient requires another
/// factorisation, and evaluated anew if the iteration then fails. (In CVODE, the limit is 50 steps.)
const OLDEST: usize = 20;

/// Starting point of the iteration of one step.
pub(super) struct Predictor<'a> {
    pub(super) t: f64,
    /// The last accepted state.
    pub(super) last: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) yp: &'a [f64],
    pub(super) leading: f64,
    pub(super) h: f64,
}

/// The iterate: $y = y^{(0)} + e$, $y' = y'^{(0)} + c\\,e$ with the predicted $y^{(0)}$, $y'^{(0)}$.
pub(super) struct Iterate<'a> {
    pub(super) e: &'a mut [f64],
    pub(super) y: &'a mut [f64],
    pub(super) yp: &'a mut [f64],
}

impl Iterate<'_> {
    fn add(&mut self, predictor: &Predictor<'_>, delta: &[f64]) {
        for (i, delta) in delta.iter().enumerate() {
            self.e[i] += delta;
            self.y[i] = predictor.y[i] + self.e[i];
            self.yp[i] = predictor.yp[i] + predictor.leading * self.e[i];
        }
    }
}

/// Whether there is a matrix, and whether it belongs to the step at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matrix {
    /// None, or one that is of no use: it is singular, an iteration with it failed, or the equations have changed.
    Missing,
    /// From an earlier step, or not evaluated at the predictor of this one.
    Old,
    /// Evaluated in this step, at its predictor or, for iterations that renew it, at an iterate.
    New,
}

/// State and storage of the iteration.
pub(super) struct Newton {
    jacobians: Jacobians,
    matrix: IterationMatrix<f64>,
    state: Matrix,
    /// Number of steps attempted since the Jacobians were evaluated.
    age: usize,
    /// The leading coefficient for which the matrix was factorised; zero if there are only Jacobians.
    factorized_leading: f64,
    /// Whether the matrix was factorised for the step at hand.
    is_new: bool,
    /// Whether the matrix was factorised from old Jacobians, and no rate of convergence has been observed with it: a
    /// matrix that is far too large makes all corrections nearly vanish, so that a small one proves nothing.
    is_unobserved: bool,
    last_leading: f64,
    /// $\varrho/(1-\varrho)$, as last observed or assumed.
    rate_sum: f64,
    delta: Vec<f64>,
    max_iterations: usize,
    /// Number of attempts in a row in which the iteration has failed, even with a matrix evaluated at the predictor.
    failures: usize,
    /// The sides of switching functions on which the matrix was evaluated.
    sides: Sides,
    /// Smallest $\varrho/(1-\varrho)$ that is carried over.
    smallest_rate: f64,
    multipliers: Vec<Multiplier>,
}

/// The state of the iteration for an unknown of index 2.
struct Multiplier {
    unknown: usize,
    nominal: f64,
    /// Size of the last correction; infinite before the first.
    correction: f64,
    /// Whether corrections have ceased to shrink, so that what remains is rounding error.
    is_rounded: bool,
}

impl Multiplier {
    fn new(unknown: usize, nominal: f64) -> Self {
        Multiplier { unknown, nominal, correction: f64::INFINITY, is_rounded: false }
    }

    /// Begins a new iteration.
    fn begin(&mut self) {
        *self = Multiplier::new(self.unknown, self.nominal);
    }

    fn note(&mut self, correction: f64) {
        self.is_rounded |= correction > STAGNATION.0 * self.correction;
        self.correction = correction;
    }
}

impl Newton {
    pub(super) fn new(description: &Description, plan: &Rc<FactorizationPlan>, max_iterations: usize) -> Self {
        let n = description.unknowns.len();
        let has_kinks = !description.switches.is_empty();
        let is_uncertain = has_kinks || description.unknowns.iter().any(|u| u.kind.is_auxiliary());
        Newton {
            jacobians: Jacobians::new(description),
            matrix: IterationMatrix::new(plan),
            state: Matrix::Missing,
            age: 0,
            factorized_leading: 0.0,
            is_new: false,
            is_unobserved: false,
            last_leading: 0.0,
            rate_sum: RATE_OF_NEW_MATRIX,
            delta: vec![0.0; n],
            max_iterations,
            failures: 0,
            sides: Sides::new(description),
            smallest_rate: if is_uncertain { SMALLEST_UNCERTAIN_RATE } else { SMALLEST_RATE },
            multipliers: (0..n)
                .filter(|&i| description.unknowns[i].index == 2)
                .map(|i| Multiplier::new(i, description.unknowns[i].nominal))
                .collect(),
        }
    }

    /// Takes over Jacobians that were evaluated just before, and the sides of switching functions on which that was.
    pub(super) fn adopt(&mut self, jacobians: &Jacobians, sides: &Sides) {
        self.jacobians.copy_from(jacobians);
        self.sides.copy_from(sides);
        (self.state, self.age, self.factorized_leading) = (Matrix::Old, 0, 0.0);
    }

    /// Keeps the Jacobians from being factorised for another leading coefficient: they change so fast that an iteration
    /// failed, or may be the reason why an error was too large.
    pub(super) fn suspect_jacobians(&mut self) {
        self.age = OLDEST;
    }

    /// Drops the matrix because the equations have changed.
    pub(super) fn forget(&mut self) {
        self.state = Matrix::Missing;
    }

    /// Whether the step size is prescribed.
    pub(super) fn has_fixed_step(&self) -> bool {
        self.max_iterations == MAX_ITERATIONS_AT_FIXED_STEP
    }

    /// Whether a matrix was factorised for the last step.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// The matrix, and the factor of $F_{y'}$ in it.
    pub(super) fn factors(&self) -> (&IterationMatrix<f64>, f64) {
        (&self.matrix, self.factorized_leading)
    }

    /// Solves the equations of a step, from the predictor, for the iterate.
    pub(super) fn solve(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        if self.state == Matrix::New {
            self.state = Matrix::Old;
        }
        let ratio = predictor.leading / self.factorized_leading;
        self.age += 1;
        self.is_new = false;
        if self.state == Matrix::Missing {
            self.renew(dae, predictor, statistics)?;
            self.suspect_jacobians();
        } else if !(ratio > LEADING_RATIO.0 && ratio < LEADING_RATIO.1) {
            if self.age > OLDEST || self.factorize(dae, predictor, statistics).is_err() {
                self.renew(dae, predictor, statistics)?;
            } else {
                self.is_unobserved = true;
            }
        } else if predictor.leading != self.last_leading {
            self.rate_sum = RATE_OF_OTHER_LEADING;
        }
        if self.has_fixed_step() {
            // No error test would notice an iteration that stopped too early.
            self.rate_sum = RATE_OF_NEW_MATRIX;
        }
        self.last_leading = predictor.leading;
        loop {
            self.predict(predictor, at);
            match self.iterate(dae, predictor, weights, statistics, at) {
                Ok(()) if self.sides.differ(dae, predictor.t, at.y, at.yp) => {
                    // A matrix from the other side cannot tell whether the equations hold here: in contact with a stiff
                    // mechanical stop, its inverse is nearly zero, and a step that has left the stop would pass.
                    self.failures = 0;
                    let mut found = self.confirm(dae, predictor, weights, statistics, at);
                    if found.is_err() {
                        found = self.iterate_anew(dae, predictor, weights, statistics, at);
                    }
                    self.state = if found.is_ok() { Matrix::Old } else { Matrix::Missing };
                    return found;
                }
                Ok(()) => {
                    self.failures = 0;
                    return Ok(());
                }
                Err(_) if self.state == Matrix::Old => {
                    self.renew(dae, predictor, statistics)?;
                    self.suspect_jacobians();
                }
                Err(cause) => {
                    let mut is_solved =
                        self.sides.are_any() && self.iterate_anew(dae, predictor, weights, statistics, at).is_ok();
                    self.failures = if is_solved { 0 } else { self.failures + 1 };
                    // Not with unknowns of index 2: they count for little in short steps, and may end up anywhere.
                    if !is_solved && self.multipliers.is_empty() && self.failures >= FAILURES {
                        is_solved = self.iterate_damped(dae, predictor, weights, statistics, at).is_ok();
                    }
                    self.state = if is_solved { Matrix::Old } else { Matrix::Missing };
                    return if is_solved { Ok(()) } else { Err(cause) };
                }
            }
        }
    }

    /// Evaluates and factorises the matrix at the predictor.
    fn renew(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        self.state = Matrix::Missing;
        self.jacobians.evaluate(dae, predictor.t, predictor.y, predictor.yp);
        self.sides.note(dae, predictor.t, predictor.y, predictor.yp);
        statistics.jacobians += 1;
        self.age = 0;
        self.factorize(dae, predictor, statistics)?;
        self.state = Matrix::New;
        Ok(())
    }

    /// Factorises the matrix of the Jacobians at hand for the leading coefficient of this step.
    fn factorize(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), StepError> {
        self.matrix.assemble(dae.description(), predictor.leading, 1.0, &self.jacobians, predictor.h);
        statistics.factorizations += 1;
        self.matrix.factorize()?;
        (self.factorized_leading, self.is_new, self.is_unobserved) = (predictor.leading, true, false);
        self.rate_sum = RATE_OF_NEW_MATRIX;
        Ok(())
    }

    /// Makes one correction with a matrix evaluated where the iteration has ended. It has to be within [`TOLERANCE`],
    /// and to stay on the same sides of the switching functions.
    fn confirm(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        self.renew(dae, &Predictor { y: at.y, yp: at.yp, ..*predictor }, statistics)?;
        self.correct(dae, predictor, 1.0, statistics, at)?;
        let is_small = weights.norm(&self.delta) <= TOLERANCE && self.multipliers_settled(predictor, weights);
        if is_small && !self.sides.differ(dae, predictor.t, at.y, at.yp) {
            return Ok(());
        }
        Err(StepError::Convergence { unknown: weights.worst(&self.delta) })
    }

    /// Newton's iteration with a new matrix each time: the solution may be beyond a kink, of which a matrix evaluated
    /// at the predictor knows nothing. Later corrections are halved, since full ones may lead from one side to the
    /// other and back for ever.
    fn iterate_anew(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        self.predict(predictor, at);
        let mut across = None;
        for iteration in 0..ITERATIONS_ANEW {
            self.renew(dae, &Predictor { y: at.y, yp: at.yp, ..*predictor }, statistics)?;
            let factor = if iteration < FULL_ITERATIONS { 1.0 } else { 0.5 };
            self.correct(dae, predictor, factor, statistics, at)?;
            let size = weights.norm(&self.delta) / factor;
            if !size.is_finite() {
                break;
            }
            if size <= TOLERANCE / RATE_OF_NEW_MATRIX && self.multipliers_settled(predictor, weights) {
                return Ok(());
            }
            let is_across = self.sides.differ_by_jump(dae, predictor.t, at.y, at.yp);
            if is_across && across.is_some_and(|before: f64| size >= RETURNS * before) {
                break;
            }
            across = is_across.then_some(size);
        }
        Err(StepError::Convergence { unknown: weights.worst(&self.delta) })
    }

    /// Damped Newton iteration with a new matrix each time. The damping factor is such that the next correction, with
    /// the same matrix, is smaller (natural monotonicity test, which does not depend on the scaling of equations: P.
    /// Deuflhard, *Newton Methods for Nonlinear Problems*, 2004, Sect. 3.3). Full corrections lead anywhere where an
    /// exponential grows steeply. Only for systems without unknowns of index 2.
    fn iterate_damped(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        self.predict(predictor, at);
        let [mut base, mut step, mut damped] = [(); 3].map(|()| at.e.to_vec());
        let mut factor: f64 = 1.0;
        for _ in 0..DAMPED_ITERATIONS {
            self.renew(dae, &Predictor { y: at.y, yp: at.yp, ..*predictor }, statistics)?;
            self.residual_correction(dae, predictor.t, statistics, at)?;
            base.copy_from_slice(at.e);
            step.copy_from_slice(&self.delta);
            let size = weights.norm(&step);
            if !size.is_finite() {
                break;
            }
            loop {
                at.e.copy_from_slice(&base);
                damped.iter_mut().zip(&step).for_each(|(damped, step)| *damped = factor * step);
                at.add(predictor, &damped);
                let is_defined = self.residual_correction(dae, predictor.t, statistics, at).is_ok();
                let is_smaller = weights.norm(&self.delta) <= (1.0 - 0.5 * factor) * size;
                if is_defined && (is_smaller || factor * size <= TOLERANCE / RATE_OF_NEW_MATRIX) {
                    break;
                }
                factor *= 0.5;
                if factor < SMALLEST_FACTOR {
                    return Err(StepError::Convergence { unknown: weights.worst(&step) });
                }
            }
            if factor == 1.0 && size <= TOLERANCE / RATE_OF_NEW_MATRIX {
                return Ok(());
            }
            factor = (4.0 * factor).min(1.0);
        }
        Err(StepError::Convergence { unknown: weights.worst(&step) })
    }

    /// Computes a correction with the matrix at hand, in `delta`, without making it.
    fn residual_correction(
        &mut self,
        dae: &dyn Dae,
        t: f64,
        statistics: &mut Statistics,
        at: &Iterate<'_>,
    ) -> Result<(), StepError> {
        dae.residual(t, at.y, at.yp, &mut self.delta);
        statistics.residuals += 1;
        if let Some(equation) = self.delta.iter().position(|r| !r.is_finite()) {
            return Err(StepError::NonFinite { equation });
        }
        self.matrix.solve(&mut self.delta);
        statistics.solves += 1;
        self.delta.iter_mut().for_each(|delta| *delta = -*delta);
        Ok(())
    }

    /// Resets the iterate to the predictor, and the state of the unknowns of index 2.
    fn predict(&mut self, predictor: &Predictor<'_>, at: &mut Iterate<'_>) {
        at.e.fill(0.0);
        at.y.copy_from_slice(predictor.y);
        at.yp.copy_from_slice(predictor.yp);
        self.multipliers.iter_mut().for_each(Multiplier::begin);
    }

    /// Makes one correction with the matrix at hand, multiplied by `factor`, and leaves it in `delta`.
    fn correct(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        factor: f64,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        self.residual_correction(dae, predictor.t, statistics, at)?;
        let delta = &mut self.delta;
        delta.iter_mut().for_each(|delta| *delta *= factor);
        at.add(predictor, delta);
        self.multipliers.iter_mut().for_each(|multiplier| multiplier.note(delta[multiplier.unknown].abs()));
        Ok(())
    }

    fn iterate(
        &mut self,
        dae: &dyn Dae,
        predictor: &Predictor<'_>,
        weights: &Weights,
        statistics: &mut Statistics,
        at: &mut Iterate<'_>,
    ) -> Result<(), StepError> {
        let factor = 2.0 / (1.0 + predictor.leading / self.factorized_leading);
        let fixed = self.has_fixed_step();
        let (mut first, mut previous) = (0.0, f64::INFINITY);
        for iteration in 0..self.max_iterations {
            self.correct(dae, predictor, factor, statistics, at)?;
            let size = weights.norm(&self.delta);
            if iteration == 0 {
                first = size;
                self.rate_sum = self.rate_sum.max(self.smallest_rate);
                if size <= AT_ONCE && !self.is_unobserved && self.multipliers_settled(predictor, weights) {
                    return Ok(());
                }
            } else {
                let rate = (size / first).powf(1.0 / iteration as f64);
                if rate > SLOWEST_RATE || rate.is_nan() {
                    return Err(StepError::Convergence { unknown: weights.worst(&self.delta) });
                }
                self.rate_sum = (rate / (1.0 - rate)).max(SMALLEST_RATE);
                self.is_unobserved = false;
            }
            let is_observed = iteration > 0 || (size <= UNOBSERVED && !self.is_unobserved);
            let settled =
                is_observed && self.rate_sum * size <= TOLERANCE && self.multipliers_settled(predictor, weights);
            let stagnates = size > STAGNATION.0 * previous && self.state == Matrix::New;
            if settled && (!fixed || stagnates || self.rate_sum * size <= TOLERANCE_AT_FIXED_STEP) {
                return Ok(());
            }
            if fixed && stagnates && size <= ROUNDING * first {
                return Ok(());
            }
            if fixed && self.state == Matrix::Old && size > STAGNATION.1 * previous {
                return Err(StepError::Convergence { unknown: weights.worst(&self.delta) });
            }
            previous = size;
        }
        // A new matrix can achieve no more: the weaker bounds have to suffice.
        let are_small = || self.multipliers.iter().all(|multiplier| self.is_small(multiplier, predictor));
        if self.state == Matrix::New && self.rate_sum * previous <= TOLERANCE && are_small() {
            return Ok(());
        }
        Err(StepError::Convergence { unknown: weights.worst(&self.delta) })
    }

    /// Whether the iteration errors of the unknowns of index 2 are within their tolerances or, where rounding errors
    /// limit them, small relative to the unknowns.
    fn multipliers_settled(&self, predictor: &Predictor<'_>, weights: &Weights) -> bool {
        let settled = |multiplier: &Multiplier| {
            self.error_of(multiplier) * weights.full()[multiplier.unknown] <= 1.0
                || multiplier.is_rounded && self.is_small(multiplier, predictor)
        };
        self.multipliers.iter().all(settled)
    }

    /// Estimated iteration error of an unknown of index 2 after the last correction.
    fn error_of(&self, multiplier: &Multiplier) -> f64 {
        self.rate_sum.min(1.0) * multiplier.correction
    }

    /// Whether the iteration error of an unknown of index 2 is small relative to its size: its magnitude in the last
    /// accepted state plus its nominal value.
    fn is_small(&self, multiplier: &Multiplier, predictor: &Predictor<'_>) -> bool {
        let size = multiplier.nominal + predictor.last[multiplier.unknown].abs();
        self.error_of(multiplier) <= ROUNDED_MULTIPLIER_TOLERANCE * size
    }

    /// Applies a resolvent to `v`, with the matrix at hand.
    pub(super) fn apply_resolvent(&self, description: &Description, resolvent: &mut Resolvent, v: &mut [f64]) {
        let leading = (self.factorized_leading, &self.jacobians.yp[..]);
        resolvent.apply(description, leading, |right_hand_side| self.matrix.solve(right_hand_side), v);
    }

    /// The row and column where the matrix at the predictor is singular; `None` if it is regular.
    pub(super) fn deficiency(&mut self, dae: &dyn Dae, predictor: &Predictor<'_>) -> Option<Deficiency> {
        self.jacobians.evaluate(dae, predictor.t, predictor.y, predictor.yp);
        self.matrix.assemble(dae.description(), predictor.leading, 1.0, &self.jacobians, predictor.h);
        self.state = Matrix::Missing;
        self.matrix.deficiency()
    }
}
