//! One evaluation of a formulation that is solved for derivatives and algebraic unknowns.
//!
//! In: differential unknowns, guesses of $w = (y_d', y_a)$. Out: $w(t, y_d)$.
//!
//! The residual of such a formulation at any guess of $w$ is the guess minus $w(t, y_d)$, so that one evaluation gives
//! $w$. Guesses are those of a point before: where $w$ is found by iteration, it stays on its branch, and the difference
//! has no rounding error worth mentioning.

use crate::contract::{Description, Kind};
use crate::integrator::{Run, StepError};

/// Which unknowns have derivatives, and storage.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    /// The unknowns with derivatives.
    pub(super) differential: Vec<usize>,
    /// The unknowns without.
    pub(super) algebraic: Vec<usize>,
    residual: Vec<f64>,
}

impl Evaluation {
    pub(super) fn new(description: &Description) -> Self {
        let n = description.unknowns.len();
        let is_differential = |k: &usize| description.unknowns[*k].kind == Kind::Differential;
        let (differential, algebraic) = (0..n).partition(is_differential);
        Evaluation { differential, algebraic, residual: vec![0.0; n] }
    }

    /// Replaces the guesses of derivatives in `slope`, and of algebraic unknowns in `point`.
    pub(super) fn evaluate(
        &mut self,
        run: &mut Run<'_>,
        t: f64,
        point: &mut [f64],
        slope: &mut [f64],
    ) -> Result<(), StepError> {
        run.dae.residual(t, point, slope, &mut self.residual);
        run.statistics.residuals += 1;
        if let Some(equation) = self.residual.iter().position(|r| !r.is_finite()) {
            return Err(StepError::NonFinite { equation });
        }
        self.differential.iter().for_each(|&k| slope[k] -= self.residual[k]);
        self.algebraic.iter().for_each(|&k| point[k] -= self.residual[k]);
        // Of finite values, the sum may not be.
        match point.iter().zip(&*slope).position(|(value, slope)| !value.is_finite() || !slope.is_finite()) {
            Some(equation) => Err(StepError::NonFinite { equation }),
            None => Ok(()),
        }
    }
}
