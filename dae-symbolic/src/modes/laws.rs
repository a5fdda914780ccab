//! Whether the equations say which values unknowns have after a change of mode.
//!
//! In: the prolongations of the modes, and the changes between them. Out: findings about changes that leave something
//! open. Values before the change are those of the jets of the mode that is left. A state of the new mode that is no such
//! jet has no value. A constraint of the new mode that need not hold before makes states jump. Where the text writes it
//! down, it is the law of the change: two shafts that are joined have the same speed, and their momenta add up. Where it
//! follows from one by differentiation, another law is meant by the text alone: a string that becomes taut says how long
//! it is, and not whether a weight at its end bounces.

use std::collections::{HashMap, HashSet};

use super::multi_mode::{Mode, MultiMode, target};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::{Event, derivative_name};
use crate::origin::Origin;
use crate::pipeline::Compiled;
use crate::spelling::lists::listed;

/// Findings about changes of mode without a law.
pub(super) fn missing(modes: &MultiMode) -> Diagnostics {
    let by_mode: HashMap<&[usize], Mode<'_>> = modes.all().map(|it| (it.mode, it)).collect();
    let mut found = Diagnostics::new();
    // One for each statement that enters an alternative, whatever the mode that it leaves and the instance of a loop.
    let mut reported: HashSet<(Origin, usize)> = HashSet::new();
    for from in modes.all() {
        for event in &from.model.events.list {
            let Some(first) = event.transitions.first().map(|it| (it.origin, it.alternative)) else { continue };
            if reported.contains(&first) {
                continue;
            }
            let Some(to) = by_mode.get(&target(from.mode, event)[..]) else { continue };
            if let Some(finding) = missing_at((&from, to), event) {
                reported.insert(first);
                found.push(finding);
            }
        }
    }
    found
}

/// A finding about an event that leads from one mode to another.
pub(super) fn missing_at((from, to): (&Mode<'_>, &Mode<'_>), event: &Event) -> Option<Diagnostic> {
    let (before, after) = (from.compiled.ok()?, to.compiled.ok()?);
    without_value((from, before), (to, after), event).or_else(|| without_law((from, before), (to, after), event))
}

/// The jets that an event sets.
fn set_by(event: &Event, compiled: &Compiled) -> Vec<String> {
    let name = |unknown: usize| compiled.model.unknowns.get(unknown).map_or("", |it| it.name.as_str());
    event.changes.iter().map(|change| derivative_name(name(change.unknown.index()), change.order)).collect()
}

/// A state of the new mode without a value before, and without an equation that determines it.
fn without_value(
    (from, before): (&Mode<'_>, &Compiled),
    (to, after): (&Mode<'_>, &Compiled),
    event: &Event,
) -> Option<Diagnostic> {
    let (known, new) = (&before.prolonged.description, &after.prolonged.description);
    let on_entry = after.model.events.list.iter().filter(|it| it.is_level());
    let set: Vec<String> = set_by(event, before).into_iter().chain(on_entry.flat_map(|it| set_by(it, after))).collect();
    let is_known = |name: &str| known.jets.iter().any(|jet| jet.name == name) || set.iter().any(|it| it == name);
    let determined = |jet: usize| {
        let of_stage = (0..new.equations.len()).filter(|&row| new.equations[row].stage == new.jets[jet].stage);
        of_stage.into_iter().any(|row| new.jacobian.row(row).any(|(column, _)| column == jet))
    };
    let jet = (0..new.jets.len()).find(|&k| new.jets[k].stage < 0 && !is_known(&new.jets[k].name) && !determined(k))?;
    let name = &new.jets[jet].name;
    let message = format!("`{name}` has no value when `{}` is entered", to.name);
    let finding = Diagnostic::error(Code::MissingLaw, message)
        .label(event.transitions[0].origin, "entered here")
        .note(format!("it is a state there, and the equations do not determine it in the mode `{}`", from.name));
    Some(finding.help(format!("give it one in this `when`: `{name} = …;`")))
}

/// A hidden constraint of the new mode that need not hold before, where the text gives no law.
fn without_law(
    (from, before): (&Mode<'_>, &Compiled),
    (to, after): (&Mode<'_>, &Compiled),
    event: &Event,
) -> Option<Diagnostic> {
    if event.is_inelastic {
        return None;
    }
    let set = set_by(event, before);
    let (known, new) = (&before.prolonged.description, &after.prolonged.description);
    let origin = |compiled: &Compiled, equation: usize| compiled.model.equations.get(equation).map(|it| it.origin);
    let holds_before = |row: usize| {
        let (it, place) = (&new.equations[row], origin(after, new.equations[row].equation));
        // An equation that asks for the mode is another one there.
        let is_same = |k: usize| before.prolonged_spelled.get(k) == after.prolonged_spelled.get(row);
        let mut all = known.equations.iter().enumerate();
        all.any(|(k, other)| other.name == it.name && origin(before, other.equation) == place && is_same(k))
    };
    let is_given = |row: usize| new.jacobian.row(row).any(|(jet, _)| set.iter().any(|it| *it == new.jets[jet].name));
    let open = |&row: &usize| {
        let it = &new.equations[row];
        it.stage < 0 && it.order > 0 && !holds_before(row) && !is_given(row)
    };
    let row = (0..new.equations.len()).find(open)?;
    let it = &new.equations[row];
    let jumping: Vec<String> = (new.jacobian.row(row))
        .filter(|&(jet, _)| new.jets[jet].stage == it.stage)
        .map(|(jet, _)| format!("`{}`", new.jets[jet].name))
        .collect();
    let be = if jumping.len() == 1 { "is" } else { "are" };
    let message = format!("what {} {be} when `{}` is entered is left open", listed(&jumping), to.name);
    let mut finding = Diagnostic::error(Code::MissingLaw, message).label(event.transitions[0].origin, "entered here");
    if let Some(origin) = origin(after, it.equation) {
        finding = finding.label(origin, format!("{} holds from then on, and need not hold before", it.name));
    }
    let finding = finding.note(format!("before, the mode is `{}`", from.name));
    Some(finding.help(
        "write `inelastic;` in this `when` if the forces of the new constraints act as impulses, so that nothing bounces, or \
         give new values",
    ))
}
