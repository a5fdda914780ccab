//! The errors allowed.
//!
//! In: a relative tolerance, and an absolute one for each unknown. Out: the errors allowed in unknowns and shared
//! quantities of given sizes.

/// Errors of shared quantities that are smaller than this are measured absolutely: a free parameter that is found to be
/// zero has no relative accuracy, and there is no nominal value of parameters.
const UNIT: f64 = 1e-3;

/// A relative tolerance, and the absolute tolerance of each unknown.
#[derive(Clone, Debug)]
pub(super) struct Tolerances {
    pub(super) rtol: f64,
    pub(super) atol: Vec<f64>,
}

impl Tolerances {
    /// All of them, multiplied by a factor.
    pub(super) fn scaled(&self, factor: f64) -> Tolerances {
        Tolerances { rtol: factor * self.rtol, atol: self.atol.iter().map(|atol| factor * atol).collect() }
    }

    /// The error allowed in an unknown of this size.
    pub(super) fn of(&self, unknown: usize, size: f64) -> f64 {
        (self.atol[unknown] + self.rtol * size.abs()).max(f64::MIN_POSITIVE)
    }

    /// The size of a value, or where that is larger the size below which the absolute tolerance prevails.
    pub(super) fn significant(&self, unknown: usize, value: f64) -> f64 {
        value.abs().max(self.atol[unknown] / self.rtol).max(f64::MIN_POSITIVE)
    }

    /// The error allowed in a shared quantity of this size.
    pub(super) fn of_shared(&self, size: f64) -> f64 {
        (self.rtol * size.abs().max(UNIT)).max(f64::MIN_POSITIVE)
    }
}
