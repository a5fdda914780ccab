//! Formulations that are completed at run time.
//!
//! In: a formulation that does not determine its solutions on its own, or is to be solved for its derivatives. Out: a
//! [`Dae`](crate::contract::Dae) like any other.

mod delegate;
pub mod derivative_array;
pub mod first_integrals;
pub mod internal_projection;
pub mod metric;
pub mod modes;
pub(crate) mod sliding;
pub mod state_space;
pub mod underlying;
