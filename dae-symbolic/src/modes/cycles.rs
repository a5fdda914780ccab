//! Whether changes of mode at one time come to an end.
//!
//! In: the transitions of each mode variable, with their conditions. Out: findings about alternatives that enter one
//! another at one time without end, since the conditions hold together.
//!
//! A condition is a decision diagram over comparisons. Comparisons of the same quantity with numbers leave as many cases
//! as there are intervals between the numbers, others two each; where all cases of a variable are few enough, each is
//! followed from alternative to alternative. Where an equation of the alternative that is left, or of the one that is
//! entered, gives a quantity its value, that decides; and a condition that depends on which of two equal sides is greater
//! does not hold. Where events set values, what holds after the change is not known. Where an event enters alternatives of
//! other variables, or a condition compares mode variables, the modes themselves are followed (`between.rs`).

use std::collections::HashMap;

use super::cases::{Bounds, Case, Condition, bounds_of, cases, values_of};
use super::multi_mode::{Mode, MultiMode};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::Rational;
use crate::model::Event;
use crate::spelling::lists::listed;

/// The largest number of cases that are enumerated for a mode variable.
const MOST: usize = 1 << 12;

/// A transition of a mode variable from an alternative.
struct Step<'a> {
    to: usize,
    condition: Condition<'a>,
}

/// An alternative: its transitions, and the quantities to which its equations give values.
#[derive(Default)]
struct Alternative<'a> {
    steps: Vec<Step<'a>>,
    values: HashMap<String, Rational>,
}

/// Findings about the mode variables of a text.
pub(super) fn without_end(modes: &MultiMode) -> Diagnostics {
    let mut found = Diagnostics::new();
    for finding in (0..modes.start.mode.len()).filter_map(|variable| cycle(modes, variable)) {
        // What is wrong with one instance of a loop is wrong with the others.
        if !found.iter().any(|known| known.labels == finding.labels) {
            found.push(finding);
        }
    }
    found
}

/// The alternatives of a mode variable, each from the first mode with it; `None` if a condition cannot be compared.
fn alternatives(modes: &MultiMode, variable: usize) -> Option<Vec<Alternative<'_>>> {
    let declared = modes.start.compiled.model.events.modes.get(variable)?;
    let mut found: Vec<Option<Alternative<'_>>> = declared.alternatives.iter().map(|_| None).collect();
    for Mode { mode, model, .. } in modes.all() {
        let from = *mode.get(variable)?;
        if found[from].is_some() {
            continue;
        }
        let mut alternative = Alternative { steps: Vec::new(), values: values_of(model) };
        // A condition that compares mode variables is another one in other modes with this alternative.
        let is_the_same = |event: &&Event| event.within == Some(variable) && !event.depends_on_mode;
        for event in model.events.list.iter().filter(is_the_same) {
            let Some(it) = event.transitions.iter().find(|it| it.variable == variable) else { continue };
            if event.is_conditional() {
                alternative.steps.push(Step { to: it.alternative, condition: Condition::of(model, event)? });
            }
        }
        found[from] = Some(alternative);
    }
    Some(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// A finding about alternatives of a mode variable that enter one another without end.
fn cycle(modes: &MultiMode, variable: usize) -> Option<Diagnostic> {
    let alternatives = alternatives(modes, variable)?;
    let bounds = bounds_of(alternatives.iter().flat_map(|it| &it.steps).map(|step| &step.condition));
    let cases = cases(&bounds, MOST)?;
    cases
        .into_iter()
        .find_map(|case| (0..alternatives.len()).find_map(|start| follow(&alternatives, &bounds, &case, start)))
}

/// Follows the transitions from an alternative while their conditions hold; a finding if that leads back to it.
fn follow(alternatives: &[Alternative<'_>], bounds: &Bounds<'_>, case: &Case<'_>, start: usize) -> Option<Diagnostic> {
    let mut path: Vec<&Step<'_>> = Vec::new();
    let (mut at, mut before) = (start, start);
    let enabled = |step: &Step<'_>, before: usize, at: usize| {
        let value = |quantity: &str| [at, before].into_iter().find_map(|it| alternatives[it].values.get(quantity));
        step.condition.holds(bounds, case, &value)
    };
    while path.len() <= alternatives.len() {
        let step = alternatives[at].steps.iter().find(|step| enabled(step, before, at))?;
        if !step.condition.event.changes.is_empty() {
            return None;
        }
        path.push(step);
        (before, at) = (at, step.to);
        // The alternative before the first one is not known: the second time round it is.
        if at == start && path.len() > 1 {
            let events: Vec<&Event> = path.iter().map(|step| step.condition.event).collect();
            return enabled(path[0], before, at).then(|| finding(&events));
        }
        if at == before {
            return None;
        }
    }
    None
}

/// The finding that these events enter one another's modes without end.
pub(super) fn finding(events: &[&Event]) -> Diagnostic {
    let conditions: Vec<String> = events.iter().map(|event| format!("`{}`", event.name)).collect();
    let message = format!("{} can hold together, and enter one another's modes without end", listed(&conditions));
    let first = Diagnostic::error(Code::ModeCycle, message);
    let labelled =
        events.iter().fold(first, |finding, event| finding.label(event.origin, "enters a mode that is left at once"));
    labelled.help("let the conditions exclude one another: with a distance between the bounds, for instance")
}
