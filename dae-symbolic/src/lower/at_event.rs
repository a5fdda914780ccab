//! `pre(…)` and `hold(…)` in new values.
//!
//! In: the arguments of these calls. Out: expressions in leaves for values around the event.

use super::evaluate::{Evaluator, Task};
use super::incidence::SetId;
use super::items::Value;
use crate::diagnostic::Diagnostics;
use crate::expr::{Node as Kernel, Symbol, substitute};
use crate::syntax::ast::Node;

impl Evaluator<'_> {
    /// `pre(…)`: the expression with values before the event.
    pub(super) fn before(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let value = self.scalar(task, *arguments.first()?, found)?;
        let around = &mut self.around;
        let taken = substitute(&mut self.dag, &[value.expr], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => Some(dag.symbol(around.before(unknown, order))),
            _ => None,
        });
        taken.first().map(|&expr| Value { expr, unknowns: SetId::EMPTY })
    }

    /// `hold(…)`: the most recent value of a discrete variable.
    pub(super) fn held(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let value = self.scalar(task, *arguments.first()?, found)?;
        let Kernel::Symbol(Symbol::Unknown { unknown, order: 0 }) = *self.dag.node(value.expr) else { return None };
        let symbol = self.around.held(unknown);
        Some(Value { expr: self.dag.symbol(symbol), unknowns: SetId::EMPTY })
    }
}
