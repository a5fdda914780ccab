//! Projection of an accepted step onto the constraints that its formulation enforces.
//!
//! In: an accepted state and the factorised iteration matrix of its step. Out: the state with the residuals of the
//! enforced constraints reduced to some thirty rounding errors.
//!
//! An implicit method satisfies a constraint $\varphi(t, y) = 0$ that is a row of $F$ only to the tolerance of
//! Newton's iteration. The iteration matrix $K = c\\,F_{y'} + F_y$ says in which directions to correct: with $R$
//! selecting the rows of $F$ that are constraints, these are the columns of $W = K^{-1} R^{\mathsf T}$, a
//! back-substitution per constraint. The correction is
//!
//! $$ \Delta y = W \mu, \qquad S \mu = -\varphi(t, y), \qquad S \approx \varphi_y W . $$
//!
//! $K$ may be many steps old, though. $\varphi_y$ costs more than the rest of a step, so $W$ and $S$ are kept while the
//! iteration is fast, and $S^{-1}$ is updated by the effect of the corrections (C. G. Broyden, Math. Comp. 19, 1965).
//!
//! In a GGL form the columns of $W$ satisfy $c\\,M \Delta q + G^{\mathsf T} \Delta\mu \approx 0$ (eq. 1.48 and
//! section VII.2 of Hairer & Wanner), so that $W \approx M^{-1} G^{\mathsf T}$ up to scale: the projection is
//! orthogonal in the metric of the leading matrix. A constraint that determines an algebraic unknown of index 1 moves
//! that unknown; states move by $O(1/c)$ of its correction.
//!
//! With many constraints neither $W$ nor $S$ is formed: if $K$ and $\varphi_y$ belong to the same state, $S$ is the
//! identity, since $R K = \varphi_y$, and the correction $\Delta y = -K^{-1} R^{\mathsf T} \varphi$ is repeated while
//! the residual decreases.
//!
//! Only unknowns of index 1 are moved and, with many constraints, the other unknowns that occur in them. Multipliers
//! are not: their correction would be the residual divided by the step size, which is noise.

use crate::contract::{Dae, Description};
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Projection, Statistics};
use crate::linalg::iteration_matrix::{IterationMatrix, Lu};

/// More constraints than this are corrected with the iteration matrix alone.
const MANY: usize = 24;

/// Largest number of corrections of a step.
const MAX_CORRECTIONS: usize = 20;

/// Residuals of this many rounding errors are small enough.
const ENOUGH: f64 = 30.0;

/// A correction that leaves more than this fraction of the residual is slow.
const SLOW: f64 = 0.1;

/// Directions and derivatives are used for at most this many steps.
const OLDEST: usize = 50;

/// Estimates of the rounding errors are used for this many steps.
const ROUNDINGS_FOR: usize = 10;

/// Broyden's update is omitted where it would divide by less than this fraction of the square of the correction.
const LEAST_PIVOT: f64 = 0.1;

/// Residuals of fewer rounding errors than this do not update $S^{-1}$.
const NOISE: f64 = 1e4;

/// Largest corrections, in units of the error allowed. Newton's iteration leaves errors below the tolerance, so a much
/// larger correction means that the constraints hardly determine it, and is not made; the second bound holds if it
/// leaves little of the residual.
const LARGEST_CORRECTION: f64 = 10.0;
const LARGEST_GOOD_CORRECTION: f64 = 1000.0;

/// A state whose residuals are explained by changes of the unknowns by this fraction of their tolerances, with the
/// derivatives at the state itself, is close to a solution. Newton's iteration leaves smaller residuals.
const EXPLAINED: f64 = 0.3;

/// State and storage of the projection.
#[derive(Clone, Debug)]
pub(crate) struct Projector {
    enforced: Vec<Enforced>,
    /// Whether each unknown is moved.
    moved: Vec<bool>,
    /// Columns of $W$, one after the other.
    directions: Vec<f64>,
    /// Number of the factorisation that the directions come from; `None` before there are any.
    factorization: Option<usize>,
    /// Steps since the directions were computed.
    age: usize,
    /// The constraints before and after a correction.
    values: Vec<f64>,
    /// Whether `values` are those of the last state.
    are_known: bool,
    corrected: Vec<f64>,
    jacobian: Vec<f64>,
    /// Constraint derivatives at the candidate.
    derivatives: Vec<f64>,
    /// Estimated rounding error of each enforced constraint.
    rounding: Vec<f64>,
    /// $S^{-1}$ by columns, and the factors of the $S$ that was last evaluated.
    inverse: Vec<f64>,
    small: Lu<f64>,
    multipliers: Vec<f64>,
    /// $S^{-1}\varphi$ after a correction, and $\mu^{\mathsf T} S^{-1}$ over the divisor of Broyden's update.
    left: Vec<f64>,
    row: Vec<f64>,
    candidate: Vec<f64>,
    change: Vec<f64>,
}

