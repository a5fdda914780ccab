//! Regularity at the model's own consistent point.
//!
//! In: the working system and its prolongation at default parameters. Out: whether the system Jacobian is regular at the
//! point that the start values lead to, and the jets there. The Jacobian is block triangular, so each block is looked at alone.

use dae_runtime::initialize::{InitializationError, InitializationOptions, consistent_initialization};
use dae_runtime::rank::{Confidence, rank};
use nalgebra::DMatrix;

use super::certificate::LocalRegularity;
use crate::expr::{Expr, Symbol, evaluate};
use crate::model::Model;
use crate::prolong::Prolonged;
use crate::structure::{Structure, block_triangular_form};
use crate::system::System;

/// Blocks beyond this order are left to the run-time check at initialisation.
const MAX_BLOCK: usize = 120;

pub(super) fn regularity(
    model: &mut Model,
    system: &System,
    structure: &Structure,
    prolonged: &Prolonged,
    t0: f64,
) -> (LocalRegularity, Option<Vec<f64>>) {
    let initial = match consistent_initialization(prolonged, t0, &InitializationOptions::default()) {
        Ok(initial) => initial,
        Err(error @ InitializationError::SingularJacobian { .. }) => {
            return (LocalRegularity::Singular { t0, message: error.to_string() }, None);
        }
        Err(error) => return (LocalRegularity::NoConsistentPoint { message: error.to_string() }, None),
    };
    let entries = system.jacobian(&mut model.dag, &structure.offsets);
    let values = values_at(model, prolonged, &initial.jets, t0, &entries);
    let mut condition: f64 = 1.0;
    for block in block_triangular_form(&structure.jacobian, &structure.transversal) {
        let order = block.equations.len();
        if order > MAX_BLOCK {
            let reason = format!("a block of {order} equations is left to the check at initialisation");
            return (LocalRegularity::NotAttempted { reason }, Some(initial.jets));
        }
        let mut matrix = DMatrix::zeros(order, order);
        for (&(i, j, _), &value) in entries.iter().zip(&values) {
            let place = |list: &[usize], k| list.iter().position(|&l| l == k);
            if let (Some(row), Some(column)) = (place(&block.equations, i), place(&block.unknowns, j)) {
                matrix[(row, column)] = value;
            }
        }
        match rank(&matrix) {
            Ok(found) if found.rank == order && found.confidence == Confidence::Clear => {
                condition = condition.max(found.condition);
            }
            Ok(_) | Err(_) => {
                let names: Vec<String> =
                    block.equations.iter().map(|&i| system.equations[i].provenance.name()).collect();
                let message = format!("{} do not determine their unknowns there", names.join(", "));
                return (LocalRegularity::Singular { t0, message }, Some(initial.jets));
            }
        }
    }
    (LocalRegularity::Numerical { condition, t0 }, Some(initial.jets))
}

/// Values of matrix entries at the given jets and the default parameters.
pub(super) fn values_at(
    model: &mut Model,
    prolonged: &Prolonged,
    jets: &[f64],
    t: f64,
    entries: &[(usize, usize, Expr)],
) -> Vec<f64> {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    evaluate(&model.dag, &values, |symbol| match symbol {
        Symbol::Time => t,
        Symbol::Parameter(p) => prolonged.parameters[p.index()],
        Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
    })
}
