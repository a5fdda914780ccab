//! The loop of attempts at a step.
//!
//! In: a [`Run`] and a [`Scheme`]. Out: a [`Stepper`]; or, when no shorter step can be tried, the [`Failure`] that ends
//! the run, with names.

use crate::integrator::clock::Landing;
use crate::integrator::discontinuities::{Discontinuities, StepOutcome};
use crate::integrator::non_finite::NonFinite;
use crate::integrator::output::Output;
use crate::integrator::rejection::{Rejection, StepError};
use crate::integrator::run::Run;
use crate::integrator::scheme::Scheme;
use crate::integrator::stepper::{
    DenseAccuracy, Failure, Statistics, StepCause, StepControl, Stepper, SwitchRejections,
};

/// Largest number of attempts at one step. A search for a surface takes at most some forty, and each failed error test
/// shortens the step by a factor; only functions that have no values beyond some time, or different values at every
/// call, take more.
const MOST_ATTEMPTS: usize = 1000;

/// An integration under way.
pub(crate) struct Integrator<'d, S> {
    run: Run<'d>,
    scheme: S,
    /// Start time of the last step.
    before: f64,
    output: Output,
}

impl<'d, S: Scheme> Integrator<'d, S> {
    pub(crate) fn new(run: Run<'d>, scheme: S) -> Self {
        let (before, output) = (run.clock.time(), Output::new(run.dae.description()));
        Integrator { run, scheme, before, output }
    }

    /// Makes one attempt at a step of signed length `h`.
    fn attempt(&mut self, h: f64, landing: Landing) -> Result<(), Rejection> {
        let (run, scheme) = (&mut self.run, &mut self.scheme);
        let is_watching = run.discontinuities.is_watching();
        if is_watching && run.control == StepControl::Adaptive && scheme.foresees_end(run, h) {
            let end = (run.clock.time() + h, &*run.candidate, &*run.candidate_slope);
            if let Some(retry) = run.discontinuities.foresee(&*run.dae, h.abs(), end, run.clock.resolution()) {
                return Err(Rejection { cause: StepError::Switch, retry });
            }
        }
        run.weights.update(&run.y, h);
        let solved = scheme.solve(run, h);
        // The step is to be repeated with another matrix: its end is not known.
        if solved.is_err_and(|rejection| rejection.retry >= h.abs()) {
            return solved;
        }
        if is_watching {
            if solved.is_err() {
                scheme.predict_end(run, h);
            }
            let end = (run.clock.time() + h, &*run.candidate, &*run.candidate_slope);
            match run.discontinuities.outcome(&*run.dae, h.abs(), end, solved.is_ok(), run.clock.resolution()) {
                StepOutcome::Free => solved?,
                StepOutcome::Reached => run.at_switch = run.discontinuities.first(),
                StepOutcome::AtStart => {
                    run.at_switch = run.discontinuities.first();
                    return Ok(());
                }
                StepOutcome::Retry(retry) => {
                    if run.discontinuities.has_inside(h.abs()) {
                        scheme.note_before_surface(run, h);
                    }
                    return Err(Rejection { cause: StepError::Switch, retry });
                }
            }
        } else {
            solved?;
        }
        if run.control == StepControl::Adaptive {
            let end = run.clock.time() + h;
            if let Some(unknown) = run.projector.find_unsatisfied(&*run.dae, &run.weights, end, &run.candidate) {
                run.at_switch = None;
                run.discontinuities.forget();
                scheme.forget(run);
                return Err(Rejection { cause: StepError::Convergence { unknown }, retry: 0.25 * h.abs() });
            }
        }
        let next = match run.control {
            StepControl::Fixed(length) => length,
            StepControl::Adaptive => match scheme.test_error(run, h) {
                Ok(next) => next,
                Err(rejection) => return run.locate_kink(h).map_or(Err(rejection), |retry| retry),
            },
        };
        run.impasse.watch(&run.weights, h, &run.yp, &run.candidate_slope);
        self.before = run.clock.time();
        run.clock.advance(h, landing);
        scheme.accept(run, h);
        run.statistics.steps += 1;
        run.h = next.min(run.max_step);
        run.discontinuities.advance();
        Ok(())
    }

