//! Expressions under evaluation.
//!
//! In: the range of nodes of an expression, with the arguments of the call that it belongs to. Out: the values of its
//! nodes so far, and what a step of the evaluation asks for.

use crate::lower::items::{Item, Value};
use crate::model::family::Loop;
use crate::syntax::ast::NodeId;

/// A loop around the expression under evaluation.
#[derive(Clone)]
pub(in crate::lower) struct Binding {
    pub(in crate::lower) range: Loop,
    /// The loop variable as a leaf, or its present number.
    pub(in crate::lower) value: Value,
}

/// A sum over a range whose body is being evaluated.
pub(super) struct RangeSum {
    /// Position of its head among the values of the task.
    pub(super) head: usize,
    pub(super) next: i64,
    pub(super) end: i64,
    pub(super) terms: Vec<Option<Value>>,
}

/// A call: the statement of the function or of the sub-expression by index, and the values of the arguments.
pub(in crate::lower) type Call = (usize, Vec<Item>);

/// An expression under evaluation. Values are `None` where there are errors, and for nodes that are left out.
pub(in crate::lower) struct Task {
    pub(super) first: usize,
    pub(super) root: usize,
    pub(super) values: Vec<Option<Item>>,
    pub(super) call: Option<Call>,
    /// Sums over ranges under way, the innermost last.
    pub(super) ranges: Vec<RangeSum>,
}

impl Task {
    pub(super) fn new(first: NodeId, root: NodeId, call: Option<Call>) -> Self {
        let (first, root) = (first.index(), root.index());
        Task { first, root, values: Vec::with_capacity(root + 1 - first), call, ranges: Vec::new() }
    }

    pub(in crate::lower) fn item(&self, id: NodeId) -> Option<Item> {
        self.values.get(id.index().checked_sub(self.first)?).copied().flatten()
    }

    pub(super) fn argument(&self, position: usize) -> Option<Item> {
        self.call.as_ref()?.1.get(position).copied()
    }
}

/// The result of one step of an evaluation.
pub(in crate::lower) enum Evaluated {
    Value(Option<Item>),
    /// The value of this call is needed first.
    Needs(Call),
    /// A sum over a range starts.
    Range(Option<(i64, i64)>),
    /// One term of a sum over a range is complete.
    Term(Option<Value>),
}
