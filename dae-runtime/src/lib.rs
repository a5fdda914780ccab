//! Numerics of [`dae`](https://docs.rs/daekit): the contract of generated code, and everything that integrates it.
//!
//! In: an object that fulfils [`contract::Dae`]. Out: solutions.
//!
//! | module | what it is for |
//! |---|---|
//! | [`contract`] | what a formulation of a model offers: $F(t, y, y') = 0$, exact Jacobians on known patterns, names |
//! | [`generated`] | short constructors for the constant tables of generated code |
//! | [`initialize`] | consistent initial values, stage by stage and with least change |
//! | [`structure`] | components, matchings and blocks of a pattern: in which order its equations can be solved |
//! | [`sparse`] | factors, conditions and regularity of large sparse matrices |
//! | [`linear`] | iteration matrices and their factors: pivots chosen for a pattern, code without loops |
//! | [`interval`] | enclosures of values that count every rounding error, on boxes and along a step |
//! | [`rank`] | numerical rank with the gap that supports it, solutions of least norm |
//! | [`signal`], [`spline`] | inputs that the caller supplies; tables |
//! | [`stepper`] | options, statistics, failures, and the contract of an integrator: one accepted step at a time |
//! | [`radau`] | Radau IIA of orders 1, 5, 9 and 13 |
//! | [`bdf`] | backward differentiation formulas of variable order and step |
//! | [`state_space`] | state-space forms: constraints as a manifold in local coordinates that change with the solution |
//! | [`derivative_array`] | derivative-array forms: the equations with their derivatives, solved for what they determine |
//! | [`underlying`] | the underlying ordinary differential equation $y' = f(t, y)$ with the invariants of its solutions |
//! | [`class`] | which methods suit which formulations, as types |
//! | [`event`] | what happens where a function of the solution passes through zero |
//! | [`sensitivity`] | derivatives of solutions with respect to parameters and start values |
//! | [`solve`] | the driver: initialisation, method, record |
//! | [`solution`] | what a run leaves behind |
//! | [`unknowns`] | a solution by the unknowns of its model, for generated code |
//! | [`timing`] | seconds per residual, Jacobian, factorisation and solve of a formulation |
//!
//! The parts of a step are private: `integrator` (the step loop of every method), `weights` (error norms by index),
//! `clock` (time without accumulated rounding errors, landing on given times), `projection` (projection of accepted steps
//! onto the enforced constraints), `multipliers` (multipliers of index 2 with the order of the states), `complete_pivoting`
//! (independent rows and columns), `switching` (steps that end where $F$ jumps), `delegate` (what completed formulations
//! delegate to the one inside), `impasse` (gives up where a run creeps along without a solution) and `stopwatch`
//! (seconds, where there is a clock).

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bdf;
pub mod class;
mod clock;
mod complete_pivoting;
pub mod contract;
mod delegate;
pub mod derivative_array;
pub mod event;
mod failure;
pub mod generated;
mod hidden;
mod impasse;
pub mod initialize;
mod integrator;
pub mod interval;
pub mod linear;
pub mod matrix;
mod multipliers;
mod polynomial;
mod projection;
mod quantity;
pub mod radau;
pub mod rank;
mod resolvent;
pub mod sensitivity;
pub mod signal;
pub mod solution;
pub mod solve;
pub mod sparse;
pub mod spline;
pub mod state_space;
pub mod stepper;
mod stopwatch;
pub mod structure;
mod switching;
pub mod timing;
pub mod underlying;
pub mod unknowns;
mod weights;

pub use solution::{Solution, Status};
pub use solve::{Integration, Method, Record};
