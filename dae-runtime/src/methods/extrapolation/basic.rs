//! What extrapolation needs of the method that is extrapolated.
//!
//! In: a run and the length of a step. Out: results of one, two, three, … basic steps, and what belongs to their end.

use super::control::Work;
use crate::integrator::{Run, StepError};
use crate::linalg::iteration_matrix::{Deficiency, IterationMatrix};

/// The method that is extrapolated.
pub(super) trait Basic {
    /// What it costs.
    fn work(&self) -> Work;

    /// Whether derivatives at the ends of steps are those of the equations, so that dense output is the more accurate the
    /// higher the order.
    fn knows_derivatives(&self) -> bool {
        false
    }

    /// Prepares attempts from the last accepted state.
    fn begin(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError>;

    /// Divides a step of length `h` into as many basic steps as there are increments after the first, which is zero:
    /// the states at their ends, minus that at the start, so that rounding errors are those of changes, not of states.
    fn steps(&mut self, run: &mut Run<'_>, h: f64, increments: &mut [Vec<f64>]) -> Result<(), StepError>;

    /// How much longer a step may be for the sake of the equations that the basic steps solve, judged by the last attempt.
    fn reach(&self) -> f64 {
        f64::INFINITY
    }

    /// Completes the extrapolated state and derivative at the end of a step of length `h`, in `run.candidate` and
    /// `run.candidate_slope`.
    fn end(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError>;

    /// Sets the errors that those of differential unknowns at the end of a step of length `h` cause in other unknowns,
    /// if these are not extrapolated.
    fn spread_error(&mut self, _run: &mut Run<'_>, _h: f64, _error: &mut [f64]) -> Result<(), StepError> {
        Ok(())
    }

    /// Corrects a state within the last step, at the given time; the second number is the length of the step. Returns
    /// `false` if that fails, or unknowns without derivatives are extrapolated like others.
    fn find_between(&mut self, _run: &mut Run<'_>, _at: [f64; 2], _state: &mut [f64]) -> bool {
        false
    }

    /// Prepares further basic steps of an attempt whose end has been completed.
    fn resume(&mut self) {}

    /// Notes that the end of the step is accepted: it is the state of the run.
    fn accept(&mut self);

    /// Drops what belongs to earlier equations.
    fn forget(&mut self);

    /// See [`crate::integrator::Scheme::deficiency`].
    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency>;

    /// See [`crate::integrator::Scheme::leading`].
    fn leading(&self) -> f64;

    /// The matrix of the last basic step.
    fn matrix(&self) -> &IterationMatrix<f64>;
}
