//! The events of a run as one list: those of the caller, and after them those that the text of the model declares.
//!
//! In: both kinds of events. Out: their functions at a state, names and directions, by number; and whether an event only
//! has to be recorded.

use super::declared::{Arrival, Declared};
use crate::contract::Name;
use crate::solution::event::{Action, Direction, Event};

/// Events by number.
pub(super) struct EventList<'d, 'c> {
    pub(super) own: Vec<Event<'c>>,
    pub(super) declared: Option<Declared<'d>>,
}

impl<'d> EventList<'d, '_> {
    /// The number of events.
    pub(super) fn count(&self) -> usize {
        self.own.len() + self.declared.as_ref().map_or(0, Declared::count)
    }

    /// The functions of all events at a state.
    pub(super) fn values(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let own = self.own.iter().map(|event| (event.function)(t, y, yp));
        own.chain(self.declared.iter().flat_map(|declared| declared.functions(t, y, yp))).collect()
    }

    /// The number of a declared event among those of the model; `None` for one of the caller.
    pub(super) fn of_model(&self, event: usize) -> Option<(&Declared<'d>, usize)> {
        let number = event.checked_sub(self.own.len())?;
        self.declared.as_ref().map(|declared| (declared, number))
    }

    /// The functions of all events at a state; one of the model that is exactly zero has the sign that its condition says,
    /// and the value of the smallest number. Of one of the caller that is not known, and it is zero.
    pub(super) fn signed(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let mut sides = self.values(t, y, yp);
        if let Some(declared) = &self.declared {
            let of_model = sides[self.own.len()..].iter_mut().zip(declared.hold(t, y, yp));
            for (side, holds) in of_model.filter(|(side, _)| **side == 0.0) {
                *side = if holds { f64::MIN_POSITIVE } else { -f64::MIN_POSITIVE };
            }
        }
        sides
    }

    /// The function of an event at a state.
    pub(super) fn value(&self, event: usize, t: f64, y: &[f64], yp: &[f64]) -> f64 {
        match self.of_model(event) {
            Some((declared, number)) => declared.functions(t, y, yp)[number],
            None => (self.own[event].function)(t, y, yp),
        }
    }

    pub(super) fn direction(&self, event: usize) -> Direction {
        self.own.get(event).map_or(Direction::Rising, |event| event.direction)
    }

    /// Whether the zeros of the function of an event are searched for in steps.
    pub(super) fn is_searched(&self, event: usize) -> bool {
        self.of_model(event).is_none_or(|(declared, number)| declared.is_searched(number))
    }

    /// Whether the time of an event is known in advance: that of a sample or a limit.
    pub(super) fn is_planned(&self, event: usize) -> bool {
        let is_planned =
            |(declared, number): (&Declared<'_>, usize)| declared.is_sampled(number) || declared.is_limit(number);
        self.of_model(event).is_some_and(is_planned)
    }

    pub(super) fn name(&self, event: usize) -> &Name {
        match self.of_model(event) {
            Some((declared, number)) => declared.name(number),
            None => &self.own[event].name,
        }
    }

    pub(super) fn is_terminal(&self, event: usize) -> bool {
        match self.of_model(event) {
            Some((declared, number)) => declared.description().events[number].is_terminal,
            None => matches!(self.own[event].action, Action::End),
        }
    }

    /// Whether an event never changes anything and does not end the run.
    pub(super) fn never_changes(&self, event: usize) -> bool {
        match self.of_model(event) {
            Some((declared, number)) => declared.is_noted(number),
            None => matches!(self.own[event].action, Action::Note),
        }
    }

    /// Whether an event only has to be recorded at this state: it does not end the run, and changes nothing.
    pub(super) fn is_noted(&self, event: usize, (t, y, yp): (f64, &[f64], &[f64])) -> bool {
        let mut changed = y.to_vec();
        match self.of_model(event) {
            Some((declared, number)) if declared.is_noted(number) => true,
            Some((declared, number)) => {
                let changes = declared.change(&[number], &Arrival { t, y, yp }, &[], &mut changed);
                let enters = !declared.description().events[number].transitions.is_empty();
                !self.is_terminal(event) && !enters && changes.is_ok() && changed == y
            }
            None => match &self.own[event].action {
                Action::Note => true,
                Action::End => false,
                Action::Reset(change) => {
                    change(t, &mut changed);
                    changed == y
                }
            },
        }
    }
}
