//! What a method does in a step.
//!
//! In: a [`Run`] and the length of a step. Out: its end, its error, its polynomial; or a [`Rejection`].

use crate::integrator::clock::{Clock, Landing};
use crate::integrator::rejection::Rejection;
use crate::integrator::run::Run;
use crate::integrator::stepper::DenseAccuracy;
use crate::linalg::iteration_matrix::Deficiency;

/// How a method makes a step. Step lengths have the sign of the direction of the run.
pub(crate) trait Scheme {
    /// Solves for the end of a step of length `h`, which it leaves in `run.candidate` and `run.candidate_slope`.
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection>;

    /// Leaves the prediction for the end of a step of length `h` in `run.candidate` and `run.candidate_slope`.
    /// Unless the method knows better, it is a step along the tangent.
    fn predict_end(&mut self, run: &mut Run<'_>, h: f64) {
        for ((end, start), slope) in run.candidate.iter_mut().zip(&run.y).zip(&run.yp) {
            *end = start + h * slope;
        }
        run.candidate_slope.copy_from_slice(&run.yp);
    }

    /// Leaves the prediction for the end of a step of length `h` as [`Scheme::predict_end`] does, if it is about as
    /// accurate as the step; returns whether that is so.
    fn foresees_end(&mut self, _run: &mut Run<'_>, _h: f64) -> bool {
        false
    }

    /// Takes note of an attempt of length `h` that was solved, and ends before a surface in whose search it was made:
    /// the next attempt at the same step can begin from it. One that begins beyond the surface, where the equations are
    /// others, may not find a solution before it.
    fn note_before_surface(&mut self, _run: &Run<'_>, _h: f64) {}

    /// The length of the next step, positive, if the error of this one is small enough.
    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection>;

    /// Accepts the step whose end the clock has just reached: projected onto the constraints, that end becomes `run.y`
    /// and `run.yp`.
    fn accept(&mut self, run: &mut Run<'_>, h: f64);

    /// Drops what belongs to earlier equations: they have changed.
    fn forget(&mut self, run: &Run<'_>);

    /// The step to try when one of length `length` is planned.
    fn fit(&self, clock: &Clock, length: f64) -> (f64, Landing) {
        clock.fit(length)
    }

    /// Largest number of attempts at one step that may leave its equations unsolved.
    fn patience(&self) -> usize {
        usize::MAX
    }

    /// The unknown with the largest error in the last attempt.
    fn worst(&self, run: &Run<'_>) -> usize;

    /// Where the matrix of a step of length `h` is singular to working precision, if it is.
    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency>;

    /// The coefficient $c$ of $F_{y'}$ in the matrix $K = c\\,F_{y'} + F_y$ of the last step: moving the end of the
    /// step by $\Delta y$ changes its derivative by $c\\,\Delta y$.
    fn leading(&self) -> f64;

    /// Replaces a residual $r$ by $K^{-1} r$; see [`Stepper::respond`].
    fn respond(&self, residual: &mut [f64]);

    /// See [`Stepper::order`].
    fn order(&self) -> usize;

    /// See [`Stepper::dense_accuracy`].
    fn dense_accuracy(&self) -> DenseAccuracy;

    /// See [`Stepper::dense_degree`].
    fn dense_degree(&self) -> usize;

    /// See [`Stepper::dense_coefficients`]. `run` is at the end of the step.
    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]);
}