    /// Changes local coordinates where those of the last step have become unsuitable. This waits for the beginning of
    /// the next step, since dense output uses the equations of the last one.
    fn choose_coordinates(&mut self) {
        let (run, scheme) = (&mut self.run, &mut self.scheme);
        let is_first = run.statistics.steps == 0;
        if !is_first && run.dae.choose_coordinates(run.clock.time(), &run.y, &run.yp, false) {
            scheme.forget(run);
            run.projector.forget();
            run.statistics.coordinate_changes += 1;
        }
    }

    /// Counts a rejection and decides which step to try next; a failure if none is left to try.
    fn after(&mut self, rejection: Rejection, h: f64, tries: &mut Tries) -> Result<(f64, Landing), Failure> {
        self.run.note_rejection(rejection.cause, h);
        let statistics = &mut self.run.statistics;
        match rejection.cause {
            StepError::Error { .. } => statistics.error_rejections += 1,
            StepError::Switch => statistics.switch_rejections += 1,
            StepError::Convergence { .. }
            | StepError::NonFinite { .. }
            | StepError::Singular
            | StepError::Dependence { .. } => {
                statistics.convergence_rejections += 1;
                tries.unsolved += 1;
            }
        }
        tries.all += 1;
        let hopeless = match self.run.control {
            StepControl::Adaptive => {
                let has_patience = tries.unsolved <= self.scheme.patience() && tries.all < MOST_ATTEMPTS;
                !self.run.clock.resolves(rejection.retry) || !has_patience
            }
            // The same length is tried again if something else has been improved.
            StepControl::Fixed(_) => rejection.retry < h.abs(),
        };
        if hopeless {
            let cause = if tries.all < MOST_ATTEMPTS { rejection.cause } else { StepError::Switch };
            return Err(self.failure(cause, tries.first, h));
        }
        if self.run.control == StepControl::Adaptive {
            self.run.h = rejection.retry;
        }
        // The length of a step towards a surface is not adjusted to stops.
        match rejection.cause {
            StepError::Switch => Ok((self.run.clock.direction() * rejection.retry, Landing::Free)),
            _ => Ok(self.scheme.fit(&self.run.clock, self.run.h)),
        }
    }
}

/// Attempts at one step.
struct Tries {
    /// Signed length of the first.
    first: f64,
    all: usize,
    /// Number of attempts whose equations remained unsolved.
    unsolved: usize,
}

impl<S: Scheme> Stepper for Integrator<'_, S> {
    fn step(&mut self) -> Result<(), Failure> {
        if self.run.clock.is_over() || self.run.at_switch.is_some() {
            return Ok(());
        }
        self.output.forget();
        if self.run.statistics.steps >= self.run.max_steps {
            return Err(self.too_many_steps());
        }
        self.choose_coordinates();
        let (mut h, mut landing) = self.scheme.fit(&self.run.clock, self.run.h);
        let mut tries = Tries { first: h, all: 0, unsolved: 0 };
        loop {
            let lost = !self.run.clock.resolves(self.run.h) || self.run.impasse.is_hopeless();
            if self.run.control == StepControl::Adaptive && lost {
                let unknown = self.scheme.worst(&self.run);
                return Err(self.failure(StepError::Error { unknown }, tries.first, h));
            }
            let Err(rejection) = self.attempt(h, landing) else { return Ok(()) };
            (h, landing) = self.after(rejection, h, &mut tries)?;
        }
    }

    fn stop_at(&mut self, t: f64) {
        self.run.clock.stop_at(t);
    }

    fn locate_switches(&mut self) {
        let run = &mut self.run;
        run.discontinuities = Discontinuities::new(&*run.dae, run.rtol, run.clock.time(), &run.y, &run.yp);
    }

    fn at_switch(&self) -> Option<usize> {
        self.run.at_switch
    }

    fn time(&self) -> f64 {
        self.run.clock.time()
    }

    fn state(&self) -> &[f64] {
        &self.run.y
    }

    fn derivative(&self) -> &[f64] {
        &self.run.yp
    }

    fn invariants(&self) -> Option<&[f64]> {
        self.run.projector.invariants()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn statistics(&self) -> Statistics {
        self.run.statistics
    }

    fn add_switch_rejections(&self, all: &mut [SwitchRejections]) {
        all.iter_mut().zip(&self.run.by_switch).for_each(|(all, it)| *all += *it);
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        self.scheme.dense_accuracy()
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        self.output.state(&mut self.run, &mut self.scheme, self.before, t, y);
    }

    fn correct(&mut self, t: f64, y: &mut [f64], slope: &mut [f64]) -> bool {
        self.output.correct(&mut self.run, &self.scheme, t, y, slope)
    }

    fn error_weights(&self) -> &[f64] {
        self.run.weights.full()
    }

    fn respond(&self, residual: &mut [f64]) {
        self.scheme.respond(residual);
    }

    fn dense_degree(&self) -> usize {
        self.scheme.dense_degree()
    }

    fn dense_coefficients(&mut self, coefficients: &mut [f64]) {
        self.scheme.dense_coefficients(&mut self.run, coefficients);
    }
}

