//! Error weights $w_i = h^{k_i-1} / (\mathrm{atol}_i + \mathrm{rtol}\\,|y_i|)$ and the norms they define.
//!
//! In: tolerances, a state, a step size. Out: weighted root-mean-square norms, in which 1 means "as large as allowed".
//!
//! The factor $h^{k-1}$ for an unknown of index $k$ is that of Hairer & Wanner, section VII.4 (and of RADAU5): the
//! local error of such an unknown, and the correction that Newton's iteration makes to it, are $h^{1-k}$ times larger
//! than those of a state, without harm to the states. Steps longer than 1 do not make these tests stricter: $h$ is
//! capped at 1. Auxiliary unknowns count little in iterations and not at all in error tests.

use crate::contract::{Dae, Description, Kind, Unknown};
use crate::linalg::iteration_matrix::Jacobians;

/// Accuracy to which Newton's iteration finds an auxiliary unknown, unless the relative tolerance is larger: other
/// unknowns depend on it only to second order, and it may be known to only a few digits. It is relative to the largest
/// auxiliary unknown of the same order, since a derivative that is zero has the rounding errors of those that share an
/// equation with it.
const AUXILIARY: f64 = 1e-3;

/// Errors of a multiplier of the formulation may move a state by this fraction of its tolerance in a step.
const EFFECT: f64 = 0.1;

/// Weights of the entries of $y$, kept for one state and one step size.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    rtol: Vec<f64>,
    atol: Vec<f64>,
    index: Vec<u8>,
    /// Which unknowns are auxiliary, and count little.
    auxiliary: Vec<Option<Auxiliary>>,
    /// The largest magnitude of the auxiliary unknowns of each order, in units of their nominal values; at least 1.
    largest: Vec<f64>,
    /// Weights without the factors $h^{k-1}$.
    full: Vec<f64>,
    weights: Vec<f64>,
}

impl Weights {
    /// Weights for a formulation, with the tolerances of each of its unknowns; all zero until [`Weights::update`].
    pub(crate) fn new(description: &Description, rtol: Vec<f64>, atol: Vec<f64>) -> Self {
        let n = description.unknowns.len();
        let auxiliary: Vec<Option<Auxiliary>> = description.unknowns.iter().map(Auxiliary::of).collect();
        Weights {
            rtol,
            atol,
            index: description.unknowns.iter().map(|unknown| unknown.index).collect(),
            largest: vec![1.0; auxiliary.iter().flatten().map(|it| it.order + 1).max().unwrap_or(0)],
            auxiliary,
            full: vec![0.0; n],
            weights: vec![0.0; n],
        }
    }

    /// Relaxes the tolerances of the multipliers that the formulation itself introduces, which are zero on solutions
    /// and whose values are of no interest: it suffices that their errors move no state by more than a tenth of its
    /// tolerance in a step. Where the derivatives of constraints are small (rods of length $10^{-3}$), rounding errors
    /// of the multipliers would exceed tighter tolerances, since multipliers matter only in products with these
    /// derivatives.
    pub(crate) fn relax_multipliers(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        let description = dae.description();
        if description.multipliers().next().is_none() {
            return;
        }
        self.update(y, 1.0);
        let mut jacobians = Jacobians::new(description);
        jacobians.evaluate(dae, t, y, yp);
        let mut allowed = vec![f64::INFINITY; y.len()];
        for row in 0..description.equations.len() {
            let entries = description.jacobian_yp.row(row).map(|(column, place)| (column, jacobians.yp[place].abs()));
            let sizes = entries.map(|(column, size)| size / self.full[column]);
            let of_state = sizes.filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
            for (column, place) in description.jacobian_y.row(row) {
                allowed[column] = allowed[column].min(of_state / jacobians.y[place].abs());
            }
        }
        for column in description.multipliers() {
            if allowed[column].is_finite() {
                self.atol[column] = self.atol[column].max(EFFECT * allowed[column]);
            }
        }
    }

    /// Adapts the weights to a state and a step size.
    pub(crate) fn update(&mut self, y: &[f64], h: f64) {
        let h = h.abs().min(1.0);
        self.largest.fill(1.0);
        for (y, auxiliary) in y.iter().zip(&self.auxiliary) {
            if let Some(Auxiliary { order, nominal }) = *auxiliary {
                self.largest[order] = self.largest[order].max(y.abs() / nominal);
            }
        }
        for i in 0..y.len() {
            if let Some(Auxiliary { order, nominal }) = self.auxiliary[i] {
                self.full[i] = 1.0 / (self.atol[i] + AUXILIARY.max(self.rtol[i]) * nominal * self.largest[order]);
                self.weights[i] = self.full[i];
                continue;
            }
            let allowed = (self.atol[i] + self.rtol[i] * y[i].abs()).max(f64::MIN_POSITIVE);
            self.full[i] = 1.0 / allowed;
            self.weights[i] = h.powi(i32::from(self.index[i]) - 1) / allowed;
        }
    }

    /// The weights.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    /// The weights without the factors $h^{k-1}$: inverses of the tolerances.
    pub(crate) fn full(&self) -> &[f64] {
        &self.full
    }

