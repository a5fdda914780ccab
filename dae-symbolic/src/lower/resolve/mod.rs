//! The meaning of every node of an expression.
//!
//! In: the syntax tree, the table of names, and the place an expression stands in. Out: a [`Meaning`] for each of its
//! nodes, and findings about names that are unknown, used too early or used where they may not be. Each node is
//! examined once, however often a function is called.

mod call;

use super::names::{Entity, NameKind, Names, duplicate, is_function_of_the_language, needs_indices, no_alternative};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Function, InputId, ParameterId, UnknownId};
use crate::lower::points::End;
use crate::lower::rounding::Rounding;
use crate::origin::Origin;
use crate::syntax::ast::{self, Comparison, Expression, Expressions, Name, Node, NodeId};
use crate::syntax::nodes_below;
use crate::syntax::validate::{self, Place, Use};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// The meaning of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The meaning follows from the form: numbers, sums, products.
    #[default]
    Form,
    /// It has an error, which has been reported.
    Invalid,
    /// The value of the constant or sub-expression declared by a statement.
    Statement(usize),
    Parameter(ParameterId),
    Input(InputId),
    Unknown(UnknownId),
    /// An argument of the function whose body this is.
    Argument(usize),
    /// A sub-expression of the function whose body this is, by the root of its value; or a summation variable, by the
    /// head of its sum.
    Local(NodeId),
    /// The variable of a loop around the statement, by its level.
    Loop(usize),
    Apply(Function),
    /// A function that rounds.
    Rounded(Rounding),
    IntegerPower,
    /// A call of the function declared by a statement.
    Call(usize),
    /// A call of the table or external function declared by a statement.
    External(usize),
    /// The derivative of the first argument.
    Derivative,
    /// `t0` or `t_end` in a boundary condition.
    End(End),
    /// `y(time)`: the unknown at the time that is the argument.
    UnknownAt(UnknownId),
    /// `e(time)`: the sub-expression declared by a statement, at the time that is the argument.
    StatementAt(usize),
    /// `q[i](time)`, `der(x)(time)`.
    At,
    /// `integral(…)` from `t0` to `t_end`.
    Integral,
    /// `pre(…)`: the value before an event.
    Before,
    /// `hold(…)`: the most recent value of a discrete variable.
    Held,
}

/// The kinds of things that a function uses besides its arguments, each with one name for messages.
type Uses = BTreeMap<Use, String>;

/// Names of a function body.
#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, (Meaning, Origin)>,
    order: Vec<&'a str>,
    uses: Uses,
}

impl<'a> Scope<'a> {
    fn declare(&mut self, name: &'a Name, meaning: Meaning, found: &mut Diagnostics) {
        if let Some((_, first)) = self.names.get(name.text.as_str()) {
            found.push(duplicate(name, *first));
            return;
        }
        self.names.insert(&name.text, (meaning, name.origin));
        self.order.push(&name.text);
    }
}

/// A name that holds inside a `for`, a branch, a sum or a value by index.
struct Local<'a> {
    name: &'a str,
    origin: Origin,
    meaning: Meaning,
}

