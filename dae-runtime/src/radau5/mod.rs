//! Radau IIA of order 5 for fully implicit systems $F(t, y, y') = 0$, with Hairer's control of everything.
//!
//! In: a formulation, consistent start values, an end time, options. Out: a [`Stepper`]. Source: RADAU5, Hairer & Wanner,
//! *Solving Ordinary Differential Equations II*, section IV.8; index 2 and 3: section VII.4 there, and Hairer, Lubich & Roche (1989).
//!
//! # Stages
//!
//! A collocation polynomial satisfies the equation at $t_n + c_i h$. With $Z_i$ its values there minus $y_n$, and its slopes
//! $h^{-1} \sum_j (A^{-1})_{ij} Z_j$ (`tableau.rs`),
//!
//! $$ F\Bigl(t_n + c_i h,\\; y_n + Z_i,\\; \frac1h \sum_j (A^{-1})_{ij} Z_j\Bigr) = 0, \qquad i = 1, 2, 3, $$
//!
//! and $y_{n+1} = y_n + Z_3$: since $c_3 = 1$, every equation without derivatives holds at the end of a step as it stands. Newton's method
//! with $F_{y'}$, $F_y$ frozen at one point solves $\frac1h (A^{-1} \otimes F_{y'}) \Delta Z + (I \otimes F_y) \Delta Z = -F(Z)$.
//! In $W = (T^{-1} \otimes I) Z$ this falls into a real and a complex system of the order of $F$,
//!
//! $$ \Bigl(\frac{\gamma}{h} F_{y'} + F_y\Bigr) \Delta W_1 = -(T^{-1} F)\_1, \qquad
//!    \Bigl(\frac{\alpha + i\beta}{h} F_{y'} + F_y\Bigr) (\Delta W_2 + i \Delta W_3) = -(T^{-1} F)\_2 - i\\,(T^{-1} F)\_3. $$
//!
//! Indeed the rows of the $2 \times 2$ block give $\frac{\alpha}{h} F_{y'} \Delta W_2 - \frac{\beta}{h} F_{y'} \Delta W_3 + F_y \Delta W_2$ and
//! $\frac{\beta}{h} F_{y'} \Delta W_2 + \frac{\alpha}{h} F_{y'} \Delta W_3 + F_y \Delta W_3$, the real and imaginary part of
//! the complex product.
//!
//! # Error estimate
//!
//! For $M y' = f$ RADAU5 compares with a formula of order 3 that also uses $f(t_n, y_n)$, and takes
//! $\mathrm{err} = (\frac\gamma h M - J)^{-1} \bigl(f(t_n, y_n) + \frac1h M \sum_i e_i Z_i\bigr)$. The $e_i$ are such that
//! $-\frac1h \sum_i e_i Z_i = p'(t_n)$, the slope *at the start* of the collocation polynomial through $y_n$ (that it is exact for
//! $p = s, s^2, s^3$ determines them, and `tableau.rs` checks the numbers). So the bracket is minus the defect of the collocation
//! polynomial at the one node where it does not vanish, and this makes sense for any $F$:
//!
//! $$ \mathrm{err} = -\Bigl(\frac{\gamma}{h} F_{y'} + F_y\Bigr)^{-1} F\bigl(t_n, y_n, p'(t_n)\bigr). $$
//!
//! With $F = M(t, y) y' - f(t, y)$ it is RADAU5's expression with $M$ taken at $(t_n, y_n)$, where the exact slope makes it zero. In
//! general $F(t_n, y_n, p') = F_{y'} \cdot (p'(t_n) - y'(t_n)) + \dots$ and the slope of a cubic interpolant is accurate to
//! $O(h^3)$, so that the estimate is $O(h^4)$ for components with a derivative, whatever $y'$ does in $F$. The filter
//! keeps it bounded for stiff components; on the first step and after a rejection it is applied
//! once more, to $F(t_n, y_n + \mathrm{err}, p'(t_n))$. Since the method is of order 5 and the estimate of order 3, tolerances are
//! transformed to $0.1\\,\mathrm{rtol}^{2/3}$ (as in RADAU5), which makes the error proportional to `rtol`.
//!
//! Components of index $k$ count with a factor $h^{k-1}$ in both tests (`weights.rs`), and their columns are scaled
//! (`linear.rs`). Accepted steps are closed onto the enforced constraints (`closing.rs`).

