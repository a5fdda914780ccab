//! Surfaces that a step should have reached.
//!
//! In: a step whose ends are on one side of a surface, and the surfaces along which solutions can slide. Out: whether
//! the surface is at the start of the step, or before which time it is.
//!
//! Where the equations of both sides lead back to a surface, the stages of a step from near it may lie on both sides,
//! and its end on the side of its start: as if the solution slid, but in an arbitrary combination of both sides, and
//! not on the surface. The derivative at the start of the step tells that the surface is reached within it.

use crate::completions::sliding::{Mode, Surfaces};
use crate::integrator::stepper::Stepper;

/// The next attempt at a step ends before the predicted place of the surface by this fraction of the distance.
const MARGIN: f64 = 0.1;

/// A surface ahead of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Approach {
    /// None, or the search for sign changes finds it.
    None,
    /// The step has to end at this time, before the surface of this switching function.
    Until(f64, usize),
    /// The start of the step is within its tolerances of the surface of this switching function.
    At(usize),
}

impl Approach {
    /// Of the last step of a stepper that is on a side of all surfaces, from a state `start` on; `direction` is the
    /// sign of the direction of the run.
    pub(super) fn of(
        surfaces: &Surfaces<'_>,
        stepper: &dyn Stepper,
        start: (f64, &[f64], &[f64]),
        direction: f64,
    ) -> Approach {
        let (t, y, yp) = start;
        let h = stepper.time() - t;
        let values = surfaces.values(t, y);
        let after = surfaces.values(stepper.time(), stepper.state());
        let pattern = &surfaces.blended.blended_description().surfaces_jacobian;
        let (mut gradients, mut rates) = (vec![0.0; pattern.len()], vec![0.0; values.len()]);
        surfaces.blended.surfaces_jacobian(t, y, &mut gradients);
        surfaces.blended.surfaces_jacobian_t(t, y, &mut rates);
        pattern.add_product(&gradients, yp, 1.0, &mut rates);
        let ahead = (0..values.len()).filter_map(|k| {
            let reached = -values[k] / rates[k];
            // A step that ends at the surface, about where the derivative at its start tells, has been on its side.
            let is_at_end = stepper.at_switch() == Some(surfaces.switch(k));
            let least = if is_at_end { 1.0 - MARGIN } else { 1.0 };
            let is_within = reached * direction > 0.0 && reached.abs() < least * h.abs();
            (is_within && values[k] * after[k] > 0.0).then_some((k, reached))
        });
        let Some((surface, reached)) = ahead.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) else {
            return Approach::None;
        };
        let there: Vec<f64> = y.iter().zip(yp).map(|(y, yp)| y + reached * yp).collect();
        let mut modes: Vec<Mode> = values.iter().map(|&value| Mode::of(value)).collect();
        modes[surface] = Mode::Sliding;
        let near = surfaces.near((t + reached, &there), stepper.error_weights());
        let at = surfaces.with_linked((t + reached, &there), &modes, &[surface], &near);
        let holds = surfaces.choose((t + reached, &there, yp), &modes, &at, direction);
        if !holds.is_ok_and(|modes| modes[surface] == Mode::Sliding) {
            return Approach::None;
        }
        let weights = stepper.error_weights();
        let allowed: f64 = pattern.row(surface).map(|(i, place)| gradients[place].abs() / weights[i]).sum();
        let target = t + (1.0 - MARGIN) * reached;
        let is_resolved = (target - t).abs() > 16.0 * f64::EPSILON * t.abs();
        match values[surface].abs() > allowed && is_resolved {
            true => Approach::Until(target, surfaces.switch(surface)),
            false => Approach::At(surfaces.switch(surface)),
        }
    }
}
