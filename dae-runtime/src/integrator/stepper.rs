//! The interface of every integrator: one accepted step at a time.
//!
//! In: options. Out: the [`Stepper`] contract and statistics; why a run may end early is in `failure`. The driver in
//! `solve` loops over steps; the methods (`radau`, `bdf`) know nothing of output.

use std::ops::RangeInclusive;

use crate::contract::{AliasOf, Description, Name, Unknown};
pub use crate::integrator::failure::{Failure, StepCause};

/// Absolute tolerance.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tolerance {
    /// This fraction of the nominal value of every unknown ([`Unknown::nominal`], one unless the model says otherwise).
    Scalar(f64),
    /// One tolerance per entry of $y$, in its unit.
    PerComponent(Vec<f64>),
}

impl Tolerance {
    /// The tolerances of these unknowns, each in its unit.
    pub fn of(&self, unknowns: &[Unknown]) -> Vec<f64> {
        match self {
            Tolerance::Scalar(part) => unknowns.iter().map(|unknown| part * unknown.nominal).collect(),
            Tolerance::PerComponent(values) => values.clone(),
        }
    }

    /// One tolerance per entry of $y$, with those of the named unknowns replaced. A name may be that of a family, which
    /// means all its members, or of an eliminated unknown, which means the one it is an alias of; others are rejected.
    pub(crate) fn with_names(&self, named: &[(Name, f64)], description: &Description) -> Result<Tolerance, Failure> {
        let mut values = self.of(&description.unknowns);
        for (name, value) in named {
            let is_meant = |it: &Name| it == name || it.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('['));
            let own = description.unknowns.iter().enumerate().filter(|(_, it)| is_meant(&it.name));
            let same = description.eliminated.iter().filter(|it| is_meant(&it.name));
            let mut places: Vec<usize> = own.map(|(place, _)| place).collect();
            let mut is_known = !places.is_empty();
            for eliminated in same {
                is_known = true;
                // A constant has no error.
                if let AliasOf::Same(place) | AliasOf::Opposite(place) = eliminated.alias_of {
                    places.push(place);
                }
            }
            if !is_known {
                let known: Vec<&str> = description.unknowns.iter().map(|it| &*it.name).collect();
                let message = format!("a tolerance is given for `{name}`, and the unknowns are {}", known.join(", "));
                return Err(Failure::InvalidOption { message });
            }
            for place in places {
                if let Some(entry) = values.get_mut(place) {
                    *entry = *value;
                }
            }
        }
        Ok(Tolerance::PerComponent(values))
    }

    /// These tolerances times a factor.
    pub(crate) fn part(&self, part: f64) -> Tolerance {
        match self {
            Tolerance::Scalar(value) => Tolerance::Scalar(part * value),
            Tolerance::PerComponent(values) => {
                Tolerance::PerComponent(values.iter().map(|value| part * value).collect())
            }
        }
    }

    /// The numbers that the caller gave.
    fn given(&self) -> &[f64] {
        match self {
            Tolerance::Scalar(part) => std::slice::from_ref(part),
            Tolerance::PerComponent(values) => values,
        }
    }
}

/// How the step size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StepControl {
    /// By the local error.
    Adaptive,
    /// The same step size throughout (only the last step, and steps that end at an event, may be shorter); errors are
    /// not tested. Steps do not end at switches of time.
    Fixed(f64),
}

/// How accurate the dense output of a method is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenseAccuracy {
    /// As accurate as the steps: values at given times can be interpolated.
    AsSteps,
    /// Less accurate than the steps: steps must end where the full accuracy is wanted ([`Stepper::stop_at`]).
    Lower,
}

