//! What switching functions and events cost a run.
//!
//! In: the numbers of the pieces of a run. Out: for each switching function and each event those of the whole run, by
//! name.

use std::collections::HashMap;

use crate::contract::{Description, Name};

/// What [`SwitchStatistics`] are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SwitchKind {
    /// A switching function: the equations change where it passes through zero. `if`, `abs`, `min`, `max` and the like
    /// have one.
    Function,
    /// An event, of the text of the model or of the caller.
    Event,
}

/// What one switching function, or one event, has cost a run ([`Solution::switches`](crate::solution::Solution::switches)).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SwitchStatistics {
    /// The function as messages write it, `x - y` for `if x > y { … }`; the name of an event, which is its condition as
    /// it is written if the text of the model declares it. What has the same name, in different modes for instance, is
    /// one entry.
    pub name: Name,
    /// Whether it is a function or an event.
    pub kind: SwitchKind,
    /// How often the function has changed its sign, as its values at the ends of the steps tell; how often the event has
    /// occurred.
    pub crossings: usize,
    /// How often the integration has begun anew there: with the equations on the other side or along the surface, or
    /// from the state that the event has set. Each time costs a few short steps.
    pub restarts: usize,
    /// Steps repeated with another length, or predicted to need another one, to end there. The sum over all entries is
    /// [`Statistics::switch_rejections`](crate::stepper::Statistics::switch_rejections).
    pub switch_rejections: usize,
    /// Steps that pass a zero of the function, repeated because their local error was too large. One that passes zeros of
    /// several functions counts for all of them.
    pub error_rejections: usize,
    /// Steps that would pass a zero of the function along the tangent of the solution, repeated because the nonlinear
    /// iteration did not converge. One that passes zeros of several functions counts for all of them.
    pub convergence_rejections: usize,
    /// The time during which the solution has slid along the zero of the function.
    pub sliding: f64,
}

impl SwitchStatistics {
    pub(crate) fn new(kind: SwitchKind, name: &Name) -> Self {
        SwitchStatistics {
            name: name.clone(),
            kind,
            crossings: 0,
            restarts: 0,
            switch_rejections: 0,
            error_rejections: 0,
            convergence_rejections: 0,
            sliding: 0.0,
        }
    }

    /// An entry for each switching function of a formulation.
    pub(crate) fn of_functions(description: &Description) -> Vec<Self> {
        description.switches.iter().map(|switch| SwitchStatistics::new(SwitchKind::Function, &switch.name)).collect()
    }

    /// One occurrence of an event.
    pub(super) fn of_occurrence(event: &Name) -> Self {
        SwitchStatistics { crossings: 1, ..SwitchStatistics::new(SwitchKind::Event, event) }
    }

    /// A time during which a solution slides along the zero of a function.
    pub(super) fn of_slide(function: &Name, sliding: f64) -> Self {
        SwitchStatistics { sliding, ..SwitchStatistics::new(SwitchKind::Function, function) }
    }

    /// All repeated steps.
    pub fn rejected(&self) -> usize {
        self.switch_rejections + self.error_rejections + self.convergence_rejections
    }

    fn add(&mut self, other: &SwitchStatistics) {
        self.crossings += other.crossings;
        self.restarts += other.restarts;
        self.switch_rejections += other.switch_rejections;
        self.error_rejections += other.error_rejections;
        self.convergence_rejections += other.convergence_rejections;
        self.sliding += other.sliding;
    }

    /// Whether nothing has happened there.
    pub(super) fn is_idle(&self) -> bool {
        self.rejected() + self.restarts + self.crossings == 0 && self.sliding == 0.0
    }
}

/// Adds the numbers of a part of a run to those of the whole, by name.
pub(super) fn add(all: &mut Vec<SwitchStatistics>, part: impl IntoIterator<Item = SwitchStatistics>) {
    let known = all.iter().enumerate().map(|(k, it)| ((it.kind, it.name.clone()), k));
    let mut places: HashMap<(SwitchKind, Name), usize> = known.collect();
    for it in part {
        let place = *places.entry((it.kind, it.name.clone())).or_insert(all.len());
        match all.get_mut(place) {
            Some(known) => known.add(&it),
            None => all.push(it),
        }
    }
}
