//! Events that change the mode of a model.
//!
//! In: the events that occur at one time, and afterwards those of the mode that is entered. Out: which alternatives of
//! mode variables are entered; and which events of the new mode occur at once: those that are declared in an alternative
//! that is entered, if their condition holds, and those declared elsewhere whose condition has become true.

use std::collections::HashMap;

use super::declared::Declared;
use super::{Events, SLOPE, Target};
use crate::contract::{Name, Transition};
use crate::integrator::stepper::Failure;
use crate::sensitivity::Carried;

/// A function begins to change linearly if the changes over a time and over half of it fit to this fraction.
const LINEAR: f64 = 0.25;
/// Unknowns that follow from states by equations are taken to be wrong by this multiple of what they are allowed to be.
const AMPLIFIED: f64 = 20.0;

/// What a run takes into another mode.
pub(in crate::solve) struct Entering {
    /// The alternatives that are entered.
    pub(in crate::solve) transitions: Vec<Transition>,
    /// The state in the mode that is left, and the same with what the events change.
    pub(in crate::solve) before: Vec<f64>,
    pub(in crate::solve) y: Vec<f64>,
    pub(in crate::solve) yp: Vec<f64>,
    /// The entries of it that the events set.
    pub(in crate::solve) is_set: Vec<bool>,
    /// The events that occur.
    pub(in crate::solve) events: Vec<Name>,
    /// The last event that changes something.
    pub(in crate::solve) event: Name,
    pub(in crate::solve) memory: Memory,
    /// The derivatives of `y`, if they are asked for.
    pub(in crate::solve) carried: Option<Carried>,
}

/// What the events of one mode hand on to those of the next.
pub(in crate::solve) struct Memory {
    known: Vec<Known>,
    resets: Vec<f64>,
}

/// What is known about an event of the model as its mode is left.
struct Known {
    identity: Identity,
    /// Whether its condition holds.
    held: bool,
    /// Whether it has occurred at this time, in this mode or in one that was left at once.
    has_occurred: bool,
    next_sample: Option<f64>,
}

/// An event across modes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    name: Name,
    within: Option<usize>,
    /// Number of events with the same name before it.
    number: usize,
}

/// The events of the model in the order of their numbers.
fn identities(declared: &Declared<'_>) -> Vec<Identity> {
    let mut list: Vec<Identity> = Vec::new();
    let mut count: HashMap<(&Name, Option<usize>), usize> = HashMap::new();
    for event in declared.description().events.iter() {
        let number = count.entry((&event.name, event.within)).or_default();
        list.push(Identity { name: event.name.clone(), within: event.within, number: *number });
        *number += 1;
    }
    list
}

impl Events<'_, '_> {
    /// The alternatives that these events enter; `None` if they change no mode.
    ///
    /// # Errors
    /// Two of them enter different alternatives of one mode variable.
    pub(super) fn transitions(&self, happening: &[usize]) -> Result<Option<Vec<Transition>>, Failure> {
        let mut found: Vec<(Transition, usize)> = Vec::new();
        for &event in happening {
            let Some((declared, number)) = self.list.of_model(event) else { continue };
            for &transition in declared.description().events[number].transitions.iter() {
                match found.iter().find(|(other, _)| other.variable == transition.variable) {
                    Some((other, first)) if other.alternative != transition.alternative => {
                        let events = [*first, event].map(|event| self.list.name(event).clone());
                        return Err(Failure::ConflictingModes { t: self.t, events });
                    }
                    Some(_) => {}
                    None => found.push((transition, event)),
                }
            }
        }
        let transitions: Vec<Transition> = found.into_iter().map(|(transition, _)| transition).collect();
        Ok(Some(transitions).filter(|it| !it.is_empty()))
    }

    /// What the events of the next mode have to know, with the conditions that hold and the events that have occurred.
    pub(super) fn memory(&self, held: &[bool], occurred: &[usize]) -> Memory {
        let own = self.list.own.len();
        let known = self.list.declared.as_ref().map_or_else(Vec::new, |declared| {
            let all = identities(declared).into_iter().zip(held).enumerate();
            let known = all.map(|(k, (identity, &held))| Known {
                identity,
                held,
                has_occurred: occurred.contains(&(own + k)) || self.occurred.contains(&(own + k)),
                next_sample: declared.next_sample(k),
            });
            known.collect()
        });
        Memory { known, resets: self.resets.clone() }
    }

