//! Index reduction by differentiation.
//!
//! In: the equations of the working system with their derivatives. Out: a [`Selection`] in which each equation is
//! replaced by one of its derivatives, the order of which is given by its level (`levels.rs`) or its offset. The
//! equation itself and its lower derivatives are then only implied, and numerical solutions drift off them.

use super::selection::{Candidate, Material, Selection};
use super::{Form, FormError};
use crate::model::Model;

/// Differentiates constraints until the index is at most 1.
pub(super) fn index1(_: &mut Model, material: &Material<'_>, _: &Form) -> Result<Selection, FormError> {
    Ok(select(material, |candidate| candidate.level))
}

/// Differentiates constraints one time fewer than [`index1`]: until the index is at most 2.
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
