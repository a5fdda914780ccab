//! Numerics of [`dae`](https://docs.rs/daekit): the contract of generated code, and all that integrates such code.
//!
//! In: an object that fulfils [`contract::Dae`]. Out: solutions.
//!
//! | module | what it is for |
//! |---|---|
//! | [`contract`] | what a formulation of a model offers: $F(t, y, y') = 0$, exact Jacobians on known patterns, names |
//! | [`generated`] | short constructors for the constant tables of generated code |
//! | [`initialize`] | consistent initial values, stage by stage and with least change |
//! | [`structure`] | components, matchings and blocks of a pattern: in which order its equations can be solved |
//! | [`matrix`] | small dense matrices and their factors |
//! | [`sparse`] | factors, conditions and regularity of large sparse matrices |
//! | [`iteration_matrix`] | iteration matrices and their factors: pivots chosen for a pattern, code without loops |
//! | [`interval`] | enclosures of values that account for every rounding error, on boxes and along a step |
//! | [`rank`] | numerical rank with the gap that supports it, solutions of least norm |
//! | [`signal`], [`spline`] | inputs that the caller supplies; interpolated tables |
//! | [`stepper`] | options, statistics, failures, and the contract of an integrator: one accepted step at a time |
//! | [`radau`] | Radau IIA of orders 1, 5, 9 and 13 |
//! | [`bdf`] | backward differentiation formulas of variable order and step |
//! | [`symplectic`] | symplectic methods for Hamiltonian systems with constraints |
//! | [`state_space`] | state-space forms: constraints as a manifold in local coordinates that change with the solution |
//! | [`derivative_array`] | derivative-array forms: the equations with their derivatives, solved for what they determine |
//! | [`modes`] | a formulation in every mode of a model that has several |
//! | [`underlying`] | the underlying ordinary differential equation $y' = f(t, y)$ with the invariants of its solutions |
//! | [`class`] | which methods suit which formulations, as types |
//! | [`event`] | what happens where a function of the solution passes through zero |
//! | [`sensitivity`] | derivatives of solutions with respect to parameters and start values |
//! | [`bvp`] | boundary value problems: collocation with error control, on meshes that follow the solution |
//! | [`solve`] | the driver: initialisation, method, record |
//! | [`solution`] | what a run leaves behind |
//! | [`unknowns`] | a solution by the unknowns of its model, for generated code |
//! | [`taylor`] | models of any index by Taylor series, without index reduction |
//! | [`timing`] | seconds per residual, Jacobian, factorisation and solve of a formulation |
//!
//! The feature `lie` adds `lie`: differential equations on Lie groups and Stiefel manifolds, and mechanics on groups of
//! rotations and rigid motions.
//!
//! Some of them are defined in the private modules `inputs`, `linalg`, `integrator` (the step loop of every method, and
//! the parts of a step), `completions` (formulations that are completed at run time) and `methods`.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bvp;
mod completions;
pub mod contract;
pub mod generated;
pub mod initialize;
mod inputs;
mod integrator;
pub mod interval;
#[cfg(feature = "lie")]
#[cfg_attr(docsrs, doc(cfg(feature = "lie")))]
pub mod lie;
mod linalg;
mod methods;
pub mod sensitivity;
pub mod solution;
pub mod solve;
pub mod taylor;

pub use completions::{derivative_array, first_integrals, internal_projection, metric, modes, state_space, underlying};
pub use contract::class;
pub use inputs::{signal, spline};
pub use integrator::stepper;
pub use linalg::{iteration_matrix, matrix, pivoted_qr, rank, sparse, structure};
pub use methods::{bdf, radau, symplectic};
pub use solution::{Solution, Status};
pub use solution::{event, unknowns};
pub use solve::timing;
pub use solve::{Integration, Method, Record};
