//! Changes of the mode in a run.
//!
//! In: a run under way, and the alternatives that events enter. Out: the same run in another mode, from values that are
//! consistent there.
//!
//! Events that set several mode variables at one time do so together. For complementary expressions, this is a step of
//! block pivoting for the complementarity problem that they form (J. J. Júdice & F. M. Pires, *A block principal pivoting
//! algorithm for large-scale strictly monotone linear complementarity problems*, Computers & Operations Research 21,
//! 1994). Where it leads to a mode without a solution, or back to one that has been left at this time, modes are tried one
//! by one, those with the fewest changes first, for one in which no complementary expression is negative. The same happens
//! where another event leads to a mode in which a complementary expression would be a negative impulse: a switch that opens
//! makes the diode beside it conduct. Events that change values alone enter the present mode anew for that reason.

use std::rc::Rc;

use super::Steps;
use crate::contract::Mode;
use crate::integrator::hidden::Hidden;
use crate::integrator::stepper::{Failure, StepControl};
use crate::solve::drift::Drift;
use crate::solve::events::{Entering, Events, uncertainty};
use crate::solve::in_mode::{Begun, InMode, ModeChange, Visited, projected_levels};
use crate::solve::multipliers::Watched;
use crate::solve::restarts::PiecewiseRun;

/// Changes of the mode at one time; so many are no progress.
const ROUNDS: usize = 50;
/// The largest number of modes that are tried for one change.
const TRIED: usize = 1 << 12;

