//! Linear algebra: solution of systems, and properties of matrices and their patterns.
//!
//! In: matrices and patterns. Out: solutions, ranks, factors, blocks; of a singular matrix, the row and the column.

pub(crate) mod complete_pivoting;
pub mod iteration_matrix;
pub mod matrix;
pub mod pivoted_qr;
pub mod rank;
pub mod sparse;
pub mod structure;
pub(crate) mod vector;
pub(crate) mod vectors;
