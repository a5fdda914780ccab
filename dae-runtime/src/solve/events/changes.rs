//! What happens at events.
//!
//! In: the events at the end of a step. Out: their entries in the solution, with the derivatives of their times; the end
//! of the run, or a consistent state after all that they change, and what becomes true by these changes.

use super::declared::{Arrival, Conflict};
use super::sides::uncertainty;
use super::{Consequence, Entering, Events, Unsettled};
use crate::contract::{Dae, Name};
use crate::initialize::quantity::Quantity;
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::sensitivity::{Carried, InStep, Variation};
use crate::solution::Solution;
use crate::solution::event::Action;

/// More than this many resets within this fraction of the elapsed time are no progress.
const RESETS: usize = 30;
const SHORT: f64 = 1e-7;
/// Before a restart, unknowns may miss hidden constraints by this multiple of $\tau^{2/3}$ times their size, where
/// $\tau$ is their relative tolerance (Radau IIA tests errors to a tenth of $\tau^{2/3}$); those of index $k$ by
/// $h^{1-k}$ times as much for steps of length $h$; but none by more than the second constant times its size.
const INEXACT: f64 = 10.0;
const LARGEST_MOVE: f64 = 1e-2;
/// Changes at one time can make further conditions true; this many rounds are no progress.
const ROUNDS: usize = 50;

/// A state with what events change.
struct ChangedState {
    y: Vec<f64>,
    /// The entries that are set.
    is_set: Vec<bool>,
    /// The last event that changes something.
    last: Name,
}

impl Events<'_, '_> {
    pub(super) fn note_at(&self, event: usize, (t, y): (f64, &[f64]), solution: &mut Solution) {
        let message =
            self.list.of_model(event).and_then(|(declared, it)| declared.description().events[it].message.as_ref());
        solution.note_event(self.list.name(event), message, t, y);
    }

    /// Derivatives of the time of an event with respect to each quantity, times its scale.
    pub(super) fn time_derivatives(
        &self,
        event: usize,
        variation: &Variation<'_>,
        moment: &InStep,
    ) -> Result<Vec<f64>, Failure> {
        let at = moment.as_moment();
        let Some((declared, number)) = self.list.of_model(event) else {
            return Ok(variation.of_time(at, &self.list.own[event].function, &|_| 0.0));
        };
        if declared.is_sampled(number) {
            return variation.of_sample(at.t, &declared.description().sample_parameters);
        }
        if declared.is_limit(number) {
            // The way back knows the state just before an event, and no earlier ones.
            let known = self.limit_derivatives[event].as_ref().filter(|_| !variation.has_tape());
            return known.cloned().ok_or_else(|| variation.no_derivative(at.t, 0));
        }
        let entries = declared.by_parameters(number, at.t, at.y, at.yp);
        let explicit = |quantity: &Quantity| {
            entries.iter().enumerate().map(|(k, entry)| quantity.factor_of(k) * entry).sum::<f64>()
        };
        Ok(variation.of_time(at, &|t, y, yp| self.list.value(event, t, y, yp), &explicit))
    }

    /// Records events at the state `y` with the derivatives of their times, which are `given` where they occur because the
    /// mode has been entered; unless one of them ends the run, returns the derivatives of the state on arrival, to which
    /// those of the resets are applied.
    fn note_with_derivatives(
        &self,
        (happening, given): (&[usize], &Option<Vec<f64>>),
        variation: &mut Variation<'_>,
        moment: &InStep,
        solution: &mut Solution,
    ) -> Result<Option<Carried>, Failure> {
        let is_reset = !happening.iter().any(|&event| self.list.is_terminal(event));
        if is_reset {
            variation.begin_jump();
        }
        let mut carried: Option<Carried> = None;
        for &event in happening {
            self.note_at(event, (self.t, &self.y), solution);
            let by_time = match given {
                Some(given) if !self.list.is_planned(event) => variation.for_each_quantity(given),
                Some(_) | None => self.time_derivatives(event, variation, moment)?,
            };
            if let (Some(last), false) = (solution.occurrences.last_mut(), variation.has_tape()) {
                last.time_derivatives = variation.unscaled(&by_time).collect();
            }
            if is_reset {
                variation.check_event(self.t, &by_time)?;
                match &carried {
                    Some(carried) => variation.agree(self.t, carried.by_time(), &by_time)?,
                    None => carried = Some(variation.arriving(moment.as_moment(), by_time)),
                }
            }
        }
        Ok(carried)
    }

