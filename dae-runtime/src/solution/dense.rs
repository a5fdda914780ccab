//! Polynomials of a solution between recorded times.
//!
//! In: the polynomials of the steps, each on a part of its step. Out: values between the ends of steps.

use crate::integrator::polynomial::horner;

/// Piecewise polynomials, step after step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct DenseOutput {
    /// The first piece of each step.
    pub(super) steps: Vec<usize>,
    pub(super) pieces: Vec<Piece>,
    pub(super) coefficients: Vec<f64>,
}

/// A polynomial on a part of a step.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Piece {
    /// Beginning and end, in units of the step from its end.
    pub(super) begin: f64,
    pub(super) end: f64,
    /// Position where its coefficients start.
    pub(super) start: usize,
}

impl DenseOutput {
    pub(super) fn evaluate(&self, step: usize, n: usize, k: usize, s: f64) -> Option<f64> {
        let first = *self.steps.get(step)?;
        let beyond = self.steps.get(step + 1).copied().unwrap_or(self.pieces.len());
        if first == beyond {
            return None;
        }
        let index = first + self.pieces.get(first..beyond)?.partition_point(|piece| piece.end < s);
        let piece = self.pieces.get(index)?;
        let end = self.pieces.get(index + 1).map_or(self.coefficients.len(), |next| next.start);
        let sigma = (s - piece.end) / (piece.end - piece.begin);
        Some(horner(self.coefficients.get(piece.start..end)?, n, k, sigma))
    }
}
