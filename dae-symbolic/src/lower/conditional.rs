//! Conditions and conditionals to expressions.
//!
//! In: a node whose operands have values. Out: its value; a condition has the value of its decision diagram, which is 1 where it
//! holds and 0 elsewhere. `a <= b` is the opposite of `a > b`, so that there is one comparison in the kernel.

use super::evaluate::{Evaluator, Task};
use super::items::Value;
use crate::diagnostic::Diagnostics;
use crate::expr::Expr;
use crate::syntax::ast::{Comparison, Node};

impl Evaluator<'_> {
    /// The value of a condition or conditional, if nothing is wrong with its operands.
    pub(super) fn conditional(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let exprs = |values: &[Value]| values.iter().map(|value| value.expr).collect::<Vec<Expr>>();
        let (expr, parts) = match node {
            Node::Comparison(comparison, left, right) => {
                let values = self.scalars(task, &[*left, *right], found)?;
                (self.compare(*comparison, values[0].expr, values[1].expr), values)
            }
            Node::All(conditions) => {
                let values = self.scalars(task, conditions, found)?;
                (self.dag.all(&exprs(&values)), values)
            }
            Node::Any(conditions) => {
                let values = self.scalars(task, conditions, found)?;
                (self.dag.any(&exprs(&values)), values)
            }
            Node::Not(condition) => {
                let values = self.scalars(task, &[*condition], found)?;
                (self.dag.not(values[0].expr), values)
            }
            Node::Conditional { cases, otherwise } => {
                let mut values = self.scalars(task, &[*otherwise], found)?;
                let mut expr = values[0].expr;
                for (condition, value) in cases.iter().rev() {
                    let case = self.scalars(task, &[*condition, *value], found)?;
                    expr = self.dag.choose(case[0].expr, case[1].expr, expr);
                    values.extend(case);
                }
                (expr, values)
            }
            Node::Number(_)
            | Node::Name(_)
            | Node::Time
            | Node::Pi
            | Node::Euler
            | Node::Negation(_)
            | Node::Sum(_)
            | Node::Product(_)
            | Node::Call { .. }
            | Node::Index { .. }
            | Node::List(_)
            | Node::Repeat { .. }
            | Node::RangeHead { .. }
            | Node::RangeSum { .. } => return None,
        };
        Some(Value { expr, unknowns: self.sets.union(parts.iter().map(|value| value.unknowns)) })
    }

    fn compare(&mut self, comparison: Comparison, left: Expr, right: Expr) -> Expr {
        match comparison {
            Comparison::Greater => self.dag.greater(left, right),
            Comparison::Less => self.dag.greater(right, left),
            Comparison::LessOrEqual => {
                let greater = self.dag.greater(left, right);
                self.dag.not(greater)
            }
            Comparison::GreaterOrEqual => {
                let less = self.dag.greater(right, left);
                self.dag.not(less)
            }
        }
    }
}
