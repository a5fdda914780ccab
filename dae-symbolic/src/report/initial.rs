//! Initial values, in the words of a report.
//!
//! In: [`InitialValues`]. Out: data to be serialised, and sentences about them.

use dae_runtime::contract::Start;

use crate::initial_values::{Choice, InitialValues, Redundant, StateValue};
use crate::spelling::lists::folded;

/// Initial values at the consistent point of the model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct InitialReport {
    /// Time of the point.
    pub t0: f64,
    /// The states, in the order of the text.
    pub states: Vec<StateReport>,
    /// States that the equations determine on their own.
    pub determined: Vec<String>,
    /// Groups of states of which some may be chosen, independently of other groups.
    pub choices: Vec<ChoiceReport>,
    /// Fixed values that follow from the equations and the other fixed values, and agree with them.
    pub redundant: Vec<RedundantReport>,
    /// States whose guesses decide the solution, because too few values are fixed.
    pub guessed: Vec<String>,
}

/// A state and its consistent value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StateReport {
    /// Its name: `x`, `der(x)`.
    pub name: String,
    /// How the model gives its start value: `fixed`, `guess`, or `free` for not at all.
    pub start: &'static str,
    /// Its value at the consistent point.
    pub value: f64,
}

/// A group of states of which `count` may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ChoiceReport {
    /// The number of states that may be chosen.
    pub count: usize,
    /// The states to choose from.
    pub among: Vec<String>,
    /// A valid choice.
    pub example: Vec<String>,
    /// Whether every choice of `count` of these states is valid; `None` if that is not known.
    pub any: Option<bool>,
}

/// A fixed value that follows from the equations and the other fixed values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RedundantReport {
    /// The name of the state.
    pub name: String,
    /// The fixed values it follows from; none if the equations alone determine it.
    pub follows_from: Vec<String>,
}

impl InitialReport {
    pub(super) fn new(values: &InitialValues) -> Self {
        let state = |StateValue { name, start, value }: &StateValue| StateReport {
            name: name.clone(),
            start: match start {
                Start::Fixed => "fixed",
                Start::Guess => "guess",
                Start::Free => "free",
            },
            value: *value,
        };
        let choice = |Choice { count, among, example, any }: &Choice| ChoiceReport {
            count: *count,
            among: among.clone(),
            example: example.clone(),
            any: *any,
        };
        let redundant = |Redundant { name, follows_from }: &Redundant| RedundantReport {
            name: name.clone(),
            follows_from: follows_from.clone(),
        };
        InitialReport {
            t0: values.t0,
            states: values.states.iter().map(state).collect(),
            determined: values.determined.clone(),
            choices: values.choices.iter().map(choice).collect(),
            redundant: values.redundant.iter().map(redundant).collect(),
            guessed: values.guessed.clone(),
        }
    }

    /// Name, value and start of every state; neighbours in an array that agree in value and start are joined.
    pub(super) fn lines(&self) -> Vec<(String, f64, &'static str)> {
        let alike = |a: &StateReport, b: &StateReport| a.start == b.start && a.value.to_bits() == b.value.to_bits();
        let lines = self.states.chunk_by(alike).flat_map(|like| {
            let names: Vec<String> = like.iter().map(|state| state.name.clone()).collect();
            folded(&names).into_iter().map(|name| (name, like[0].value, like[0].start))
        });
        lines.collect()
    }

    /// Sentences about the initial values, by heading.
    pub(super) fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut list = Vec::new();
        if !self.choices.is_empty() {
            let groups: Vec<String> = self.choices.iter().map(ChoiceReport::sentence).collect();
            list.push(("may be chosen", groups.join("; ")));
        }
        if !self.determined.is_empty() {
            list.push(("follow from the equations", names(&self.determined)));
        }
        if !self.redundant.is_empty() {
            let items: Vec<String> = self.redundant.iter().take(NAMED).map(RedundantReport::sentence).collect();
            let more = self.redundant.len() - items.len();
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            list.push(("fixed without need", items.join("; ") + &more));
        }
        if !self.guessed.is_empty() {
            list.push(("settled by guesses", names(&self.guessed)));
        }
        list
    }
}

/// The number of names or sentences to which longer lists are cut.
const NAMED: usize = 24;

/// `x, y, q[0..=9]`, or the first of many.
fn names(list: &[String]) -> String {
    let list = folded(list);
    match list.len().checked_sub(NAMED).filter(|&more| more > 1) {
        Some(more) => format!("{} and {more} more", list[..NAMED].join(", ")),
        None => list.join(", "),
    }
}

impl ChoiceReport {
    /// `y`, `1 of x, y`, `2 of a, b, c, but not any of them (a, b will do)`.
    fn sentence(&self) -> String {
        if self.count == self.among.len() {
            return names(&self.among);
        }
        let group = format!("{} of {}", self.count, names(&self.among));
        match self.any {
            Some(true) => group,
            Some(false) => format!("{group}, but not any of them ({} will do)", names(&self.example)),
            None => format!("{group} (for example {})", names(&self.example)),
        }
    }
}

impl RedundantReport {
    fn sentence(&self) -> String {
        match self.follows_from.as_slice() {
            [] => format!("{}, which the equations determine", self.name),
            from => format!("{}, which follows from {}", self.name, names(from)),
        }
    }
}
