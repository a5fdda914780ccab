//! A run of a model with modes.
//!
//! In: the formulations of the model in its modes, and the events that change these. Out: a run that goes on in the mode
//! that is entered, from consistent values of its formulation ([`enter`](crate::initialize::enter)): pieces, events,
//! record and checks begin anew there. What is recorded are the unknowns that all formulations have.

use std::ops::RangeInclusive;

use super::drift::Drift;
use super::events::{Entering, Events, Memory};
use super::multipliers::Watched;
use super::restarts::PiecewiseRun;
use super::steps::Steps;
use crate::contract::class::{Method, Requirement};
use crate::contract::{Dae, Mode, Modes};
use crate::initialize::{Arriving, enter};
use crate::integrator::hidden::Hidden;
use crate::integrator::stepper::{Failure, Options, Projection, StepControl};
use crate::solution::event::Event;
use crate::solution::{EnteredMode, Jump};

/// Changes of the mode at one time; so many are no progress.
const ROUNDS: usize = 50;
/// Where a mode is entered, unknowns may miss its constraints by this multiple of $\tau^{2/3}$ times their size, where
/// $\tau$ is the relative tolerance, as before other restarts; but by no more than the second constant times it.
const INEXACT: f64 = 10.0;
const LARGEST_MOVE: f64 = 1e-2;
/// Changes by more than this many tolerances are reported as jumps.
const JUMP: f64 = 100.0;
/// Length of a step for what is known about motion where no step has been made, as a fraction of the run.
const FIRST: f64 = 1e-3;

/// The present mode of a run.
pub(super) struct InMode<'d> {
    modes: &'d dyn Modes,
    mode: Mode,
    /// When modes were last entered, and how many have been at that time.
    entered: (f64, usize),
}

/// The levels of invariants onto which a method projects steps.
pub(super) fn projected_levels(method: Method, options: &Options) -> RangeInclusive<u32> {
    match method.requirement() {
        Requirement::Index(_) | Requirement::FixedSteps => Projection::Off.levels(),
        Requirement::Solved => options.projection.levels(),
        // Onto all constraints, and no first integrals.
        Requirement::Hamiltonian => 1..=u32::MAX,
    }
}

/// How well a run knows the entries of a state, by position and value.
fn uncertainty(dae: &dyn Dae, options: &Options) -> impl Fn(usize, f64) -> f64 + use<> {
    let (atol, rtol) = (options.atol.of(&dae.description().unknowns), options.rtol);
    move |entry, value: f64| atol[entry] + rtol * value.abs()
}

impl<'d> InMode<'d> {
    /// The mode in which a run begins; `None` if the model has no modes.
    ///
    /// # Errors
    /// The caller has events, which are functions of the unknowns of one formulation; or the model has modes, and the
    /// formulation is that of one of them.
    pub(super) fn at_start(dae: &'d dyn Dae, events: &[Event<'_>]) -> Result<Option<Self>, Failure> {
        let Some(modes) = dae.modes() else {
            let declared = dae.prolongation().declared_events();
            let changes_mode =
                declared.is_some_and(|it| it.events_description().events.iter().any(|it| !it.transitions.is_empty()));
            let message = "this is the formulation of a model in one of its modes, and events enter others: integrate the one for all modes";
            return if changes_mode { Err(Failure::InvalidOption { message: message.into() }) } else { Ok(None) };
        };
        if !events.is_empty() {
            let message = "an event of the caller is a function of the unknowns of one formulation, and in another mode there are others: declare it in the text, by `when`";
            return Err(Failure::InvalidOption { message: message.into() });
        }
        Ok(Some(InMode { modes, mode: modes.modes_description().start.clone(), entered: (f64::NAN, 0) }))
    }
}

