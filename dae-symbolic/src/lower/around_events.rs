//! Values around events: those before, and the most recent ones of discrete variables.
//!
//! In: the arguments of `pre` and `hold`. Out: the leaves of new values, numbered as
//! [`Events`](crate::model::Events) says.

use super::evaluate::{Evaluator, Task};
use super::incidence::SetId;
use super::items::Value;
use crate::diagnostic::Diagnostics;
use crate::expr::{Node as Kernel, Symbol, UnknownId, substitute};
use crate::syntax::ast::Node;

/// What the leaves of new values stand for.
#[derive(Default)]
pub(super) struct AroundEvents {
    pub(super) before: Vec<(UnknownId, u32)>,
    pub(super) held: Vec<UnknownId>,
}

/// The position of an entry, which is added if it is not there yet.
fn position<T: PartialEq>(list: &mut Vec<T>, wanted: T) -> u32 {
    let position = list.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    });
    position as u32
}

impl Evaluator<'_> {
    /// `pre(…)`: the expression with values before the event.
    pub(super) fn before(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let value = self.scalar(task, *arguments.first()?, found)?;
        let before = &mut self.around.before;
        let taken = substitute(&mut self.dag, &[value.expr], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => Some(dag.symbol(Symbol::State(position(before, (unknown, order))))),
            _ => None,
        });
        taken.first().map(|&expr| Value { expr, unknowns: SetId::EMPTY })
    }

    /// `hold(…)`: the most recent value of a discrete variable.
    pub(super) fn held(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let value = self.scalar(task, *arguments.first()?, found)?;
        let Kernel::Symbol(Symbol::Unknown { unknown, order: 0 }) = *self.dag.node(value.expr) else { return None };
        let symbol = Symbol::StateDerivative(position(&mut self.around.held, unknown));
        Some(Value { expr: self.dag.symbol(symbol), unknowns: SetId::EMPTY })
    }
}
