//! Conditions that are decided while the model is read.
//!
//! In: comparisons of expressions of numbers and loop variables, in a box of values of the latter. Out: whether they
//! hold in all of the box or in none of it; otherwise where the box has to be cut, or that the answer varies from point
//! to point. Expressions that a decided condition leaves out are not evaluated, so their indices may be out of bounds.

use super::decisions::{Cut, Decision, Truth};
use super::evaluate::{Evaluator, Task};
use super::items::{Item, Value};
use crate::diagnostic::Diagnostics;
use crate::expr::{Expr, Node as Kernel, Rational};
use crate::syntax::ast::{Comparison, NodeId};
use crate::syntax::validate;

impl Evaluator<'_> {
    /// The last of the nodes that are left out after a node: by the answer of the condition before them, or because
    /// that condition has no value, as it waits for a cut or has an error. `None` if none are left out.
    pub(super) fn left_out(&self, task: &Task, after: NodeId) -> Option<NodeId> {
        let skip = self.skips.after(after)?;
        match task.item(skip.condition) {
            Some(Item::Scalar(value)) => (self.truth(value.expr) == skip.when).then_some(skip.last),
            Some(Item::Array(_)) | None => Some(skip.last),
        }
    }

    /// The truth of a condition: it is decided if its decision diagram is a constant.
    pub(super) fn truth(&self, condition: Expr) -> Truth {
        match self.dag.as_constant(condition) {
            Some(value) if value.is_zero() => Truth::Fails,
            Some(_) => Truth::Holds,
            None => Truth::Depends,
        }
    }

    /// The decision diagram of a comparison of two numbers; `None` if it is about loop variables and has no single
    /// answer in the box, or if it has an error.
    pub(super) fn compare(
        &mut self,
        node: NodeId,
        comparison: Comparison,
        (left, right): (Value, Value),
        found: &mut Diagnostics,
    ) -> Option<Expr> {
        let difference = self.dag.sub(left.expr, right.expr);
        let opposite = self.dag.sub(right.expr, left.expr);
        if self.dag.as_constant(difference).is_some() || self.leaves.is_of_loops(&self.dag, difference) {
            let equal = |this: &Self| {
                let (above, below) = (this.positive(difference), this.positive(opposite));
                above.opposite().and(below.opposite())
            };
            let decision = match comparison {
                Comparison::Greater => self.positive(difference),
                Comparison::Less => self.positive(opposite),
                Comparison::LessOrEqual => self.positive(difference).opposite(),
                Comparison::GreaterOrEqual => self.positive(opposite).opposite(),
                Comparison::Equal => equal(self),
                Comparison::NotEqual => equal(self).opposite(),
            };
            return self.decided(decision);
        }
        match comparison {
            Comparison::Greater | Comparison::Less => {
                let (more, less) = ordered(comparison, left.expr, right.expr);
                Some(self.dag.greater(more, less))
            }
            Comparison::LessOrEqual | Comparison::GreaterOrEqual => {
                let (less, more) = ordered(comparison, left.expr, right.expr);
                let exceeds = self.dag.greater(less, more);
                Some(self.dag.not(exceeds))
            }
            Comparison::Equal | Comparison::NotEqual => {
                let at = self.expressions.origin(node);
                self.report(node, validate::equality(at), found);
                None
            }
        }
    }

    /// The constant condition with this answer. Without a single answer `None`: then it is recorded where the box has
    /// to be cut, or that the answer varies from point to point.
    fn decided(&mut self, decision: Decision) -> Option<Expr> {
        self.decided_by_box |= !self.instance && !self.loops.is_empty();
        match decision {
            Decision::Always => Some(self.dag.integer(1)),
            Decision::Never => Some(self.dag.integer(0)),
            Decision::Cut(cut) => {
                self.cut.get_or_insert(cut);
                None
            }
            Decision::FromPointToPoint => {
                self.varying = true;
                None
            }
        }
    }

    /// Whether an expression of numbers and loop variables is positive in the box.
    fn positive(&self, expr: Expr) -> Decision {
        let always = |holds: bool| if holds { Decision::Always } else { Decision::Never };
        let (constant, terms) = match self.dag.node(expr) {
            Kernel::Constant(value) => return always(is_positive(value)),
            Kernel::Sum { constant, terms } => (constant.clone(), terms.to_vec()),
            Kernel::Pi
            | Kernel::Euler
            | Kernel::Symbol(_)
            | Kernel::Product(_)
            | Kernel::Apply(..)
            | Kernel::Call(..) => (Rational::ZERO, vec![(Rational::ONE, expr)]),
        };
        let mut affine = Vec::with_capacity(terms.len());
        for (q, term) in terms {
            match self.leaves.affine(&self.dag, term) {
                Ok(variable) if variable.coefficients.len() == 1 => affine.push((variable.coefficients[0].0, q)),
                _ => return Decision::FromPointToPoint,
            }
        }
        let value = |upper: bool, moved: Option<i64>| {
            affine.iter().fold(constant.clone(), |sum, (level, q)| {
                let range = &self.loops[*level].range;
                let end = if q.is_negative() == upper { range.start } else { range.end - 1 };
                sum.add(&q.mul(&Rational::from(moved.unwrap_or(end))))
            })
        };
        let (lowest, highest) = (is_positive(&value(false, None)), is_positive(&value(true, None)));
        match affine.as_slice() {
            _ if lowest == highest => always(highest),
            [(level, _)] => {
                // An affine function of one loop variable changes its sign once.
                let range = &self.loops[*level].range;
                let at = |i: i64| is_positive(&value(true, Some(i)));
                let (mut same, mut other) = (range.start, range.end - 1);
                while other - same > 1 {
                    let middle = same + (other - same) / 2;
                    if at(middle) == at(range.start) { same = middle } else { other = middle }
                }
                Decision::Cut(Cut { level: *level, at: other })
            }
            _ => Decision::FromPointToPoint,
        }
    }
}

fn is_positive(value: &Rational) -> bool {
    !value.is_negative() && !value.is_zero()
}

/// The sides of a comparison, exchanged for `<` and `>=`.
fn ordered(comparison: Comparison, left: Expr, right: Expr) -> (Expr, Expr) {
    match comparison {
        Comparison::Less | Comparison::GreaterOrEqual => (right, left),
        Comparison::Greater | Comparison::LessOrEqual | Comparison::Equal | Comparison::NotEqual => (left, right),
    }
}
