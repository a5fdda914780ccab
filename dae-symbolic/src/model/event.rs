//! Events of a text: what happens as a condition becomes true, or at the times of samples.
//!
//! In: `when` blocks (through `lower`). Out: events as data. In the values of [`Change`]s, and in no other expressions
//! of a model but boundary conditions,
//!
//! * [`Symbol::State`](crate::expr::Symbol) with the number $k$ is the value of [`Events::before`]`[k]` just before the
//!   event,
//! * [`Symbol::StateDerivative`](crate::expr::Symbol) with the number $k$ is the most recent value of the discrete
//!   variable [`Events::held`]`[k]`: that after other events at the same time, if these change it.

use super::{Model, derivative_name};
use crate::expr::{Expr, Notation, Symbol, UnknownId, print_with};
use crate::origin::Origin;
use std::collections::HashMap;

/// The events of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// In the order in which they are to occur if they do so at the same time: an event comes after those that change
    /// discrete variables of which it takes the most recent value.
    pub list: Vec<Event>,
    /// Unknowns and derivatives whose values before an event are used; the number is the order of the derivative.
    pub before: Vec<(UnknownId, u32)>,
    /// Discrete variables of which the most recent value is used.
    pub held: Vec<UnknownId>,
    /// The mode variables of the text, with the alternatives of which this is the model.
    pub modes: Vec<ModeVariable>,
}

/// A mode variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeVariable {
    /// Its name.
    pub name: String,
    /// Names of its alternatives.
    pub alternatives: Vec<String>,
    /// Whether it belongs to two complementary expressions.
    pub is_complementary: bool,
    /// The alternative at the start, by position.
    pub start: usize,
    /// The alternative that it has in this model, by position.
    pub chosen: usize,
    /// Where it is declared.
    pub origin: Origin,
}

/// An event: one `when` block, or one instance of it in a `for`.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The condition as it is written, with the values of loop variables: `h[i] < 0 [i = 3]`.
    pub name: String,
    /// Its number in the text, by which the event at its limit refers to it.
    pub number: usize,
    /// When it occurs.
    pub trigger: Trigger,
    /// The new values of unknowns.
    pub changes: Vec<Change>,
    /// The text that it notes.
    pub message: Option<String>,
    /// Whether it ends the run.
    pub is_terminal: bool,
    /// The mode variable in one of whose alternatives it stands, by position.
    pub within: Option<usize>,
    /// Whether its condition compares a mode variable: then it may be the same throughout a mode.
    pub depends_on_mode: bool,
    /// Whether it also occurs where a run begins, or its mode, with the condition true.
    pub occurs_on_entry: bool,
    /// The mode variables that it sets.
    pub transitions: Vec<ModeTransition>,
    /// Whether hidden constraints of the mode that it enters act as impulses.
    pub is_inelastic: bool,
    /// Where the block begins.
    pub origin: Origin,
}

/// A mode variable that an event sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeTransition {
    /// The variable, by position.
    pub variable: usize,
    /// The alternative that it then has.
    pub alternative: usize,
    /// Where the alternative stands.
    pub origin: Origin,
}

/// When an event occurs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// As a condition becomes true.
    Condition {
        /// The decision diagram of the condition: 1 where it holds, 0 elsewhere.
        holds: Expr,
        /// A continuous function that is positive where the condition holds, and negative where it does not hold.
        crossing: Expr,
    },
    /// At times that follow one another at the same distance.
    Sample {
        /// The first of them; a multiple of the period if none is given.
        first: Option<Expr>,
        /// Their distance, a function of constants and parameters.
        period: Expr,
    },
    /// At the time at which another event accumulates.
    Limit {
        /// The number of that event.
        of: usize,
    },
}

/// The value of an unknown, or of a derivative, after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The unknown.
    pub unknown: UnknownId,
    /// The order of the derivative.
    pub order: u32,
    /// The value after the event.
    pub value: Expr,
    /// Where the statement stands.
    pub origin: Origin,
}

impl Event {
    /// Whether it occurs as a condition becomes true.
    pub fn is_conditional(&self) -> bool {
        matches!(self.trigger, Trigger::Condition { .. })
    }

    /// Whether it occurs wherever a run or a mode begins with its condition true: its condition never remains true.
    pub fn is_level(&self) -> bool {
        self.occurs_on_entry && self.within.is_none()
    }
}

impl Events {
    /// The mode of which this is the model: `clutch = engaged`; `None` if the text has no modes.
    pub fn mode(&self) -> Option<String> {
        let alternative = |it: &ModeVariable| it.alternatives.get(it.chosen).cloned().unwrap_or_default();
        let chosen = self.modes.iter().map(|it| format!("{} = {}", it.name, alternative(it)));
        Some(chosen.collect::<Vec<String>>().join(", ")).filter(|mode| !mode.is_empty())
    }

    /// The name of a symbol in the value of a change: `pre(x)`, `hold(n)`.
    fn symbol_name(&self, model: &Model, symbol: Symbol) -> String {
        let name = |unknown: UnknownId| model.unknowns.get(unknown.index()).map_or("?", |unknown| &unknown.name);
        match symbol {
            Symbol::State(k) => self.before.get(k as usize).map_or_else(String::new, |&(unknown, order)| {
                format!("pre({})", derivative_name(name(unknown), order))
            }),
            Symbol::StateDerivative(k) => {
                self.held.get(k as usize).map_or_else(String::new, |&unknown| format!("hold({})", name(unknown)))
            }
            other => model.symbol_name(other),
        }
    }

    /// What an event changes, as equations: `v = -e*pre(v)`, `clutch = engaged`.
    pub fn changes(&self, model: &Model, event: &Event) -> Vec<String> {
        let changed = |change: &Change| {
            let unknown = Symbol::Unknown { unknown: change.unknown, order: change.order };
            let value = print_with(&model.dag, change.value, Notation::Text, &HashMap::new(), |symbol| {
                self.symbol_name(model, symbol)
            });
            format!("{} = {value}", model.symbol_name(unknown))
        };
        let entered = |it: &ModeTransition| {
            let variable = self.modes.get(it.variable)?;
            Some(format!("{} = {}", variable.name, variable.alternatives.get(it.alternative)?))
        };
        event.changes.iter().map(changed).chain(event.transitions.iter().filter_map(entered)).collect()
    }

    /// An event as a sentence without its full stop: ``when `h < 0`: v = -e*pre(v)``.
    pub fn sentence(&self, model: &Model, event: &Event) -> String {
        let mut parts = self.changes(model, event);
        parts.extend(event.message.iter().map(|text| format!("{text:?}")));
        if event.is_terminal {
            parts.push("the run ends".into());
        }
        format!("when `{}`: {}", event.name, parts.join(", "))
    }
}
