//! A model as it is written, before any name has a meaning.
//!
//! In: what the parser recognises. Out: statements in the order of the text, and one arena of expression nodes.

mod derived;
mod expression;
mod lie_group;
mod modes;
mod when;

use crate::form::Form;
use crate::origin::Origin;

pub use derived::{Derived, DerivedKind, Element, Item, ItemKind, List, Quantity, Relation};
pub use expression::{CallForm, Comparison, Expression, Expressions, Node, NodeId, Power, Sign};
pub use lie_group::{Generator, LieGroup};
pub use modes::{Alternative, ModeVariable, Modes};
pub use when::{Limiting, Trigger, When, WhenItem, WhenItemKind};

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// A whole `struct`.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: Name,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// `pub`, `pub(crate)`, …; empty for a private one.
    pub visibility: String,
    /// Statements in the order of the text.
    pub statements: Vec<Statement>,
    /// Nodes of all expressions.
    pub expressions: Expressions,
    /// Names in statements that could not be read: they may be meant as declarations, so using them is not a further
    /// error.
    pub doubtful: Vec<String>,
    /// The mode variables with their alternatives; found once the text is read.
    pub modes: Vec<ModeVariable>,
    /// The position of the alternative of each of their instances, if this is the text in one mode ([`Model::in_mode`]).
    pub mode: Vec<usize>,
}

impl Model {
    /// Whether the text has conditions at several times, or a description from which they follow.
    pub fn has_conditions(&self) -> bool {
        self.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Derived(it) => matches!(it.kind, DerivedKind::Boundary | DerivedKind::OptimalControl),
            _ => false,
        })
    }

    /// The formulations that are asked for; the default ones if the model has no `forms(…)`.
    pub fn forms(&self) -> Vec<Form> {
        let asked = self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Forms(asked) => Some(asked.iter().map(|asked| asked.form.clone()).collect::<Vec<Form>>()),
            _ => None,
        });
        let asked: Vec<Vec<Form>> = asked.collect();
        if asked.is_empty() { Form::DEFAULT.to_vec() } else { asked.concat() }
    }
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// All its tokens.
    pub origin: Origin,
    /// The content of the statement.
    pub kind: StatementKind,
}

/// The content of a statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `const NAME = value;`
    Constant(Declaration),
    /// `param name = value;`
    Parameter(Declaration),
    /// `input name = value;`
    Input(Declaration),
    /// `input name;`
    Supplied(Name),
    /// `table name = [(x, y), …];`
    Table(Table),
    /// `extern fn name(a) = path, der(a) = path;`
    External(External),
    /// `let name = value;`
    Definition(Declaration),
    /// `fn name(arguments) { body }`
    Function(Function),
    /// `var name = value;` and its kin, `discrete name = value;`
    Variable(Variable),
    /// `start der(x) = value;` and its kin.
    Start(Start),
    /// `left = right;`
    Equation(Equation),
    /// `for i in range { statements }`
    For(For),
    /// `if condition { statements }` and its kin.
    Branch(Branch),
    /// `when condition { … }`
    When(When),
    /// `initial {`, whose equations follow.
    Initial(Initial),
    /// `modes variable {`, whose alternatives follow.
    Modes(Modes),
    /// `name {` in a `modes` block, whose statements follow.
    Alternative(Alternative),
    /// A statement that does not hold in the mode of which this is the text.
    Inactive {
        /// Whether it is an equation, which has a number in the text nevertheless.
        is_equation: bool,
    },
    /// `invariant name = value;`
    Invariant(Declaration),
    /// `lagrangian { … }` and its kin.
    Derived(Derived),
    /// `lie_group SO(3) { … }`
    LieGroup(LieGroup),
    /// `forms(ggl, index1);`
    Forms(Vec<AskedForm>),
}

/// A formulation that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedForm {
    /// The formulation.
    pub form: Form,
    /// The place in the text.
    pub origin: Origin,
}

/// A name with a value; the value is missing if it had an error that is reported already.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name.
    pub name: Name,
    /// Extents of an array, the outermost first; empty for a number.
    pub extents: Vec<Expression>,
    /// Index names of a value by index, `|i, j| value`; empty for a plain value.
    pub indices: Vec<Name>,
    /// Its value.
    pub value: Option<Expression>,
}

