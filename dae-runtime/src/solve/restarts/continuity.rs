//! Whether unknowns are continuous where a run passes a kink.
//!
//! In: a run at a kink, or after a step beyond one in which no error test has covered algebraic unknowns. Out: steps
//! beyond a kink at which algebraic unknowns jump because the number of degrees of freedom changes; or an error if they
//! would jump although it does not: then the branch of solutions that the run has followed ends.

use super::{JUMPING, Phase, PiecewiseRun, SETTLING};
use crate::contract::Kind;
use crate::integrator::RunStart;
use crate::integrator::stepper::{Failure, Statistics};
use crate::solve::degrees_of_freedom;

/// Lengths of the steps tried beyond a kink at which unknowns jump, as fractions of the longest step.
const BEYOND_KINK: [f64; 3] = [1e-6, 1e-5, 1e-4];
/// An unknown that changes by this many tolerances in a step in which no error test covers it may have jumped; it has
/// if a change as large, and at least half of its change in the whole step, is in one part after `HALVINGS` bisections.
const FAR: f64 = 100.0;
const HALVINGS: usize = 30;

impl PiecewiseRun<'_> {
    /// Tries to continue beyond a kink at which algebraic unknowns jump because the number of degrees of freedom
    /// changes, as where a diode ceases to conduct: states are continuous, and the equations beyond determine the rest.
    /// Returns whether the run continues; not if that number stays the same, since a jump then leads to another
    /// solution.
    pub(super) fn leads_beyond_kink(&mut self) -> bool {
        BEYOND_KINK.into_iter().any(|part| self.leads_beyond_by(part * self.longest_step))
    }

    /// Tries to continue beyond a kink by a step of this length; returns whether the run continues.
    fn leads_beyond_by(&mut self, length: f64) -> bool {
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let start = RunStart { t0: t, y0: &y, yp0: &yp, t_end: self.t_end, is_repeated: false, plan: &self.plan };
        if self.jumped.is_some_and(|jumped| (t - jumped).abs() <= 4.0 * length) {
            return false;
        }
        let phase = Phase::Jumping { left: JUMPING };
        let begin = || self.begin(phase, start, Some(length), &self.statistics());
        let (Ok(mut aside), Ok(stepper)) = (begin(), begin()) else { return false };
        if aside.step().is_err() {
            return false;
        }
        let unknowns = &self.dae.description().unknowns;
        let changes = aside.state().iter().zip(&y).zip(aside.error_weights());
        let is_continuous = changes.zip(unknowns.iter()).all(|(((new, old), weight), unknown)| {
            unknown.kind != Kind::Differential || (new - old).abs() * weight <= 1.0
        });
        let beyond = (aside.time(), aside.state(), aside.derivative());
        let differs = self.freedom_differs((t, &y, &yp), beyond, length);
        self.done += Statistics { steps: 0, ..aside.statistics() };
        if is_continuous && differs {
            self.done = self.statistics();
            self.by_switch.add(self.stepper.as_ref());
            (self.stepper, self.phase, self.until, self.jumped) = (stepper, phase, None, Some(t));
        }
        is_continuous && differs
    }

    /// Whether the number of degrees of freedom differs between a state at a switch and one beyond it, a step of this
    /// length later.
    fn freedom_differs(&self, (t, y, yp): (f64, &[f64], &[f64]), beyond: (f64, &[f64], &[f64]), length: f64) -> bool {
        let unknowns = &self.dae.description().unknowns;
        // The state itself may be on either side, so it is moved back along its derivative: with the algebraic unknowns
        // and without them, since they may have derivatives on one side only.
        let ago = SETTLING * self.longest_step * (beyond.0 - t).signum();
        [false, true].into_iter().any(|all| {
            let moves = |k: usize| all || unknowns[k].kind == Kind::Differential;
            let before: Vec<f64> = (0..y.len()).map(|k| if moves(k) { y[k] - ago * yp[k] } else { y[k] }).collect();
            degrees_of_freedom::differs(self.dae, [(t - ago, &before, yp), beyond], length)
        })
    }

    /// An error if an algebraic unknown of index 1 has jumped in a step from `last` in which no error test has covered
    /// it. If $F$ is continuous across the switch and the number of degrees of freedom is the same on both sides,
    /// another value belongs to another solution, and that of the run has ended; the run is then back at `last`. If
    /// that number has changed in the first step of a piece, more short steps follow.
    pub(in crate::solve) fn check_continuity(&mut self, last: (f64, &[f64], &[f64])) -> Result<(), Failure> {
        let is_checked = match self.phase {
            // Where a solution slides, unknowns of index 1 have other values than on either side.
            _ if self.is_along() => false,
            Phase::Settling { at: Some(_) } | Phase::Hopping { .. } => !self.leads_over_jump(last),
            Phase::Regular | Phase::Settling { at: None } | Phase::Jumping { .. } => false,
        };
        if is_checked && matches!(self.phase, Phase::Settling { .. }) && self.has_changed_freedom(last) {
            self.phase = Phase::Jumping { left: JUMPING };
            return Ok(());
        }
        let Some((unknown, after)) = is_checked.then(|| self.jumped(last)).flatten() else { return Ok(()) };
        let t = last.0;
        let switch = self.phase.beyond().or_else(|| self.nearest_switch().map(|(switch, _)| switch));
        self.rewind(last, self.stepper.time(), switch)?;
        let name = self.dae.description().unknowns[unknown].name.clone();
        Err(Failure::BranchEnds { t, unknown: name, before: last.1[unknown], after })
    }

    /// Whether an algebraic unknown has changed by more than [`FAR`] tolerances in the last step, and the number of
    /// degrees of freedom is different after it.
    fn has_changed_freedom(&self, last: (f64, &[f64], &[f64])) -> bool {
        let stepper = self.stepper.as_ref();
        let changes = stepper.state().iter().zip(last.1).zip(stepper.error_weights());
        let is_far = changes.zip(self.dae.description().unknowns.iter()).any(|(((new, old), weight), unknown)| {
            unknown.kind != Kind::Differential && (new - old).abs() * weight > FAR
        });
        let now = (stepper.time(), stepper.state(), stepper.derivative());
        is_far && self.freedom_differs(last, now, (now.0 - last.0).abs())
    }

    /// The algebraic unknown of index 1 that has changed most in the last step, and its value beyond the jump; `None`
    /// if no jump is found, or if the number of degrees of freedom changes there. The step is bisected repeatedly: a
    /// jump remains in one of the halves.
    fn jumped(&mut self, (t, y, yp): (f64, &[f64], &[f64])) -> Option<(usize, f64)> {
        let unknowns = &self.dae.description().unknowns;
        let weights = self.stepper.error_weights().to_vec();
        let change = |k: usize, [a, b]: [&[f64]; 2]| (b[k] - a[k]).abs() * weights[k];
        let whole = self.stepper.state().to_vec();
        let moved = (0..y.len()).filter(|&k| unknowns[k].kind == Kind::Algebraic && unknowns[k].index == 1);
        let moved = moved.max_by(|&a, &b| change(a, [y, &whole]).total_cmp(&change(b, [y, &whole])))?;
        let least = (0.5 * change(moved, [y, &whole])).max(FAR);
        let mut ends = [(0.0, y.to_vec()), (self.stepper.time() - t, whole)];
        let mut beyond = (self.stepper.time(), ends[1].1.clone(), self.stepper.derivative().to_vec());
        let start = RunStart { t0: t, y0: y, yp0: yp, t_end: self.t_end, is_repeated: false, plan: &self.plan };
        for _ in 0..HALVINGS {
            let [a, b] = &ends;
            if change(moved, [&a.1, &b.1]) < least {
                return None;
            }
            let middle = 0.5 * (a.0 + b.0);
            if (b.0 - a.0).abs() <= 64.0 * f64::EPSILON * t.abs() {
                break;
            }
            let done = self.statistics();
            let mut aside = self.begin(Phase::Settling { at: None }, start, Some(middle.abs()), &done).ok()?;
            let is_made = aside.step().is_ok();
            self.done += Statistics { steps: 0, ..aside.statistics() };
            let state = aside.state().to_vec();
            let parts = [change(moved, [&a.1, &state]), change(moved, [&state, &b.1])];
            // A step that fails, or ends at a state that is not between the others, says nothing.
            if !is_made || parts[0] + parts[1] > 1.5 * change(moved, [&a.1, &b.1]) {
                return None;
            }
            if parts[0] > parts[1] {
                beyond = (aside.time(), state.clone(), aside.derivative().to_vec());
                ends[1] = (middle, state);
            } else {
                ends[0] = (middle, state);
            }
        }
        let length = (beyond.0 - t).abs();
        let differs = self.freedom_differs((t, y, yp), (beyond.0, &beyond.1, &beyond.2), length);
        (!differs).then(|| (moved, ends[1].1[moved]))
    }

    /// Whether a function at whose zeros $F$ jumps changes its sign in the last step, or would by extrapolation in
    /// another step of that length: where its value is nearly zero, the equations may be those of either side.
    fn leads_over_jump(&self, (t, y, yp): (f64, &[f64], &[f64])) -> bool {
        let switches = &self.dae.description().switches;
        let stepper = self.stepper.as_ref();
        let [before, after] =
            [(t, y, yp), (stepper.time(), stepper.state(), stepper.derivative())].map(|(t, y, yp)| {
                let mut values = vec![0.0; switches.len()];
                self.dae.switching_functions(t, y, yp, &mut values);
                values
            });
        let signs = before.iter().zip(&after).zip(switches.iter());
        let keeps = |(before, after): (&f64, &f64)| before * after > 0.0 && before * (2.0 * after - before) > 0.0;
        signs.into_iter().any(|(values, switch)| switch.jumps && !keeps(values))
    }
}
