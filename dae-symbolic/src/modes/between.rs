//! Whether changes of mode at one time come to an end where mode variables act on one another.
//!
//! In: a model in its modes, in some of which events enter alternatives of variables other than that of their own block, or
//! ask for the mode. Out: a finding about events that enter one another's modes without end.
//!
//! In each case of the comparisons (`cases.rs`), the modes are followed as a run follows them at one time: events of
//! alternatives that are entered occur if their condition holds, others if it has become true by the change, and all that
//! occur enter their alternatives together.

use std::collections::HashMap;

use super::cases::{Bounds, Case, Condition, bounds_of, cases, values_of};
use super::cycles::finding;
use super::multi_mode::{Mode, MultiMode, target};
use crate::diagnostic::Diagnostic;
use crate::expr::Rational;
use crate::model::Event;

/// The largest number of modes, each in all cases, that are followed.
const MOST: usize = 1 << 14;
/// The largest number of changes at one time that are followed.
const LONGEST: usize = 64;

/// A mode: its events that enter modes, and the quantities to which its equations give values.
struct Place<'a> {
    mode: &'a [usize],
    events: Vec<Condition<'a>>,
    values: HashMap<String, Rational>,
}

/// The modes with their events.
struct Places<'a> {
    list: Vec<Place<'a>>,
    by_mode: HashMap<&'a [usize], usize>,
}

/// A finding about modes that events enter without end; `None` if variables do not act on one another.
pub(super) fn cycle(modes: &MultiMode) -> Option<Diagnostic> {
    let acts = |event: &Event| {
        let on_others = event.transitions.iter().any(|it| event.within.is_some_and(|own| own != it.variable));
        !event.transitions.is_empty() && (on_others || event.depends_on_mode)
    };
    if !modes.all().any(|mode| mode.model.events.list.iter().any(acts)) {
        return None;
    }
    let list: Vec<Place<'_>> = modes.all().map(Place::of).collect::<Option<_>>()?;
    let by_mode = list.iter().enumerate().map(|(k, place)| (place.mode, k)).collect();
    let places = Places { list, by_mode };
    let bounds = bounds_of(places.list.iter().flat_map(|place| &place.events));
    let cases = cases(&bounds, MOST / places.list.len().max(1))?;
    cases.iter().find_map(|case| {
        (0..places.list.len()).find_map(|start| {
            let first = places.occurring((start, start), &bounds, case, &|_| true);
            first.into_iter().find_map(|event| places.follow(start, event, &bounds, case))
        })
    })
}

impl<'a> Place<'a> {
    /// `None` if a condition cannot be compared.
    fn of(mode: Mode<'a>) -> Option<Self> {
        let entering = mode.model.events.list.iter().filter(|it| !it.transitions.is_empty() && it.is_conditional());
        let events = entering.map(|event| Condition::of(mode.model, event)).collect::<Option<_>>()?;
        Some(Place { mode: mode.mode, events, values: values_of(mode.model) })
    }
}

impl<'a> Places<'a> {
    /// The events of a mode, which is entered from another one, whose conditions hold in a case and that `may` occur.
    fn occurring(
        &self,
        (before, at): (usize, usize),
        bounds: &Bounds<'_>,
        case: &Case<'_>,
        may: &dyn Fn(&Event) -> bool,
    ) -> Vec<&'a Event> {
        let value = |quantity: &str| [at, before].into_iter().find_map(|it| self.list[it].values.get(quantity));
        let holding = self.list[at].events.iter().filter(|it| may(it.event) && it.holds(bounds, case, &value));
        holding.map(|it| it.event).collect()
    }

    /// Follows the modes in a case from an event on; a finding if that does not end.
    fn follow(&self, start: usize, first: &'a Event, bounds: &Bounds<'_>, case: &Case<'_>) -> Option<Diagnostic> {
        let (mut at, mut happening) = (start, vec![first]);
        let mut path: Vec<(usize, Vec<&Event>)> = Vec::new();
        while path.len() < LONGEST {
            if let Some(again) = path.iter().position(|known| *known == (at, happening.clone())) {
                let mut events: Vec<&Event> =
                    path[again..].iter().flat_map(|(_, events)| events.iter().copied()).collect();
                let mut seen = Vec::new();
                events.retain(|event| {
                    !seen.contains(&event.origin) && {
                        seen.push(event.origin);
                        true
                    }
                });
                return Some(finding(&events));
            }
            // What holds after an event that sets values is not known.
            if happening.iter().any(|event| !event.changes.is_empty()) {
                return None;
            }
            path.push((at, happening.clone()));
            let mode = happening.iter().fold(self.list[at].mode.to_vec(), |mode, event| target(&mode, event));
            let to = *self.by_mode.get(mode.as_slice())?;
            let entered: Vec<usize> =
                happening.iter().flat_map(|event| &event.transitions).map(|it| it.variable).collect();
            let held: Vec<&Event> = self.occurring((at, at), bounds, case, &|_| true);
            let is_known = |event: &Event| {
                let same = |known: &&Event| (known.origin, &known.name) == (event.origin, &event.name);
                held.iter().any(same) || happening.iter().any(same)
            };
            let is_entered = |event: &Event| event.within.is_some_and(|variable| entered.contains(&variable));
            happening = self.occurring((at, to), bounds, case, &|event| is_entered(event) || !is_known(event));
            if happening.is_empty() {
                return None;
            }
            at = to;
        }
        None
    }
}
