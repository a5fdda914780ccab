//! What keeps Newton's iteration from a solution.
//!
//! In: what cannot be evaluated or solved, and where. Out: the [`Cause`] that the caller is told.

use super::error::Cause;

/// Why there is no linearisation that can be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Deficiency {
    /// A function is not finite at this time.
    NotFinite(f64),
    /// The equations of the interval that begins at this time are singular.
    Interval(f64),
    /// The equations of the model are singular at this time.
    Point(f64),
    /// The conditions do not determine the solution.
    Conditions,
}

/// Why no zero of the discretised equations was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Obstacle {
    /// There is no linearisation that can be solved.
    Deficient(Deficiency),
    /// Damping factors became too small.
    Damping,
    /// Corrections that are nearly as small as they have to be do not become smaller.
    Rounding,
    /// Too many iterations.
    Iterations,
}

impl From<Deficiency> for Obstacle {
    fn from(deficiency: Deficiency) -> Obstacle {
        Obstacle::Deficient(deficiency)
    }
}

impl From<Obstacle> for Cause {
    fn from(obstacle: Obstacle) -> Cause {
        match obstacle {
            Obstacle::Deficient(Deficiency::NotFinite(t)) => Cause::NotFinite { t },
            Obstacle::Deficient(Deficiency::Interval(t) | Deficiency::Point(t)) => Cause::Singular { t },
            Obstacle::Deficient(Deficiency::Conditions) => Cause::Undetermined,
            Obstacle::Rounding => Cause::IllConditioned,
            Obstacle::Damping | Obstacle::Iterations => Cause::Diverged,
        }
    }
}
