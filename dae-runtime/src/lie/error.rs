//! Why the integration of a matrix differential equation ends early.
//!
//! In: what a check of start values, of $A(t, Y)$ or of a step has found. Out: a [`LieError`], whose message says what
//! is wrong, where, by how much, and what can be done about it.

use std::error::Error;
use std::fmt;

/// Why an integration could not begin, or ended before its end time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LieError {
    /// Start and end time are equal, or one of them is not finite, or steps cannot be told apart.
    Interval {
        /// Start time.
        start: f64,
        /// End time.
        end: f64,
        /// Number of steps.
        steps: usize,
    },
    /// The tolerance of a run with step size control is not a number, or smaller than rounding errors.
    Tolerance {
        /// What was given.
        tolerance: f64,
        /// The smallest that is possible.
        smallest: f64,
    },
    /// An entry of the start value is not finite.
    NonFiniteStart {
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
    },
    /// The start value is not on the manifold.
    StartOffManifold {
        /// Name of the manifold.
        space: String,
        /// How far it is off, as [`HomogeneousSpace::defect`](crate::lie::HomogeneousSpace::defect) says.
        defect: f64,
        /// What rounding errors can explain.
        allowed: f64,
    },
    /// An entry of $A(t, Y)$ is not finite.
    NonFiniteCoefficient {
        /// Time.
        t: f64,
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
    },
    /// $A(t, Y)$ is not in the Lie algebra, so that the solution leaves the manifold.
    NotInAlgebra {
        /// Time.
        t: f64,
        /// Name of the manifold.
        space: String,
        /// How far $A$ is off, as
        /// [`HomogeneousSpace::algebra_defect`](crate::lie::HomogeneousSpace::algebra_defect) says.
        defect: f64,
        /// What rounding errors can explain.
        allowed: f64,
    },
    /// The exponent of a step is so large that its exponential has lost half of the digits.
    StepTooLong {
        /// Start of the step.
        t: f64,
        /// Largest entry of the exponent.
        exponent: f64,
    },
    /// The step size fell below what the time can resolve.
    StepTooSmall {
        /// Time of the last accepted step.
        t: f64,
        /// The step that would follow.
        h: f64,
    },
    /// An entry of the solution is not finite at the end of a step.
    NonFiniteSolution {
        /// End of the step.
        t: f64,
    },
    /// The iteration of an implicit method does not converge.
    NoConvergence {
        /// Start of the step.
        t: f64,
        /// Length of the step.
        h: f64,
        /// Largest change of an entry in the last iteration.
        change: f64,
    },
    /// The end of a step cannot be projected onto the manifold.
    NotProjectable {
        /// End of the step.
        t: f64,
        /// Name of the manifold.
        space: String,
        /// How far the end of the step is off the manifold.
        defect: f64,
    },
}

impl fmt::Display for LieError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LieError::Interval { start, end, steps } => write!(
                f,
                "from t = {start} to t = {end} in {steps} steps: give two different, finite times, and a positive number of steps \
                 whose ends are different numbers"
            ),
            LieError::Tolerance { tolerance, smallest } => {
                write!(f, "no step has an error below {tolerance:e}; give a tolerance of {smallest:e} or more")
            }
            LieError::NonFiniteStart { row, column } => {
                write!(f, "entry ({row}, {column}) of the start value is not a finite number")
            }
            LieError::StartOffManifold { space, defect, allowed } => write!(
                f,
                "the start value is not in {space}: it is off by {defect:.1e}, and rounding errors explain {allowed:.1e}; \
                 correct it, or project it (`HomogeneousSpace::project`)"
            ),
            LieError::NonFiniteCoefficient { t, row, column } => write!(
                f,
                "entry ({row}, {column}) of A is not a finite number at t = {t}; end the run before, or correct A there"
            ),
            LieError::NotInAlgebra { t, space, defect, allowed } => write!(
                f,
                "A is not in the Lie algebra of {space} at t = {t}: it is off by {defect:.1e}, and rounding errors explain \
                 {allowed:.1e}; correct A, or take a group whose algebra contains it, GL(n) for instance"
            ),
            LieError::StepTooLong { t, exponent } => write!(
                f,
                "the step from t = {t} is too long: its exponent has entries up to {exponent:.1e}, and its exponential no \
                 digits worth mentioning; make more steps"
            ),
            LieError::StepTooSmall { t, h } => write!(
                f,
                "no step from t = {t} has an error within the tolerance, down to lengths of {h:e}: A may jump or have a pole \
                 there; end the run before, or choose a larger tolerance"
            ),
            LieError::NonFiniteSolution { t } => {
                write!(f, "the solution is not finite at t = {t}; end the run before, or make more steps")
            }
            LieError::NoConvergence { t, h, change } => write!(
                f,
                "the iteration of the step from t = {t} of length {h:e} does not converge (last change {change:.1e}); make \
                 more steps"
            ),
            LieError::NotProjectable { t, space, defect } => write!(
                f,
                "the end of the step at t = {t} is off {space} by {defect:.1e}, from where no projection is known; make more \
                 steps, or implement `HomogeneousSpace::project`"
            ),
        }
    }
}

impl Error for LieError {}