    /// Begins a run, or in a mode of which these variables have just got their alternatives: says which events occur at
    /// once. `memory` is that of the mode before. Steps are about `step` long, and an entry `i` of the state is known to
    /// `allowed(i, y)`.
    pub(in crate::solve) fn enter(
        &mut self,
        entered: &[usize],
        memory: Option<&Memory>,
        step: f64,
        allowed: &dyn Fn(usize, f64) -> f64,
    ) {
        let own = self.list.own.len();
        let Some(declared) = &mut self.list.declared else { return };
        let events = &declared.description().events;
        let identities = identities(declared);
        let is_within = |it: &Identity| it.within.is_some_and(|variable| entered.contains(&variable));
        let is_start = memory.is_none();
        let mut held = vec![None; identities.len()];
        if let Some(memory) = memory {
            declared.drop_until(self.t);
            for (k, identity) in identities.iter().enumerate().filter(|(_, identity)| !is_within(identity)) {
                let Some(known) = memory.known.iter().find(|known| known.identity == *identity) else {
                    continue;
                };
                held[k] = Some(known.held);
                self.occurred.extend(known.has_occurred.then_some(own + k));
                known.next_sample.iter().for_each(|&next| declared.continue_samples(k, next));
            }
            self.resets.clone_from(&memory.resets);
        }
        if !is_start {
            // A tick at the time of the change belongs to the mode that is left.
            let of_entered = (0..identities.len()).filter(|&k| is_within(&identities[k]));
            of_entered.for_each(|k| declared.skip_samples(k, self.t));
        }
        let holds = declared.hold(self.t, &self.y, &self.yp);
        let mut occurring = Vec::new();
        for (k, identity) in identities.iter().enumerate() {
            if is_within(identity) {
                let side = self.side_on_entry(own + k, SLOPE * step.abs(), allowed);
                self.sides[own + k] = side;
                self.unsettled[own + k] = (side == 0.0).then(|| self.uncertainty(own + k, allowed));
                occurring.extend((side > 0.0).then_some(own + k));
            } else if self.occurred.contains(&(own + k)) {
                if holds[k] && events[k].is_level() && self.is_beyond(own + k, SLOPE * step.abs()) {
                    occurring.push(own + k);
                    continue;
                }
                self.sides[own + k] = self.side_on_entry(own + k, SLOPE * step.abs(), allowed);
            } else if holds[k] && (held[k] == Some(false) || events[k].is_level()) {
                occurring.push(own + k);
            }
        }
        if !occurring.is_empty() {
            let target = Target { t: self.t, events: occurring, latest: self.t, length: 0.0, other: None };
            (self.target, self.is_entry) = (Some(target), true);
        }
    }

    /// Whether an event that occurs at once sets one of these mode variables.
    pub(in crate::solve) fn sets_at_once(&self, variables: &[usize]) -> bool {
        let events = self.target.iter().filter(|_| self.is_entry).flat_map(|target| &target.events);
        let mut transitions = events
            .filter_map(|&event| self.list.of_model(event))
            .flat_map(|(declared, number)| declared.description().events[number].transitions.iter());
        transitions.any(|transition| variables.contains(&transition.variable))
    }

    /// The side of its zero that the function of an event is on where its mode is entered. At a zero, as far as the state
    /// is known, the motion in this mode decides. Where the function does not begin to change as far as derivatives in the
    /// state tell, or only with the square of the time, the side is zero, and the next steps show it.
    fn side_on_entry(&self, event: usize, length: f64, allowed: &dyn Fn(usize, f64) -> f64) -> f64 {
        let change = |length: f64| length * self.slope(event, (self.t, &self.y, &self.yp), length);
        let length = self.direction * length.max(1e3 * self.resolution(self.t));
        let [whole, half] = [change(length), change(0.5 * length)];
        let value = self.sides[event];
        let uncertainty = self.uncertainty(event, allowed);
        // Times are known to rounding errors, and states as far as they are allowed to be wrong; unknowns that follow from them
        // by equations, several times as much.
        let of_time = change(1e3 * self.direction * self.resolution(self.t));
        if value.abs() > of_time.abs().max(AMPLIFIED * uncertainty) {
            return value;
        }
        // Over a step the change is clear.
        let is_clear = whole.abs() > SLOPE * uncertainty;
        let is_linear = (whole - 2.0 * half).abs() <= LINEAR * whole.abs();
        if is_clear && is_linear { f64::MIN_POSITIVE.copysign(whole) } else { 0.0 }
    }

    /// The value of the function of an event that uncertainties of the state explain.
    fn uncertainty(&self, event: usize, allowed: &dyn Fn(usize, f64) -> f64) -> f64 {
        let here = self.list.value(event, self.t, &self.y, &self.yp);
        let mut y = self.y.clone();
        let mut sum = 0.0;
        for (i, &value) in self.y.iter().enumerate() {
            y[i] = value + allowed(i, value);
            let change = self.list.value(event, self.t, &y, &self.yp) - here;
            sum += if change.is_finite() { change.abs() } else { 0.0 };
            y[i] = value;
        }
        sum
    }
}
