//! Linear algebra: what is solved, and what is known of matrices and their patterns.
//!
//! In: matrices and patterns. Out: solutions, ranks, factors, blocks; what is singular is named by row and column.

pub(crate) mod complete_pivoting;
pub mod iteration_matrix;
pub mod matrix;
pub mod pivoted_qr;
pub mod rank;
pub mod sparse;
pub mod structure;
