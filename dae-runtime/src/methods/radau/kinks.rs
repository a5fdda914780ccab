//! Stages beyond a kink.
//!
//! In: the stages of a step. Out: where one of them is on the other side of a switching function, the stages solved
//! once more with a Jacobian from there.

use super::stages::{Outcome, combine};
use super::{Freshness, Radau};
use crate::integrator::{Rejection, Run, StepError};

impl Radau {
    /// Solves the stages once more with the Jacobian at one of them, if that is on another side of a switching function
    /// than where the Jacobian at hand was evaluated; returns whether that was so. The Jacobian at hand cannot tell
    /// whether the equations hold there, nor how errors behave: at a steep stop the inverse of the matrix is
    /// nearly zero, and a step that has left the stop would pass every test.
    pub(super) fn look_beyond_kinks(&mut self, run: &mut Run<'_>, h: f64) -> Result<bool, Rejection> {
        let Some(t) = (0..self.stages()).find_map(|stage| self.stage_beyond_kink(run, h, stage)) else {
            return Ok(false);
        };
        self.factorized_for = 0.0;
        self.jacobians.evaluate(&*run.dae, t, &self.point, &self.slope);
        self.sides.note(&*run.dae, t, &self.point, &self.slope);
        run.statistics.jacobians += 1;
        self.freshness = Freshness::Outdated;
        let reject = |cause| Rejection { cause, retry: 0.5 * h.abs() };
        if let Some((equation, _)) = self.jacobians.non_finite(run.dae.description()).next() {
            return Err(reject(StepError::NonFinite { equation }));
        }
        self.factorize(run, h).map_err(|singular| reject(StepError::from(singular)))?;
        match self.iterate(run, h) {
            Outcome::Converged => self.end_of_stages(run, h),
            Outcome::NonFinite { equation } => return Err(reject(StepError::NonFinite { equation })),
            Outcome::Diverged { unknown, .. } => return Err(reject(StepError::Convergence { unknown })),
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
        self.sides.differ(&*run.dae, t, &self.point, &self.slope).then_some(t)
    }
}
