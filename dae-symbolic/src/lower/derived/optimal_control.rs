//! `optimal_control { … }`.
//!
//! In: the statements of the block. Out: its equations in the model, and the description that they were derived from;
//! or findings.

use super::super::lowering::Lowering;
use super::{Block, Group, Known};
use crate::derive::optimal_control::{Control, ControlProblem, Cost, PathConstraint, State, derive};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, Node, Symbol, UnknownId};
use crate::model::Derivation;
use crate::origin::Origin;
use crate::syntax::ast::{Equation, Item, ItemKind, List, Quantity, Relation};
use crate::syntax::validate::Place;
use std::collections::HashMap;

/// The right-hand side $f_k$ of $y_k' = f_k$, with the incidence of the equation.
struct Dynamics {
    value: Expr,
    incidence: Vec<(UnknownId, u32)>,
    docs: Vec<String>,
    origin: Origin,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn optimal_control(&mut self, position: usize, block: &Block<'a>) {
        let findings = self.found.len();
        let problem = self.control_problem(position, block);
        let Some((problem, of_constraints)) = problem.filter(|_| self.found.len() == findings && !block.doubtful)
        else {
            return;
        };
        let written = self.unknown_names();
        match derive(&mut self.evaluator.dag, &problem, &|symbol| super::symbol_name(&written, symbol)) {
            Ok(mut derived) => {
                let states = self.groups(block, List::States);
                let groups = states.clone().into_iter().chain(states).chain(self.groups(block, List::Controls));
                let groups = groups.chain(of_constraints);
                derived.problem.equations = self.add_equations(derived.equations, groups);
                self.model.derivations.push(Derivation::OptimalControl(derived.problem));
            }
            Err(found) => self.found.append(found),
        }
    }

    /// The problem, and the groups that its constraints form.
    fn control_problem(&mut self, position: usize, block: &Block<'a>) -> Option<(ControlProblem, Vec<Group>)> {
        let (states, adjoints) = (self.list(block, List::States), self.list(block, List::Adjoints));
        let controls = self.list(block, List::Controls);
        if states.is_empty() {
            let help = "name the unknowns whose dynamics are given: `states y;`";
            self.missing(block, "an optimal control problem needs states".into(), help);
        }
        if controls.is_empty() {
            let help = "name the unknowns to choose: `controls u;`";
            self.missing(block, "an optimal control problem needs controls".into(), help);
        }
        let paired = self.pairs(block, (List::States, List::Adjoints), (states.len(), adjoints.len()));
        let (constraints, of_constraints) = self.path_constraints(position, block);
        let mut dynamics = self.all_dynamics(position, block, &states);
        let running = self.cost(position, block, Quantity::RunningCost);
        let terminal = self.cost(position, block, Quantity::TerminalCost);
        let costs = [Quantity::RunningCost, Quantity::TerminalCost];
        if !costs.iter().any(|cost| block.quantities.contains_key(cost)) {
            let help = "write `running_cost = …;`, its integral over the horizon, or `terminal_cost = …;` of the states at its end";
            self.missing(block, "there is nothing to minimise".into(), help);
        }
        let barrier = self.barrier(position, block, &constraints);
        let horizon = self.horizon(position, block);
        paired?;
        let mut complete = Vec::new();
        for (state, adjoint) in states.into_iter().zip(adjoints) {
            let Known { unknown, name } = state?;
            let Some(it) = dynamics.remove(&unknown) else {
                let state = self.leaf_name(unknown);
                let message = format!("the state `{state}` has no dynamics");
                let finding = Diagnostic::error(Code::IncompleteDerivation, message).label(name.origin, "this state");
                self.found.push(finding.help(format!("write `der({state}) = …;` in the block")));
                continue;
            };
            let Dynamics { value, incidence, docs, origin } = it;
            let adjoint = adjoint?.unknown;
            complete.push(State {
                unknown,
                adjoint,
                origin: name.origin,
                dynamics: value,
                place: origin,
                incidence,
                docs,
            });
        }
        let controls: Option<Vec<Control>> = controls
            .into_iter()
            .map(|it| it.map(|it| Control { unknown: it.unknown, origin: it.name.origin }))
            .collect();
        let problem = ControlProblem {
            states: complete,
            controls: controls?,
            constraints,
            barrier,
            running,
            terminal,
            horizon: horizon?,
        };
        Some((problem, of_constraints))
    }

    /// The constraints, and the groups that they form.
    fn path_constraints(&mut self, position: usize, block: &Block<'a>) -> (Vec<PathConstraint>, Vec<Group>) {
        let (mut constraints, mut groups) = (Vec::new(), Vec::new());
        self.items(position, block.items, |this, item, group| {
            let ItemKind::Constraint(multiplier, relation, sides) = &item.kind else { return };
            let found = this.constraints(position, item, (multiplier, *relation, sides), group).into_iter();
            let is_inequality = *relation != Relation::Equal;
            constraints.extend(found.map(|constraint| PathConstraint { constraint, is_inequality }));
            groups.push(group.clone());
        });
        (constraints, groups)
    }

