//! Radau IIA of orders 1, 5, 9 and 13 for fully implicit systems $F(t, y, y') = 0$, controlled as in the codes of
//! Hairer and Wanner.
//!
//! In: a formulation, consistent start values, an end time, options. Out: a
//! [`Stepper`](crate::integrator::stepper::Stepper). Sources: RADAU5, Hairer & Wanner, *Solving Ordinary Differential
//! Equations II*, section IV.8; index 2 and 3: section VII.4 there, and Hairer, Lubich & Roche (1989); other orders: E.
//! Hairer, G. Wanner, *Stiff differential equations solved by Radau methods*, J. Comput. Appl. Math. 111 (1999).
//!
//! # Stages
//!
//! A collocation polynomial satisfies the equation at $t_n + c_i h$. With $Z_i$ its values there minus $y_n$, and its
//! derivatives $h^{-1} \sum_j (A^{-1})_{ij} Z_j$ (`tableau.rs`),
//!
//! $$ F\Bigl(t_n + c_i h,\\; y_n + Z_i,\\; \frac1h \sum_j (A^{-1})_{ij} Z_j\Bigr) = 0, \qquad i = 1, \dots, s, $$
//!
//! and $y_{n+1} = y_n + Z_s$: since $c_s = 1$, every algebraic equation holds as it stands at the end of a step.
//! Newton's method with $F_{y'}$, $F_y$ frozen at one point solves
//! $\frac1h (A^{-1} \otimes F_{y'}) \Delta Z + (I \otimes F_y) \Delta Z = -F(Z)$. In $W = (T^{-1} \otimes I) Z$ this
//! decouples into a real system and $(s - 1)/2$ complex ones of the order of $F$,
//!
//! $$ \Bigl(\frac{\gamma}{h} F_{y'} + F_y\Bigr) \Delta W_1 = -(T^{-1} F)\_1, \qquad
//!    \Bigl(\frac{\alpha_k + i\beta_k}{h} F_{y'} + F_y\Bigr) (\Delta W_{2k} + i \Delta W_{2k+1}) = -(T^{-1} F)\_{2k} - i\\,(T^{-1} F)\_{2k+1}. $$
//!
//! Indeed the rows of the $2 \times 2$ block give
//! $\frac{\alpha}{h} F_{y'} \Delta W_2 - \frac{\beta}{h} F_{y'} \Delta W_3 + F_y \Delta W_2$ and
//! $\frac{\beta}{h} F_{y'} \Delta W_2 + \frac{\alpha}{h} F_{y'} \Delta W_3 + F_y \Delta W_3$, the real and imaginary
//! part of the complex product.
//!
//! Both Jacobians are evaluated at $t_n + 0.6\\,h$ on the extrapolated last polynomial: no stage is as far from there
//! as the last one is from $t_n$, and the iteration contracts faster. After a failed attempt they are evaluated at
//! $(t_n, y_n)$. The number of stages of a run of variable order is chosen in `order.rs`.
//!
//! # Error estimate
//!
//! For $M y' = f$ RADAU5 compares with a formula of order 3 that also uses $f(t_n, y_n)$, and takes
//! $\mathrm{err} = (\frac\gamma h M - J)^{-1} \bigl(f(t_n, y_n) + \frac1h M \sum_i e_i Z_i\bigr)$. The $e_i$ are such
//! that $-\frac1h \sum_i e_i Z_i = p'(t_n)$, the derivative *at the start* of the collocation polynomial through $y_n$
//! (exactness for $p = s, s^2, s^3$ determines them, and `tableau.rs` checks the numbers). So the bracket is minus the
//! defect of the collocation polynomial at the one node where it does not vanish, and this makes sense for any $F$ and
//! any number of stages:
//!
//! $$ \mathrm{err} = -\Bigl(\frac{\gamma}{h} F_{y'} + F_y\Bigr)^{-1} F\bigl(t_n, y_n, p'(t_n)\bigr). $$
//!
//! With $F = M(t, y) y' - f(t, y)$ it is RADAU5's expression with $M$ taken at $(t_n, y_n)$, where the exact derivative
//! makes it zero. In general $F(t_n, y_n, p') = F_{y'} \cdot (p'(t_n) - y'(t_n)) + \dots$ and the derivative of an
//! interpolant of degree $s$ is accurate to $O(h^s)$, so that the estimate is $O(h^{s+1})$ for components with a
//! derivative, however $y'$ enters $F$. The filter keeps it bounded for stiff components; on the first step and after a
//! rejection it is applied once more, to $F(t_n, y_n + \mathrm{err}, p'(t_n))$. Since the method is of order $2s - 1$
//! and the estimate of order $s$, tolerances are transformed to $0.1\\,\mathrm{rtol}^{2/3}$ (as in RADAU5), which makes
//! the error proportional to `rtol` for $s = 3$. More stages would permit larger tolerances where the problem is not
//! stiff; where it is, their order is no higher than that of the estimate, and so they have the same tolerance.
//!
//! Components of index $k$ count with a factor $h^{k-1}$ in both tests (`error_weights`), and their columns are scaled
//! (`iteration_matrix`). Accepted steps are projected onto the enforced constraints (`projection`).

