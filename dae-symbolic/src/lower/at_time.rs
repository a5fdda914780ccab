//! What boundary conditions take at a time, and integrals over time.
//!
//! In: items, and the nodes of times. Out: leaves of conditions, and findings about times that are none.

use super::evaluate::{Evaluator, Task};
use super::incidence::SetId;
use super::items::{Item, Value};
use super::points::{End, Integral};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Node as Leaf, Symbol, substitute, symbols};
use crate::model::PointValue;
use crate::model::family::Access;
use crate::syntax::ast::{Node, NodeId};

impl Evaluator<'_> {
    /// The value of a node that takes something at a time. Of `y(time)` that is `item`, otherwise the first operand.
    pub(super) fn at_time(
        &mut self,
        task: &Task,
        id: NodeId,
        item: Option<Item>,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let (value, time) = match self.expressions.node(id) {
            Node::At { value, time } => (task.item(*value)?, *time),
            Node::Call { arguments, .. } => (item?, *arguments.first()?),
            _ => return None,
        };
        let at = self.time(task, time, found)?;
        let Item::Scalar(value) = value else {
            let finding =
                Diagnostic::error(Code::ArrayShape, "an array is taken at a time, and a condition is a number")
                    .label(self.expressions.origin(id), "an array")
                    .help("write `for i in 0..N { q[i](t0) = …; }`");
            self.report(id, finding, found);
            return None;
        };
        let (points, time) = (&mut self.points, Symbol::StateDerivative(at as u32));
        let taken = substitute(&mut self.dag, &[value.expr], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => {
                let symbol = points.value(PointValue { unknown, order, time: at });
                Some(dag.symbol(symbol))
            }
            Symbol::Time => Some(dag.symbol(time)),
            _ => None,
        });
        taken.first().map(|&expr| Value { expr, unknowns: SetId::EMPTY })
    }

    /// The position of the time at which something is taken.
    fn time(&mut self, task: &Task, id: NodeId, found: &mut Diagnostics) -> Option<usize> {
        let value = self.scalar(task, id, found)?;
        let used = symbols(&self.dag, [value.expr]);
        match used.as_slice() {
            [Symbol::StateDerivative(end)] if matches!(self.dag.node(value.expr), Leaf::Symbol(_)) => {
                return Some(*end as usize);
            }
            _ => {}
        }
        if used.iter().all(|symbol| matches!(symbol, Symbol::Parameter(_))) {
            return Some(self.points.time(value.expr));
        }
        let finding =
            Diagnostic::error(Code::InvalidCondition, "this is no time at which conditions are known to hold")
                .label(self.expressions.origin(id), "depends on more than constants and parameters")
                .help("write `t0`, `t_end`, or a time in between made of constants and parameters: `y(0.5)`");
        self.report(id, finding, found);
        None
    }

    /// `integral(…)`: the value at the end of an unknown that is zero at the start.
    pub(super) fn integral(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let &id = arguments.first()?;
        let integrand = self.scalar(task, id, found)?;
        let known = self.points.integrals.iter().find(|known| known.integrand.expr == integrand.expr);
        let unknown = known.map(|known| known.unknown).unwrap_or_else(|| {
            let access = Access { array: self.shapes.unknowns.len(), indices: Vec::new() };
            self.shapes.unknowns.push(Some(Vec::new()));
            let unknown = self.leaves.access(access);
            let origin = self.expressions.origin(id);
            self.points.integrals.push(Integral { unknown, integrand, origin });
            unknown
        });
        let symbol = self.points.value(PointValue { unknown, order: 0, time: End::End.position() });
        Some(Value { expr: self.dag.symbol(symbol), unknowns: SetId::EMPTY })
    }
}
