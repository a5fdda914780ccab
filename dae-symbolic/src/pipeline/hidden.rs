//! Constraints that the text implies but does not state.
//!
//! In: the reduced system. Out: derivatives of its equations that contain no highest derivative: each restricts the
//! consistent states.

use super::compiled::HiddenConstraint;
use crate::expr::{Notation, print_with};
use crate::index::Analysis;
use crate::index_reduction::Reduced;
use crate::model::{Model, derivative_name};
use crate::spelling::names::in_notation;

/// The hidden constraints; none where it is not known which equations to differentiate.
pub(super) fn hidden_constraints(model: &mut Model, analysis: &Analysis, reduced: &Reduced) -> Vec<HiddenConstraint> {
    if !analysis.certificate.has_reduction() {
        return Vec::new();
    }
    let offsets = &analysis.structure.offsets;
    let mut hidden = Vec::new();
    for (i, derivatives) in reduced.derivatives.iter().enumerate() {
        // A combination is itself a constraint that the text does not state.
        let stated = usize::from(analysis.system.equations[i].is_text());
        for (order, &residual) in derivatives.iter().enumerate().skip(stated) {
            let orders = crate::system::highest_orders(&model.dag, [residual]);
            if orders.iter().any(|&(j, order)| order > 0 && order == offsets.unknowns[j]) {
                continue;
            }
            let residual = model.dag.primitive_part(residual);
            let spelled = |notation| {
                let definitions = model.definition_names().into_iter();
                let names = definitions.map(|(e, name)| (e, in_notation(&name, notation))).collect();
                print_with(&model.dag, residual, notation, &names, |s| in_notation(&model.symbol_name(s), notation))
            };
            let equation = &analysis.system.equations[i];
            hidden.push(HiddenConstraint {
                name: derivative_name(&equation.provenance.name(), order as u32),
                equation: equation.text,
                order: order as u32,
                residual,
                text: format!("0 = {}", spelled(Notation::Text)),
                latex: format!("0 = {}", spelled(Notation::Latex)),
            });
        }
    }
    hidden
}