mod control;
mod stages;
mod start;
mod tableau;
mod trouble;

use crate::clock::{Clock, Landing};
use crate::closing::Closing;
use crate::contract::Dae;
use crate::linear::{Jacobians, Singular};
use crate::multipliers::Multipliers;
use crate::stall::Stall;
use crate::stepper::{DenseAccuracy, Failure, Statistics, StepControl, Stepper};
use crate::switching::{Passage, Switching};
use crate::weights::Weights;
use control::Controller;
use stages::{Matrices, Outcome, Stages, Start};
use tableau::Tableau;
use trouble::{Rejection, Trouble};

/// A Jacobian is kept as long as Newton's iteration contracts faster than this.
const KEEP_JACOBIAN: f64 = 1e-3;

/// So often the iteration of one step may fail if $F$ has kinks: steps whose stages lie on both sides of one are better made by a method with
/// one stage, and that soon, before steps become so short that rounding decides on which side they are.
const PATIENCE_AT_KINKS: usize = 6;

/// A Radau IIA integration under way.
pub struct Radau5<'d> {
    dae: &'d dyn Dae,
    tableau: Tableau,
    clock: Clock,
    control: StepControl,
    max_step: f64,
    max_steps: usize,
    y: Vec<f64>,
    yp: Vec<f64>,
    candidate: Vec<f64>,
    jacobians: Jacobians,
    freshness: Freshness,
    matrices: Matrices,
    /// Signed step the factors are for; zero if there are none.
    factorized_for: f64,
    weights: Weights,
    stages: Stages,
    closing: Closing,
    multipliers: Multipliers,
    controller: Controller,
    stall: Stall,
    /// As the caller gave it.
    rtol: f64,
    switching: Switching,
    at_switch: Option<usize>,
    error: Vec<f64>,
    slope: Vec<f64>,
    /// How often the iteration of one step may fail.
    patience: usize,
    /// Length of the next step, positive.
    h: f64,
    /// Signed length of the last step.
    last_step: f64,
    /// Coefficients of the dense output, see [`Stepper::dense_coefficients`].
    dense: [Vec<f64>; 4],
    statistics: Statistics,
}

/// What the Jacobian was evaluated at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    /// The last accepted state.
    Current,
    /// An earlier one, but it still does.
    Usable,
    /// To be evaluated before the next step.
    Outdated,
}

