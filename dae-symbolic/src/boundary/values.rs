//! The values and times that conditions contain.
//!
//! In: a boundary value problem, a prolongation. Out: nothing, or an error for each value that is not among the jets, and
//! for each time that depends on what is to be found.

use super::problem::{BoundaryProblem, NamedCondition};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Symbol, symbols};
use crate::model::{Model, PointTime};
use crate::prolongation::Prolonged;

/// Checks that all values are among the jets, and that times between the ends are known.
pub(super) fn check(model: &Model, problem: &BoundaryProblem, prolonged: &Prolonged) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    let boundary = &problem.boundary;
    for (k, value) in boundary.values.iter().enumerate() {
        if prolonged.jet(value.unknown.index(), value.order).is_some() {
            continue;
        }
        let symbol = Symbol::State(k as u32);
        let contains =
            |it: &&NamedCondition| symbols(&model.dag, [it.condition.left, it.condition.right]).contains(&symbol);
        let Some(condition) = problem.conditions.iter().find(contains) else { continue };
        let highest = (0..value.order).rev().find(|&order| prolonged.jet(value.unknown.index(), order).is_some());
        let highest = Symbol::Unknown { unknown: value.unknown, order: highest.unwrap_or(0) };
        let message =
            format!("`{}` is a higher derivative than the equations determine", boundary.symbol_name(model, symbol));
        let finding = Diagnostic::error(Code::InvalidCondition, message).label(condition.condition.origin, "used here");
        found.push(finding.help(format!(
            "use derivatives up to `{}`, or make the derivative an unknown with an equation of its own",
            model.symbol_name(highest)
        )));
    }
    for time in &boundary.times {
        let PointTime::Interior(value) = time else { continue };
        let used = symbols(&model.dag, [*value]);
        for &(parameter, origin) in &boundary.free_parameters {
            if used.contains(&Symbol::Parameter(parameter)) {
                let name = model.symbol_name(Symbol::Parameter(parameter));
                let message = format!("`{name}` is free, and a condition holds at a time that depends on it");
                let finding = Diagnostic::error(Code::InvalidFree, message).label(origin, "free here");
                found.push(finding.help("times between the ends are given: write them with other parameters"));
            }
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}
