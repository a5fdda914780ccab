//! Steps that are repeated, and separate steps.
//!
//! In: a step that has been made. Out: the same step with an earlier end, because a function changes its sign in it, or
//! because a surface is reached or ceases to hold the solution; or a state within the step.

use super::approach::Approach;
use super::{Phase, PiecewiseRun};
use crate::integrator::RunStart;
use crate::integrator::stepper::{Failure, Statistics};
use crate::solve::between::Sought;

/// Largest number of separate steps to a time within the last step.
const STEPS_ASIDE: usize = 100;

impl PiecewiseRun<'_> {
    /// Has the last step, which began at `start`, repeated with an earlier end if a function changes its sign twice in
    /// it, or if it passes a kink or jump at which it should have ended; returns whether it does. A step at whose start
    /// unknowns jump is left alone: its polynomial says nothing about what lies between its ends.
    pub(in crate::solve) fn divide(&mut self, start: (f64, &[f64], &[f64])) -> Result<bool, Failure> {
        if matches!(self.phase, Phase::Jumping { .. }) {
            return Ok(false);
        }
        if self.phase == Phase::Regular {
            let target = match self.approach(start) {
                Approach::None => self.ceases_to_be_held(start.0)?,
                Approach::Until(target, switch) => Some((target, switch)),
                Approach::At(switch) => {
                    self.take_over(start.0, [start.1, start.2], Phase::Regular, None)?;
                    return self.goes_along_from(switch).map(|()| true);
                }
            };
            if let Some((target, switch)) = target {
                return self.end_earlier(start, target, switch).map(|()| true);
            }
        }
        let t = self.stepper.time();
        let shortest = 16.0 * f64::EPSILON * t.abs().max(start.0.abs());
        let sought = match self.phase {
            Phase::Regular => Sought::Kinks,
            Phase::Settling { at } => Sought::Jumps { beyond: at },
            // Steps along surfaces end where the solution leaves them.
            Phase::Hopping { .. } if self.is_along() => Sought::Jumps { beyond: None },
            Phase::Jumping { .. } | Phase::Hopping { .. } => Sought::Nothing,
        };
        let target = self.search(start.0, sought).filter(|(target, _)| (target - start.0).abs() > shortest);
        let Some((target, switch)) = target else { return self.leaves_at(start) };
        self.end_earlier(start, target, self.inner_switch(switch)).map(|()| true)
    }

    /// Has the last step repeated to end at `target`, and a piece begin there, because of a switching function.
    fn end_earlier(&mut self, start: (f64, &[f64], &[f64]), target: f64, switch: usize) -> Result<(), Failure> {
        self.rewind(start, target, Some(switch))?;
        self.locate_switches();
        self.until = Some((target, switch));
        Ok(())
    }

    /// The time at which the last step, which began at `before`, has to end because of sign changes, and the function,
    /// one of the present piece, that changes its sign.
    fn search(&mut self, before: f64, sought: Sought) -> Option<(f64, usize)> {
        if !self.is_along() {
            return self.between.as_mut()?.search(self.stepper.as_mut(), before, sought);
        }
        let between = self.along.as_mut()?.between()?;
        between.search(self.stepper.with_weights()?, before, sought)
    }

    /// Has the last step, which began at the given state, repeated to end at `target`; because of a switching function,
    /// unless it is because of an event.
    pub(in crate::solve) fn rewind(
        &mut self,
        (t, y, yp): (f64, &[f64], &[f64]),
        target: f64,
        switch: Option<usize>,
    ) -> Result<(), Failure> {
        let mut done = self.statistics();
        done.steps = done.steps.saturating_sub(1);
        done.switch_rejections += 1;
        let start = RunStart { t0: t, y0: y, yp0: yp, t_end: target, is_repeated: true, plan: &self.plan };
        let first = Some((target - t).abs()).filter(|length| *length > 0.0);
        let stepper = self.begin(self.phase, start, first, &done)?;
        self.by_switch.add(self.stepper.as_ref());
        switch.iter().for_each(|&switch| self.by_switch.note_repetition(switch));
        (self.stepper, self.done) = (stepper, done);
        Ok(())
    }

    /// The time at which the last step, which began at this state, has passed the zero of the switching function beyond
    /// which it leads, as if that were linear; that of its start if it leads beyond a function of time, or the function does
    /// not change its sign. `None` if it leads beyond none.
    pub(in crate::solve) fn passed(&self, (t, y, yp): (f64, &[f64], &[f64])) -> Option<f64> {
        let switch = match self.phase {
            Phase::Settling { at: None } => return Some(t),
            phase => phase.beyond()?,
        };
        let value = |t: f64, y: &[f64], yp: &[f64]| {
            let mut values = vec![0.0; self.dae.description().switches.len()];
            self.dae.switching_functions(t, y, yp, &mut values);
            values.get(switch).copied().unwrap_or(0.0)
        };
        let now = self.stepper.time();
        let [before, after] = [value(t, y, yp), value(now, self.stepper.state(), self.stepper.derivative())];
        Some(if before * after < 0.0 { t + (now - t) * (before / (before - after)) } else { t })
    }

    /// The state and its derivative at `target`, reached exactly by separate steps from an earlier state; the run stays
    /// where it is. `None` if one of these steps fails, or more than [`STEPS_ASIDE`] are needed.
    pub(in crate::solve) fn state_at(
        &mut self,
        (t, y, yp): (f64, &[f64], &[f64]),
        target: f64,
    ) -> Option<[Vec<f64>; 2]> {
        let start = RunStart { t0: t, y0: y, yp0: yp, t_end: target, is_repeated: true, plan: &self.plan };
        let mut aside = self.begin(self.phase, start, Some((target - t).abs()), &self.statistics()).ok()?;
        for _ in 0..STEPS_ASIDE {
            if aside.time() == target {
                break;
            }
            aside.step().ok()?;
        }
        let found = (aside.time() == target).then(|| [aside.state().to_vec(), aside.derivative().to_vec()]);
        self.done += Statistics { steps: 0, ..aside.statistics() };
        found
    }
}
