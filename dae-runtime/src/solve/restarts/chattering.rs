//! Whether the equations on both sides of a switch lead back to it.
//!
//! In: a run at a zero of a switching function. Out: whether steps from states on both sides of it lead back to it:
//! then the solution cannot be continued.

use super::{Phase, PiecewiseRun};
use crate::contract::{Kind, Name};
use crate::integrator::RunStart;
use crate::integrator::stepper::{Failure, Statistics};

/// Distances from the zero, in tolerances, of the state from which a step is made: the largest is used at which the
/// function is still nearly linear. And lengths of that step, as fractions of the longest step of the run: the longest
/// is used that does not lead beyond the zero.
const BESIDE: [f64; 4] = [10.0, 1.0, 0.1, 0.01];
const BESIDE_STEPS: [f64; 3] = [1e-6, 1e-8, 1e-10];
/// A function is nearly linear if its change differs from that of its tangent by no more than this fraction of the
/// latter.
const LINEAR: f64 = 0.1;

impl PiecewiseRun<'_> {
    /// Whether the equations on both sides of the zero of a switching function, at which the run is, lead back to it: a
    /// separate step is made on each side. `false` also if no step can be made that shows where they lead.
    pub(super) fn lead_back(&mut self, switch: usize) -> bool {
        [1.0, -1.0].into_iter().all(|side| self.leads_back(switch, side).unwrap_or(false))
    }

    fn leads_back(&mut self, switch: usize, side: f64) -> Option<bool> {
        let dae = self.dae;
        let unknowns = &dae.description().unknowns;
        let mut values = vec![0.0; dae.description().switches.len()];
        let mut function = |t: f64, y: &[f64], yp: &[f64]| {
            dae.switching_functions(t, y, yp, &mut values);
            values[switch]
        };
        let (t, mut y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let (here, weights) = (function(t, &y, &yp), self.stepper.error_weights());
        // Change of the function when a differential unknown changes by its tolerance.
        let mut change_by = |i: usize| {
            let old = y[i];
            y[i] += 1.0 / weights[i];
            let change = function(t, &y, &yp) - here;
            y[i] = old;
            if unknowns[i].kind == Kind::Differential && change.is_finite() { change } else { 0.0 }
        };
        let changes: Vec<f64> = (0..unknowns.len()).map(&mut change_by).collect();
        let size = changes.iter().map(|change| change * change).sum::<f64>().sqrt();
        let at_zero = y.clone();
        BESIDE.into_iter().find(|&tolerances| {
            for ((y, old), (change, weight)) in y.iter_mut().zip(&at_zero).zip(changes.iter().zip(weights)) {
                *y = old + side * tolerances * change / (size * weight);
            }
            let expected = side * tolerances * size;
            (function(t, &y, &yp) - here - expected).abs() <= LINEAR * expected.abs()
        })?;
        BESIDE_STEPS.into_iter().find_map(|part| {
            let start = RunStart { t0: t, y0: &y, yp0: &yp, t_end: self.t_end, is_repeated: false, plan: &self.plan };
            let length = Some(part * self.longest_step);
            let mut aside = self.begin(Phase::Settling { at: None }, start, length, &self.statistics()).ok()?;
            aside.step().ok()?;
            let ahead: Vec<f64> =
                aside.state().iter().zip(aside.derivative()).map(|(y, yp)| y + (aside.time() - t) * yp).collect();
            let before = function(aside.time(), aside.state(), aside.derivative());
            let after = function(2.0 * aside.time() - t, &ahead, aside.derivative());
            self.done += Statistics { steps: 0, ..aside.statistics() };
            (before * side > 0.0).then_some((after - before) * side < 0.0)
        })
    }

    pub(super) fn chattering(&self, switch: usize) -> Failure {
        self.chatters(switch, self.obstacle(switch))
    }

    /// The failure of a run that cannot go on along a switching function for this reason.
    pub(super) fn chatters(&self, switch: usize, obstacle: Name) -> Failure {
        let switch = self.dae.description().switches[switch].name.clone();
        Failure::Chattering { t: self.stepper.time(), switch, obstacle }
    }
}
