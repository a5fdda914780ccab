//! An integration under way.
//!
//! In: a run that has begun. Out: its recorded states, one by one, and in the end the [`Solution`].

mod change_of_mode;

use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::contract::class::Method;
use crate::contract::{Dae, Name};
use crate::initialize::InitializationOptions;
use crate::integrator::hidden::Hidden;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, Projection, StepControl};
use crate::solution::event::Event;
use crate::solution::{EnteredMode, Solution, Status};
use crate::solve::RunError;
use crate::solve::drift::Drift;
use crate::solve::events::{Consequence, EventOutcome, Events, uncertainty};
use crate::solve::in_mode::{InMode, Visited, projected_levels};
use crate::solve::multipliers::Watched;
use crate::solve::record::{Made, Recorder};
use crate::solve::restarts::PiecewiseRun;
use crate::solve::stopwatch::Stopwatch;

/// Length of a step for what is known about motion where no step has been made, as a fraction of the run.
const FIRST: f64 = 1e-3;

/// Receives each accepted step; says whether to continue.
pub(super) type Observer<'c> = Box<dyn FnMut(&StepView<'_>) -> ControlFlow<()> + 'c>;

/// An integration that proceeds step by step ([`Integration::steps`](crate::solve::Integration::steps)): an iterator
/// over the states that it records.
///
/// [`Steps::finish`] says how it ended; a failure ends the iteration, and nothing that was computed is lost.
pub struct Steps<'d, 'c> {
    /// The formulation, in the present mode if the model has modes.
    dae: &'d dyn Dae,
    method: Method,
    options: Options,
    stops: Vec<f64>,
    initialization: InitializationOptions,
    observer: Option<Observer<'c>>,
    /// `None` if the run could not begin.
    run: Option<PiecewiseRun<'d>>,
    events: Events<'d, 'c>,
    pub(super) recorder: Recorder<'d>,
    solution: Solution,
    t0: f64,
    t_end: f64,
    /// The present mode; `None` if the model has no modes.
    mode: Option<InMode<'d>>,
    /// The changes of the mode at the last time at which there were any.
    visited: Visited<'d>,
    /// How the run has ended; `None` before that.
    status: Option<Status>,
    /// Number of recorded states that the iterator has returned.
    returned: usize,
    residuals: Vec<f64>,
    /// `None` if the formulation enforces all constraints on states, or the step size is fixed.
    drift: Option<Drift>,
    multipliers: Option<Watched>,
    clock: Stopwatch,
}

/// A recorded state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Time.
    pub t: f64,
    /// The state, entries as in [`Solution::names`].
    pub state: Vec<f64>,
}

/// A step that has been accepted, for [`Integration::on_step`](crate::solve::Integration::on_step).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepView<'s> {
    /// The time at the end of the step.
    pub t: f64,
    /// Signed length of the step, negative where the run goes backwards.
    pub h: f64,
    /// $y$ at the end of the step, in the order of `description().unknowns` of the formulation, in a model with modes of
    /// that in the present mode; before a reset that occurs there.
    pub state: &'s [f64],
    /// $y'$ at the end of the step, for differential unknowns.
    pub derivative: &'s [f64],
}

/// The configuration of a run.
pub(super) struct Settings<'d, 'c> {
    pub(super) dae: &'d dyn Dae,
    pub(super) method: Method,
    pub(super) options: Options,
    pub(super) stops: Vec<f64>,
    pub(super) initialization: InitializationOptions,
    pub(super) observer: Option<Observer<'c>>,
    pub(super) events: Vec<Event<'c>>,
}

