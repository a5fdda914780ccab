//! Why derivatives and algebraic unknowns have no values.

use std::fmt;

use crate::contract::Name;

/// Why $y' = f(t, y)$ has no value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unsolvable {
    /// The equations do not determine the derivatives: an impasse point, or a point where constraints are dependent.
    Singular {
        /// The time.
        t: f64,
        /// An equation that the others already imply.
        equation: Name,
        /// The undetermined quantity: an algebraic unknown, or the derivative of a differential one.
        unknown: Name,
    },
    /// $F$ or a Jacobian is not finite.
    NonFinite {
        /// The time.
        t: f64,
        /// Names of the equations that are not finite.
        equations: Vec<Name>,
    },
    /// Newton's iteration does not converge from the given values.
    NoConvergence {
        /// The time.
        t: f64,
        /// The unknown, or derivative, with the largest correction.
        unknown: Name,
    },
}

impl fmt::Display for Unsolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolvable::Singular { t, equation, unknown } => write!(
                f,
                "the underlying ordinary differential equation is singular at t = {t}: {equation} is implied by the other equations and \
                 `{unknown}` is not determined"
            ),
            Unsolvable::NonFinite { t, equations } => write!(f, "not finite at t = {t}: {}", equations.join(", ")),
            Unsolvable::NoConvergence { t, unknown } => {
                write!(f, "Newton's iteration for the derivatives at t = {t} does not converge, worst in `{unknown}`")
            }
        }
    }
}

impl std::error::Error for Unsolvable {}

/// Why there is no solution, by positions; where a step is tried again, nobody asks for the names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Obstacle {
    Singular { equation: usize, unknown: usize },
    NonFinite,
    NoConvergence { unknown: usize },
}
