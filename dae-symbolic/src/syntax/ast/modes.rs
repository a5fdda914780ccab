//! Modes as they are written, and the text in one of them.
//!
//! In: the heads of `modes` blocks among the statements. Out: the mode variables with their alternatives; for a choice of
//! alternatives the statements that hold then.

use super::{Equation, Given, Model, Name, Node, Statement, StatementKind, WhenItem, WhenItemKind};
use crate::origin::Origin;

/// The head of `modes variable { … }` or `modes variable = start { … }`; its alternatives follow.
#[derive(Clone, Debug)]
pub struct Modes {
    /// The mode variable.
    pub name: Name,
    /// The alternative in which a run begins, if it is named; otherwise the first.
    pub start: Option<Name>,
    /// Number of statements after this one that belong to the block.
    pub statements: usize,
}

/// The head of an alternative, `name { … }`; its statements follow.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// Its name.
    pub name: Name,
    /// Number of statements after this one that are its body, those of inner blocks included.
    pub statements: usize,
}

/// A mode variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeVariable {
    /// Its name.
    pub name: Name,
    /// Its alternatives.
    pub alternatives: Vec<Name>,
    /// The alternative in which a run begins, if one is named.
    pub start: Option<Name>,
}

impl ModeVariable {
    /// The position of an alternative.
    pub fn position(&self, alternative: &str) -> Option<usize> {
        self.alternatives.iter().position(|it| it.text == alternative)
    }

    /// The alternative in which a run begins.
    pub fn at_start(&self) -> usize {
        self.start.as_ref().and_then(|start| self.position(&start.text)).unwrap_or(0)
    }
}

impl Model {
    /// The mode variables, in the order of the text.
    pub fn mode_variables(&self) -> Vec<ModeVariable> {
        let mut variables: Vec<ModeVariable> = Vec::new();
        for statement in &self.statements {
            match &statement.kind {
                StatementKind::Modes(it) => {
                    let (name, start) = (it.name.clone(), it.start.clone());
                    variables.push(ModeVariable { name, alternatives: Vec::new(), start });
                }
                StatementKind::Alternative(it) => {
                    if let Some(variable) = variables.last_mut() {
                        variable.alternatives.push(it.name.clone());
                    }
                }
                _ => {}
            }
        }
        variables
    }

    /// The text with one alternative of each mode variable. Statements of others keep their places, so that equations
    /// have the same numbers in all modes. In a mode in which no run begins, fixed start values are guesses: they hold in
    /// another one.
    pub fn in_mode(&self, mode: &[usize]) -> Model {
        let variables = self.mode_variables();
        let is_start = variables.iter().zip(mode).all(|(variable, &chosen)| variable.at_start() == chosen);
        let mut model = Model { statements: Vec::with_capacity(self.statements.len()), ..self.clone() };
        let (mut variable, mut alternative) = (None::<usize>, None::<usize>);
        let [mut end_of_block, mut end_of_alternative] = [0; 2];
        for (position, statement) in self.statements.iter().enumerate() {
            if position >= end_of_alternative {
                alternative = None;
            }
            let is_inside = position < end_of_block;
            let kind = match &statement.kind {
                StatementKind::Modes(it) => {
                    variable = Some(variable.map_or(0, |before| before + 1));
                    end_of_block = position + 1 + it.statements;
                    alternative = None;
                    StatementKind::Inactive { is_equation: false }
                }
                StatementKind::Alternative(it) => {
                    end_of_alternative = position + 1 + it.statements;
                    let known = variable.and_then(|variable| variables.get(variable));
                    alternative = known.and_then(|known| known.position(&it.name.text));
                    StatementKind::Inactive { is_equation: false }
                }
                kind => {
                    let chosen = variable.and_then(|variable| mode.get(variable).copied());
                    match is_inside && alternative != chosen {
                        true => StatementKind::Inactive { is_equation: matches!(kind, StatementKind::Equation(_)) },
                        false => self.statement_in_mode(kind, variable.filter(|_| is_inside), &variables, is_start),
                    }
                }
            };
            model.statements.push(Statement { kind, ..statement.clone() });
        }
        (model.modes, model.mode) = (variables, mode.to_vec());
        model
    }

    /// A statement that holds in a mode, and stands in an alternative of a mode variable or outside of all.
    fn statement_in_mode(
        &self,
        kind: &StatementKind,
        within: Option<usize>,
        variables: &[ModeVariable],
        is_start: bool,
    ) -> StatementKind {
        let mut kind = kind.clone();
        match &mut kind {
            StatementKind::When(when) => {
                when.within = within;
                when.items.iter_mut().for_each(|item| self.find_transition(item, variables));
            }
            StatementKind::Variable(it) if !is_start => {
                it.start.iter_mut().for_each(|(given, _)| *given = Given::Guess);
            }
            StatementKind::Start(it) if !is_start => it.given = Given::Guess,
            _ => {}
        }
        kind
    }

    /// Turns `clutch = engaged`, read as a change of an unknown, into a transition.
    fn find_transition(&self, item: &mut WhenItem, variables: &[ModeVariable]) {
        let WhenItemKind::Change(Equation { left: Some(left), right: Some(right) }) = &item.kind else { return };
        let Node::Name(name) = self.expressions.node(left.root) else { return };
        let Some(variable) = variables.iter().position(|variable| variable.name.text == *name) else { return };
        let origin = self.expressions.origin(right.root);
        let alternative = match self.expressions.node(right.root) {
            Node::Name(alternative) => alternative.clone(),
            _ => String::new(),
        };
        item.kind = WhenItemKind::Enter { variable, alternative: Name { text: alternative, origin } };
    }

    /// The place of the first `modes` block, if there is one.
    pub fn first_modes(&self) -> Option<Origin> {
        self.statements.iter().find(|it| matches!(it.kind, StatementKind::Modes(_))).map(|it| it.origin)
    }
}