mod accuracy;
mod control;
mod defect;
mod kinks;
mod order;
mod polynomial;
mod stages;
mod start;
mod tableau;

use crate::integrator::multipliers::Multipliers;
use crate::integrator::resolvent::Resolvent;
use crate::integrator::sides::Sides;
use crate::integrator::stepper::{DenseAccuracy, StepControl};
use crate::integrator::{Rejection, Run, Scheme, StepError};
use crate::linalg::iteration_matrix::{Deficiency, Jacobians, Singular};
pub(crate) use accuracy::{Accuracy, StageRange, Tolerances};
use control::{Controller, Scales};
use order::{Change, Observation, OrderControl};
pub(crate) use polynomial::Polynomial;
pub(crate) use stages::{AtStage, Limits, Matrices, NOISE, Origin, Outcome, StagePlace, Stages, UNOBSERVED, combine};
pub(crate) use start::{begin, beyond, first_step, start};
pub(crate) use tableau::Tableau;

/// A Jacobian is kept while Newton's iteration contracts faster than this.
const KEEP_JACOBIAN: f64 = 1e-3;
/// The rate observed with the Jacobian of an earlier step is trusted in steps up to this many times as long as those in
/// which it was observed; where $F$ has kinks, in none.
const SEEN: f64 = 2.0;

/// Number of failed iterations allowed in one step if $F$ has kinks: steps whose stages lie on both sides of one are
/// better made by a method with one stage, and soon, before steps become so short that rounding decides on which side
/// they are.
const PATIENCE_AT_KINKS: usize = 6;

/// Jacobians are evaluated at this fraction of a step: the middle between the first stage and the last, from which no stage is far.
const MIDDLE: f64 = 0.6;

/// The polynomial is extrapolated for this where the step is at most this many times as long as the last one.
const TRUSTED: f64 = 2.0;

/// A method of one order.
#[derive(Clone, Debug)]
struct Order {
    tableau: &'static Tableau,
    limits: Limits,
    scales: Scales,
}

/// The Radau IIA scheme.
pub(crate) struct Radau {
    /// The methods, by ascending order.
    orders: Vec<Order>,
    /// Position in `orders` of the method in use.
    current: usize,
    order_control: OrderControl,
    jacobians: Jacobians,
    freshness: Freshness,
    /// The longest step in which an iteration with the Jacobian has been seen to contract.
    seen_for: f64,
    sides: Sides,
    /// Whether Jacobians are evaluated on the extrapolated last polynomial: not before the first step, and not once an attempt has failed.
    trusts_polynomial: bool,
    matrices: Matrices,
    /// Signed step the factors are for; zero if there are none.
    factorized_for: f64,
    /// The factor of $F_{y'}$ in the real matrix.
    leading: f64,
    stages: Stages,
    multipliers: Multipliers,
    controller: Controller,
    error: Vec<f64>,
    /// The unknowns that are exact at the ends of steps whatever they do in between.
    prescribed: Vec<usize>,
    /// Whether polynomials are to be accurate too; then the caller tests all their unknowns between the nodes.
    accuracy: Accuracy,
    /// The differential unknowns, and the resolvent that removes all but states from an error, where that is needed.
    differential: Vec<usize>,
    resolvent: Option<Resolvent>,
    point: Vec<f64>,
    slope: Vec<f64>,
    /// Largest number of failed iterations in one step.
    patience: usize,
    /// Error of the last step, in units of the error allowed, or its lower bound.
    last_error: f64,
    /// Position in `orders` of the method of the last step.
    last: usize,
    /// The collocation polynomial of the last step.
    polynomial: Polynomial,
    /// The polynomial of the last attempt at the step at hand that ended before a surface, if there is one.
    before_surface: Polynomial,
    has_before_surface: bool,
    /// The polynomial of the attempt under way, while its defects are computed.
    attempt: Polynomial,
    /// The defect of that polynomial at the start.
    at_start: Vec<f64>,
    /// Holds the error estimate while defects occupy `error`.
    seen: Vec<f64>,
}

