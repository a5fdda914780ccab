//! On which side of their zeros the functions of events are.
//!
//! In: a state at an event, or where a mode is entered. Out: for each event whether its condition holds there. Where its
//! function is zero, as far as it is known, the motion decides: a condition that the motion makes true holds, and one that
//! it makes false does not, whatever rounding errors say. Where the motion is not known, the next step decides.

use super::{Events, Rate, SLOPE};
use crate::contract::Dae;
use crate::integrator::stepper::{Options, Stepper};

/// Conditions that become true within this multiple of the resolution of times do so at one time.
const TOGETHER: f64 = 16.0;
/// Where an event has been located, functions are zero that reach zero within this multiple of the resolution of times.
const LOCATED: f64 = 1e3;
/// The times of events are known to this fraction of a step, if not better.
const NEARLY: f64 = 1e-3;
/// Consistent values differ from those that events set by no more than their tolerances, unless they are meant to. Changes
/// of a function by such a difference are noise up to this multiple of its change over a short time.
const INEXACT: f64 = 1e3;
/// A function begins to change linearly if the changes over a time and over half of it fit to this fraction.
const LINEAR: f64 = 0.25;
/// Unknowns that follow from states by equations are taken to be wrong by this multiple of what they are allowed to be.
const AMPLIFIED: f64 = 20.0;
/// Values within a step are known to this fraction of them.
const ROUNDING: f64 = 1e-12;
/// Whether a function contains an entry of the state shows when that is moved by this fraction of its size.
const ASIDE: f64 = 1e-3;

/// The functions of all events at the last state, and how they change from there.
pub(super) struct Motion {
    /// Values, with the signs of the conditions where they are zero.
    values: Vec<f64>,
    /// Changes over a short time; `NaN` for a function of something whose rate of change the formulation does not know: a
    /// derivative, or an unknown without one.
    changes: Vec<f64>,
    /// Whether a function contains nothing that changes but at events.
    are_constant: Vec<bool>,
    length: f64,
}

/// How well a run knows the entries of a state, by position and value.
pub(in crate::solve) fn uncertainty(dae: &dyn Dae, options: &Options) -> impl Fn(usize, f64) -> f64 + use<> {
    let (atol, rtol) = (options.atol.of(&dae.description().unknowns), options.rtol);
    move |entry, value: f64| atol[entry] + rtol * value.abs()
}

impl Motion {
    /// Whether the function of an event contains nothing that changes but at events.
    pub(super) fn is_constant(&self, event: usize) -> bool {
        self.are_constant[event]
    }

    /// The rate of change of the function of an event; `NaN` if it is not known.
    pub(super) fn rate(&self, event: usize) -> f64 {
        self.changes[event] / self.length
    }

    /// The value of the function of an event.
    pub(super) fn value(&self, event: usize) -> f64 {
        self.values[event]
    }
}

/// What is true where a step has ended at an event.
pub(super) struct Arrived {
    /// Events of the model that were waiting to occur, and of which it is only seen here that they do.
    pub(super) happening: Vec<usize>,
    /// Located events whose functions are still negative: these jump here, where the equations do.
    pub(super) jumping: Vec<usize>,
    /// The conditions of events of the model that hold before the events change anything.
    pub(super) hold: Vec<bool>,
    /// Rates of change of all functions on arrival, or in the last step; `NaN` if neither is known.
    rates: Vec<f64>,
    /// How well the time is known.
    accuracy: f64,
}

impl Events<'_, '_> {
    /// The time over which functions change by a small fraction of what they change by in a step.
    pub(super) fn short(&self, step: f64) -> f64 {
        self.direction * (SLOPE * step.abs()).max(LOCATED * self.resolution(self.t))
    }

    /// The functions at the last state, and how they change over a time.
    pub(super) fn motion(&self, length: f64) -> Motion {
        self.motion_at((self.t, &self.y, &self.yp), length)
    }

