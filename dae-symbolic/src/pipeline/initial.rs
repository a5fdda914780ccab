//! Initial equations that cannot be evaluated at the start.
//!
//! In: a model and its prolongation. Out: nothing, or findings about equations with derivatives of a higher order than
//! the equations of the model determine.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::{Equation, Model, derivative_name};
use crate::prolongation::Prolonged;

/// Checks that initial equations are equations between jets.
pub(super) fn check(model: &Model, prolonged: &Prolonged) -> Result<(), Diagnostics> {
    let found: Diagnostics = model.initial_equations.iter().filter_map(|it| higher(model, prolonged, it)).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn higher(model: &Model, prolonged: &Prolonged, equation: &Equation) -> Option<Diagnostic> {
    let is_jet = |unknown: usize, order| prolonged.jet(unknown, order).is_some();
    let &(unknown, order) = equation.incidence.iter().find(|(unknown, order)| !is_jet(unknown.index(), *order))?;
    let name = &model.unknowns.get(unknown.index())?.name;
    let highest = (0..order).rev().find(|&order| is_jet(unknown.index(), order)).unwrap_or(0);
    let message = format!("`{}` is a higher derivative than the equations determine", derivative_name(name, order));
    let finding = Diagnostic::error(Code::InvalidInitial, message).label(equation.origin, "used here");
    Some(finding.help(format!(
        "use derivatives up to `{}`, or make the derivative an unknown with an equation of its own",
        derivative_name(name, highest)
    )))
}
