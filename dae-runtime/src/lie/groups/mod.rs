//! The groups and manifolds that come with the module.
//!
//! In: elements of groups and their Lie algebras. Out: implementations of
//! [`HomogeneousSpace`](crate::lie::HomogeneousSpace), by types without data: the size of the matrices is that of the
//! start value. Source: Hairer (2011), table II.1.

mod linear;
mod orthogonal;
mod polar;
mod special_euclidean;
mod symplectic;

pub use linear::{GeneralLinear, SpecialLinear};
pub use orthogonal::{SpecialOrthogonal, Stiefel};
pub use special_euclidean::SpecialEuclidean;
pub use symplectic::Symplectic;
