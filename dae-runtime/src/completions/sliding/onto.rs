//! States moved onto surfaces.
//!
//! In: a state near surfaces. Out: the nearest state on them, by first-order corrections that leave the residuals of
//! constraints as they are: those that have to be differentiated, and the invariants.

use super::structure::Structure;
use super::surfaces::Surfaces;
use crate::linalg::pivoted_qr::{PivotedQr, SparseRow};

/// Gradients of unit length that are closer than this to combinations of others are omitted.
const DEPENDENT: f64 = 1e-8;
/// Largest number of corrections.
const MAX_CORRECTIONS: usize = 8;

impl Surfaces<'_> {
    /// Moves a state onto the surfaces `structure.at`.
    pub(super) fn move_onto(&self, structure: &Structure, t: f64, y: &mut [f64], weights: &[f64]) {
        let description = self.inner.description();
        let unit = |k: usize| description.unknowns[k].nominal.abs();
        let is_moved = |k: usize| structure.has_rate[k];
        let mut before = f64::INFINITY;
        for _ in 0..MAX_CORRECTIONS {
            let (rows, mut residuals, lengths) = self.scaled_gradients(structure, t, y, weights);
            residuals
                .iter_mut()
                .zip(&lengths)
                .filter(|(_, length)| **length > 0.0)
                .for_each(|(residual, length)| *residual /= length);
            let size = residuals.iter().fold(0.0_f64, |size, residual| size.max(residual.abs()));
            if size == 0.0 || size >= before || !size.is_finite() {
                return;
            }
            before = size;
            let factors = PivotedQr::new(&rows, y.len(), is_moved, DEPENDENT);
            let ordered: Vec<f64> = factors.order.iter().map(|&row| residuals[row]).collect();
            let mut correction = vec![0.0; y.len()];
            factors.least_norm(&ordered, &mut correction);
            y.iter_mut().zip(&correction).enumerate().for_each(|(k, (y, change))| *y -= unit(k) * change);
        }
    }

    /// The gradients with respect to the unknowns that have derivatives, in units of these and of length one, of the
    /// switching functions, with their values, and of constraints, with zeros; and their lengths before that.
    pub(super) fn scaled_gradients(
        &self,
        structure: &Structure,
        t: f64,
        y: &[f64],
        weights: &[f64],
    ) -> (Vec<SparseRow>, Vec<f64>, Vec<f64>) {
        let description = self.inner.description();
        let (mut rows, residuals) = self.gradients(structure, t, y, weights);
        let scale = |row: &mut SparseRow| {
            row.retain(|&(k, _)| structure.has_rate[k]);
            row.iter_mut().for_each(|(k, entry)| *entry *= description.unknowns[*k].nominal.abs());
            let length = row.iter().map(|(_, entry)| entry * entry).sum::<f64>().sqrt();
            row.iter_mut().filter(|_| length > 0.0).for_each(|(_, entry)| *entry /= length);
            length
        };
        let lengths = rows.iter_mut().map(scale).collect();
        (rows, residuals, lengths)
    }

    /// The gradients of the switching functions, with their values, and those of constraints, with zeros.
    fn gradients(&self, structure: &Structure, t: f64, y: &[f64], weights: &[f64]) -> (Vec<SparseRow>, Vec<f64>) {
        let (inner, blended, n) = (self.inner, self.blended, y.len());
        let (description, patterns) = (inner.description(), blended.blended_description());
        let mut values = vec![0.0; patterns.surfaces.len()];
        let mut gradients = vec![0.0; patterns.surfaces_jacobian.len()];
        blended.surfaces(t, y, &mut values);
        blended.surfaces_jacobian(t, y, &mut gradients);
        let (mut rows, mut residuals) = (Vec::new(), Vec::new());
        for &surface in &structure.at {
            rows.push(patterns.surfaces_jacobian.row(surface).map(|(k, place)| (k, gradients[place])).collect());
            residuals.push(values[surface]);
        }
        let state: Vec<f64> = y.iter().chain(weights).copied().collect();
        let mut jacobian = vec![0.0; patterns.jacobian_y.len()];
        blended.blended_jacobian_y(t, &state, &vec![0.0; n], &mut jacobian);
        let mut of_invariants = vec![0.0; description.invariants_jacobian.len()];
        inner.invariants_jacobian(t, y, &mut of_invariants);
        let equations = (0..n).filter(|&row| structure.is_differentiated[row]);
        let equations = equations.map(|row| {
            let entries = patterns.jacobian_y.row(row).filter(|(k, _)| *k < n);
            entries.map(|(k, place)| (k, jacobian[place])).collect::<SparseRow>()
        });
        // What contains an unknown without a derivative determines that unknown, and keeps no state where it is.
        let constrains =
            |invariant: &usize| description.invariants_jacobian.row(*invariant).all(|(k, _)| structure.has_rate[k]);
        let invariants = (0..description.invariants.len()).filter(constrains).map(|invariant| {
            let entries = description.invariants_jacobian.row(invariant);
            entries.map(|(k, place)| (k, of_invariants[place])).collect::<SparseRow>()
        });
        for row in equations.chain(invariants).filter(|row| row.iter().any(|&(_, entry)| entry != 0.0)) {
            rows.push(row);
            residuals.push(0.0);
        }
        (rows, residuals)
    }
}
