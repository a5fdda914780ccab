//! Detection of events, and continuation of the run after them.
//!
//! In: events of the caller and of the model, and a stepper after each step. Out: whether the step passes a zero that
//! counts and has to be repeated to end there; then whether the run ends, or the consistent values from which it
//! continues. Events of the model whose times do not depend on the solution are met exactly (`declared.rs`).

mod accumulation;
mod changes;
mod declared;
mod list;
mod modes;
mod sides;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use self::declared::Declared;
use self::list::EventList;
pub(super) use self::modes::Entering;
pub(super) use self::sides::uncertainty;
use super::restarts::PiecewiseRun;
use super::zeros::{bracketed, insert_dips, oscillation, untold};
use crate::contract::{Dae, Kind, Name, Unknown};
use crate::integrator::hidden::Hidden;
use crate::integrator::polynomial::evaluate;
use crate::integrator::stepper::{Failure, StepControl, Stepper};
use crate::sensitivity::{InStep, Variation};
use crate::solution::event::Event;
use crate::solution::{Solution, SwitchKind, SwitchStatistics};

/// Times within a step at which signs are compared, in units of the step from its end: at unequal distances, so that few
/// oscillations look like slower ones; slopes at the ends show the others.
const BETWEEN: [f64; 3] = [-0.8, -0.53, -0.22];
/// The slope of a function at an end of a step is measured over this fraction of it.
const NEAR_END: f64 = 1e-3;
/// Zeros in a step that are no farther apart than this fraction of it count as simultaneous.
const TOGETHER: f64 = 1e-10;
/// Zeros in a step are located to this fraction of it before the step is repeated.
const IN_ORDER: f64 = 1e-11;
/// In a step no longer than this multiple of the resolution of times, signs are those of rounding errors.
const ROUNDED: f64 = 16.0;
/// A zero found on the dense output is corrected by no more than this fraction of the step: of one that is repeated, and
/// of one beside which separate steps are made.
const LARGEST_CHANGE: f64 = 1e-2;
const LARGEST_CHANGE_ASIDE: f64 = 0.5;
/// Largest number of separate steps to the zero of an event that is only recorded.
const REFINEMENTS: usize = 6;
/// The rate of change of a function is measured over this fraction of a step.
const SLOPE: f64 = 1e-6;

/// A function jumps at the start of a step if it changes in the last four fifths of the step by no more than this fraction
/// of its change in the first: polynomials through the start overshoot.
const JUMP: f64 = 0.5;
/// A time is beyond a switch if it is this multiple of the distance away at which the switching function has its zero, as
/// if that were linear.
const BEYOND: f64 = 2.0;
/// It is at least this multiple of the resolution of times away.
const RESOLVED: f64 = 1e3;

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
    /// It continues in another mode of the model.
    Enter(Box<Entering>),
}

/// The events of a run: those of the caller, and after them those that the text of the model declares.
pub(super) struct Events<'d, 'c> {
    list: EventList<'d, 'c>,
    /// Whether derivatives of the solution are asked for: those of a change need not be those of no change, even where
    /// the values are.
    has_sensitivities: bool,
    /// Start time of the run, and its direction.
    t0: f64,
    direction: f64,
    /// The last state of the stepper: the time, $y$ and $y'$.
    t: f64,
    stepped: [Vec<f64>; 2],
    /// The same with unknowns of higher index that are as accurate as states.
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Finds these; `None` if no event contains one.
    hidden: Option<Rc<Hidden<'d>>>,
    /// These $y$ and $y'$ at the end of the last step.
    ahead: [Vec<f64>; 2],
    /// The side of zero on which each function is at the last state, as the sign of a number: the last nonzero value of
    /// the function, or zero where the side is not known.
    sides: Vec<f64>,
    /// Sides of the functions at the end of the last step.
    sides_ahead: Vec<f64>,
    /// Where the step to be repeated is to end, and what happens there.
    target: Option<Target>,
    /// Events in the last step that are only recorded.
    noted: VecDeque<Noted>,
    /// Time at which each event last occurred.
    happened: Vec<f64>,
    /// Times of the most recent resets, in order.
    resets: Vec<f64>,
    /// The most recent times of each event with a limit, for that of the limit; with their derivatives with respect to each
    /// quantity, times its scale, if they are asked for.
    recent: Vec<VecDeque<(f64, Vec<f64>)>>,
    /// For each event at a limit the derivatives of its time with respect to each quantity, times its scale.
    limit_derivatives: Vec<Option<Vec<f64>>>,
    /// Events whose sides the last step has shown.
    settled: Vec<usize>,
    /// The events whose sides are not known since one of them has occurred, or their mode was entered.
    unsettled: Vec<Option<Unsettled>>,
    /// The events that have occurred at this time in modes that were left there.
    occurred: Vec<usize>,
    /// Whether a mode has just been entered, so that what is in `target` occurs before the next step.
    is_entry: bool,
    /// The derivatives of that time with respect to each quantity, times its scale, if they are asked for; quantities that
    /// are missing do not change it.
    arrival: Option<Vec<f64>>,
    /// What is known about the rate of change of each unknown.
    rates: Vec<Rate>,
    /// Whether the mode is entered anew where events change values: impulses decide about complementary expressions.
    enters_anew: bool,
    /// What each event has cost.
    costs: Vec<SwitchStatistics>,
}

