//! Detection of events, and continuation of the run after them.
//!
//! In: events of the caller and of the model, and a stepper after each step. Out: whether the step passes a zero that
//! counts and has to be repeated to end there; then whether the run ends, or the consistent values from which it
//! continues. Events of the model whose times do not depend on the solution are met exactly (`declared.rs`).

mod declared;

use std::collections::VecDeque;

use self::declared::{Arrival, Conflict, Declared};
use super::restarts::PiecewiseRun;
use super::zeros::{bracketed, dip};
use crate::contract::{Dae, Name};
use crate::initialize::quantity::Quantity;
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::integrator::polynomial::evaluate;
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::sensitivity::{Carried, InStep, Variation};
use crate::solution::Solution;
use crate::solution::event::{Action, Direction, Event};

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
/// At the ends of a step, a function is also evaluated at this fraction of the distance to the next sample.
const LOOK: f64 = 1e-3;
/// The rate of change of a function is measured over this fraction of a step.
const SLOPE: f64 = 1e-6;
/// Changes at one time can make further conditions true; this many rounds are no progress.
const ROUNDS: usize = 50;

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
    /// It ends, at the event of this name; with these values, if events before it at the same time have changed the state.
    End { event: Name, changed: Option<[Vec<f64>; 2]> },
    /// It continues from these values, $y$ and $y'$.
    Restart([Vec<f64>; 2]),
}

/// The events of a run: those of the caller, and after them those that the text of the model declares.
pub(super) struct Events<'d, 'c> {
    own: Vec<Event<'c>>,
    declared: Option<Declared<'d>>,
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
    /// Whether it is only recorded: the event does not end the run, and changes nothing.
    is_noted: bool,
}

impl<'d, 'c> Events<'d, 'c> {
    /// # Errors
    /// The formulation has no place for an event of the model.
    pub(super) fn new(
        dae: &'d dyn Dae,
        own: Vec<Event<'c>>,
        (t, y, yp): (f64, &[f64], &[f64]),
        t_end: f64,
    ) -> Result<Self, Failure> {
        let declared = Declared::new(dae, [t, t_end])?;
        let count = own.len() + declared.as_ref().map_or(0, Declared::count);
        let mut events = Events {
            t0: t,
            direction: if t_end < t { -1.0 } else { 1.0 },
            t,
            y: y.to_vec(),
            yp: yp.to_vec(),
            sides_ahead: Vec::new(),
            sides: Vec::new(),
            target: None,
            noted: VecDeque::new(),
            happened: vec![f64::NAN; count],
            resets: Vec::new(),
            own,
            declared,
        };
        events.sides = events.values(t, y, yp);
        events.sides_ahead.clone_from(&events.sides);
        Ok(events)
    }

    fn is_empty(&self) -> bool {
        self.happened.is_empty()
    }

    /// The functions of all events at a state.
    fn values(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let own = self.own.iter().map(|event| (event.function)(t, y, yp));
        own.chain(self.declared.iter().flat_map(|declared| declared.functions(t, y, yp))).collect()
    }

    /// The number of a declared event among those of the model; `None` for one of the caller.
    fn declared(&self, event: usize) -> Option<(&Declared<'d>, usize)> {
        let number = event.checked_sub(self.own.len())?;
        self.declared.as_ref().map(|declared| (declared, number))
    }

    /// The function of an event at a state.
    fn value(&self, event: usize, t: f64, y: &[f64], yp: &[f64]) -> f64 {
        match self.declared(event) {
            Some((declared, number)) => declared.functions(t, y, yp)[number],
            None => (self.own[event].function)(t, y, yp),
        }
    }

    fn direction(&self, event: usize) -> Direction {
        self.own.get(event).map_or(Direction::Rising, |event| event.direction)
    }

    /// Whether the zeros of the function of an event are searched for in steps.
    fn is_searched(&self, event: usize) -> bool {
        self.declared(event).is_none_or(|(declared, number)| declared.is_searched(number))
    }

    fn name(&self, event: usize) -> &Name {
        match self.declared(event) {
            Some((declared, number)) => declared.name(number),
            None => &self.own[event].name,
        }
    }

