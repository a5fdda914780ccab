//! Choice of the step size.
//!
//! In: error and length of the steps. Out: length of the next one. Hairer & Wanner, section IV.8: the elementary
//! controller (8.21) with a safety factor that depends on the number of Newton iterations, and Gustafsson's predictive
//! controller (8.25), which extrapolates how the error changes from step to step. The constants are the defaults of
//! RADAU5.

/// Safety factor of the error per step.
const SAFETY: f64 = 0.9;
/// A step is at most this many times as long as the one before.
const MAX_GROWTH: f64 = 8.0;
/// A step is at least this fraction of the one before.
const MAX_SHRINKAGE: f64 = 0.2;
/// A step that would grow by a smaller factor keeps its length and its factorisation.
const WORTH_CHANGING: f64 = 1.2;
/// The first step is shortened by this factor while its error is too large: its length was a guess.
const FIRST_STEP: f64 = 0.1;
/// Smaller errors of the last step say nothing about the trend.
const SMALLEST_TREND: f64 = 1e-2;
/// What the controller needs to know about a method with $s$ stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    /// $1/(s + 1)$: the error estimate is of order $h^{s+1}$.
    pub(super) exponent: f64,
    /// Largest number of iterations of a step.
    pub(super) max_iterations: usize,
}

/// Memory of the controller.
#[derive(Clone, Debug, Default)]
pub(super) struct Controller {
    /// Length and error of the last accepted step.
    accepted: Option<(f64, f64)>,
    /// Whether the step under way was tried before.
    repeated: bool,
    /// Whether steps have been accepted by an earlier controller.
    is_within_a_run: bool,
}

impl Controller {
    /// The controller of a step that is repeated with another end: there is no transient of a start that would explain an
    /// error that is too large.
    pub(super) fn within_a_run() -> Self {
        Controller { is_within_a_run: true, ..Controller::default() }
    }

    /// Whether no step was accepted yet.
    pub(super) fn is_first(&self) -> bool {
        self.accepted.is_none() && !self.is_within_a_run
    }

    /// Whether the step under way was tried before.
    pub(super) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// Length after a step of length `h` (positive) whose error is too large.
    pub(super) fn after_error(&mut self, scales: Scales, h: f64, error: f64, iterations: usize) -> f64 {
        self.repeated = true;
        if self.is_first() { FIRST_STEP * h } else { h * elementary(scales, error, iterations).min(SAFETY) }
    }

    /// Forgets the trend of the errors, which are estimated by another formula from now on.
    pub(super) fn forget_trend(&mut self) {
        if let Some((_, error)) = &mut self.accepted {
            *error = 1.0;
        }
    }

    /// Records that a step failed for another reason.
    pub(super) fn after_failure(&mut self) {
        self.repeated = true;
    }

    /// Length after an accepted step of length `h` (positive).
    pub(super) fn after_success(&mut self, scales: Scales, h: f64, error: f64, iterations: usize) -> f64 {
        let mut factor = elementary(scales, error, iterations);
        if let Some((last_h, last_error)) = self.accepted {
            let predictive = SAFETY * last_h.recip() * h * (last_error / (error * error)).powf(scales.exponent);
            factor = factor.min(predictive.clamp(MAX_SHRINKAGE, MAX_GROWTH));
        }
        if self.repeated {
            factor = factor.min(1.0);
        }
        self.accepted = Some((h, error.max(SMALLEST_TREND)));
        self.repeated = false;
        h * factor
    }
}

/// Whether a step that the controller wants to grow by `factor` had better keep its length.
pub(super) fn keeps_length(factor: f64) -> bool {
    (1.0..=WORTH_CHANGING).contains(&factor)
}

/// The elementary controller (8.21).
fn elementary(scales: Scales, error: f64, iterations: usize) -> f64 {
    let most = (2 * scales.max_iterations) as f64;
    let safety = SAFETY * ((1.0 + most) / (iterations as f64 + most)).min(1.0);
    (safety * error.powf(-scales.exponent)).clamp(MAX_SHRINKAGE, MAX_GROWTH)
}