/// An event whose side is not known.
#[derive(Clone, Copy, Debug)]
struct Unsettled {
    /// Values of its function that uncertainties explain.
    uncertainty: f64,
    /// Whether it occurs if its function turns out to be positive: it has not occurred just before.
    occurs: bool,
}

/// What a formulation knows about the rate of change of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rate {
    /// Its derivative.
    Known,
    /// Nothing: it does not contain the derivative.
    Unknown,
    /// It changes at events only.
    Zero,
}

impl Rate {
    fn of(unknown: &Unknown) -> Self {
        match unknown.kind {
            _ if unknown.is_discrete => Rate::Zero,
            Kind::Differential => Rate::Known,
            Kind::Algebraic | Kind::Auxiliary { .. } => Rate::Unknown,
        }
    }
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
    /// Whether that function is expected to jump across its zero; the repeated step shows whether it does.
    jumps: bool,
}

impl Target {
    /// Events that occur at this time, which is not refined.
    fn at(t: f64, events: Vec<usize>, jumps: bool) -> Self {
        Target { t, events, latest: t, length: 0.0, other: None, jumps }
    }

    fn add(&mut self, events: impl Iterator<Item = usize>) {
        for event in events {
            if !self.events.contains(&event) {
                self.events.push(event);
            }
        }
    }
}

/// An event that is only recorded.
struct Noted {
    event: usize,
    /// Its place among the occurrences of the solution.
    place: usize,
    /// Whether its function jumps there.
    jumps: bool,
}

/// A zero of the function of an event.
#[derive(Clone, Copy)]
struct Zero {
    event: usize,
    t: f64,
    /// Whether it is only recorded: the event does not end the run, and changes nothing.
    is_noted: bool,
    /// Whether the function jumps there, across its zero, beyond a switch: it is not refined.
    jumps: bool,
}

impl<'d, 'c> Events<'d, 'c> {
    /// # Errors
    /// The formulation has no place for an event of the model.
    pub(super) fn new(
        dae: &'d dyn Dae,
        own: Vec<Event<'c>>,
        (t, y, yp): (f64, &[f64], &[f64]),
        t_end: f64,
        (control, has_sensitivities): (StepControl, bool),
    ) -> Result<Self, Failure> {
        let list = EventList { own, declared: Declared::new(dae, [t, t_end], control)? };
        let count = list.count();
        let mut events = Events {
            t0: t,
            direction: if t_end < t { -1.0 } else { 1.0 },
            t,
            stepped: [y.to_vec(), yp.to_vec()],
            y: y.to_vec(),
            yp: yp.to_vec(),
            hidden: None,
            ahead: [y.to_vec(), yp.to_vec()],
            sides_ahead: Vec::new(),
            sides: Vec::new(),
            target: None,
            noted: VecDeque::new(),
            happened: vec![f64::NAN; count],
            resets: Vec::new(),
            recent: vec![VecDeque::new(); count],
            limit_derivatives: vec![None; count],
            settled: Vec::new(),
            unsettled: vec![None; count],
            occurred: Vec::new(),
            is_entry: false,
            enters_anew: false,
            arrival: None,
            rates: dae.description().unknowns.iter().map(Rate::of).collect(),
            costs: (0..count).map(|event| SwitchStatistics::new(SwitchKind::Event, list.name(event))).collect(),
            list,
            has_sensitivities,
        };
        events.sides = events.list.signed(t, y, yp);
        events.sides_ahead.clone_from(&events.sides);
        Ok(events)
    }

