//! Statements that `lagrangian` and `hamiltonian` blocks have in common.
//!
//! In: energies, forces, constraints and the name of the energy, as written. Out: their values; or findings.

use super::super::lowering::Lowering;
use super::{Block, Group};
use crate::derive::lagrangian::{Constraint, Energy};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, UnknownId};
use crate::model::DeclaredInvariant;
use crate::syntax::ast::{Element, Equation, Expression, Item, ItemKind, List, Quantity, Relation};
use crate::syntax::validate::Place;

impl Block<'_> {
    /// Whether the energy is declared to be constant.
    pub(super) fn is_conserved(&self) -> bool {
        self.items.iter().any(|item| matches!(item.kind, ItemKind::Invariant(_)))
    }
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn energy(
        &mut self,
        position: usize,
        block: &Block<'a>,
        quantity: Quantity,
        name: &'static str,
    ) -> Option<Energy> {
        let (value, _) = *block.quantities.get(&quantity)?;
        let origin = self.written.expressions.origin(value.root);
        let value = self.value(Some(value), position, Place::Equation)?.expr;
        Some(Energy { name, value, origin })
    }

    /// Reports energies that are missing or given twice; `of` is the word for what the kinetic energy depends on beside
    /// coordinates.
    pub(super) fn check_energies(&mut self, block: &Block<'a>, whole: Quantity, [name, word, of]: [&str; 3]) {
        let place = |quantity| block.quantities.get(&quantity).map(|(_, origin)| *origin);
        match (place(whole), place(Quantity::Kinetic).or(place(Quantity::Potential))) {
            (Some(whole), Some(part)) => {
                let message = format!("the {name} is given twice: as a whole, and by its energies");
                let finding = Diagnostic::error(Code::RepeatedPart, message);
                let finding = finding.label(whole, "as a whole").label(part, "by its parts");
                self.found.push(finding.help(format!("keep one: `kinetic` and `potential`, or `{word}`")));
            }
            (None, None) => {
                let help = format!("write `kinetic = …;` and `potential = …;`, or `{word} = …;`");
                self.missing(block, format!("neither energies nor the {name} are given"), &help);
            }
            (None, Some(_)) if place(Quantity::Kinetic).is_none() => {
                let help = format!("write `kinetic = …;` of the coordinates and their {of}");
                self.missing(block, "the kinetic energy is missing".into(), &help);
            }
            _ => {}
        }
    }

    /// The forces, with the positions of their coordinates, the constraints, and the groups that these form; `advice` is
    /// for those who name one of the unknowns in it in place of a coordinate.
    pub(super) fn forces_and_constraints(
        &mut self,
        position: usize,
        block: &Block<'a>,
        (coordinates, advice): (&[UnknownId], (&'static str, &[UnknownId])),
    ) -> (Vec<(usize, Expr)>, Vec<Constraint>, Vec<Group>) {
        let (mut forces, mut constraints, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        self.items(position, block.items, |this, item, group| match &item.kind {
            ItemKind::Force(coordinate, value) => {
                forces.extend(this.forces(position, block, (coordinate, *value), (coordinates, advice), group));
            }
            ItemKind::Constraint(multiplier, Relation::Equal, equation) => {
                constraints.extend(this.constraints(position, item, (multiplier, Relation::Equal, equation), group));
                groups.push(group.clone());
            }
            ItemKind::List(..)
            | ItemKind::Quantity(..)
            // Inequalities have been reported.
            | ItemKind::Constraint(..)
            | ItemKind::Dynamics(_)
            | ItemKind::Horizon(..)
            | ItemKind::Condition(_)
            | ItemKind::Free(_)
            | ItemKind::Invariant(_)
            | ItemKind::For(_) => {}
        });
        (forces, constraints, groups)
    }

    /// Adds the energy to the invariants under the names that the block gives to it.
    pub(super) fn conserved(&mut self, block: &Block<'a>, energy: Expr) {
        for item in block.items {
            let ItemKind::Invariant(name) = &item.kind else { continue };
            let (docs, origin) = (item.docs.clone(), name.origin);
            self.model.invariants.push(DeclaredInvariant { name: name.text.clone(), docs, value: energy, origin });
        }
    }

    /// The forces of a statement, each with the position of the coordinate on which it acts; `advice` is for those who
    /// name one of the `others` in place of a coordinate.
    fn forces(
        &mut self,
        position: usize,
        block: &Block<'a>,
        (coordinate, value): (&'a Element, Expression),
        (coordinates, advice): (&[UnknownId], (&'static str, &[UnknownId])),
        group: &Group,
    ) -> Vec<(usize, Expr)> {
        coordinate.indices.iter().for_each(|index| self.resolve(*index, position, Place::Extent));
        self.resolve(value, position, Place::Equation);
        let mut forces = Vec::new();
        self.members(group, |this| {
            let place = this.force_on(block, coordinates, coordinate, advice);
            let value = this.evaluate_scalar(value);
            forces.extend(place.zip(value.map(|value| value.expr)));
        });
        forces
    }

    /// The position, among the coordinates, of the one that a force acts on.
    fn force_on(
        &mut self,
        block: &Block<'a>,
        coordinates: &[UnknownId],
        it: &Element,
        (advice, others): (&'static str, &[UnknownId]),
    ) -> Option<usize> {
        let unknown = self.named_element(it, "coordinate")?;
        let name = &it.name;
        let place = coordinates.iter().position(|&coordinate| coordinate == unknown);
        if place.is_none() && block.lists.contains_key(&List::Coordinates) {
            let message = format!("a force acts on a coordinate, and `{}` is none", name.text);
            let finding = Diagnostic::error(Code::NotAnUnknown, message).label(name.origin, "not a coordinate");
            let help = match others.contains(&unknown) {
                true => advice,
                false => "add it to the `coordinates`, or write its equation beside the block",
            };
            self.found.push(finding.help(help));
        }
        place
    }

    /// The constraints of a statement.
    pub(super) fn constraints(
        &mut self,
        position: usize,
        item: &Item,
        (multiplier, relation, equation): (&'a Element, Relation, &'a Equation),
        group: &Group,
    ) -> Vec<Constraint> {
        multiplier.indices.iter().for_each(|index| self.resolve(*index, position, Place::Extent));
        self.resolve_equation(equation, position);
        let mut constraints = Vec::new();
        self.members(group, |this| constraints.extend(this.constraint(item, multiplier, relation, equation)));
        constraints
    }

    /// A constraint $g = 0$ or $g \le 0$.
    fn constraint(
        &mut self,
        item: &Item,
        multiplier: &'a Element,
        relation: Relation,
        equation: &Equation,
    ) -> Option<Constraint> {
        let unknown = self.named_element(multiplier, "multiplier");
        let known = unknown.and_then(|unknown| self.part(unknown, &multiplier.name, "multiplier"));
        let value = match relation {
            Relation::Equal => self.residual(equation)?,
            Relation::AtMost => self.difference(equation.left?, equation.right?)?,
            Relation::AtLeast => self.difference(equation.right?, equation.left?)?,
        };
        let mut docs = item.docs.clone();
        if docs.is_empty() {
            let name = known.map_or_else(|| multiplier.name.text.clone(), |known| self.leaf_name(known.unknown));
            docs.push(format!("Constraint with the multiplier `{name}`."));
        }
        Some(Constraint {
            multiplier: known?.unknown,
            residual: value.expr,
            incidence: self.evaluator.sets.highest_orders(value.unknowns),
            docs,
            origin: item.origin,
        })
    }
}
