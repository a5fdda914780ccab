//! Why no jets were found that fulfil the derivative array.
//!
//! In: where a search ended. Out: an [`ArrayError`], which names rows of the array and says what is wrong with them.

use std::fmt;

use crate::system::listed;

/// Why no jets were found.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayError {
    /// A row has no finite value.
    NonFinite {
        /// Its name.
        row: String,
    },
    /// Rows contradict one another, to first order, for any values near those where the search ended.
    Contradiction {
        /// Their names.
        rows: Vec<String>,
    },
    /// The solution is a multiple one: the derivatives of the equations do not show what is determined there.
    Multiple {
        /// The name of the row that is farthest off.
        row: String,
    },
    /// The search did not come to an end.
    NoConvergence {
        /// The name of the row that is farthest off.
        row: String,
    },
    /// Values fulfil the equations to 16 digits, but none were found that do so to hundreds of digits.
    ToRoundingOnly,
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayError::NonFinite { row } => write!(f, "{row} has no finite value at the start values"),
            ArrayError::Contradiction { rows } => {
                let hold = if rows.len() == 1 { "holds" } else { "hold together" };
                write!(f, "no values were found near the start values at which {} {hold}", listed(rows))
            }
            ArrayError::Multiple { row } => {
                write!(
                    f,
                    "derivatives vanish at the solution that is closest to the start values (as those of {row} seem to)"
                )
            }
            ArrayError::NoConvergence { row } => {
                write!(f, "no values were found that fulfil the equations and their derivatives; {row} is still off")
            }
            ArrayError::ToRoundingOnly => write!(
                f,
                "values were found that fulfil the equations and their derivatives to 16 digits, and none that do so with more"
            ),
        }
    }
}
