//! Index reduction by differentiation: each constraint is replaced by one of its derivatives, of the order that the
//! certified offsets give (`levels.rs`); the lower ones are implied and drift.

use super::selection::{Candidate, Material, Selection};
use super::{Form, FormError};
use crate::model::Model;

/// Differentiates constraints until the index is 1.
pub(super) fn index1(_: &mut Model, material: &Material<'_>, _: &Form) -> Result<Selection, FormError> {
    Ok(select(material, |candidate| candidate.level))
}

/// Differentiates constraints one time fewer: until the index is 2.
pub(super) fn index2(_: &mut Model, material: &Material<'_>, _: &Form) -> Result<Selection, FormError> {
    Ok(select(material, |candidate| candidate.level.saturating_sub(1)))
}

/// Differentiates constraints until the equations determine the highest derivatives.
pub(super) fn underlying(_: &mut Model, material: &Material<'_>, _: &Form) -> Result<Selection, FormError> {
    Ok(select(material, |candidate| candidate.last()))
}

fn select(material: &Material<'_>, level: impl Fn(&Candidate<'_>) -> u32) -> Selection {
    let mut selection = Selection::default();
    for candidate in material.candidates() {
        let level = level(&candidate);
        if level < candidate.last() {
            selection.constraints.push(selection.rows.len());
        }
        selection.rows.push(candidate.row(level));
        selection.implied.extend((0..level).map(|order| candidate.row(order)));
    }
    selection
}
