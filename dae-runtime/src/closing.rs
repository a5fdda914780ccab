//! Closing correction: an accepted step is moved onto the constraints that its formulation enforces.
//!
//! In: an accepted state and the factorised iteration matrix of its step. Out: the same state with the residual of
//! the enforced constraints at rounding level.
//!
//! A stage of an implicit method satisfies a constraint $\varphi(t, y) = 0$ that is a row of $F$ only to the
//! tolerance of Newton's iteration. One more simplified Newton step, with a right-hand side that is zero except in
//! the rows of the constraints,
//!
//! $$ \Bigl(\frac{\gamma}{h} F_{y'} + F_y\Bigr) \Delta = -R^{\mathsf T} \varphi(t, y), $$
//!
//! costs a back-substitution. In a GGL form it reads $\frac{\gamma}{h} M \Delta q + G^{\mathsf T} \Delta\mu \approx 0$,
//! $G \Delta q = -g$ (eq. 1.48 and section VII.2 of Hairer & Wanner): the projection that is orthogonal in the metric
//! of the leading matrix. Only unknowns of index 1 are moved; the multipliers are of the size
//! of the residual divided by $h$ and stay what the stage says.

use crate::contract::{Dae, Description};
use crate::linear::IterationMatrix;
use crate::stepper::ClosingCorrection;

/// Corrections per step. A simplified Newton step gains a factor of the size of $h$: one or two suffice at tight tolerances,
/// long steps need some more.
const MAX_CORRECTIONS: usize = 8;

/// Storage of the correction.
#[derive(Clone, Debug)]
pub struct Closing {
    /// `(invariant, row of F)` of the enforced ones.
    enforced: Vec<(usize, usize)>,
    /// Whether each unknown is moved.
    moved: Vec<bool>,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// What rounding alone can make of each invariant.
    rounding: Vec<f64>,
    update: Vec<f64>,
    candidate: Vec<f64>,
}

impl Closing {
    /// Room for a formulation. With [`ClosingCorrection::Off`], or if nothing is enforced, it will do nothing.
    pub fn new(description: &Description, mode: ClosingCorrection) -> Self {
        let enforced: Vec<_> = match mode {
            ClosingCorrection::On => {
                description.invariants.iter().enumerate().filter_map(|(k, i)| Some((k, i.row?))).collect()
            }
            ClosingCorrection::Off => Vec::new(),
        };
        let n = description.unknowns.len();
        Closing {
            enforced,
            moved: description.unknowns.iter().map(|unknown| unknown.index == 1).collect(),
            values: vec![0.0; description.invariants.len()],
            jacobian: vec![0.0; description.invariants_jacobian.len()],
            rounding: vec![0.0; description.invariants.len()],
            update: vec![0.0; n],
            candidate: vec![0.0; n],
        }
    }

    /// Corrects `y` in place and returns how many back-substitutions that took. A correction that
    /// does not make the residual smaller is not made.
    pub fn apply(&mut self, dae: &dyn Dae, matrix: &IterationMatrix<f64>, t: f64, y: &mut [f64]) -> usize {
        if self.enforced.is_empty() {
            return 0;
        }
        self.estimate_rounding(dae, t, y);
        dae.invariants(t, y, &mut self.values);
        let mut size = self.residual_in_roundings();
        for solves in 0..MAX_CORRECTIONS {
            if size <= 1.0 {
                return solves;
            }
            self.update.fill(0.0);
            for &(invariant, row) in &self.enforced {
                self.update[row] = -self.values[invariant];
            }
            matrix.solve(&mut self.update);
            for i in 0..y.len() {
                self.candidate[i] = if self.moved[i] { y[i] + self.update[i] } else { y[i] };
            }
            dae.invariants(t, &self.candidate, &mut self.values);
            let corrected = self.residual_in_roundings();
            if corrected.is_nan() || corrected >= size {
                return solves + 1;
            }
            y.copy_from_slice(&self.candidate);
            size = corrected;
        }
        MAX_CORRECTIONS
    }

    /// $\varepsilon \sum_j |\partial\varphi_i/\partial y_j| \max(|y_j|, \mathrm{nominal}_j)$. Without the nominal value, the
    /// velocity constraint of a body almost at rest would outweigh all others.
    fn estimate_rounding(&mut self, dae: &dyn Dae, t: f64, y: &[f64]) {
        dae.invariants_jacobian(t, y, &mut self.jacobian);
        self.rounding.fill(f64::MIN_POSITIVE);
        let description = dae.description();
        for (row, column, position) in description.invariants_jacobian.entries() {
            let magnitude = y[column].abs().max(description.unknowns[column].nominal.abs());
            self.rounding[row] += f64::EPSILON * self.jacobian[position].abs() * magnitude;
        }
    }

    /// Largest enforced residual in units of its rounding error.
    fn residual_in_roundings(&self) -> f64 {
        self.enforced.iter().map(|&(k, _)| (self.values[k] / self.rounding[k]).abs()).fold(0.0, |worst, size| {
            // `max` would ignore NaN.
            if size > worst || size.is_nan() { size } else { worst }
        })
    }
}