/// Whether steps are projected onto constraints: by implicit methods onto those that the formulation enforces, by
/// explicit methods onto those that it implies ([`crate::contract::Dae::project`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Projection {
    /// Newton steps in directions from the factorisation at hand, after each accepted step.
    On,
    /// Only onto constraints on positions, or in general those that are differentiated at least twice before they
    /// determine derivatives; for explicit methods.
    Positions,
    /// Only onto constraints on velocities, or in general those that are differentiated once; for explicit methods.
    Velocities,
    /// Of explicit methods only what is recorded, and the state at the end, onto all constraints; the run continues from
    /// states that are not projected, and so do events, dense output between steps and the recorded residuals of
    /// invariants belong to these.
    Output,
    /// No projection: constraints hold to the tolerance of the nonlinear solver, or drift.
    Off,
}

impl Projection {
    /// The levels of the invariants onto which an explicit method projects its steps
    /// ([`crate::contract::Dae::projection_level`]).
    pub(crate) fn levels(self) -> RangeInclusive<u32> {
        match self {
            Projection::On => 0..=u32::MAX,
            Projection::Positions => 2..=u32::MAX,
            Projection::Velocities => 1..=1,
            Projection::Output | Projection::Off => RangeInclusive::new(1, 0),
        }
    }
}

/// Highest order of the backward differentiation formulas: BDF of order 6 is not stable enough to be useful.
pub const MAX_ORDER: usize = 5;

/// Options of an integration, for every method. An option that is missing on deserialisation (feature `serde`) has its
/// default.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Options {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: Tolerance,
    /// Length of the first step, also after an event or a change of the equations; if `None`, chosen from the values
    /// there.
    pub initial_step: Option<f64>,
    /// Upper bound on the step size; a step may be one per cent longer to end exactly at the end of an interval.
    #[cfg_attr(feature = "serde", serde(with = "unbounded"))]
    pub max_step: f64,
    /// Upper bound on the number of accepted steps.
    pub max_steps: usize,
    /// Highest order of a method of variable order, or its order at a fixed step size: BDF has 1 to [`MAX_ORDER`],
    /// Radau IIA 1, 5, 9 and 13. A method of one order refuses a lower one. `None` means the highest order of the method,
    /// or 5 at a fixed step size.
    pub max_order: Option<usize>,
    /// Adaptive or fixed step.
    pub control: StepControl,
    /// Whether accepted steps are projected onto the enforced constraints.
    pub projection: Projection,
}

/// Serialises a bound that may be infinite, for which JSON has no number, as an optional value.
#[cfg(feature = "serde")]
mod unbounded {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(bound: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*bound).filter(|bound| *bound != f64::INFINITY).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rtol: 1e-6,
            atol: Tolerance::Scalar(1e-6),
            initial_step: None,
            max_step: f64::INFINITY,
            max_steps: 10_000_000,
            max_order: None,
            control: StepControl::Adaptive,
            projection: Projection::On,
        }
    }
}

impl Options {
    /// The length of the first step, if the user chose it.
    pub(crate) fn prescribed_first_step(&self) -> Option<f64> {
        match self.control {
            StepControl::Fixed(h) => Some(h),
            StepControl::Adaptive => self.initial_step,
        }
    }

    /// Rejects meaningless options for a system of `n` unknowns.
    pub fn check(&self, n: usize) -> Result<(), Failure> {
        let reject = |message: String| Err(Failure::InvalidOption { message });
        if let Tolerance::PerComponent(values) = &self.atol
            && values.len() != n
        {
            return reject(format!("{} absolute tolerances for {n} unknowns", values.len()));
        }
        let meaningful = |tolerance: f64| tolerance.is_finite() && tolerance >= 0.0;
        if !meaningful(self.rtol) || !self.atol.given().iter().all(|&atol| meaningful(atol)) {
            return reject("a tolerance is negative or not finite".into());
        }
        if self.rtol == 0.0 && self.atol.given().contains(&0.0) {
            return reject("relative and absolute tolerance of an unknown are both zero".into());
        }
        let fixed = match self.control {
            StepControl::Fixed(h) => Some(h),
            StepControl::Adaptive => None,
        };
        if [self.initial_step, fixed].into_iter().flatten().any(|h| !h.is_finite() || h <= 0.0) {
            return reject(
                "a step length is not a positive number (steps follow the direction to the end time)".into(),
            );
        }
        if self.max_step.is_nan() || self.max_step <= 0.0 {
            return reject("the largest step length is not positive".into());
        }
        if self.max_order == Some(0) {
            return reject("the highest order is 0".into());
        }
        Ok(())
    }
}

