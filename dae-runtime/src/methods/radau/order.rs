//! Choice of the order.
//!
//! In: the error of an accepted step, the decay of the coefficients of its polynomial and the contraction of its
//! iteration, and which attempts failed. Out: whether the next step has two stages more or fewer.
//!
//! A method with $s$ stages whose error, in units of the error allowed, is $\mathrm{err}_s$ may make its step longer by
//! $f_s = \mathrm{err}_s^{-1/(s+1)}$. The error of the method with $s'$ stages at the same step is, up to a constant,
//! $\mathrm{err}_s\\,\varrho^{s'-s}$ with the ratio $\varrho$ of neighbouring Taylor coefficients
//! $\lVert p^{(k)} \rVert h^k/k!$ of the collocation polynomial. Since residuals and factorisations of a step are
//! proportional to the number of stages, the best order is that for which $f_{s'}/s'$ is largest, provided that the
//! simplified Newton iteration, whose rate grows with the step, converges. This replaces the choice by the rate alone
//! in E. Hairer, G. Wanner, *Stiff differential equations solved by Radau methods*, J. Comput. Appl. Math. 111 (1999),
//! sect. 3.2, from which the criterion for lowering the order is taken: a failed or slow iteration.

/// Another order must promise progress per unit of work greater by this factor.
const WORTH_CHANGING: f64 = 1.2;
/// The order is raised only if the iteration of the higher order is expected to contract faster than this.
const FAST: f64 = 0.3;
/// An iteration that contracts no faster than this is slow.
const SLOW: f64 = 0.8;
/// Bounds on the ratio of successive step lengths that count as constant: where the length changes, nothing is known about longer steps.
const STEADY: (f64, f64) = (0.8, 1.25);
/// Least number of steps between changes of the order.
const STEPS_BETWEEN: usize = 4;
/// Number of steps before the order is raised again after a failed iteration.
const STEPS_AFTER_FAILURE: usize = 10;
/// No step is expected to grow by more than this factor.
const MAX_GROWTH: f64 = 8.0;

/// What is observed in an accepted step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) stages: usize,
    /// Error in units of the error allowed.
    pub(super) error: f64,
    /// $\varrho$.
    pub(super) decay: f64,
    /// Rate of contraction.
    pub(super) theta: f64,
    /// Length divided by that of the step before.
    pub(super) ratio: f64,
}

/// The change of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Raise,
    Lower,
    Keep,
}

/// Memory of the order control.
#[derive(Clone, Debug, Default)]
pub(super) struct OrderControl {
    /// Steps until the order may be raised.
    wait: usize,
    /// Rate of contraction, with a memory of slower ones.
    theta: f64,
    /// Whether an attempt at the step failed for lack of convergence.
    failed: bool,
}

impl OrderControl {
    /// Records that the iteration of an attempt failed.
    pub(super) fn note_failure(&mut self) {
        self.failed = true;
    }

    /// Chooses the order after an accepted step.
    pub(super) fn after_success(&mut self, seen: Observation) -> Change {
        self.wait = self.wait.saturating_sub(1);
        self.theta = seen.theta.max(0.5 * self.theta).min(10.0);
        if std::mem::take(&mut self.failed) || self.theta >= SLOW {
            self.wait = STEPS_AFTER_FAILURE;
            return Change::Lower;
        }
        if self.wait > 0 || !(seen.ratio > STEADY.0 && seen.ratio < STEADY.1) {
            return Change::Keep;
        }
        let s = seen.stages as f64;
        let growth = |stages: f64| {
            let error = seen.error * seen.decay.powf(stages - s);
            error.powf(-1.0 / (stages + 1.0)).min(MAX_GROWTH)
        };
        let here = growth(s) / s;
        let above = growth(s + 2.0);
        let below = growth(s - 2.0) / (s - 2.0);
        if above / (s + 2.0) > WORTH_CHANGING * here && self.theta * above <= FAST {
            Change::Raise
        } else if below > WORTH_CHANGING * here {
            Change::Lower
        } else {
            Change::Keep
        }
    }

    /// Begins with another order.
    pub(super) fn begin(&mut self) {
        self.wait = self.wait.max(STEPS_BETWEEN);
        self.theta = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTH: Observation = Observation { stages: 5, error: 0.5, decay: 0.05, theta: 1e-3, ratio: 1.0 };

    #[test]
    fn smooth_solutions_are_worth_a_higher_order_where_the_length_is_steady() {
        let mut control = OrderControl::default();
        control.begin();
        for _ in 1..STEPS_BETWEEN {
            assert_eq!(control.after_success(SMOOTH), Change::Keep);
        }
        assert_eq!(control.after_success(Observation { ratio: 2.0, ..SMOOTH }), Change::Keep);
        assert_eq!(control.after_success(Observation { theta: 0.15, ..SMOOTH }), Change::Keep);
        let mut control = OrderControl::default();
        assert_eq!(control.after_success(SMOOTH), Change::Raise);
    }

    #[test]
    fn rough_solutions_and_slow_or_failed_iterations_lower_it() {
        let mut control = OrderControl::default();
        assert_eq!(control.after_success(Observation { decay: 2.0, ..SMOOTH }), Change::Lower);
        assert_eq!(control.after_success(Observation { theta: 0.9, ..SMOOTH }), Change::Lower);
        let mut control = OrderControl::default();
        control.note_failure();
        assert_eq!(control.after_success(SMOOTH), Change::Lower);
        assert_eq!(control.after_success(SMOOTH), Change::Keep);
    }
}