    fn is_terminal(&self, event: usize) -> bool {
        match self.declared(event) {
            Some((declared, number)) => declared.description().events[number].is_terminal,
            None => matches!(self.own[event].action, Action::End),
        }
    }

    /// Whether an event only has to be recorded at this state: it does not end the run, and changes nothing.
    fn is_noted(&self, event: usize, (t, y, yp): (f64, &[f64], &[f64])) -> bool {
        let mut changed = y.to_vec();
        match self.declared(event) {
            Some((declared, number)) if declared.is_noted(number) => return true,
            Some((declared, number)) => {
                let changes = declared.change(&[number], &Arrival { t, y, yp }, &[], &mut changed);
                !self.is_terminal(event) && changes.is_ok() && changed == y
            }
            None => match &self.own[event].action {
                Action::Note => true,
                Action::End => false,
                Action::Reset(change) => {
                    change(t, &mut changed);
                    changed == y
                }
            },
        }
    }

    /// The next time at which an event occurs whatever the solution is.
    pub(super) fn next_time(&self) -> Option<f64> {
        self.declared.as_ref()?.next_time()
    }

    /// Whether an event whose time does not depend on the solution is due at `t`.
    pub(super) fn is_due(&self, t: f64) -> bool {
        self.next_time().is_some_and(|time| time <= t)
    }

    /// The state before the last step.
    pub(super) fn last(&self) -> (f64, &[f64], &[f64]) {
        (self.t, &self.y, &self.yp)
    }

    /// Resolution of times between that of the last state and another.
    fn resolution(&self, t: f64) -> f64 {
        (4.0 * f64::EPSILON * self.t.abs().max(t.abs())).max(f64::MIN_POSITIVE)
    }

