//! Variable-order, variable-step backward differentiation formulas for $F(t, y, y') = 0$.
//!
//! In: a formulation, consistent start values, options. Out: accepted steps of order 1 to 5 with dense output.
//!
//! The method of DASSL and IDA: modified divided differences and a fixed leading coefficient (`history`), modified
//! Newton (`newton`), order and step size by the differences of neighbouring orders (`control`). What differs from
//! those codes is what knowledge of the structure allows: algebraic unknowns and unknowns of index 2 and more stay
//! out of the error test without being asked for, Newton's convergence test weighs them by $h^{k-1}$, algebraic
//! unknowns in disguise are filtered out of the error, and accepted steps are closed onto the constraints
//! (`closing.rs`); the correction enters $e$, so that the history consists of consistent values.

mod control;
mod filter;
mod history;
mod newton;
mod starter;

use crate::clock::{Clock, Landing};
use crate::closing::Closing;
use crate::contract::Dae;
use crate::radau5::Radau5;
use crate::stepper::{
    DenseAccuracy, Failure, Options, Statistics, StepCause, StepControl, Stepper, check_residual, check_start,
};
use crate::switching::{Passage, Switching};
use crate::weights::Weights;
use control::Control;
use filter::Filter;
use history::{Formula, History};
use newton::{Iterate, Newton, Predictor, Trouble};
use starter::Starter;

/// The first step is not shorter than this part of the longest that it may be, unless it has to be repeated.
const SHORTEST_FIRST_STEP: f64 = 1e-4;
/// A failed iteration shortens the step by this factor.
const AFTER_TROUBLE: f64 = 0.25;

/// A BDF integration under way.
pub struct Bdf<'d> {
    dae: &'d dyn Dae,
    clock: Clock,
    step_control: StepControl,
    max_step: f64,
    max_steps: usize,
    y: Vec<f64>,
    yp: Vec<f64>,
    predicted: Vec<f64>,
    predicted_slope: Vec<f64>,
    candidate: Vec<f64>,
    candidate_slope: Vec<f64>,
    e: Vec<f64>,
    weights: Weights,
    history: History,
    newton: Newton,
    control: Control,
    closing: Closing,
    /// As the caller gave it.
    rtol: f64,
    switching: Switching,
    at_switch: Option<usize>,
    /// Order of the next step.
    order: usize,
    /// Length of the next step, positive.
    h: f64,
    statistics: Statistics,
    /// Makes the first steps of a run with constant step.
    starter: Option<Starter<'d>>,
}

impl<'d> Bdf<'d> {
    /// An integration from consistent `y0`, `yp0` at `t0` to `t_end`, which may be earlier.
    pub fn new(
        dae: &'d dyn Dae,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        t_end: f64,
        options: &Options,
    ) -> Result<Self, Failure> {
        dae.choose_coordinates(t0, y0, yp0, true);
        let mut bdf = Bdf::start(dae, t0, y0, yp0, t_end, options)?;
        bdf.h = bdf.first_step(options).min(options.max_step);
        bdf.history = History::from_derivative(y0, yp0, bdf.clock.direction() * bdf.h);
        if let StepControl::Fixed(h) = options.control {
            let radau = Radau5::new(dae, t0, y0, yp0, t_end, options)?;
            bdf.starter = Some(Starter::new(radau, h, options.max_order));
            bdf.order = options.max_order;
        }
        Ok(bdf)
    }

    /// Checks the input and allocates everything.
    fn start(
        dae: &'d dyn Dae,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        t_end: f64,
        options: &Options,
    ) -> Result<Self, Failure> {
        let description = dae.description();
        let n = description.unknowns.len();
        check_start(description, t0, y0, yp0, t_end)?;
        options.check(n)?;
        let max_iterations = match options.control {
            StepControl::Adaptive => newton::MAX_ITERATIONS,
            StepControl::Fixed(_) => newton::MAX_ITERATIONS_AT_FIXED_STEP,
        };
        let mut bdf = Bdf {
            dae,
            clock: Clock::new(t0, t_end),
            step_control: options.control,
            max_step: options.max_step,
            max_steps: options.max_steps,
            y: y0.to_vec(),
            yp: yp0.to_vec(),
            predicted: vec![0.0; n],
            predicted_slope: vec![0.0; n],
            candidate: vec![0.0; n],
            candidate_slope: vec![0.0; n],
            e: vec![0.0; n],
            weights: Weights::new(description, options.rtol, &options.atol),
            history: History::from_derivative(y0, yp0, 1.0),
            newton: Newton::new(description, max_iterations),
            control: Control::new(description, Filter::new(dae, t0, y0, yp0), options.max_order),
            closing: Closing::new(description, options.closing_correction),
            rtol: options.rtol,
            switching: Switching::default(),
            at_switch: None,
            order: 1,
            h: 0.0,
            statistics: Statistics::default(),
            starter: None,
        };
        bdf.check_residual()?;
        Ok(bdf)
    }

