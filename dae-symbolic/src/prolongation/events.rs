//! Events as programs over the jets.
//!
//! In: the events of a model, and its prolongation. Out: an [`EventsProgram`]; new values read the jets before an event
//! in place of states, and the most recent ones in place of their derivatives. With it, [`Prolonged`] fulfils the
//! runtime's [`DeclaredEvents`] contract by interpretation.

use std::borrow::Cow;

use dae_runtime::contract::{
    DeclaredChange, DeclaredEvent, DeclaredEvents, EventsDescription, Occasion, Pattern, Transition,
};

use super::Prolonged;
use crate::defaults::parameter_places;
use crate::expr::{Expr, Symbol, symbols};
use crate::model::{Domain, Event, Model, Trigger};
use crate::program::{Derivative, Load, Point, Program, Unplaced};

/// Programs of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventsProgram {
    /// Names, occasions and patterns.
    pub description: EventsDescription,
    /// The crossing functions.
    pub crossing: Program,
    /// The conditions.
    pub conditions: Program,
    /// First time and period of the samples of each event.
    pub samples: Program,
    /// The new values.
    pub new_values: Program,
    /// The derivatives of the crossing functions with respect to the parameters.
    pub crossing_jacobian_p: Program,
    /// The derivatives of the new values with respect to the parameters.
    pub new_values_jacobian_p: Program,
}

/// The expressions of all events.
struct Expressions {
    crossing: Vec<Expr>,
    conditions: Vec<Expr>,
    samples: Vec<Expr>,
    new_values: Vec<Expr>,
}

impl Expressions {
    fn of(model: &mut Model) -> Self {
        let (never, zero) = (model.dag.integer(-1), model.dag.integer(0));
        let triggers: Vec<Trigger> = model.events.list.iter().map(|event| event.trigger).collect();
        let crossing: Vec<Expr> = triggers
            .iter()
            .map(|trigger| match trigger {
                Trigger::Condition { crossing, .. } => *crossing,
                Trigger::Sample { .. } | Trigger::Limit { .. } => never,
            })
            .collect();
        let conditions: Vec<Expr> = triggers
            .iter()
            .map(|trigger| match trigger {
                Trigger::Condition { holds, .. } => *holds,
                Trigger::Sample { .. } | Trigger::Limit { .. } => zero,
            })
            .collect();
        let samples = triggers.iter().flat_map(|trigger| match trigger {
            Trigger::Condition { .. } | Trigger::Limit { .. } => [zero, zero],
            Trigger::Sample { first, period } => [first.unwrap_or(zero), *period],
        });
        let samples = samples.collect();
        let new_values: Vec<Expr> =
            model.events.list.iter().flat_map(|event| &event.changes).map(|change| change.value).collect();
        Expressions {
            crossing: model.expand_inputs(&crossing),
            conditions: model.expand_inputs(&conditions),
            samples,
            new_values: model.expand_inputs(&new_values),
        }
    }
}

impl EventsProgram {
    /// Schedules the events of a model; `None` if it has none.
    ///
    /// # Errors
    /// If a symbol has no place in the jets of `prolonged`.
    pub fn new(model: &mut Model, prolonged: &Prolonged) -> Result<Option<EventsProgram>, Unplaced> {
        if model.events.list.is_empty() {
            return Ok(None);
        }
        let expressions = Expressions::of(model);
        let parameters = parameter_places(model)?;
        let (before, held) = (model.events.before.clone(), model.events.held.clone());
        let load = |symbol| match symbol {
            Symbol::Time => Some(Load::Time),
            Symbol::Parameter(p) => parameters.regular_place_of(p.index()).map(Load::Parameter),
            Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map(Load::Y),
            Symbol::State(k) => {
                let &(unknown, order) = before.get(k as usize)?;
                prolonged.jet(unknown.index(), order).map(Load::Y)
            }
            Symbol::StateDerivative(k) => prolonged.jet(held.get(k as usize)?.index(), 0).map(Load::Yp),
            Symbol::Input { .. } => None,
        };
        let parameter = |symbol| match symbol {
            Symbol::Parameter(p) => Some(p.index()),
            _ => None,
        };
        let m = model.parameters.len();
        let dag = &mut model.dag;
        let scalars = |count: usize| vec![Domain::scalar(); count];
        let Expressions { crossing, conditions, samples, new_values } = &expressions;
        let of_crossing = Derivative::new(dag, crossing, &scalars(crossing.len()), m, &[], parameter, load)?;
        let of_values = Derivative::new(dag, new_values, &scalars(new_values.len()), m, &[], parameter, load)?;
        let mut jets: Vec<usize> = (symbols(dag, crossing.iter().chain(conditions).chain(new_values).copied()))
            .into_iter()
            .filter_map(|symbol| match load(symbol)? {
                Load::Y(jet) | Load::Yp(jet) => Some(jet),
                Load::Time | Load::Parameter(_) | Load::Total(_) => None,
            })
            .collect();
        let of_samples = symbols(dag, samples.iter().copied());
        let sample_parameters: Vec<usize> = of_samples.into_iter().filter_map(parameter).collect();
        jets.sort_unstable();
        jets.dedup();
        let events: Vec<DeclaredEvent> = (model.events.list.iter().zip(crossing))
            .map(|(event, &crossing)| declared(event, &model.events.list, symbols(&model.dag, [crossing])))
            .collect();
        let list = model.events.list.iter().enumerate();
        let changes = list.flat_map(|(number, event)| event.changes.iter().map(move |change| (number, change)));
        let changes: Vec<DeclaredChange> = changes
            .filter_map(|(event, change)| {
                let jet = prolonged.jet(change.unknown.index(), change.order)?;
                Some(DeclaredChange { event, jet })
            })
            .collect();
        Ok(Some(EventsProgram {
            description: EventsDescription {
                events: events.into(),
                changes: changes.into(),
                jets: jets.into(),
                sample_parameters: sample_parameters.into(),
                crossing_jacobian_p: of_crossing.pattern,
                new_values_jacobian_p: of_values.pattern,
            },
            crossing: Program::new(&model.dag, crossing, &[], load)?,
            conditions: Program::new(&model.dag, conditions, &[], load)?,
            samples: Program::new(&model.dag, samples, &[], load)?,
            new_values: Program::new(&model.dag, new_values, &[], load)?,
            crossing_jacobian_p: of_crossing.program,
            new_values_jacobian_p: of_values.program,
        }))
    }
}

