//! A model as it is written, before any name has a meaning.
//!
//! In: what the parser recognises. Out: statements in the order of the text, and one arena of expression nodes,
//! children before parents. The nodes of one expression are contiguous and its root is the last of them, so that every
//! later pass is a loop over a range. Sums and products are n-ary: a sum of 100,000 terms is one node.

use crate::expr::Rational;
use crate::origin::Origin;

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
    /// Names in statements that could not be read: they may be meant as declarations, so their use is no further error.
    pub doubtful: Vec<String>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// All its tokens.
    pub origin: Origin,
    /// What it says.
    pub kind: StatementKind,
}

/// What a statement says.
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
    /// `var name = value;` and its kin.
    Variable(Variable),
    /// `start der(x) = value;` and its kin.
    Start(Start),
    /// `left = right;`
    Equation(Equation),
    /// `for i in range { statements }`
    For(For),
    /// `lagrangian { … }` and its kin.
    Derived(Derived),
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

/// A path of Rust.
#[derive(Clone, Debug)]
pub struct Path {
    /// As text.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// A function outside the model; the path of its value is missing if it had an error that is reported already.
#[derive(Clone, Debug)]
pub struct External {
    /// Its name.
    pub name: Name,
    /// Names of its arguments.
    pub arguments: Vec<Name>,
    /// The function.
    pub value: Option<Path>,
    /// Its partial derivatives.
    pub derivatives: Vec<ExternalDerivative>,
}

/// A partial derivative of a function outside the model.
#[derive(Clone, Debug)]
pub struct ExternalDerivative {
    /// The arguments by which it is taken, each as often as it is.
    pub by: Vec<Name>,
    /// Where `der(…)` stands.
    pub origin: Origin,
    /// The function.
    pub path: Path,
}

/// The head of a `for`; its body are the statements that follow it.
#[derive(Clone, Debug)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// What it runs over; missing if it had an error that is reported already.
    pub range: Option<Range>,
    /// Number of statements after this one that are its body, those of inner `for`s included.
    pub statements: usize,
}

/// A range of integers.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The first.
    pub start: Expression,
    /// One past the last, or the last.
    pub end: Expression,
    /// Which of the two `end` is.
    pub limit: Limit,
}

/// How the end of a range is written.
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
    /// For each argument the extents of the array it is; empty for a number.
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
    /// Which element of an array it is; empty for a number or a whole array.
    pub element: Vec<Expression>,
    /// Of what it is the start value.
    pub of: StartOf,
    /// Index names of a start value by index, `|i, j| value`; empty for a plain value.
    pub indices: Vec<Name>,
    /// `=` or `~`.
    pub given: Given,
    /// The value.
    pub value: Option<Expression>,
}

/// What a `start` statement is about.
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

/// Equations that are derived from a description.
#[derive(Clone, Debug)]
pub struct Derived {
    /// From which kind of description.
    pub kind: DerivedKind,
    /// The word that opens the block.
    pub opening: Origin,
    /// The statements of the block, in order of the text.
    pub items: Vec<Item>,
    /// Whether a statement of the block could not be read: then what seems to be missing may be in it.
    pub doubtful: bool,
}

/// What equations can be derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivedKind {
    /// `lagrangian`: energies, constraints and forces.
    Lagrangian,
    /// `optimal_control`: dynamics and costs.
    OptimalControl,
}

impl DerivedKind {
    /// The kind whose blocks `word` opens.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [DerivedKind::Lagrangian, DerivedKind::OptimalControl].into_iter().find(|kind| kind.word() == word)
    }

    /// The word that opens such a block.
    pub fn word(self) -> &'static str {
        match self {
            DerivedKind::Lagrangian => "lagrangian",
            DerivedKind::OptimalControl => "optimal_control",
        }
    }
}

impl List {
    /// The word that opens such a statement.
    pub fn word(self) -> &'static str {
        match self {
            List::Coordinates => "coordinates",
            List::Velocities => "velocities",
            List::States => "states",
            List::Adjoints => "adjoints",
            List::Controls => "controls",
        }
    }

    /// One of them, in words.
    pub fn member(self) -> &'static str {
        match self {
            List::Coordinates => "coordinate",
            List::Velocities => "velocity",
            List::States => "state",
            List::Adjoints => "adjoint",
            List::Controls => "control",
        }
    }
}

impl Quantity {
    /// The word that opens such a statement.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::Kinetic => "kinetic",
            Quantity::Potential => "potential",
            Quantity::Lagrangian => "lagrangian",
            Quantity::Dissipation => "dissipation",
            Quantity::RunningCost => "running_cost",
            Quantity::TerminalCost => "terminal_cost",
        }
    }
}

/// A statement of such a block.
#[derive(Clone, Debug)]
pub struct Item {
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// All its tokens.
    pub origin: Origin,
    /// What it says.
    pub kind: ItemKind,
}

