//! `boundary { … }`.
//!
//! In: the statements of the block. Out: the conditions in the model, or findings. Integrals become unknowns with an
//! equation and the start value zero, once all declared unknowns are in the model.

use super::super::lowering::Lowering;
use super::super::names::Entity;
use super::super::points::{End, Integral};
use super::Block;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, Node, ParameterId, Symbol, reachable, symbols};
use crate::model::family::{Body, EquationBody, EquationFamily, UnknownArray};
use crate::model::{BoundaryConditions, Condition, residual};
use crate::origin::Origin;
use crate::syntax::ast::{Equation, ItemKind, Name};

impl<'a> Lowering<'a, '_> {
    pub(super) fn boundary(&mut self, position: usize, block: &Block<'a>) {
        if let Some(first) = &self.model.boundary {
            let finding = Diagnostic::error(Code::RepeatedPart, "there are two blocks of boundary conditions")
                .label(block.opening, "the second")
                .label(first.origin, "the first");
            self.found.push(finding.help("write all conditions in one block"));
            return;
        }
        let mut boundary = BoundaryConditions::none(block.opening);
        for name in ["t0", "t_end"] {
            if let Some(entry) = self.names.get(name) {
                let message =
                    format!("`{name}` cannot be declared: it is an end of the interval in boundary conditions");
                let finding = Diagnostic::error(Code::ReservedName, message).label(entry.origin, "declared here");
                self.found.push(finding.label(block.opening, "boundary conditions").help("choose another name"));
            }
        }
        if block.items.iter().any(|item| matches!(item.kind, ItemKind::Horizon(..))) {
            boundary.horizon = self.horizon(position, block);
        }
        self.items(position, block.items, |this, item, group| match &item.kind {
            ItemKind::Condition(equation) => {
                for side in [equation.left, equation.right].into_iter().flatten() {
                    this.resolver.condition(side, position, this.found);
                }
                this.members(group, |this| {
                    boundary.conditions.extend(this.boundary_condition(equation, item.origin));
                });
            }
            ItemKind::Free(names) => names.iter().for_each(|name| this.free_quantity(name, &mut boundary)),
            _ => {}
        });
        self.model.boundary = Some(boundary);
    }

    fn boundary_condition(&mut self, it: &Equation, origin: Origin) -> Option<Condition> {
        let (left, right) = (self.evaluate_scalar(it.left?), self.evaluate_scalar(it.right?));
        let (left, right) = (left?.expr, right?.expr);
        let used = symbols(&self.evaluator.dag, [left, right]);
        if let Some(&Symbol::Unknown { unknown, .. }) = used.iter().find(|s| matches!(s, Symbol::Unknown { .. })) {
            let name = self.leaf_name(unknown);
            let message = format!("`{name}` stands in a condition without a time");
            let finding =
                Diagnostic::error(Code::InvalidCondition, message).label(origin, format!("contains `{name}`"));
            self.found.push(finding.help("take sub-expressions at a time, too: `e(t0)`"));
            return None;
        }
        let is_call = |expr: &Expr| matches!(self.evaluator.dag.node(*expr), Node::Call(..));
        let what = if used.contains(&Symbol::Time) {
            "the time `t`"
        } else if used.iter().any(|symbol| matches!(symbol, Symbol::Input { .. })) {
            "an input"
        } else if reachable(&self.evaluator.dag, [left, right]).iter().any(is_call) {
            "a table or an external function"
        } else if !used.iter().any(|symbol| matches!(symbol, Symbol::State(_))) {
            let finding = Diagnostic::error(Code::InvalidCondition, "this condition contains no unknown")
                .label(origin, "restricts no solution");
            self.found.push(finding.help("write a condition such as `y(t0) = 1;`"));
            return None;
        } else {
            return Some(Condition { left, right, origin });
        };
        let finding = Diagnostic::error(Code::InvalidCondition, format!("this condition contains {what}"))
            .label(origin, "not allowed in it");
        self.found.push(finding.help("write it in terms of unknowns at times, parameters, `t0` and `t_end`"));
        None
    }

    fn free_quantity(&mut self, name: &Name, boundary: &mut BoundaryConditions) {
        let again = |first: Origin| {
            let finding = Diagnostic::error(Code::RepeatedPart, format!("`{}` is free twice", name.text));
            finding.label(name.origin, "named again").label(first, "first named here").help("remove one of them")
        };
        match End::of_name(&name.text) {
            Some(End::End) => {
                match boundary.free_end {
                    Some(first) => self.found.push(again(first)),
                    None => boundary.free_end = Some(name.origin),
                }
                return;
            }
            Some(End::Start) => {
                let finding = Diagnostic::error(Code::InvalidFree, "the start `t0` is given, and cannot be free")
                    .label(name.origin, "not a free quantity");
                self.found.push(finding.help("make the end free: `free t_end;`"));
                return;
            }
            None => {}
        }
        let Some(entry) = self.names.get(&name.text) else {
            if !self.written.doubtful.contains(&name.text) {
                self.found.push(self.resolver.unknown_name(&name.text, name.origin));
            }
            return;
        };
        let Entity::Parameter(parameter) = entry.entity else {
            let message = format!("a free quantity is a parameter, and `{}` is {}", name.text, entry.entity.noun());
            let finding = Diagnostic::error(Code::InvalidFree, message)
                .label(name.origin, "not a parameter")
                .label(entry.origin, format!("`{}` is declared here", name.text));
            self.found.push(finding.help(match entry.entity {
                Entity::Unknown(_) => "unknowns are determined in any case: remove it",
                _ => "declare it with `param`; its default is the first guess",
            }));
            return;
        };
        match boundary.free_parameters.iter().find(|(known, _)| *known == parameter) {
            Some(&(_, first)) => self.found.push(again(first)),
            None => boundary.free_parameters.push((ParameterId(parameter.0), name.origin)),
        }
    }

    /// Adds the values at times to the model, and the unknowns that are integrals.
    pub(in crate::lower) fn finish_boundary(&mut self) {
        let points = std::mem::take(&mut self.evaluator.points);
        for (k, integral) in points.integrals.iter().enumerate() {
            self.add_integral(k, *integral);
        }
        if let Some(boundary) = &mut self.model.boundary {
            (boundary.values, boundary.times) = (points.values, points.times);
        }
    }

    fn add_integral(&mut self, k: usize, integral: Integral) {
        let name = self.free_name((k + 1..).map(|n| format!("integral_{n}")));
        let Integral { unknown, integrand, origin } = integral;
        let array = self.model.unknowns.len();
        let dag = &mut self.evaluator.dag;
        let (zero, rate) = (dag.integer(0), dag.symbol(Symbol::Unknown { unknown, order: 1 }));
        let residual = residual(dag, rate, integrand.expr);
        let own = self.evaluator.sets.occurrence(unknown, 1);
        let unknowns = self.evaluator.sets.union([own, integrand.unknowns]);
        let incidence = self.evaluator.sets.highest_orders(unknowns);
        self.model.equations.push(EquationFamily {
            name: format!("integrand of {name}"),
            docs: vec![format!("Integrand of `{name}`.")],
            loops: Vec::new(),
            body: Body::Template(EquationBody { residual, incidence }),
            origin,
        });
        let docs = vec!["Integral of a boundary condition, from `t0` on.".into()];
        let integral = UnknownArray { name, docs, extents: Vec::new(), nominal: 1.0, is_discrete: false, origin };
        self.add_unknown(array, integral, zero);
    }
}
