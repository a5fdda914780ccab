//! Where events happen.
//!
//! In: events, and a stepper after each step. Out: whether the step passes a zero that counts, and at what time.

use crate::contract::{Dae, Name};
use crate::event::{Action, Event};
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::solution::{Solution, evaluate};
use crate::stepper::{Failure, Options, Stepper};

/// Where signs are compared within a step, in units of the step from its end.
const BETWEEN: [f64; 3] = [-0.75, -0.5, -0.25];
/// Zeros of a step that are this close, as a part of it, are one event.
const TOGETHER: f64 = 1e-10;
/// A step that is made again to end at a zero is changed by no more than this part of its length.
const LARGEST_CHANGE: f64 = 1e-2;
/// Resets so many times within such a part of the run are no progress.
const RESETS: usize = 30;
const SHORT: f64 = 1e-7;
/// States may be off their hidden constraints by so many times the tolerance to which Radau IIA tests errors, of index $k$ by $h^{1-k}$ times as much,
/// for steps $h$ of at least this length.
const INEXACT: f64 = 10.0;
const SHORTEST: f64 = 1e-4;
/// The slope of a function after a reset is measured over this part of the step before.
const SLOPE: f64 = 1e-6;

/// What is asked of a state $t, y, y'$.
type AtState<'a> = &'a mut dyn FnMut(f64, &[f64], &[f64]);

/// What a step means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Passage {
    /// It is recorded.
    Free,
    /// It is made again from the last state, to end at this time.
    Again(f64),
    /// It ends where an event happens that is more than noted.
    Reached,
}

/// What the run does after an event.
pub(super) enum Consequence {
    /// It ends, at the event of this name.
    End(Name),
    /// It goes on from these values.
    Restart { y: Vec<f64>, yp: Vec<f64> },
}

/// The events of a run.
pub(super) struct Events<'c> {
    events: Vec<Event<'c>>,
    /// The last state.
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// The functions there.
    values: Vec<f64>,
    /// The time at which the step is to end, and which events happen there.
    target: Option<Target>,
    /// When the last resets were, the last one last.
    resets: Vec<f64>,
    /// Of the time.
    resolution: f64,
    span: f64,
    direction: f64,
}

struct Target {
    t: f64,
    events: Vec<usize>,
    /// The time before that was tried, and the function of the first event there.
    other: Option<(f64, f64)>,
}