impl<S: Scheme> Integrator<'_, S> {
    /// The failure of a run that needs more steps than are allowed.
    pub(super) fn too_many_steps(&self) -> Failure {
        let run = &self.run;
        let by_error = run.control == StepControl::Adaptive && run.h < run.max_step && run.statistics.steps > 0;
        let unknown = by_error.then(|| run.dae.description().unknowns.get(self.scheme.worst(run))).flatten();
        let unknown = unknown.map(|unknown| unknown.name.clone());
        Failure::TooManySteps { t: run.clock.time(), max_steps: run.max_steps, h: run.h, unknown }
    }

    /// The failure of a run that makes no further attempt after one of length `h`. If the matrix of the first attempt,
    /// of length `first`, is singular, that is the cause, unless values that are not finite are.
    pub(super) fn failure(&mut self, cause: StepError, first: f64, h: f64) -> Failure {
        let run = &mut self.run;
        if let Err(failure) = run.check_residual() {
            return failure;
        }
        let (dae, t) = (run.dae.clone(), run.clock.time());
        let description = dae.description();
        // A system of no equations has neither.
        let unknown = |i: usize| description.unknowns.get(i).map_or("-".into(), |unknown| unknown.name.clone());
        let equation = |i: usize| description.equations.get(i).map_or("-".into(), |equation| equation.name.clone());
        if !matches!(cause, StepError::NonFinite { .. })
            && let Some(found) = self.scheme.deficiency(run, first)
        {
            let (equation, unknown) = (equation(found.row), unknown(found.column));
            return Failure::SingularIterationMatrix { t, equation, unknown };
        }
        let cause = match cause {
            StepError::Error { unknown: i } => StepCause::Error { unknown: unknown(i) },
            StepError::Convergence { unknown: i } => StepCause::Convergence { unknown: unknown(i) },
            StepError::NonFinite { equation: i } => {
                self.scheme.predict_end(run, h);
                match run.find_non_finite(run.clock.time() + h, i) {
                    NonFinite::Residual { column } => {
                        StepCause::NonFinite { equation: equation(i), unknown: column.map(unknown) }
                    }
                    NonFinite::Derivative { row, column } => {
                        StepCause::NonFiniteDerivative { equation: equation(row), unknown: unknown(column) }
                    }
                }
            }
            StepError::Switch => {
                let function = run.discontinuities.first().and_then(|k| description.switches.get(k));
                StepCause::Switching { function: function.map_or("-".into(), |function| function.name.clone()) }
            }
            StepError::Dependence { invariant } => StepCause::dependence(description, invariant),
            // No correction was computed: the unknown that changes fastest in units of its tolerance.
            StepError::Singular => StepCause::Convergence { unknown: unknown(run.weights.worst(&run.candidate_slope)) },
        };
        Failure::StepSizeTooSmall { t, h, cause }
    }
}
