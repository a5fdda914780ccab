//! The boundary value problem that a text poses.
//!
//! In: the boundary conditions of the text, fixed start values, and problems of optimal control. Out: all conditions,
//! as programs of the prolongation ([`BoundaryProgram`]); or what is wrong with them. A problem is posed by a block of
//! boundary conditions, or by one of optimal control in which no adjoint has a fixed start value:
//!
//! * A fixed start value is a condition at the start.
//! * A problem of optimal control has conditions on adjoints where no others take their place (`transversality.rs`).
//!
//! The values in conditions must be among those of the prolongation (`values.rs`), there must be as many conditions as
//! degrees of freedom, free parameters and free ends (`count.rs`), and none may follow from others (`dependence.rs`). A
//! block of optimal control alone poses no problem where the number does not fit.

mod count;
mod dependence;
mod problem;
mod transversality;
mod values;

pub use problem::{BoundaryProblem, NamedCondition, Source};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, UnknownId};
use crate::index::Analysis;
use crate::model::{BoundaryConditions, Condition, Model, OptimalControl, Start, derivative_name, residual};
use crate::prolongation::{BoundaryProgram, Prolonged};
use problem::START;
use transversality::{controls, has_fixed_start, optimal_end, transversality};

/// Completes the conditions of a model, and gives `prolonged` their programs.
///
/// # Errors
/// If the text poses a problem with too many or too few conditions, with conditions that depend on one another, or with
/// values that its equations do not contain.
pub fn complete(
    model: &mut Model,
    analysis: &Analysis,
    prolonged: &mut Prolonged,
    t0: f64,
) -> Result<Option<BoundaryProblem>, Diagnostics> {
    let controls = controls(model);
    let is_written = model.boundary.is_some();
    let is_fixed = |unknown: &UnknownId| has_fixed_start(model, *unknown);
    if !is_written && (controls.is_empty() || controls.iter().any(|it| it.adjoints.iter().any(is_fixed))) {
        return Ok(None);
    }
    let problem = assemble(model, &controls, prolonged)?;
    values::check(model, &problem, prolonged)?;
    if let Err(found) = count::check(model, analysis, &problem) {
        return if is_written { Err(found) } else { Ok(None) };
    }
    let names = problem.conditions.iter().map(|it| it.name.clone().into()).collect();
    let residuals: Vec<Expr> =
        problem.conditions.iter().map(|it| residual(&mut model.dag, it.condition.left, it.condition.right)).collect();
    let program = BoundaryProgram::new(model, prolonged, &problem.boundary, names, &residuals);
    // Values have been checked, and the model is no excerpt.
    prolonged.boundary = program.ok();
    if is_written {
        dependence::check(model, analysis, prolonged, (&problem, &residuals), t0)?;
    }
    Ok(prolonged.boundary.is_some().then_some(problem))
}

/// All conditions: fixed start values, those of the text, and those of optimal control.
fn assemble(
    model: &mut Model,
    controls: &[OptimalControl],
    prolonged: &Prolonged,
) -> Result<BoundaryProblem, Diagnostics> {
    let mut boundary = model.boundary.clone().unwrap_or_else(|| BoundaryConditions::none(model.origin));
    for it in controls {
        if boundary.horizon.is_some() {
            let finding = Diagnostic::error(Code::RepeatedPart, "the horizon is given twice")
                .label(boundary.origin, "given in this block, and in that of optimal control");
            return Err(finding.help("remove `horizon` from the boundary conditions").into());
        }
        boundary.horizon = Some(it.horizon);
    }
    let mut conditions = starts(model, &mut boundary, prolonged);
    let written = boundary.conditions.clone();
    for &condition in &written {
        conditions.push(NamedCondition { name: boundary.equation(model, &condition), condition, source: Source::Text });
    }
    let mut of_control = Vec::new();
    for it in controls {
        of_control.extend(transversality(model, &mut boundary, it, &written));
    }
    if boundary.free_end.is_some() && !controls.is_empty() {
        of_control.push(optimal_end(model, &mut boundary, controls)?);
    }
    for condition in of_control {
        conditions.push(NamedCondition {
            name: boundary.equation(model, &condition),
            condition,
            source: Source::Control,
        });
    }
    Ok(BoundaryProblem { boundary, conditions })
}

/// The fixed start values.
fn starts(model: &mut Model, boundary: &mut BoundaryConditions, prolonged: &Prolonged) -> Vec<NamedCondition> {
    let mut list = Vec::new();
    for (j, unknown) in model.unknowns.iter().enumerate() {
        let own = unknown.start.iter().map(|start| (0, start));
        for (order, start) in own.chain(unknown.derivative_starts.iter().map(|(order, start)| (*order, start))) {
            if start.kind != Start::Fixed || prolonged.jet(j, order).is_none() {
                continue;
            }
            let symbol = boundary.leaf(UnknownId(j as u32), order, START);
            let condition = Condition { left: model.dag.symbol(symbol), right: start.value, origin: start.origin };
            let name = format!("start of {}", derivative_name(&unknown.name, order));
            list.push(NamedCondition { name, condition, source: Source::Start });
        }
    }
    list
}
