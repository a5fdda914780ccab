//! Events that change the mode of a model.
//!
//! In: the events that occur at one time, and afterwards those of the mode that is entered. Out: which alternatives of
//! mode variables are entered; and which events of the new mode occur at once: those that are declared in an alternative
//! that is entered, if their condition holds, and those declared elsewhere whose condition has become true.

use std::collections::HashMap;

use super::declared::Declared;
use super::{Events, Target, Unsettled};
use crate::contract::{Name, Transition};
use crate::integrator::stepper::Failure;
use crate::sensitivity::Carried;

/// What a run takes into another mode.
pub(in crate::solve) struct Entering {
    /// The alternatives that are entered.
    pub(in crate::solve) transitions: Vec<Transition>,
    /// The state in the mode that is left, and the same with what the events change.
    pub(in crate::solve) before: Vec<f64>,
    pub(in crate::solve) y: Vec<f64>,
    pub(in crate::solve) yp: Vec<f64>,
    /// The jets that the events set.
    pub(in crate::solve) set: Vec<usize>,
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
        let length = self.short(step);
        let motions = [self.motion(length), self.motion(0.5 * length)];
        let [motion, of_half] = [&motions[0], &motions[1]];
        let mut occurring = Vec::new();
        for (k, identity) in identities.iter().enumerate() {
            let event = own + k;
            let (is_level, has_occurred) = (events[k].is_level(), self.occurred.contains(&event));
            if has_occurred && is_level && self.is_beyond(motion, event) {
                occurring.push(event);
                continue;
            }
            let is_within = is_within(identity);
            // At the start, conditions that hold have held before.
            let was_false = is_within || is_level || held[k] == Some(false);
            if !is_within && !has_occurred && !was_false {
                continue;
            }
            let side = self.side_on_entry(event, [motion, of_half], allowed);
            self.sides[event] = side;
            if has_occurred && !is_within {
                continue;
            }
            let unsettled = || Unsettled { uncertainty: self.uncertainty(event, allowed), occurs: true };
            self.unsettled[event] = (side == 0.0).then(unsettled);
            occurring.extend((side > 0.0).then_some(event));
        }
        if !occurring.is_empty() {
            (self.target, self.is_entry) = (Some(Target::at(self.t, occurring, false)), true);
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
}
