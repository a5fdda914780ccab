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
    #[inline]
    pub(super) fn linearize(&mut self, system: &System<'_>) -> Result<(), StepError> {
        let n = system.n;
        self.drifts.fill(0.0);
        let columns = self.drifts.chunks_exact_mut(n.max(1)).zip(system.directions.chunks_exact(n.max(1)));
        columns.for_each(|(drift, direction)| system.add_velocities(direction, 1.0, drift));
        self.factorize(system)
    }

    /// Takes $G$ from the system, and the changes of velocities from before.
    #[inline]
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

    /// The logarithm of the absolute value of the determinant of the matrix.
    #[inline]
    pub(super) fn log_determinant(&self) -> f64 {
        match self.inverse {
            Some(inverse) => -inverse.abs().ln(),
            None => self.matrix.log_determinant(),
        }
    }

    /// The constraint that is closest to depending on the others.
    pub(super) fn weakest(&self) -> usize {
        if self.inverse.is_some() { 0 } else { self.matrix.smallest_pivot() }
    }

    /// Replaces changes of the constraints by the multipliers that cause them.
    #[inline]
    pub(super) fn solve(&self, changes: &mut [f64]) {
        solve(&self.matrix, self.inverse, changes);
    }

    /// Moves momenta `p` of a system with $n$ positions and $m$ constraints to where these are satisfied to first order,
    /// and the velocity of the system, which is that of `p`, with them.
    #[inline(always)]
    pub(super) fn correct(&mut self, (n, m): (usize, usize), system: &mut System<'_>, p: &mut [f64]) {
        let (multipliers, change) = (&mut self.multipliers[..m], &mut self.change[..n]);
        let (p, velocity) = (&mut p[..n], &mut system.velocity[..n]);
        multipliers.fill(0.0);
        add_product(&system.gradient[..m * n], m, velocity, -1.0, multipliers);
        solve(&self.matrix, self.inverse, multipliers);
        change.fill(0.0);
        add_product(&system.directions[..n * m], n, multipliers, 1.0, change);
        for i in 0..n {
            p[i] += change[i];
        }
        add_product(&self.drifts[..n * m], n, multipliers, 1.0, velocity);
    }

    /// Projects momenta `p` at positions `q`, where the derivatives and the velocity are those of the system.
    pub(super) fn project(
        &mut self,
        system: &mut System<'_>,
        t: f64,
        q: &[f64],
        p: &mut [f64],
    ) -> Result<(), StepError> {
        let sizes = (system.n, system.m);
        if system.m == 0 {
            return Ok(());
        }
        let mut iteration = Iteration::new();
        loop {
            self.correct(sizes, system, p);
            // With constant masses, a single correction is exact.
            if system.structure.has_constant_masses {
                return Ok(());
            }
            if iteration.is_over(&self.change, system.weights_of_momenta(), &system.structure.momenta)? {
                return Ok(());
            }
            system.move_to(q, p, None);
            system.evaluate(t)?;
        }
    }
}

/// Replaces changes of the constraints by the multipliers that cause them.
#[inline]
fn solve(matrix: &Lu<f64>, inverse: Option<f64>, changes: &mut [f64]) {
    match inverse {
        Some(inverse) => changes.iter_mut().for_each(|change| *change *= inverse),
        None => matrix.solve(changes),
    }
}
