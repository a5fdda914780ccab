//! `lagrangian { … }`.
//!
//! In: the statements of the block. Out: its equations in the model, and the description that they were derived from;
//! or findings.

use super::super::lowering::Lowering;
use super::{Block, Group, Known};
use crate::derive::lagrangian::{Coordinate, Energy, Lagrangian, derive, energy};
use crate::expr::{Rational, UnknownId};
use crate::model::Derivation;
use crate::syntax::ast::{List, Quantity};

impl<'a> Lowering<'a, '_> {
    pub(super) fn lagrangian(&mut self, position: usize, block: &Block<'a>) {
        let findings = self.found.len();
        let (system, constraints) = self.mechanics(position, block);
        if self.found.len() > findings || block.doubtful {
            return;
        }
        let written = self.unknown_names();
        match derive(&mut self.evaluator.dag, &system, &|symbol| super::symbol_name(&written, symbol)) {
            Ok(mut derived) => {
                let coordinates = self.groups(block, List::Coordinates);
                let velocities =
                    if block.lists.contains_key(&List::Velocities) { coordinates.clone() } else { Vec::new() };
                let groups = velocities.into_iter().chain(coordinates).chain(constraints);
                derived.mechanics.equations = self.add_equations(derived.equations, groups);
                if block.is_conserved() {
                    let energy = energy(&mut self.evaluator.dag, &derived.mechanics);
                    self.conserved(block, energy);
                }
                self.model.derivations.push(Derivation::Mechanics(derived.mechanics));
            }
            Err(found) => self.found.append(found),
        }
    }

    /// The system, and the groups that its constraints form.
    fn mechanics(&mut self, position: usize, block: &Block<'a>) -> (Lagrangian, Vec<Group>) {
        let coordinates = self.coordinates(block);
        let energies = self.energies(position, block);
        let dissipation = self.energy(position, block, Quantity::Dissipation, "dissipation function");
        let mut system = Lagrangian { coordinates, energies, dissipation, ..Lagrangian::default() };
        let coordinates: Vec<UnknownId> = system.coordinates.iter().map(|it| it.unknown).collect();
        let velocities: Vec<UnknownId> = system.coordinates.iter().filter_map(|it| it.velocity).collect();
        let advice = ("name the coordinate, not its velocity", velocities.as_slice());
        let (forces, constraints, groups) = self.forces_and_constraints(position, block, (&coordinates, advice));
        (system.forces, system.constraints) = (forces, constraints);
        (system, groups)
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
            let counts = (coordinates.len(), velocities.len());
            self.pairs(block, (List::Coordinates, List::Velocities), counts);
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

    /// The terms of $L$ with their signs: $T$ and $-U$, or $L$ itself.
    fn energies(&mut self, position: usize, block: &Block<'a>) -> Vec<(Rational, Energy)> {
        let kinetic = self.energy(position, block, Quantity::Kinetic, "kinetic energy");
        let potential = self.energy(position, block, Quantity::Potential, "potential energy");
        let whole = self.energy(position, block, Quantity::Lagrangian, "Lagrangian");
        self.check_energies(block, Quantity::Lagrangian, ["Lagrangian", "lagrangian", "velocities"]);
        let plus = [kinetic, whole].into_iter().flatten().map(|energy| (Rational::ONE, energy));
        plus.chain(potential.map(|energy| (Rational::MINUS_ONE, energy))).collect()
    }
}
