//! Why a boundary value problem is not solved.
//!
//! In: what went wrong, with names. Out: [`BvpError`], which contains the last iterate if there was one.

use std::error::Error;
use std::fmt;

use crate::contract::Name;
use crate::inputs::signal::InputError;

use super::solution::BvpSolution;

/// Why a boundary value problem is not solved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BvpError {
    /// The model has no boundary conditions.
    NoConditions {
        /// Name of the model.
        model: Name,
    },
    /// The number of conditions is not that of the degrees of freedom and free quantities.
    WrongNumber {
        /// The conditions.
        conditions: Vec<Name>,
        /// Degrees of freedom of the model.
        degrees_of_freedom: usize,
        /// Number of free parameters and ends.
        free: usize,
    },
    /// The formulation is not one that can be treated.
    UnsuitableForm {
        /// Its name.
        form: Name,
        /// Why not.
        reason: String,
    },
    /// An option is meaningless.
    InvalidOption {
        /// What is wrong with it.
        message: String,
    },
    /// The equations cannot be evaluated, for instance because an input of the caller does not supply what they need.
    Input(InputError),
    /// No solution was found.
    NotConverged {
        /// What stopped the iteration.
        cause: Cause,
        /// The last iterate.
        last: Box<BvpSolution>,
    },
    /// A solution of the discretised equations was found, but its error is larger than asked for.
    Inaccurate {
        /// What kept the error from being smaller.
        cause: Cause,
        /// That solution.
        last: Box<BvpSolution>,
    },
}

/// What stopped an iteration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// An equation or its derivative has no finite value near this time.
    NotFinite {
        /// The time.
        t: f64,
    },
    /// The equations of the model do not determine the solution near this time.
    Singular {
        /// The time.
        t: f64,
    },
    /// The conditions do not determine the solution: the linearised problem has other solutions than zero.
    Undetermined,
    /// Newton's iteration does not converge, even with short steps.
    Diverged,
    /// The mesh would need more intervals than allowed.
    Intervals {
        /// The bound.
        most: usize,
    },
    /// Finer meshes do not make the error smaller: rounding errors prevail, or the solution has jumps.
    Stagnated,
    /// The problem is ill-conditioned: rounding errors of the equations change the solution by more than the tolerance.
    IllConditioned,
    /// The caller asked to stop.
    Interrupted,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::NotFinite { t } => write!(f, "equations have no finite value near t = {t}"),
            Cause::Singular { t } => write!(f, "the equations do not determine the solution near t = {t}"),
            Cause::Undetermined => write!(
                f,
                "the conditions do not determine the solution: there are others near it, or it turns into another one here"
            ),
            Cause::Diverged => {
                write!(f, "Newton's iteration does not converge from this guess, even with short steps")
            }
            Cause::Intervals { most } => write!(f, "more than {most} intervals would be needed"),
            Cause::Stagnated => {
                write!(f, "finer meshes do not make the error smaller: rounding errors prevail, or the solution is not smooth")
            }
            Cause::IllConditioned => f.write_str(
                "the problem is ill-conditioned: rounding errors in its equations and conditions change the solution by more than the tolerance",
            ),
            Cause::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl BvpError {
    /// The last iterate, if there was one.
    pub fn last(&self) -> Option<&BvpSolution> {
        match self {
            BvpError::NotConverged { last, .. } | BvpError::Inaccurate { last, .. } => Some(last),
            _ => None,
        }
    }
}

impl fmt::Display for BvpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BvpError::NoConditions { model } => write!(
                f,
                "the model {model} has no boundary conditions: write `boundary {{ x(t0) = 1; x(t_end) = 0; }}`, or integrate it from its start values"
            ),
            BvpError::WrongNumber { conditions, degrees_of_freedom, free } => {
                let names: Vec<String> = conditions.iter().map(|name| format!("`{name}`")).collect();
                let needed = degrees_of_freedom + free;
                write!(f, "{} conditions are given, and {needed} are needed", conditions.len())?;
                write!(f, ", for {degrees_of_freedom} degrees of freedom")?;
                if *free > 0 {
                    write!(f, " and {free} free quantities")?;
                }
                match names.is_empty() {
                    true => Ok(()),
                    false => write!(f, "; given are {}", names.join(", ")),
                }
            }
            BvpError::UnsuitableForm { form, reason } => write!(
                f,
                "the formulation {form} cannot be solved as a boundary value problem, since {reason}; use `index1`, `ggl` or `underlying`"
            ),
            BvpError::InvalidOption { message } => f.write_str(message),
            BvpError::Input(error) => error.fmt(f),
            BvpError::NotConverged { cause: Cause::Interrupted, last }
            | BvpError::Inaccurate { cause: Cause::Interrupted, last } => {
                write!(f, "interrupted on a mesh of {} intervals", last.mesh.len().saturating_sub(1))
            }
            BvpError::NotConverged { cause, last } => {
                let intervals = last.mesh.len().saturating_sub(1);
                write!(f, "no solution was found: {cause} (last mesh: {intervals} intervals)")?;
                match cause {
                    Cause::Diverged => {
                        write!(f, "; give a better guess, or approach the problem by continuation in a parameter")
                    }
                    _ => Ok(()),
                }
            }
            BvpError::Inaccurate { cause, last } => {
                let intervals = last.mesh.len().saturating_sub(1);
                write!(f, "the tolerance is not reached: {cause}; on {intervals} intervals the relative error ")?;
                match last.error_estimate.is_finite() {
                    true => write!(f, "is estimated as {:.1e}", last.error_estimate),
                    false => write!(f, "is unknown"),
                }
            }
        }
    }
}

impl Error for BvpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BvpError::Input(error) => Some(error),
            _ => None,
        }
    }
}