/// An invariant and the row of $F$ that enforces it.
#[derive(Clone, Copy, Debug)]
struct Enforced {
    invariant: usize,
    row: usize,
}

impl Projector {
    /// Allocates room for a formulation. Unless it is [`Projection::On`], or if nothing is enforced, it does nothing.
    pub(crate) fn new(description: &Description, mode: Projection) -> Self {
        let enforced: Vec<Enforced> = match mode {
            Projection::On => {
                let invariants = description.invariants.iter().enumerate();
                invariants.filter_map(|(invariant, i)| Some(Enforced { invariant, row: i.row? })).collect()
            }
            Projection::Positions | Projection::Velocities | Projection::Output | Projection::Off => Vec::new(),
        };
        let (n, count) = (description.unknowns.len(), enforced.len());
        let m = if count > MANY { 0 } else { count };
        let mut moved: Vec<bool> = description.unknowns.iter().map(|it| it.index == 1 && !it.is_discrete).collect();
        if count > MANY {
            // All that the constraints contain, whatever its index: otherwise S is not the identity.
            let entries = enforced.iter().flat_map(|enforced| description.invariants_jacobian.row(enforced.invariant));
            entries.for_each(|(column, _)| moved[column] = !description.unknowns[column].is_discrete);
        }
        Projector {
            enforced,
            moved,
            directions: vec![0.0; n * m],
            factorization: None,
            age: 0,
            values: vec![0.0; description.invariants.len()],
            are_known: false,
            corrected: vec![0.0; description.invariants.len()],
            jacobian: vec![0.0; description.invariants_jacobian.len()],
            derivatives: vec![0.0; description.invariants_jacobian.len()],
            rounding: vec![0.0; count],
            inverse: vec![0.0; m * m],
            small: Lu::new(m),
            multipliers: vec![0.0; m],
            left: vec![0.0; m],
            row: vec![0.0; m],
            candidate: vec![0.0; n],
            change: vec![0.0; n],
        }
    }

