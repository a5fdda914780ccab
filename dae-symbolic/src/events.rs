//! Declared events as programs.
//!
//! In: the events of a model, and its prolongation. Out: the prolongation with their programs
//! ([`EventsProgram`]); or what is wrong with them: derivatives of a higher order than the equations determine, and
//! functions from outside the model.

use dae_runtime::contract::DeclaredEvents;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Node, Symbol, UnknownId, reachable, symbols};
use crate::model::{Event, Model, Trigger, derivative_name};
use crate::origin::Origin;
use crate::prolongation::{EventsProgram, Prolonged};

/// Gives `prolonged` the programs of the events of a model.
///
/// # Errors
/// If an event contains a derivative that the equations do not determine, or a table or function from outside the model.
pub fn complete(model: &mut Model, prolonged: &mut Prolonged) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    if let (Some(event), Some(_)) = (model.events.list.first(), &prolonged.boundary) {
        let message = "the solution of a boundary value problem has no events";
        let finding = Diagnostic::error(Code::InvalidEvent, message).label(event.origin, "an event");
        found.push(finding.help("remove the events, or the conditions at the end"));
    }
    for event in &model.events.list {
        let of_trigger = match event.trigger {
            Trigger::Condition { holds, crossing } => vec![holds, crossing],
            Trigger::Sample { .. } | Trigger::Limit { .. } => Vec::new(),
        };
        let values = event.changes.iter().map(|change| (change.value, change.origin));
        for (value, origin) in of_trigger.into_iter().map(|value| (value, event.origin)).chain(values) {
            found.extend(
                unavailable(model, prolonged, value)
                    .map(|what| beyond_jets(model, prolonged, what, (Code::InvalidEvent, origin))),
            );
            found.extend(outside(model, value, origin));
        }
        found.extend(unchangeable(model, prolonged, event));
    }
    if !found.is_empty() {
        return Err(found);
    }
    // Values have been checked, and the model is no excerpt.
    prolonged.events = EventsProgram::new(model, prolonged).ok().flatten();
    Ok(())
}

/// The values that events give to unknowns at the consistent start `jets`, if they occur there; none where no such point is
/// known.
pub fn values_at_start(model: &Model, prolonged: &Prolonged, jets: Option<&[f64]>, t0: f64) -> Vec<(UnknownId, i64)> {
    let description = prolonged.events_description();
    let size = prolonged.description.jets.len();
    let Some(jets) = jets.filter(|jets| jets.len() == size) else { return Vec::new() };
    let (mut holds, mut values) = (vec![0.0; description.events.len()], vec![0.0; description.changes.len()]);
    prolonged.conditions(t0, jets, &mut holds);
    prolonged.new_values(t0, jets, jets, &mut values);
    let events = model.events.list.iter().enumerate().filter(|(k, event)| event.is_level() && holds[*k] > 0.5);
    let changes = events.flat_map(|(k, event)| description.changes_of(k).zip(&event.changes));
    changes.map(|((k, _), change)| (change.unknown, values[k] as i64)).collect()
}

/// The finding that events at the start change one another's conditions again and again.
pub fn no_value_at_start(at: Origin) -> Diagnostics {
    let message = "no integer at the start is consistent with the equations";
    let finding = Diagnostic::error(Code::InvalidEvent, message).label(at, "changes again and again there");
    let mut found = Diagnostics::new();
    found.push(finding.help("give the unknowns in its argument start values"));
    found
}

/// An unknown with the order of a derivative.
type Jet = (UnknownId, u32);

/// A value that is not among the jets.
fn unavailable(model: &Model, prolonged: &Prolonged, value: Expr) -> Option<Jet> {
    let jets = symbols(&model.dag, [value]).into_iter().filter_map(|symbol| match symbol {
        Symbol::Unknown { unknown, order } => Some((unknown, order)),
        Symbol::State(k) => model.events.before.get(k as usize).copied(),
        _ => None,
    });
    jets.into_iter().find(|&(unknown, order)| prolonged.jet(unknown.index(), order).is_none())
}

fn name_of(model: &Model, (unknown, order): Jet) -> String {
    derivative_name(model.unknowns.get(unknown.index()).map_or("?", |unknown| &unknown.name), order)
}

/// The finding that something at `origin` contains a derivative of a higher order than the equations determine.
pub(crate) fn beyond_jets(
    model: &Model,
    prolonged: &Prolonged,
    jet: Jet,
    (code, origin): (Code, Origin),
) -> Diagnostic {
    let (unknown, order) = jet;
    let highest = (0..order).rev().find(|&order| prolonged.jet(unknown.index(), order).is_some()).unwrap_or(0);
    let message = format!("`{}` is a higher derivative than the equations determine", name_of(model, jet));
    let finding = Diagnostic::error(code, message).label(origin, "used here");
    finding.help(format!(
        "use derivatives up to `{}`, or make the derivative an unknown with an equation of its own",
        name_of(model, (unknown, highest))
    ))
}

/// A finding about a table or function from outside the model.
fn outside(model: &Model, value: Expr, origin: Origin) -> Option<Diagnostic> {
    let name = reachable(&model.dag, [value]).into_iter().find_map(|expr| match model.dag.node(expr) {
        Node::Call(call, _) => Some(call.function.name.clone()),
        _ => None,
    });
    let inputs = symbols(&model.dag, [value]).into_iter().find_map(|symbol| match symbol {
        Symbol::Input { input, .. } => model.inputs.get(input.index()).and_then(|input| {
            let is_call = |expr: &Expr| matches!(model.dag.node(*expr), Node::Call(..));
            reachable(&model.dag, [input.definition]).iter().any(is_call).then(|| input.name.clone())
        }),
        _ => None,
    });
    let name = name.or(inputs)?;
    let message = format!("this event contains `{name}`, which comes from a table or from outside the model");
    let finding = Diagnostic::error(Code::InvalidEvent, message).label(origin, "not allowed in it");
    Some(finding.help(format!("give it an unknown: `var w; w = {name}(…);`, and use that in the event")))
}

/// A finding about a new value of something that is no jet.
fn unchangeable(model: &Model, prolonged: &Prolonged, event: &Event) -> Option<Diagnostic> {
    let change = event.changes.iter().find(|it| prolonged.jet(it.unknown.index(), it.order).is_none())?;
    Some(beyond_jets(model, prolonged, (change.unknown, change.order), (Code::InvalidEvent, change.origin)))
}
