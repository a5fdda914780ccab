//! Events that the text of a model declares.
//!
//! In: nothing. Out: the contract by which a model says what happens as a condition becomes true, or at the times of
//! samples: [`DeclaredEvents`], and their description.
//!
//! Conditions and new values are functions of the jets ([`Prolongation`](super::Prolongation)), so that they may contain
//! any unknown of the model and any derivative that its equations contain, whatever the formulation that is integrated.

use std::borrow::Cow;

use super::{Name, Pattern, Transition};

/// When a declared event occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// As its condition becomes true.
    Condition {
        /// Whether its crossing function depends on time and parameters only.
        of_time: bool,
    },
    /// At the times of samples.
    Sample {
        /// Whether samples begin at a first time; otherwise they are at all multiples of the period.
        has_first: bool,
    },
    /// At the time at which another event accumulates: it occurs at shorter and shorter intervals, whose sum is finite.
    Limit {
        /// That event, by position.
        of: usize,
    },
}

/// A declared event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredEvent {
    /// The condition as it is written: `h < 0`.
    pub name: Name,
    /// When it occurs.
    pub occasion: Occasion,
    /// The text that it notes.
    pub message: Option<Name>,
    /// Whether it ends the run.
    pub is_terminal: bool,
    /// The mode variable in one of whose alternatives it is declared, by position: it occurs in that alternative only.
    pub within: Option<usize>,
    /// Whether it also occurs where a run begins with the condition true, and where a mode is entered: the alternative in
    /// which it is declared, or any.
    pub occurs_on_entry: bool,
    /// The mode variables that it sets.
    pub transitions: Cow<'static, [Transition]>,
}

impl DeclaredEvent {
    /// Whether its condition never remains true: the event occurs in whatever mode it holds.
    pub fn is_level(&self) -> bool {
        self.occurs_on_entry && self.within.is_none()
    }
}

/// A new value that an event gives to an unknown or to a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredChange {
    /// The event, by position.
    pub event: usize,
    /// The entry of the jet vector that changes.
    pub jet: usize,
}

/// Everything about declared events that does not change from call to call.
#[derive(Clone, Debug, PartialEq)]
pub struct EventsDescription {
    /// The events. Of several at one time, earlier ones occur first.
    pub events: Cow<'static, [DeclaredEvent]>,
    /// All new values, event by event.
    pub changes: Cow<'static, [DeclaredChange]>,
    /// The entries of the jet vector that conditions and new values contain, ascending.
    pub jets: Cow<'static, [usize]>,
    /// The parameters on which the times of samples depend, ascending.
    pub sample_parameters: Cow<'static, [usize]>,
    /// Pattern of the derivatives of the crossing functions with respect to the parameters: a row for each event.
    pub crossing_jacobian_p: Pattern,
    /// Pattern of the derivatives of the new values with respect to the parameters: a row for each change.
    pub new_values_jacobian_p: Pattern,
}

impl EventsDescription {
    /// The new values of an event: positions among all changes.
    pub fn changes_of(&self, event: usize) -> impl Iterator<Item = (usize, &DeclaredChange)> + '_ {
        self.changes.iter().enumerate().filter(move |(_, change)| change.event == event)
    }
}

/// The events that the text of a model declares.
pub trait DeclaredEvents {
    /// Names, occasions and patterns.
    fn events_description(&self) -> &EventsDescription;

    /// For each event a continuous function that is positive where its condition holds and negative where it does not;
    /// -1 for samples and limits.
    fn crossing_functions(&self, t: f64, jets: &[f64], values: &mut [f64]);

    /// For each event 1 where its condition holds, 0 elsewhere; 0 for samples and limits.
    fn conditions(&self, t: f64, jets: &[f64], values: &mut [f64]);

    /// The first time and the period of the samples of each event, one after the other: zeros for an event that is no
    /// sample, and the first time 0 where all multiples of the period are meant. They depend on the parameters.
    fn samples(&self, values: &mut [f64]);

    /// The values that all changes give, from the jets `before` the event, and the `recent` ones, after other events at
    /// the same time.
    fn new_values(&self, t: f64, before: &[f64], recent: &[f64], values: &mut [f64]);

    /// Derivatives of the crossing functions with respect to the parameters.
    fn crossing_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]);

    /// Derivatives of the new values with respect to the parameters.
    fn new_values_jacobian_p(&self, t: f64, before: &[f64], recent: &[f64], values: &mut [f64]);
}
