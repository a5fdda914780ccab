//! Derivatives of a solution, at the times that it records.
//!
//! In: derivatives as they are computed, quantity by quantity. Out: [`Sensitivities`], or the reason why a solution has
//! none ([`SensitivityError`]).

use std::error::Error;
use std::fmt;

use crate::contract::Name;
use crate::integrator::stepper::Statistics;

/// Derivatives of a solution, at its recorded times.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensitivities {
    /// The quantities: parameters, and unknowns and derivatives that stand for their start values.
    pub quantities: Vec<Name>,
    /// Work done for them.
    pub statistics: Statistics,
    /// For each time and each quantity, as many derivatives as a state has entries.
    values: Vec<f64>,
}

impl Sensitivities {
    pub(crate) fn new(quantities: Vec<Name>) -> Self {
        Sensitivities { quantities, statistics: Statistics::default(), values: Vec::new() }
    }

    pub(crate) fn push(&mut self, values: impl Iterator<Item = f64>) {
        self.values.extend(values);
    }

    /// Derivatives of all entries of the state at the `i`-th time with respect to the `k`-th quantity.
    pub(crate) fn column(&self, i: usize, k: usize, width: usize) -> Option<&[f64]> {
        let place = (i * self.quantities.len() + k) * width;
        self.values.get(place..place + width)
    }
}

/// Why a solution does not have a derivative.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SensitivityError {
    /// None was requested before the run.
    NotRequested,
    /// The run was made for gradients, and keeps what is needed to go back instead.
    Adjoint,
    /// The solution has no such unknown.
    UnknownName {
        /// The name given.
        name: String,
        /// Names of the unknowns of the solution.
        known: Vec<Name>,
    },
    /// Derivatives with respect to this quantity were not requested.
    UnknownQuantity {
        /// Name of the quantity.
        quantity: String,
        /// The quantities that were requested.
        known: Vec<Name>,
    },
    /// The run has no record of this time.
    NotRecorded {
        /// The time.
        t: f64,
    },
}

impl fmt::Display for SensitivityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SensitivityError::NotRequested => {
                f.write_str("no sensitivities were asked for: name the quantities by `sensitivities` before the run")
            }
            SensitivityError::Adjoint => f.write_str(
                "a run made for gradients (`adjoint`) has no sensitivities: take its `gradient`, or `run` with `sensitivities`",
            ),
            SensitivityError::UnknownName { name, known } => {
                write!(f, "the solution has no unknown `{name}`; there are {}", known.join(", "))
            }
            SensitivityError::UnknownQuantity { quantity, known } => {
                write!(f, "no derivatives with respect to `{quantity}` were asked for, but those to {}", known.join(", "))
            }
            SensitivityError::NotRecorded { t } => write!(f, "there is no record of t = {t}"),
        }
    }
}

impl Error for SensitivityError {}
