//! Pieces of a run that slide along surfaces.
//!
//! In: a run that has reached a surface across which $F$ jumps, or a state at which it leaves one. Out: where the
//! equations on both sides lead back to the surface, a piece of the run that stays on it
//! ([`crate::completions::sliding`]); and when the run has slid along which surfaces.

use super::along::{NO_EQUATIONS, NOT_OFFERED, Piece, obstacle_of, with_weights};
use super::approach::Approach;
use super::without_weights::WithoutWeights;
use super::{Phase, PiecewiseRun};
use crate::completions::sliding::{Mode, Undecided, Unsuitable};
use crate::contract::{Dae, Name};
use crate::integrator::RunStart;
use crate::integrator::held::Held;
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::solution::Slide;

/// A run begins on a surface if its switching function is no larger than this multiple of what rounding errors of the
/// unknowns change it by.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Bisections of a step in which a surface ceases to hold the solution.
const BISECTIONS: usize = 50;
/// More pieces than this along surfaces, plus one number for each surface, in a time of this fraction of the run are no
/// progress.
const PIECES: (usize, usize) = (20, 8);
const NO_TIME: f64 = 1e-10;

impl<'d> PiecewiseRun<'d> {
    /// Whether the equations are those between sides.
    pub(in crate::solve) fn is_along(&self) -> bool {
        self.along.as_ref().is_some_and(|along| along.piece.is_some())
    }

    /// When the run has slid along which surfaces.
    pub(in crate::solve) fn slides(&self) -> Vec<Slide> {
        self.along.as_ref().map_or_else(Vec::new, |along| along.slides.clone())
    }

