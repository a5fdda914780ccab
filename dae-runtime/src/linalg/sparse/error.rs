//! Why a matrix has no factors.
//!
//! In: nothing. Out: [`FactorError`].

/// Why a matrix has no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// There is no pivot, or numbers overflow.
    Singular,
    /// The elimination takes more work than is allowed.
    TooLarge,
}
