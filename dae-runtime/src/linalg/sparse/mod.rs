//! Sparse matrices: factors, conditions, regularity block by block.
//!
//! In: a list of entries. Out: the linear algebra of large systems, at a cost near-linear in the number of entries
//! where the pattern allows it.
//!
//! | file | what |
//! |---|---|
//! | `matrix` | compressed rows |
//! | `factors` | $A = LU$ with row exchanges: with the feature `sparse` large ones by `faer`, otherwise within a band |
//! | `band` | reverse Cuthill–McKee order and elimination within a band |
//! | `condition` | Higham's estimate of $\lVert A^{-1} \rVert_1$ from a few solves |
//! | `error` | why a matrix has no factors |
//! | `regularity` | whether a square matrix is regular, diagonal block by diagonal block |

mod band;
mod condition;
mod error;
mod factors;
mod matrix;
mod regularity;

pub(crate) use band::reverse_cuthill_mckee;
pub use condition::inverse_norm;
pub use error::FactorError;
pub use factors::Factors;
pub use matrix::SparseMatrix;
pub use regularity::{Regularity, regularity};
