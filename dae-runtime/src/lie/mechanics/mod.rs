//! Mechanics on Lie groups: rigid bodies with constraints.
//!
//! In: masses, forces, constraints and their derivatives, as a [`MechanicalSystem`] on a [`ConfigurationSpace`]. Out: motions
//! by [`GeneralizedAlpha`].

mod configuration;
mod error;
mod generalized_alpha;
mod start;
mod system;

pub use configuration::{ConfigurationSpace, Pose, R3TimesSo3, Se3, Vector, VectorSpace, tangent_operator};
pub use error::MechanicsError;
pub use generalized_alpha::{GeneralizedAlpha, Motion, MotionState};
pub use system::{MechanicalSystem, PointOf};
