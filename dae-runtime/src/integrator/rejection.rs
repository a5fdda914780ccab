//! What keeps a step from being accepted.
//!
//! In: what an attempt met. Out: the length to try next ([`Rejection`]) or, when no shorter step can be tried, the
//! [`Failure`] that ends the run, with names.

use super::{Integrator, Scheme};
use crate::stepper::{Failure, StepCause, StepControl};

/// Why an attempt at a step was not accepted, and what to try next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejection {
    pub(crate) trouble: Trouble,
    /// Length to try next, positive. The same as before means that something else has been made better.
    pub(crate) retry: f64,
}

/// Indices only; names are looked up when it comes to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The local error is too large, mostly in this unknown.
    Error { unknown: usize },
    /// The iteration diverges or is too slow, mostly in this unknown.
    Convergence { unknown: usize },
    /// This equation is not finite.
    NonFinite { equation: usize },
    /// There is no factorisation.
    Singular,
    /// The step would pass a surface across which $F$ jumps.
    Switch,
}

impl<S: Scheme> Integrator<'_, S> {
    /// The failure that it is to need more steps than are allowed.
    pub(super) fn too_many_steps(&self) -> Failure {
        let run = &self.run;
        let by_error = run.control == StepControl::Adaptive && run.h < run.max_step && run.statistics.steps > 0;
        let unknown = by_error.then(|| run.dae.description().unknowns.get(self.scheme.worst(run))).flatten();
        let unknown = unknown.map(|unknown| unknown.name.clone());
        Failure::TooManySteps { t: run.clock.time(), max_steps: run.max_steps, h: run.h, unknown }
    }

    /// The failure that a trouble becomes when no shorter step than `h` can be tried. The first one tried was `first` long:
    /// if the matrix is singular for that, this is the cause.
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
            Trouble::NonFinite { equation: i } => StepCause::NonFinite { equation: equation(i) },
            // The unknown that the last correction moved most.
            Trouble::Singular | Trouble::Switch => {
                StepCause::Convergence { unknown: unknown(run.weights.worst(&run.candidate_slope)) }
            }
        };
        Failure::StepSizeTooSmall { t, h, cause }
    }
}
