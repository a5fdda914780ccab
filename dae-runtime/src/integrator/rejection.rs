//! Why an attempt at a step was not accepted.
//!
//! In: what went wrong in an attempt. Out: the cause, together with the step length to try next ([`Rejection`]).

use crate::linalg::iteration_matrix::Singular;

/// Why an attempt at a step was not accepted, and what to try next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejection {
    pub(crate) cause: StepError,
    /// Length to try next, positive. It may be that of the rejected attempt if something else is different next time:
    /// a new Jacobian, or a start moved onto the equations.
    pub(crate) retry: f64,
}

/// Why an attempt failed, in terms of indices; names are looked up only if it makes the run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepError {
    /// The local error is too large, most of all in this unknown.
    Error { unknown: usize },
    /// The iteration diverges or is too slow, most of all in this unknown; or its result is not finite in this unknown,
    /// or violates an enforced constraint that contains it.
    Convergence { unknown: usize },
    /// The residual of this equation, or a derivative of it, is not finite.
    NonFinite { equation: usize },
    /// An iteration matrix is singular.
    Singular,
    /// Constraints are about to depend on one another, most of all this invariant on the others.
    Dependence { invariant: usize },
    /// The step has to end just before a surface across which $F$ jumps, or before a kink of $F$ that makes its error
    /// too large.
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