/// How recently the Jacobian was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    /// For the step at hand.
    Current,
    /// For an earlier step, but it is still usable.
    Usable,
    /// To be evaluated before the next step.
    Outdated,
}

impl Radau {
    /// Number of stages in use.
    pub(crate) fn stages(&self) -> usize {
        self.order_in_use().tableau.stages()
    }

    /// The collocation polynomial of the last step.
    pub(crate) fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }

    fn order_in_use(&self) -> &Order {
        &self.orders[self.current]
    }

    /// The Jacobians at hand, and the sides of switching functions on which they were evaluated.
    pub(crate) fn jacobians(&self) -> (&Jacobians, &Sides) {
        (&self.jacobians, &self.sides)
    }

    /// Evaluates the Jacobian in the middle of the stages, as the last polynomial predicts it; where that is
    /// unreliable, at the last state or, if it is not finite there, at the predicted end of a step of length `h`.
    fn update_jacobians(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        (self.factorized_for, self.seen_for) = (0.0, 0.0);
        let ratio = h / self.polynomial.length();
        if self.trusts_polynomial && ratio.abs() <= TRUSTED {
            self.polynomial.evaluate(MIDDLE * ratio, &mut self.point, &mut self.slope);
            let t = run.clock.time() + MIDDLE * h;
            self.jacobians.evaluate(&*run.dae, t, &self.point, &self.slope);
            self.sides.note(&*run.dae, t, &self.point, &self.slope);
            run.statistics.jacobians += 1;
            if self.jacobians.is_finite() {
                self.freshness = Freshness::Current;
                return Ok(());
            }
        }
        self.jacobians.evaluate(&*run.dae, run.clock.time(), &run.y, &run.yp);
        self.sides.note(&*run.dae, run.clock.time(), &run.y, &run.yp);
        run.statistics.jacobians += 1;
        if !self.jacobians.is_finite() {
            self.evaluate_at_end(run, h);
        }
        if !self.jacobians.is_finite() {
            let equation = self.jacobians.non_finite(run.dae.description()).next().map_or(0, |(row, _)| row);
            return Err(Rejection { cause: StepError::NonFinite { equation }, retry: 0.5 * h.abs() });
        }
        self.freshness = Freshness::Current;
        Ok(())
    }

    fn evaluate_at_end(&mut self, run: &mut Run<'_>, h: f64) {
        self.predict_end(run, h);
        let t = run.clock.time() + h;
        self.jacobians.evaluate(&*run.dae, t, &run.candidate, &run.candidate_slope);
        self.sides.note(&*run.dae, t, &run.candidate, &run.candidate_slope);
        run.statistics.jacobians += 1;
    }

    /// Newton's iteration for the stages, from their present values.
    fn iterate(&mut self, run: &mut Run<'_>, h: f64) -> Outcome {
        let origin = Origin { t: run.clock.time(), y: &run.y, h };
        let (limits, tableau) = (self.limits(h), &self.orders[self.current].tableau);
        let dae = &run.dae;
        let mut residual = |StagePlace { t, .. }: StagePlace, y: &[f64], yp: &[f64], residual: &mut [f64]| {
            dae.residual(t, y, yp, residual);
        };
        let outcome = self.stages.solve(&mut residual, tableau, &self.matrices, &run.weights, limits, origin);
        run.statistics.residuals += self.stages.residuals;
        run.statistics.solves += self.stages.iterations;
        outcome
    }

    /// Limits of the iteration in a step of length `h`.
    fn limits(&self, h: f64) -> Limits {
        let is_seen = !self.sides.are_any() && h.abs() <= SEEN * self.seen_for;
        let is_known = self.freshness == Freshness::Current || is_seen;
        let noise = if self.freshness == Freshness::Current { NOISE } else { 0.0 };
        Limits { unobserved: if is_known { UNOBSERVED } else { 0.0 }, noise, ..self.order_in_use().limits }
    }

    fn factorize(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Singular> {
        if h == self.factorized_for {
            return Ok(());
        }
        self.factorized_for = 0.0;
        run.statistics.factorizations += 1;
        let description = run.dae.description();
        let tableau = &self.orders[self.current].tableau;
        let Matrices { real, complex } = &mut self.matrices;
        self.leading = tableau.gamma / h;
        real.assemble(description, self.leading, 1.0, &self.jacobians, h);
        real.factorize()?;
        for (matrix, pair) in complex.iter_mut().zip(&tableau.pairs) {
            matrix.assemble(description, pair / h, 1.0.into(), &self.jacobians, h);
            matrix.factorize()?;
        }
        self.factorized_for = h;
        Ok(())
    }

    /// Start values for the stages of a step from `y`.
    fn predict_stages(&mut self, y: &[f64], h: f64) {
        let ratio = h / self.before_surface.length();
        if self.has_before_surface && ratio.abs() <= TRUSTED {
            for (z, c) in self.stages.z.iter_mut().zip(&self.orders[self.current].tableau.c) {
                self.before_surface.evaluate(c * ratio - 1.0, z, &mut self.slope);
                z.iter_mut().zip(y).for_each(|(z, y)| *z -= y);
            }
            return;
        }
        self.polynomial.predict(h, &self.orders[self.current].tableau.c, &mut self.stages.z);
    }

    /// Computes the state and its derivative at the last stage, in `run.candidate` and `run.candidate_slope`.
    fn end_of_stages(&self, run: &mut Run<'_>, h: f64) {
        let Tableau { inverse, .. } = &self.orders[self.current].tableau;
        let last = inverse.rows() - 1;
        combine(inverse.row(last).map(|a| a / h), &self.stages.z, &mut run.candidate_slope);
        for ((candidate, y), z) in run.candidate.iter_mut().zip(&run.y).zip(&self.stages.z[last]) {
            *candidate = y + z;
        }
    }

    /// Length of the step after one of length `h` if the controller proposes `next`.
    fn next_length(&self, run: &Run<'_>, h: f64, next: f64) -> f64 {
        let (intended, made) = (run.h, h.abs());
        if made < intended && next >= made {
            // The step was cut for a landing: the length intended before is still good.
            next.max(intended)
        } else if self.stages.theta <= KEEP_JACOBIAN && control::keeps_length(next / made) {
            made
        } else {
            next
        }
    }

    /// Suspects a Jacobian that was not evaluated at the last state when an attempt was not accepted.
    pub(crate) fn suspect_jacobian(&mut self) {
        if self.freshness == Freshness::Usable || self.trusts_polynomial {
            self.freshness = Freshness::Outdated;
        }
        self.trusts_polynomial = false;
    }

    /// Chooses two stages more or fewer for the next step, if that pays.
    fn choose_order(&mut self, run: &Run<'_>, ratio: f64) {
        if self.orders.len() == 1 {
            return;
        }
        let s = self.stages();
        let size = |power: usize| run.weights.error_norm(self.polynomial.coefficient(power));
        let decay = size(s) / size(s - 1).max(f64::MIN_POSITIVE);
        let theta = self.stages.theta;
        let seen = Observation { stages: s, error: self.last_error, decay, theta, ratio };
        let next = match self.order_control.after_success(seen) {
            Change::Raise if self.current + 1 < self.orders.len() => self.current + 1,
            Change::Lower if self.current > 0 => self.current - 1,
            Change::Raise | Change::Lower | Change::Keep => return,
        };
        self.current = next;
        self.factorized_for = 0.0;
        self.order_control.begin();
        self.controller.forget_trend();
    }
}

