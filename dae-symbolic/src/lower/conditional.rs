//! Conditions and conditionals to expressions.
//!
//! In: a node whose operands have values. Out: its value; a condition has the value of its decision diagram, which is 1 where it
//! holds and 0 elsewhere. `a <= b` is the opposite of `a > b`, so that there is one comparison in the kernel.

use super::evaluate::{Evaluator, Task, Value};
use crate::expr::Expr;
use crate::syntax::ast::{Comparison, Node, NodeId};

impl Evaluator<'_> {
    /// The value of a condition or conditional, if nothing is wrong with its operands.
    pub(super) fn conditional(&mut self, task: &Task, node: &Node) -> Option<Value> {
        let of = |ids: &[NodeId]| ids.iter().map(|&id| task.value(id)).collect::<Option<Vec<Value>>>();
        let exprs = |values: &[Value]| values.iter().map(|value| value.expr).collect::<Vec<Expr>>();
        let (expr, parts) = match node {
            Node::Comparison(comparison, left, right) => {
                let values = of(&[*left, *right])?;
                (self.compare(*comparison, values[0].expr, values[1].expr), values)
            }
            Node::All(conditions) => {
                let values = of(conditions)?;
                (self.dag.all(&exprs(&values)), values)
            }
            Node::Any(conditions) => {
                let values = of(conditions)?;
                (self.dag.any(&exprs(&values)), values)
            }
            Node::Not(condition) => {
                let values = of(&[*condition])?;
                (self.dag.not(values[0].expr), values)
            }
            Node::Conditional { cases, otherwise } => {
                let mut values = of(&[*otherwise])?;
                let mut expr = values[0].expr;
                for (condition, value) in cases.iter().rev() {
                    let case = of(&[*condition, *value])?;
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
            | Node::Call { .. } => return None,
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
