//! Accepted steps are moved onto the enforced constraints, with a matrix that may be many steps old.
//!
//! In: an accepted state, the factorised iteration matrix $K$. Out: the state with the enforced constraints at
//! rounding.
//!
//! [`crate::closing`] corrects with $K^{-1}$ alone, which contracts as fast as the constraint Jacobian in $K$ is
//! fresh. BDF keeps its matrix for tens of steps. So only the *directions* of the correction come from $K$, and the
//! constraint Jacobian $\varphi_y$ is evaluated where it is needed: with $R$ selecting the rows of $F$ that are
//! constraints, and $W = K^{-1} R^T$ computed once per factorisation,
//!
//! $$ \Delta y = W \mu, \qquad (\varphi_y W)\\, \mu = -\varphi(t, y) . $$
//!
//! This is Newton's method for $\varphi = 0$ in the range of $W$: it converges quadratically, and for a GGL form
//! $W \approx M^{-1} G^T$ up to scale makes it the projection that is orthogonal in the metric of the leading matrix
//! (Hairer & Wanner, Sect. VII.2). Only unknowns of index 1 are moved.

use crate::contract::{Dae, Description};
use crate::linear::{IterationMatrix, Lu};
use crate::stepper::{ClosingCorrection, Statistics};

/// Newton steps; two reach rounding from any tolerance.
const MAX_CORRECTIONS: usize = 4;

/// Storage of the correction.
pub(super) struct Projection {
    /// `(invariant, row of F)` of the enforced ones.
    enforced: Vec<(usize, usize)>,
    moved: Vec<bool>,
    /// Columns of $W$, and the factorisation (by its number) they come from.
    directions: Vec<f64>,
    factorization: usize,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// Dense rows of the enforced constraints.
    rows: Vec<f64>,
    rounding: Vec<f64>,
    small: Lu<f64>,
    multipliers: Vec<f64>,
    candidate: Vec<f64>,
}

impl Projection {
    /// Room for a formulation; does nothing when it is off or nothing is enforced.
    pub(super) fn new(description: &Description, mode: ClosingCorrection) -> Self {
        let enforced: Vec<_> = match mode {
            ClosingCorrection::On => {
                description.invariants.iter().enumerate().filter_map(|(k, i)| Some((k, i.row?))).collect()
            }
            ClosingCorrection::Off => Vec::new(),
        };
        let (n, m) = (description.unknowns.len(), enforced.len());
        Projection {
            moved: description.unknowns.iter().map(|unknown| unknown.index == 1).collect(),
            directions: vec![0.0; n * m],
            factorization: 0,
            values: vec![0.0; description.invariants.len()],
            jacobian: vec![0.0; description.invariants_jacobian.len()],
            rows: vec![0.0; n * description.invariants.len()],
            rounding: vec![0.0; description.invariants.len()],
            small: Lu::new(m),
            multipliers: vec![0.0; m],
            candidate: vec![0.0; n],
            enforced,
        }
    }

    /// Corrects `y` in place. A correction that does not make the residual smaller is not made.
    pub(super) fn apply(
        &mut self,
        dae: &dyn Dae,
        matrix: &IterationMatrix<f64>,
        t: f64,
        y: &mut [f64],
        statistics: &mut Statistics,
    ) {
        if self.enforced.is_empty() {
            return;
        }
        self.candidate.copy_from_slice(y);
        let mut best = f64::INFINITY;
        for _ in 0..=MAX_CORRECTIONS {
            let size = self.evaluate(dae, t);
            if size >= best || size.is_nan() {
                return;
            }
            best = size;
            y.copy_from_slice(&self.candidate);
            if size <= 1.0 {
                return;
            }
            self.update_directions(matrix, statistics);
            if !self.correct() {
                return;
            }
        }
    }

    /// Constraints, their derivatives and rounding errors at the candidate; the largest residual in units of its
    /// rounding error $\varepsilon \sum_j |\partial\varphi_i/\partial y_j| \max(|y_j|, \mathrm{nominal}_j)$.
    fn evaluate(&mut self, dae: &dyn Dae, t: f64) -> f64 {
        let n = self.candidate.len();
        dae.invariants(t, &self.candidate, &mut self.values);
        dae.invariants_jacobian(t, &self.candidate, &mut self.jacobian);
        self.rounding.fill(f64::MIN_POSITIVE);
        self.rows.fill(0.0);
        let description = dae.description();
        for (row, column, position) in description.invariants_jacobian.entries() {
            let magnitude = self.candidate[column].abs().max(description.unknowns[column].nominal.abs());
            self.rounding[row] += f64::EPSILON * self.jacobian[position].abs() * magnitude;
            self.rows[row * n + column] = self.jacobian[position];
        }
        let sizes = self.enforced.iter().map(|&(k, _)| (self.values[k] / self.rounding[k]).abs());
        sizes.fold(0.0, |worst, size| if size > worst || size.is_nan() { size } else { worst })
    }

    fn update_directions(&mut self, matrix: &IterationMatrix<f64>, statistics: &mut Statistics) {
        if self.factorization == statistics.factorizations {
            return;
        }
        self.factorization = statistics.factorizations;
        for (&(_, row), direction) in self.enforced.iter().zip(self.directions.chunks_exact_mut(self.moved.len())) {
            direction.fill(0.0);
            direction[row] = 1.0;
            matrix.solve(direction);
            direction.iter_mut().zip(&self.moved).for_each(|(d, moved)| *d *= f64::from(u8::from(*moved)));
            statistics.solves += 1;
        }
    }

    /// One Newton step of the candidate; `false` when the constraints do not depend on the directions.
    fn correct(&mut self) -> bool {
        let (n, m) = (self.candidate.len(), self.enforced.len());
        for (direction, column) in self.directions.chunks_exact(n).zip(self.small.matrix_mut().chunks_exact_mut(m)) {
            for (&(k, _), entry) in self.enforced.iter().zip(column) {
                *entry = self.rows[k * n..(k + 1) * n].iter().zip(direction).map(|(a, b)| a * b).sum();
            }
        }
        if self.small.factorize().is_err() {
            return false;
        }
        for (&(k, _), multiplier) in self.enforced.iter().zip(&mut self.multipliers) {
            *multiplier = -self.values[k];
        }
        self.small.solve(&mut self.multipliers);
        for (direction, multiplier) in self.directions.chunks_exact(n).zip(&self.multipliers) {
            self.candidate.iter_mut().zip(direction).for_each(|(y, d)| *y += multiplier * d);
        }
        true
    }
}