impl fmt::Debug for Steps<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps")
            .field("form", &self.dae.description().form)
            .field("time", &self.time())
            .field("t_end", &self.t_end)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl<'d, 'c> Steps<'d, 'c> {
    /// Starts from consistent values. An `Err` means that an option or a value is meaningless, or the method
    /// unsuitable; after any other failure the run has already stopped.
    pub(super) fn new(
        settings: Settings<'d, 'c>,
        [t0, t_end]: [f64; 2],
        [y0, yp0]: [&[f64]; 2],
        mut recorder: Recorder<'d>,
    ) -> Result<Self, Failure> {
        let Settings { dae, method, options, stops, initialization, observer, events } = settings;
        let clock = Stopwatch::start();
        let (run, status) = match PiecewiseRun::start(dae, method, [t0, t_end], [y0, yp0], (&stops, &options)) {
            Ok(run) => (Some(run), None),
            Err(
                failure @ (Failure::InvalidOption { .. }
                | Failure::UnsuitableMethod { .. }
                | Failure::NotSolved { .. }
                | Failure::NotHessenberg { .. }
                | Failure::InvariantChanges { .. }
                | Failure::NotHamiltonian { .. }),
            ) => return Err(failure),
            Err(failure) => (None, Some(Status::Stopped(failure))),
        };
        let projected = projected_levels(method, &options);
        let mode = InMode::at_start(dae, &events)?;
        if options.projection == Projection::Output {
            recorder.project_onto(dae)?;
        }
        let is_adaptive = options.control == StepControl::Adaptive;
        let hidden = run.as_ref().filter(|_| is_adaptive);
        let hidden = hidden.and_then(|run| Hidden::of(dae, &options, t_end - t0, run.plan())).map(Rc::new);
        let mut events =
            Events::new(dae, events, (t0, y0, yp0), t_end, (options.control, recorder.variation.is_some()))?;
        events.improve_by(hidden.clone());
        recorder.improve_by(hidden);
        let mut steps = Steps {
            events,
            solution: Solution::new(dae, t0, y0, yp0, &projected),
            residuals: vec![0.0; dae.description().invariants.len()],
            drift: Drift::new(dae.description(), &options),
            multipliers: Watched::new(dae, &options),
            returned: 0,
            dae,
            method,
            options,
            stops,
            initialization,
            observer,
            run,
            recorder,
            t0,
            t_end,
            mode,
            visited: Visited::default(),
            status,
            clock,
        };
        let entered = steps.begin_in_mode([y0, yp0]);
        let has_complementary = steps.mode.as_ref().is_some_and(|mode| !mode.complementary().is_empty());
        steps.events.enter_anew(has_complementary);
        let allowed = uncertainty(dae, &steps.options);
        steps.events.enter(&entered, None, FIRST * (t_end - t0), &allowed);
        steps.events.arrive(steps.recorder.variation.is_some().then(Vec::new));
        steps.begin(y0);
        Ok(steps)
    }

    /// Records the start.
    fn begin(&mut self, y0: &[f64]) {
        let Steps { run, events, recorder, solution, .. } = self;
        solution.sensitivities = recorder.sensitivities();
        let Some(run) = run else { return recorder.push(self.t0, y0, solution) };
        self.dae.invariants(self.t0, y0, &mut self.residuals);
        solution.note_invariants(&self.residuals);
        let stepper = run.stepper.as_mut();
        let recorded = recorder.step(&mut Made { stepper, before: self.t0, events, solution });
        let recorded = recorded.and_then(|()| recorder.follow(run));
        self.status = match recorded {
            Err(failure) => Some(Status::Stopped(failure)),
            Ok(()) => (self.t0 == self.t_end).then_some(Status::Success),
        };
    }

    /// Makes one attempt at a step, unless the run has ended.
    fn advance(&mut self) {
        if self.status.is_none() {
            self.status = match self.attempt() {
                Ok(status) => status,
                Err(failure) => Some(Status::Stopped(failure)),
            };
        }
    }

    /// Makes one attempt at a step; returns how the run has ended, if it has.
    fn attempt(&mut self) -> Result<Option<Status>, Failure> {
        let Steps { dae, run, events, recorder, solution, t_end, .. } = self;
        let Some(run) = run else { return Ok(Some(Status::Interrupted)) };
        let t_end = *t_end;
        let before = run.stepper.time();
        if events.occurs_at(before) {
            return Ok(self.happen(before)?.map(Status::Event));
        }
        let output = recorder.next().filter(|_| run.stepper.dense_accuracy() == DenseAccuracy::Lower);
        run.stop([output, events.next_time()], recorder.direction);
        if let Err(failure) = run.stepper.step() {
            return run.recover(failure).map(|()| None);
        }
        let t = run.stepper.time();
        if t == before {
            recorder.leave(run, before)?;
            run.go_on(0.0)?;
            recorder.follow(run)?;
            events.begin_at(run.stepper.time());
            return Ok(None);
        }
        run.check_continuity(events.last())?;
        if run.divide(events.last())? {
            return Ok(None);
        }
        let outcome = events.check(run, solution);
        if let EventOutcome::Again(target) = outcome {
            run.rewind(events.last(), target, None)?;
            // Otherwise the event occurs at the start of the step, where the run now is.
            if target != before {
                return Ok(None);
            }
        } else {
            events.advance(run.stepper.as_ref());
            run.note_signs();
            match run.stepper.invariants() {
                Some(residuals) => self.residuals.copy_from_slice(residuals),
                None => dae.invariants(t, run.stepper.state(), &mut self.residuals),
            }
            solution.note_invariants(&self.residuals);
            if let Some(drift) = self.drift.as_mut().filter(|_| run.is_regular()) {
                drift.check(*dae, t, run.stepper.state(), &self.residuals)?;
            }
            if let Some(multipliers) = self.multipliers.as_mut().filter(|_| run.is_regular()) {
                multipliers.check(*dae, run.stepper.as_ref(), t - before)?;
            }
            recorder.step(&mut Made { stepper: run.stepper.as_mut(), before, events, solution })?;
            if let Some(observer) = &mut self.observer {
                let (state, derivative) = (run.stepper.state(), run.stepper.derivative());
                if observer(&StepView { t, h: t - before, state, derivative }).is_break() {
                    return Ok(Some(Status::Interrupted));
                }
            }
        }
        if outcome == EventOutcome::Free {
            recorder.leave(run, before)?;
            run.go_on((t - before).abs())?;
            recorder.follow(run)?;
        } else if let Some(event) = self.happen(before)? {
            return Ok(Some(Status::Event(event)));
        }
        let Steps { run: Some(run), events, recorder, solution, .. } = self else { return Ok(None) };
        events.begin_at(run.stepper.time());
        // Continuing beyond a switch has led to the end time.
        if run.stepper.time() == t_end && t != t_end {
            recorder.end_at(&mut Made { stepper: run.stepper.as_mut(), before: t_end, events, solution })?;
        }
        Ok((run.stepper.time() == t_end).then_some(Status::Success))
    }

    /// Handles the events at the present time, after a step from `before`; returns the name of the one at which the run
    /// ends, if it does.
    fn happen(&mut self, before: f64) -> Result<Option<Name>, Failure> {
        let Steps { dae, options, initialization, run: Some(run), events, recorder, solution, .. } = self else {
            return Ok(None);
        };
        let step = run.last_step();
        let steps = (run.stepper.as_mut(), before, step);
        let (ending, changed) =
            match events.happen(*dae, steps, recorder.variation.as_mut(), options, initialization, solution)? {
                Consequence::End { event, changed } => (Some(event), changed),
                Consequence::Restart(values) => (None, Some(values)),
                Consequence::Enter(entering) => return self.enter(*entering).map(|()| None),
            };
        if let Some([y, yp]) = changed {
            if let (Some(variation), false) = (&recorder.variation, run.at_switches().is_empty()) {
                return Err(variation.no_derivative(run.stepper.time(), 0));
            }
            run.restart(run.stepper.time(), &y, &yp)?;
            recorder.follow(run)?;
            recorder.restart(run.stepper.time(), &y, solution);
            events.begin_at(run.stepper.time());
        }
        Ok(ending)
    }

    /// Begins in the mode at the start, if the model has modes; returns the mode variables that it has.
    fn begin_in_mode(&mut self, [y0, yp0]: [&[f64]; 2]) -> Vec<usize> {
        let Some(InMode { modes, .. }) = &self.mode else { return Vec::new() };
        let t0 = self.t0;
        self.solution.restrict_to(modes.names());
        self.solution.enter(self.dae, (t0, y0, yp0), &projected_levels(self.method, &self.options));
        let description = modes.modes_description();
        self.solution.modes.push(EnteredMode::new(t0, description.name(&description.start)));
        (0..description.variables.len()).collect()
    }

    /// The time reached so far.
    pub fn time(&self) -> f64 {
        self.run.as_ref().map_or(self.t0, |run| run.stepper.time())
    }

    /// Makes all steps to the end.
    pub(super) fn complete(&mut self) {
        while self.status.is_none() {
            self.advance();
        }
    }

    /// The solution so far; if the run has not ended, its status is [`Status::Interrupted`].
    ///
    /// # Errors
    /// [`RunError::Stopped`], which contains the solution, if the run has stopped early.
    pub fn finish(self) -> Result<Solution, RunError> {
        RunError::unless_stopped(self.into_parts().0)
    }

    pub(super) fn into_parts(mut self) -> (Solution, Recorder<'d>) {
        let solution = &mut self.solution;
        solution.status = self.status.unwrap_or(Status::Interrupted);
        if let Some(run) = &self.run {
            if let Err(failure) = self.recorder.end(run.stepper.as_ref(), solution) {
                solution.status = Status::Stopped(failure);
            }
            solution.statistics = run.statistics();
            solution.slides.extend(run.slides());
            solution.add_switches(run.switches());
            solution.add_switches(self.events.costs().iter().cloned());
            solution.add_recorded_switches();
            self.recorder.finish(solution);
            if let (true, Some(multipliers)) = (solution.is_success(), &mut self.multipliers) {
                let mean = (solution.end_time - self.t0) / solution.statistics.steps.max(1) as f64;
                if let Err(failure) = multipliers.judge_now(self.dae, run.stepper.as_ref(), mean) {
                    solution.status = Status::Stopped(failure);
                }
            }
        }
        solution.seconds = self.clock.seconds().unwrap_or(0.0);
        (self.solution, self.recorder)
    }
}

impl Iterator for Steps<'_, '_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        while self.returned == self.solution.times.len() && self.status.is_none() {
            self.advance();
        }
        let state = self.solution.state(self.returned)?.to_vec();
        self.returned += 1;
        Some(Step { t: self.solution.times[self.returned - 1], state })
    }
}
