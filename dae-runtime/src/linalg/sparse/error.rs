//! Why a matrix has no factors.
//!
//! In: nothing. Out: [`FactorError`].

/// Why a matrix has no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// No pivot is left, an entry is or becomes infinite or NaN, or the matrix is not square.
    Singular,
    /// The elimination takes more work than is allowed.
    TooLarge,
}
