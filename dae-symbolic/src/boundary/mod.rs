//! The boundary value problem that a text poses.
//!
//! In: the boundary conditions of the text, fixed start values, and problems of optimal control. Out: all conditions,
//! as programs of the prolongation ([`BoundaryProgram`]); or what is wrong with them. A problem is posed by a block of
//! boundary conditions, or by one of optimal control in which no adjoint has a fixed start value:
//!
//! * A fixed start value is a condition at the start.
//! * A state $y$ of a problem of optimal control that no start value and no condition fixes at $t_0$ has an adjoint
//!   with $v(t_0) = 0$; one that no condition fixes at $t_e$ has an adjoint with $v(t_e) = \psi_y^\top$ (Hairer & Wanner
//!   II, Sect. VII.1, eqs. (1.34)–(1.36)). A free end adds $H + \psi_t = 0$ at $t_e$.
//!
//! There must be as many conditions as degrees of freedom, free parameters and free ends (`count.rs`), and none may
//! follow from others (`dependence.rs`). A block of optimal control alone poses no problem where the number does not fit.

mod count;
mod dependence;
mod problem;

pub use problem::{BoundaryProblem, NamedCondition, Source};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Node, Rational, Symbol, UnknownId, differentiate, reachable, substitute, symbols};
use crate::index::Analysis;
use crate::model::{
    BoundaryConditions, Condition, Derivation, Model, OptimalControl, PointTime, PointValue, Start, derivative_name,
    residual,
};
use crate::origin::Origin;
use crate::prolongation::{BoundaryProgram, Prolonged};

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
    let controls: Vec<OptimalControl> = model.derivations.iter().filter_map(control).cloned().collect();
    let is_written = model.boundary.is_some();
    let is_fixed = |unknown: &UnknownId| fixed_start(model, *unknown);
    if !is_written && (controls.is_empty() || controls.iter().any(|it| it.adjoints.iter().any(is_fixed))) {
        return Ok(None);
    }
    let problem = assemble(model, &controls, prolonged)?;
    checked_values(model, &problem, prolonged)?;
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

fn control(derivation: &Derivation) -> Option<&OptimalControl> {
    match derivation {
        Derivation::OptimalControl(it) => Some(it),
        _ => None,
    }
}

fn fixed_start(model: &Model, unknown: UnknownId) -> bool {
    let unknown = model.unknowns.get(unknown.index());
    unknown.and_then(|unknown| unknown.start.as_ref()).is_some_and(|start| start.kind == Start::Fixed)
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

/// Positions of the ends among the times of conditions.
const START: usize = 0;
const END: usize = 1;

/// The conditions of optimal control, where no other condition takes their place.
fn transversality(
    model: &mut Model,
    boundary: &mut BoundaryConditions,
    it: &OptimalControl,
    written: &[Condition],
) -> Vec<Condition> {
    let fixes = |dag: &Dag, boundary: &BoundaryConditions, unknown: UnknownId, time: usize| {
        let value = PointValue { unknown, order: 0, time };
        written.iter().any(|condition| only_value(dag, boundary, condition) == Some(value))
    };
    let mut list = Vec::new();
    for (&state, &adjoint) in it.states.iter().zip(&it.adjoints) {
        let given = [state, adjoint].iter().any(|&it| fixed_start(model, it) || fixes(&model.dag, boundary, it, START));
        if !given {
            let left = boundary.leaf(adjoint, 0, START);
            let (left, right) = (model.dag.symbol(left), model.dag.integer(0));
            list.push(Condition { left, right, origin: origin_of(model, adjoint) });
        }
    }
    for ((&state, &adjoint), end) in it.states.iter().zip(&it.adjoints).zip(&it.end) {
        if [state, adjoint].iter().any(|&it| fixes(&model.dag, boundary, it, END)) {
            continue;
        }
        let left = boundary.leaf(adjoint, 0, END);
        let left = model.dag.symbol(left);
        let right = match end {
            Some(slope) => at_end(&mut model.dag, boundary, *slope),
            None => model.dag.integer(0),
        };
        list.push(Condition { left, right, origin: origin_of(model, adjoint) });
    }
    list
}

fn origin_of(model: &Model, unknown: UnknownId) -> Origin {
    model.unknowns.get(unknown.index()).map_or(Origin::NONE, |unknown| unknown.origin)
}

/// The value of a condition that contains a single one.
fn only_value(dag: &Dag, boundary: &BoundaryConditions, condition: &Condition) -> Option<PointValue> {
    let used = symbols(dag, [condition.left, condition.right]);
    let mut values = used.into_iter().filter_map(|symbol| match symbol {
        Symbol::State(k) => boundary.values.get(k as usize).copied(),
        _ => None,
    });
    values.next().filter(|_| values.next().is_none())
}

/// An expression of unknowns, taken at the end.
fn at_end(dag: &mut Dag, boundary: &mut BoundaryConditions, value: Expr) -> Expr {
    let taken = substitute(dag, &[value], |dag, symbol| match symbol {
        Symbol::Unknown { unknown, order } => {
            let symbol = boundary.leaf(unknown, order, END);
            Some(dag.symbol(symbol))
        }
        Symbol::Time => Some(dag.symbol(Symbol::StateDerivative(END as u32))),
        _ => None,
    });
    taken.first().copied().unwrap_or(value)
}

/// $H + \psi_t = 0$ at the end.
fn optimal_end(
    model: &mut Model,
    boundary: &mut BoundaryConditions,
    controls: &[OptimalControl],
) -> Result<Condition, Diagnostics> {
    let mut terms = Vec::new();
    for it in controls {
        terms.push((Rational::ONE, it.hamiltonian));
        if let Some(cost) = it.terminal_cost {
            terms.push((Rational::ONE, differentiate(&mut model.dag, cost, Symbol::Time)));
        }
    }
    let value = model.dag.sum(terms);
    let value = model.expand_inputs(&[value])[0];
    let origin = boundary.free_end.unwrap_or(boundary.origin);
    if reachable(&model.dag, [value]).iter().any(|&expr| matches!(model.dag.node(expr), Node::Call(..))) {
        let message = "where the end is free, the Hamiltonian is zero there, and it contains a table or a function outside the model";
        let finding = Diagnostic::error(Code::InvalidCondition, message).label(origin, "free here");
        return Err(finding.help("write it with expressions of the model, or do not make the end free").into());
    }
    let (left, right) = (at_end(&mut model.dag, boundary, value), model.dag.integer(0));
    Ok(Condition { left, right, origin })
}

/// Checks that all values are among the jets, and that times between the ends are known.
fn checked_values(model: &Model, problem: &BoundaryProblem, prolonged: &Prolonged) -> Result<(), Diagnostics> {
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
