//! Why an integration by Taylor series does not reach its end.
//!
//! In: what went wrong, with names. Out: [`TaylorFailure`] and [`TaylorError`], whose messages say what went wrong,
//! where, and what can be done about it.

use std::fmt;

use crate::contract::Name;
use crate::initialize::InitializationError;

use super::solution::TaylorSolution;

/// Why a step could not be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TaylorFailure {
    /// An equation or one of its derivatives is not finite.
    NonFinite {
        /// Time of the last accepted step.
        t: f64,
        /// The equation.
        equation: Name,
    },
    /// The system Jacobian is singular to working precision.
    SingularJacobian {
        /// Time of the last accepted step.
        t: f64,
        /// An equation that the others imply.
        equation: Name,
    },
    /// Steps became shorter than time can resolve.
    StepSizeTooSmall {
        /// Time of the last accepted step.
        t: f64,
        /// The step that was tried last.
        h: f64,
        /// The unknown that could not be determined to the tolerance.
        unknown: Name,
    },
    /// The bound on the number of steps was reached.
    TooManySteps {
        /// Time of the last accepted step.
        t: f64,
        /// The bound.
        max_steps: usize,
    },
    /// The observer of the steps has asked for the end of the run.
    Interrupted {
        /// Time of the last step.
        t: f64,
    },
    /// The equations cannot be solved near the point to which the series lead, or near the start values.
    NotConverged {
        /// Time of the last accepted step.
        t: f64,
        /// The step that was tried last; 0 at the start.
        h: f64,
        /// The unknown that did not settle.
        unknown: Name,
    },
}

impl fmt::Display for TaylorFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaylorFailure::NonFinite { t, equation } => write!(
                f,
                "{equation} or one of its derivatives is not finite at t = {t}: a function has no Taylor series there (a root at zero, a \
                 division by zero), or the solution ends; end the run before, or integrate by another method"
            ),
            TaylorFailure::SingularJacobian { t, equation } => write!(
                f,
                "the system Jacobian is singular at t = {t}: the other equations imply {equation} there, so that the index or the branch of the \
                 solution changes; integrate a formulation by another method, or end the run before"
            ),
            TaylorFailure::StepSizeTooSmall { t, h, unknown } => write!(
                f,
                "step size {h:.3e} too small at t = {t}: the series of `{unknown}` does not reach the tolerance; the solution may end or blow \
                 up there, or the tolerance is below the rounding errors of these numbers (use `DoubleDouble`, or raise `rtol` and `atol`)"
            ),
            TaylorFailure::TooManySteps { t, max_steps } => {
                write!(f, "{max_steps} steps done at t = {t}: raise `max_steps`")
            }
            TaylorFailure::Interrupted { t } => write!(f, "interrupted at t = {t}"),
            TaylorFailure::NotConverged { t, h, unknown } => write!(
                f,
                "no solution of the equations was found a step of {h:.3e} from t = {t}, `{unknown}` does not settle: shorten steps of \
                 fixed length, give better guesses at a start, or end the run before"
            ),
        }
    }
}

impl std::error::Error for TaylorFailure {}

/// Why a run did not begin, or stopped early.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TaylorError<S> {
    /// An option or an argument is meaningless.
    InvalidOption {
        /// What is wrong, and with which of them.
        message: String,
    },
    /// The start values cannot be made consistent.
    Start(InitializationError),
    /// The equations cannot be expanded at the start.
    NoExpansion(TaylorFailure),
    /// The run stopped before the end time.
    Stopped {
        /// Why.
        failure: TaylorFailure,
        /// The solution up to there.
        solution: Box<TaylorSolution<S>>,
    },
}

impl<S> fmt::Display for TaylorError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaylorError::InvalidOption { message } => f.write_str(message),
            TaylorError::Start(error) => error.fmt(f),
            TaylorError::NoExpansion(failure) | TaylorError::Stopped { failure, .. } => failure.fmt(f),
        }
    }
}

impl<S: fmt::Debug> std::error::Error for TaylorError<S> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TaylorError::InvalidOption { .. } => None,
            TaylorError::Start(error) => Some(error),
            TaylorError::NoExpansion(failure) | TaylorError::Stopped { failure, .. } => Some(failure),
        }
    }
}