    /// Slides along the surfaces on which the run begins, or continues after an event, if the equations lead back to
    /// them; otherwise leaves them in the way it crosses a surface, since unknowns may jump there.
    pub(super) fn begin_on_surfaces(&mut self) -> Result<(), Failure> {
        let Some(along) = &self.along else { return Ok(()) };
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let surfaces = along.surfaces;
        let values = surfaces.values(t, &y);
        let pattern = &surfaces.blended.blended_description().surfaces_jacobian;
        let mut gradients = vec![0.0; pattern.len()];
        surfaces.blended.surfaces_jacobian(t, &y, &mut gradients);
        let unknowns = &self.dae.description().unknowns;
        let noise = |k: usize| {
            let size = |(i, place): (usize, usize)| gradients[place].abs() * y[i].abs().max(unknowns[i].nominal.abs());
            ROUNDING * pattern.row(k).map(size).sum::<f64>()
        };
        let at: Vec<usize> = (0..values.len()).filter(|&k| values[k].abs() <= noise(k)).collect();
        let sides: Vec<Mode> = values.iter().map(|&value| Mode::of(value)).collect();
        let near = surfaces.near((t, &y), self.stepper.error_weights());
        let at = surfaces.with_linked((t, &y), &sides, &at, &near);
        if at.is_empty() || t == self.t_end {
            return Ok(());
        }
        let mut modes = sides;
        at.iter().for_each(|&k| modes[k] = Mode::Sliding);
        match surfaces.choose((t, &y, &yp), &modes, &at, along.direction) {
            Ok(modes) if at.iter().any(|&k| modes[k] == Mode::Sliding) => self.go_along(modes, &at),
            Ok(_) if self.phase == Phase::Regular => {
                let beyond = Phase::Settling { at: Some(surfaces.switch(at[0])) };
                self.take_over(t, [&y, &yp], beyond, None)
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Where a piece has ended at the zero of a switching function of its equations: continues along surfaces, or from
    /// a surface that the solution has left, and returns `true`; or `false` if the run crosses the surface.
    pub(super) fn goes_along(&mut self, at: usize) -> Result<bool, Failure> {
        let Some(along) = &mut self.along else { return Ok(false) };
        if let Some((surface, side)) = along.piece.as_ref().and_then(|piece| piece.dae.exit(at)) {
            return self.exits(surface, side).map(|()| true);
        }
        let surfaces = along.surfaces;
        let Some(surface) = surfaces.surface(at) else {
            along.obstacle = Some((at, NOT_OFFERED.into()));
            return Ok(false);
        };
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let was_along = along.piece.is_some();
        let mut modes = match &along.piece {
            Some(piece) => piece.dae.modes().to_vec(),
            None => surfaces.values(t, &y).into_iter().map(Mode::of).collect(),
        };
        let near = surfaces.near((t, &y), self.stepper.error_weights());
        // Of several functions that change their signs in a step, another one may have its zero here.
        let reached = near.iter().copied().find(|&k| modes[k] != Mode::Sliding);
        let surface = if near.contains(&surface) { surface } else { reached.unwrap_or(surface) };
        let at = surfaces.switch(surface);
        modes[surface] = Mode::Sliding;
        let at_all: Vec<usize> = (0..modes.len()).filter(|&k| modes[k] == Mode::Sliding).collect();
        let at_all = surfaces.with_linked((t, &y), &modes, &at_all, &near);
        match surfaces.choose((t, &y, &yp), &modes, &at_all, along.direction) {
            Ok(modes) if was_along || modes.contains(&Mode::Sliding) => {
                self.go_along(modes, &at_all)?;
                Ok(true)
            }
            Err(Undecided::Ambiguous(exits)) if was_along => Err(Failure::Ambiguous { t, exits }),
            Err(undecided) => {
                let obstacle = obstacle_of(&undecided);
                self.along.iter_mut().for_each(|along| along.obstacle = Some((at, obstacle.clone())));
                match was_along {
                    true => Err(self.chattering(at)),
                    false => Ok(false),
                }
            }
            Ok(modes) => self.goes_along_intersection(&modes, surface),
        }
    }

    /// Continues where the weight of a surface has become that of a side. Usually the solution leaves the surface to
    /// that side and slides along the others as before; from an intersection around which it went in a spiral it may
    /// leave others as well.
    fn exits(&mut self, surface: usize, side: Mode) -> Result<(), Failure> {
        let Some(along) = &self.along else { return Ok(()) };
        let Some(piece) = &along.piece else { return Ok(()) };
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let modes = piece.dae.modes();
        let at: Vec<usize> = (0..modes.len()).filter(|&k| modes[k] == Mode::Sliding).collect();
        match along.surfaces.choose((t, &y, &yp), modes, &at, along.direction) {
            Ok(chosen) if at.iter().any(|&k| chosen[k] != Mode::Sliding) => return self.go_along(chosen, &at),
            Err(Undecided::Ambiguous(exits)) => return Err(Failure::Ambiguous { t, exits }),
            Ok(_) | Err(_) => {}
        }
        if piece.dae.is_paired() {
            // Other weights may hold the solution; otherwise it leaves several surfaces at once.
            let again = self.piece(modes.to_vec(), (t, &y, &yp));
            if again.is_ok_and(|piece| piece.dae.is_held((t, &y, &yp))) {
                let modes = modes.to_vec();
                return self.go_along(modes, &at);
            }
            if let Ok(chosen) = along.surfaces.choose_leaving((t, &y, &yp), modes, &at, along.direction) {
                return self.go_along(chosen, &at);
            }
        }
        let modes = piece.dae.modes_beyond(surface, side);
        self.go_along(modes, &[surface])
    }

    /// Leaves a surface where equations between its sides cannot be solved, if its weight is that of a side there: a limited
    /// integrator stays at its limit in that way until its input changes sign, where both sides are alike. Returns
    /// whether there is one.
    pub(super) fn leaves_on_side(&mut self) -> Result<bool, Failure> {
        let Some(piece) = self.along.as_ref().and_then(|along| along.piece.as_ref()) else { return Ok(false) };
        let dae = piece.dae.clone();
        let on_side = self.stepper.with_weights().and_then(|all| dae.on_side(all.state()));
        let Some((surface, side)) = on_side else { return Ok(false) };
        self.exits(surface, side).map(|()| true)
    }

    /// Where the run crosses a surface within its tolerances of others: whether it slides along all of them, because
    /// the equations lead around their intersection, and in ever smaller circles.
    fn goes_along_intersection(&mut self, modes: &[Mode], surface: usize) -> Result<bool, Failure> {
        let Some(along) = &self.along else { return Ok(false) };
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let near = along.surfaces.near((t, &y), self.stepper.error_weights());
        let at: Vec<usize> = (0..modes.len()).filter(|&k| k == surface || near.contains(&k)).collect();
        if at.len() < 2 {
            return Ok(false);
        }
        let mut modes = modes.to_vec();
        at.iter().for_each(|&k| modes[k] = Mode::Sliding);
        match along.surfaces.choose((t, &y, &yp), &modes, &at, along.direction) {
            Ok(modes) if at.iter().all(|&k| modes[k] == Mode::Sliding) => {
                self.go_along(modes, &at)?;
                Ok(true)
            }
            Ok(_) | Err(_) => Ok(false),
        }
    }

    /// Continues in these modes; those of the surfaces `at` may be others than before.
    fn go_along(&mut self, modes: Vec<Mode>, at: &[usize]) -> Result<(), Failure> {
        let t = self.stepper.time();
        self.note_change(t, at)?;
        let [y, yp] = [self.stepper.state().to_vec(), self.stepper.derivative().to_vec()];
        let is_left = at.iter().any(|&k| modes[k] != Mode::Sliding);
        let switch = at.first().map_or(0, |&k| self.along.as_ref().map_or(0, |along| along.surfaces.switch(k)));
        let piece = self.piece(modes, (t, &y, &yp)).map_err(Undecided::Unsuitable);
        let Some(along) = &mut self.along else { return Ok(()) };
        match piece {
            Ok(piece) => {
                along.note(t, &piece.dae);
                along.piece = Some(piece);
                at.iter().for_each(|&k| self.by_switch.note_restart(along.surfaces.switch(k)));
            }
            Err(undecided) => {
                along.obstacle = Some((switch, obstacle_of(&undecided)));
                return Err(self.chattering(switch));
            }
        }
        (self.before_switch, self.constraints) = (None, None);
        // A surface that has just been left is as near as rounding errors, on either side.
        let phase = if is_left { Phase::Settling { at: Some(switch) } } else { Phase::Regular };
        self.take_over(t, [&y, &yp], phase, None)
    }

    /// Equations in these modes, from a state near the surfaces on.
    fn piece(&self, modes: Vec<Mode>, at: (f64, &[f64], &[f64])) -> Result<Piece<'d>, Unsuitable> {
        let Some(along) = &self.along else { return Err(Unsuitable::Singular) };
        Piece::new(along.surfaces, modes, at, (&self.options, self.last_step * along.direction))
    }

    /// An error if surfaces are entered and left again and again within no time.
    fn note_change(&mut self, t: f64, at: &[usize]) -> Result<(), Failure> {
        let span = (self.t_end - t).abs().max(self.longest_step);
        let Some(along) = &mut self.along else { return Ok(()) };
        along.changes.push_back(t);
        if along.changes.len() <= PIECES.0 + PIECES.1 * along.surfaces.blended.blended_description().surfaces.len() {
            return Ok(());
        }
        let first = along.changes.pop_front().unwrap_or(t);
        if (t - first).abs() > NO_TIME * span {
            return Ok(());
        }
        let switch = at.first().map_or(0, |&k| along.surfaces.switch(k));
        along.obstacle = Some((switch, "it leaves and reaches the surface again and again within no time".into()));
        Err(self.chattering(switch))
    }

    /// After the first step from a surface that has been left: every surface that the solution does not slide along
    /// has the side on which the solution now is, and where it slides along none, the equations are those of the
    /// formulation again.
    pub(super) fn settle_sides(&mut self) -> Result<(), Failure> {
        let (t, y, yp) = (self.stepper.time(), self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let Some(along) = &mut self.along else { return Ok(()) };
        let Some(piece) = &along.piece else { return Ok(()) };
        if !piece.dae.modes().contains(&Mode::Sliding) {
            along.piece = None;
            return Ok(());
        }
        let sides = along.surfaces.values(t, &y).into_iter().map(Mode::of).zip(piece.dae.modes());
        let modes: Vec<Mode> = sides.map(|(side, &mode)| if mode == Mode::Sliding { mode } else { side }).collect();
        if modes == piece.dae.modes() {
            return Ok(());
        }
        // The equations have been solved in the step that has just been made.
        if let (Ok(piece), Some(along)) = (self.piece(modes, (t, &y, &yp)), &mut self.along) {
            along.piece = Some(piece);
        }
        Ok(())
    }

    /// Leaves all surfaces, where an event has set the state.
    pub(super) fn leave_surfaces(&mut self) {
        let t = self.stepper.time();
        if let Some(along) = &mut self.along {
            along.slides.iter_mut().filter(|slide| slide.end.is_none()).for_each(|slide| slide.end = Some(t));
            along.piece = None;
        }
    }

    /// The surface that the last step, from a state `start` on, should have reached.
    pub(super) fn approach(&self, start: (f64, &[f64], &[f64])) -> Approach {
        match self.along.as_ref().filter(|along| along.piece.is_none() && along.crossed != Some(start.0)) {
            Some(along) => Approach::of(&along.surfaces, self.stepper.as_ref(), start, along.direction),
            None => Approach::None,
        }
    }

    /// Continues along a surface within whose tolerances the run is; if that does not hold the solution after all, the
    /// next step is not expected to reach it.
    pub(super) fn goes_along_from(&mut self, switch: usize) -> Result<(), Failure> {
        if !self.goes_along(switch)? {
            let t = self.stepper.time();
            self.along.iter_mut().for_each(|along| along.crossed = Some(t));
        }
        Ok(())
    }

    /// Has the run leave a surface at the start of the last step, if the weight of that surface is that of no
    /// combination at its end, and the search for sign changes has not found where it ceases to be one: then that is
    /// too close to the start. Returns whether it does.
    pub(super) fn leaves_at(&mut self, start: (f64, &[f64], &[f64])) -> Result<bool, Failure> {
        let Some(piece) = self.along.as_ref().and_then(|along| along.piece.as_ref()) else { return Ok(false) };
        let dae = piece.dae.clone();
        if self.phase == Phase::Regular {
            return Ok(false);
        }
        let left = self.stepper.with_weights().and_then(|all| dae.left(all.state()));
        let Some((surface, side)) = left else { return Ok(false) };
        self.take_over(start.0, [start.1, start.2], Phase::Regular, None)?;
        self.exits(surface, side).map(|()| true)
    }

    /// The time before which the last step, which began at `before`, has to end because the solution ceases to be held
    /// by surfaces, and the switching function of one of them; the run fails there.
    pub(super) fn ceases_to_be_held(&mut self, before: f64) -> Result<Option<(f64, usize)>, Failure> {
        let t = self.stepper.time();
        let (y, yp) = (self.stepper.state().to_vec(), self.stepper.derivative().to_vec());
        let Some(along) = &mut self.along else { return Ok(None) };
        let (Some(piece), direction) = (&along.piece, along.direction) else { return Ok(None) };
        let Some(mut exits) = piece.dae.exits((t, &y, &yp), direction) else { return Ok(None) };
        let mut state = y;
        let [mut held, mut free] = [before, t];
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (held + free);
            self.stepper.interpolate(middle, &mut state);
            match piece.dae.exits((middle, &state, &yp), direction) {
                Some(found) => (free, exits) = (middle, found),
                None => held = middle,
            }
        }
        let failure = Failure::Ambiguous { t: free, exits };
        if (held - before).abs() <= 16.0 * f64::EPSILON * t.abs().max(before.abs()) {
            return Err(failure);
        }
        let switch = piece.dae.slid().next();
        along.end = Some(failure);
        Ok(switch.map(|switch| (held, switch)))
    }

    /// The failure with which the run ends at the time where the last step was to end.
    pub(super) fn end_of_surfaces(&mut self) -> Result<(), Failure> {
        self.along.as_mut().and_then(|along| along.end.take()).map_or(Ok(()), Err)
    }

    /// A stepper for the equations along surfaces, from a state near them; `None` if there are none.
    pub(super) fn begin_along(
        &self,
        phase: Phase,
        start: RunStart<'_>,
        options: &Options,
    ) -> Option<Result<Box<dyn Stepper + 'd>, Failure>> {
        let piece = self.along.as_ref()?.piece.as_ref()?;
        let n = piece.dae.size();
        let [y0, yp0] = match piece.dae.consistent(start.t0, start.y0, start.yp0) {
            Ok(rates) => piece.dae.start(&rates),
            Err(unsuitable) => {
                let switch = piece.dae.slid().next().unwrap_or(0);
                return Some(Err(self.chatters(switch, obstacle_of(&Undecided::Unsuitable(unsuitable)))));
            }
        };
        let options = with_weights(options, y0.len());
        let start = RunStart { y0: &y0, yp0: &yp0, plan: &piece.plan, ..start };
        let begun = self.begin_with(Held::Shared(piece.dae.clone()), phase, start, &options);
        let invariants = self.dae.description().invariants.len();
        let switches = (0..piece.dae.description().switches.len()).map(|k| self.inner_switch(k)).collect();
        let shown = |all| {
            Box::new(WithoutWeights::new(all, piece.dae.clone(), [n, invariants], switches)) as Box<dyn Stepper + 'd>
        };
        Some(begun.map(shown))
    }

    /// Why the solution cannot be followed along a switching function.
    pub(super) fn obstacle(&self, switch: usize) -> Name {
        let Some(along) = &self.along else { return NO_EQUATIONS.into() };
        match &along.obstacle {
            Some((at, obstacle)) if *at == switch => obstacle.clone(),
            Some(_) | None if along.surfaces.surface(switch).is_none() => NOT_OFFERED.into(),
            Some(_) | None => "no motion along the surface is found".into(),
        }
    }
}
