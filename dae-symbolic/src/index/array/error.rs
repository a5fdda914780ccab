//! Why no jets were found that fulfil the derivative array.
//!
//! In: how a search ended. Out: an [`ArrayError`], which says what is wrong and, in most cases, with which rows of the
//! array.

use std::fmt;

use crate::system::listed;

/// Why no jets were found.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayError {
    /// The value of a row, or of an entry of its Jacobian, is not finite.
    NonFinite {
        /// Its name.
        row: String,
    },
    /// Linearised where the search ended, rows contradict one another, or a single row cannot vanish.
    Contradiction {
        /// Their names.
        rows: Vec<String>,
    },
    /// The search converges so slowly that the solution seems to be a multiple one, at which the Jacobian does not show
    /// what the rows determine.
    Multiple {
        /// The name of the row that is farthest off.
        row: String,
    },
    /// The search ended without a solution, and without a contradiction.
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
