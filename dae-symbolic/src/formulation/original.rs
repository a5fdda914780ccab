//! The system as written.

use super::selection::{Material, Row, Selection};
use super::{Form, FormError};
use crate::model::Model;

pub(super) fn select(_: &mut Model, material: &Material<'_>, _: &Form) -> Result<Selection, FormError> {
    let mut selection = Selection { states_of_rows: true, ..Selection::default() };
    for candidate in material.candidates() {
        let written = &material.text.equations[candidate.equation.text];
        selection.rows.push(Row {
            name: written.provenance.name(),
            value: written.residual,
            origin: written.origin,
            domain: written.domain.clone(),
            place: (candidate.index, 0),
            prolonged: candidate.equation.is_text().then_some((candidate.equation.text, 0)),
        });
        // A combination is itself a constraint that the text does not state.
        let first = u32::from(candidate.equation.is_text());
        selection.implied.extend((first..candidate.last()).map(|order| candidate.row(order)));
    }
    Ok(selection)
}
