//! Detection of events, and continuation of the run after them.
//!
//! In: events, and a stepper after each step. Out: whether the step passes a zero that counts and has to be repeated to
//! end there; then whether the run ends, or the consistent values from which it continues.

use std::collections::VecDeque;

use super::restarts::PiecewiseRun;
use crate::contract::{Dae, Name};
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::integrator::polynomial::evaluate;
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::sensitivity::{Carried, InStep, Variation};
use crate::solution::Solution;
use crate::solution::event::{Action, Event};

/// Times within a step at which signs are compared, in units of the step from its end.
const BETWEEN: [f64; 3] = [-0.75, -0.5, -0.25];
/// Zeros in a step that are no farther apart than this fraction of it count as simultaneous.
const TOGETHER: f64 = 1e-10;
/// A zero found on the dense output is corrected by no more than this fraction of the step.
const LARGEST_CHANGE: f64 = 1e-2;
/// Largest number of separate steps to the zero of an event that is only recorded.
const REFINEMENTS: usize = 6;
/// More than this many resets within this fraction of the elapsed time are no progress.
const RESETS: usize = 30;
const SHORT: f64 = 1e-7;
/// Before a restart, unknowns may miss hidden constraints by this multiple of $\tau^{2/3}$ times their size, where
/// $\tau$ is their relative tolerance (Radau IIA tests errors to a tenth of $\tau^{2/3}$); those of index $k$ by
/// $h^{1-k}$ times as much for steps of length $h$; but none by more than the second constant times its size.
const INEXACT: f64 = 10.0;
const LARGEST_MOVE: f64 = 1e-2;
/// The rate of change of a function is measured over this fraction of a step.
const SLOPE: f64 = 1e-6;

/// A function of a state $t, y, y'$.
type AtState<'a> = &'a mut dyn FnMut(f64, &[f64], &[f64]);

/// What to do with a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EventOutcome {
    /// Record it.
    Free,
    /// Repeat it from the last state, to end at this time; if that is the time of the last state, events occur there.
    Again(f64),
    /// Record it; events occur where it ends.
    Reached,
}

/// What the run does after an event.
pub(super) enum Consequence {
    /// It ends, at the event of this name.
    End(Name),
    /// It continues from these values.
    Restart { y: Vec<f64>, yp: Vec<f64> },
}

/// The events of a run.
pub(super) struct Events<'c> {
    events: Vec<Event<'c>>,
    /// Start time of the run, and its direction.
    t0: f64,
    direction: f64,
    /// The last state.
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// The side of zero on which each function is at the last state, as the sign of a number: the last nonzero value of
    /// the function, or zero where the side is not known.
    sides: Vec<f64>,
    /// Sides of the functions at the end of the last step.
    sides_ahead: Vec<f64>,
    /// Where the step to be repeated is to end, and what happens there.
    target: Option<Target>,
    /// Events in the last step that are only recorded: which event, and its place among the occurrences of the
    /// solution.
    noted: VecDeque<(usize, usize)>,
    /// Time at which each event last occurred.
    happened: Vec<f64>,
    /// Times of the most recent resets, in order.
    resets: Vec<f64>,
}

struct Target {
    t: f64,
    /// The events that occur there; the time is refined for the first of them.
    events: Vec<usize>,
    /// The end of the step in which the zero was found, and its length.
    latest: f64,
    length: f64,
    /// The time tried before, and the value of the first event's function there.
    other: Option<(f64, f64)>,
}

impl Target {
    fn add(&mut self, events: impl Iterator<Item = usize>) {
        for event in events {
            if !self.events.contains(&event) {
                self.events.push(event);
            }
        }
    }
}

/// A zero of the function of an event.
#[derive(Clone, Copy)]
struct Zero {
    event: usize,
    t: f64,
}

impl<'c> Events<'c> {
    pub(super) fn new(events: Vec<Event<'c>>, (t, y, yp): (f64, &[f64], &[f64]), t_end: f64) -> Self {
        let sides: Vec<f64> = events.iter().map(|event| (event.function)(t, y, yp)).collect();
        Events {
            t0: t,
            direction: if t_end < t { -1.0 } else { 1.0 },
            t,
            y: y.to_vec(),
            yp: yp.to_vec(),
            sides_ahead: sides.clone(),
            sides,
            target: None,
            noted: VecDeque::new(),
            happened: vec![f64::NAN; events.len()],
            resets: Vec::new(),
            events,
        }
    }

    /// The state before the last step.
    pub(super) fn last(&self) -> (f64, &[f64], &[f64]) {
        (self.t, &self.y, &self.yp)
    }

    /// Resolution of times between that of the last state and another.
    fn resolution(&self, t: f64) -> f64 {
        (4.0 * f64::EPSILON * self.t.abs().max(t.abs())).max(f64::MIN_POSITIVE)
    }

