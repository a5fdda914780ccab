//! Initial equations that cannot be evaluated at the start.
//!
//! In: a model and its prolongation. Out: nothing, or findings about equations with derivatives of a higher order than
//! the equations of the model determine.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::events::beyond_jets;
use crate::expr::UnknownId;
use crate::model::{Equation, Model};
use crate::prolongation::Prolonged;

/// Checks that initial equations are equations between jets.
pub(super) fn check(model: &Model, prolonged: &Prolonged) -> Result<(), Diagnostics> {
    let found: Diagnostics = model.initial_equations.iter().filter_map(|it| higher(model, prolonged, it)).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn higher(model: &Model, prolonged: &Prolonged, equation: &Equation) -> Option<Diagnostic> {
    let is_no_jet = |(unknown, order): &&(UnknownId, u32)| prolonged.jet(unknown.index(), *order).is_none();
    let &jet = equation.incidence.iter().find(is_no_jet)?;
    Some(beyond_jets(model, prolonged, jet, (Code::InvalidInitial, equation.origin)))
}
