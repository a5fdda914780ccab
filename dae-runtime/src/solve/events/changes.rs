//! What happens at events.
//!
//! In: the events at the end of a step. Out: their entries in the solution, with the derivatives of their times; the end
//! of the run, or a consistent state after all that they change, and what becomes true by these changes.

use super::declared::{Arrival, Conflict, Declared};
use super::{Consequence, Entering, Events, SLOPE};
use crate::contract::{Dae, Name};
use crate::initialize::quantity::Quantity;
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::sensitivity::{Carried, InStep, Variation};
use crate::solution::Solution;
use crate::solution::event::Action;

/// Conditions that become true within this multiple of the resolution of times do so at one time.
const TOGETHER: f64 = 16.0;
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

    /// Whether the time of an event is known in advance: that of a sample or a limit.
    fn is_planned(&self, event: usize) -> bool {
        let is_planned =
            |(declared, number): (&Declared<'_>, usize)| declared.is_sampled(number) || declared.is_limit(number);
        self.list.of_model(event).is_some_and(is_planned)
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
                Some(given) if !self.is_planned(event) => variation.for_each_quantity(given),
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
        let is_entry = std::mem::take(&mut self.is_entry);
        let mut happening = self.target.take().map_or_else(Vec::new, |target| target.events);
        // As long as it is known that a limit is ahead, its event does not occur.
        if !is_entry {
            happening.extend(self.true_on_arrival(stepper, before));
        }
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
        // The events that have occurred, with the sides of their functions on arrival: zero, as far as that is known, unless a
        // change has made their condition true.
        let arrived = if is_entry { vec![0.0; self.sides.len()] } else { self.sides.clone() };
        let mut all: Vec<(usize, f64)> = self.occurred.iter().map(|&event| (event, 0.0)).collect();
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
            let mut held = self.list.declared.as_ref().map_or_else(Vec::new, |it| it.hold(self.t, &self.y, &self.yp));
            let values = self.list.values(self.t, &self.y, &self.yp);
            happening.iter().filter_map(|event| event.checked_sub(own)).for_each(|event| held[event] = true);
            // An integer part that another event changes once more is no lack of progress.
            let is_again = |event: usize| self.is_level(event) && all.iter().any(|&(known, _)| known == event);
            let counted = happening.iter().copied().filter(|&event| !due.contains(&event) && !is_again(event));
            let counted: Vec<usize> = counted.collect();
            let by_time = carried.as_ref().map_or(&[][..], Carried::by_time);
            let with_limit = counted.iter().filter(|&&event| self.note_accumulation(event, by_time)).count();
            if !counted.is_empty() && with_limit == 0 {
                self.note_reset(&counted, &self.list.name(counted[counted.len() - 1]).clone())?;
            }
            if let Some(transitions) = self.transitions(&happening)? {
                let ChangedState { y, is_set, last } = self.changed(dae, &happening, carried.as_mut())?;
                let occurred: Vec<usize> =
                    all.iter().map(|&(event, _)| event).chain(happening.iter().copied()).collect();
                let (before, yp, memory) = (self.y.clone(), self.yp.clone(), self.memory(&held, &occurred));
                self.note_restarts(&occurred);
                let events = happening.iter().map(|&event| self.list.name(event).clone()).collect();
                let entering = Entering { transitions, before, y, yp, is_set, events, event: last, memory, carried };
                return Ok(Consequence::Enter(Box::new(entering)));
            }
            self.apply(dae, &happening, step, (variation.as_deref_mut(), carried.as_mut()), options, initialization)?;
            let after = self.list.declared.as_ref().map_or_else(Vec::new, |it| it.hold(self.t, &self.y, &self.yp));
            all.extend(happening.drain(..).map(|event| (event, if round == 0 { arrived[event] } else { 0.0 })));
            let again = |event: usize| self.is_level(event) && self.is_beyond(event, SLOPE * step.abs());
            happening = (0..held.len())
                .filter(|&event| after[event] && (!held[event] || again(own + event)))
                .map(|event| own + event)
                .collect();
            let now = self.list.values(self.t, &self.y, &self.yp);
            let remains = |&event: &usize| {
                let holds = event.checked_sub(own).is_some_and(|event| after[event]);
                !happening.contains(&event) && (holds || now[event] >= values[event])
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
                self.settle(&all, step);
                self.note_restarts(&all.iter().map(|&(event, _)| event).collect::<Vec<usize>>());
                return Ok(Consequence::Restart([self.y.clone(), self.yp.clone()]));
            }
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

    /// The events of the model among these, by their numbers there.
    fn of_model(&self, happening: &[usize]) -> Vec<usize> {
        happening.iter().filter_map(|event| event.checked_sub(self.list.own.len())).collect()
    }

    /// Applies what events change to the last state, and makes it consistent.
    fn apply(
        &mut self,
        dae: &dyn Dae,
        happening: &[usize],
        step: f64,
        (variation, mut carried): (Option<&mut Variation<'_>>, Option<&mut Carried>),
        options: &Options,
        initialization: &InitializationOptions,
    ) -> Result<(), Failure> {
        let t = self.t;
        let ChangedState { mut y, is_set, last } = self.changed(dae, happening, carried.as_deref_mut())?;
        let mut yp = self.yp.clone();
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
        Ok(())
    }

    /// Notes the sides of all functions after events that have occurred, each with the side of its function on arrival.
    fn settle(&mut self, occurred: &[(usize, f64)], step: f64) {
        self.sides = self.list.sides(self.t, &self.y, &self.yp);
        for &(event, arrived) in occurred {
            self.sides[event] = self.side_after(event, arrived, SLOPE * step.abs());
        }
    }

    /// Counts a restart for each of these events that has not occurred at this time in a mode before.
    fn note_restarts(&mut self, events: &[usize]) {
        for &event in events.iter().filter(|event| !self.occurred.contains(event)) {
            self.costs[event].restarts += 1;
        }
    }

    /// Events of the model whose conditions become true at the last state, with functions that have not yet been positive:
    /// they are exactly zero there, and the next step would not show that they were negative before; or will be zero within
    /// rounding errors of the time, as the last step, which began at `before`, shows.
    fn true_on_arrival(&self, stepper: &mut (dyn Stepper + '_), before: f64) -> Vec<usize> {
        let Some(declared) = &self.list.declared else { return Vec::new() };
        let own = self.list.own.len();
        let waits = |&event: &usize| self.sides[own + event] < 0.0 && declared.is_searched(event);
        let waiting: Vec<usize> = (0..declared.count()).filter(waits).collect();
        if waiting.is_empty() {
            return Vec::new();
        }
        let holds = declared.hold(self.t, &self.y, &self.yp);
        let now = self.list.values(self.t, &self.y, &self.yp);
        let half = 0.5 * (self.t - before);
        let mut y = self.y.clone();
        let earlier = (half != 0.0).then(|| {
            stepper.interpolate(before + half, &mut y);
            self.list.values(before + half, &y, &self.yp)
        });
        let is_near = |event: usize| {
            let Some(earlier) = &earlier else { return false };
            let change = now[own + event] - earlier[own + event];
            change > 0.0 && -now[own + event] * half.abs() <= TOGETHER * self.resolution(self.t) * change
        };
        waiting.into_iter().filter(|&event| holds[event] || is_near(event)).map(|event| own + event).collect()
    }

    /// Whether the condition of an event never remains true.
    fn is_level(&self, event: usize) -> bool {
        self.list.of_model(event).is_some_and(|(declared, number)| declared.description().events[number].is_level())
    }

    /// Whether the function of an event is positive by more than it changes in a time much longer than `length`: a change
    /// of the state has carried it there, and not the motion to its zero.
    pub(super) fn is_beyond(&self, event: usize, length: f64) -> bool {
        let at = (self.t, &self.y[..], &self.yp[..]);
        let length = self.direction * length.max(1e3 * self.resolution(self.t));
        let change = (length * self.slope(event, at, length)).abs();
        self.list.value(event, at.0, at.1, at.2) > if change.is_nan() { 0.0 } else { 1e3 * change }
    }

    /// The side of its zero that the function of an event is moving to just after the event.
    pub(super) fn side_after(&self, event: usize, before: f64, length: f64) -> f64 {
        let value = self.sides[event];
        let length = self.direction * length.max(1e3 * self.resolution(self.t));
        let change = length * self.slope(event, (self.t, &self.y, &self.yp), length);
        if change == 0.0 || change.is_nan() {
            // The next steps will tell.
            return 0.0;
        }
        // A reset may have moved it off zero.
        if value.abs() > 1e3 * before.abs().max(change.abs()) { value } else { f64::MIN_POSITIVE.copysign(change) }
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
