//! Modes as they are written, and the text in one of them.
//!
//! In: the heads of `modes` blocks among the statements. Out: the mode variables with their alternatives; for a choice of
//! alternatives the statements that hold then, in which comparisons of mode variables with alternatives are comparisons of
//! numbers. A block in a `for` stands for a mode variable for each value of the loop variables, its *instances*: which
//! alternative they have is then a condition on those ([`Node::Mode`]).

use std::collections::HashSet;
use std::ops::Range;

use super::{
    Branch, Comparison, Equation, Expression, Expressions, Given, Model, Name, Node, NodeId, Statement, StatementKind,
    Trigger, WhenItem, WhenItemKind,
};
use crate::expr::Rational;

/// The head of `modes variable { … }` or `modes variable = start { … }`; its alternatives follow.
#[derive(Clone, Debug)]
pub struct Modes {
    /// The mode variable.
    pub name: Name,
    /// The alternative in which a run begins, if it is named; otherwise the first.
    pub start: Option<Name>,
    /// Whether two complementary expressions stand for it.
    pub is_complementary: bool,
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

/// A mode variable, or one for each value of the variables of the loops around its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeVariable {
    /// Its name.
    pub name: Name,
    /// Its alternatives.
    pub alternatives: Vec<Name>,
    /// The alternative in which a run begins, if one is named.
    pub start: Option<Name>,
    /// Whether two complementary expressions stand for it.
    pub is_complementary: bool,
    /// Number of loops around its block.
    pub loops: usize,
    /// The statements of the innermost `for` or `if` around its block; `None` if it stands in none.
    pub inside: Option<Range<usize>>,
    /// The values of the variables of the loops around it, for each instance, ascending.
    pub instances: Vec<Vec<i64>>,
    /// Whether the instances are known: nothing is wrong with the loops around it.
    pub are_known: bool,
    /// The number of instances of mode variables before it.
    pub first: usize,
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

    /// The position of an instance among those of all mode variables.
    pub fn instance(&self, at: &[i64]) -> Option<usize> {
        self.instances.binary_search_by(|known| known.as_slice().cmp(at)).ok().map(|position| self.first + position)
    }

    /// The positions of its instances.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.instances.len()
    }

    /// Whether its name alone says which instance is meant in a statement.
    pub fn is_unique_at(&self, statement: usize) -> bool {
        self.loops == 0 || self.inside.as_ref().is_some_and(|inside| inside.contains(&statement))
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
    /// The mode variable that an expression names, by position, and its indices: `valve` or `valve[i]`.
    pub(crate) fn mode_variable(&self, id: NodeId, variables: &[ModeVariable]) -> Option<(usize, Vec<Expression>)> {
        let (mut at, mut indices) = (id, Vec::new());
        while let &Node::Index { array, index } = self.node(at) {
            // The nodes of an index follow those of what is indexed.
            indices.push(Expression { first: self.at(array.index() + 1), root: index });
            at = array;
        }
        indices.reverse();
        let Node::Name(name) = self.node(at) else { return None };
        Some((variables.iter().position(|it| it.name.text == *name)?, indices))
    }

    /// Turns a comparison of a mode variable with one of its alternatives, as in `clutch == engaged`, into one of positions;
    /// says whether this is one.
    fn decide(&mut self, id: NodeId, variables: &[ModeVariable], statement: usize) -> bool {
        let &Node::Comparison(Comparison::Equal | Comparison::NotEqual, left, right) = self.node(id) else {
            return false;
        };
        let Some((variable, indices)) = self.mode_variable(left, variables) else { return false };
        let Node::Name(alternative) = self.node(right) else { return false };
        let Some(alternative) = variables[variable].position(alternative) else { return false };
        let is_indexed = !indices.is_empty();
        if !is_indexed && !variables[variable].is_unique_at(statement) {
            return false;
        }
        let name = indices.first().map_or(left, |index| self.at(index.first.index() - 1));
        self.replace(name, Node::Mode { variable, is_indexed });
        self.replace(right, Node::Number(Rational::from(alternative as i64)));
        true
    }
}

impl Expressions {
    /// The branch of the statements of an alternative: they hold for the instances that have it.
    fn branch(&mut self, it: &Alternative, variable: usize, alternative: usize) -> Branch {
        let origin = it.name.origin;
        let first = self.push(Node::Mode { variable, is_indexed: false }, origin);
        let number = self.push(Node::Number(Rational::from(alternative as i64)), origin);
        let root = self.push(Node::Comparison(Comparison::Equal, first, number), origin);
        Branch { before: Vec::new(), condition: Some(Expression { first, root }), statements: it.statements }
    }
}

