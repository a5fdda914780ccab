//! Values around events: those before, and the most recent ones of discrete variables.
//!
//! In: unknowns. Out: the leaves of new values, numbered as [`Events`](crate::model::Events) says.

use crate::expr::{Symbol, UnknownId};

/// What the leaves of new values stand for.
#[derive(Default)]
pub(super) struct AroundEvents {
    pub(super) before: Vec<(UnknownId, u32)>,
    pub(super) held: Vec<UnknownId>,
}

impl AroundEvents {
    /// The leaf of a value before an event.
    pub(super) fn before(&mut self, unknown: UnknownId, order: u32) -> Symbol {
        Symbol::State(position(&mut self.before, (unknown, order)))
    }

    /// The leaf of the most recent value of a discrete variable.
    pub(super) fn held(&mut self, unknown: UnknownId) -> Symbol {
        Symbol::StateDerivative(position(&mut self.held, unknown))
    }
}

/// The position of an entry, which is added if it is not there yet.
fn position<T: PartialEq>(list: &mut Vec<T>, wanted: T) -> u32 {
    let position = list.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    });
    position as u32
}