impl<'c> Events<'c> {
    pub(super) fn new(events: Vec<Event<'c>>, stepper: &dyn Stepper, t_end: f64) -> Self {
        let t = stepper.time();
        let largest = t.abs().max(t_end.abs());
        let mut all = Events {
            values: vec![0.0; events.len()],
            events,
            t,
            y: stepper.state().to_vec(),
            yp: stepper.derivative().to_vec(),
            target: None,
            resets: Vec::new(),
            resolution: 4.0 * f64::EPSILON * largest,
            span: (t_end - t).abs(),
            direction: if t_end < t { -1.0 } else { 1.0 },
        };
        all.evaluate();
        all
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn evaluate(&mut self) {
        for (value, event) in self.values.iter_mut().zip(&self.events) {
            *value = (event.function)(self.t, &self.y, &self.yp);
        }
    }

    /// The state before the last step.
    pub(super) fn last(&self) -> (f64, &[f64], &[f64]) {
        (self.t, &self.y, &self.yp)
    }

    /// What the last step means. Events that are only noted are entered into the solution.
    pub(super) fn judge(&mut self, stepper: &mut dyn Stepper, solution: &mut Solution) -> Passage {
        if self.is_empty() {
            return Passage::Free;
        }
        if let Some(target) = self.target.take_if(|target| target.t == stepper.time()) {
            return self.land(target, stepper);
        }
        let mut zeros = self.zeros(stepper);
        if self.target.is_some() {
            // A part of a step that is made again: what is only noted has been.
            zeros.retain(|zero| !self.is_noted(zero.event));
        }
        zeros.sort_by(|a, b| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        let first = zeros.iter().find(|zero| !self.is_noted(zero.event)).map(|zero| zero.t);
        let before_first = |t: f64| first.is_none_or(|first| (t - self.t).abs() < (first - self.t).abs());
        for zero in zeros.iter().filter(|zero| self.is_noted(zero.event) && before_first(zero.t)) {
            let mut state = vec![0.0; self.y.len()];
            stepper.interpolate(zero.t, &mut state);
            solution.note_event(&self.events[zero.event].name, zero.t, &state);
        }
        let Some(t) = first else { return Passage::Free };
        let width = TOGETHER * (stepper.time() - self.t).abs() + self.resolution;
        let together = |zero: &&Zero| (zero.t - t).abs() <= width && !before_first(zero.t);
        let mut events: Vec<usize> = zeros.iter().filter(together).map(|zero| zero.event).collect();
        // The time is that of one that is more than noted.
        events.sort_by_key(|&event| self.is_noted(event));
        // What is as good as at the start of the step has happened there.
        let t = if (t - self.t).abs() <= 4.0 * self.resolution { self.t } else { t };
        self.target = Some(Target { t, events, other: None });
        Passage::Again(t)
    }

    fn is_noted(&self, event: usize) -> bool {
        matches!(self.events[event].action, Action::Note)
    }

    /// A step ends where an event was expected: whether that is as near as can be.
    fn land(&mut self, target: Target, stepper: &dyn Stepper) -> Passage {
        let (t, event) = (target.t, target.events[0]);
        let (y, yp) = (stepper.state(), stepper.derivative());
        let value = (self.events[event].function)(t, y, yp);
        let slope = match target.other {
            None => self.slope(event, (t, y, yp), SLOPE * (t - self.t)),
            Some((other, value_there)) => (value - value_there) / (t - other),
        };
        let change = value / slope;
        // The dense output was wrong by little, and every attempt is nearer.
        let most = target.other.map_or(LARGEST_CHANGE * (t - self.t).abs(), |(other, _)| 0.5 * (t - other).abs());
        if change.abs() > self.resolution && change.abs() <= most {
            self.target = Some(Target { t: t - change, other: Some((t, value)), ..target });
            return Passage::Again(t - change);
        }
        self.target = Some(target);
        Passage::Reached
    }

    /// How fast the function of an event changes along the solution, over a time `length`.
    fn slope(&self, event: usize, (t, y, yp): (f64, &[f64], &[f64]), length: f64) -> f64 {
        let function = &self.events[event].function;
        let ahead: Vec<f64> = y.iter().zip(yp).map(|(y, slope)| y + length * slope).collect();
        (function(t + length, &ahead, yp) - function(t, y, yp)) / length
    }

    /// Zeros in the last step that count, the first of each event.
    fn zeros(&self, stepper: &mut dyn Stepper) -> Vec<Zero> {
        let (n, now) = (self.y.len(), stepper.time());
        let length = now - self.t;
        let mut coefficients = vec![0.0; (stepper.dense_degree() + 1) * n];
        stepper.dense_coefficients(&mut coefficients);
        let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
        let (end, end_slope) = (stepper.state().to_vec(), stepper.derivative().to_vec());
        let mut between = |t: f64, function: AtState<'_>| {
            evaluate(&coefficients, (t - now) / length, length, &mut y, &mut yp);
            stepper.interpolate(t, &mut y);
            function(t, &y, &yp);
        };
        // By times, then by events.
        let mut samples: Vec<(f64, Vec<f64>)> = vec![(self.t, self.values.clone())];
        let mut sample = |t: f64, y: &[f64], yp: &[f64]| {
            samples.push((t, self.events.iter().map(|event| (event.function)(t, y, yp)).collect()));
        };
        for s in BETWEEN {
            between(now + s * length, &mut sample);
        }
        sample(now, &end, &end_slope);
        let mut found = Vec::new();
        for (event, Event { function, direction, .. }) in self.events.iter().enumerate() {
            let mut at = |t: f64| {
                let mut value = f64::NAN;
                between(t, &mut |t, y, yp| value = function(t, y, yp));
                value
            };
            let signed =
                samples.iter().map(|(t, values)| (*t, values[event])).filter(|&(_, v)| v != 0.0 && !v.is_nan());
            let signed: Vec<(f64, f64)> = signed.collect();
            if let Some(pair) = signed.windows(2).find(|pair| direction.admits(pair[0].1, pair[1].1)) {
                found.push(Zero { event, t: bracketed(pair[0], pair[1], self.resolution, &mut at) });
            }
        }
        found
    }

    /// Takes in a step that is recorded.
    pub(super) fn advance(&mut self, stepper: &dyn Stepper) {
        if self.is_empty() {
            return;
        }
        let before: Vec<f64> = self.values.clone();
        self.t = stepper.time();
        self.y.copy_from_slice(stepper.state());
        self.yp.copy_from_slice(stepper.derivative());
        self.evaluate();
        // Exactly zero is on the side that it comes from.
        for (value, before) in self.values.iter_mut().zip(before) {
            if *value == 0.0 && before != 0.0 {
                *value = f64::MIN_POSITIVE.copysign(before);
            }
        }
    }

    /// Enters what happens where the last step ends into the solution, and applies its resets.
    pub(super) fn happen(
        &mut self,
        dae: &dyn Dae,
        step: f64,
        options: &Options,
        initialization: &InitializationOptions,
        solution: &mut Solution,
    ) -> Result<Consequence, Failure> {
        let happening = self.target.take().map_or_else(Vec::new, |target| target.events);
        for &event in &happening {
            solution.note_event(&self.events[event].name, self.t, &self.y);
        }
        if let Some(&event) = happening.iter().find(|&&event| matches!(self.events[event].action, Action::End)) {
            return Ok(Consequence::End(self.events[event].name.clone()));
        }
        let (before, t) = (self.y.clone(), self.t);
        let (mut y, mut yp) = (self.y.clone(), self.yp.clone());
        for &event in &happening {
            if let Action::Reset(change) = &mut self.events[event].action {
                change(t, &mut y);
            }
        }
        self.note_reset(happening.first().copied(), step)?;
        let atol = options.atol.of(&dae.description().unknowns);
        let changed: Vec<bool> = y.iter().zip(&before).map(|(y, before)| y != before).collect();
        let sizes = y.clone();
        // As exact as formulations keep what they do not enforce, of which more is known the lower the index is.
        let per_index = step.abs().clamp(SHORTEST, 1.0);
        let unknowns = &dae.description().unknowns;
        let allowed = |i: usize| {
            let size = sizes[i].abs().max(unknowns[i].nominal);
            let relative = (atol[i] + options.rtol * sizes[i].abs()) / size;
            INEXACT * size * relative.powf(2.0 / 3.0) / per_index.powi(i32::from(unknowns[i].index) - 1)
        };
        let restarted = consistent_restart(dae, t, &mut y, &mut yp, |i| changed[i], allowed, initialization);
        restarted.map_err(|error| {
            let event = happening.first().map_or_else(|| "-".into(), |&event| self.events[event].name.clone());
            Failure::InconsistentReset { t, event, error: Box::new(error) }
        })?;
        self.y.copy_from_slice(&y);
        self.yp.copy_from_slice(&yp);
        let before: Vec<f64> = self.values.clone();
        self.evaluate();
        for event in happening {
            self.values[event] = self.side_after(event, before[event], (SLOPE * step.abs()).max(1e3 * self.resolution));
        }
        Ok(Consequence::Restart { y, yp })
    }

    /// On which side of its zero the function of an event is that has just happened: where it is going to.
    fn side_after(&self, event: usize, before: f64, length: f64) -> f64 {
        let value = self.values[event];
        let length = self.direction * length;
        let change = length * self.slope(event, (self.t, &self.y, &self.yp), length);
        // A reset may have moved it off zero.
        if value.abs() > 1e3 * before.abs().max(change.abs()) || change == 0.0 || change.is_nan() {
            return value;
        }
        f64::MIN_POSITIVE.copysign(change)
    }

    /// An error if resets follow one another without progress, the last one after a step of length `step`.
    fn note_reset(&mut self, event: Option<usize>, step: f64) -> Result<(), Failure> {
        let Some(event) = event else { return Ok(()) };
        let at_once = step == 0.0 && self.resets.last() == Some(&self.t);
        self.resets.push(self.t);
        let few = self.resets.len() <= RESETS;
        let first = if few { f64::INFINITY } else { self.resets.remove(0) };
        if at_once || (self.t - first).abs() <= SHORT * self.span {
            return Err(Failure::EventsAccumulate { t: self.t, event: self.events[event].name.clone() });
        }
        Ok(())
    }
}

/// A zero of the function of an event.
struct Zero {
    event: usize,
    t: f64,
}

/// The zero between two times at which a function has different signs, to the resolution of the time: regula falsi by the Illinois rule, and
/// bisection where that is slower.
fn bracketed(mut a: (f64, f64), mut b: (f64, f64), resolution: f64, function: &mut impl FnMut(f64) -> f64) -> f64 {
    // Values, of which the one at an end that stays is halved.
    let mut weights = [a.1, b.1];
    let mut last = 0;
    // Widths of the two brackets before.
    let mut widths = [f64::INFINITY; 2];
    loop {
        let width = (b.0 - a.0).abs();
        if width <= resolution {
            break;
        }
        let secant = b.0 - weights[1] * (b.0 - a.0) / (weights[1] - weights[0]);
        let inside = (secant - a.0) * (secant - b.0) < 0.0;
        let t = if inside && width <= 0.5 * widths[0] { secant } else { 0.5 * (a.0 + b.0) };
        widths = [widths[1], width];
        if t == a.0 || t == b.0 {
            break;
        }
        let value = function(t);
        if value == 0.0 || value.is_nan() {
            return t;
        }
        let end = usize::from(value * b.1 > 0.0);
        *(if end == 1 { &mut b } else { &mut a }) = (t, value);
        weights[end] = value;
        if last == end + 1 {
            weights[1 - end] *= 0.5;
        }
        last = end + 1;
    }
    if a.1.abs() < b.1.abs() { a.0 } else { b.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_to_rounding() {
        type Case = (fn(f64) -> f64, f64);
        let functions: [Case; 5] = [
            (|t| t - 0.3, 0.3),
            (|t| (t - 0.7).powi(3), 0.7),
            (|t| (20.0 * (t - 0.2)).tanh(), 0.2),
            (|t| if t < 0.4 { -1e-9 } else { 1e9 }, 0.4),
            (|t| t.exp() - 1.5, 1.5_f64.ln()),
        ];
        for (function, zero) in functions {
            let mut calls = 0;
            let mut counted = |t: f64| {
                calls += 1;
                function(t)
            };
            let t = bracketed((0.0, function(0.0)), (1.0, function(1.0)), 1e-15, &mut counted);
            assert!((t - zero).abs() < 1e-14 || function(t).abs() < 1e-40, "{t} for {zero}");
            assert!(calls < 130, "{calls} calls for {zero}");
        }
    }
}
