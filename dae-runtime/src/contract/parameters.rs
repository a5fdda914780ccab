//! Errors in replacing the parameters of a formulation.
//!
//! In: values or a name from the caller. Out: [`ParameterError`].

use std::error::Error;
use std::fmt;

use super::name::Name;

/// Why parameters were not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterError {
    /// The number of values differs from that of the parameters.
    Count {
        /// Number of values given.
        given: usize,
        /// Number of parameters.
        expected: usize,
    },
    /// There is no parameter of this name.
    Unknown {
        /// The name given.
        name: String,
        /// Names of the parameters that exist.
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
