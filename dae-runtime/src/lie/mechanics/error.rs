//! Why the integration of a mechanical system ends early.
//!
//! In: what a check of start values or a step has found. Out: a [`MechanicsError`], whose message says what is wrong,
//! where, by how much, and what can be done about it.

use std::error::Error;
use std::fmt;

/// Why an integration could not begin, or ended before its end time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MechanicsError {
    /// $\rho_\infty$ is not between zero and one.
    SpectralRadius {
        /// What was given.
        rho_infinity: f64,
    },
    /// Start and end time are equal, or one of them is not finite, or steps cannot be told apart.
    Interval {
        /// Start time.
        start: f64,
        /// End time.
        end: f64,
        /// Number of steps.
        steps: usize,
    },
    /// The start configuration is not in the group: a matrix is no rotation, or a number not finite.
    StartOffGroup {
        /// How far it is off, as
        /// [`ConfigurationSpace::defect`](crate::lie::mechanics::ConfigurationSpace::defect) says.
        defect: f64,
        /// What rounding errors can explain.
        allowed: f64,
    },
    /// A start velocity is not finite.
    NonFiniteStart {
        /// Its number, from 0.
        entry: usize,
    },
    /// The start configuration violates a constraint.
    StartOffConstraint {
        /// The number of the constraint, from 0.
        constraint: usize,
        /// Its value.
        value: f64,
        /// What rounding errors can explain.
        allowed: f64,
    },
    /// The start velocities violate the derivative of a constraint, $B v = 0$.
    StartVelocity {
        /// The number of the constraint, from 0.
        constraint: usize,
        /// The value of its derivative.
        value: f64,
        /// What rounding errors can explain.
        allowed: f64,
    },
    /// A mass, a force, a constraint or a derivative of them is not finite.
    NonFinite {
        /// Time.
        t: f64,
    },
    /// The mass matrix, or that of the step, cannot be inverted.
    SingularMass {
        /// Time.
        t: f64,
    },
    /// The rows of $B$ depend on one another, so that multipliers are not determined.
    DependentConstraints {
        /// Time.
        t: f64,
    },
    /// Newton's iteration does not converge.
    NoConvergence {
        /// End of the step.
        t: f64,
        /// Length of the step.
        h: f64,
        /// The largest change of position in the last iteration.
        change: f64,
    },
}

impl fmt::Display for MechanicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MechanicsError::SpectralRadius { rho_infinity } => write!(
                f,
                "the spectral radius at infinity is to be between 0 (most damping) and 1 (none), and {rho_infinity} is not; 0.9 \
                 is a common choice"
            ),
            MechanicsError::Interval { start, end, steps } => write!(
                f,
                "from t = {start} to t = {end} in {steps} steps: give two different, finite times, and a positive number of steps \
                 whose ends are different numbers"
            ),
            MechanicsError::StartOffGroup { defect, allowed } => write!(
                f,
                "the start configuration is not in its group: it is off by {defect:.1e}, and rounding errors explain \
                 {allowed:.1e}; make its matrix a rotation, by `SpecialOrthogonal.project` for instance"
            ),
            MechanicsError::NonFiniteStart { entry } => write!(f, "start velocity {entry} is not a finite number"),
            MechanicsError::StartOffConstraint { constraint, value, allowed } => write!(
                f,
                "the start configuration violates constraint {constraint}: its value is {value:.1e}, and rounding errors \
                 explain {allowed:.1e}; correct the configuration"
            ),
            MechanicsError::StartVelocity { constraint, value, allowed } => write!(
                f,
                "the start velocities violate the derivative of constraint {constraint}: B v is {value:.1e} there, and \
                 rounding errors explain {allowed:.1e}; correct the velocities"
            ),
            MechanicsError::NonFinite { t } => write!(
                f,
                "a mass, a force, a constraint or one of their derivatives is not finite at t = {t}; end the run before, or make \
                 more steps"
            ),
            MechanicsError::SingularMass { t } => write!(
                f,
                "the mass matrix at t = {t} cannot be inverted; give every velocity a mass, and make steps short enough"
            ),
            MechanicsError::DependentConstraints { t } => write!(
                f,
                "the constraints at t = {t} depend on one another, and do not determine multipliers; leave out those that the \
                 others imply"
            ),
            MechanicsError::NoConvergence { t, h, change } => write!(
                f,
                "Newton's iteration of the step to t = {t} of length {h:e} does not converge (last change {change:.1e}): make \
                 more steps, and compare `stiffness`, `damping` and `gradient` with differences of what they are derivatives of"
            ),
        }
    }
}

impl Error for MechanicsError {}