/// Rejects start values that do not fit the formulation or are not finite.
pub fn check_start(description: &Description, t0: f64, y0: &[f64], yp0: &[f64], t_end: f64) -> Result<(), Failure> {
    let n = description.unknowns.len();
    let reject = |message: String| Err(Failure::InvalidOption { message });
    if y0.len() != n || yp0.len() != n {
        return reject(format!("{} values and {} derivatives given for {n} unknowns", y0.len(), yp0.len()));
    }
    if !t0.is_finite() || !t_end.is_finite() {
        return reject(format!("the interval from {t0} to {t_end} is not finite"));
    }
    let is_magnitude = |nominal: f64| nominal.is_finite() && nominal > 0.0;
    if let Some(unknown) = description.unknowns.iter().find(|unknown| !is_magnitude(unknown.nominal)) {
        return reject(format!("the nominal value of `{}` is {}: it must be positive", unknown.name, unknown.nominal));
    }
    match (0..n).find(|&i| !y0[i].is_finite() || !yp0[i].is_finite()) {
        Some(i) => reject(format!("the start value of `{}` is not finite", description.unknowns[i].name)),
        None => Ok(()),
    }
}

/// Rejects a residual that is not finite: no step can start where $F$ is not finite.
pub(crate) fn check_residual(description: &Description, t: f64, residual: &[f64]) -> Result<(), Failure> {
    let bad = description.equations.iter().zip(residual).filter(|(_, value)| !value.is_finite());
    let equations: Vec<Name> = bad.map(|(equation, _)| equation.name.clone()).collect();
    if equations.is_empty() { Ok(()) } else { Err(Failure::NonFinite { t, equations }) }
}

/// Work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Statistics {
    /// Accepted steps.
    pub steps: usize,
    /// Steps repeated because the local error was too large.
    pub error_rejections: usize,
    /// Steps repeated because the nonlinear iteration did not converge or met a value that is not finite.
    pub convergence_rejections: usize,
    /// Steps repeated with another length to end where $F$ jumps or an event occurs; those of BDF that are predicted to
    /// pass a jump count, too, although they are shortened before they are attempted.
    pub switch_rejections: usize,
    /// Evaluations of $F$.
    pub residuals: usize,
    /// Evaluations of the pair $\partial F/\partial y$, $\partial F/\partial y'$.
    pub jacobians: usize,
    /// Factorisations (the real and complex ones of one step count as one).
    pub factorizations: usize,
    /// Back-substitutions.
    pub solves: usize,
    /// Number of times that a state-space form changed its local coordinates.
    pub coordinate_changes: usize,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.steps += other.steps;
        self.error_rejections += other.error_rejections;
        self.convergence_rejections += other.convergence_rejections;
        self.switch_rejections += other.switch_rejections;
        self.residuals += other.residuals;
        self.jacobians += other.jacobians;
        self.factorizations += other.factorizations;
        self.solves += other.solves;
        self.coordinate_changes += other.coordinate_changes;
    }
}

impl Statistics {
    /// All repeated steps.
    pub fn rejected(&self) -> usize {
        self.error_rejections + self.convergence_rejections + self.switch_rejections
    }
}

/// Rejected attempts at steps that concern one switching function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SwitchRejections {
    /// Attempts repeated with another length, or predicted to need another one, to end where the function vanishes.
    pub switch: usize,
    /// Attempts that pass a zero of the function and have too large an error.
    pub error: usize,
    /// Attempts that would pass a zero of the function along the tangent, and whose nonlinear iteration has not
    /// converged.
    pub convergence: usize,
}

