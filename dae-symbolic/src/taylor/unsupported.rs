//! Why a model has no Taylor series here.
//!
//! In: the function or structure at fault. Out: a message that says what it is, in which equation, and what to do.

use std::fmt;

/// Why a model cannot be integrated by Taylor series.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// A function of unknowns or of time that is defined by branches.
    NotSmooth {
        /// The function: `abs`, `max`, `if`, ….
        function: String,
        /// An equation that contains it.
        equation: String,
    },
    /// A table, a Rust function or an input of the caller, of which arbitrarily high derivatives are not known.
    External {
        /// Its name.
        name: String,
        /// An equation that contains it.
        equation: String,
    },
    /// An event that the text declares.
    Event {
        /// Its condition as it is written.
        name: String,
    },
    /// The structure does not say which equations to differentiate.
    NoStructure {
        /// What is known about the system Jacobian.
        reason: String,
    },
    /// An equation contains something that is no part of the model as written.
    Misplaced {
        /// What.
        symbol: String,
        /// The equation.
        equation: String,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::NotSmooth { function, equation } => write!(
                f,
                "`{function}` in {equation} is not smooth, and a Taylor series holds on one side of its switch only: let it be smooth, or \
                 integrate a formulation by Radau5, which ends steps at switches"
            ),
            Unsupported::External { name, equation } => write!(
                f,
                "`{name}` in {equation} is defined outside of the model, and has no Taylor series of any order: write it as an expression, or \
                 integrate a formulation by another method"
            ),
            Unsupported::Event { name } => {
                write!(f, "the event `{name}` is not found in Taylor series: integrate a formulation by another method")
            }
            Unsupported::NoStructure { reason } => write!(
                f,
                "Taylor series need a structure that tells which equations to differentiate: {reason}; integrate the `derivative_array` form \
                 by Radau5"
            ),
            Unsupported::Misplaced { symbol, equation } => {
                write!(f, "{equation} contains {symbol}, which has no series")
            }
        }
    }
}

impl std::error::Error for Unsupported {}
