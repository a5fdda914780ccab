//! The modes of a solution.
//!
//! In: the modes that a run enters, with their formulations. Out: when it does, and what jumps there; the entries of the
//! solution, which are the same in all modes, from the unknowns of each formulation.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::invariants::{Enforcement, InvariantMaximum};
use crate::contract::{AliasOf, Dae, Name};

/// A mode that a run has entered.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EnteredMode {
    /// When; the first one is entered at the start.
    pub t: f64,
    /// The alternatives of all mode variables: `clutch = engaged`.
    pub mode: Name,
    /// The states of the mode among [`Solution::names`](crate::solution::Solution::names) that jump there by more than the
    /// tolerances of the run explain.
    pub jumps: Vec<Jump>,
    /// Unknowns that are impulses there, and their strengths, in the unit of the unknown times that of time.
    pub impulses: Vec<(Name, f64)>,
}

/// A jump of an unknown.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Jump {
    /// The unknown.
    pub unknown: Name,
    /// Its value before.
    pub before: f64,
    /// Its value after.
    pub after: f64,
}

impl EnteredMode {
    pub(crate) fn new(t: f64, mode: Name) -> Self {
        EnteredMode { t, mode, jumps: Vec::new(), impulses: Vec::new() }
    }
}

impl Jump {
    pub(crate) fn new(unknown: Name, before: f64, after: f64) -> Self {
        Jump { unknown, before, after }
    }
}

/// How the entries of a solution and its invariants follow from the formulation in one mode.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InMode {
    /// For each name the relation to $y$, and the value of what is constant.
    pub(super) columns: Vec<(AliasOf, f64)>,
    /// For each name its place among the entries of $y$ followed by the eliminated unknowns.
    places: Vec<Option<usize>>,
    /// For each invariant of the formulation its place among those of the solution.
    pub(super) invariants: Vec<usize>,
    /// Number of entries of $y$.
    width: usize,
    /// Number of eliminated unknowns.
    eliminated: usize,
}

impl InMode {
    /// The entries of a solution with these names and invariants, to which those of the formulation are added that are
    /// not among them, from the unknowns of a formulation at this state.
    pub(super) fn of(
        dae: &dyn Dae,
        (t, y): (f64, &[f64]),
        names: &[Name],
        known_invariants: &mut Vec<InvariantMaximum>,
        projected: &RangeInclusive<u32>,
    ) -> Self {
        let description = dae.description();
        let mut constants = vec![0.0; description.eliminated.len()];
        dae.eliminated(t, y, &mut constants);
        let of_unknowns = description.unknowns.iter().enumerate().map(|(k, it)| (&it.name, (AliasOf::Same(k), 0.0)));
        let of_eliminated =
            description.eliminated.iter().zip(constants).map(|(it, value)| (&it.name, (it.alias_of, value)));
        let known: HashMap<&Name, (AliasOf, f64)> = of_eliminated.chain(of_unknowns).collect();
        let all =
            description.unknowns.iter().map(|it| &it.name).chain(description.eliminated.iter().map(|it| &it.name));
        let all: HashMap<&Name, usize> = all.enumerate().map(|(place, name)| (name, place)).collect();
        let places = names.iter().map(|name| all.get(name).copied()).collect();
        let unknown = (AliasOf::Constant, f64::NAN);
        let columns = names.iter().map(|name| known.get(name).copied().unwrap_or(unknown)).collect();
        let mut invariants = Vec::with_capacity(description.invariants.len());
        for (k, it) in description.invariants.iter().enumerate() {
            let enforcement = Enforcement::of(dae, k, projected);
            let same = |known: &InvariantMaximum| known.name == it.name && known.enforcement == enforcement;
            let place = known_invariants.iter().position(same).unwrap_or(known_invariants.len());
            if place == known_invariants.len() {
                known_invariants.push(InvariantMaximum { name: it.name.clone(), enforcement, max: 0.0 });
            }
            invariants.push(place);
        }
        InMode { columns, places, invariants, width: y.len(), eliminated: description.eliminated.len() }
    }

    /// The place among the names of an entry of $y$.
    pub(super) fn place_of(&self, entry: usize) -> Option<usize> {
        self.columns.iter().position(|(of, _)| *of == AliasOf::Same(entry))
    }

    /// Values of the entries of the solution, from those of the entries of $y$ followed by the eliminated unknowns, any
    /// number of times.
    pub(super) fn entries(&self, values: &[f64]) -> Vec<f64> {
        let chunks = values.chunks_exact((self.width + self.eliminated).max(1));
        chunks.flat_map(|chunk| self.places.iter().map(|place| place.map_or(f64::NAN, |place| chunk[place]))).collect()
    }

    /// Appends the polynomial of the entries of the solution to `all`, power by power, given that of $y$.
    pub(super) fn extend_by_polynomial(&self, coefficients: &[f64], all: &mut Vec<f64>) {
        for (power, of_power) in coefficients.chunks_exact(self.width.max(1)).enumerate() {
            let constant = |value| if power == 0 { value } else { 0.0 };
            all.extend(self.columns.iter().map(|&(of, value)| of.value(of_power).unwrap_or_else(|| constant(value))));
        }
    }
}
