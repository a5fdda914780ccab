//! Closing correction: an accepted step is moved onto the constraints that its formulation enforces.
//!
//! In: an accepted state and the factorised iteration matrix of its step. Out: the same state with the residual of
//! the enforced constraints at rounding level.
//!
//! An implicit method satisfies a constraint $\varphi(t, y) = 0$ that is a row of $F$ only to the tolerance of
//! Newton's iteration. The iteration matrix $K = c\\,F_{y'} + F_y$ says in which directions to correct: with $R$
//! selecting the rows of $F$ that are constraints, these are the columns of $W = K^{-1} R^{\mathsf T}$. A simplified
//! Newton step $-W \varphi$ would contract as fast as the constraint Jacobian in $K$ is fresh, and $K$ may be many
//! steps old. So only the directions come from $K$, a back-substitution per constraint and factorisation, and the
//! Jacobian $\varphi_y$ is that of the state:
//!
//! $$ \Delta y = W \mu, \qquad (\varphi_y W)\\, \mu = -\varphi(t, y) . $$
//!
//! This is Newton's method for $\varphi = 0$ in the range of $W$, which converges quadratically however old $K$ is.
//! In a GGL form the columns of $W$ satisfy $c\\,M \Delta q + G^{\mathsf T} \Delta\mu \approx 0$ (eq. 1.48 and
//! section VII.2 of Hairer & Wanner), so that $W \approx M^{-1} G^{\mathsf T}$ up to scale: the projection that is
//! orthogonal in the metric of the leading matrix. A constraint that determines an algebraic unknown of index 1
//! moves that unknown; states move by $O(1/c)$ of it.
//!
//! Only unknowns of index 1 are moved; the correction of a multiplier is the residual divided by the step, which is
//! noise.

use crate::contract::{Dae, Description};
use crate::linear::{IterationMatrix, Lu};
use crate::stepper::{ClosingCorrection, Statistics};
use crate::weights::Weights;

/// Newton steps. The error of the first is the square of Newton's tolerance; at the loosest tolerances
/// ($10^{-2}, 10^{-4}, 10^{-8}, 10^{-16}$) it takes four.
const MAX_CORRECTIONS: usize = 4;

/// What Newton's iteration leaves over is below the tolerance, and so is what corrects it; where the constraints hardly determine the
/// correction it is not made.
const LARGEST_CORRECTION: f64 = 10.0;

/// Storage of the correction.
#[derive(Clone, Debug)]
pub(crate) struct Closing {
    enforced: Vec<Enforced>,
    /// Whether each unknown is moved.
    moved: Vec<bool>,
    /// Columns of $W$, one after the other.
    directions: Vec<f64>,
    /// Number of the factorisation the directions come from.
    factorization: usize,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// What rounding alone can make of each enforced constraint.
    rounding: Vec<f64>,
    /// $\varphi_y W$.
    small: Lu<f64>,
    multipliers: Vec<f64>,
    candidate: Vec<f64>,
    change: Vec<f64>,
}

/// An invariant and the row of $F$ that enforces it.
#[derive(Clone, Copy, Debug)]
struct Enforced {
    invariant: usize,
    row: usize,
}

impl Closing {
    /// Room for a formulation. With [`ClosingCorrection::Off`], or if nothing is enforced, it will do nothing.
    pub(crate) fn new(description: &Description, mode: ClosingCorrection) -> Self {
        let enforced: Vec<Enforced> = match mode {
            ClosingCorrection::On => {
                let invariants = description.invariants.iter().enumerate();
                invariants.filter_map(|(invariant, i)| Some(Enforced { invariant, row: i.row? })).collect()
            }
            ClosingCorrection::Off => Vec::new(),
        };
        let (n, m) = (description.unknowns.len(), enforced.len());
        Closing {
            enforced,
            moved: description.unknowns.iter().map(|unknown| unknown.index == 1).collect(),
            directions: vec![0.0; n * m],
            factorization: 0,
            values: vec![0.0; description.invariants.len()],
            jacobian: vec![0.0; description.invariants_jacobian.len()],
            rounding: vec![0.0; m],
            small: Lu::new(m),
            multipliers: vec![0.0; m],
            candidate: vec![0.0; n],
            change: vec![0.0; n],
        }
    }

