//! Why a run does not reach its end.
//!
//! In: errors found by initialisation, by checks of options and inputs, and by the integration itself. Out:
//! [`RunError`], which contains the solution as far as it was computed.

use std::error::Error;
use std::fmt;

use crate::contract::Dae;
use crate::initialize::InitializationError;
use crate::inputs::signal::InputError;
use crate::integrator::failure::Failure;
use crate::solution::{Solution, Status};

/// Why a run has not reached its end: it could not begin, or it stopped early.
///
/// Ends that were asked for are not errors: the end time, a terminal event, an observer that interrupts. If a run stops
/// early, the error contains the solution up to there:
///
/// ```
/// # use dae_runtime::contract::Dae;
/// use dae_runtime::solve::{Integration, RunError};
/// # fn demo(flame: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
///
/// match Integration::new(flame).run(0.0, 10.0) {
///     Ok(solution) => println!("burnt at t = {}", solution.end_time),
///     Err(RunError::Stopped { failure, solution }) => println!("{failure}, after {} steps", solution.statistics.steps),
///     Err(error) => return Err(error.into()),
/// }
/// // Whichever end it was, as long as there is a solution:
/// let solution = Integration::new(flame).run(0.0, 10.0).or_else(RunError::into_solution)?;
/// println!("{}: until t = {}", solution.status, solution.end_time);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunError {
    /// No consistent initial values were found, or no derivatives of them for sensitivities.
    Initialization(InitializationError),
    /// An option or a start value is meaningless ([`Failure::InvalidOption`]), or the method does not suit the
    /// formulation ([`Failure::UnsuitableMethod`]).
    Options(Failure),
    /// The given start values are not consistent ([`Failure::InconsistentStart`]).
    Start(Failure),
    /// The equations cannot be evaluated, for instance because an input of the caller does not supply what they need.
    Input(InputError),
    /// The integration failed before its end time.
    Stopped {
        /// Reason.
        failure: Failure,
        /// The solution up to there; its status is [`Status::Stopped`] with the same failure.
        solution: Box<Solution>,
    },
}

impl RunError {
    /// The solution; if its status is that of a run that stopped early, an error that contains it.
    pub(super) fn unless_stopped(solution: Solution) -> Result<Solution, RunError> {
        match &solution.status {
            Status::Stopped(failure) => {
                Err(RunError::Stopped { failure: failure.clone(), solution: Box::new(solution) })
            }
            Status::Success | Status::Interrupted | Status::Event(_) => Ok(solution),
        }
    }

    /// Checks that parameters are finite; otherwise unknowns would be blamed for them.
    pub(super) fn check_parameters(dae: &dyn Dae) -> Result<(), RunError> {
        match dae.parameters().iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(k) => {
                let (parameter, value) = (dae.description().parameters[k].clone(), dae.parameters()[k]);
                Err(RunError::Initialization(InitializationError::NonFiniteParameter { parameter, value }))
            }
        }
    }

    /// The failure that the error contains; `None` for errors of the initialisation and of inputs.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            RunError::Options(failure) | RunError::Start(failure) | RunError::Stopped { failure, .. } => Some(failure),
            RunError::Initialization(_) | RunError::Input(_) => None,
        }
    }

    /// The solution up to where a run stopped early; `None` if it could not begin.
    pub fn solution(&self) -> Option<&Solution> {
        match self {
            RunError::Stopped { solution, .. } => Some(solution),
            _ => None,
        }
    }

    /// The solution up to where a run stopped early, for `or_else`.
    ///
    /// # Errors
    /// The error itself if the run could not begin.
    pub fn into_solution(self) -> Result<Solution, RunError> {
        match self {
            RunError::Stopped { solution, .. } => Ok(*solution),
            error => Err(error),
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Initialization(error) => write!(f, "no consistent initial values: {error}"),
            RunError::Options(failure) | RunError::Start(failure) | RunError::Stopped { failure, .. } => failure.fmt(f),
            RunError::Input(error) => error.fmt(f),
        }
    }
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(match self {
            RunError::Initialization(error) => error,
            RunError::Options(failure) | RunError::Start(failure) | RunError::Stopped { failure, .. } => failure,
            RunError::Input(error) => error,
        })
    }
}

impl From<InitializationError> for RunError {
    fn from(error: InitializationError) -> Self {
        RunError::Initialization(error)
    }
}

impl From<InputError> for RunError {
    fn from(error: InputError) -> Self {
        RunError::Input(error)
    }
}

/// The error of a run that has not begun, which contains no solution.
impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::InvalidOption { .. }
            | Failure::UnsuitableMethod { .. }
            | Failure::NotSolved { .. }
            | Failure::NotHessenberg { .. }
            | Failure::NotHamiltonian { .. } => RunError::Options(failure),
            _ => RunError::Start(failure),
        }
    }
}
