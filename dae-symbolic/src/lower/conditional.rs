//! Conditions and conditionals to expressions.
//!
//! In: a node whose operands have values. Out: its value; that of a condition is its decision diagram, which is 1 where
//! it holds and 0 elsewhere. `a <= b` is the negation of `a > b`, so that the kernel has only one kind of comparison.
//! Conditions that are decided by constants and loop variables are resolved here (`choices.rs`).

use super::decisions::Truth;
use super::evaluate::{Evaluator, Task};
use super::items::Value;
use crate::diagnostic::Diagnostics;
use crate::expr::Expr;
use crate::syntax::ast::{Node, NodeId};

impl Evaluator<'_> {
    /// The value of a condition or conditional, if its operands have no errors.
    pub(super) fn conditional(
        &mut self,
        task: &Task,
        id: NodeId,
        node: &Node,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let (expr, parts) = match node {
            Node::Comparison(comparison, left, right) => {
                let values = self.scalars(task, &[*left, *right], found)?;
                (self.compare(id, *comparison, (values[0], values[1]), found)?, values)
            }
            Node::All(conditions) => self.joined(task, conditions, Truth::Fails, found)?,
            Node::Any(conditions) => self.joined(task, conditions, Truth::Holds, found)?,
            Node::Not(condition) => {
                let value = self.scalar(task, *condition, found)?;
                (self.dag.not(value.expr), vec![value])
            }
            Node::Conditional { cases, otherwise } => self.chosen_value(task, cases, *otherwise, found)?,
            Node::Number(_)
            | Node::Name(_)
            | Node::Mode { .. }
            | Node::Time
            | Node::Pi
            | Node::Euler
            | Node::Negation(_)
            | Node::Sum(_)
            | Node::Product(_)
            | Node::Call { .. }
            | Node::Index { .. }
            | Node::At { .. }
            | Node::List(_)
            | Node::Repeat { .. }
            | Node::RangeHead { .. }
            | Node::RangeSum { .. } => return None,
        };
        Some(Value { expr, unknowns: self.sets.union(parts.iter().map(|value| value.unknowns)) })
    }

    /// The conjunction or disjunction of conditions, and their values, up to the first that decides it.
    fn joined(
        &mut self,
        task: &Task,
        conditions: &[NodeId],
        decides: Truth,
        found: &mut Diagnostics,
    ) -> Option<(Expr, Vec<Value>)> {
        let mut values = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            let value = self.scalar(task, condition, found)?;
            values.push(value);
            if self.truth(value.expr) == decides {
                break;
            }
        }
        let exprs: Vec<Expr> = values.iter().map(|value| value.expr).collect();
        let expr = if decides == Truth::Fails { self.dag.all(&exprs) } else { self.dag.any(&exprs) };
        Some((expr, values))
    }

    /// The value of a conditional, and those of its parts; conditions that are decided leave no trace in it.
    fn chosen_value(
        &mut self,
        task: &Task,
        cases: &[(NodeId, NodeId)],
        otherwise: NodeId,
        found: &mut Diagnostics,
    ) -> Option<(Expr, Vec<Value>)> {
        let mut open: Vec<(Value, Value)> = Vec::with_capacity(cases.len());
        let mut last = otherwise;
        for &(condition, value) in cases {
            let condition = self.scalar(task, condition, found)?;
            match self.truth(condition.expr) {
                Truth::Fails => {}
                Truth::Depends => open.push((condition, self.scalar(task, value, found)?)),
                Truth::Holds => {
                    last = value;
                    break;
                }
            }
        }
        let last = self.scalar(task, last, found)?;
        let expr = open
            .iter()
            .rev()
            .fold(last.expr, |rest, (condition, value)| self.dag.choose(condition.expr, value.expr, rest));
        let parts = open.into_iter().flat_map(|(condition, value)| [condition, value]).chain([last]).collect();
        Some((expr, parts))
    }
}
