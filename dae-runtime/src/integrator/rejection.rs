//! What keeps a step from being accepted.
//!
//! In: what went wrong in an attempt. Out: the length to try next ([`Rejection`]) or, when no shorter step can be
//! tried, the [`Failure`] that ends the run, with names.

use super::{Integrator, Run, Scheme};
use crate::linear::{Jacobians, Singular};
use crate::stepper::{Failure, StepCause, StepControl};

/// Why an attempt at a step was not accepted, and what to try next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejection {
    pub(crate) trouble: Trouble,
    /// Length to try next, positive. An unchanged length means that something else has been improved.
    pub(crate) retry: f64,
}

/// Why an attempt failed, with indices only; names are looked up when it becomes a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The local error is too large, mostly in this unknown.
    Error { unknown: usize },
    /// The iteration diverges or is too slow, mostly in this unknown.
    Convergence { unknown: usize },
    /// This equation is not finite.
    NonFinite { equation: usize },
    /// A matrix is singular.
    Singular,
    /// The step would pass a surface across which $F$ jumps.
    Switch,
}

impl From<Singular> for Trouble {
    fn from(singular: Singular) -> Self {
        match singular {
            Singular::NonFinite(equation) => Trouble::NonFinite { equation },
            Singular::Row(_) | Singular::Column(_) => Trouble::Singular,
        }
    }
}

/// What is not finite at the end of an attempt.
enum NonFinite {
    /// The equation; it would be finite with the last accepted value of this unknown.
    Residual { column: Option<usize> },
    /// An entry of the Jacobian, in this row or another.
    Derivative { row: usize, column: usize },
}

impl Run<'_> {
    /// Looks for what is not finite at the candidate, at time `t`: equation `row` or, if that is finite, a derivative,
    /// there or at the last accepted state.
    fn find_non_finite(&self, t: f64, row: usize) -> NonFinite {
        let description = self.dae.description();
        let (mut y, mut yp) = (self.candidate.clone(), self.candidate_slope.clone());
        let mut residual = vec![0.0; y.len()];
        let mut is_finite = |y: &[f64], yp: &[f64]| {
            self.dae.residual(t, y, yp, &mut residual);
            residual[row].is_finite()
        };
        if is_finite(&y, &yp) {
            let mut jacobians = Jacobians::new(description);
            let mut entry_at = |t: f64, y: &[f64], yp: &[f64]| {
                jacobians.evaluate(self.dae, t, y, yp);
                jacobians.non_finite(description).next()
            };
            let entry = entry_at(t, &y, &yp).or_else(|| entry_at(self.clock.time(), &self.y, &self.yp));
            let derivative = |(row, column)| NonFinite::Derivative { row, column };
            return entry.map_or(NonFinite::Residual { column: None }, derivative);
        }
        let patterns = [&description.jacobian_y, &description.jacobian_yp];
        let column =
            patterns.into_iter().flat_map(|pattern| pattern.row(row)).map(|(column, _)| column).find(|&column| {
                let (value, slope) = (y[column], yp[column]);
                (y[column], yp[column]) = (self.y[column], self.yp[column]);
                let found = is_finite(&y, &yp);
                (y[column], yp[column]) = (value, slope);
                found
            });
        NonFinite::Residual { column }
    }
}

impl<S: Scheme> Integrator<'_, S> {
    /// The failure of a run that needs more steps than are allowed.
    pub(super) fn too_many_steps(&self) -> Failure {
        let run = &self.run;
        let by_error = run.control == StepControl::Adaptive && run.h < run.max_step && run.statistics.steps > 0;
        let unknown = by_error.then(|| run.dae.description().unknowns.get(self.scheme.worst(run))).flatten();
        let unknown = unknown.map(|unknown| unknown.name.clone());
        Failure::TooManySteps { t: run.clock.time(), max_steps: run.max_steps, h: run.h, unknown }
    }

    /// The failure that results when no step shorter than `h` can be tried. The first attempt had length `first`: if
    /// its matrix is singular, that is the cause.
    pub(super) fn failure(&mut self, trouble: Trouble, first: f64, h: f64) -> Failure {
        let run = &mut self.run;
        if let Err(failure) = run.check_residual() {
            return failure;
        }
        let (description, t) = (run.dae.description(), run.clock.time());
        // A system of no equations has neither.
        let unknown = |i: usize| description.unknowns.get(i).map_or("-".into(), |unknown| unknown.name.clone());
        let equation = |i: usize| description.equations.get(i).map_or("-".into(), |equation| equation.name.clone());
        if !matches!(trouble, Trouble::NonFinite { .. })
            && let Some(found) = self.scheme.deficiency(run, first)
        {
            let (equation, unknown) = (equation(found.row), unknown(found.column));
            return Failure::SingularIterationMatrix { t, equation, unknown };
        }
        let cause = match trouble {
            Trouble::Error { unknown: i } => StepCause::Error { unknown: unknown(i) },
            Trouble::Convergence { unknown: i } => StepCause::Convergence { unknown: unknown(i) },
            Trouble::NonFinite { equation: i } => {
                self.scheme.predict_end(run, h);
                match run.find_non_finite(run.clock.time() + h, i) {
                    NonFinite::Residual { column } => {
                        StepCause::NonFinite { equation: equation(i), unknown: column.map(unknown) }
                    }
                    NonFinite::Derivative { row, column } => {
                        StepCause::NonFiniteDerivative { equation: equation(row), unknown: unknown(column) }
                    }
                }
            }
            Trouble::Switch => {
                let function = run.switching.first().and_then(|k| description.switches.get(k));
                StepCause::Switching { function: function.map_or("-".into(), |function| function.name.clone()) }
            }
            // The unknown that the last correction moved most.
            Trouble::Singular => StepCause::Convergence { unknown: unknown(run.weights.worst(&run.candidate_slope)) },
        };
        Failure::StepSizeTooSmall { t, h, cause }
    }
}
