//! Modes as they are written, and the text in one of them.
//!
//! In: the heads of `modes` blocks among the statements. Out: the mode variables with their alternatives; for a choice of
//! alternatives the statements that hold then, in which comparisons of mode variables with alternatives are comparisons of
//! numbers.

use std::collections::HashSet;

use super::{
    Comparison, Equation, Expression, Expressions, Given, Model, Name, Node, NodeId, Statement, StatementKind, Trigger,
    When, WhenItem, WhenItemKind,
};
use crate::expr::Rational;

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

/// `complementary name(first, second);`: one of two expressions is zero, and the other is not negative. It stands for
///
/// ```text
/// modes name {
///     first { first = 0; when second < 0 { name = second; } }
///     second { second = 0; when first < 0 { name = first; } }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Complementary {
    /// The mode variable.
    pub name: Name,
    /// The two expressions.
    pub sides: [Complement; 2],
}

/// One of two complementary expressions.
#[derive(Clone, Debug)]
pub struct Complement {
    /// The expression.
    pub value: Expression,
    /// The number 0.
    pub zero: Expression,
    /// The condition that it is negative.
    pub is_negative: Expression,
    /// That condition as text.
    pub condition: String,
}

/// The names of the alternatives of complementary expressions: which of them is zero.
const SIDES: [&str; 2] = ["first", "second"];