/// The pass over expressions that gives their nodes meanings.
pub(super) struct Resolver<'a> {
    expressions: &'a Expressions,
    doubtful: &'a [String],
    names: &'a Names<'a>,
    modes: &'a [ast::ModeVariable],
    /// One entry per node.
    pub(super) meanings: Vec<Meaning>,
    /// The number of arguments and the uses of each function resolved so far, by statement.
    functions: HashMap<usize, (usize, Uses)>,
    /// Numbers of arguments of external functions, by statement.
    pub(super) externals: HashMap<usize, usize>,
    scope: Scope<'a>,
    /// The local names that hold at the current node, the innermost last.
    locals: Vec<Local<'a>>,
    statement: usize,
    place: Place,
    /// Parts of a boundary condition that have places of their own.
    parts: Vec<(RangeInclusive<usize>, Place)>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(written: &'a ast::Model, names: &'a Names<'a>) -> Self {
        let expressions = &written.expressions;
        Resolver {
            expressions,
            doubtful: &written.doubtful,
            names,
            modes: &written.modes,
            meanings: vec![Meaning::Form; expressions.len()],
            functions: HashMap::new(),
            externals: HashMap::new(),
            scope: Scope::default(),
            locals: Vec::new(),
            statement: 0,
            place: Place::Equation,
            parts: Vec::new(),
        }
    }

    /// Resolves a side of a boundary condition.
    pub(super) fn condition(&mut self, it: Expression, statement: usize, found: &mut Diagnostics) {
        let expressions = self.expressions;
        let part = |(_, node): (NodeId, &Node)| match node {
            Node::At { value, .. } => Some((nodes_below(expressions, *value), Place::TakenAtTime)),
            Node::Call { function, arguments, .. } if self.is_integral(function) => {
                Some((nodes_below(expressions, *arguments.first()?), Place::Equation))
            }
            _ => None,
        };
        self.parts = expressions.walk(it).filter_map(part).collect();
        self.expression(it, statement, Place::Condition, found);
        self.parts.clear();
    }

    /// Whether a call in a boundary condition is an integral over time.
    fn is_integral(&self, function: &Name) -> bool {
        function.text == "integral" && self.names.get("integral").is_none()
    }

    /// Resolves an expression of a statement.
    pub(super) fn expression(&mut self, it: Expression, statement: usize, place: Place, found: &mut Diagnostics) {
        (self.statement, self.place) = (statement, place);
        let outside = self.locals.len();
        let expressions = self.expressions;
        let misspelt = self.misspelt_alternatives(it, found);
        for (id, node) in expressions.walk(it) {
            if misspelt.contains(&id) {
                self.meanings[id.index()] = Meaning::Invalid;
                continue;
            }
            let at = self.expressions.origin(id);
            let part = self.parts.iter().rfind(|(nodes, _)| nodes.contains(&id.index()));
            self.place = part.map_or(place, |&(_, place)| place);
            let meaning = match node {
                Node::Name(name) => self.name(name, at, found),
                Node::Time => self.allowed(Use::Time, "t", at, Meaning::Form, found),
                Node::Call { function, arguments, form } => self.call(function, arguments, *form, at, found),
                Node::RangeHead { variable, .. } => {
                    self.declare_local(variable, Meaning::Local(id), found);
                    Meaning::Form
                }
                Node::RangeSum { .. } => {
                    self.locals.pop();
                    Meaning::Form
                }
                Node::At { value, .. } => self.taken_at_time(*value, at, found),
                Node::Number(_)
                | Node::Mode { .. }
                | Node::Pi
                | Node::Euler
                | Node::Negation(_)
                | Node::Sum(_)
                | Node::Product(_)
                | Node::Index { .. }
                | Node::List(_)
                | Node::Repeat { .. }
                | Node::Comparison(..)
                | Node::All(_)
                | Node::Any(_)
                | Node::Not(_)
                | Node::Conditional { .. } => Meaning::Form,
            };
            self.meanings[id.index()] = meaning;
        }
        self.locals.truncate(outside);
    }

    /// Reports comparisons of mode variables with names that are none of their alternatives; returns the nodes of both names.
    fn misspelt_alternatives(&self, it: Expression, found: &mut Diagnostics) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for (_, node) in self.expressions.walk(it) {
            let &Node::Comparison(Comparison::Equal | Comparison::NotEqual, left, right) = node else { continue };
            let Some((variable, _)) = self.expressions.mode_variable(left, self.modes) else { continue };
            let (variable, Node::Name(name)) = (&self.modes[variable], self.expressions.node(right)) else { continue };
            if variable.position(name).is_none() && self.names.get(name).is_none() {
                found.push(no_alternative(variable, name, self.expressions.origin(right)));
                let names = nodes_below(self.expressions, left).map(|position| self.expressions.at(position));
                nodes
                    .extend(names.filter(
                        |&id| matches!(self.expressions.node(id), Node::Name(it) if *it == variable.name.text),
                    ));
                nodes.push(right);
            }
        }
        nodes
    }

    /// Number of local names, for [`Resolver::leave`].
    pub(super) fn locals(&self) -> usize {
        self.locals.len()
    }

    /// Forgets all local names but the first `locals`.
    pub(super) fn leave(&mut self, locals: usize) {
        self.locals.truncate(locals);
    }

    /// Declares the variable of a loop.
    pub(super) fn declare_loop(&mut self, variable: &'a Name, level: usize, found: &mut Diagnostics) {
        self.declare_local(variable, Meaning::Loop(level), found);
    }

    /// Declares a sub-expression of a `for` or a branch.
    pub(super) fn declare_definition(&mut self, name: &'a Name, statement: usize, found: &mut Diagnostics) {
        self.declare_local(name, Meaning::Statement(statement), found);
    }

    /// Declares the indices of a value by index.
    pub(super) fn declare_indices(&mut self, indices: &'a [Name], found: &mut Diagnostics) {
        for (position, name) in indices.iter().enumerate() {
            self.declare_local(name, Meaning::Argument(position), found);
        }
    }

    /// Declares a local name. It must not hide another name, which is too often a mistake.
    fn declare_local(&mut self, name: &'a Name, meaning: Meaning, found: &mut Diagnostics) {
        let text = name.text.as_str();
        let local = self.locals.iter().find(|local| local.name == text).map(|local| local.origin);
        let own = self.scope.names.get(text).map(|(_, origin)| *origin);
        let outer = self.names.get(text);
        match (local.or(own), outer) {
            (Some(first), _) => found.push(duplicate(name, first)),
            (None, Some(entry)) if entry.statement > self.statement => {
                // The later of the two declarations is the one to report.
                let later = Name { text: name.text.clone(), origin: entry.origin };
                found.push(duplicate(&later, name.origin));
            }
            (None, Some(entry)) => found.push(duplicate(name, entry.origin)),
            (None, None) => {}
        }
        self.locals.push(Local { name: text, origin: name.origin, meaning });
    }

    /// Names that hold here and not in the whole model.
    fn inner_names(&self) -> Vec<&'a str> {
        self.locals.iter().map(|local| local.name).chain(self.scope.order.iter().copied()).collect()
    }

    /// Resolves the body of a function.
    pub(super) fn function(&mut self, function: &'a ast::Function, statement: usize, found: &mut Diagnostics) {
        self.scope = Scope::default();
        for (position, argument) in function.arguments.iter().enumerate() {
            self.scope.declare(argument, Meaning::Argument(position), found);
        }
        for definition in &function.definitions {
            if !definition.extents.is_empty() || !definition.indices.is_empty() {
                found.push(validate::array_in_function(definition.name.origin));
            }
            let meaning = definition.value.map_or(Meaning::Invalid, |value| Meaning::Local(value.root));
            if let Some(value) = definition.value {
                self.expression(value, statement, Place::FunctionBody, found);
            }
            self.scope.declare(&definition.name, meaning, found);
        }
        if let Some(value) = function.value {
            self.expression(value, statement, Place::FunctionBody, found);
        }
        let scope = std::mem::take(&mut self.scope);
        self.functions.insert(statement, (function.arguments.len(), scope.uses));
    }

    fn name(&mut self, name: &str, at: Origin, found: &mut Diagnostics) -> Meaning {
        if let Some(local) = self.locals.iter().rfind(|local| local.name == name) {
            let meaning = local.meaning;
            let what = if matches!(meaning, Meaning::Statement(_)) { Use::Definition } else { Use::Constant };
            return self.allowed(what, name, at, meaning, found);
        }
        if let Some((meaning, _)) = self.scope.names.get(name) {
            return *meaning;
        }
        if self.place == Place::Condition
            && let Some(end) = End::of_name(name)
        {
            return Meaning::End(end);
        }
        let Some(entry) = self.names.get(name) else {
            let is_alternative = |it: &&ast::ModeVariable| it.position(name).is_some();
            if let Some(variable) = self.modes.iter().find(is_alternative) {
                let of = &variable.name.text;
                let message = format!("`{name}` is an alternative of `{of}`, and no value");
                let finding = Diagnostic::error(Code::NotAllowedHere, message).label(at, "not a value");
                found.push(finding.help(format!(
                    "ask for the mode in an equation, a `let` or a `when`: `if {of} == {name} {{ 1 }} else {{ 0 }}`"
                )));
            } else if !self.doubtful.iter().any(|doubtful| doubtful == name) {
                found.push(self.unknown_name(name, at));
            }
            return Meaning::Invalid;
        };
        let (what, meaning) = match entry.entity {
            Entity::Unknown(id) => return self.allowed(Use::Unknown, name, at, Meaning::Unknown(id), found),
            Entity::Constant(statement) => (Use::Constant, Meaning::Statement(statement)),
            Entity::Definition(statement) => (Use::Definition, Meaning::Statement(statement)),
            Entity::Parameter(id) => (Use::Parameter, Meaning::Parameter(id)),
            Entity::Input(id) => (Use::Input, Meaning::Input(id)),
            Entity::Mode => {
                let finding =
                    Diagnostic::error(Code::NotAllowedHere, format!("`{name}` is a mode variable, and no value"));
                let finding =
                    finding.label(at, "not a value").label(entry.origin, format!("`{name}` is declared here"));
                let variable = self.modes.iter().find(|it| it.name.text == name);
                let may_ask = matches!(
                    self.place,
                    Place::Equation | Place::Definition | Place::Event | Place::Change | Place::Branch
                );
                if let Some(variable) = variable.filter(|it| may_ask && !it.is_unique_at(self.statement)) {
                    found.push(needs_indices(variable, 0).label(at, "which of them?"));
                    return Meaning::Invalid;
                }
                let alternatives = variable.iter().flat_map(|it| it.alternatives.iter().map(|it| it.text.as_str()));
                let alternatives: Vec<&str> = alternatives.collect();
                let help = format!(
                    "in an equation, a `let` or a `when`, compare it with one of its alternatives (`{}`): `if {name} == {} {{ 1 }} else {{ 0 }}`",
                    alternatives.join("`, `"),
                    alternatives.first().unwrap_or(&"on"),
                );
                found.push(finding.help(help));
                return Meaning::Invalid;
            }
            Entity::Invariant => {
                let finding =
                    Diagnostic::error(Code::NotAllowedHere, format!("`{name}` is an invariant, and no value"));
                let finding =
                    finding.label(at, "not a value").label(entry.origin, format!("`{name}` is declared here"));
                found.push(finding.help("name the expression with `let`, and use that name here and in the invariant"));
                return Meaning::Invalid;
            }
            Entity::Function(_) | Entity::External(_) => {
                let finding =
                    Diagnostic::error(Code::NotAllowedHere, format!("`{name}` is a function and must be called"));
                found.push(finding.label(at, "not a value").help(format!("write `{name}(…)`")));
                return Meaning::Invalid;
            }
        };
        if !self.declared(name, entry.statement, entry.origin, at, found) {
            return Meaning::Invalid;
        }
        self.allowed(what, name, at, meaning, found)
    }

    /// `meaning`, if the place allows a thing of this kind; otherwise a finding, and [`Meaning::Invalid`].
    fn allowed(&mut self, what: Use, name: &str, at: Origin, meaning: Meaning, found: &mut Diagnostics) -> Meaning {
        if !self.place.allows(what) {
            found.push(validate::misplaced(what, name, self.place, at));
            return Meaning::Invalid;
        }
        if self.place == Place::FunctionBody {
            self.scope.uses.entry(what).or_insert_with(|| name.to_string());
        }
        meaning
    }

    /// Whether a declaration comes before the current statement; if not, this is reported.
    fn declared(&self, name: &str, statement: usize, origin: Origin, at: Origin, found: &mut Diagnostics) -> bool {
        if statement < self.statement {
            return true;
        }
        let finding = if statement == self.statement {
            Diagnostic::error(Code::UsedBeforeDeclaration, format!("`{name}` is used in its own declaration"))
                .label(at, "used here")
                .help("only unknowns may depend on themselves: declare a `var` and write an equation")
        } else {
            Diagnostic::error(Code::UsedBeforeDeclaration, format!("`{name}` is used before its declaration"))
                .label(at, "used here")
                .label(origin, format!("`{name}` is declared here"))
                .help("move the declaration up; only unknowns may be declared after their use")
        };
        found.push(finding);
        false
    }

    pub(super) fn unknown_name(&self, name: &str, at: Origin) -> Diagnostic {
        let finding = Diagnostic::error(Code::UnknownName, format!("unknown name `{name}`")).label(at, "not declared");
        if is_function_of_the_language(name) {
            return finding.help(format!("functions are called: `{name}(x)` or `x.{name}()`"));
        }
        if End::of_name(name).is_some() {
            return finding
                .help("the start `t0` and the end `t_end` are known in `boundary { … }`, outside of integrals");
        }
        if name.eq_ignore_ascii_case("time") {
            return finding.help("the time is called `t`");
        }
        if name.eq_ignore_ascii_case("pi") {
            return finding.help("the number π is called `PI`");
        }
        match self.names.nearest(name, NameKind::Value, &self.inner_names()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("declare it: `var` for an unknown, `param` for a parameter, `let` for an expression"),
        }
    }
}
