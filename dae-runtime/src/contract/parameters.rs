//! Errors when parameter values of a formulation are replaced.
//!
//! In: the values, or the name, that the caller gives. Out: [`ParameterError`].

use std::error::Error;
use std::fmt;

use super::name::Name;

/// Why no parameter value was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterError {
    /// The number of values differs from the number of parameters.
    Count {
        /// Number of values given.
        given: usize,
        /// Number of parameters.
        expected: usize,
    },
    /// There is no parameter with this name.
    Unknown {
        /// The name given.
        name: String,
        /// Names of all parameters.
        known: Vec<Name>,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Count { given, expected } => write!(f, "{given} values for {expected} parameters"),
            ParameterError::Unknown { name, known } if known.is_empty() => {
                write!(f, "there is no parameter `{name}`, nor any other")
            }
            ParameterError::Unknown { name, known } => {
                write!(f, "there is no parameter `{name}`; there are {}", known.join(", "))
            }
        }
    }
}

impl Error for ParameterError {}
