//! Why parameters of a formulation are not replaced.
//!
//! In: values or a name of the caller. Out: [`ParameterError`].

use std::error::Error;
use std::fmt;

use super::Name;

/// Parameters that are none of the formulation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterError {
    /// There are more or fewer values than parameters.
    Count {
        /// How many values were given.
        given: usize,
        /// How many parameters there are.
        expected: usize,
    },
    /// There is no parameter of this name.
    Unknown {
        /// The name.
        name: String,
        /// Names of the parameters that there are.
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
