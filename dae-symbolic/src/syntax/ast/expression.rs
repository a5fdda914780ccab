//! Expressions as they are written: one arena of nodes, children before parents.
//!
//! The nodes of one expression are contiguous and its root is the last of them, so that every later pass is a loop over
//! a range. Sums and products are n-ary: a sum of 100,000 terms is one node.

use super::{Limit, Name};
use crate::expr::Rational;
use crate::origin::Origin;

/// A node of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(in crate::syntax) u32);

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
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Comparison {
    /// The comparison written with the given operator.
    pub(in crate::syntax) fn from_operator(operator: &str) -> Option<Comparison> {
        match operator {
            "<" => Some(Comparison::Less),
            "<=" => Some(Comparison::LessOrEqual),
            ">" => Some(Comparison::Greater),
            ">=" => Some(Comparison::GreaterOrEqual),
            "==" => Some(Comparison::Equal),
            "!=" => Some(Comparison::NotEqual),
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
    /// The position of the alternative that a mode variable has, in the text in one mode.
    Mode {
        /// The mode variable, by position.
        variable: usize,
        /// Whether indices say which instance is meant; otherwise it is that of the loops around the expression.
        is_indexed: bool,
    },
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
        /// The value where none of the conditions holds.
        otherwise: NodeId,
    },
    /// `f(a, b)` or `a.f(b)`, `der(x)` among them.
    Call {
        /// Name of the function.
        function: Name,
        /// Arguments; for a method the value it is called on comes first.
        arguments: Vec<NodeId>,
        /// The form in which the call is written.
        form: CallForm,
    },
    /// `array[index]`
    Index {
        /// The indexed array.
        array: NodeId,
        /// The index.
        index: NodeId,
    },
    /// `q[i](time)` or `der(x)(time)`: the value of an unknown or of a derivative at a time.
    At {
        /// The unknown or derivative.
        value: NodeId,
        /// The time.
        time: NodeId,
    },
    /// `[a, b, c]`
    List(Vec<NodeId>),
    /// `[value; count]`
    Repeat {
        /// Each element.
        value: NodeId,
        /// The number of elements.
        count: NodeId,
    },
    /// The head of `sum(variable in start..end => body)`: the nodes after it, up to the [`Node::RangeSum`] whose head
    /// it is, are the body, in which the variable has a value.
    RangeHead {
        /// The summation variable.
        variable: Name,
        /// The first index.
        start: NodeId,
        /// The end of the range: one past the last index, or the last.
        end: NodeId,
        /// Whether the end is inclusive.
        limit: Limit,
    },
    /// The whole of `sum(variable in start..end => body)`.
    RangeSum {
        /// Its head.
        head: NodeId,
        /// The summand.
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

    /// Puts another node without children in the place of one.
    pub(super) fn replace(&mut self, id: NodeId, leaf: Node) {
        self.nodes[id.index()] = leaf;
    }

    pub(in crate::syntax) fn push(&mut self, node: Node, origin: Origin) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.origins.push(origin);
        id
    }
}
