//! Which switching function is the reason.
//!
//! In: a run in pieces. Out: the switching function of the formulation that belongs to one of the equations along
//! surfaces; the one whose zero is nearest; and what each has cost.

use super::PiecewiseRun;
use crate::completions::sliding::Mode;
use crate::solution::SwitchStatistics;

/// Where steps become too short, a switching function may have a zero if the longest step along the tangent, together
/// with changes of the unknowns by this many tolerances, can make it vanish.
const NEARBY: f64 = 10.0;

impl PiecewiseRun<'_> {
    /// What each switching function has cost up to now.
    pub(in crate::solve) fn switches(&self) -> Vec<SwitchStatistics> {
        self.by_switch.with(self.stepper.as_ref())
    }

    /// Takes in the signs of the switching functions at the end of an accepted step. Along surfaces, and until a first
    /// step has led away from one, the run knows where it is better than rounding errors tell.
    pub(in crate::solve) fn note_signs(&mut self) {
        if self.by_switch.is_empty() {
            return;
        }
        let at = (self.stepper.time(), self.stepper.state(), self.stepper.derivative());
        let along = self.along.as_ref().and_then(|along| along.piece.as_ref().map(|piece| (along, piece)));
        let known = along.into_iter().flat_map(|(along, piece)| {
            let side = |mode: &Mode| match mode {
                Mode::Negative => -1.0,
                Mode::Positive => 1.0,
                Mode::Sliding => 0.0,
            };
            piece.dae.modes().iter().enumerate().map(move |(k, mode)| (along.surfaces.switch(k), side(mode)))
        });
        self.by_switch.note_signs(self.dae, at, known);
    }

    /// The switching function of the formulation to which one of the equations of the present piece belongs: the weight
    /// of a surface belongs to that of the surface.
    pub(super) fn inner_switch(&self, of_piece: usize) -> usize {
        let along = self.along.as_ref().and_then(|along| along.piece.as_ref().map(|piece| (along, piece)));
        let exit = along.and_then(|(along, piece)| Some(along.surfaces.switch(piece.dae.exit(of_piece)?.0)));
        exit.unwrap_or(of_piece)
    }

    /// The switching function whose zero is nearest to the present state, and whether it may have one there: no farther
    /// away than the longest step along the tangent and changes of the unknowns by [`NEARBY`] tolerances together lead;
    /// `None` if there are no such functions.
    pub(super) fn nearest_switch(&self) -> Option<(usize, bool)> {
        let (dae, t) = (self.dae, self.stepper.time());
        let count = dae.description().switches.len();
        let function = |t: f64, y: &[f64], yp: &[f64]| {
            let mut values = vec![0.0; count];
            dae.switching_functions(t, y, yp, &mut values);
            values
        };
        if count == 0 {
            return None;
        }
        let (mut y, yp) = (self.stepper.state().to_vec(), self.stepper.derivative());
        let here = function(t, &y, yp);
        let length = self.longest_step * (self.t_end - t).signum();
        let ahead: Vec<f64> = y.iter().zip(yp).map(|(y, yp)| y + length * yp).collect();
        let ahead = function(t + length, &ahead, yp);
        let mut reach: Vec<f64> = ahead.iter().zip(&here).map(|(a, b)| ((b - a) * b.signum()).max(0.0)).collect();
        for (i, weight) in self.stepper.error_weights().iter().enumerate() {
            let old = y[i];
            y[i] += NEARBY / weight;
            let changed = function(t, &y, yp);
            y[i] = old;
            reach.iter_mut().zip(changed.iter().zip(&here)).for_each(|(reach, (a, b))| *reach += (a - b).abs());
        }
        // A function that is NaN here or nearby may have a zero.
        let is_far = |k: usize| here[k].abs() > reach[k];
        let distance = |k: usize| (here[k].abs() / reach[k]).max(0.0);
        let nearest = (0..count).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        Some((nearest, !is_far(nearest)))
    }
}
