//! Nodes and hash-consing.
//!
//! In: nodes in canonical form (made by `construct.rs` and `fold.rs`). Out: their numbers; equal nodes have equal
//! numbers.
//!
//! Nodes are hashed by `rustc-hash`, which is quick without optimisation; hashes need not resist attackers. Its hashes
//! differ between platforms and versions, so no number and no output depends on them: maps of expressions are only used
//! for look-ups, or sorted.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Call, Function, Rational, Symbol};

/// An expression: the number of its node. Children have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(u32);

impl Expr {
    /// Position of the node in its [`Dag`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn at(index: usize) -> Expr {
        Expr(index as u32)
    }
}

/// A node in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An exact number.
    Constant(Rational),
    /// $\pi$.
    Pi,
    /// Euler's number $e$.
    Euler,
    /// A leaf.
    Symbol(Symbol),
    /// $q_0 + \sum_k q_k t_k$, terms distinct; ascending, those that do not change in time after the others.
    Sum {
        /// $q_0$.
        constant: Rational,
        /// $(q_k, t_k)$.
        terms: Box<[(Rational, Expr)]>,
    },
    /// $\prod_k b_k^{n_k}$, exponents nonzero, bases distinct; ascending, those that do not change in time before the
    /// others.
    Product(Box<[(Expr, i32)]>),
    /// A function of the operator table.
    Apply(Function, Box<[Expr]>),
    /// A function that the model does not define by an expression, or a partial derivative of one.
    Call(Call, Box<[Expr]>),
}

/// A condition under which a simplification is an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// $a \ne 0$, for $a/a = 1$.
    NonZero(Expr),
    /// $a \ge 0$, for $(\sqrt a)^2 = a$.
    NonNegative(Expr),
    /// $a > 0$, for $\exp(\ln a) = a$.
    Positive(Expr),
}

impl Assumption {
    /// The expression that the assumption is about.
    pub fn expr(self) -> Expr {
        match self {
            Assumption::NonZero(e) | Assumption::NonNegative(e) | Assumption::Positive(e) => e,
        }
    }
}

/// A growing set of expressions.
#[derive(Clone, Default)]
pub struct Dag {
    nodes: Vec<Node>,
    /// From the hash of a node to its number; where unequal nodes have equal hashes, the next free key is taken.
    index: FxHashMap<u64, Expr>,
    assumptions: Vec<Assumption>,
    /// Whether each node is free of everything that changes in time.
    time_invariant: Vec<bool>,
    assumed: FxHashSet<Assumption>,
}

/// Prints the number of nodes only.
impl std::fmt::Debug for Dag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dag").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl Dag {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The node of an expression.
    pub fn node(&self, expr: Expr) -> &Node {
        &self.nodes[expr.index()]
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The assumptions of the simplifications made so far, in the order in which they were made.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// The value of an exact number; `None` for every other expression.
    pub fn as_constant(&self, expr: Expr) -> Option<&Rational> {
        match self.node(expr) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the expression is the number zero (an exact statement about its canonical form).
    pub fn is_zero(&self, expr: Expr) -> bool {
        self.as_constant(expr).is_some_and(Rational::is_zero)
    }

    /// Whether the expression is free of everything that changes in time: made of numbers and parameters.
    pub fn is_time_invariant(&self, expr: Expr) -> bool {
        self.time_invariant[expr.index()]
    }

    /// The children of a node, in order.
    pub fn children(&self, expr: Expr) -> impl Iterator<Item = Expr> + '_ {
        let none = (&[][..], &[][..], &[][..]);
        let (terms, factors, arguments) = match self.node(expr) {
            Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) => none,
            Node::Sum { terms, .. } => (&terms[..], none.1, none.2),
            Node::Product(factors) => (none.0, &factors[..], none.2),
            Node::Apply(_, arguments) | Node::Call(_, arguments) => (none.0, none.1, &arguments[..]),
        };
        let terms = terms.iter().map(|(_, e): &(Rational, Expr)| *e);
        let factors = factors.iter().map(|(e, _): &(Expr, i32)| *e);
        terms.chain(factors).chain(arguments.iter().copied())
    }

    pub(super) fn assume(&mut self, assumption: Assumption) {
        // For a number, the condition is decided when the expression is folded.
        if self.as_constant(assumption.expr()).is_none() && self.assumed.insert(assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// The number of a node that is in canonical form already; a new node is added.
    pub(super) fn intern(&mut self, node: Node) -> Expr {
        let mut hasher = FxHasher::default();
        node.hash(&mut hasher);
        let mut key = hasher.finish();
        while let Some(&expr) = self.index.get(&key) {
            if self.nodes[expr.index()] == node {
                return expr;
            }
            key = key.wrapping_add(1);
        }
        let expr = Expr::at(self.nodes.len());
        let time_invariant = match &node {
            Node::Symbol(symbol) => matches!(symbol, Symbol::Parameter(_)),
            Node::Constant(_) | Node::Pi | Node::Euler => true,
            Node::Sum { terms, .. } => terms.iter().all(|(_, t)| self.is_time_invariant(*t)),
            Node::Product(factors) => factors.iter().all(|&(b, _)| self.is_time_invariant(b)),
            Node::Apply(_, arguments) | Node::Call(_, arguments) => {
                arguments.iter().all(|&a| self.is_time_invariant(a))
            }
        };
        self.time_invariant.push(time_invariant);
        self.nodes.push(node);
        self.index.insert(key, expr);
        expr
    }
}

/// Values for some expressions.
pub(super) type ExprMap<T> = FxHashMap<Expr, T>;

/// Some expressions.
pub(super) type ExprSet = FxHashSet<Expr>;
