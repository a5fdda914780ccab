//! The answers of conditions, and the nodes that they leave out.
//!
//! In: the nodes of expressions. Out: the types of answers, in a box of values of loop variables or for a single
//! condition; and the nodes that answers leave out, by the node before them.

use std::collections::HashMap;

use crate::syntax::ast::{Expressions, Node, NodeId};

/// Where a box has to be cut: a condition has one answer below the value `at` of the loop variable of the level, and
/// another from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) level: usize,
    pub(super) at: i64,
}

/// Whether a condition holds in a box of values of loop variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Always,
    Never,
    Cut(Cut),
    FromPointToPoint,
}

impl Decision {
    pub(super) fn opposite(self) -> Self {
        match self {
            Decision::Always => Decision::Never,
            Decision::Never => Decision::Always,
            Decision::Cut(_) | Decision::FromPointToPoint => self,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Decision::Never, _) | (_, Decision::Never) => Decision::Never,
            (Decision::Always, other) => other,
            (one, Decision::Always) => one,
            (Decision::Cut(cut), _) | (_, Decision::Cut(cut)) => Decision::Cut(cut),
            (Decision::FromPointToPoint, Decision::FromPointToPoint) => self,
        }
    }
}

/// The truth of a condition that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Holds,
    Fails,
    /// The truth is known at run time only.
    Depends,
}

/// The nodes after a given one, up to `last`, that are left out if a condition has a given truth.
#[derive(Clone, Copy)]
pub(super) struct Skip {
    pub(super) condition: NodeId,
    pub(super) when: Truth,
    pub(super) last: NodeId,
}

/// The nodes that conditions leave out, by the node before them.
pub(super) struct Skips(HashMap<NodeId, Skip>);

impl Skips {
    pub(super) fn of(expressions: &Expressions) -> Self {
        let mut skips = HashMap::new();
        for position in 0..expressions.len() {
            match expressions.node(expressions.at(position)) {
                Node::Conditional { cases, otherwise } => {
                    for &(condition, value) in cases {
                        skips.insert(condition, Skip { condition, when: Truth::Fails, last: value });
                        skips.insert(value, Skip { condition, when: Truth::Holds, last: *otherwise });
                    }
                }
                Node::All(conditions) => decided_by_one(&mut skips, conditions, Truth::Fails),
                Node::Any(conditions) => decided_by_one(&mut skips, conditions, Truth::Holds),
                Node::Number(_)
                | Node::Name(_)
                | Node::Mode { .. }
                | Node::Time
                | Node::Pi
                | Node::Euler
                | Node::Negation(_)
                | Node::Sum(_)
                | Node::Product(_)
                | Node::Comparison(..)
                | Node::Not(_)
                | Node::Call { .. }
                | Node::Index { .. }
                | Node::At { .. }
                | Node::List(_)
                | Node::Repeat { .. }
                | Node::RangeHead { .. }
                | Node::RangeSum { .. } => {}
            }
        }
        Skips(skips)
    }

    /// What a condition may leave out after a node; `None` if that is nothing.
    pub(super) fn after(&self, node: NodeId) -> Option<&Skip> {
        self.0.get(&node)
    }
}

/// Lets each of the conditions leave out all that follow it if it has the truth that decides the whole.
fn decided_by_one(skips: &mut HashMap<NodeId, Skip>, conditions: &[NodeId], when: Truth) {
    let Some((&last, others)) = conditions.split_last() else { return };
    for &condition in others {
        skips.insert(condition, Skip { condition, when, last });
    }
}
