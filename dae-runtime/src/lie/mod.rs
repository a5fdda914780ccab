//! Differential equations on Lie groups and Stiefel manifolds, and mechanics on groups of rotations and rigid motions.
//!
//! In: $Y' = A(t, Y)\\, Y$ with $A$ in the Lie algebra of a group of matrices, or the equations of motion of rigid
//! bodies with constraints ([`mechanics`]). Out: solutions that stay in the group to within rounding errors. Source: E.
//! Hairer, *Solving Differential Equations on Manifolds*, lecture notes, Geneva 2011, chapters II and III, and the
//! papers that the methods name.
//!
//! ```
//! use dae_runtime::lie::{Linear, Magnus, SpecialOrthogonal, hat, integrate};
//! use nalgebra::{Matrix3, Vector3};
//!
//! // A body that turns with the angular velocity (sin t, cos 2t, t/2), seen from space.
//! let equation = Linear::new(|t: f64| hat(&Vector3::new(t.sin(), (2.0 * t).cos(), t / 2.0)));
//! let start = (0.0, Matrix3::identity());
//! let run = integrate(&SpecialOrthogonal, &equation, &Magnus::Order4, start, 1.0, 40)?;
//! assert!((run.end()[(0, 0)] - 0.846642322888).abs() < 1e-8);
//! assert!(run.largest_defect(&SpecialOrthogonal) < 1e-14);
//! # Ok::<(), dae_runtime::lie::LieError>(())
//! ```
//!
//! # Where solutions live
//!
//! | type | matrices | Lie algebra | projection |
//! |---|---|---|---|
//! | [`SpecialOrthogonal`] | $Y^\mathsf{T} Y = I$, $\det Y = 1$ | $A + A^\mathsf{T} = 0$ | polar decomposition |
//! | [`Stiefel`] | $N \times K$, $Y^\mathsf{T} Y = I$; the sphere for $K = 1$ | $A + A^\mathsf{T} = 0$ | polar decomposition |
//! | [`SpecialEuclidean`] | rigid motions, $4 \times 4$ | $\hat\omega$ and $u$ | polar decomposition of the rotation |
//! | [`SpecialLinear`] | $\det Y = 1$ | $\mathrm{trace}\\, A = 0$ | along $Y^{-\mathsf{T}}$ |
//! | [`Symplectic`] | $Y^\mathsf{T} J Y = J$ | $JA = (JA)^\mathsf{T}$ | polar decomposition of the group |
//! | [`GeneralLinear`] | $\det Y \ne 0$ | all matrices | none needed |
//!
//! Others are implementations of [`HomogeneousSpace`]. The size of matrices is part of their type, so that steps
//! allocate nothing and shapes need no checks; `nalgebra` is re-exported.
//!
//! # Methods
//!
//! | method | order | equations | stays in the group |
//! |---|---|---|---|
//! | [`LieEuler`] | 1 | $A(t, Y)$ | yes |
//! | [`Magnus`] | 2, 4, 6 | $A(t)$ | yes |
//! | [`CrouchGrossman`] | 2, 3, 4 | $A(t, Y)$ | yes |
//! | [`MuntheKaas4`] | 4 | $A(t, Y)$ | yes |
//! | [`ImplicitMidpoint`] | 2 | $A(t, Y)$ | if quadratic equations define it |
//! | [`ExplicitEuler`], [`Trapezoidal`], [`RungeKutta4`] | 1, 2, 4 | $A(t, Y)$ | no |
//! | [`Projected`] | that of the method inside | $A(t, Y)$ | yes |
//!
//! Whether $A$ depends on $Y$ is part of the type of an equation ([`Linear`], [`Nonlinear`]): a Magnus method for an
//! equation whose $A$ depends on $Y$ does not compile. That $A(t, Y)$ is in the Lie algebra, and finite, is checked at
//! each evaluation, and that the start value is in the group, at the start; see [`LieError`].
//!
//! [`integrate`] makes steps of equal length, [`integrate_adaptively`] steps as long as a tolerance allows; [`steps`]
//! and [`adaptive_steps`] are the same as iterators.

mod adaptive;
mod driver;
mod equation;
mod error;
mod exponential;
mod grid;
mod groups;
pub mod mechanics;
mod methods;
mod space;

pub use adaptive::{AdaptiveSteps, adaptive_steps, integrate_adaptively};
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