/// The start of a run in a mode: consistent values, and the events that follow.
type Entered<'d, 'c> = (Begun<'d>, Events<'d, 'c>);

/// The modes in which these two-valued variables have other values, those with the fewest changes first.
fn nearest(mode: &Mode, variables: &[usize]) -> impl Iterator<Item = Mode> {
    let count = u32::try_from(variables.len()).unwrap_or(u32::MAX).min(usize::BITS - 2);
    let by_number = (1..=count).flat_map(move |changed| {
        // The next larger number with as many ones (R. W. Gosper, HAKMEM, item 175, 1972).
        let next = |&set: &usize| {
            let lowest = set & set.wrapping_neg();
            let carried = set + lowest;
            Some(carried | (((set ^ carried) >> 2) / lowest))
        };
        std::iter::successors(Some((1_usize << changed) - 1), next).take_while(move |set| set >> count == 0)
    });
    let (mode, variables) = (mode.clone(), variables.to_vec());
    by_number.take(TRIED).map(move |set| {
        let mut other = mode.clone();
        let changed = variables.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
        changed.for_each(|(_, &variable)| other[variable] = 1 - other[variable].min(1));
        other
    })
}

impl<'d, 'c> Steps<'d, 'c> {
    /// Goes on in the mode that events enter.
    pub(super) fn enter(&mut self, entering: Entering) -> Result<(), Failure> {
        let Steps { dae, run: Some(run), mode: Some(mode), visited, solution, .. } = self else {
            return Ok(());
        };
        let (mode, at) = (mode.clone(), (run.stepper.time(), run.last_step()));
        if visited.t != Some(at.0) {
            *visited = Visited { t: Some(at.0), modes: vec![mode.mode.clone()], origin: None };
        }
        let complementary = mode.complementary();
        let mut variables = entering.transitions.iter().map(|it| it.variable).peekable();
        let is_open = variables.peek().is_some() && variables.all(|variable| complementary.contains(&variable));
        let origin = visited.origin.take().filter(|_| is_open);
        let after = mode.after(&entering.transitions);
        let change = ModeChange { left: mode.mode.clone(), before: *dae, entering, recorded: solution.modes.len() };
        if visited.modes.len() > ROUNDS {
            return Err(Failure::EventsAccumulate { t: at.0, event: change.entering.event });
        }
        let is_back = visited.modes.contains(&after);
        visited.modes.push(after.clone());
        let entered = self.start_in(&mode, at, &change, &after);
        let decided = if (is_open && is_back) || entered.is_err() {
            self.decide(&mode, at, origin.as_ref().unwrap_or(&change), &complementary)
        } else {
            None
        };
        match decided {
            Some((after, entered)) => {
                self.visited.modes.push(after.clone());
                let is_later = origin.is_some();
                self.go_on_in(after, entered, (origin.as_ref().unwrap_or(&change), is_later))?;
            }
            None => self.go_on_in(after, entered?, (&change, false))?,
        }
        self.visited.origin = Some(origin.unwrap_or(change)).filter(|_| is_open);
        Ok(())
    }

    /// A mode that has not been visited, and that can be entered by this change so that no complementary expression is
    /// negative, nor a negative impulse: one in which nothing jumps, if there is one. Mode variables of other kinds have the
    /// values that events set.
    fn decide(
        &self,
        in_mode: &InMode<'d>,
        at: (f64, f64),
        change: &ModeChange<'d>,
        complementary: &[usize],
    ) -> Option<(Mode, Entered<'d, 'c>)> {
        let mut with_jumps = None;
        let mut left = change.left.clone();
        let others = change.entering.transitions.iter().filter(|it| !complementary.contains(&it.variable));
        others.for_each(|it| left[it.variable] = it.alternative);
        let modes = std::iter::once(left.clone()).chain(nearest(&left, complementary));
        for mode in modes.filter(|mode| !self.visited.modes.contains(mode)) {
            let Ok((begun, events)) = self.start_in(in_mode, at, change, &mode) else { continue };
            if events.sets_at_once(complementary) {
                continue;
            }
            let has_jumps = !begun.record.jumps.is_empty() || !begun.record.impulses.is_empty();
            let found = (mode, (begun, events));
            if !has_jumps {
                return Some(found);
            }
            with_jumps.get_or_insert(found);
        }
        with_jumps
    }

    /// Consistent values in a mode at `t`, after a step of this length, and the events that occur there at once.
    fn start_in(
        &self,
        in_mode: &InMode<'d>,
        (t, step): (f64, f64),
        change: &ModeChange<'d>,
        mode: &Mode,
    ) -> Result<Entered<'d, 'c>, Failure> {
        let (options, entering) = (&self.options, &change.entering);
        let begun =
            in_mode.enter((&change.left, change.before), (t, mode), entering, (options, &self.initialization))?;
        let control = (options.control, self.recorder.variation.is_some());
        let mut events = Events::new(begun.dae, Vec::new(), (t, &begun.y, &begun.yp), self.t_end, control)?;
        let transitions = entering.transitions.iter().map(|it| it.variable);
        // Of complementary expressions, none may be negative in any mode.
        let mut entered: Vec<usize> = transitions.chain(in_mode.complementary()).collect();
        entered.sort_unstable();
        entered.dedup();
        events.enter(&entered, Some(&entering.memory), step, &uncertainty(begun.dae, options));
        events.enter_anew(!in_mode.complementary().is_empty());
        Ok((begun, events))
    }

    /// Goes on in another mode: pieces, events, record and checks begin anew.
    fn go_on_in(
        &mut self,
        into: Mode,
        (begun, mut events): Entered<'d, 'c>,
        (change, is_later): (&ModeChange<'d>, bool),
    ) -> Result<(), Failure> {
        let Steps { options, run: Some(run), mode: Some(mode), recorder, .. } = self else {
            return Ok(());
        };
        let Begun { dae, y, yp, mut record, passage, are_parted } = begun;
        let (t, t_end) = (run.stepper.time(), self.t_end);
        if let (Some(variation), Some(carried)) = (&mut recorder.variation, &change.entering.carried) {
            // The derivatives before the change are no longer known where others have followed.
            if is_later || are_parted || !run.at_switches().is_empty() {
                return Err(variation.no_derivative(t, 0));
            }
            *variation = variation.enter((dae, [t, t_end]), [&y, &yp], &passage, carried, options)?;
        }
        let is_same = mode.mode == into && record.jumps.is_empty() && record.impulses.is_empty();
        mode.mode = into;
        record.jumps.retain(|jump| self.solution.names.contains(&jump.unknown));
        let mut next = PiecewiseRun::start(dae, self.method, [t, t_end], [&y, &yp], (&self.stops, &self.options))?;
        next.continue_from(run);
        self.solution.slides.extend(run.slides());
        self.solution.add_switches(run.switches());
        self.solution.add_switches(self.events.costs().iter().cloned());
        self.solution.modes.truncate(change.recorded);
        self.solution.modes.extend((!is_same).then_some(record));
        self.residuals = vec![0.0; dae.description().invariants.len()];
        self.drift = Drift::new(dae.description(), &self.options);
        self.multipliers = Watched::new(dae, &self.options);
        let is_adaptive = self.options.control == StepControl::Adaptive;
        let hidden = is_adaptive.then(|| Hidden::of(dae, &self.options, t_end - t, next.plan())).flatten().map(Rc::new);
        events.improve_by(hidden.clone());
        events.arrive(change.entering.carried.as_ref().map(|carried| carried.by_time().to_vec()));
        self.events = events;
        self.recorder.enter(t, hidden, dae);
        self.solution.enter(dae, (t, &y, &yp), &projected_levels(self.method, &self.options));
        dae.invariants(t, &y, &mut self.residuals);
        self.solution.note_invariants(&self.residuals);
        self.recorder.restart(t, &y, &mut self.solution);
        (self.dae, self.run) = (dae, Some(next));
        self.run.as_ref().map_or(Ok(()), |run| self.recorder.follow(run))
    }
}