impl Radau5<'_> {
    /// One attempt at a step of signed length `h`.
    fn attempt(&mut self, h: f64, landing: Landing) -> Result<Result<(), Rejection>, Failure> {
        self.update_jacobians()?;
        if let Err(singular) = self.factorize(h) {
            return Ok(Err(Rejection { trouble: Trouble::Singular(singular), retry: 0.5 * h.abs() }));
        }
        self.weights.update(&self.y, h);
        self.predict(h);
        let solved = self.solve_stages(h);
        match (self.passage(h, solved.is_ok()), solved) {
            (Passage::Free, Err(rejection)) => return Ok(Err(rejection)),
            (Passage::Free, Ok(())) => {}
            (Passage::Reached, _) => self.at_switch = Some(self.switching.first()),
            (Passage::AtStart, _) => {
                self.at_switch = Some(self.switching.first());
                return Ok(Ok(()));
            }
            (Passage::Retry(retry), _) => return Ok(Err(Rejection { trouble: Trouble::Switch, retry })),
        }
        let next = match self.control {
            StepControl::Fixed(length) => length,
            StepControl::Adaptive => match self.test_error(h) {
                Ok(next) => next,
                Err(rejection) => {
                    self.at_switch = None;
                    self.switching.forget();
                    return Ok(Err(rejection));
                }
            },
        };
        self.accept(h, landing);
        self.choose_next_step(h, next);
        if self.dae.choose_coordinates(self.clock.time(), &self.y, &self.yp, false) {
            self.freshness = Freshness::Outdated;
            self.closing.forget();
            self.statistics.coordinate_changes += 1;
        }
        Ok(Ok(()))
    }

    /// Has the Jacobian of the first step evaluated where that is predicted to end: if it starts at a surface across which $F$ jumps, the equations are
    /// those beyond it.
    pub(crate) fn look_beyond(&mut self) {
        let (h, _) = self.clock.fit(self.h);
        self.predict(h);
        self.end_of_stages(h);
        self.jacobians.evaluate(self.dae, self.clock.time() + h, &self.candidate, &self.slope);
        self.statistics.jacobians += 1;
        if self.jacobians.is_finite() {
            self.freshness = Freshness::Current;
        }
    }

    fn update_jacobians(&mut self) -> Result<(), Failure> {
        if self.freshness != Freshness::Outdated {
            return Ok(());
        }
        let (dae, t) = (self.dae, self.clock.time());
        self.jacobians.evaluate(dae, t, &self.y, &self.yp);
        self.statistics.jacobians += 1;
        if !self.jacobians.is_finite() {
            let description = dae.description();
            let rows = self.jacobians.non_finite_rows(description);
            let equations = rows.into_iter().map(|row| description.equations[row].name.clone()).collect();
            return Err(Failure::NonFinite { t, equations });
        }
        self.freshness = Freshness::Current;
        self.factorized_for = 0.0;
        Ok(())
    }

    fn factorize(&mut self, h: f64) -> Result<(), Singular> {
        if h == self.factorized_for {
            return Ok(());
        }
        self.factorized_for = 0.0;
        self.statistics.factorizations += 1;
        let description = self.dae.description();
        let Matrices { real, complex } = &mut self.matrices;
        real.assemble(description, self.tableau.gamma / h, 1.0, &self.jacobians, h);
        real.factorize()?;
        complex.assemble(description, self.tableau.alpha_beta / h, 1.0.into(), &self.jacobians, h);
        complex.factorize()?;
        self.factorized_for = h;
        Ok(())
    }

    /// Start values of the stages: the last collocation polynomial, extrapolated.
    fn predict(&mut self, h: f64) {
        for (z, c) in self.stages.z.iter_mut().zip(self.tableau.c) {
            let s = c * h / self.last_step;
            for k in 0..z.len() {
                z[k] = s * (self.dense[1][k] + s * (self.dense[2][k] + s * self.dense[3][k]));
            }
        }
    }

    fn solve_stages(&mut self, h: f64) -> Result<(), Rejection> {
        let start = Start { t: self.clock.time(), y: &self.y, h };
        let outcome = self.stages.solve(self.dae, &self.tableau, &self.matrices, &self.weights, start);
        self.statistics.residuals += 3 * self.stages.iterations.max(1);
        self.statistics.solves += self.stages.iterations;
        let reject = |trouble, factor: f64| Err(Rejection { trouble, retry: factor * h.abs() });
        match outcome {
            Outcome::Converged => match self.stages.z[2].iter().zip(&self.y).position(|(z, y)| !(y + z).is_finite()) {
                Some(unknown) => reject(Trouble::Convergence { unknown }, 0.5),
                None => Ok(()),
            },
            Outcome::NonFinite { equation } => reject(Trouble::NonFinite { equation }, 0.5),
            // An old Jacobian is the first suspect, before the step size.
            Outcome::Diverged { unknown, .. } if self.freshness == Freshness::Usable => {
                reject(Trouble::Convergence { unknown }, 1.0)
            }
            Outcome::Diverged { unknown, factor } => reject(Trouble::Convergence { unknown }, factor),
        }
    }

    /// Whether the step would pass a surface across which $F$ jumps. Of stages that were not found the prediction is all that is known.
    fn passage(&mut self, h: f64, solved: bool) -> Passage {
        if !self.switching.is_watching() {
            return Passage::Free;
        }
        if !solved {
            self.predict(h);
        }
        self.end_of_stages(h);
        let t = self.clock.time() + h;
        self.switching.passage(self.dae, h.abs(), (t, &self.candidate, &self.slope), solved, self.clock.resolution())
    }

    /// The state and the slope at the end of the stages, in `candidate` and `slope`.
    fn end_of_stages(&mut self, h: f64) {
        let d = [0, 1, 2].map(|j| self.tableau.inverse[(2, j)] / h);
        for k in 0..self.y.len() {
            self.slope[k] = self.stages.combine(d, k);
            self.candidate[k] = self.y[k] + self.stages.z[2][k];
        }
    }

    /// Length of the next step if the error is small enough.
    fn test_error(&mut self, h: f64) -> Result<f64, Rejection> {
        let size = self
            .estimate_error(h)
            .map_err(|equation| Rejection { trouble: Trouble::NonFinite { equation }, retry: 0.5 * h.abs() })?;
        let iterations = self.stages.iterations;
        if size < 1.0 {
            return Ok(self.controller.after_success(h.abs(), size.max(1e-10), iterations));
        }
        let trouble = Trouble::Error { unknown: self.weights.worst(&self.error) };
        let retry =
            if size.is_finite() { self.controller.after_error(h.abs(), size, iterations) } else { 0.1 * h.abs() };
        Err(Rejection { trouble, retry })
    }

    /// Weighted norm of the error estimate, which is left in `error`; or the equation that is not finite.
    fn estimate_error(&mut self, h: f64) -> Result<f64, usize> {
        let d = [0, 1, 2].map(|i| self.tableau.start[i] / h);
        for k in 0..self.y.len() {
            self.slope[k] = self.stages.combine(d, k);
        }
        self.candidate.copy_from_slice(&self.y);
        let size = self.filtered_defect()?;
        if size < 1.0 || !(self.controller.is_first() || self.controller.is_repeated()) {
            return Ok(size);
        }
        for k in 0..self.y.len() {
            self.candidate[k] = self.y[k] + self.error[k];
        }
        self.filtered_defect()
    }

    /// `error` $= -(\frac\gamma h F_{y'} + F_y)^{-1} F(t_n,$ `candidate`, `slope`$)$.
    fn filtered_defect(&mut self) -> Result<f64, usize> {
        self.dae.residual(self.clock.time(), &self.candidate, &self.slope, &mut self.error);
        self.statistics.residuals += 1;
        self.statistics.solves += 1;
        if let Some(equation) = self.error.iter().position(|x| !x.is_finite()) {
            return Err(equation);
        }
        self.error.iter_mut().for_each(|x| *x = -*x);
        self.matrices.real.solve(&mut self.error);
        Ok(self.weights.error_norm(&self.error))
    }

    /// Moves on to the end of the step.
    fn accept(&mut self, h: f64, landing: Landing) {
        self.clock.advance(h, landing);
        self.end_of_stages(h);
        self.stall.watch(&self.weights, h, &self.yp, &self.slope);
        std::mem::swap(&mut self.yp, &mut self.slope);
        let t = self.clock.time();
        let matrix = &self.matrices.real;
        self.closing.apply(self.dae, matrix, &self.weights, t, &mut self.candidate, &mut self.statistics);
        let changed = self.multipliers.apply(
            self.dae,
            &self.matrices.real,
            self.tableau.gamma / h,
            &self.weights,
            t,
            &mut self.candidate,
            &mut self.yp,
            &mut self.statistics,
        );
        if changed {
            self.closing.forget_invariants();
        }
        for k in 0..self.y.len() {
            self.stages.z[2][k] = self.candidate[k] - self.y[k];
            let [z1, z2, z3] = [0, 1, 2].map(|i| self.stages.z[i][k]);
            let values = [-z3, z1 - z3, z2 - z3];
            self.dense[0][k] = self.candidate[k];
            for (power, row) in self.dense[1..].iter_mut().zip(self.tableau.dense.row_iter()) {
                power[k] = row[0] * values[0] + row[1] * values[1] + row[2] * values[2];
            }
        }
        std::mem::swap(&mut self.y, &mut self.candidate);
        self.last_step = h;
        self.statistics.steps += 1;
        self.switching.begin(self.dae, self.clock.time(), &self.y, &self.yp);
    }

    /// What the next step reuses, and its length, of which the controller proposes `next`.
    fn choose_next_step(&mut self, h: f64, next: f64) {
        let contracts = self.stages.theta <= KEEP_JACOBIAN;
        self.freshness = if contracts { Freshness::Usable } else { Freshness::Outdated };
        let (intended, made) = (self.h, h.abs());
        self.h = if made < intended {
            // Cut for a landing: what was intended before is still good.
            next.max(intended)
        } else if contracts && control::keeps_length(next / made) {
            made
        } else {
            next
        }
        .min(self.max_step);
    }
}

