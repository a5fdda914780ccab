//! The boundary conditions of optimal control.
//!
//! In: problems of optimal control, fixed start values, the conditions of the text. Out: the conditions that take the place
//! of those that are not given (Hairer & Wanner II, Sect. VII.1, eqs. (1.34)–(1.36)):
//!
//! * A state $y$ that no start value and no condition fixes at $t_0$ has an adjoint with $v(t_0) = 0$.
//! * One that no condition fixes at $t_e$ has an adjoint with $v(t_e) = \psi_y^\top$.
//! * A free end adds $H + \psi_t = 0$ at $t_e$.

use super::problem::{END, START};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Node, Rational, Symbol, UnknownId, differentiate, reachable, substitute, symbols};
use crate::model::{BoundaryConditions, Condition, Derivation, Model, OptimalControl, PointValue, Start};
use crate::origin::Origin;

/// The problems of optimal control of a model.
pub(super) fn controls(model: &Model) -> Vec<OptimalControl> {
    let controls = model.derivations.iter().filter_map(|derivation| match derivation {
        Derivation::OptimalControl(it) => Some(it),
        _ => None,
    });
    controls.cloned().collect()
}

/// Whether an unknown has a fixed start value.
pub(super) fn has_fixed_start(model: &Model, unknown: UnknownId) -> bool {
    let unknown = model.unknowns.get(unknown.index());
    unknown.and_then(|unknown| unknown.start.as_ref()).is_some_and(|start| start.kind == Start::Fixed)
}

/// The conditions of optimal control, where no other condition takes their place.
pub(super) fn transversality(
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
        let given =
            [state, adjoint].iter().any(|&it| has_fixed_start(model, it) || fixes(&model.dag, boundary, it, START));
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

/// The value in a condition that contains a single one.
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
pub(super) fn optimal_end(
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
