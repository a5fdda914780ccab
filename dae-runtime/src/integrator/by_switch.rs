//! Rejected attempts at steps by switching function.
//!
//! In: attempts that are not accepted. Out: for each switching function of the formulation how many of them are repeated
//! with another length to end at its zero, and how many fail beyond it.

use crate::integrator::rejection::StepError;
use crate::integrator::run::Run;
use crate::integrator::stepper::SwitchRejections;

impl Run<'_> {
    /// Takes note of an attempt of signed length `h` that is rejected. One whose error is too large counts for all
    /// functions that change their sign in it; one without an end, for those that change it along the tangent.
    pub(super) fn note_rejection(&mut self, cause: StepError, h: f64) {
        if self.by_switch.is_empty() {
            return;
        }
        let t = self.clock.time();
        match cause {
            StepError::Switch => {
                let found = self.discontinuities.first().and_then(|k| self.by_switch.get_mut(k));
                found.into_iter().for_each(|it| it.switch += 1);
            }
            StepError::Error { .. } => {
                let passed = self.passed((t + h, &self.candidate, &self.candidate_slope));
                self.of(&passed).for_each(|it| it.error += 1);
            }
            StepError::Convergence { .. }
            | StepError::NonFinite { .. }
            | StepError::Singular
            | StepError::Dependence { .. } => {
                let ahead: Vec<f64> = self.y.iter().zip(&self.yp).map(|(y, yp)| y + h * yp).collect();
                let passed = self.passed((t + h, &ahead, &self.yp));
                self.of(&passed).for_each(|it| it.convergence += 1);
            }
        }
    }

    /// Whether each switching function has opposite signs at the last accepted state and at this one.
    fn passed(&self, (t, y, yp): (f64, &[f64], &[f64])) -> Vec<bool> {
        let [mut before, mut after] = [0, 1].map(|_| vec![0.0; self.by_switch.len()]);
        self.dae.switching_functions(self.clock.time(), &self.y, &self.yp, &mut before);
        self.dae.switching_functions(t, y, yp, &mut after);
        before.iter().zip(&after).map(|(a, b)| (*a < 0.0 && *b > 0.0) || (*a > 0.0 && *b < 0.0)).collect()
    }

    fn of(&mut self, passed: &[bool]) -> impl Iterator<Item = &mut SwitchRejections> {
        self.by_switch.iter_mut().zip(passed).filter(|(_, passed)| **passed).map(|(it, _)| it)
    }
}
