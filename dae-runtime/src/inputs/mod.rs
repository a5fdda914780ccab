//! Functions that the model does not define: inputs of the caller, and tables.
//!
//! In: closures, constants, points of a table. Out: values and as many derivatives as the equations need.

pub mod signal;
pub mod spline;
