//! The step loop shared by all integrators.
//!
//! In: a [`Scheme`], which solves a step, tests its error and accepts it. Out: a [`Stepper`]. What schemes share is a
//! [`Run`]: the state, the clock, tolerances as weights, the search for surfaces across which $F$ jumps, the projection
//! onto constraints, statistics.
//!
//! One attempt is `solve` → has it passed a surface? → are the enforced constraints satisfied? → `test_error` →
//! `accept`; any failure is a [`Rejection`] with the length to try next.

mod by_switch;
pub(crate) mod clock;
mod constancy;
pub(crate) mod discontinuities;
pub(crate) mod error_weights;
pub(crate) mod failure;
pub(crate) mod held;
pub(crate) mod hidden;
pub(crate) mod impasse;
pub(crate) mod multipliers;
mod non_finite;
mod output;
pub(crate) mod polynomial;
pub(crate) mod projection;
mod rejection;
pub(crate) mod resolvent;
mod run;
mod scheme;
pub(crate) mod sides;
mod step_loop;
pub mod stepper;

pub(crate) use rejection::{Rejection, StepError};
pub(crate) use run::{Run, RunStart};
pub(crate) use scheme::Scheme;
pub(crate) use step_loop::Integrator;