/// What a statement of such a block says.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `coordinates x, y;` and its kin.
    List(List, Vec<Name>),
    /// `kinetic = …;` and its kin.
    Quantity(Quantity, Expression),
    /// `force(x) = …;`
    Force(Name, Expression),
    /// `constraint(lambda) left = right;`
    Constraint(Name, Equation),
    /// `der(y) = …;`
    Dynamics(Equation),
    /// `horizon(from, to);`
    Horizon(Expression, Expression),
}

/// Unknowns that play a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Generalised coordinates $q$.
    Coordinates,
    /// Names of their derivatives.
    Velocities,
    /// States $y$ of the dynamics.
    States,
    /// Adjoints $v$, one for each state.
    Adjoints,
    /// Controls $u$.
    Controls,
}

/// Functions that equations are derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Kinetic energy $T$.
    Kinetic,
    /// Potential energy $U$.
    Potential,
    /// The Lagrangian $L = T - U$ itself.
    Lagrangian,
    /// Rayleigh's dissipation function $R$.
    Dissipation,
    /// The integrand of the cost.
    RunningCost,
    /// The cost of the state at the end.
    TerminalCost,
}

/// A node of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression: the nodes `first..=root` of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its first node.
    pub first: NodeId,
    /// Its root, the last node.
    pub root: NodeId,
}

impl Expression {
    /// Positions of its nodes in the arena.
    pub fn range(self) -> std::ops::RangeInclusive<usize> {
        self.first.index()..=self.root.index()
    }
}

/// Whether a term is added or subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// Whether a factor multiplies or divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that is written so.
    pub(super) fn from_operator(operator: &str) -> Option<Comparison> {
        match operator {
            "<" => Some(Comparison::Less),
            "<=" => Some(Comparison::LessOrEqual),
            ">" => Some(Comparison::Greater),
            ">=" => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallForm {
    /// `f(a, b)`
    Function,
    /// `a.f(b)`
    Method,
}

/// An expression without its sub-expressions, which are earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A decimal number, exact.
    Number(Rational),
    /// A name.
    Name(String),
    /// `t`
    Time,
    /// `PI`
    Pi,
    /// `E`
    Euler,
    /// `-a`
    Negation(NodeId),
    /// `a + b - c`, two terms or more.
    Sum(Vec<(Sign, NodeId)>),
    /// `a * b / c`, two factors or more, grouped from the left.
    Product(Vec<(Power, NodeId)>),
    /// `a < b` and its kin: a condition.
    Comparison(Comparison, NodeId, NodeId),
    /// `p && q`, two conditions or more.
    All(Vec<NodeId>),
    /// `p || q`, two conditions or more.
    Any(Vec<NodeId>),
    /// `!p`
    Not(NodeId),
    /// `if p { a } else if q { b } else { c }`
    Conditional {
        /// Conditions and the values where they hold, in their order.
        cases: Vec<(NodeId, NodeId)>,
        /// The value where none of them does.
        otherwise: NodeId,
    },
    /// `f(a, b)` or `a.f(b)`, `der(x)` among them.
    Call {
        /// Name of the function.
        function: Name,
        /// Arguments; for a method the value it is called on comes first.
        arguments: Vec<NodeId>,
        /// Which of the two it is.
        form: CallForm,
    },
    /// `array[index]`
    Index {
        /// What is indexed.
        array: NodeId,
        /// The index.
        index: NodeId,
    },
    /// `[a, b, c]`
    List(Vec<NodeId>),
    /// `[value; count]`
    Repeat {
        /// Each element.
        value: NodeId,
        /// How many.
        count: NodeId,
    },
    /// The head of `sum(variable in start..end => body)`: the nodes after it, up to the [`Node::RangeSum`] whose head it is,
    /// are the body, in which the variable has a value.
    RangeHead {
        /// The summation variable.
        variable: Name,
        /// The first index.
        start: NodeId,
        /// One past the last, or the last.
        end: NodeId,
        /// Which of the two `end` is.
        limit: Limit,
    },
    /// The whole of `sum(variable in start..end => body)`.
    RangeSum {
        /// Its head.
        head: NodeId,
        /// What is summed.
        body: NodeId,
    },
}

/// All nodes and where they stand.
#[derive(Clone, Debug, Default)]
pub struct Expressions {
    nodes: Vec<Node>,
    origins: Vec<Origin>,
}

impl Expressions {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The id of the node at a position.
    pub(crate) fn at(&self, position: usize) -> NodeId {
        NodeId(position as u32)
    }

    /// A node by its id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Where the node stands.
    pub fn origin(&self, id: NodeId) -> Origin {
        self.origins[id.index()]
    }

    /// The nodes of an expression with their ids, children first.
    pub fn walk(&self, expression: Expression) -> impl Iterator<Item = (NodeId, &Node)> {
        expression.range().map(|index| (NodeId(index as u32), &self.nodes[index]))
    }

    pub(super) fn push(&mut self, node: Node, origin: Origin) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.origins.push(origin);
        id
    }
}
