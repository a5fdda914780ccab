//! A run of a model with modes.
//!
//! In: the formulations of the model in its modes, and the events that change these. Out: the mode that is entered, and
//! consistent values of its formulation ([`enter`](crate::initialize::enter)), from which a run goes on.

use std::ops::RangeInclusive;

use super::events::Entering;
use crate::contract::class::{Method, Requirement};
use crate::contract::{Dae, DeclaredEvent, Mode, Modes, Name, Transition};
use crate::initialize::{Arriving, InitializationOptions, Passage, enter};
use crate::integrator::stepper::{Failure, Options, Projection};
use crate::solution::event::Event;
use crate::solution::{EnteredMode, Jump};

/// Where a mode is entered, unknowns may miss its constraints by this multiple of $\tau^{2/3}$ times their size, where
/// $\tau$ is the relative tolerance, as before other restarts; but by no more than the second constant times it.
const INEXACT: f64 = 10.0;
const LARGEST_MOVE: f64 = 1e-2;
/// Changes by more than this many tolerances are reported as jumps.
const JUMP: f64 = 100.0;
/// Impulses of complementary expressions below this fraction of the largest impulse of an unknown are rounding errors.
const ROUNDING: f64 = 1e-12;
/// So are those below this fraction of the largest impulse of such an expression.
const CANCELLED: f64 = 1e-6;

/// The present mode of a run.
#[derive(Clone)]
pub(super) struct InMode<'d> {
    pub(super) modes: &'d dyn Modes,
    pub(super) mode: Mode,
}

/// A change of the mode.
pub(super) struct ModeChange<'d> {
    /// The mode that is left, and its formulation.
    pub(super) left: Mode,
    pub(super) before: &'d dyn Dae,
    pub(super) entering: Entering,
    /// Number of modes in the solution before.
    pub(super) recorded: usize,
}

/// The changes of the mode at one time.
#[derive(Default)]
pub(super) struct Visited<'d> {
    /// That time; `None` before the first change.
    pub(super) t: Option<f64>,
    /// The modes that have been left, entered or tried.
    pub(super) modes: Vec<Mode>,
    /// The first of the last changes between complementary expressions alone.
    pub(super) origin: Option<ModeChange<'d>>,
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
        let mode = modes.modes_description().start.clone();
        Ok(Some(InMode { modes, mode }))
    }

    /// The mode variables that belong to complementary expressions.
    pub(super) fn complementary(&self) -> Vec<usize> {
        let variables = self.modes.modes_description().variables.iter().enumerate();
        variables.filter(|(_, variable)| variable.is_complementary).map(|(k, _)| k).collect()
    }

    /// The mode after a change.
    pub(super) fn after(&self, transitions: &[Transition]) -> Mode {
        let mut mode = self.mode.clone();
        for transition in transitions {
            if let Some(alternative) = mode.get_mut(transition.variable) {
                *alternative = transition.alternative;
            }
        }
        mode
    }

    /// Consistent values in another mode, at `t`, after a change of the mode `left` with the formulation `before`.
    ///
    /// # Errors
    /// The mode cannot be entered.
    pub(super) fn enter(
        &self,
        (left, before): (&Mode, &dyn Dae),
        (t, mode): (f64, &Mode),
        entering: &Entering,
        (options, initialization): (&Options, &InitializationOptions),
    ) -> Result<Begun<'d>, Failure> {
        let name = self.modes.modes_description().name(mode);
        let not_entered =
            |obstacle: String| Failure::ModeNotEntered { t, mode: name.clone(), obstacle: obstacle.into() };
        let dae = self.modes.in_mode(mode).map_err(|reason| not_entered(reason.into_owned()))?;
        if let Some(obstacle) = self.modes.obstacle(left, mode, &entering.events) {
            return Err(not_entered(obstacle.into_owned()));
        }
        let rtol = options.rtol;
        let relative = (INEXACT * rtol.powf(2.0 / 3.0)).min(LARGEST_MOVE);
        let arrived = (t, &entering.y[..], &entering.yp[..]);
        let mut arriving = Arriving::of(before, arrived, &entering.before, |jet| entering.set.contains(&jet));
        arriving.add_values_on_entry(dae, t);
        let values = enter(dae, t, &arriving, |size| relative * size, initialization)
            .map_err(|reason| not_entered(reason.to_string()))?;
        let is_jump =
            |before: f64, after: f64| (after - before).abs() > JUMP * rtol * before.abs().max(after.abs()).max(1.0);
        let jumps = values.states.into_iter().filter(|it| is_jump(it.1, it.2));
        let mut record = EnteredMode::new(t, name.clone());
        record.jumps = jumps.map(|(unknown, before, after)| Jump::new(unknown, before, after)).collect();
        let largest = values.y.iter().fold(1.0_f64, |largest, y| largest.max(y.abs()));
        let impulses = values.impulses.into_iter();
        record.impulses = impulses.filter(|(_, strength)| strength.abs() > JUMP * rtol * largest).collect();
        if let Some(expression) = self.excluded_impulse(dae, t, &values.passage).filter(|_| !record.jumps.is_empty()) {
            return Err(not_entered(format!(
                "an impulse there would lead to `{expression}`, which is not allowed by `complementary`, and no other mode of its \
                 expressions is found that can be entered"
            )));
        }
        let are_parted = arriving.are_parted();
        Ok(Begun { dae, y: values.y, yp: values.yp, record, passage: values.passage, are_parted })
    }

    /// The condition that a complementary expression is negative, if impulses make it so.
    fn excluded_impulse(&self, dae: &dyn Dae, t: f64, passage: &Passage) -> Option<Name> {
        let (with_impulses, largest) = passage.with_impulses()?;
        let declared = dae.prolongation().declared_events()?;
        let events = &declared.events_description().events;
        let variables = &self.modes.modes_description().variables;
        let [mut with, mut without] = [vec![0.0; events.len()], vec![0.0; events.len()]];
        declared.crossing_functions(t, &with_impulses, &mut with);
        declared.crossing_functions(t, passage.jets(), &mut without);
        let is_complementary = |event: &DeclaredEvent| event.within.is_some_and(|k| variables[k].is_complementary);
        let impulses = events.iter().zip(with.iter().zip(&without)).filter(|(event, _)| is_complementary(event));
        let impulses: Vec<(&Name, f64)> =
            impulses.map(|(event, (with, without))| (&event.name, with - without)).collect();
        // Impulses that cancel in an expression leave rounding errors.
        let least = impulses.iter().fold(ROUNDING * largest, |least, (_, it)| least.max(CANCELLED * it.abs()));
        impulses.into_iter().find(|&(_, impulse)| impulse > least).map(|(name, _)| name.clone())
    }
}

/// The start of a run in another mode.
pub(super) struct Begun<'d> {
    pub(super) dae: &'d dyn Dae,
    pub(super) y: Vec<f64>,
    pub(super) yp: Vec<f64>,
    pub(super) record: EnteredMode,
    /// How its values depend on those before.
    pub(super) passage: Passage,
    /// Whether unknowns that were equal are so no longer, so that derivatives of the state before do not tell theirs.
    pub(super) are_parted: bool,
}