impl Stepper for Radau5<'_> {
    fn step(&mut self) -> Result<(), Failure> {
        if self.clock.is_over() || self.at_switch.is_some() {
            return Ok(());
        }
        if self.statistics.steps >= self.max_steps {
            return Err(Failure::TooManySteps { t: self.clock.time(), max_steps: self.max_steps });
        }
        let (first, _) = self.clock.fit(self.h);
        let mut failures = 0;
        loop {
            let (h, landing) = self.clock.fit(self.h);
            let lost = self.h < self.clock.resolution() || self.stall.is_hopeless();
            if self.control == StepControl::Adaptive && lost {
                let unknown = self.weights.worst(&self.error);
                return Err(self.failure(Trouble::Error { unknown }, first, h));
            }
            let Err(rejection) = self.attempt(h, landing)? else { return Ok(()) };
            match rejection.trouble {
                Trouble::Error { .. } => self.statistics.error_rejections += 1,
                Trouble::Switch => self.statistics.switch_rejections += 1,
                Trouble::Convergence { .. } | Trouble::NonFinite { .. } | Trouble::Singular(_) => {
                    self.statistics.convergence_rejections += 1;
                    self.controller.after_failure();
                    failures += 1;
                }
            }
            let refreshes = self.freshness == Freshness::Usable && !matches!(rejection.trouble, Trouble::Switch);
            if refreshes {
                self.freshness = Freshness::Outdated;
            }
            let hopeless = match self.control {
                StepControl::Adaptive => rejection.retry < self.clock.resolution() || failures > self.patience,
                StepControl::Fixed(_) => !refreshes,
            };
            if hopeless {
                return Err(self.failure(rejection.trouble, first, h));
            }
            if self.control == StepControl::Adaptive {
                self.h = rejection.retry;
            }
        }
    }

    fn stop_at(&mut self, t: f64) {
        self.clock.stop_at(t);
    }

    fn locate_switches(&mut self) {
        self.switching = Switching::new(self.dae, self.rtol, self.clock.time(), &self.y, &self.yp);
    }

    fn at_switch(&self) -> Option<usize> {
        self.at_switch
    }

    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn state(&self) -> &[f64] {
        &self.y
    }

    fn derivative(&self) -> &[f64] {
        &self.yp
    }

    fn invariants(&self) -> Option<&[f64]> {
        self.closing.invariants()
    }

    fn order(&self) -> usize {
        5
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The collocation polynomial is of degree 3, with a local error of $O(h^4)$.
    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::Lower
    }

    fn dense_degree(&self) -> usize {
        3
    }

    fn dense_coefficients(&self, coefficients: &mut [f64]) {
        for (target, source) in coefficients.chunks_exact_mut(self.y.len().max(1)).zip(&self.dense) {
            target.copy_from_slice(source);
        }
    }
}