    /// Sets what makes unknowns of higher index as accurate as states. It is used if events contain any: those of the
    /// caller are taken to do so if their values change with one.
    pub(super) fn improve_by(&mut self, hidden: Option<Rc<Hidden<'d>>>) {
        self.hidden = hidden.filter(|hidden| {
            let [y, yp] = hidden.aside(&self.y, &self.yp);
            let declared = self.list.declared.as_ref().is_some_and(|it| it.contains(&|k| hidden.improves(k)));
            let changes =
                |event: &Event<'_>| (event.function)(self.t, &y, &yp) != (event.function)(self.t, &self.y, &self.yp);
            declared || self.list.own.iter().any(changes)
        });
    }

    /// What makes unknowns of higher index in the last step as accurate as states; `None` if no event contains one, at a
    /// switch, and where the solution slides.
    fn hidden_at(&self, stepper: &dyn Stepper) -> Option<Rc<Hidden<'d>>> {
        self.hidden.clone().filter(|_| stepper.at_switch().is_none() && !stepper.is_sliding())
    }

    /// Has the mode entered anew where events change values, as another mode is entered.
    pub(super) fn enter_anew(&mut self, enters_anew: bool) {
        self.enters_anew = enters_anew;
    }

    /// What each event has cost, without the number of its occurrences.
    pub(super) fn costs(&self) -> &[SwitchStatistics] {
        &self.costs
    }

    fn is_empty(&self) -> bool {
        self.happened.is_empty()
    }

    /// Whether an event only has to be recorded at this state.
    fn is_noted(&self, event: usize, at: (f64, &[f64], &[f64])) -> bool {
        match self.has_sensitivities {
            true => self.list.never_changes(event),
            false => self.list.is_noted(event, at),
        }
    }

    /// Says how the time at which the mode has been entered, or the run has begun, depends on the quantities with respect to
    /// which derivatives are asked for: events that occur there because of that depend on them in the same way.
    pub(super) fn arrive(&mut self, by_time: Option<Vec<f64>>) {
        self.arrival = by_time;
    }

    /// The next time at which an event occurs whatever the solution is.
    pub(super) fn next_time(&self) -> Option<f64> {
        self.list.declared.as_ref()?.next_time()
    }

    /// Whether an event occurs at `t` before the next step: its time does not depend on the solution, or a mode has been
    /// entered in which it occurs at once.
    pub(super) fn occurs_at(&self, t: f64) -> bool {
        self.is_due(t) || (self.is_entry && self.target.is_some())
    }

    /// Whether an event whose time does not depend on the solution is due at `t`.
    fn is_due(&self, t: f64) -> bool {
        self.next_time().is_some_and(|time| time <= t)
    }

    /// The state before the last step.
    pub(super) fn last(&self) -> (f64, &[f64], &[f64]) {
        (self.t, &self.stepped[0], &self.stepped[1])
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
        self.noted.clear();
        let now = run.stepper.time();
        let landed = self.target.take_if(|target| target.t == now);
        let (jumped, landed) = match landed {
            Some(target) if target.jumps => (target.events, None),
            landed => (Vec::new(), landed),
        };
        // Another stepper may have passed the target.
        self.target.take_if(|target| (target.t - now) * self.direction < 0.0);
        let mut zeros = self.zeros(run.stepper.as_mut());
        if let Some(target) = &landed
            && let Some((better, value)) = self.better(target, &self.ahead, LARGEST_CHANGE)
        {
            let (other, events) = (Some((target.t, value)), target.events.clone());
            self.costs[target.events[0]].switch_rejections += 1;
            self.target = Some(Target { t: better, events, other, ..*target });
            return EventOutcome::Again(better);
        }
        if !jumped.is_empty() {
            // The step has been repeated to end just beyond a jump.
            let beyond = zeros.iter_mut().filter(|zero| jumped.contains(&zero.event));
            beyond.for_each(|zero| (zero.t, zero.jumps) = (now, true));
        } else if let Some(passed) = run.passed(self.last()).filter(|_| !zeros.is_empty()) {
            let distance = (BEYOND * (passed - self.t).abs()).max(RESOLVED * self.resolution(now));
            self.move_to_jumps(&mut zeros, run.stepper.as_mut(), self.t + self.direction * distance);
        }
        zeros.sort_by(|a, b| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        let width = self.width(now);
        let is_due = self.is_due(now) || zeros.iter().any(|zero| !zero.is_noted && zero.jumps && zero.t == now);
        let is_at_end = |zero: &Zero| is_due && (zero.t - now).abs() <= width;
        let is_earlier = |zero: &&Zero| !zero.is_noted && !is_at_end(zero);
        if landed.is_none()
            && let Some(first) = zeros.iter().find(is_earlier).copied()
        {
            self.costs[first.event].switch_rejections += 1;
            return EventOutcome::Again(self.aim(first, &zeros, now));
        }
        let happening = landed.as_ref().map_or(&[][..], |target| &target.events);
        let noted = |zero: &&Zero| zero.is_noted && !happening.contains(&zero.event);
        let noted: Vec<Zero> = zeros.iter().filter(noted).copied().collect();
        let mut noted: Vec<(Zero, Vec<f64>)> = noted.into_iter().map(|zero| self.refined(zero, run)).collect();
        noted.sort_by(|(a, _), (b, _)| (a.t - self.t).abs().total_cmp(&(b.t - self.t).abs()));
        for (zero, state) in noted {
            let place = solution.occurrences.len();
            self.noted.push_back(Noted { event: zero.event, place, jumps: zero.jumps });
            self.note_at(zero.event, (zero.t, &state), solution);
        }
        if landed.is_none() && !is_due {
            return EventOutcome::Free;
        }
        let mut target = landed.unwrap_or_else(|| Target::at(now, Vec::new(), zeros.iter().any(|zero| zero.jumps)));
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
        let mut target = Target { t, events: vec![first.event], latest: end, length, other: None, jumps: first.jumps };
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
        let refinements = if zero.jumps { 0 } else { REFINEMENTS };
        for _ in 0..refinements {
            if (t - self.t).abs() <= 4.0 * self.resolution(end) {
                break;
            }
            let Some([mut y, mut yp]) = run.state_at(self.last(), t) else { break };
            if let Some(hidden) = self.hidden_at(run.stepper.as_ref()) {
                hidden.improve(t, &mut y, &mut yp);
            }
            let target = Target { t, events: vec![event], latest: end, length: end - self.t, other, jumps: false };
            let better = self.better(&target, &[y.clone(), yp], LARGEST_CHANGE_ASIDE);
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
    /// the function at the target; `None` if the target is near enough or no such time is found. The first correction
    /// is no longer than the fraction `largest` of the step.
    fn better(&self, target: &Target, [y, yp]: &[Vec<f64>; 2], largest: f64) -> Option<(f64, f64)> {
        let (t, event) = (target.t, target.events[0]);
        let value = self.list.value(event, t, y, yp);
        let slope = match target.other {
            None => match self.motion_at((t, y, yp), SLOPE * (t - self.t)).rate(event) {
                slope if slope == 0.0 || !slope.is_finite() => {
                    (value - self.list.value(event, self.t, &self.y, &self.yp)) / (t - self.t)
                }
                slope => slope,
            },
            Some((other, value_there)) => (value - value_there) / (t - other),
        };
        let change = value / slope;
        // Each correction must be at most half as large as the last change of the time.
        let most = target.other.map_or(largest * target.length.abs(), |(other, _)| 0.5 * (t - other).abs());
        let is_change = change.abs() > self.resolution(t) && change.abs() <= most;
        let better = if (t - change - target.latest) * self.direction > 0.0 { target.latest } else { t - change };
        let is_ahead = (better - self.t) * self.direction > self.resolution(t);
        (is_change && is_ahead && better != t).then_some((better, value))
    }

    /// Zeros in the last step that count.
    fn zeros(&mut self, stepper: &mut dyn Stepper) -> Vec<Zero> {
        let (n, now) = (self.y.len(), stepper.time());
        let length = now - self.t;
        let (mut end, mut end_slope) = (stepper.state().to_vec(), stepper.derivative().to_vec());
        let hidden = self.hidden_at(stepper);
        let improve = |t: f64, y: &mut [f64], yp: &mut [f64]| hidden.iter().for_each(|it| it.improve(t, y, yp));
        improve(now, &mut end, &mut end_slope);
        self.ahead = [end, end_slope];
        if length.abs() <= ROUNDED * self.resolution(now) {
            self.sides_ahead.clone_from(&self.sides);
            self.settled.clear();
            return Vec::new();
        }
        let mut coefficients = vec![0.0; (stepper.dense_degree() + 1) * n];
        stepper.dense_coefficients(&mut coefficients);
        let weights = stepper.error_weights().to_vec();
        let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
        let mut between = |t: f64, function: AtState<'_>| {
            evaluate(&coefficients, (t - now) / length, length, &mut y, &mut yp);
            stepper.interpolate(t, &mut y);
            improve(t, &mut y, &mut yp);
            function(t, &y, &yp);
        };
        // By time, then by event.
        let mut samples: Vec<(f64, Vec<f64>)> = vec![(self.t, self.sides.clone())];
        let mut sample = |t: f64, y: &[f64], yp: &[f64]| {
            samples.push((t, self.list.signed(t, y, yp)));
        };
        for s in BETWEEN {
            between(now + s * length, &mut sample);
        }
        sample(now, &self.ahead[0], &self.ahead[1]);
        // Times are refined where the step ends; until then they have to be in order.
        let resolution = self.resolution(now).max(IN_ORDER * length.abs());
        let mut found = Vec::new();
        self.settled.clear();
        let is_of_time = |event| self.list.of_model(event).is_some_and(|(declared, k)| declared.is_of_time(k));
        let is_searched = |&event: &usize| self.list.is_searched(event) && !is_of_time(event);
        let searched: Vec<usize> = (0..self.happened.len()).filter(is_searched).collect();
        for event in (0..self.happened.len()).filter(|&event| is_of_time(event)) {
            self.sides_ahead[event] = samples.last().map_or(0.0, |(_, values)| values[event]);
        }
        // How functions change is examined at the same times for all of them.
        let mut examined: HashMap<u64, Vec<f64>> = HashMap::new();
        // Polynomials tell how functions of states change: unknowns that follow from these need not be solved for. All times
        // are within the step, at whose ends functions may jump.
        let (mut at, mut slope) = (vec![0.0; n], vec![0.0; n]);
        let parts = [NEAR_END, 2.0 * NEAR_END, 1.0 + BETWEEN[0], 1.0 + BETWEEN[1], 1.0 + BETWEEN[2]];
        let told = parts.into_iter().chain([1.0 - 2.0 * NEAR_END, 1.0 - NEAR_END]).map(|part| {
            evaluate(&coefficients, part - 1.0, length, &mut at, &mut slope);
            (self.t + part * length, self.list.values(self.t + part * length, &at, &slope))
        });
        let told: Vec<(f64, Vec<f64>)> = told.take(if searched.is_empty() { 0 } else { usize::MAX }).collect();
        for event in searched {
            let mut value_at = |t: f64| {
                let values = examined.entry(t.to_bits()).or_insert_with(|| {
                    let mut values = Vec::new();
                    between(t, &mut |t, y, yp| values = self.list.signed(t, y, yp));
                    values
                });
                values[event]
            };
            let mut signed: Vec<(f64, f64)> = samples.iter().map(|(t, values)| (*t, values[event])).collect();
            let [start, after_start, a, b, c, before_end, end] =
                [0, 1, 2, 3, 4, 5, 6].map(|k: usize| (told[k].0, told[k].1[event]));
            let within = [start, a, b, c, end];
            let slopes = [[start, after_start], [before_end, end]].map(|[a, b]| (b.1 - a.1) / (b.0 - a.0));
            let noise = || self.noise(event, (now, &self.ahead[0], &self.ahead[1]), &weights);
            if let Some(steepness) = untold(&within, slopes, &noise) {
                let inside = oscillation([self.t, now], steepness, &mut value_at);
                signed.splice(1..4, inside[1..inside.len() - 1].iter().copied());
            }
            signed.retain(|&(_, value)| value != 0.0 && !value.is_nan());
            if let Some(Unsettled { uncertainty, occurs }) = self.unsettled[event] {
                // The first value that is clear decides on which side the event has been since its side was last known.
                let Some(clear) = signed.iter().position(|(_, value)| value.abs() > uncertainty) else {
                    self.sides_ahead[event] = 0.0;
                    continue;
                };
                signed.drain(..clear);
                self.settled.push(event);
                if signed[0].1 > 0.0 && occurs {
                    found.push(Zero { event, t: self.t, is_noted: false, jumps: false });
                }
            }
            insert_dips(&mut signed, &mut value_at);
            let mut at = |t: f64| {
                let mut value = f64::NAN;
                between(t, &mut |t, y, yp| value = self.list.signed(t, y, yp)[event]);
                value
            };
            let direction = self.list.direction(event);
            let changes = signed.windows(2).filter(|pair| direction.admits(pair[0].1, pair[1].1));
            let times: Vec<f64> = changes.map(|pair| bracketed(pair[0], pair[1], resolution, &mut at)).collect();
            for t in times {
                let mut is_noted = false;
                between(t, &mut |t, y, yp| is_noted = self.is_noted(event, (t, y, yp)));
                found.push(Zero { event, t, is_noted, jumps: false });
            }
            // A function that is exactly zero is on the side from which it came.
            self.sides_ahead[event] = signed.last().map_or(0.0, |&(_, value)| value);
        }
        found
    }

    /// Moves zeros in the first step beyond a switch to a time just `beyond` it, or to the end of the step if that is
    /// earlier, where the function jumps at the switch, with unknowns that do: it hardly changes in the step, compared with
    /// the change at its start.
    fn move_to_jumps(&self, zeros: &mut [Zero], stepper: &mut dyn Stepper, beyond: f64) {
        let (now, slope) = (stepper.time(), stepper.derivative().to_vec());
        let early = now + BETWEEN[0] * (now - self.t);
        let mut y = vec![0.0; self.y.len()];
        stepper.interpolate(early, &mut y);
        for zero in zeros {
            let end = self.list.value(zero.event, now, stepper.state(), &slope);
            let inside = self.list.value(zero.event, early, &y, &slope);
            let start = self.list.value(zero.event, self.t, &self.y, &self.yp);
            if inside * end > 0.0 && (end - inside).abs() <= JUMP * (inside - start).abs() {
                zero.jumps = true;
                zero.t = if (beyond - now) * self.direction < 0.0 { beyond } else { now };
            }
        }
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
        while let Some(noted) = self.noted.pop_front() {
            let t = solution.occurrences[noted.place].t;
            if (until - t) * self.direction < 0.0 {
                self.noted.push_front(noted);
                break;
            }
            if noted.jumps {
                // Its time is that of the switch, whose derivatives are not those of the function.
                return Err(variation.no_derivative(t, 0));
            }
            let Noted { event, place, .. } = noted;
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
        self.settled.drain(..).for_each(|event| self.unsettled[event] = None);
        self.occurred.clear();
        self.t = stepper.time();
        self.stepped[0].copy_from_slice(stepper.state());
        self.stepped[1].copy_from_slice(stepper.derivative());
        self.y.copy_from_slice(&self.ahead[0]);
        self.yp.copy_from_slice(&self.ahead[1]);
        std::mem::swap(&mut self.sides, &mut self.sides_ahead);
    }

    /// Continues at a time that differs from that of the last state by rounding errors.
    pub(super) fn begin_at(&mut self, t: f64) {
        self.t = t;
    }
}