    /// Enters the events at the last state into the solution, and applies what they change, to sensitivities too. The
    /// last step began at `before`, and steps are about `step` long. Changes can make conditions of the model true: then
    /// further events occur at the same time.
    pub(in crate::solve) fn happen(
        &mut self,
        dae: &dyn Dae,
        (stepper, before, step): (&mut (dyn Stepper + '_), f64, f64),
        mut variation: Option<&mut Variation<'_>>,
        options: &Options,
        initialization: &InitializationOptions,
        solution: &mut Solution,
    ) -> Result<Consequence, Failure> {
        let own = self.list.own.len();
        // An event that a mode is found to begin with only afterwards occurs at the same time.
        let is_at_once = |given: &Vec<f64>| self.is_entry || (self.t == self.t0 && !given.is_empty());
        let arrival = self.arrival.clone().filter(is_at_once);
        let target = self.target.take();
        if let (Some(variation), true) = (&variation, target.as_ref().is_some_and(|target| target.jumps)) {
            // The time is that of the switch, whose derivatives are not those of the function of the event.
            return Err(variation.no_derivative(self.t, 0));
        }
        let mut happening = target.map_or_else(Vec::new, |target| target.events);
        // As long as it is known that a limit is ahead, its event does not occur.
        let arrived = self.arrived((stepper, before, step), &happening);
        self.is_entry = false;
        happening.extend(&arrived.happening);
        let mut due = Vec::new();
        if let Some(declared) = &mut self.list.declared {
            due.extend(declared.take_at(self.t).into_iter().map(|event| own + event));
            happening.extend(&due);
        }
        happening.sort_unstable();
        happening.dedup();
        // Integer parts change first: what else seems to happen may be due to one that is out of date.
        let is_first = |event: &usize| self.is_level(*event) || due.contains(event);
        let (first, mut postponed): (Vec<usize>, Vec<usize>) = happening.iter().copied().partition(is_first);
        if first.iter().any(|&event| self.is_level(event)) && self.transitions(&first)?.is_none() {
            happening = first;
        } else {
            postponed.clear();
        }
        let moment = variation.is_some().then(|| InStep::at(stepper, before, self.t, step));
        let mut carried = None;
        let mut all = self.occurred.clone();
        let mut held = arrived.hold.clone();
        for round in 0..ROUNDS {
            match (&mut variation, &moment) {
                (Some(variation), Some(moment)) if round == 0 => {
                    carried = self.note_with_derivatives((&happening, &arrival), variation, moment, solution)?;
                }
                _ => {
                    for &event in &happening {
                        self.note_at(event, (self.t, &self.y), solution);
                        if let (Some(variation), Some(carried), Some(last)) =
                            (&variation, &carried, solution.occurrences.last_mut())
                        {
                            last.time_derivatives = variation.unscaled(carried.by_time()).collect();
                        }
                    }
                }
            }
            if let Some(&event) = happening.iter().find(|&&event| self.list.is_terminal(event)) {
                let changed = (round > 0).then(|| [self.y.clone(), self.yp.clone()]);
                return Ok(Consequence::End { event: self.list.name(event).clone(), changed });
            }
            let values = self.list.values(self.t, &self.y, &self.yp);
            happening.iter().filter_map(|event| event.checked_sub(own)).for_each(|event| held[event] = true);
            // An integer part that another event changes once more is no lack of progress.
            let is_again = |event: usize| self.is_level(event) && all.contains(&event);
            let counted = happening.iter().copied().filter(|&event| !due.contains(&event) && !is_again(event));
            let counted: Vec<usize> = counted.collect();
            let by_time = carried.as_ref().map_or(&[][..], Carried::by_time);
            let with_limit = counted.iter().filter(|&&event| self.note_accumulation(event, by_time)).count();
            if !counted.is_empty() && with_limit == 0 {
                self.note_reset(&counted, &self.list.name(counted[counted.len() - 1]).clone())?;
            }
            let mut transitions = self.transitions(&happening)?;
            if transitions.is_none() && self.enters_anew && self.changed(dae, &happening, None)?.y != self.y {
                transitions = Some(Vec::new());
            }
            if let Some(transitions) = transitions {
                let ChangedState { y, last, .. } = self.changed(dae, &happening, carried.as_mut())?;
                let set = self.set_jets(&happening);
                let occurred: Vec<usize> = all.iter().chain(&happening).copied().collect();
                let (before, yp, memory) = (self.y.clone(), self.yp.clone(), self.memory(&held, &occurred));
                self.note_restarts(&occurred);
                let events = happening.iter().map(|&event| self.list.name(event).clone()).collect();
                let entering = Entering { transitions, before, y, yp, set, events, event: last, memory, carried };
                return Ok(Consequence::Enter(Box::new(entering)));
            }
            let set = self.apply(
                dae,
                &happening,
                step,
                (variation.as_deref_mut(), carried.as_mut()),
                options,
                initialization,
            )?;
            let motion = self.motion(self.short(step));
            let sides = self.sides_after(&motion, &arrived, &set);
            all.append(&mut happening);
            happening = (own..sides.len())
                .filter(|&event| sides[event] > 0.0 && (!held[event - own] || self.is_level(event)))
                .collect();
            let remains = |&event: &usize| {
                let holds = event >= own && sides[event] > 0.0;
                !happening.contains(&event) && (holds || motion.value(event) >= values[event])
            };
            let remaining: Vec<usize> = postponed.drain(..).filter(remains).collect();
            if let (Some(variation), Some(moment), Some(carried)) = (&variation, &moment, &carried) {
                // They occur together with those before them for neighbouring values of the quantities, too.
                for &event in &remaining {
                    variation.agree(self.t, carried.by_time(), &self.time_derivatives(event, variation, moment)?)?;
                }
            }
            happening.extend(remaining);
            happening.sort_unstable();
            if happening.is_empty() {
                // The next step decides on the others; what was false may be true from here on.
                let is_open = |k: &usize| *k >= own && sides[*k] == 0.0 && (!held[*k - own] || self.is_level(*k));
                let open: Vec<usize> = (0..sides.len()).filter(is_open).collect();
                open.into_iter().for_each(|event| {
                    self.unsettled[event] = Some(Unsettled { uncertainty: 0.0, occurs: true });
                });
                self.sides = sides;
                // Beyond a jump, an event has occurred.
                for &event in &arrived.jumping {
                    self.unsettled[event] = Some(Unsettled { uncertainty: 0.0, occurs: false });
                    self.sides[event] = 0.0;
                }
                // A function that goes on from zero may seem to turn back by errors of the next steps.
                let uncertain = uncertainty(dae, options);
                for event in all.iter().copied().filter(|&event| !self.list.is_planned(event)) {
                    let (side, direction) = (self.sides[event], self.list.direction(event));
                    let goes_on = side.abs() == f64::MIN_POSITIVE && !direction.admits(side, -side);
                    if goes_on && !motion.is_constant(event) {
                        let uncertainty = self.uncertainty(event, &uncertain);
                        self.unsettled[event] = Some(Unsettled { uncertainty, occurs: false });
                        self.sides[event] = 0.0;
                    }
                }
                self.note_restarts(&all);
                return Ok(Consequence::Restart([self.y.clone(), self.yp.clone()]));
            }
            held = sides[own..].iter().map(|&side| side > 0.0).collect();
            if let (Some(variation), Some(before)) = (&variation, &carried) {
                if variation.has_tape() {
                    // The way back knows one change of the state at a time.
                    return Err(variation.no_derivative(self.t, 0));
                }
                carried = Some(variation.arriving_again((self.t, &self.y, &self.yp), before));
            }
        }
        Err(Failure::EventsAccumulate { t: self.t, event: self.list.name(happening[0]).clone() })
    }

    /// The last state with what events change, in their order; `carried` changes with it.
    fn changed(
        &self,
        dae: &dyn Dae,
        happening: &[usize],
        mut carried: Option<&mut Carried>,
    ) -> Result<ChangedState, Failure> {
        let (t, mut y) = (self.t, self.y.clone());
        let mut last = Name::Borrowed("-");
        for &event in happening.iter().filter(|&&event| event < self.list.own.len()) {
            if let Action::Reset(change) = &self.list.own[event].action {
                if let Some(carried) = &mut carried {
                    carried.change(dae, t, &y, change);
                }
                change(t, &mut y);
                last = self.list.own[event].name.clone();
            }
        }
        let mut is_set = vec![false; y.len()];
        let of_model = self.of_model(happening);
        if let (Some(declared), false) = (&self.list.declared, of_model.is_empty()) {
            let conflict = |it: Conflict| Failure::ConflictingEvents {
                t,
                unknown: dae.description().unknowns[it.place].name.clone(),
                events: it.events.map(|event| declared.name(event).clone()),
            };
            if let Some(carried) = &mut carried {
                carried.change_with(dae, t, &y, &|t, shift, state| {
                    let arrived = state.to_vec();
                    // A conflict has an error without derivatives, too.
                    _ = declared.change(&of_model, &Arrival { t, y: &arrived, yp: &self.yp }, shift, state);
                });
            }
            let arrived = y.clone();
            let at = Arrival { t, y: &arrived, yp: &self.yp };
            let places = declared.change(&of_model, &at, &[], &mut y).map_err(conflict)?;
            places.into_iter().for_each(|place| is_set[place] = true);
            last = of_model.last().map_or(last, |&event| declared.name(event).clone());
        }
        is_set.iter_mut().zip(y.iter().zip(&self.y)).for_each(|(is_set, (y, before))| *is_set |= y != before);
        Ok(ChangedState { y, is_set, last })
    }

    /// The jets that events of the model set.
    fn set_jets(&self, happening: &[usize]) -> Vec<usize> {
        let Some(declared) = &self.list.declared else { return Vec::new() };
        let changes = &declared.description().changes;
        let of_model = self.of_model(happening);
        changes.iter().filter(|change| of_model.contains(&change.event)).map(|change| change.jet).collect()
    }

    /// The events of the model among these, by their numbers there.
    fn of_model(&self, happening: &[usize]) -> Vec<usize> {
        happening.iter().filter_map(|event| event.checked_sub(self.list.own.len())).collect()
    }

    /// Applies what events change to the last state, and makes it consistent. Returns the functions of all events in
    /// between.
    fn apply(
        &mut self,
        dae: &dyn Dae,
        happening: &[usize],
        step: f64,
        (variation, mut carried): (Option<&mut Variation<'_>>, Option<&mut Carried>),
        options: &Options,
        initialization: &InitializationOptions,
    ) -> Result<Vec<f64>, Failure> {
        let t = self.t;
        let ChangedState { mut y, is_set, last } = self.changed(dae, happening, carried.as_deref_mut())?;
        let mut yp = self.yp.clone();
        let set = self.list.values(t, &y, &yp);
        let unknowns = &dae.description().unknowns;
        let atol = options.atol.of(unknowns);
        let sizes = y.clone();
        let allowed = |i: usize| {
            let size = sizes[i].abs().max(unknowns[i].nominal);
            let relative = (atol[i] + options.rtol * sizes[i].abs()) / size;
            let per_index = step.abs().min(1.0).powi(i32::from(unknowns[i].index) - 1);
            (INEXACT * relative.powf(2.0 / 3.0) / per_index).min(LARGEST_MOVE) * size
        };
        let inconsistent = |error| Failure::InconsistentReset { t, event: last.clone(), error: Box::new(error) };
        let jets = consistent_restart(dae, t, &mut y, &mut yp, |i| is_set[i], allowed, initialization)
            .map_err(inconsistent)?;
        if let (Some(variation), Some(carried)) = (variation, carried) {
            variation.check_surfaces(dae, (t, &y, &yp), carried)?;
            variation.restart(t, [&y, &yp, &jets], &|i| is_set[i], carried).map_err(inconsistent)?;
            variation.check(t)?;
        }
        self.y.copy_from_slice(&y);
        self.yp.copy_from_slice(&yp);
        self.stepped = [y, yp];
        Ok(set)
    }

    /// Counts a restart for each of these events that has not occurred at this time in a mode before.
    fn note_restarts(&mut self, events: &[usize]) {
        for &event in events.iter().filter(|event| !self.occurred.contains(event)) {
            self.costs[event].restarts += 1;
        }
    }

    /// Whether the condition of an event never remains true.
    fn is_level(&self, event: usize) -> bool {
        self.list.of_model(event).is_some_and(|(declared, number)| declared.description().events[number].is_level())
    }

    /// An error if resets follow one another without progress.
    fn note_reset(&mut self, happening: &[usize], name: &Name) -> Result<(), Failure> {
        let at_once = happening.iter().any(|&event| self.happened[event] == self.t);
        happening.iter().for_each(|&event| self.happened[event] = self.t);
        self.resets.push(self.t);
        let few = self.resets.len() <= RESETS;
        let first = if few { f64::INFINITY } else { self.resets.remove(0) };
        if at_once || (self.t - first).abs() <= SHORT * (self.t - self.t0).abs() {
            return Err(Failure::EventsAccumulate { t: self.t, event: name.clone() });
        }
        Ok(())
    }
}