impl<'d> Steps<'d, '_> {
    /// Begins in the mode at the start, if the model has modes.
    pub(super) fn begin_in_mode(&mut self, [y0, yp0]: [&[f64]; 2]) {
        let Some(InMode { modes, .. }) = &self.mode else { return };
        let t0 = self.time();
        let formulations = modes.reachable().into_iter().filter_map(|mode| modes.in_mode(&mode).ok());
        self.solution.restrict_to_common(&formulations.collect::<Vec<&dyn Dae>>());
        self.solution.enter(self.dae, (t0, y0, yp0), &projected_levels(self.method, &self.options));
        let description = modes.modes_description();
        self.solution.modes.push(EnteredMode::new(t0, description.name(&description.start)));
        let all: Vec<usize> = (0..description.variables.len()).collect();
        let allowed = uncertainty(self.dae, &self.options);
        self.events.enter(&all, Memory::default(), FIRST * (self.t_end - t0), &allowed);
    }

    /// Goes on in another mode, from values that are consistent there.
    pub(super) fn enter(&mut self, entering: Entering) -> Result<(), Failure> {
        let Steps { run: Some(run), mode: Some(InMode { modes, mode, entered }), .. } = self else { return Ok(()) };
        let (t, t_end) = (run.stepper.time(), self.t_end);
        let rounds = if entered.0 == t { entered.1 + 1 } else { 1 };
        if rounds > ROUNDS {
            return Err(Failure::EventsAccumulate { t, event: entering.event });
        }
        let modes = *modes;
        for transition in &entering.transitions {
            if let Some(alternative) = mode.get_mut(transition.variable) {
                *alternative = transition.alternative;
            }
        }
        *entered = (t, rounds);
        let name = modes.modes_description().name(mode);
        let not_entered =
            |obstacle: String| Failure::ModeNotEntered { t, mode: name.clone(), obstacle: obstacle.into() };
        let dae = modes.in_mode(mode).map_err(|reason| not_entered(reason.into_owned()))?;
        let rtol = self.options.rtol;
        let relative = (INEXACT * rtol.powf(2.0 / 3.0)).min(LARGEST_MOVE);
        let arriving = Arriving::of(self.dae, (t, &entering.y, &entering.yp), |k| entering.is_set[k]);
        let values = enter(dae, t, &arriving, |size| relative * size, &self.initialization)
            .map_err(|reason| not_entered(reason.to_string()))?;
        let mut record = EnteredMode::new(t, name.clone());
        let is_jump =
            |before: f64, after: f64| (after - before).abs() > JUMP * rtol * before.abs().max(after.abs()).max(1.0);
        let jumps = values.states.into_iter().filter(|it| is_jump(it.1, it.2));
        record.jumps = jumps.map(|(unknown, before, after)| Jump::new(unknown, before, after)).collect();
        record.impulses = values.impulses;
        let (y, yp) = (values.y, values.yp);

        let (done, slides, step) = (run.statistics(), run.slides(), run.last_step());
        let mut run = PiecewiseRun::start(dae, self.method, [t, t_end], [&y, &yp], (&self.stops, &self.options))?;
        run.continue_from(done);
        self.solution.slides.extend(slides);
        self.solution.modes.push(record);
        let control = self.options.control;
        self.events = Events::new(dae, Vec::new(), (t, &y, &yp), t_end, (control, false))?;
        self.residuals = vec![0.0; dae.description().invariants.len()];
        self.drift = Drift::new(dae.description(), &self.options);
        self.multipliers = Watched::new(dae, &self.options);
        let is_adaptive = control == StepControl::Adaptive;
        let hidden = is_adaptive.then(|| Hidden::of(dae, &self.options, t_end - t, run.plan())).flatten();
        self.recorder.enter(t, hidden, dae);
        self.solution.enter(dae, (t, &y, &yp), &projected_levels(self.method, &self.options));
        dae.invariants(t, &y, &mut self.residuals);
        self.solution.note_invariants(&self.residuals);
        self.recorder.restart(t, &y, &mut self.solution);
        (self.dae, self.run) = (dae, Some(run));
        let changed: Vec<usize> = entering.transitions.iter().map(|it| it.variable).collect();
        let allowed = uncertainty(dae, &self.options);
        self.events.enter(&changed, entering.memory, step, &allowed);
        Ok(())
    }
}
