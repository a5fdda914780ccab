//! When an iteration has converged to rounding level.
//!
//! In: corrections. Out: whether another one is needed; an error if they do not converge.
//!
//! What structure-preserving methods preserve, they preserve only as far as their equations are solved, so that these
//! are solved as accurately as rounding errors allow.

use crate::integrator::StepError;

/// Largest number of corrections.
const MOST: usize = 100;
/// Corrections that no longer decrease are rounding errors if they are below this fraction of the values.
const ROUNDING: f64 = 1e-12;
/// Corrections decrease slowly if one is larger than this fraction of the one before.
const SLOW: f64 = 0.1;

/// An iteration under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Iteration {
    count: usize,
    /// The size of the last correction, as a fraction of the values.
    before: f64,
    is_slow: bool,
}

impl Iteration {
    pub(super) fn new() -> Self {
        Iteration { count: 0, before: f64::INFINITY, is_slow: false }
    }

    /// Whether the last corrections decreased slowly.
    pub(super) fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// Whether the iteration has converged with this correction; `weights` are the inverses of typical values. If it
    /// does not converge, the error names the one of `unknowns` that is corrected most.
    #[inline]
    pub(super) fn is_over(
        &mut self,
        correction: &[f64],
        weights: &[f64],
        unknowns: &[usize],
    ) -> Result<bool, StepError> {
        let (mut size, mut worst) = (0.0, 0);
        for (k, (correction, weight)) in correction.iter().zip(weights).enumerate() {
            let part = correction.abs() * weight;
            if part > size || part.is_nan() {
                (size, worst) = (part, k);
            }
        }
        self.count += 1;
        let is_stagnant = size > 0.5 * self.before;
        // The next correction is estimated as size^2 / before.
        let is_over = size <= 0.5 * f64::EPSILON
            || size * size <= 0.5 * f64::EPSILON * self.before && self.before.is_finite()
            || size <= ROUNDING && is_stagnant;
        if !size.is_finite() || (!is_over && (self.count == MOST || size > 2.0 * self.before)) {
            return Err(StepError::Convergence { unknown: unknowns.get(worst).copied().unwrap_or(0) });
        }
        self.is_slow = size > SLOW * self.before;
        self.before = size;
        Ok(is_over)
    }
}