    fn is_noted(&self, event: usize) -> bool {
        matches!(self.events[event].action, Action::Note)
    }

    /// Decides what to do with the last step. Events that are only recorded are entered into the solution with a step that is recorded.
    pub(super) fn check(&mut self, run: &mut PiecewiseRun<'_>, solution: &mut Solution) -> EventOutcome {
        if self.events.is_empty() {
            return EventOutcome::Free;
        }
        let stepper = run.stepper.as_mut();
        self.noted.clear();
        let now = stepper.time();
        let landed = self.target.take_if(|target| target.t == now);
        // Another stepper may have passed the target.
        self.target.take_if(|target| (target.t - now) * self.direction < 0.0);
        if let Some(target) = &landed
            && let Some((better, value)) = self.better(target, [stepper.state(), stepper.derivative()])
        {
            let (other, events) = (Some((target.t, value)), target.events.clone());
            self.target = Some(Target { t: better, events, other, ..*target });
            return EventOutcome::Again(better);
        }
        let mut zeros = self.zeros(stepper);
        zeros.sort_by(|a, b| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        if landed.is_none()
            && let Some(first) = zeros.iter().copied().find(|zero| !self.is_noted(zero.event))
        {
            return EventOutcome::Again(self.aim(first, &zeros, stepper.time()));
        }
        let happening = landed.as_ref().map_or(&[][..], |target| &target.events);
        let noted = |zero: &&Zero| self.is_noted(zero.event) && !happening.contains(&zero.event);
        let noted: Vec<Zero> = zeros.iter().filter(noted).copied().collect();
        let mut noted: Vec<(Zero, Vec<f64>)> = noted.into_iter().map(|zero| self.refined(zero, run)).collect();
        noted.sort_by(|(a, _), (b, _)| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        for (zero, state) in noted {
            self.noted.push_back((zero.event, solution.occurrences.len()));
            solution.note_event(&self.events[zero.event].name, zero.t, &state);
        }
        let Some(mut target) = landed else { return EventOutcome::Free };
        // Other functions that have changed sign meanwhile are assigned to this time as well.
        target.add(zeros.iter().map(|zero| zero.event).filter(|&event| !self.is_noted(event)));
        self.target = Some(target);
        EventOutcome::Reached
    }

    /// Has the step repeated to end at the first zero of an event that is not only recorded; returns its time.
    fn aim(&mut self, first: Zero, zeros: &[Zero], end: f64) -> f64 {
        let length = end - self.t;
        let resolution = self.resolution(end);
        let width = TOGETHER * length.abs() + resolution;
        let together = zeros.iter().filter(|zero| (zero.t - first.t).abs() <= width).map(|zero| zero.event);
        // A zero indistinguishable from the start of the step is placed there.
        let t = if (first.t - self.t).abs() <= 4.0 * resolution { self.t } else { first.t };
        let mut target = Target { t, events: vec![first.event], latest: end, length, other: None };
        target.add(together);
        self.target = Some(target);
        t
    }

    /// Refines a zero found on the dense output until it is as accurate as if a step ended there, by separate steps
    /// from the last state; returns it and the state there.
    fn refined(&self, zero: Zero, run: &mut PiecewiseRun<'_>) -> (Zero, Vec<f64>) {
        let (event, end) = (zero.event, run.stepper.time());
        let mut found = None;
        let (mut t, mut other) = (zero.t, None);
        for _ in 0..REFINEMENTS {
            if (t - self.t).abs() <= 4.0 * self.resolution(end) {
                break;
            }
            let Some([y, yp]) = run.state_at(self.last(), t) else { break };
            let target = Target { t, events: vec![event], latest: end, length: end - self.t, other };
            let better = self.better(&target, [&y, &yp]);
            found = Some((Zero { event, t }, y));
            let Some((better, value)) = better else { break };
            (t, other) = (better, Some((t, value)));
        }
        found.unwrap_or_else(|| {
            let mut state = vec![0.0; self.y.len()];
            run.stepper.interpolate(zero.t, &mut state);
            (zero, state)
        })
    }

    /// A time nearer to the zero than that of the target, at which a step has ended with this state, and the value of
    /// the function at the target; `None` if the target is near enough or no such time is found.
    fn better(&self, target: &Target, [y, yp]: [&[f64]; 2]) -> Option<(f64, f64)> {
        let (t, event) = (target.t, target.events[0]);
        let value = (self.events[event].function)(t, y, yp);
        let slope = match target.other {
            None => self.slope(event, (t, y, yp), SLOPE * (t - self.t)),
            Some((other, value_there)) => (value - value_there) / (t - other),
        };
        let change = value / slope;
        // Each correction must be at most half as large as the last change of the time.
        let most = target.other.map_or(LARGEST_CHANGE * target.length.abs(), |(other, _)| 0.5 * (t - other).abs());
        let is_change = change.abs() > self.resolution(t) && change.abs() <= most;
        let better = if (t - change - target.latest) * self.direction > 0.0 { target.latest } else { t - change };
        let is_ahead = (better - self.t) * self.direction > self.resolution(t);
        (is_change && is_ahead && better != t).then_some((better, value))
    }

    /// Rate of change of the function of an event along the solution, over a time `length`.
    fn slope(&self, event: usize, (t, y, yp): (f64, &[f64], &[f64]), length: f64) -> f64 {
        let function = &self.events[event].function;
        let ahead: Vec<f64> = y.iter().zip(yp).map(|(y, slope)| y + length * slope).collect();
        (function(t + length, &ahead, yp) - function(t, y, yp)) / length
    }

    /// Zeros in the last step that count.
    fn zeros(&mut self, stepper: &mut dyn Stepper) -> Vec<Zero> {
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
        // By time, then by event.
        let mut samples: Vec<(f64, Vec<f64>)> = vec![(self.t, self.sides.clone())];
        let mut sample = |t: f64, y: &[f64], yp: &[f64]| {
            samples.push((t, self.events.iter().map(|event| (event.function)(t, y, yp)).collect()));
        };
        for s in BETWEEN {
            between(now + s * length, &mut sample);
        }
        sample(now, &end, &end_slope);
        let resolution = self.resolution(now);
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
            for pair in signed.windows(2).filter(|pair| direction.admits(pair[0].1, pair[1].1)) {
                found.push(Zero { event, t: bracketed(pair[0], pair[1], resolution, &mut at) });
            }
            // A function that is exactly zero is on the side from which it came.
            self.sides_ahead[event] = signed.last().map_or(0.0, |&(_, value)| value);
        }
        found
    }

    /// Advances sensitivities to a time within the last step, and records the derivatives of the times of events on the way.
    pub(super) fn carry(
        &mut self,
        variation: &mut Variation<'_>,
        stepper: &mut dyn Stepper,
        before: f64,
        until: f64,
        solution: &mut Solution,
    ) -> Result<(), Failure> {
        while let Some((event, place)) = self.noted.pop_front() {
            let t = solution.occurrences[place].t;
            if (until - t) * self.direction < 0.0 {
                self.noted.push_front((event, place));
                break;
            }
            variation.advance(stepper, before, t)?;
            let length = stepper.time() - before;
            let moment = InStep::at(stepper, before, t, length);
            let by_time = variation.of_time(moment.as_moment(), &self.events[event].function, &|_| 0.0);
            if !variation.has_tape() {
                solution.occurrences[place].time_derivatives = variation.unscaled(&by_time).collect();
            }
        }
        variation.advance(stepper, before, until)
    }

    /// Takes in a step that is recorded.
    pub(super) fn advance(&mut self, stepper: &dyn Stepper) {
        self.t = stepper.time();
        self.y.copy_from_slice(stepper.state());
        self.yp.copy_from_slice(stepper.derivative());
        std::mem::swap(&mut self.sides, &mut self.sides_ahead);
    }

    /// Continues at a time that differs from that of the last state by rounding errors.
    pub(super) fn begin_at(&mut self, t: f64) {
        self.t = t;
    }

    fn note(&self, event: usize, solution: &mut Solution) {
        solution.note_event(&self.events[event].name, self.t, &self.y);
    }

    /// Records events with the derivatives of their times; unless one of them ends the run, returns the derivatives of
    /// the state on arrival, to which those of the resets are applied.
    fn note_with_derivatives(
        &self,
        happening: &[usize],
        variation: &mut Variation<'_>,
        moment: &InStep,
        solution: &mut Solution,
    ) -> Result<Option<Carried>, Failure> {
        let is_reset = !happening.iter().any(|&event| matches!(self.events[event].action, Action::End));
        if is_reset {
            variation.begin_jump();
        }
        let mut carried: Option<Carried> = None;
        for &event in happening {
            self.note(event, solution);
            let by_time = variation.of_time(moment.as_moment(), &self.events[event].function, &|_| 0.0);
            if let (Some(last), false) = (solution.occurrences.last_mut(), variation.has_tape()) {
                last.time_derivatives = variation.unscaled(&by_time).collect();
            }
            if is_reset {
                variation.check_event(self.t, &by_time)?;
                match &carried {
                    Some(carried) => variation.agree(self.t, carried.by_time(), &by_time)?,
                    None => carried = Some(variation.arriving(moment.as_moment(), by_time)),
                }
            }
        }
        Ok(carried)
    }

    /// Enters the events at the last state into the solution, and applies their resets, to sensitivities too. The last
    /// step began at `before`, and steps are about `step` long.
    pub(super) fn happen(
        &mut self,
        dae: &dyn Dae,
        (stepper, before, step): (&mut (dyn Stepper + '_), f64, f64),
        mut variation: Option<&mut Variation<'_>>,
        options: &Options,
        initialization: &InitializationOptions,
        solution: &mut Solution,
    ) -> Result<Consequence, Failure> {
        let mut happening = self.target.take().map_or_else(Vec::new, |target| target.events);
        happening.sort_unstable();
        let end = happening.iter().find(|&&event| matches!(self.events[event].action, Action::End));
        let moment = variation.is_some().then(|| InStep::at(stepper, before, self.t, step));
        let mut carried = match (&mut variation, &moment) {
            (Some(variation), Some(moment)) => self.note_with_derivatives(&happening, variation, moment, solution)?,
            _ => {
                happening.iter().for_each(|&event| self.note(event, solution));
                None
            }
        };
        if let Some(&event) = end {
            return Ok(Consequence::End(self.events[event].name.clone()));
        }
        let t = self.t;
        let (mut y, mut yp) = (self.y.clone(), self.yp.clone());
        let mut last_reset = Name::Borrowed("-");
        for &event in &happening {
            if let Action::Reset(change) = &self.events[event].action {
                if let Some(carried) = &mut carried {
                    carried.change(dae, t, &y, change);
                }
                change(t, &mut y);
                last_reset = self.events[event].name.clone();
            }
        }
        self.note_reset(&happening, &last_reset)?;
        let atol = options.atol.of(&dae.description().unknowns);
        let changed: Vec<bool> = y.iter().zip(&self.y).map(|(y, before)| y != before).collect();
        let sizes = y.clone();
        let unknowns = &dae.description().unknowns;
        let allowed = |i: usize| {
            let size = sizes[i].abs().max(unknowns[i].nominal);
            let relative = (atol[i] + options.rtol * sizes[i].abs()) / size;
            let per_index = step.abs().min(1.0).powi(i32::from(unknowns[i].index) - 1);
            (INEXACT * relative.powf(2.0 / 3.0) / per_index).min(LARGEST_MOVE) * size
        };
        let inconsistent = |error| Failure::InconsistentReset { t, event: last_reset.clone(), error: Box::new(error) };
        let jets = consistent_restart(dae, t, &mut y, &mut yp, |i| changed[i], allowed, initialization)
            .map_err(inconsistent)?;
        if let (Some(variation), Some(carried)) = (variation, &carried) {
            variation.restart(t, [&y, &yp, &jets], &|i| changed[i], carried).map_err(inconsistent)?;
            variation.check(t)?;
        }
        self.y.copy_from_slice(&y);
        self.yp.copy_from_slice(&yp);
        let before: Vec<f64> = self.sides.clone();
        for (side, event) in self.sides.iter_mut().zip(&self.events) {
            *side = (event.function)(t, &y, &yp);
        }
        for event in happening {
            self.sides[event] = self.side_after(event, before[event], SLOPE * step.abs());
        }
        Ok(Consequence::Restart { y, yp })
    }

    /// The side of its zero that the function of an event is moving to just after the event.
    fn side_after(&self, event: usize, before: f64, length: f64) -> f64 {
        let value = self.sides[event];
        let length = self.direction * length.max(1e3 * self.resolution(self.t));
        let change = length * self.slope(event, (self.t, &self.y, &self.yp), length);
        if change == 0.0 || change.is_nan() {
            // The next steps will tell.
            return 0.0;
        }
        // A reset may have moved it off zero.
        if value.abs() > 1e3 * before.abs().max(change.abs()) { value } else { f64::MIN_POSITIVE.copysign(change) }
    }

    /// An error if resets follow one another without progress.
    fn note_reset(&mut self, happening: &[usize], name: &Name) -> Result<(), Failure> {
        let at_once = happening.iter().any(|&event| self.happened[event] == self.t);
        happening.iter().for_each(|&event| self.happened[event] = self.t);
        self.resets.push(self.t);
        let few = self.resets.len() <= RESETS;
        let first = if few { f64::INFINITY } else { self.resets.remove(0) };
        if at_once || (self.t - first).abs() <= SHORT * (self.t - self.t0).abs() {
            return Err(Failure::EventsAccumulate { t: self.t, event: name.clone() });
        }
        Ok(())
    }
}

/// The zero between two times at which a function has different signs, to the resolution of time: regula falsi with the
/// Illinois rule, and bisection where that is slower.
fn bracketed(mut a: (f64, f64), mut b: (f64, f64), resolution: f64, function: &mut impl FnMut(f64) -> f64) -> f64 {
    // The function values, halved at an end that stays.
    let mut weights = [a.1, b.1];
    let mut last = 0;
    // Widths of the last two brackets.
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
