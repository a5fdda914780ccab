//! What keeps a step from being accepted.
//!
//! In: what an attempt met. Out: the length to try next ([`Rejection`]) or, when no shorter step can be tried, the
//! [`Failure`] that ends the run, with names.

use super::{Freshness, Radau5};
use crate::linear::Singular;
use crate::stepper::{Failure, StepCause};

/// Why an attempt at a step was not accepted, and what to try next.
pub(super) struct Rejection {
    pub(super) trouble: Trouble,
    /// Length to try next, positive.
    pub(super) retry: f64,
}

/// Indices only; names are looked up when it comes to a failure.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    Error {
        unknown: usize,
    },
    Convergence {
        unknown: usize,
    },
    NonFinite {
        equation: usize,
    },
    Singular(Singular),
    /// The step would pass a surface across which $F$ jumps.
    Switch,
}

impl Radau5<'_> {
    /// The failure that a rejection becomes when no shorter step than `h` can be tried. The first one tried was `first` long:
    /// if the matrix is singular for that, this is the cause.
    pub(super) fn failure(&mut self, trouble: Trouble, first: f64, h: f64) -> Failure {
        let (description, t) = (self.dae.description(), self.clock.time());
        let equation = |i: usize| description.equations[i].name.clone();
        let unknown = |i: usize| description.unknowns[i].name.clone();
        let cause = match trouble {
            Trouble::Error { unknown: i } => StepCause::Error { unknown: unknown(i) },
            Trouble::Switch => StepCause::Convergence { unknown: unknown(0) },
            Trouble::Convergence { unknown: i } | Trouble::Singular(Singular::Column(i)) => {
                StepCause::Convergence { unknown: unknown(i) }
            }
            Trouble::NonFinite { equation: i } | Trouble::Singular(Singular::Row(i) | Singular::NonFinite(i)) => {
                StepCause::NonFinite { equation: equation(i) }
            }
        };
        if !matches!(trouble, Trouble::NonFinite { .. }) && self.freshness != Freshness::Outdated {
            let real = &mut self.matrices.real;
            real.assemble(description, self.tableau.gamma / first, 1.0, &self.jacobians, first);
            self.factorized_for = 0.0;
            if let Some(found) = real.deficiency() {
                let (equation, unknown) = (equation(found.row), unknown(found.column));
                return Failure::SingularIterationMatrix { t, equation, unknown };
            }
        }
        Failure::StepSizeTooSmall { t, h, cause }
    }
}
