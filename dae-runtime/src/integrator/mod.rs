//! The step loop shared by all integrators.
//!
//! In: a [`Scheme`], which solves a step, tests its error and takes it in. Out: a [`Stepper`]. What schemes share is a
//! [`Run`]: the state, the clock, tolerances as weights, the search for surfaces across which $F$ jumps, the projection
//! onto constraints, statistics.
//!
//! One attempt is `solve` → has it passed a surface? → `test_error` → `accept`; any failure is a [`Rejection`] with the length to try next.

mod output;
mod rejection;

use std::rc::Rc;

use crate::clock::{Clock, Landing};
use crate::contract::Dae;
use crate::impasse::Stall;
use crate::linear::{Deficiency, IterationMatrix, Schedule};
use crate::projection::Closing;
use crate::stepper::{DenseAccuracy, Failure, Options, Statistics, StepControl, Stepper, check_residual, check_start};
use crate::switching::{Passage, Switching};
use crate::weights::Weights;

use output::Output;
pub(crate) use rejection::{Rejection, Trouble};

/// Largest number of attempts at one step. Each search for a surface takes some forty, and each failed error test
/// shortens the step by a factor; only functions that have no values beyond some time, or different values at every
/// call, take more.
const MOST_ATTEMPTS: usize = 1000;

/// Start of a run: consistent `y0`, `yp0` at `t0`, towards `t_end`, which may be earlier.
#[derive(Clone, Copy)]
pub(crate) struct Start<'s> {
    pub(crate) t0: f64,
    pub(crate) y0: &'s [f64],
    pub(crate) yp0: &'s [f64],
    pub(crate) t_end: f64,
    /// The schedule of all matrices.
    pub(crate) schedule: &'s Rc<Schedule>,
}

/// The state of a run that every scheme needs.
pub(crate) struct Run<'d> {
    pub(crate) dae: &'d dyn Dae,
    pub(crate) clock: Clock,
    pub(crate) control: StepControl,
    /// The last accepted state.
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    /// The state at the end of the attempt under way.
    pub(crate) candidate: Vec<f64>,
    pub(crate) candidate_slope: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) closing: Closing,
    /// Length of the next step, positive.
    pub(crate) h: f64,
    pub(crate) statistics: Statistics,
    max_step: f64,
    max_steps: usize,
    /// Relative tolerance as the caller gave it.
    rtol: f64,
    stall: Stall,
    switching: Switching,
    at_switch: Option<usize>,
}

/// How a method makes a step. Step lengths have the sign of the direction of the run.
pub(crate) trait Scheme {
    /// Solves for the end of a step of length `h`, which it leaves in `run.candidate` and `run.candidate_slope`.
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection>;

