#![doc = include_str!("../README.md")]
//!
//! # The parts
//!
//! * [`dae!`] reads a model; [`language`] describes what a model may contain and what it becomes.
//! * [`Integration`] runs a formulation of it from consistent initial values and returns a [`Solution`], whose
//!   [`Status`] says how the run ended, or a [`RunError`], with the part of the solution that was computed. Converted
//!   to the solution type of its model, it has the unknowns as methods; `plot` (a feature) draws them.
//! * [`Bvp`] solves boundary value problems: conditions at several times, unknown parameters and ends, optimal control.
//! * [`taylor`] integrates smooth models of any index by Taylor series, without index reduction, in `f64` or in 106 bits.
//! * [`runtime`] is everything numerical, for those who want to step by hand, write the equations without the macro, or
//!   add a method.
//!
//! | feature | what it adds |
//! |---|---|
//! | `build` | `dae::build`: models from `.dae` files in a build script |
//! | `interpreter` | `dae::symbolic`: models at run time, without a compiler |
//! | `plot` | `dae::plot`: curves as SVG |
//! | `sparse` | initialisation of large models of any pattern, by `faer` |
//! | `serde` | solutions, options and splines can be written and read by any format of `serde`; with JSON, `serde_json` needs its feature `float_roundtrip` to read back the same numbers |
//! | `lie` | `dae::runtime::lie`: differential equations on Lie groups, also from the text of a model, and mechanics on groups of rotations and rigid motions |
//! | `cli` | the command `dae` |

#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as dae;

pub use dae_macros::{dae, include_model};
pub use dae_runtime as runtime;
pub use dae_runtime::bvp;
pub use dae_runtime::bvp::{Bvp, BvpError, BvpMethod, BvpSolution};
pub use dae_runtime::class::{
    Bdf, Classified, Dop853, Dopri5, ExplicitEuler, Hamiltonian, Hem4, Hem5, ImplicitMidpoint, Index, Limex, Lobatto,
    Mexx, Open, Radau, Radau5, Rattle, Rattle4, Rattle6, Rattle8, Solved, SymplecticEuler, Trapezoidal, Treats,
};
pub use dae_runtime::contract::{Dae, ParameterError};
pub use dae_runtime::event::{Event, Occurrence};
pub use dae_runtime::sensitivity::{Adjoint, Gradient, Sensitivities};
pub use dae_runtime::signal::{Input, InputError, Signal};
pub use dae_runtime::solution::{SensitivityError, Slide, States, SwitchKind, SwitchStatistics};
pub use dae_runtime::solve::{RunError, Step, StepView, Steps};
pub use dae_runtime::spline::{Spline, SplineError};
pub use dae_runtime::stepper::{Failure, Options, Projection, Statistics, StepControl, Stepper, Tolerance};
pub use dae_runtime::taylor;
pub use dae_runtime::unknowns::ForeignSolution;
pub use dae_runtime::{Integration, Method, Record, Solution, Status};
#[cfg(feature = "interpreter")]
pub use dae_symbolic as symbolic;
#[cfg(feature = "build")]
pub use dae_symbolic::build;

pub mod language;
#[cfg(feature = "plot")]
pub mod plot;

/// The items that generated code imports; not a public interface.
#[doc(hidden)]
pub mod __private {
    pub use dae_runtime::generated::*;
}