    /// Decides what to do with the last step. Events that are only recorded are entered into the solution with a step that is recorded.
    pub(super) fn check(&mut self, run: &mut PiecewiseRun<'_>, solution: &mut Solution) -> EventOutcome {
        if self.is_empty() {
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
        let is_due = self.is_due(now);
        let width = self.width(now);
        let is_earlier = |zero: &&Zero| !zero.is_noted && !(is_due && (zero.t - now).abs() <= width);
        if landed.is_none()
            && let Some(first) = zeros.iter().find(is_earlier).copied()
        {
            return EventOutcome::Again(self.aim(first, &zeros, stepper.time()));
        }
        let happening = landed.as_ref().map_or(&[][..], |target| &target.events);
        let noted = |zero: &&Zero| zero.is_noted && !happening.contains(&zero.event);
        let noted: Vec<Zero> = zeros.iter().filter(noted).copied().collect();
        let mut noted: Vec<(Zero, Vec<f64>)> = noted.into_iter().map(|zero| self.refined(zero, run)).collect();
        noted.sort_by(|(a, _), (b, _)| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        for (zero, state) in noted {
            self.noted.push_back((zero.event, solution.occurrences.len()));
            self.note_at(zero.event, (zero.t, &state), solution);
        }
        if landed.is_none() && !is_due {
            return EventOutcome::Free;
        }
        let mut target = landed.unwrap_or(Target { t: now, events: Vec::new(), latest: now, length: 0.0, other: None });
        // Other functions that have changed sign meanwhile are assigned to this time as well.
        target.add(zeros.iter().filter(|zero| !zero.is_noted).map(|zero| zero.event));
        self.target = Some(target);
        EventOutcome::Reached
    }

    /// Distance from the end of the last step, at `end`, within which zeros count as simultaneous.
    fn width(&self, end: f64) -> f64 {
        TOGETHER * (end - self.t).abs() + self.resolution(end)
    }

    /// Has the step repeated to end at the first zero of an event that is not only recorded; returns its time.
    fn aim(&mut self, first: Zero, zeros: &[Zero], end: f64) -> f64 {
        let length = end - self.t;
        let (resolution, width) = (self.resolution(end), self.width(end));
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
            found = Some((Zero { t, ..zero }, y));
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
        let value = self.value(event, t, y, yp);
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
        let function = |t: f64, y: &[f64], yp: &[f64]| self.value(event, t, y, yp);
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
            samples.push((t, self.values(t, y, yp)));
        };
        for s in BETWEEN {
            between(now + s * length, &mut sample);
        }
        sample(now, &end, &end_slope);
        let resolution = self.resolution(now);
        let mut found = Vec::new();
        let searched: Vec<usize> = (0..self.happened.len()).filter(|&event| self.is_searched(event)).collect();
        for event in searched {
            let mut at = |t: f64| {
                let mut value = f64::NAN;
                between(t, &mut |t, y, yp| value = self.value(event, t, y, yp));
                value
            };
            let signed =
                samples.iter().map(|(t, values)| (*t, values[event])).filter(|&(_, v)| v != 0.0 && !v.is_nan());
            let mut signed: Vec<(f64, f64)> = signed.collect();
            insert_dips(&mut signed, &mut at);
            let direction = self.direction(event);
            let changes = signed.windows(2).filter(|pair| direction.admits(pair[0].1, pair[1].1));
            let times: Vec<f64> = changes.map(|pair| bracketed(pair[0], pair[1], resolution, &mut at)).collect();
            for t in times {
                let mut is_noted = false;
                between(t, &mut |t, y, yp| is_noted = self.is_noted(event, (t, y, yp)));
                found.push(Zero { event, t, is_noted });
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
            let by_time = self.time_derivatives(event, variation, &moment)?;
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

    fn note_at(&self, event: usize, (t, y): (f64, &[f64]), solution: &mut Solution) {
        let message =
            self.declared(event).and_then(|(declared, it)| declared.description().events[it].message.as_ref());
        solution.note_event(self.name(event), message, t, y);
    }

    /// Derivatives of the time of an event with respect to each quantity, times its scale.
    fn time_derivatives(&self, event: usize, variation: &Variation<'_>, moment: &InStep) -> Result<Vec<f64>, Failure> {
        let at = moment.as_moment();
        let Some((declared, number)) = self.declared(event) else {
            return Ok(variation.of_time(at, &self.own[event].function, &|_| 0.0));
        };
        if declared.is_sampled(number) {
            return variation.of_sample(at.t, &declared.description().sample_parameters);
        }
        let entries = declared.by_parameters(number, at.t, at.y, at.yp);
        let explicit = |quantity: &Quantity| {
            entries.iter().enumerate().map(|(k, entry)| quantity.factor_of(k) * entry).sum::<f64>()
        };
        Ok(variation.of_time(at, &|t, y, yp| self.value(event, t, y, yp), &explicit))
    }

    /// Records events at the state `y` with the derivatives of their times; unless one of them ends the run, returns the
    /// derivatives of the state on arrival, to which those of the resets are applied.
    fn note_with_derivatives(
        &self,
        happening: &[usize],
        variation: &mut Variation<'_>,
        moment: &InStep,
        solution: &mut Solution,
    ) -> Result<Option<Carried>, Failure> {
        let is_reset = !happening.iter().any(|&event| self.is_terminal(event));
        if is_reset {
            variation.begin_jump();
        }
        let mut carried: Option<Carried> = None;
        for &event in happening {
            self.note_at(event, (self.t, &self.y), solution);
            let by_time = self.time_derivatives(event, variation, moment)?;
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

    /// Enters the events at the last state into the solution, and applies what they change, to sensitivities too. The
    /// last step began at `before`, and steps are about `step` long. Changes can make conditions of the model true: then
    /// further events occur at the same time.
    pub(super) fn happen(
        &mut self,
        dae: &dyn Dae,
        (stepper, before, step): (&mut (dyn Stepper + '_), f64, f64),
        mut variation: Option<&mut Variation<'_>>,
        options: &Options,
        initialization: &InitializationOptions,
        solution: &mut Solution,
    ) -> Result<Consequence, Failure> {
        let own = self.own.len();
        let mut happening = self.target.take().map_or_else(Vec::new, |target| target.events);
        let mut due = Vec::new();
        if let Some(declared) = &mut self.declared {
            due.extend(declared.take_at(self.t).into_iter().map(|event| own + event));
            happening.extend(&due);
        }
        happening.sort_unstable();
        happening.dedup();
        let moment = variation.is_some().then(|| InStep::at(stepper, before, self.t, step));
        let mut carried = None;
        let arrived = self.sides.clone();
        let mut all = Vec::new();
        for round in 0..ROUNDS {
            match (&mut variation, &moment) {
                (Some(variation), Some(moment)) if round == 0 => {
                    carried = self.note_with_derivatives(&happening, variation, moment, solution)?;
                }
                _ => {
                    for &event in &happening {
                        self.note_at(event, (self.t, &self.y), solution);
                        if let (Some(variation), Some(carried), Some(last)) =
                            (&variation, &carried, solution.occurrences.last_mut())
                        {
                            last.time_derivatives = variation.unscaled(carried.by_time()).collect();
                        }
                    }
                }
            }
            if let Some(&event) = happening.iter().find(|&&event| self.is_terminal(event)) {
                let changed = (round > 0).then(|| [self.y.clone(), self.yp.clone()]);
                return Ok(Consequence::End { event: self.name(event).clone(), changed });
            }
            let mut held = self.declared.as_ref().map_or_else(Vec::new, |it| it.hold(self.t, &self.y, &self.yp));
            happening.iter().filter_map(|event| event.checked_sub(own)).for_each(|event| held[event] = true);
            let counted: Vec<usize> = happening.iter().copied().filter(|event| !due.contains(event)).collect();
            if !counted.is_empty() {
                self.note_reset(&counted, &self.name(counted[counted.len() - 1]).clone())?;
            }
            self.apply(dae, &happening, step, (variation.as_deref_mut(), carried.as_mut()), options, initialization)?;
            let after = self.declared.as_ref().map_or_else(Vec::new, |it| it.hold(self.t, &self.y, &self.yp));
            all.append(&mut happening);
            happening =
                (0..held.len()).filter(|&event| !held[event] && after[event]).map(|event| own + event).collect();
            if happening.is_empty() {
                self.settle(&all, &arrived, step);
                return Ok(Consequence::Restart([self.y.clone(), self.yp.clone()]));
            }
            if let (Some(variation), Some(before)) = (&variation, &carried) {
                if variation.has_tape() {
                    // The way back knows one change of the state at a time.
                    return Err(variation.no_derivative(self.t, 0));
                }
                carried = Some(variation.arriving_again((self.t, &self.y, &self.yp), before));
            }
        }
        Err(Failure::EventsAccumulate { t: self.t, event: self.name(happening[0]).clone() })
    }

    /// Applies what events change to the last state, and makes it consistent.
    fn apply(
        &mut self,
        dae: &dyn Dae,
        happening: &[usize],
        step: f64,
        (variation, mut carried): (Option<&mut Variation<'_>>, Option<&mut Carried>),
        options: &Options,
        initialization: &InitializationOptions,
    ) -> Result<(), Failure> {
        let t = self.t;
        let (mut y, mut yp) = (self.y.clone(), self.yp.clone());
        let mut last = Name::Borrowed("-");
        for &event in happening.iter().filter(|&&event| event < self.own.len()) {
            if let Action::Reset(change) = &self.own[event].action {
                if let Some(carried) = &mut carried {
                    carried.change(dae, t, &y, change);
                }
                change(t, &mut y);
                last = self.own[event].name.clone();
            }
        }
        let mut is_set = vec![false; y.len()];
        let of_model: Vec<usize> = happening.iter().filter_map(|event| event.checked_sub(self.own.len())).collect();
        if let (Some(declared), false) = (&self.declared, of_model.is_empty()) {
            let conflict = |it: Conflict| Failure::ConflictingEvents {
                t,
                unknown: dae.description().unknowns[it.place].name.clone(),
                events: it.events.map(|event| declared.name(event).clone()),
            };
            if let Some(carried) = &mut carried {
                carried.change_with(dae, t, &y, &|t, shift, state| {
                    let arrived = state.to_vec();
                    // A conflict has an error without derivatives, too.
                    _ = declared.change(&of_model, &Arrival { t, y: &arrived, yp: &self.yp }, shift, state);
                });
            }
            let arrived = y.clone();
            let at = Arrival { t, y: &arrived, yp: &self.yp };
            let places = declared.change(&of_model, &at, &[], &mut y).map_err(conflict)?;
            places.into_iter().for_each(|place| is_set[place] = true);
            last = of_model.last().map_or(last, |&event| declared.name(event).clone());
        }
        let atol = options.atol.of(&dae.description().unknowns);
        is_set.iter_mut().zip(y.iter().zip(&self.y)).for_each(|(is_set, (y, before))| *is_set |= y != before);
        let sizes = y.clone();
        let unknowns = &dae.description().unknowns;
        let allowed = |i: usize| {
            let size = sizes[i].abs().max(unknowns[i].nominal);
            let relative = (atol[i] + options.rtol * sizes[i].abs()) / size;
            let per_index = step.abs().min(1.0).powi(i32::from(unknowns[i].index) - 1);
            (INEXACT * relative.powf(2.0 / 3.0) / per_index).min(LARGEST_MOVE) * size
        };
        let inconsistent = |error| Failure::InconsistentReset { t, event: last.clone(), error: Box::new(error) };
        let jets = consistent_restart(dae, t, &mut y, &mut yp, |i| is_set[i], allowed, initialization)
            .map_err(inconsistent)?;
        if let (Some(variation), Some(carried)) = (variation, carried) {
            variation.restart(t, [&y, &yp, &jets], &|i| is_set[i], carried).map_err(inconsistent)?;
            variation.check(t)?;
        }
        self.y.copy_from_slice(&y);
        self.yp.copy_from_slice(&yp);
        Ok(())
    }

    /// Notes the sides of all functions after events that have happened; on arrival they were those in `arrived`.
    fn settle(&mut self, happened: &[usize], arrived: &[f64], step: f64) {
        self.sides = self.values(self.t, &self.y, &self.yp);
        for &event in happened {
            self.sides[event] = self.side_after(event, arrived[event], SLOPE * step.abs());
        }
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

/// Inserts times at which a function that comes near zero between samples, and turns, is beyond it; the samples are
/// times with values, in order.
fn insert_dips(samples: &mut Vec<(f64, f64)>, function: &mut dyn FnMut(f64) -> f64) {
    let mut dips: Vec<(usize, (f64, f64))> = Vec::new();
    let is_smaller = |a: f64, b: f64| a * b > 0.0 && a.abs() < b.abs();
    let last = samples.len().saturating_sub(1);
    for k in 0..samples.len() {
        let (t, value) = samples[k];
        let [before, after] = [k.checked_sub(1), Some(k + 1).filter(|&next| next <= last)];
        let [before, after] = [before, after].map(|place| place.map(|place| samples[place]));
        if ![before, after].into_iter().flatten().all(|(_, other)| is_smaller(value, other) || other == value) {
            continue;
        }
        // At an end of the step, the function has turned inside if it is smaller a little way inside.
        let turns_towards = |(other, _): (f64, f64), function: &mut dyn FnMut(f64) -> f64| {
            let near = function(t + LOOK * (other - t));
            near * value <= 0.0 || is_smaller(near, value)
        };
        let ends = match (before, after) {
            (Some(before), Some(after)) => Some([before.0, after.0]),
            (Some(before), None) => turns_towards(before, function).then_some([before.0, t]),
            (None, Some(after)) => turns_towards(after, function).then_some([t, after.0]),
            (None, None) => None,
        };
        let found = ends.and_then(|ends| dip(ends, value, function)).filter(|it| it.1 * value < 0.0);
        if let Some(found) = found {
            let is_later = before.is_none() || before.is_some_and(|it| (found.0 - t) * (t - it.0) > 0.0);
            dips.push((if is_later { k + 1 } else { k }, found));
        }
    }
    dips.into_iter().rev().for_each(|(place, dip)| samples.insert(place, dip));
}
