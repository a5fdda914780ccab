//! Sides of switching functions on which the Jacobian at hand was evaluated.
//!
//! In: where it was evaluated, and where a step leads. Out: whether that is on the same sides.

use crate::contract::{Dae, Description};

/// Values of the switching functions.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    /// Values where the Jacobian was evaluated.
    of_jacobian: Vec<f64>,
    values: Vec<f64>,
    /// The functions across whose zeros $F$ jumps.
    jumps: Vec<usize>,
}

impl Sides {
    pub(crate) fn new(description: &Description) -> Sides {
        let zeros = vec![0.0; description.switches.len()];
        let jumps = (0..zeros.len()).filter(|&k| description.switches[k].jumps).collect();
        Sides { of_jacobian: zeros.clone(), values: zeros, jumps }
    }

    /// Whether there are switching functions.
    pub(crate) fn are_any(&self) -> bool {
        !self.values.is_empty()
    }

    /// Records where the Jacobian was evaluated.
    pub(crate) fn note(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        if self.are_any() {
            dae.switching_functions(t, y, yp, &mut self.of_jacobian);
        }
    }

    /// Takes over where another Jacobian of the same formulation was evaluated.
    pub(crate) fn copy_from(&mut self, other: &Sides) {
        self.of_jacobian.copy_from_slice(&other.of_jacobian);
    }

    /// Whether a function has another sign here than where the Jacobian was evaluated; one that vanished there is on
    /// neither side.
    pub(crate) fn differ(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> bool {
        if !self.are_any() {
            return false;
        }
        dae.switching_functions(t, y, yp, &mut self.values);
        self.of_jacobian.iter().zip(&self.values).any(|(a, b)| a * b.signum() < 0.0)
    }

    /// Whether $F$ jumps between here and where the Jacobian was evaluated.
    pub(crate) fn differ_by_jump(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> bool {
        let differ = self.differ(dae, t, y, yp);
        differ && self.jumps.iter().any(|&k| self.of_jacobian[k] * self.values[k].signum() < 0.0)
    }
}