impl Model {
    /// Decides the comparisons of mode variables in what may depend on the mode: equations, sub-expressions and events.
    fn decide(&self, expressions: &mut Expressions) -> Decided {
        let mut decided = Decided::default();
        for (number, statement) in self.statements.iter().enumerate() {
            let parts = statement.kind.depending_on_mode();
            for position in parts.iter().flat_map(|part| part.range()) {
                let id = expressions.at(position);
                if expressions.decide(id, &self.modes, number) {
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
    /// The mode variables, in the order of the text, as if they all stood outside of loops.
    pub fn mode_variables(&self) -> Vec<ModeVariable> {
        let mut variables: Vec<ModeVariable> = Vec::new();
        // The loops and branches around a statement: their bodies, and whether they are loops.
        let mut around: Vec<(Range<usize>, bool)> = Vec::new();
        for (position, statement) in self.statements.iter().enumerate() {
            around.retain(|(body, _)| body.contains(&position));
            let body = |statements: usize| position + 1..position + 1 + statements;
            match &statement.kind {
                StatementKind::For(it) => around.push((body(it.statements), true)),
                StatementKind::Branch(it) => around.push((body(it.statements), false)),
                StatementKind::Modes(it) => variables.push(ModeVariable {
                    name: it.name.clone(),
                    alternatives: Vec::new(),
                    start: it.start.clone(),
                    is_complementary: it.is_complementary,
                    loops: around.iter().filter(|(_, is_loop)| *is_loop).count(),
                    inside: around.last().map(|(body, _)| body.clone()),
                    instances: vec![Vec::new()],
                    are_known: true,
                    first: variables.len(),
                }),
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

    /// The names of blocks in an `if` that asks for a mode.
    pub fn modes_in_modes(&self) -> Vec<&Name> {
        let asks = |condition: &Expression| {
            self.expressions.walk(*condition).any(|(_, node)| match *node {
                Node::Comparison(_, left, _) => self.expressions.mode_variable(left, &self.modes).is_some(),
                _ => false,
            })
        };
        let (mut asking_until, mut names) = (0, Vec::new());
        for (position, statement) in self.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Branch(it) if it.before.iter().chain(&it.condition).any(asks) => {
                    asking_until = asking_until.max(position + 1 + it.statements);
                }
                StatementKind::Modes(it) if position < asking_until => names.push(&it.name),
                _ => {}
            }
        }
        names
    }

    /// The text with one alternative of each instance of a mode variable. Equations of others keep their numbers, so that
    /// an equation has the same number in all modes. In a mode in which no run begins, there are no initial equations, and
    /// fixed start values are guesses: they hold in another one.
    pub fn in_mode(&self, mode: &[usize]) -> Model {
        let is_start =
            self.modes.iter().all(|it| it.range().all(|instance| mode.get(instance) == Some(&it.at_start())));
        let mut model =
            Model { statements: Vec::with_capacity(self.statements.len()), mode: mode.to_vec(), ..self.clone() };
        let decided = self.decide(&mut model.expressions);
        let (mut variable, mut alternative) = (None::<usize>, None::<usize>);
        let [mut end_of_block, mut end_of_alternative, mut end_of_initial] = [0; 3];
        for (position, statement) in self.statements.iter().enumerate() {
            if position >= end_of_alternative {
                alternative = None;
            }
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
                    statement.kind.clone()
                }
                StatementKind::Alternative(it) => {
                    end_of_alternative = position + 1 + it.statements;
                    let of = variable.and_then(|number| Some((number, self.modes.get(number)?)));
                    alternative = of.and_then(|(_, of)| of.position(&it.name.text));
                    match of.zip(alternative) {
                        Some(((number, of), alternative)) if of.inside.is_some() => {
                            StatementKind::Branch(model.expressions.branch(it, number, alternative))
                        }
                        _ => StatementKind::Inactive { is_equation: false },
                    }
                }
                kind => {
                    let within = variable.filter(|_| position < end_of_block);
                    let chosen = within.and_then(|number| self.modes.get(number)).filter(|of| of.inside.is_none());
                    match chosen.is_some_and(|of| mode.get(of.first).copied() != alternative) {
                        true => StatementKind::Inactive { is_equation: matches!(kind, StatementKind::Equation(_)) },
                        false => self.statement_in_mode(kind, within, &decided, is_start),
                    }
                }
            };
            model.statements.push(Statement { kind, ..statement.clone() });
        }
        model
    }

    /// A statement that holds in a mode, and stands in an alternative of a mode variable or outside of all.
    fn statement_in_mode(
        &self,
        kind: &StatementKind,
        within: Option<usize>,
        decided: &Decided,
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
                when.items.iter_mut().chain(of_limit).for_each(|item| self.find_transition(item));
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
    fn find_transition(&self, item: &mut WhenItem) {
        let WhenItemKind::Change(Equation { left: Some(left), right: Some(right) }) = &item.kind else { return };
        let Some((variable, indices)) = self.expressions.mode_variable(left.root, &self.modes) else { return };
        let origin = self.expressions.origin(right.root);
        let alternative = match self.expressions.node(right.root) {
            Node::Name(alternative) => alternative.clone(),
            _ => String::new(),
        };
        item.kind = WhenItemKind::Enter { variable, indices, alternative: Name { text: alternative, origin } };
    }
}