impl Scheme for Radau {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        if self.freshness == Freshness::Outdated {
            self.update_jacobians(run, h)?;
        }
        let is_old = self.freshness == Freshness::Usable;
        let reject = |radau: &mut Radau, cause, factor: f64| {
            radau.controller.after_failure();
            radau.suspect_jacobian();
            Err(Rejection { cause, retry: factor * h.abs() })
        };
        // Where steps cannot be shortened only a new Jacobian can be tried.
        let shorter = if is_old && run.control != StepControl::Adaptive { 1.0 } else { 0.5 };
        if let Err(singular) = self.factorize(run, h) {
            return reject(self, StepError::from(singular), shorter);
        }
        self.predict_stages(&run.y, h);
        match self.iterate(run, h) {
            Outcome::Converged => {
                if self.stages.iterations > 1 {
                    self.seen_for = self.seen_for.max(h.abs());
                }
                self.end_of_stages(run, h);
                match run.candidate.iter().position(|y| !y.is_finite()) {
                    Some(unknown) => reject(self, StepError::Convergence { unknown }, 0.5),
                    None => Ok(()),
                }
            }
            Outcome::NonFinite { equation } => {
                self.order_control.note_failure();
                reject(self, StepError::NonFinite { equation }, shorter)
            }
            Outcome::Diverged { unknown, .. } if is_old => reject(self, StepError::Convergence { unknown }, 1.0),
            Outcome::Diverged { unknown, factor } => {
                self.order_control.note_failure();
                reject(self, StepError::Convergence { unknown }, factor)
            }
        }
    }

    fn predict_end(&mut self, run: &mut Run<'_>, h: f64) {
        self.predict_stages(&run.y, h);
        self.end_of_stages(run, h);
    }

    fn note_before_surface(&mut self, run: &Run<'_>, h: f64) {
        let start = Origin { t: run.clock.time(), y: &run.y, h };
        let tableau = self.orders[self.current].tableau;
        self.before_surface.set_stages(tableau, &self.stages.z, start, &run.candidate);
        self.has_before_surface = true;
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        let mut size = self.size_of_error(run, h)?;
        if size < 1.0 && self.sides.are_any() && self.look_beyond_kinks(run, h)? {
            size = size.max(self.size_of_error(run, h)?);
        }
        let (scales, iterations) = (self.order_in_use().scales, self.stages.iterations);
        if size < 1.0 {
            self.last_error = size.max(1e-10);
            let next = self.controller.after_success(scales, h.abs(), self.last_error, iterations);
            return Ok(self.next_length(run, h, next));
        }
        self.suspect_jacobian();
        let cause = StepError::Error { unknown: self.worst(run) };
        let retry = match size.is_finite() {
            true => self.controller.after_error(scales, h.abs(), size, iterations),
            false => 0.1 * h.abs(),
        };
        Err(Rejection { cause, retry })
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        let (t, matrix, before) = (run.clock.time(), &self.matrices.real, self.polynomial.length());
        run.projector.apply(&*run.dae, matrix, &run.weights, t, &mut run.candidate, &mut run.statistics);
        let changed = self.multipliers.apply(
            &*run.dae,
            matrix,
            self.orders[self.current].tableau.gamma / h,
            &run.weights,
            t,
            &mut run.candidate,
            &mut run.candidate_slope,
            &mut run.statistics,
        );
        if changed {
            run.projector.forget_invariants();
        }
        std::mem::swap(&mut run.y, &mut run.candidate);
        std::mem::swap(&mut run.yp, &mut run.candidate_slope);
        self.last = self.current;
        let start = Origin { t, y: &run.candidate, h };
        self.polynomial.set_stages(self.orders[self.last].tableau, &self.stages.z, start, &run.y);
        self.trusts_polynomial = true;
        self.has_before_surface = false;
        let contracts = self.stages.theta <= KEEP_JACOBIAN;
        self.freshness = if contracts { Freshness::Usable } else { Freshness::Outdated };
        self.choose_order(run, h / before);
    }

    fn forget(&mut self, _run: &Run<'_>) {
        self.has_before_surface = false;
        self.freshness = Freshness::Outdated;
        self.trusts_polynomial = false;
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst_error(&self.error)
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.trusts_polynomial = false;
        self.update_jacobians(run, h).ok()?;
        let gamma = self.order_in_use().tableau.gamma;
        self.matrices.real.assemble(run.dae.description(), gamma / h, 1.0, &self.jacobians, h);
        self.freshness = Freshness::Outdated;
        self.matrices.real.deficiency()
    }

    fn leading(&self) -> f64 {
        self.leading
    }

    fn respond(&self, residual: &mut [f64]) {
        self.matrices.real.solve(residual);
    }

    fn order(&self) -> usize {
        2 * self.orders[self.last].tableau.stages() - 1
    }

    /// The collocation polynomial is of degree $s$, with a local error of $O(h^{s+1})$.
    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::Lower
    }

    fn dense_degree(&self) -> usize {
        self.polynomial.degree()
    }

    fn dense_coefficients(&mut self, _run: &mut Run<'_>, coefficients: &mut [f64]) {
        coefficients.iter_mut().zip(self.polynomial.coefficients()).for_each(|(target, source)| *target = *source);
    }
}