impl std::ops::AddAssign for SwitchRejections {
    fn add_assign(&mut self, other: SwitchRejections) {
        self.switch += other.switch;
        self.error += other.error;
        self.convergence += other.convergence;
    }
}

/// An integration under way. After construction nothing allocates, except for the first state between steps.
pub trait Stepper {
    /// Makes one accepted step, never past the end time. At the end time, or once a step has ended at a switch
    /// ([`Stepper::at_switch`]), it does nothing.
    fn step(&mut self) -> Result<(), Failure>;

    /// Makes steps from now on end exactly at `t` before they pass it: for output with the full accuracy of the method.
    /// A time that is not ahead, or is beyond the end time, means the end time.
    fn stop_at(&mut self, t: f64);

    /// Makes steps from now on end just before surfaces of the unknowns across which $F$ jumps
    /// ([`crate::contract::Switch::jumps`]). What follows needs a restart: see [`Stepper::at_switch`].
    fn locate_switches(&mut self);

    /// The switching function just before whose zero the last step has ended. Another run has to continue from the same
    /// state, with a step long enough to meet the equations of the other side; this one stays where it is.
    fn at_switch(&self) -> Option<usize>;

    /// Time of the last accepted step.
    fn time(&self) -> f64;

    /// $y$ at that time.
    fn state(&self) -> &[f64];

    /// $y'$ at that time, for differential unknowns.
    fn derivative(&self) -> &[f64];

    /// Residuals of the invariants at that time ([`crate::contract::Dae::invariants`]), if the step has computed them.
    fn invariants(&self) -> Option<&[f64]>;

    /// Order of the last step.
    fn order(&self) -> usize;

    /// Work done so far.
    fn statistics(&self) -> Statistics;

    /// Adds the rejected attempts so far, one entry per switching function of the formulation; nothing if they are not
    /// counted.
    fn add_switch_rejections(&self, _all: &mut [SwitchRejections]) {}

    /// Whether dense output is as accurate as the steps.
    fn dense_accuracy(&self) -> DenseAccuracy;

    /// State at a time within the last step, in `y`: the value of the polynomial, except for unknowns in which it
    /// misses a nearby solution of the equations by more than their tolerance; these have the values of that solution.
    fn interpolate(&mut self, t: f64, y: &mut [f64]);

    /// Solves the equations at a time within the last step, from a state and a derivative near the solution; where that
    /// fails, leaves them unchanged and returns `false`.
    fn correct(&mut self, t: f64, y: &mut [f64], slope: &mut [f64]) -> bool;

    /// Error weights at the last step, which multiply errors to express them in units of the error allowed:
    /// $1/(\mathrm{atol}_i + \mathrm{rtol}\\,|y_i|)$.
    fn error_weights(&self) -> &[f64];

    /// Replaces a residual $r$ by $K^{-1} r$, $K$ being the iteration matrix of the last step: up to sign, the effect
    /// of a change of $F$ by $r$ on the end of that step.
    fn respond(&self, residual: &mut [f64]);

    /// Degree of the dense-output polynomial of the last step.
    fn dense_degree(&self) -> usize;

    /// The stepper whose unknowns include the weights of surfaces along which the solution slides, if this one hides
    /// them ([`crate::contract::Blended`]).
    fn with_weights(&mut self) -> Option<&mut dyn Stepper> {
        None
    }

    /// Whether the solution slides along surfaces across which $F$ jumps, so that the equations are those of no side.
    fn is_sliding(&self) -> bool {
        false
    }

    /// Coefficients $c_0, \dots, c_d \in \mathbb R^n$ of the dense output of the last step $[t_0, t_1]$, one after
    /// the other: $y(t) = \sum_k c_k s^k$ with $s = (t - t_1)/(t_1 - t_0) \in [-1, 0]$, so that $c_0 = y(t_1)$.
    fn dense_coefficients(&mut self, coefficients: &mut [f64]);
}
