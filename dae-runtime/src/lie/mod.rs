//! Differential equations on Lie groups and Stiefel manifolds, and mechanics on groups of rotations and rigid motions.
//!
//! In: $Y' = A(t, Y)\\, Y$ with $A$ in the Lie algebra of a matrix group. Out: solutions that stay in the group.

mod driver;
mod equation;
mod error;
mod exponential;
mod grid;
mod groups;
pub mod mechanics;
mod methods;
mod space;

pub use driver::{Steps, Trajectory, integrate, steps};
pub use equation::{Equation, Linear, LinearEquation, Nonlinear};
pub use error::LieError;
pub use exponential::{hat, matrix_exponential, vee};
pub use groups::{GeneralLinear, SpecialEuclidean, SpecialLinear, SpecialOrthogonal, Stiefel, Symplectic};
pub use methods::{
    CrouchGrossman, ExplicitEuler, ImplicitMidpoint, LieEuler, Magnus, Method, MuntheKaas4, Projected, RungeKutta4,
    Trapezoidal, VectorField,
};
pub use nalgebra;
pub use space::{HomogeneousSpace, Matrix, ROUNDING};