/// An event in the terms of the runtime, with the symbols of its crossing function.
fn declared(event: &Event, all: &[Event], crossing: Vec<Symbol>) -> DeclaredEvent {
    DeclaredEvent {
        name: event.name.clone().into(),
        occasion: match event.trigger {
            // The zeros of a function of time are found before a run; what the mode decides has none.
            Trigger::Condition { .. } => Occasion::Condition {
                of_time: crossing.contains(&Symbol::Time)
                    && !crossing.iter().any(|symbol| matches!(symbol, Symbol::Unknown { .. })),
            },
            Trigger::Sample { first, .. } => Occasion::Sample { has_first: first.is_some() },
            Trigger::Limit { of } => {
                Occasion::Limit { of: all.iter().position(|other| other.number == of).unwrap_or_default() }
            }
        },
        message: event.message.clone().map(Into::into),
        is_terminal: event.is_terminal,
        within: event.within,
        occurs_on_entry: event.occurs_on_entry,
        transitions: (event.transitions.iter())
            .map(|it| Transition { variable: it.variable, alternative: it.alternative })
            .collect(),
    }
}

/// No events.
const NONE: &EventsDescription = &EventsDescription {
    events: Cow::Borrowed(&[]),
    changes: Cow::Borrowed(&[]),
    jets: Cow::Borrowed(&[]),
    sample_parameters: Cow::Borrowed(&[]),
    crossing_jacobian_p: Pattern::EMPTY,
    new_values_jacobian_p: Pattern::EMPTY,
};

impl Prolonged {
    fn run_events(
        &self,
        program: impl FnOnce(&EventsProgram) -> &Program,
        (t, before, recent): (f64, &[f64], &[f64]),
        outputs: &mut [f64],
    ) {
        if let Some(events) = &self.events {
            let point = Point { t, parameters: &self.parameters, y: before, yp: recent };
            program(events).run(point, &mut self.scratch.borrow_mut(), outputs);
        }
    }
}

impl DeclaredEvents for Prolonged {
    fn events_description(&self) -> &EventsDescription {
        self.events.as_ref().map_or(NONE, |events| &events.description)
    }

    fn crossing_functions(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.run_events(|it| &it.crossing, (t, jets, &[]), values);
    }

    fn conditions(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.run_events(|it| &it.conditions, (t, jets, &[]), values);
    }

    fn samples(&self, values: &mut [f64]) {
        self.run_events(|it| &it.samples, (f64::NAN, &[], &[]), values);
    }

    fn new_values(&self, t: f64, before: &[f64], recent: &[f64], values: &mut [f64]) {
        self.run_events(|it| &it.new_values, (t, before, recent), values);
    }

    fn crossing_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.run_events(|it| &it.crossing_jacobian_p, (t, jets, &[]), values);
    }

    fn new_values_jacobian_p(&self, t: f64, before: &[f64], recent: &[f64], values: &mut [f64]) {
        self.run_events(|it| &it.new_values_jacobian_p, (t, before, recent), values);
    }
}
