//! Sides of switching functions on which the Jacobian at hand was evaluated.
//!
//! In: where it was evaluated, and the stages of a step. Out: stages that are on the same sides, or that have also been
//! solved with a Jacobian from another side.

use super::stages::{Outcome, combine};
use super::{Freshness, Radau};
use crate::contract::{Dae, Description};
use crate::integrator::{Rejection, Run, Trouble};

/// Values of the switching functions.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    /// Values where the Jacobian was evaluated.
    of_jacobian: Vec<f64>,
    values: Vec<f64>,
}

impl Sides {
    pub(super) fn new(description: &Description) -> Sides {
        let zeros = vec![0.0; description.switches.len()];
        Sides { of_jacobian: zeros.clone(), values: zeros }
    }

    /// Whether there are switching functions.
    pub(super) fn are_any(&self) -> bool {
        !self.values.is_empty()
    }

    /// Records where the Jacobian was evaluated.
    pub(super) fn note(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        if self.are_any() {
            dae.switching_functions(t, y, yp, &mut self.of_jacobian);
        }
    }

    /// Whether a function has another sign here; one that vanishes is on neither side.
    pub(super) fn differ(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> bool {
        if !self.are_any() {
            return false;
        }
        dae.switching_functions(t, y, yp, &mut self.values);
        self.of_jacobian.iter().zip(&self.values).any(|(a, b)| a * b.signum() < 0.0)
    }
}

impl Radau {
    /// Solves the stages once more with the Jacobian at one of them, if that is on another side of a switching function
    /// than where the Jacobian at hand was evaluated; returns whether that was so. The Jacobian at hand cannot tell
    /// whether the equations hold there, nor how errors behave: at a steep stop everything vanishes that is multiplied
    /// by the inverse of the matrix, and a step that has left the stop would pass every test.
    pub(super) fn look_beyond_kinks(&mut self, run: &mut Run<'_>, h: f64) -> Result<bool, Rejection> {
        let Some(t) = (0..self.stages()).find_map(|stage| self.stage_beyond_kink(run, h, stage)) else {
            return Ok(false);
        };
        self.factorized_for = 0.0;
        self.jacobians.evaluate(run.dae, t, &self.point, &self.slope);
        self.sides.note(run.dae, t, &self.point, &self.slope);
        run.statistics.jacobians += 1;
        self.freshness = Freshness::Outdated;
        let reject = |trouble| Rejection { trouble, retry: 0.5 * h.abs() };
        if let Some((equation, _)) = self.jacobians.non_finite(run.dae.description()).next() {
            return Err(reject(Trouble::NonFinite { equation }));
        }
        self.factorize(run, h).map_err(|singular| reject(Trouble::from(singular)))?;
        match self.iterate(run, h) {
            Outcome::Converged => self.end_of_stages(run, h),
            Outcome::NonFinite { equation } => return Err(reject(Trouble::NonFinite { equation })),
            Outcome::Diverged { unknown, .. } => return Err(reject(Trouble::Convergence { unknown })),
        }
        Ok(true)
    }

    /// The time of a stage, whose state and derivative are left in `point` and `slope`, if it is on another side than the Jacobian.
    fn stage_beyond_kink(&mut self, run: &Run<'_>, h: f64, stage: usize) -> Option<f64> {
        let tableau = &self.orders[self.current].tableau;
        combine(tableau.inverse.row(stage).map(|a| a / h), &self.stages.z, &mut self.slope);
        for ((point, y), z) in self.point.iter_mut().zip(&run.y).zip(&self.stages.z[stage]) {
            *point = y + z;
        }
        let t = run.clock.time() + tableau.c[stage] * h;
        self.sides.differ(run.dae, t, &self.point, &self.slope).then_some(t)
    }
}
