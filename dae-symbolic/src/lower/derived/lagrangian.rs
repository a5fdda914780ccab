//! `lagrangian { … }`.
//!
//! In: the statements of the block. Out: its equations in the model, and what they were derived from; or findings.

use super::super::statements::Lowering;
use super::{Block, Known};
use crate::derive::lagrangian::{Constraint, Coordinate, Energy, Lagrangian, derive};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Rational;
use crate::model::Derivation;
use crate::model::family::EquationFamily;
use crate::syntax::ast::{Equation, Item, ItemKind, List, Name, Quantity};
use crate::syntax::restrict::Place;

impl<'a> Lowering<'a, '_> {
    pub(super) fn lagrangian(&mut self, position: usize, block: &Block<'a>) {
        let findings = self.found.len();
        let system = self.mechanics(position, block);
        if self.found.len() > findings || block.doubtful {
            return;
        }
        let written = self.unknown_names();
        match derive(&mut self.evaluator.dag, &system, &|symbol| super::symbol_name(&written, symbol)) {
            Ok(mut derived) => {
                let first = self.model.equations.len();
                derived.mechanics.equations = first..first + derived.equations.len();
                self.model.equations.extend(derived.equations.into_iter().map(EquationFamily::from));
                self.model.derivations.push(Derivation::Mechanics(derived.mechanics));
            }
            Err(found) => self.found.append(found),
        }
    }

    fn mechanics(&mut self, position: usize, block: &Block<'a>) -> Lagrangian {
        let coordinates = self.coordinates(block);
        let energies = self.energies(position, block);
        let dissipation = self.energy(position, block, Quantity::Dissipation, "dissipation function");
        let mut system = Lagrangian { coordinates, energies, dissipation, ..Lagrangian::default() };
        for item in block.items {
            match &item.kind {
                ItemKind::Force(coordinate, value) => {
                    let place = self.force_on(block, &system, coordinate);
                    let value = self.value(Some(*value), position, Place::Equation);
                    system.forces.extend(place.zip(value.map(|value| value.expr)));
                }
                ItemKind::Constraint(multiplier, equation) => {
                    let constraint = self.constraint(position, item, multiplier, equation);
                    system.constraints.extend(constraint);
                }
                ItemKind::List(..) | ItemKind::Quantity(..) | ItemKind::Dynamics(_) | ItemKind::Horizon(..) => {}
            }
        }
        system
    }

    fn coordinates(&mut self, block: &Block<'a>) -> Vec<Coordinate> {
        let coordinates = self.list(block, List::Coordinates);
        if coordinates.is_empty() {
            let help = "name the unknowns that describe the position: `coordinates x, y;`";
            self.missing(block, "a Lagrangian needs generalised coordinates".into(), help);
        }
        let velocities = self.list(block, List::Velocities);
        let velocities: Vec<Option<Known<'_>>> = if velocities.is_empty() {
            vec![None; coordinates.len()]
        } else {
            self.pairs(block, List::Coordinates, List::Velocities);
            velocities
        };
        let pairs = coordinates.into_iter().zip(velocities);
        pairs
            .filter_map(|(coordinate, velocity)| {
                let Known { unknown, name } = coordinate?;
                Some(Coordinate { unknown, velocity: velocity.map(|it| it.unknown), origin: name.origin })
            })
            .collect()
    }

    /// The terms of $L$: $T - U$, or $L$ itself.
    fn energies(&mut self, position: usize, block: &Block<'a>) -> Vec<(Rational, Energy)> {
        let kinetic = self.energy(position, block, Quantity::Kinetic, "kinetic energy");
        let potential = self.energy(position, block, Quantity::Potential, "potential energy");
        let whole = self.energy(position, block, Quantity::Lagrangian, "Lagrangian");
        let place = |quantity| block.quantities.get(&quantity).map(|(_, origin)| *origin);
        match (place(Quantity::Lagrangian), place(Quantity::Kinetic).or(place(Quantity::Potential))) {
            (Some(whole), Some(part)) => {
                let message = "the Lagrangian is given twice: as a whole, and by its energies";
                let finding = Diagnostic::error(Code::RepeatedPart, message);
                let finding = finding.label(whole, "as a whole").label(part, "by its parts");
                self.found.push(finding.help("keep one: `kinetic` and `potential`, or `lagrangian`"));
            }
            (None, None) => {
                let help = "write `kinetic = …;` and `potential = …;`, or `lagrangian = …;`";
                self.missing(block, "neither energies nor the Lagrangian are given".into(), help);
            }
            (None, Some(_)) if place(Quantity::Kinetic).is_none() => {
                let help = "write `kinetic = …;` of the coordinates and their velocities";
                self.missing(block, "the kinetic energy is missing".into(), help);
            }
            _ => {}
        }
        let plus = [kinetic, whole].into_iter().flatten().map(|energy| (Rational::ONE, energy));
        plus.chain(potential.map(|energy| (Rational::MINUS_ONE, energy))).collect()
    }

    fn energy(&mut self, position: usize, block: &Block<'a>, quantity: Quantity, name: &'static str) -> Option<Energy> {
        let (value, _) = *block.quantities.get(&quantity)?;
        let origin = self.written.expressions.origin(value.root);
        let value = self.value(Some(value), position, Place::Equation)?.expr;
        Some(Energy { name, value, origin })
    }

    /// The position of a coordinate that a force acts on.
    fn force_on(&mut self, block: &Block<'a>, system: &Lagrangian, name: &Name) -> Option<usize> {
        let unknown = self.declared_unknown(name, "coordinate")?;
        let place = system.coordinates.iter().position(|coordinate| coordinate.unknown == unknown);
        if place.is_none() && block.lists.contains_key(&List::Coordinates) {
            let message = format!("a force acts on a coordinate, and `{}` is none", name.text);
            let finding = Diagnostic::error(Code::NotAnUnknown, message).label(name.origin, "not a coordinate");
            let of_velocity = system.coordinates.iter().find(|c| c.velocity == Some(unknown));
            let help = match of_velocity {
                Some(_) => "name the coordinate, not its velocity",
                None => "add it to the `coordinates`, or write its equation beside the block",
            };
            self.found.push(finding.help(help));
        }
        place
    }

    fn constraint(
        &mut self,
        position: usize,
        item: &Item,
        multiplier: &'a Name,
        equation: &Equation,
    ) -> Option<Constraint> {
        let known = self.part(multiplier, "multiplier");
        let value = self.residual(equation, position)?;
        let mut docs = item.docs.clone();
        if docs.is_empty() {
            docs.push(format!("Constraint with the multiplier `{}`.", multiplier.text));
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
