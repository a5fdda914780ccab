//! Why the rank of a matrix cannot be found.
//!
//! In: a matrix. Out: a [`RankError`] where it is not finite.

use std::fmt;

use crate::linalg::matrix::Matrix;

/// Why a matrix could not be decomposed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankError {
    /// An entry is infinite or NaN.
    NonFinite {
        /// Row of the first such entry.
        row: usize,
        /// Column of that entry.
        column: usize,
    },
    /// Jacobi's rotations did not converge.
    NoConvergence,
}

impl fmt::Display for RankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankError::NonFinite { row, column } => {
                write!(f, "the matrix is not finite in row {row}, column {column}")
            }
            RankError::NoConvergence => f.write_str("the singular values did not converge"),
        }
    }
}

impl std::error::Error for RankError {}

/// The position of the first entry that is not finite, as an error.
pub(super) fn check_finite(matrix: &Matrix) -> Result<(), RankError> {
    match matrix.as_slice().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(position) => {
            let m = matrix.rows();
            Err(RankError::NonFinite { row: position % m, column: position / m })
        }
    }
}
