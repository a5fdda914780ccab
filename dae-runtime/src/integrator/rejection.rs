//! Why an attempt at a step was not accepted.
//!
//! In: what went wrong in an attempt. Out: that, with the length to try next ([`Rejection`]).

use crate::linalg::iteration_matrix::Singular;

/// Why an attempt at a step was not accepted, and what to try next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejection {
    pub(crate) cause: StepError,
    /// Length to try next, positive. An unchanged length means that something else has been improved.
    pub(crate) retry: f64,
}

/// Why an attempt failed, with indices only; names are looked up when it becomes a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepError {
    /// The local error is too large, mostly in this unknown.
    Error { unknown: usize },
    /// The iteration diverges or is too slow, mostly in this unknown.
    Convergence { unknown: usize },
    /// This equation is not finite.
    NonFinite { equation: usize },
    /// A matrix is singular.
    Singular,
    /// The step would pass a surface across which $F$ jumps.
    Switch,
}

impl From<Singular> for StepError {
    fn from(singular: Singular) -> Self {
        match singular {
            Singular::NonFinite(equation) => StepError::NonFinite { equation },
            Singular::Row(_) | Singular::Column(_) => StepError::Singular,
        }
    }
}