/// A table; its points are missing if they had an error that is reported already.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: Name,
    /// Its points.
    pub points: Option<Vec<(Expression, Expression)>>,
}

/// A Rust path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The path as text.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// A function outside the model. The path of its value is missing if it has an error, which has then been reported.
#[derive(Clone, Debug)]
pub struct External {
    /// Its name.
    pub name: Name,
    /// Names of its arguments.
    pub arguments: Vec<Name>,
    /// The Rust function for its value.
    pub value: Option<Path>,
    /// Its partial derivatives.
    pub derivatives: Vec<ExternalDerivative>,
}

/// A partial derivative of a function outside the model.
#[derive(Clone, Debug)]
pub struct ExternalDerivative {
    /// The arguments with respect to which it is taken, repeated for higher derivatives.
    pub by: Vec<Name>,
    /// Where `der(…)` stands.
    pub origin: Origin,
    /// The Rust function for it.
    pub path: Path,
}

/// The head of a `for`; its body is the statements that follow it.
#[derive(Clone, Debug)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// The range of the variable; missing if it had an error that is reported already.
    pub range: Option<Range>,
    /// Number of statements after this one that are its body, those of inner `for`s included.
    pub statements: usize,
}

/// `if condition {`, `else if condition {` or `else {` around statements, which follow it.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Conditions of the branches before it, none of which holds in this one.
    pub before: Vec<Expression>,
    /// Its own condition; none after `else {`.
    pub condition: Option<Expression>,
    /// Number of statements after this one that are its body, those of inner blocks included.
    pub statements: usize,
}

/// The head of `initial { … }`; its statements follow.
#[derive(Clone, Copy, Debug)]
pub struct Initial {
    /// Number of statements after this one that are its body, those of inner blocks included.
    pub statements: usize,
}

/// A range of integers.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The first.
    pub start: Expression,
    /// One past the last, or the last.
    pub end: Expression,
    /// Whether the end is inclusive.
    pub limit: Limit,
}

/// Whether the end of a range is inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// `start..end`
    Exclusive,
    /// `start..=end`
    Inclusive,
}

/// A helper function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Names of its arguments.
    pub arguments: Vec<Name>,
    /// For each argument, the extents of the array that it is; empty for a number.
    pub extents: Vec<Vec<Expression>>,
    /// Named sub-expressions of its body.
    pub definitions: Vec<Declaration>,
    /// Value of the body.
    pub value: Option<Expression>,
}

/// An unknown.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Extents of an array, the outermost first; empty for a number.
    pub extents: Vec<Expression>,
    /// Index names of a start value by index, `|i, j| value`; empty for a plain value.
    pub indices: Vec<Name>,
    /// Start value, if one is given.
    pub start: Option<(Given, Option<Expression>)>,
    /// Typical magnitude, if one is given.
    pub nominal: Option<Expression>,
    /// Whether it changes at events only: declared with `discrete`.
    pub is_discrete: bool,
}

/// How a start value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// `= value`
    Fixed,
    /// `~ value`
    Guess,
}

/// Start value of a derivative, or of an element of an array.
#[derive(Clone, Debug)]
pub struct Start {
    /// The unknown.
    pub variable: Name,
    /// The indices of the element of an array; empty for a number or a whole array.
    pub element: Vec<Expression>,
    /// Whether it is the start value of the unknown or of a derivative.
    pub of: StartOf,
    /// Index names of a start value by index, `|i, j| value`; empty for a plain value.
    pub indices: Vec<Name>,
    /// `=` or `~`.
    pub given: Given,
    /// The value.
    pub value: Option<Expression>,
}

/// The quantity that a `start` statement is for.
#[derive(Clone, Copy, Debug)]
pub enum StartOf {
    /// `start q[i] = value;`
    Value,
    /// `start der(x) = value;` or, with an order, `start der(x, 2) = value;`
    Derivative(Option<Expression>),
}

/// An equation; a side is missing if it had an error that is reported already.
#[derive(Clone, Debug)]
pub struct Equation {
    /// Left of `=`.
    pub left: Option<Expression>,
    /// Right of `=`.
    pub right: Option<Expression>,
}
