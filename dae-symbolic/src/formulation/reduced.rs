//! Index reduction by differentiation: each constraint is replaced by one of its derivatives, as often differentiated as the certified
//! offsets say (`levels.rs`); the lower ones are implied and drift.

use super::selection::{Material, Selection};

/// `less` differentiations less than for index 1: with one less the index is 2.
pub(super) fn select(material: &Material<'_>, less: u32) -> Selection {
    let mut selection = Selection::default();
    for candidate in material.candidates() {
        let level = candidate.level.saturating_sub(less);
        if level < candidate.last() {
            selection.constraints.push(selection.rows.len());
        }
        selection.rows.push(candidate.row(level));
        selection.implied.extend((0..level).map(|order| candidate.row(order)));
    }
    selection
}
