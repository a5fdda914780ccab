//! Projection of momenta: the positions are to keep to the constraints.
//!
//! In: a system ([`System`]) at a point. Out: momenta moved along $G^{\mathsf T}$ such that $G(q) H_p(p, q) = 0$; and
//! the matrix of that, $G H_{pp} G^{\mathsf T}$ up to sign, which the multipliers of a step have too.

use super::system::{System, add_product};
use crate::integrator::StepError;
use crate::linalg::iteration_matrix::Lu;
use crate::methods::iteration::Iteration;

/// The matrix, and storage.
#[derive(Debug)]
pub(super) struct Projection {
    /// The changes of velocities by the multipliers, column by column: $-H_{pp} G^{\mathsf T}$.
    pub(super) drifts: Vec<f64>,
    /// $G$ times that, and its factors; for a single constraint, the inverse is enough.
    matrix: Lu<f64>,
    inverse: Option<f64>,
    multipliers: Vec<f64>,
    change: Vec<f64>,
}

impl Projection {
    pub(super) fn new(n: usize, m: usize) -> Self {
        Projection {
            drifts: vec![0.0; n * m],
            matrix: Lu::new(m),
            inverse: None,
            multipliers: vec![0.0; m],
            change: vec![0.0; n],
        }
    }

    /// Takes the derivatives of the system at its last point.
    pub(super) fn linearize(&mut self, system: &System<'_>) -> Result<(), StepError> {
        let n = system.n;
        self.drifts.fill(0.0);
        let columns = self.drifts.chunks_exact_mut(n.max(1)).zip(system.directions.chunks_exact(n.max(1)));
        columns.for_each(|(drift, direction)| system.add_velocities(direction, 1.0, drift));
        self.factorize(system)
    }

    /// Takes $G$ from the system, and the changes of velocities from before.
    pub(super) fn factorize(&mut self, system: &System<'_>) -> Result<(), StepError> {
        let (n, m) = (system.n, system.m);
        if m == 1 {
            let entry: f64 = system.gradient.iter().zip(&self.drifts).map(|(g, drift)| g * drift).sum();
            self.inverse = Some(1.0 / entry);
            return if entry.is_normal() { Ok(()) } else { Err(StepError::Singular) };
        }
        let matrix = self.matrix.matrix_mut();
        matrix.fill(0.0);
        let columns = matrix.chunks_exact_mut(m.max(1)).zip(self.drifts.chunks_exact(n.max(1)));
        columns.for_each(|(column, drift)| add_product(&system.gradient, m, drift, 1.0, column));
        self.matrix.factorize().map_err(|_| StepError::Singular)
    }

    /// Replaces changes of the constraints by the multipliers that cause them.
    pub(super) fn solve(&self, changes: &mut [f64]) {
        match self.inverse {
            Some(inverse) => changes.iter_mut().for_each(|change| *change *= inverse),
            None => self.matrix.solve(changes),
        }
    }

    /// Projects momenta `p` at positions `q`, where the derivatives are those of the system. The velocity of the system is
    /// that of `p`, and follows its changes to first order.
    pub(super) fn project(
        &mut self,
        system: &mut System<'_>,
        t: f64,
        q: &[f64],
        p: &mut [f64],
    ) -> Result<(), StepError> {
        let (n, m) = (system.n, system.m);
        if m == 0 {
            return Ok(());
        }
        let mut iteration = Iteration::new();
        loop {
            let mut multipliers = std::mem::take(&mut self.multipliers);
            multipliers.fill(0.0);
            add_product(&system.gradient, m, &system.velocity, -1.0, &mut multipliers);
            self.solve(&mut multipliers);
            self.change.fill(0.0);
            add_product(&system.directions, n, &multipliers, 1.0, &mut self.change);
            p.iter_mut().zip(&self.change).for_each(|(p, change)| *p += change);
            add_product(&self.drifts, n, &multipliers, 1.0, &mut system.velocity);
            self.multipliers = multipliers;
            // With constant masses, a single correction is exact.
            if system.structure.has_constant_masses {
                return Ok(());
            }
            if iteration.is_over(&self.change, system.weights_of_momenta(), &system.structure.momenta)? {
                return Ok(());
            }
            system.evaluate(t, q, p, None)?;
        }
    }
}
