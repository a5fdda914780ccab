//! The result of an integration by Taylor series.
//!
//! In: the series of accepted steps. Out: [`TaylorSolution`], values at the ends of steps, and everywhere between, where
//! the series are kept.

use std::fmt;

use crate::contract::Name;

use super::contract::Jets;
use super::scalar::Scalar;
use super::series::shift;

/// What a run has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaylorStatistics {
    /// The order of the method.
    pub order: usize,
    /// Accepted steps.
    pub steps: usize,
    /// Rejected attempts.
    pub rejected: usize,
}

/// A solution as series.
#[derive(Clone, PartialEq)]
pub struct TaylorSolution<S> {
    /// The names of the unknowns.
    pub names: Vec<Name>,
    /// Start time, ends of steps as far as they are kept, end time.
    pub times: Vec<S>,
    /// The unknowns at these times.
    pub states: Vec<Vec<S>>,
    /// What the run has taken.
    pub statistics: TaylorStatistics,
    /// The series of each step, unless only ends are kept.
    pub(super) pieces: Vec<Jets<S>>,
    /// The number of coefficients of each unknown.
    pub(super) lengths: Vec<usize>,
}

/// Prints the end of the run only.
impl<S: fmt::Debug> fmt::Debug for TaylorSolution<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaylorSolution")
            .field("names", &self.names)
            .field("end_time", &self.times.last())
            .field("end_state", &self.states.last())
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

impl<S: Scalar> TaylorSolution<S> {
    /// The last time that was reached.
    pub fn end_time(&self) -> Option<S> {
        self.times.last().copied()
    }

    /// The unknowns at the last time that was reached.
    pub fn end_state(&self) -> &[S] {
        self.states.last().map_or(&[], Vec::as_slice)
    }

    /// The position of an unknown in the states.
    pub fn place_of(&self, unknown: &str) -> Option<usize> {
        self.names.iter().position(|name| name == unknown)
    }

    /// An unknown at the last time that was reached.
    pub fn end_value(&self, unknown: &str) -> Option<S> {
        self.end_state().get(self.place_of(unknown)?).copied()
    }

    /// An unknown at any time of the run; `None` if there is no such unknown, the time is outside, or only the ends of
    /// the run are kept and the time is between them.
    pub fn value(&self, unknown: &str, t: S) -> Option<S> {
        self.derivative(unknown, 0, t)
    }

    /// The derivative of an unknown of any order at any time of the run, from the series of the step. Each
    /// differentiation costs one order of accuracy.
    pub fn derivative(&self, unknown: &str, order: usize, t: S) -> Option<S> {
        let place = self.place_of(unknown)?;
        if order == 0
            && let Some(kept) = self.times.iter().position(|&time| time == t)
        {
            return Some(self.states[kept][place]);
        }
        let (&first, &last) = (self.times.first()?, self.times.last()?);
        let is_backward = last < first;
        let (least, greatest) = if is_backward { (last, first) } else { (first, last) };
        if !t.is_finite() || t < least || t > greatest {
            return None;
        }
        // The last step that begins at or before the time.
        let after = self.pieces.partition_point(|piece| if is_backward { piece.t >= t } else { piece.t <= t });
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        let series = piece.of(place).get(..self.lengths[place])?;
        let theta = (t - piece.t) / S::from_f64(piece.unit);
        let mut shifted = vec![S::zero(); order + 1];
        shift(series, theta, &mut shifted);
        let factors = (1..=order).map(|n| n as f64 / piece.unit);
        Some(factors.fold(shifted[order], S::times))
    }
}