    /// Corrects `y` in place. A correction that does not make the residual smaller, or that exceeds the tolerance, is not made.
    pub(crate) fn apply(
        &mut self,
        dae: &dyn Dae,
        matrix: &IterationMatrix<f64>,
        weights: &Weights,
        t: f64,
        y: &mut [f64],
        statistics: &mut Statistics,
    ) {
        if self.enforced.is_empty() {
            return;
        }
        self.linearise(dae, t, y);
        dae.invariants(t, y, &mut self.values);
        let mut size = self.residual_in_roundings();
        for correction in 0..MAX_CORRECTIONS {
            if size <= 1.0 {
                return;
            }
            if correction > 0 {
                self.linearise(dae, t, y);
            }
            self.update_directions(matrix, statistics);
            if !self.correct(dae.description(), y) {
                return;
            }
            dae.invariants(t, &self.candidate, &mut self.values);
            let corrected = self.residual_in_roundings();
            if corrected.is_nan() || corrected >= size {
                return;
            }
            for ((change, new), old) in self.change.iter_mut().zip(&self.candidate).zip(y.iter()) {
                *change = new - old;
            }
            if weights.norm(&self.change) > LARGEST_CORRECTION {
                return;
            }
            y.copy_from_slice(&self.candidate);
            size = corrected;
        }
    }

    /// Derivatives of the constraints, and their rounding errors
    /// $\varepsilon \sum_j |\partial\varphi_i/\partial y_j| \max(|y_j|, \mathrm{nominal}_j)$. Without the nominal value,
    /// the velocity constraint of a body almost at rest would outweigh all others.
    fn linearise(&mut self, dae: &dyn Dae, t: f64, y: &[f64]) {
        dae.invariants_jacobian(t, y, &mut self.jacobian);
        let description = dae.description();
        let magnitude = |column: usize| y[column].abs().max(description.unknowns[column].nominal.abs());
        for (rounding, enforced) in self.rounding.iter_mut().zip(&self.enforced) {
            let entries = description.invariants_jacobian.row(enforced.invariant);
            let sum: f64 = entries.map(|(column, position)| self.jacobian[position].abs() * magnitude(column)).sum();
            *rounding = (f64::EPSILON * sum).max(f64::MIN_POSITIVE);
        }
    }

    /// Largest enforced residual in units of its rounding error.
    fn residual_in_roundings(&self) -> f64 {
        let sizes =
            self.enforced.iter().zip(&self.rounding).map(|(e, rounding)| (self.values[e.invariant] / rounding).abs());
        // `max` would ignore NaN.
        sizes.fold(0.0, |worst, size| if size > worst || size.is_nan() { size } else { worst })
    }

    /// $W$, unless it belongs to the factors at hand.
    fn update_directions(&mut self, matrix: &IterationMatrix<f64>, statistics: &mut Statistics) {
        if self.factorization == matrix.factorizations() {
            return;
        }
        self.factorization = matrix.factorizations();
        for (enforced, direction) in self.enforced.iter().zip(self.directions.chunks_exact_mut(self.moved.len())) {
            direction.fill(0.0);
            direction[enforced.row] = 1.0;
            matrix.solve(direction);
            statistics.solves += 1;
            for (entry, _) in direction.iter_mut().zip(&self.moved).filter(|(_, moved)| !**moved) {
                *entry = 0.0;
            }
        }
    }

    /// The candidate is one Newton step from `y`; `false` when the constraints do not depend on the directions.
    fn correct(&mut self, description: &Description, y: &[f64]) -> bool {
        let (n, m) = (self.candidate.len(), self.enforced.len());
        for (direction, column) in self.directions.chunks_exact(n).zip(self.small.matrix_mut().chunks_exact_mut(m)) {
            for (enforced, entry) in self.enforced.iter().zip(column) {
                let entries = description.invariants_jacobian.row(enforced.invariant);
                *entry = entries.map(|(column, position)| self.jacobian[position] * direction[column]).sum();
            }
        }
        if self.small.factorize().is_err() {
            return false;
        }
        for (enforced, multiplier) in self.enforced.iter().zip(&mut self.multipliers) {
            *multiplier = -self.values[enforced.invariant];
        }
        self.small.solve(&mut self.multipliers);
        self.candidate.copy_from_slice(y);
        for (direction, multiplier) in self.directions.chunks_exact(n).zip(&self.multipliers) {
            self.candidate.iter_mut().zip(direction).for_each(|(y, d)| *y += multiplier * d);
        }
        true
    }
}
