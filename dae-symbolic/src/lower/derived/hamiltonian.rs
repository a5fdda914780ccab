//! `hamiltonian { … }`.
//!
//! In: the statements of the block. Out: its equations in the model, and the description that they were derived from;
//! or findings.

use super::super::lowering::Lowering;
use super::{Block, Group, Known};
use crate::derive::hamiltonian::{Hamiltonian, Pair, derive};
use crate::expr::UnknownId;
use crate::model::Derivation;
use crate::syntax::ast::{List, Quantity};

impl<'a> Lowering<'a, '_> {
    pub(super) fn hamiltonian(&mut self, position: usize, block: &Block<'a>) {
        let findings = self.found.len();
        let (system, constraints) = self.canonical_system(position, block);
        if self.found.len() > findings || block.doubtful {
            return;
        }
        let written = self.unknown_names();
        match derive(&mut self.evaluator.dag, &system, &|symbol| super::symbol_name(&written, symbol)) {
            Ok(mut derived) => {
                let coordinates = self.groups(block, List::Coordinates);
                let groups = coordinates.clone().into_iter().chain(coordinates).chain(constraints);
                derived.canonical.equations = self.add_equations(derived.equations, groups);
                self.conserved(block, derived.canonical.hamiltonian);
                self.model.derivations.push(Derivation::Canonical(derived.canonical));
            }
            Err(found) => self.found.append(found),
        }
    }

    /// The system, and the groups that its constraints form.
    fn canonical_system(&mut self, position: usize, block: &Block<'a>) -> (Hamiltonian, Vec<Group>) {
        let pairs = self.canonical_pairs(block);
        let mut system = Hamiltonian { pairs, ..Hamiltonian::default() };
        let kinetic = self.energy(position, block, Quantity::Kinetic, "kinetic energy");
        let potential = self.energy(position, block, Quantity::Potential, "potential energy");
        let whole = self.energy(position, block, Quantity::Hamiltonian, "Hamiltonian");
        self.check_energies(block, Quantity::Hamiltonian, ["Hamiltonian", "hamiltonian", "momenta"]);
        system.energies = [kinetic, potential, whole].into_iter().flatten().collect();
        let coordinates: Vec<UnknownId> = system.pairs.iter().map(|pair| pair.coordinate).collect();
        let momenta: Vec<UnknownId> = system.pairs.iter().map(|pair| pair.momentum).collect();
        let advice = ("name the coordinate, not its momentum", momenta.as_slice());
        let (forces, constraints, groups) = self.forces_and_constraints(position, block, (&coordinates, advice));
        (system.forces, system.constraints) = (forces, constraints);
        (system, groups)
    }

    fn canonical_pairs(&mut self, block: &Block<'a>) -> Vec<Pair> {
        let coordinates = self.list(block, List::Coordinates);
        let momenta = self.list(block, List::Momenta);
        if coordinates.is_empty() {
            let help = "name the unknowns that describe the position: `coordinates x, y;`";
            self.missing(block, "a Hamiltonian needs generalised coordinates".into(), help);
        } else if momenta.is_empty() {
            let help = "name one momentum for each coordinate, in the same order: `momenta px, py;`";
            self.missing(block, "a Hamiltonian needs momenta".into(), help);
        } else {
            let counts = (coordinates.len(), momenta.len());
            self.pairs(block, (List::Coordinates, List::Momenta), counts);
        }
        let pairs = coordinates.into_iter().zip(momenta);
        pairs
            .filter_map(|(coordinate, momentum)| {
                let Known { unknown, name } = coordinate?;
                Some(Pair { coordinate: unknown, momentum: momentum?.unknown, origin: name.origin })
            })
            .collect()
    }
}