    /// $\sum_i (w_i v_i)^2$.
    pub(crate) fn sum_of_squares(&self, v: &[f64]) -> f64 {
        self.weights.iter().zip(v).map(|(w, v)| (w * v).powi(2)).sum()
    }

    /// Root mean square of $w_i v_i$ over all entries.
    pub(crate) fn norm(&self, v: &[f64]) -> f64 {
        (self.sum_of_squares(v) / v.len().max(1) as f64).sqrt()
    }

    /// [`Weights::norm`] over the unknowns that are not auxiliary.
    pub(crate) fn error_norm(&self, v: &[f64]) -> f64 {
        let counted = self.weights.iter().zip(v).zip(&self.auxiliary).filter(|(_, auxiliary)| auxiliary.is_none());
        let (sum, n) = counted.fold((0.0, 0), |(sum, n), ((w, v), _)| (sum + (w * v).powi(2), n + 1));
        (sum / n.max(1) as f64).sqrt()
    }

    /// Root mean square of the weighted entries listed, without the factors $h^{k-1}$; zero if there are none.
    pub(crate) fn norm_over(&self, entries: &[usize], v: &[f64]) -> f64 {
        let sum: f64 = entries.iter().map(|&i| (self.full[i] * v[i]).powi(2)).sum();
        (sum / entries.len().max(1) as f64).sqrt()
    }

    /// [`Weights::worst`] among the unknowns that are not auxiliary.
    pub(crate) fn worst_error(&self, v: &[f64]) -> usize {
        let size = |i: usize| (self.weights[i] * v[i]).abs();
        let counted = (0..v.len()).filter(|&i| self.auxiliary[i].is_none());
        let larger =
            |worst: usize, i: usize| if size(worst) >= size(i) || !size(worst).is_finite() { worst } else { i };
        counted.reduce(larger).unwrap_or(0)
    }

    /// The entry with the largest $|w_i v_i|$; one that is not finite counts as largest.
    pub(crate) fn worst(&self, v: &[f64]) -> usize {
        let size = |i: usize| (self.weights[i] * v[i]).abs();
        (1..v.len()).fold(0, |worst, i| if size(worst) >= size(i) || !size(worst).is_finite() { worst } else { i })
    }
}

/// An auxiliary unknown.
#[derive(Clone, Copy, Debug)]
struct Auxiliary {
    /// The order of the derivative that it stands for.
    order: usize,
    nominal: f64,
}

impl Auxiliary {
    fn of(unknown: &Unknown) -> Option<Auxiliary> {
        match unknown.kind {
            Kind::Auxiliary { order } => Some(Auxiliary { order: order as usize, nominal: unknown.nominal }),
            Kind::Differential | Kind::Algebraic => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(index: &[u8]) -> Weights {
        let n = index.len();
        let (auxiliary, zeros) = (vec![None; n], vec![0.0; n]);
        let (full, weights, largest) = (zeros.clone(), zeros, Vec::new());
        Weights { rtol: vec![0.1; n], atol: vec![0.5; n], index: index.to_vec(), auxiliary, largest, full, weights }
    }

    #[test]
    fn index_lowers_the_weight_by_powers_of_h() {
        let mut weights = weights(&[1, 2, 3]);
        weights.update(&[5.0, -5.0, 5.0], -0.01);
        for (weight, expected) in weights.as_slice().iter().zip([1.0, 1e-2, 1e-4]) {
            assert!((weight / expected - 1.0).abs() < 1e-14);
        }
        assert_eq!(weights.full(), [1.0; 3]);
        weights.update(&[5.0, -5.0, 5.0], 7.0);
        assert_eq!(weights.as_slice(), [1.0; 3]);
    }

    #[test]
    fn auxiliary_unknowns_are_measured_by_the_largest_of_their_order() {
        let mut weights = weights(&[1; 4]);
        let auxiliary = |order, nominal| Some(Auxiliary { order, nominal });
        weights.auxiliary = vec![None, auxiliary(1, 1.0), auxiliary(1, 0.01), auxiliary(2, 1.0)];
        weights.largest = vec![1.0; 3];
        weights.update(&[5.0, 0.0, 10.0, 1e6], 1.0);
        // 0.5 + 0.1 y: the second is measured by the third, which is 1000 nominal values.
        for (weight, expected) in weights.full().iter().zip([1.0, 100.5, 1.5, 1e5 + 0.5]) {
            assert!((weight * expected - 1.0).abs() < 1e-14, "{weight} {expected}");
        }
        assert!((weights.error_norm(&[3.0, 1e9, 1e9, 1e9]) - 3.0).abs() < 1e-14, "only the first counts");
    }

    #[test]
    fn norms_are_root_mean_squares() {
        let mut weights = weights(&[1, 1]);
        weights.update(&[5.0, 0.0], 1.0);
        assert!((weights.norm(&[3.0, 2.0]) - (12.5f64).sqrt()).abs() < 1e-14);
        assert!((weights.norm_over(&[1], &[3.0, 2.0]) - 4.0).abs() < 1e-14);
        assert_eq!(weights.worst(&[3.0, 2.0]), 1);
        assert_eq!(weights.worst(&[f64::NAN, 2.0]), 0);
    }
}