    /// Leaves the prediction for the end of a step of length `h` in `run.candidate` and `run.candidate_slope`.
    fn predict_end(&mut self, run: &mut Run<'_>, h: f64);

    /// The length of the next step, positive, if the error of this one is small enough.
    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection>;

    /// Takes in the end of a step, which the clock has reached, and projects it onto the constraints; `run.y` and `run.yp` become that.
    fn accept(&mut self, run: &mut Run<'_>, h: f64);

    /// Drops what belongs to earlier equations: they have changed.
    fn forget(&mut self, run: &Run<'_>);

    /// The step to try when one of length `length` is planned.
    fn fit(&self, clock: &Clock, length: f64) -> (f64, Landing) {
        clock.fit(length)
    }

    /// Largest number of attempts at one step whose equations may remain unsolved.
    fn patience(&self) -> usize {
        usize::MAX
    }

    /// The unknown with the largest error in the last attempt.
    fn worst(&self, run: &Run<'_>) -> usize;

    /// Where the matrix of a step of length `h` is singular to working precision, if it is.
    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency>;

    /// The real iteration matrix of the last step, and the factor of $F_{y'}$ in it.
    fn factors(&self) -> (&IterationMatrix<f64>, f64);

    /// See [`Stepper::order`].
    fn order(&self) -> usize;

    /// See [`Stepper::dense_accuracy`].
    fn dense_accuracy(&self) -> DenseAccuracy;

    /// See [`Stepper::dense_degree`].
    fn dense_degree(&self) -> usize;

    /// See [`Stepper::dense_coefficients`].
    fn dense_coefficients(&self, coefficients: &mut [f64]);
}

impl<'d> Run<'d> {
    /// Checks the input and allocates everything; the length of the first step is left to the scheme. `weights` belong
    /// to the tolerances to which it tests errors.
    pub(crate) fn new(
        dae: &'d dyn Dae,
        start: Start<'_>,
        options: &Options,
        weights: Weights,
    ) -> Result<Self, Failure> {
        let Start { t0, y0, yp0, t_end, .. } = start;
        let description = dae.description();
        let n = description.unknowns.len();
        let mut run = Run {
            dae,
            clock: Clock::new(t0, t_end),
            control: options.control,
            y: y0.to_vec(),
            yp: yp0.to_vec(),
            candidate: vec![0.0; n],
            candidate_slope: vec![0.0; n],
            weights,
            closing: Closing::new(description, options.closing_correction),
            h: 0.0,
            statistics: Statistics::default(),
            max_step: options.max_step,
            max_steps: options.max_steps,
            rtol: options.rtol,
            stall: Stall::new(description),
            switching: Switching::default(),
            at_switch: None,
        };
        run.check_residual()?;
        Ok(run)
    }

    /// Rejects meaningless input, and chooses coordinates where the formulation has them.
    pub(crate) fn check(dae: &dyn Dae, start: Start<'_>, options: &Options) -> Result<(), Failure> {
        let Start { t0, y0, yp0, t_end, .. } = start;
        check_start(dae.description(), t0, y0, yp0, t_end)?;
        options.check(dae.description().unknowns.len())?;
        dae.choose_coordinates(t0, y0, yp0, true);
        Ok(())
    }

    /// Checks that $F$ is finite at an accepted state.
    fn check_residual(&mut self) -> Result<(), Failure> {
        self.dae.residual(self.clock.time(), &self.y, &self.yp, &mut self.candidate);
        self.statistics.residuals += 1;
        check_residual(self.dae.description(), self.clock.time(), &self.candidate)
    }

    /// What to try instead of an attempt of length `h` whose error is too large, if it has passed a kink.
    fn locate_kink(&mut self, h: f64) -> Option<Result<(), Rejection>> {
        self.at_switch = None;
        let (t, resolution) = (self.clock.time(), self.clock.resolution());
        let ends = [(t, &*self.y, &*self.yp), (t + h, &*self.candidate, &*self.candidate_slope)];
        match self.switching.after_error(self.dae, h.abs(), ends, resolution)? {
            Passage::Retry(retry) => Some(Err(Rejection { trouble: Trouble::Switch, retry })),
            _ => {
                self.at_switch = self.switching.first();
                Some(Ok(()))
            }
        }
    }

    /// Sets the length of the first step: the prescribed one, or the one proposed.
    pub(crate) fn begin_with(&mut self, proposed: f64, options: &Options) {
        let length = options.prescribed_first_step().unwrap_or_else(|| proposed.max(self.clock.resolution()));
        self.h = length.min(options.max_step);
    }
}

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
        run.weights.update(&run.y, h);
        let solved = scheme.solve(run, h);
        // The step is to be repeated with another matrix: its end is not known.
        if solved.is_err_and(|rejection| rejection.retry >= h.abs()) {
            return solved;
        }
        if run.switching.is_watching() {
            if solved.is_err() {
                scheme.predict_end(run, h);
            }
            let end = (run.clock.time() + h, &*run.candidate, &*run.candidate_slope);
            match run.switching.passage(run.dae, h.abs(), end, solved.is_ok(), run.clock.resolution()) {
                Passage::Free => solved?,
                Passage::Reached => run.at_switch = run.switching.first(),
                Passage::AtStart => {
                    run.at_switch = run.switching.first();
                    return Ok(());
                }
                Passage::Retry(retry) => return Err(Rejection { trouble: Trouble::Switch, retry }),
            }
        } else {
            solved?;
        }
        if run.control == StepControl::Adaptive {
            let end = run.clock.time() + h;
            if let Some(unknown) = run.closing.find_unsatisfied(run.dae, &run.weights, end, &run.candidate) {
                run.at_switch = None;
                run.switching.forget();
                scheme.forget(run);
                return Err(Rejection { trouble: Trouble::Convergence { unknown }, retry: 0.25 * h.abs() });
            }
        }
        let next = match run.control {
            StepControl::Fixed(length) => length,
            StepControl::Adaptive => match scheme.test_error(run, h) {
                Ok(next) => next,
                Err(rejection) => return run.locate_kink(h).map_or(Err(rejection), |retry| retry),
            },
        };
        run.stall.watch(&run.weights, h, &run.yp, &run.candidate_slope);
        self.before = run.clock.time();
        run.clock.advance(h, landing);
        scheme.accept(run, h);
        run.statistics.steps += 1;
        run.h = next.min(run.max_step);
        run.switching.advance();
        Ok(())
    }

    /// Changes local coordinates where those of the last step have become unsuitable. This is left until the next step,
    /// since dense output uses the equations of the last one.
    fn choose_coordinates(&mut self) {
        let (run, scheme) = (&mut self.run, &mut self.scheme);
        let is_first = run.statistics.steps == 0;
        if !is_first && run.dae.choose_coordinates(run.clock.time(), &run.y, &run.yp, false) {
            scheme.forget(run);
            run.closing.forget();
            run.statistics.coordinate_changes += 1;
        }
    }

    /// Counts a rejection and decides what to try next: an error if there is nothing.
    fn after(&mut self, rejection: Rejection, h: f64, tries: &mut Tries) -> Result<(f64, Landing), Failure> {
        let statistics = &mut self.run.statistics;
        match rejection.trouble {
            Trouble::Error { .. } => statistics.error_rejections += 1,
            Trouble::Switch => statistics.switch_rejections += 1,
            Trouble::Convergence { .. } | Trouble::NonFinite { .. } | Trouble::Singular => {
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
            let trouble = if tries.all < MOST_ATTEMPTS { rejection.trouble } else { Trouble::Switch };
            return Err(self.failure(trouble, tries.first, h));
        }
        if self.run.control == StepControl::Adaptive {
            self.run.h = rejection.retry;
        }
        // The length of a step towards a surface is not adjusted.
        match rejection.trouble {
            Trouble::Switch => Ok((self.run.clock.direction() * rejection.retry, Landing::Free)),
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
        if self.run.statistics.steps >= self.run.max_steps {
            return Err(self.too_many_steps());
        }
        self.choose_coordinates();
        let (mut h, mut landing) = self.scheme.fit(&self.run.clock, self.run.h);
        let mut tries = Tries { first: h, all: 0, unsolved: 0 };
        loop {
            let lost = !self.run.clock.resolves(self.run.h) || self.run.stall.is_hopeless();
            if self.run.control == StepControl::Adaptive && lost {
                let unknown = self.scheme.worst(&self.run);
                return Err(self.failure(Trouble::Error { unknown }, tries.first, h));
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
        run.switching = Switching::new(run.dae, run.rtol, run.clock.time(), &run.y, &run.yp);
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
        self.run.closing.invariants()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn statistics(&self) -> Statistics {
        self.run.statistics
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        self.scheme.dense_accuracy()
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        self.output.state(&mut self.run, &self.scheme, self.before, t, y);
    }

    fn correct(&mut self, t: f64, y: &mut [f64], slope: &mut [f64]) {
        self.output.correct(&mut self.run, &self.scheme, t, y, slope);
    }

    fn error_weights(&self) -> &[f64] {
        self.run.weights.full()
    }

    fn respond(&self, residual: &mut [f64]) {
        self.scheme.factors().0.solve(residual);
    }

    fn dense_degree(&self) -> usize {
        self.scheme.dense_degree()
    }

    fn dense_coefficients(&self, coefficients: &mut [f64]) {
        self.scheme.dense_coefficients(coefficients);
    }
}