    /// Corrects `y` in place, as long as corrections reduce the residual and are not too large.
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
        dae.invariants(t, y, &mut self.values);
        self.are_known = true;
        self.age += 1;
        if self.enforced.len() > MANY {
            return self.apply_to_many(dae, matrix, weights, t, y, statistics);
        }
        // Whether S belongs to this very state.
        let mut is_fresh = self.factorization.is_none() || self.age > OLDEST;
        if is_fresh && !self.linearise(dae, matrix, t, y, statistics) {
            return;
        }
        if self.age.is_multiple_of(ROUNDINGS_FOR) {
            self.estimate_rounding(dae.description(), y);
        }
        let mut size = self.in_roundings(&self.values);
        for _ in 0..MAX_CORRECTIONS {
            if size <= ENOUGH {
                return;
            }
            self.correct(y);
            dae.invariants(t, &self.candidate, &mut self.corrected);
            let corrected = self.in_roundings(&self.corrected);
            if !is_fresh && (corrected.is_nan() || corrected > (SLOW * size).max(ENOUGH)) {
                is_fresh = true;
                if !self.linearise(dae, matrix, t, y, statistics) {
                    return;
                }
                continue;
            }
            if corrected.is_nan() || corrected >= size {
                return;
            }
            for ((change, new), old) in self.change.iter_mut().zip(&self.candidate).zip(y.iter()) {
                *change = new - old;
            }
            let largest = if corrected <= SLOW * size { LARGEST_GOOD_CORRECTION } else { LARGEST_CORRECTION };
            if weights.error_norm(&self.change) > largest || !self.is_finite() {
                return;
            }
            if size > NOISE {
                self.learn();
            }
            y.copy_from_slice(&self.candidate);
            std::mem::swap(&mut self.values, &mut self.corrected);
            (size, is_fresh) = (corrected, false);
        }
    }

    /// The first unknown of an enforced constraint that `y` does not satisfy, that is, whose residual exceeds what
    /// rounding errors and changes within the tolerances explain through $\varphi_y$ at `y`; `None` if all are
    /// satisfied. The iteration matrix of another state cannot tell: where an exponential has vanished since then, it
    /// turns any residual into a small correction.
    pub(crate) fn find_unsatisfied(&mut self, dae: &dyn Dae, weights: &Weights, t: f64, y: &[f64]) -> Option<usize> {
        if self.enforced.is_empty() {
            return None;
        }
        let description = dae.description();
        dae.invariants(t, y, &mut self.corrected);
        dae.invariants_jacobian(t, y, &mut self.derivatives);
        let full = weights.full();
        let unsatisfied = self.enforced.iter().find(|enforced| {
            let magnitude = |column: usize| y[column].abs().max(description.unknowns[column].nominal.abs());
            let allowed = |column: usize| EXPLAINED / full[column] + ENOUGH * f64::EPSILON * magnitude(column);
            let entries = description.invariants_jacobian.row(enforced.invariant);
            let explained: f64 = entries.map(|(column, place)| self.derivatives[place].abs() * allowed(column)).sum();
            let residual = self.corrected[enforced.invariant].abs();
            // Cancellation between terms without unknowns does not show in the derivatives.
            residual > explained + ENOUGH * f64::EPSILON && explained.is_finite()
        })?;
        let first = description.invariants_jacobian.row(unsatisfied.invariant).map(|(column, _)| column).next();
        Some(first.unwrap_or(0))
    }

    /// [`Projector::apply`] with the iteration matrix alone.
    fn apply_to_many(
        &mut self,
        dae: &dyn Dae,
        matrix: &IterationMatrix<f64>,
        weights: &Weights,
        t: f64,
        y: &mut [f64],
        statistics: &mut Statistics,
    ) {
        if self.age == 1 || self.age.is_multiple_of(ROUNDINGS_FOR) {
            dae.invariants_jacobian(t, y, &mut self.jacobian);
            self.estimate_rounding(dae.description(), y);
        }
        let mut size = self.in_roundings(&self.values);
        for _ in 0..MAX_CORRECTIONS {
            if size <= ENOUGH {
                return;
            }
            self.change.fill(0.0);
            for enforced in &self.enforced {
                self.change[enforced.row] = -self.values[enforced.invariant];
            }
            matrix.solve(&mut self.change);
            statistics.solves += 1;
            for i in 0..y.len() {
                self.change[i] *= f64::from(u8::from(self.moved[i]));
                self.candidate[i] = y[i] + self.change[i];
            }
            dae.invariants(t, &self.candidate, &mut self.corrected);
            let corrected = self.in_roundings(&self.corrected);
            let largest = if corrected <= SLOW * size { LARGEST_GOOD_CORRECTION } else { LARGEST_CORRECTION };
            let is_small = weights.error_norm(&self.change) <= largest && self.is_finite();
            if corrected.is_nan() || corrected >= size || !is_small {
                return;
            }
            y.copy_from_slice(&self.candidate);
            std::mem::swap(&mut self.values, &mut self.corrected);
            size = corrected;
        }
    }

    /// Whether the candidate is finite: invariants need not depend on all of it.
    fn is_finite(&self) -> bool {
        self.candidate.iter().all(|y| y.is_finite())
    }

    /// Residuals of the invariants at the state that the last [`Projector::apply`] left; `None` if they are outdated.
    pub(crate) fn invariants(&self) -> Option<&[f64]> {
        self.are_known.then_some(&self.values)
    }

    /// Marks the residuals as outdated: unknowns on which invariants depend have changed.
    pub(crate) fn forget_invariants(&mut self) {
        self.are_known = false;
    }

    /// Drops the directions because the equations have changed.
    pub(crate) fn forget(&mut self) {
        self.factorization = None;
    }

    /// Computes the directions, the derivatives of the constraints and $S^{-1}$; `false` if $S$ is singular.
    fn linearise(
        &mut self,
        dae: &dyn Dae,
        matrix: &IterationMatrix<f64>,
        t: f64,
        y: &[f64],
        statistics: &mut Statistics,
    ) -> bool {
        let (n, m) = (self.candidate.len(), self.enforced.len());
        let pattern = &dae.description().invariants_jacobian;
        dae.invariants_jacobian(t, y, &mut self.jacobian);
        self.update_directions(matrix, statistics);
        let small = self.small.matrix_mut();
        for (direction, column) in self.directions.chunks_exact(n).zip(small.chunks_exact_mut(m)) {
            for (enforced, entry) in self.enforced.iter().zip(column) {
                let entries = pattern.row(enforced.invariant);
                *entry = entries.map(|(column, position)| self.jacobian[position] * direction[column]).sum();
            }
        }
        if self.small.factorize().is_err() {
            // S is to be evaluated again at the next step.
            self.factorization = None;
            return false;
        }
        for (k, column) in self.inverse.chunks_exact_mut(m).enumerate() {
            column.fill(0.0);
            column[k] = 1.0;
            self.small.solve(column);
        }
        self.age = 0;
        true
    }

    /// Broyden's update of $S^{-1}$: with $\mu = -S^{-1} \varphi$ and $v = S^{-1} \varphi(t, y + W\mu)$ it becomes
    /// $S^{-1} - v\, \mu^{\mathsf T} S^{-1} / \mu^{\mathsf T} (\mu + v)$.
    fn learn(&mut self) {
        let m = self.enforced.len();
        multiply(&self.inverse, &self.enforced, &self.corrected, &mut self.left);
        let (mut square, mut slope) = (0.0, 0.0);
        for (mu, v) in self.multipliers.iter().zip(&self.left) {
            square += mu * mu;
            slope += mu * v;
        }
        let divisor = square + slope;
        // Nearly singular.
        if divisor.is_nan() || divisor <= LEAST_PIVOT * square {
            return;
        }
        for (column, entry) in self.inverse.chunks_exact(m).zip(&mut self.row) {
            *entry = column.iter().zip(&self.multipliers).map(|(h, mu)| h * mu).sum::<f64>() / divisor;
        }
        for (column, entry) in self.inverse.chunks_exact_mut(m).zip(&self.row) {
            column.iter_mut().zip(&self.left).for_each(|(h, v)| *h -= v * entry);
        }
    }

    /// Estimates the rounding errors of the constraints,
    /// $\varepsilon \sum_j |\partial\varphi_i/\partial y_j| \max(|y_j|, \mathrm{nominal}_j)$. Without the nominal
    /// value, the velocity constraint of a body almost at rest would outweigh all others.
    fn estimate_rounding(&mut self, description: &Description, y: &[f64]) {
        let magnitude = |column: usize| y[column].abs().max(description.unknowns[column].nominal.abs());
        for (rounding, enforced) in self.rounding.iter_mut().zip(&self.enforced) {
            let entries = description.invariants_jacobian.row(enforced.invariant);
            let sum: f64 = entries.map(|(column, position)| self.jacobian[position].abs() * magnitude(column)).sum();
            *rounding = (f64::EPSILON * sum).max(f64::MIN_POSITIVE);
        }
    }

    /// Largest enforced residual in units of its rounding error.
    fn in_roundings(&self, values: &[f64]) -> f64 {
        let sizes =
            self.enforced.iter().zip(&self.rounding).map(|(e, rounding)| (values[e.invariant] / rounding).abs());
        // `max` would ignore NaN.
        sizes.fold(0.0, |worst, size| if size > worst || size.is_nan() { size } else { worst })
    }

    /// Computes $W$, unless it belongs to the factors at hand.
    fn update_directions(&mut self, matrix: &IterationMatrix<f64>, statistics: &mut Statistics) {
        if self.factorization == Some(matrix.factorizations()) {
            return;
        }
        self.factorization = Some(matrix.factorizations());
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

    /// Sets the candidate to `y` plus one correction.
    fn correct(&mut self, y: &[f64]) {
        multiply(&self.inverse, &self.enforced, &self.values, &mut self.multipliers);
        self.multipliers.iter_mut().for_each(|mu| *mu = -*mu);
        self.candidate.copy_from_slice(y);
        for (direction, multiplier) in self.directions.chunks_exact(y.len()).zip(&self.multipliers) {
            self.candidate.iter_mut().zip(direction).for_each(|(y, d)| *y += multiplier * d);
        }
    }
}

/// $S^{-1}$ times the values of the enforced invariants.
fn multiply(inverse: &[f64], enforced: &[Enforced], values: &[f64], product: &mut [f64]) {
    product.fill(0.0);
    for (column, enforced) in inverse.chunks_exact(product.len()).zip(enforced) {
        let value = values[enforced.invariant];
        product.iter_mut().zip(column).for_each(|(product, h)| *product += h * value);
    }
}