    /// $F$ must be finite at an accepted state.
    fn check_residual(&mut self) -> Result<(), Failure> {
        self.dae.residual(self.clock.time(), &self.y, &self.yp, &mut self.candidate);
        self.statistics.residuals += 1;
        check_residual(self.dae.description(), self.clock.time(), &self.candidate)
    }

    /// Length of the first step: half of the tolerance away from the start, no more than a thousandth of the interval, and not
    /// shorter than that by orders of magnitude.
    fn first_step(&mut self, options: &Options) -> f64 {
        if let Some(h) = options.prescribed_first_step() {
            return h;
        }
        self.weights.update(&self.y, 1.0);
        let longest = 1e-3 * self.clock.span();
        let speed = self.control.norm(&self.weights, &self.yp);
        // Zero over zero where an unknown starts at zero and has no absolute tolerance.
        if speed.is_nan() {
            return longest;
        }
        // Multipliers of index 2 are residuals divided by the step: below the shortest they would be rounding.
        (0.5 / speed).clamp(SHORTEST_FIRST_STEP * longest, longest)
    }

    /// One attempt at a step of signed length `h`: `Ok` when it is accepted.
    fn attempt(&mut self, h: f64, landing: Landing, failures: usize) -> Result<(), Trouble> {
        if self.history.order() == 0 {
            self.history.rescale_start(h);
        }
        let (dae, description) = (self.dae, self.dae.description());
        let formula = self.history.formula(self.order, h);
        self.history.predict(&formula, &mut self.predicted, &mut self.predicted_slope);
        self.weights.update(&self.y, h);
        let t = self.clock.time() + h;
        let predictor =
            Predictor { t, last: &self.y, y: &self.predicted, yp: &self.predicted_slope, leading: formula.leading, h };
        let mut at = Iterate { e: &mut self.e, y: &mut self.candidate, yp: &mut self.candidate_slope };
        let solved = self.newton.solve(dae, &predictor, &self.weights, &mut self.statistics, &mut at);
        let end = match solved {
            Ok(()) => (t, &*self.candidate, &*self.candidate_slope),
            Err(_) => (t, &*self.predicted, &*self.predicted_slope),
        };
        match self.switching.passage(dae, h.abs(), end, solved.is_ok(), self.clock.resolution()) {
            Passage::Free => solved?,
            Passage::Reached => self.at_switch = Some(self.switching.first()),
            Passage::AtStart => {
                self.at_switch = Some(self.switching.first());
                return Ok(());
            }
            Passage::Retry(length) => {
                self.h = length;
                return Err(Trouble::Switch);
            }
        }
        let (order, factor) = match self.step_control {
            StepControl::Fixed(_) => (self.order, 1.0),
            StepControl::Adaptive => {
                let estimate =
                    self.control.estimate(description, &self.history, &formula, &self.newton, &self.weights, &self.e);
                if estimate.test > 1.0 || estimate.test.is_nan() {
                    let (order, factor) = self.control.after_rejection(&estimate, self.order, failures + 1);
                    (self.order, self.h, self.at_switch) = (order, h.abs() * factor, None);
                    self.switching.forget();
                    return Err(Trouble::Error { unknown: self.control.worst(&self.weights, &self.e) });
                }
                let (history, newton) = (&self.history, &self.newton);
                self.control.after_success(&estimate, description, history, &formula, newton, &self.weights, &self.e)
            }
        };
        self.accept(&formula, landing, t);
        self.order = order;
        self.plan(h, factor);
        Ok(())
    }

    /// A step of the start, unless there are enough values.
    fn step_of_start(&mut self) -> Result<(), Failure> {
        let Some(starter) = &mut self.starter else { return Ok(()) };
        if starter.complete().is_none() {
            starter.step()?;
            let (h, landing) = self.clock.fit(self.h);
            self.clock.advance(h, landing);
            self.y.copy_from_slice(starter.radau.state());
            self.yp.copy_from_slice(starter.radau.derivative());
            self.statistics = starter.radau.statistics();
            return Ok(());
        }
        let h = self.clock.direction() * self.h;
        if let Some(values) = starter.complete() {
            self.history.fill(values, h);
        }
        self.starter = None;
        self.step()
    }

    fn accept(&mut self, formula: &Formula, landing: Landing, t: f64) {
        self.closing.apply(self.dae, self.newton.matrix(), &self.weights, t, &mut self.candidate, &mut self.statistics);
        for i in 0..self.e.len() {
            self.e[i] = self.candidate[i] - self.predicted[i];
        }
        self.history.accept(formula, &self.e, &self.candidate);
        self.y.copy_from_slice(&self.candidate);
        self.yp.copy_from_slice(&self.candidate_slope);
        self.clock.advance(formula.h, landing);
        self.statistics.steps += 1;
        self.switching.begin(self.dae, self.clock.time(), &self.y, &self.yp);
        if self.dae.choose_coordinates(self.clock.time(), &self.y, &self.yp, false) {
            self.newton.forget();
            self.closing.forget();
            self.statistics.coordinate_changes += 1;
        }
    }