impl Complementary {
    /// The equation and the event in one of the alternatives.
    fn in_alternative(&self, alternative: usize, variable: usize) -> [StatementKind; 2] {
        let (zero, other) = match (&self.sides, alternative) {
            ([first, second], 0) => (first, second),
            ([first, second], _) => (second, first),
        };
        let equation = Equation { left: Some(zero.value), right: Some(zero.zero) };
        let alternative = Name { text: SIDES[usize::from(alternative == 0)].to_string(), origin: self.name.origin };
        let kind = WhenItemKind::Enter { variable, alternative };
        let when = When {
            opening: self.name.origin,
            trigger: Trigger::Condition(other.is_negative),
            name: other.condition.clone(),
            within: Some(variable),
            depends_on_mode: false,
            items: vec![WhenItem { origin: self.name.origin, kind }],
            limit: None,
        };
        [StatementKind::Equation(equation), StatementKind::When(when)]
    }
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

/// What the mode decides in a text.
#[derive(Default)]
struct Decided {
    /// Comparisons of mode variables.
    comparisons: HashSet<NodeId>,
    /// Names of sub-expressions with such a comparison.
    definitions: HashSet<String>,
}

impl Decided {
    /// Whether the mode decides something in an expression.
    fn is_in(&self, expressions: &Expressions, expression: Expression) -> bool {
        expressions.walk(expression).any(|(id, node)| match node {
            Node::Name(name) => self.definitions.contains(name),
            _ => self.comparisons.contains(&id),
        })
    }
}

impl Expressions {
    /// Turns a comparison of a mode variable with one of its alternatives, as in `clutch == engaged`, into one of positions;
    /// says whether this is one.
    fn decide(&mut self, id: NodeId, variables: &[ModeVariable], mode: &[usize]) -> bool {
        let &Node::Comparison(Comparison::Equal | Comparison::NotEqual, left, right) = self.node(id) else {
            return false;
        };
        let (Node::Name(variable), Node::Name(alternative)) = (self.node(left), self.node(right)) else { return false };
        let Some(variable) = variables.iter().position(|it| it.name.text == *variable) else { return false };
        let Some(alternative) = variables[variable].position(alternative) else { return false };
        let number = |position: usize| Node::Number(Rational::from(position as i64));
        self.replace(left, number(mode.get(variable).copied().unwrap_or(0)));
        self.replace(right, number(alternative));
        true
    }
}

impl Model {
    /// Decides the comparisons of mode variables in what may depend on the mode: equations, sub-expressions and events.
    fn decide(&self, expressions: &mut Expressions, variables: &[ModeVariable], mode: &[usize]) -> Decided {
        let mut decided = Decided::default();
        for statement in &self.statements {
            let parts = statement.kind.depending_on_mode();
            for position in parts.iter().flat_map(|part| part.range()) {
                let id = expressions.at(position);
                if expressions.decide(id, variables, mode) {
                    decided.comparisons.insert(id);
                }
            }
            if let (StatementKind::Definition(it), [value]) = (&statement.kind, parts.as_slice())
                && decided.is_in(expressions, *value)
            {
                decided.definitions.insert(it.name.text.clone());
            }
        }
        decided
    }
}

impl StatementKind {
    /// The expressions of a statement that may depend on the mode.
    fn depending_on_mode(&self) -> Vec<Expression> {
        let sides = |it: &Equation| it.left.into_iter().chain(it.right);
        match self {
            StatementKind::Equation(it) => sides(it).collect(),
            StatementKind::Definition(it) => it.value.into_iter().collect(),
            StatementKind::Branch(it) => it.before.iter().copied().chain(it.condition).collect(),
            StatementKind::Complementary(it) => it.sides.iter().flat_map(|it| [it.value, it.is_negative]).collect(),
            StatementKind::When(it) => {
                let condition = match it.trigger {
                    Trigger::Condition(condition) => Some(condition),
                    Trigger::Sample { .. } => None,
                };
                let items = it.items.iter().chain(it.limit.iter().flat_map(|limit| &limit.items));
                let changes = items.filter_map(|item| match &item.kind {
                    WhenItemKind::Change(equation) => Some(sides(equation)),
                    _ => None,
                });
                condition.into_iter().chain(changes.flatten()).collect()
            }
            _ => Vec::new(),
        }
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
                StatementKind::Complementary(it) => {
                    let name = |side: &str| Name { text: side.to_string(), origin: it.name.origin };
                    let alternatives = SIDES.map(name).to_vec();
                    variables.push(ModeVariable { name: it.name.clone(), alternatives, start: None });
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

    /// The text with one alternative of each mode variable. Equations of others keep their numbers, so that an equation has
    /// the same number in all modes. In a mode in which no run begins, there are no initial equations, and fixed start
    /// values are guesses: they hold in another one.
    pub fn in_mode(&self, mode: &[usize]) -> Model {
        let variables = self.mode_variables();
        let is_start = variables.iter().zip(mode).all(|(variable, &chosen)| variable.at_start() == chosen);
        let mut model = Model { statements: Vec::with_capacity(self.statements.len()), ..self.clone() };
        let decided = self.decide(&mut model.expressions, &variables, mode);
        let (mut variable, mut alternative) = (None::<usize>, None::<usize>);
        let [mut end_of_block, mut end_of_alternative, mut end_of_initial] = [0; 3];
        for (position, statement) in self.statements.iter().enumerate() {
            if position >= end_of_alternative {
                alternative = None;
            }
            let is_inside = position < end_of_block;
            let kind = match &statement.kind {
                // No run begins in another mode.
                StatementKind::Initial(it) if !is_start => {
                    end_of_initial = position + 1 + it.statements;
                    StatementKind::Inactive { is_equation: false }
                }
                _ if position < end_of_initial => StatementKind::Inactive { is_equation: false },
                StatementKind::Modes(it) => {
                    variable = Some(variable.map_or(0, |before| before + 1));
                    end_of_block = position + 1 + it.statements;
                    alternative = None;
                    StatementKind::Inactive { is_equation: false }
                }
                StatementKind::Complementary(it) => {
                    let number = variable.map_or(0, |before| before + 1);
                    variable = Some(number);
                    (end_of_block, alternative) = (position + 1, None);
                    let chosen = mode.get(number).copied().unwrap_or(0);
                    for kind in it.in_alternative(chosen, number) {
                        model.statements.push(Statement { kind, ..statement.clone() });
                    }
                    continue;
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
                        false => {
                            let within = variable.filter(|_| is_inside);
                            self.statement_in_mode(kind, within, (&variables, &decided), is_start)
                        }
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
        (variables, decided): (&[ModeVariable], &Decided),
        is_start: bool,
    ) -> StatementKind {
        let mut kind = kind.clone();
        match &mut kind {
            StatementKind::When(when) => {
                when.within = within;
                if let Trigger::Condition(condition) = when.trigger {
                    when.depends_on_mode = decided.is_in(&self.expressions, condition);
                }
                let of_limit = when.limit.iter_mut().flat_map(|limit| &mut limit.items);
                when.items.iter_mut().chain(of_limit).for_each(|item| self.find_transition(item, variables));
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
}
