//! How well a run keeps invariants.
//!
//! In: the invariants of a formulation. Out: the largest residual of each, and whether it is kept.

use std::ops::RangeInclusive;

use crate::contract::{Dae, Name};

/// Largest residual of an invariant over a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InvariantMaximum {
    /// Name of the invariant.
    pub name: Name,
    /// Whether it is kept.
    pub enforcement: Enforcement,
    /// Largest absolute residual at the start and after each step.
    pub max: f64,
}

/// Whether a run keeps an invariant or lets it drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Enforcement {
    /// It is a row of the formulation.
    Enforced,
    /// It follows from the formulation for exact solutions only, and steps are projected onto it.
    Projected,
    /// It follows from the formulation for exact solutions only.
    Implied,
}

impl Enforcement {
    /// Whether an invariant of a formulation is kept if steps are projected onto those of these levels.
    pub(super) fn of(dae: &dyn Dae, invariant: usize, projected: &RangeInclusive<u32>) -> Self {
        let is_projected = dae.projection_level(invariant).is_some_and(|level| projected.contains(&level));
        match dae.description().invariants[invariant].row {
            Some(_) => Enforcement::Enforced,
            None if is_projected => Enforcement::Projected,
            None => Enforcement::Implied,
        }
    }
}
