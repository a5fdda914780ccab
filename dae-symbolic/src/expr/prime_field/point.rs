//! Residues of the generators.
//!
//! In: the generators of expressions, a seed, and the residues that are given. Out: a residue for each generator.

use std::collections::BTreeMap;

use super::arithmetic::draw;
use super::structure::{Generator, Generators};
use crate::expr::Symbol;

/// Keys of random residues, for generators, external functions and opaque functions; the number of an opaque function
/// is added to its key.
pub(super) mod key {
    pub(in super::super) const GENERATOR: u64 = 1;
    pub(in super::super) const CALL: u64 = 2;
    pub(in super::super) const OPAQUE: u64 = 1 << 32;
}

/// Residues of the generators.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The seed of opaque functions.
    pub(super) seed: u64,
    residues: Vec<u64>,
}

impl Point {
    /// A random point, except for the residues in `given`.
    pub(super) fn random(structure: &Generators, seed: u64, attempt: u64, given: &BTreeMap<Symbol, u64>) -> Point {
        let mut point = Point { seed, residues: vec![0; structure.generators.len()] };
        for (k, generator) in structure.generators.iter().enumerate() {
            match generator {
                Generator::Symbol(symbol) if given.contains_key(symbol) => point.residues[k] = given[symbol],
                _ => point.draw(structure, k, attempt),
            }
        }
        point
    }

    pub(super) fn residue(&self, generator: usize) -> u64 {
        self.residues[generator]
    }

    pub(super) fn set(&mut self, generator: usize, residue: u64) {
        self.residues[generator] = residue;
    }

    /// Draws the residue of a generator, anew for each attempt.
    pub(super) fn draw(&mut self, structure: &Generators, generator: usize, attempt: u64) {
        let words = match structure.generators[generator] {
            Generator::Pi => [0, 0, 0],
            Generator::Exponential(k) => [1, k as u64, 0],
            Generator::Rotation(k) => [2, k as u64, 0],
            Generator::Symbol(Symbol::Time) => [3, 0, 0],
            Generator::Symbol(Symbol::Parameter(id)) => [4, u64::from(id.0), 0],
            Generator::Symbol(Symbol::Input { input, order }) => [5, u64::from(input.0), u64::from(order)],
            Generator::Symbol(Symbol::Unknown { unknown, order }) => [6, u64::from(unknown.0), u64::from(order)],
            Generator::Symbol(Symbol::State(k)) => [7, u64::from(k), 0],
            Generator::Symbol(Symbol::StateDerivative(k)) => [8, u64::from(k), 0],
        };
        let residue = draw(self.seed, &[key::GENERATOR, words[0], words[1], words[2], attempt]);
        // Exponentials must not be zero, and no other generator has to be.
        self.residues[generator] = residue.max(1);
    }

    /// The residues of the symbols, ascending by symbol.
    pub(super) fn symbol_residues(&self, structure: &Generators) -> Vec<(Symbol, u64)> {
        let symbols = structure.generators.iter().enumerate().filter_map(|(k, generator)| match generator {
            Generator::Symbol(symbol) => Some((*symbol, self.residue(k))),
            Generator::Pi | Generator::Exponential(_) | Generator::Rotation(_) => None,
        });
        symbols.collect()
    }
}