    /// The functions at a state, and how they change over a time.
    pub(super) fn motion_at(&self, (t, y, yp): (f64, &[f64], &[f64]), length: f64) -> Motion {
        let aside = |value: f64| value + ASIDE * (1.0 + value.abs());
        let values = self.list.signed(t, y, yp);
        let moved = |moves: &dyn Fn(usize) -> bool, t: f64| {
            let moved = |(k, &value): (usize, &f64)| if moves(k) { aside(value) } else { value };
            let moved: Vec<f64> = y.iter().enumerate().map(moved).collect();
            self.list.values(t, &moved, &yp.iter().map(|&slope| aside(slope)).collect::<Vec<f64>>())
        };
        let without_slope = moved(&|k| self.rates[k] == Rate::Unknown, t);
        let all = moved(&|k| self.rates[k] != Rate::Zero, t + length);
        let later: Vec<f64> = y.iter().zip(yp).map(|(y, slope)| y + length * slope).collect();
        let (here, later) = (self.list.values(t, y, yp), self.list.values(t + length, &later, yp));
        let change = |k: usize| if without_slope[k] == here[k] { later[k] - here[k] } else { f64::NAN };
        let changes: Vec<f64> = (0..values.len()).map(change).collect();
        let are_constant = (0..values.len()).map(|k| all[k] == here[k] && later[k] == here[k]).collect();
        Motion { values, changes, are_constant, length }
    }

    /// The side of each function after events have occurred, as the sign of a number; zero where the next step decides.
    /// `set` are the functions with what the events set, before the rest of the state was made consistent with it.
    pub(super) fn sides_after(&self, motion: &Motion, arrived: &Arrived, set: &[f64]) -> Vec<f64> {
        let side = |k: usize| {
            let (value, change) = (motion.values[k], motion.changes[k]);
            let rate = if change.is_nan() { arrived.rates[k] } else { motion.rate(k) };
            let located = arrived.accuracy.max(LOCATED * self.resolution(self.t)) * rate.abs();
            let moved = 4.0 * (set[k] - value).abs();
            let noise = located.max(moved.min(INEXACT * change.abs()));
            if motion.are_constant[k] || value.abs() > noise.max(f64::MIN_POSITIVE) {
                value
            } else if change == 0.0 || change.is_nan() {
                0.0
            } else {
                f64::MIN_POSITIVE.copysign(change)
            }
        };
        (0..motion.values.len()).map(side).collect()
    }

    /// Whether a change of the state, and not the motion to its zero, has made the function of an event positive.
    pub(super) fn is_beyond(&self, motion: &Motion, event: usize) -> bool {
        let change = motion.changes[event];
        motion.values[event] > if change.is_nan() { 0.0 } else { INEXACT * change.abs() }
    }

    /// What is true at the end of a step that began at `before`; of the events that occur there, these are `known`. Those of
    /// the model whose conditions become true there occur as well: their functions have not yet been positive and are
    /// exactly zero, so that the next step would not show that they were negative before; or they will be zero within
    /// rounding errors of the time, as the last step shows.
    pub(super) fn arrived(&self, (stepper, before, step): (&mut dyn Stepper, f64, f64), known: &[usize]) -> Arrived {
        let now = self.list.signed(self.t, &self.y, &self.yp);
        let half = 0.5 * (self.t - before);
        let earlier = (half != 0.0 && !self.is_entry).then(|| {
            let mut y = self.y.clone();
            stepper.interpolate(before + half, &mut y);
            self.list.values(before + half, &y, &self.yp)
        });
        let change = |k: usize| earlier.as_ref().map_or(f64::NAN, |earlier| now[k] - earlier[k]);
        let own = self.list.own.len();
        let motion = self.motion(self.short(step));
        let rate = |k: usize| match motion.rate(k) {
            rate if rate.is_nan() || rate == 0.0 => change(k) / half,
            rate => rate,
        };
        // Located events have happened a little earlier or later, as far as their functions are not zero.
        let is_located = |event: &&usize| !self.is_entry && self.list.is_searched(**event);
        let missed = known.iter().filter(is_located).map(|&event| (now[event] / rate(event)).abs());
        let missed = missed.filter(|missed| missed.is_finite()).fold(0.0, f64::max).min(NEARLY * half.abs());
        let mut arrived = Arrived {
            happening: Vec::new(),
            jumping: Vec::new(),
            hold: Vec::new(),
            rates: (0..now.len()).map(rate).collect(),
            accuracy: (4.0 * missed).max(TOGETHER * self.resolution(self.t)),
        };
        // Functions of states do not jump.
        let within = |event: usize| (arrived.accuracy * arrived.rates[event].abs()).max(0.0);
        let is_before = |&event: &usize| motion.changes[event].is_nan() && -now[event] > within(event);
        arrived.jumping = known.iter().filter(is_located).copied().filter(is_before).collect();
        let Some(declared) = &self.list.declared else { return arrived };
        for event in own..now.len() {
            let change = change(event);
            let within = arrived.accuracy * arrived.rates[event].abs();
            let is_waiting = !self.is_entry && self.sides[event] < 0.0 && declared.is_searched(event - own);
            let is_near = change > 0.0 && -now[event] * half.abs() <= TOGETHER * self.resolution(self.t) * change;
            let occurs = is_waiting && (now[event] > 0.0 || is_near);
            arrived.happening.extend((occurs && !known.contains(&event)).then_some(event));
            arrived.hold.push(if occurs || known.contains(&event) {
                true
            } else if self.is_entry {
                self.sides[event] > 0.0
            } else if now[event].abs() <= within {
                arrived.rates[event] > 0.0 && self.sides[event] > 0.0
            } else {
                now[event] > 0.0
            });
        }
        arrived
    }

