//! Mechanics on Lie groups: rigid bodies with constraints.
//!
//! In: masses, forces, constraints and their derivatives, as a [`MechanicalSystem`] on a [`ConfigurationSpace`]. Out:
//! motions by the generalised-α method, [`GeneralizedAlpha`], with multipliers. Sources: O. Brüls & A. Cardona, *On the
//! use of Lie group time integrators in multibody dynamics*, J. Comput. Nonlinear Dynam. 5 (2010); M. Arnold, O. Brüls
//! & A. Cardona, *Error analysis of generalized-α Lie group time integration methods for constrained mechanical
//! systems*, Numer. Math. 129 (2015).
//!
//! The equations are solved as they are, with index 3: what is imposed on a step is the constraint, and not its
//! derivatives. Rotations have no parameters, and so no singularities.
//!
//! ```
//! use dae_runtime::lie::Matrix;
//! use dae_runtime::lie::mechanics::{GeneralizedAlpha, MechanicalSystem, Vector, VectorSpace};
//! use nalgebra::{Matrix2, Vector2};
//!
//! /// A pendulum of mass and length one: q'' = (0, -9.81) - q λ, 0 = (|q|² - 1) / 2.
//! struct Pendulum;
//!
//! impl MechanicalSystem<2, 1> for Pendulum {
//!     type Space = VectorSpace;
//!
//!     fn space(&self) -> &VectorSpace {
//!         &VectorSpace
//!     }
//!     fn mass(&self, _: &Vector2<f64>) -> Matrix2<f64> {
//!         Matrix2::identity()
//!     }
//!     fn force(&self, _: f64, _: &Vector2<f64>, _: &Vector2<f64>) -> Vector2<f64> {
//!         Vector2::new(0.0, 9.81)
//!     }
//!     fn constraint(&self, q: &Vector2<f64>) -> Vector<1> {
//!         Vector::<1>::new((q.norm_squared() - 1.0) / 2.0)
//!     }
//!     fn gradient(&self, q: &Vector2<f64>) -> Matrix<1, 2> {
//!         q.transpose()
//!     }
//!     fn curvature(&self, _: &Vector2<f64>, v: &Vector2<f64>) -> Vector<1> {
//!         Vector::<1>::new(v.norm_squared())
//!     }
//!     fn stiffness(
//!         &self, _: f64, _: &Vector2<f64>, _: &Vector2<f64>, _: &Vector2<f64>, lambda: &Vector<1>,
//!     ) -> Matrix2<f64> {
//!         Matrix2::identity() * lambda[0]
//!     }
//!     fn damping(&self, _: f64, _: &Vector2<f64>, _: &Vector2<f64>) -> Matrix2<f64> {
//!         Matrix2::zeros()
//!     }
//! }
//!
//! let start = (0.0, Vector2::new(1.0, 0.0), Vector2::zeros());
//! let motion = GeneralizedAlpha::new(0.9)?.integrate(&Pendulum, start, 1.0, 1000)?;
//! let end = motion.last().unwrap();
//! assert!(Pendulum.constraint(&end.q).amax() < 1e-14);
//! // From rest at the height zero, λ = |v|² - 9.81 y is three times the weight along the rod.
//! assert!((end.lambda[0] + 3.0 * 9.81 * end.q.y).abs() < 1e-3);
//! # Ok::<(), dae_runtime::lie::mechanics::MechanicsError>(())
//! ```
//!
//! | configuration space | configurations | velocities |
//! |---|---|---|
//! | [`VectorSpace`] | $\mathbb{R}^K$ | $\dot q$ |
//! | [`R3TimesSo3`] | poses of a rigid body | $(\dot x, \Omega)$: that of a point in space, that of rotation in the body |
//! | [`Se3`] | poses of a rigid body | $(u, \Omega)$, both in the body |
//! | [`Bodies`] | poses of several bodies | those of one after the other |

mod bodies;
mod configuration;
mod error;
mod generalized_alpha;
mod start;
mod system;

pub use bodies::Bodies;
pub use configuration::{ConfigurationSpace, Pose, R3TimesSo3, Se3, Vector, VectorSpace, tangent_operator};
pub use error::MechanicsError;
pub use generalized_alpha::{GeneralizedAlpha, Motion, MotionState};
pub use system::{MechanicalSystem, PointOf};