    /// The barrier parameter of inequality constraints.
    fn barrier(&mut self, position: usize, block: &Block<'a>, constraints: &[PathConstraint]) -> Option<Expr> {
        let first = constraints.iter().find(|it| it.is_inequality);
        match (block.quantities.get(&Quantity::Barrier), first) {
            (Some(&(value, _)), Some(_)) => Some(self.value(Some(value), position, Place::Barrier)?.expr),
            (None, None) => None,
            (None, Some(first)) => {
                let message = "inequality constraints need a barrier parameter";
                let finding = Diagnostic::error(Code::IncompleteDerivation, message)
                    .label(first.constraint.origin, "an inequality")
                    .help("declare `param beta = 1e-6;` and write `barrier = beta;`: the solution satisfies `multiplier * slack = beta`");
                self.found.push(finding);
                None
            }
            (Some((_, origin)), None) if !block.doubtful => {
                let message = "there is a barrier parameter, and no inequality constraint";
                let finding =
                    Diagnostic::error(Code::InvalidControlProblem, message).label(*origin, "of no constraint");
                self.found.push(finding.help("remove it, or write constraints with `<=` or `>=`"));
                None
            }
            (Some(_), None) => None,
        }
    }

    fn cost(&mut self, position: usize, block: &Block<'a>, quantity: Quantity) -> Option<Cost> {
        let (value, _) = *block.quantities.get(&quantity)?;
        let origin = self.written.expressions.origin(value.root);
        Some(Cost { value: self.value(Some(value), position, Place::Equation)?.expr, origin })
    }

    pub(super) fn horizon(&mut self, position: usize, block: &Block<'a>) -> Option<(Expr, Expr)> {
        let horizons = block.items.iter().filter_map(|item| match item.kind {
            ItemKind::Horizon(from, to) => Some((item.origin, from, to)),
            _ => None,
        });
        let horizons: Vec<_> = horizons.collect();
        let Some(&(first, from, to)) = horizons.first() else {
            let help = "write `horizon(0, 1);`, the first and the last time";
            self.missing(block, "the horizon is missing".into(), help);
            return None;
        };
        if let Some((again, ..)) = horizons.get(1) {
            let finding = Diagnostic::error(Code::RepeatedPart, "`horizon` is given twice");
            let finding = finding.label(*again, "given again").label(first, "first given here");
            self.found.push(finding.help("remove one of them"));
        }
        let from = self.value(Some(from), position, Place::Horizon)?.expr;
        let to = self.value(Some(to), position, Place::Horizon)?.expr;
        Some((from, to))
    }

    fn all_dynamics(
        &mut self,
        position: usize,
        block: &Block<'a>,
        states: &[Option<Known<'a>>],
    ) -> HashMap<UnknownId, Dynamics> {
        let mut dynamics: HashMap<UnknownId, Dynamics> = HashMap::new();
        self.items(position, block.items, |this, item, group| {
            let ItemKind::Dynamics(equation) = &item.kind else { return };
            this.resolve_equation(equation, position);
            this.members(group, |this| {
                let Some((unknown, it)) = this.dynamics(item, equation) else { return };
                if let Some(first) = dynamics.get(&unknown) {
                    let finding = Diagnostic::error(Code::RepeatedPart, "a state has two dynamics");
                    let finding = finding.label(it.origin, "given again").label(first.origin, "first given here");
                    this.found.push(finding.help("remove one of them"));
                } else if states.iter().flatten().any(|state| state.unknown == unknown) {
                    dynamics.insert(unknown, it);
                } else if states.iter().all(Option::is_some) {
                    this.no_state(unknown, it.origin);
                }
            });
        });
        dynamics
    }

    fn no_state(&mut self, unknown: UnknownId, origin: Origin) {
        let name = self.leaf_name(unknown);
        let message = format!("`{name}` has dynamics in the block and is no state");
        let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(origin, "not of a state");
        self.found.push(finding.help(format!("add `{name}` to the `states`, with an adjoint")));
    }

    /// The dynamics `der(y) = f`, and the unknown `y`.
    fn dynamics(&mut self, item: &Item, equation: &Equation) -> Option<(UnknownId, Dynamics)> {
        let left = self.evaluate_scalar(equation.left?);
        let right = self.evaluate_scalar(equation.right?);
        let (left, right) = (left?, right?);
        let Node::Symbol(Symbol::Unknown { unknown, order: 1 }) = *self.evaluator.dag.node(left.expr) else {
            let at = equation.left.map_or(item.origin, |left| self.written.expressions.origin(left.root));
            let message = "dynamics are written `der(y) = …;` with the first derivative of a state on the left";
            let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(at, "not such a derivative");
            self.found
                .push(finding.help("solve for the derivative; write second derivatives with a state for the first"));
            return None;
        };
        let unknowns = self.evaluator.sets.union([left.unknowns, right.unknowns]);
        let incidence = self.evaluator.sets.highest_orders(unknowns);
        Some((unknown, Dynamics { value: right.expr, incidence, docs: item.docs.clone(), origin: item.origin }))
    }
}