    /// The side of its zero that the function of an event is on where its mode is entered. At a zero, as far as the state
    /// is known, the motion in this mode decides. Where the function does not begin to change as far as derivatives in the
    /// state tell, or only with the square of the time, the side is zero, and the next steps show it.
    pub(super) fn side_on_entry(
        &self,
        event: usize,
        [motion, of_half]: [&Motion; 2],
        allowed: &dyn Fn(usize, f64) -> f64,
    ) -> f64 {
        let (value, whole) = (motion.values[event], motion.changes[event]);
        if motion.are_constant[event] {
            return value;
        }
        let uncertainty = self.uncertainty(event, allowed);
        // Times are known to rounding errors, and states as far as they are allowed to be wrong; unknowns that follow from them
        // by equations, of which no rate of change is known, several times as much.
        let of_time = motion.rate(event) * LOCATED * self.resolution(self.t);
        let of_state = if whole.is_nan() { AMPLIFIED * uncertainty } else { uncertainty };
        if value.abs() > of_time.abs().max(of_state).max(f64::MIN_POSITIVE) {
            return value;
        }
        // Over a step the change is clear.
        let is_clear = whole.abs() > SLOPE * uncertainty;
        let is_linear = (whole - 2.0 * of_half.changes[event]).abs() <= LINEAR * whole.abs();
        if is_clear && is_linear { f64::MIN_POSITIVE.copysign(whole) } else { 0.0 }
    }

    /// The value of the function of an event that uncertainties of the state explain.
    pub(super) fn uncertainty(&self, event: usize, allowed: &dyn Fn(usize, f64) -> f64) -> f64 {
        let here = self.list.value(event, self.t, &self.y, &self.yp);
        let mut y = self.y.clone();
        let mut sum = 0.0;
        for (i, &value) in self.y.iter().enumerate() {
            y[i] = value + allowed(i, value);
            let change = self.list.value(event, self.t, &y, &self.yp) - here;
            sum += if change.is_finite() { change.abs() } else { 0.0 };
            y[i] = value;
        }
        sum
    }

    /// What the function of an event changes by between neighbouring times in a step without a motion: by rounding errors,
    /// and by errors of unknowns that follow from states by equations, which are solved at each time. Errors are tested with
    /// these weights.
    pub(super) fn noise(&self, event: usize, (t, y, yp): (f64, &[f64], &[f64]), error_weights: &[f64]) -> f64 {
        let here = self.list.value(event, t, y, yp);
        let mut moved = y.to_vec();
        let mut sum = 0.0;
        for (i, &value) in y.iter().enumerate() {
            moved[i] = value + if self.rates[i] == Rate::Unknown { 1.0 / error_weights[i] } else { ROUNDING * value };
            let change = self.list.value(event, t, &moved, yp) - here;
            sum += if change.is_finite() { change.abs() } else { 0.0 };
            moved[i] = value;
        }
        sum
    }
}