    /// Length of the step after one of length `h`.
    fn plan(&mut self, h: f64, factor: f64) {
        self.h = match self.step_control {
            StepControl::Fixed(length) => length,
            StepControl::Adaptive => (h.abs() * factor).min(self.max_step),
        };
    }

    /// The step to try: cut to land on the end time or a stop, in two equal halves where one step and a small rest
    /// would do, since a multistep method recovers from a small step only slowly.
    fn fit(&self) -> (f64, Landing) {
        let (h, landing) = self.clock.fit(self.h);
        if landing == Landing::Stop || self.step_control != StepControl::Adaptive {
            return (h, landing);
        }
        match self.clock.fit(2.0 * self.h) {
            (left, Landing::Stop) => (0.5 * left, Landing::Free),
            (_, Landing::Free) => (h, landing),
        }
    }

    /// The failure that a trouble becomes when no shorter step can be tried.
    fn failure(&mut self, trouble: Trouble, h: f64) -> Failure {
        if let Err(failure) = self.check_residual() {
            return failure;
        }
        let (description, t) = (self.dae.description(), self.clock.time());
        let equation = |i: usize| description.equations[i].name.clone();
        let unknown = |i: usize| description.unknowns[i].name.clone();
        let cause = match trouble {
            Trouble::Error { unknown: i } => StepCause::Error { unknown: unknown(i) },
            Trouble::Convergence { unknown: i } => StepCause::Convergence { unknown: unknown(i) },
            Trouble::NonFinite { equation: i } => StepCause::NonFinite { equation: equation(i) },
            Trouble::Switch => StepCause::Convergence { unknown: unknown(0) },
            Trouble::Singular => {
                let leading = self.history.formula(self.order, h).leading;
                let predictor =
                    Predictor { t: t + h, last: &self.y, y: &self.predicted, yp: &self.predicted_slope, leading, h };
                if let Some(found) = self.newton.deficiency(self.dae, &predictor) {
                    let (equation, unknown) = (equation(found.row), unknown(found.column));
                    return Failure::SingularIterationMatrix { t, equation, unknown };
                }
                StepCause::Convergence { unknown: unknown(0) }
            }
        };
        Failure::StepSizeTooSmall { t, h, cause }
    }
}

impl Stepper for Bdf<'_> {
    fn step(&mut self) -> Result<(), Failure> {
        if self.clock.is_over() || self.at_switch.is_some() {
            return Ok(());
        }
        if self.statistics.steps >= self.max_steps {
            return Err(Failure::TooManySteps { t: self.clock.time(), max_steps: self.max_steps });
        }
        if self.starter.is_some() {
            return self.step_of_start();
        }
        let mut error_failures = 0;
        loop {
            let (h, landing) = self.fit();
            let Err(trouble) = self.attempt(h, landing, error_failures) else { return Ok(()) };
            match trouble {
                Trouble::Switch => self.statistics.switch_rejections += 1,
                Trouble::Error { .. } => {
                    error_failures += 1;
                    self.statistics.error_rejections += 1;
                }
                Trouble::Convergence { .. } | Trouble::NonFinite { .. } | Trouble::Singular => {
                    self.statistics.convergence_rejections += 1;
                    self.control.after_trouble();
                    if self.step_control == StepControl::Adaptive {
                        self.h = AFTER_TROUBLE * h.abs();
                    }
                }
            }
            let hopeless = match self.step_control {
                StepControl::Adaptive => self.h < self.clock.resolution(),
                // The iteration has already been repeated with a new matrix.
                StepControl::Fixed(_) => true,
            };
            if hopeless {
                return Err(self.failure(trouble, h));
            }
        }
    }

    fn stop_at(&mut self, t: f64) {
        self.clock.stop_at(t);
        if let Some(starter) = &mut self.starter {
            starter.radau.stop_at(t);
        }
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
        self.starter.as_ref().map_or(self.history.order().max(1), |starter| starter.radau.order())
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The error constant of the local error test covers the interpolation. Only between the first values of a run with
    /// fixed step, which come from Radau IIA, the polynomial is a cubic; a step cut there would begin the start anew.
    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::AsSteps
    }

    fn dense_degree(&self) -> usize {
        self.starter.as_ref().map_or(self.history.order().max(1), |starter| starter.radau.dense_degree())
    }

    fn dense_coefficients(&self, coefficients: &mut [f64]) {
        match &self.starter {
            Some(starter) => starter.radau.dense_coefficients(coefficients),
            None => self.history.monomials(coefficients),
        }
    }
}
