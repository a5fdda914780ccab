//! Multipliers and derivatives that fit the end of a step.
//!
//! In: an accepted state of an index-2 form on its constraints, with derivatives and multipliers from the collocation
//! polynomial. Out: derivatives and multipliers that satisfy the equations and the differentiated constraints at that
//! state.
//!
//! Radau IIA of order 5 is superconvergent in the states of an index-2 system, but its multipliers are those of a
//! stage, of order 3 (Hairer, Lubich & Roche 1989, theorem 4.6). The states determine the multipliers, though: with
//! $\varphi(t, y) = 0$ differentiated once,
//!
//! $$ F(t, y, y') = 0 \ \text{without the rows of } \varphi, \qquad \varphi_t + \varphi_y\\,y' = 0 $$
//!
//! is a regular system for $y'$ and $z$, the unknowns of index 2. Written for $\eta = \frac{h}{\gamma} \Delta y'$ its
//! matrix is $\frac{\gamma}{h} F_{y'} + F_z$ with the rows $\varphi_y$: the iteration matrix at hand up to a term
//! $F_y \eta$, which is smaller by $O(h)$. So one or two back-substitutions give the multipliers the order of the
//! states. Where $F_y$ is stiff the iteration does not contract; then nothing is changed.

use crate::contract::{Dae, Description, Kind};
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Projection, Statistics};
use crate::linalg::iteration_matrix::IterationMatrix;

/// Iterations per step.
const MAX_ITERATIONS: usize = 2;
/// An iteration must contract at least by this factor to be worthwhile.
const CONTRACTION: f64 = 0.25;
/// Where it contracts by this factor, the next correction needs no confirmation.
const SURE: f64 = 0.1;

/// Storage of the iteration.
#[derive(Clone, Debug)]
pub(crate) struct Multipliers {
    /// `(invariant, row of F)` of the enforced ones.
    enforced: Vec<(usize, usize)>,
    roles: Vec<Role>,
    /// Whether invariants depend on a multiplier.
    in_invariants: bool,
    jacobian: Vec<f64>,
    jacobian_t: Vec<f64>,
    drift: Vec<f64>,
    update: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
}

/// The role of an unknown in the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Its derivative is determined.
    State,
    /// Its value is determined.
    Multiplier,
    /// It takes no part.
    Spectator,
}

impl Multipliers {
    /// Allocates room for a formulation. Nothing will be improved unless there is projection and all unknowns of index
    /// above 1 are algebraic, of index 2, and equal in number to the enforced invariants.
    pub(crate) fn new(description: &Description, mode: Projection) -> Self {
        let role = |kind: Kind, index: u8| match (kind, index) {
            (Kind::Algebraic, 2) => Role::Multiplier,
            (Kind::Differential, 1) => Role::State,
            _ => Role::Spectator,
        };
        let roles: Vec<Role> = description.unknowns.iter().map(|u| role(u.kind, u.index)).collect();
        let mut enforced: Vec<_> =
            description.invariants.iter().enumerate().filter_map(|(k, i)| Some((k, i.row?))).collect();
        let multipliers = roles.iter().filter(|&&role| role == Role::Multiplier).count();
        let beyond_index_1 = description.unknowns.iter().filter(|u| u.index > 1).count();
        let fits = multipliers == beyond_index_1 && multipliers == enforced.len();
        if mode == Projection::Off || !fits {
            enforced.clear();
        }
        let n = roles.len();
        let mut entries = description.invariants_jacobian.entries();
        Multipliers {
            enforced,
            in_invariants: entries.any(|(_, column, _)| roles[column] == Role::Multiplier),
            roles,
            jacobian: vec![0.0; description.invariants_jacobian.len()],
            jacobian_t: vec![0.0; n],
            drift: vec![0.0; description.invariants.len()],
            update: vec![0.0; n],
            y: vec![0.0; n],
            yp: vec![0.0; n],
        }
    }

    /// Improves multipliers in `y` and derivatives in `yp` with the factors of $\frac\gamma h F_{y'} + F_y$, where
    /// `leading` is $\frac\gamma h$. Returns whether this has changed invariants.
    pub(crate) fn apply(
        &mut self,
        dae: &dyn Dae,
        matrix: &IterationMatrix<f64>,
        leading: f64,
        weights: &Weights,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
        statistics: &mut Statistics,
    ) -> bool {
        if self.enforced.is_empty() {
            return false;
        }
        self.y.copy_from_slice(y);
        self.yp.copy_from_slice(yp);
        dae.invariants_jacobian(t, y, &mut self.jacobian);
        if !self.are_on_states(dae.description()) {
            return false;
        }
        dae.jacobian_t(t, y, yp, &mut self.jacobian_t);
        let (mut last, mut changed) = (f64::INFINITY, false);
        for iteration in 0..=MAX_ITERATIONS {
            self.solve(dae, matrix, leading, t);
            statistics.residuals += 1;
            statistics.solves += 1;
            let size = weights.norm(&self.update);
            let contracts = size <= CONTRACTION * last;
            if !contracts {
                break;
            }
            let is_sure = iteration + 1 == MAX_ITERATIONS && size <= SURE * last;
            if is_sure {
                self.correct(leading);
            }
            // The last iterate is confirmed by the correction to it.
            if last.is_finite() {
                changed = self.in_invariants;
                y.copy_from_slice(&self.y);
                yp.copy_from_slice(&self.yp);
            }
            if is_sure {
                break;
            }
            self.correct(leading);
            last = size;
        }
        changed
    }

    /// Whether all enforced invariants depend on states only: just these can be differentiated here. A row that defines
    /// an algebraic unknown does not qualify.
    fn are_on_states(&self, description: &Description) -> bool {
        let row = |&(k, _): &(usize, usize)| {
            let mut entries = description.invariants_jacobian.row(k);
            entries.all(|(column, position)| self.jacobian[position] == 0.0 || self.roles[column] == Role::State)
        };
        self.enforced.iter().all(row)
    }

    /// Computes the correction to the present iterate.
    fn solve(&mut self, dae: &dyn Dae, matrix: &IterationMatrix<f64>, leading: f64, t: f64) {
        dae.residual(t, &self.y, &self.yp, &mut self.update);
        self.drift.fill(0.0);
        for (row, column, position) in dae.description().invariants_jacobian.entries() {
            self.drift[row] += self.jacobian[position] * self.yp[column];
        }
        for &(invariant, row) in &self.enforced {
            self.update[row] = (self.drift[invariant] + self.jacobian_t[row]) / leading;
        }
        self.update.iter_mut().for_each(|x| *x = -*x);
        matrix.solve(&mut self.update);
    }

    fn correct(&mut self, leading: f64) {
        for (k, role) in self.roles.iter().enumerate() {
            match role {
                Role::State => self.yp[k] += leading * self.update[k],
                Role::Multiplier => self.y[k] += self.update[k],
                Role::Spectator => {}
            }
        }
    }
}
