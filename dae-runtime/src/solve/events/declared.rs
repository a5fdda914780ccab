//! The events of a model in the terms of a formulation.
//!
//! In: the events that the text of a model declares, as functions of jets, and a formulation. Out: their crossing
//! functions at a state, the times at which they occur whatever the solution is, and the changes that they make.

use std::collections::BTreeMap;

use super::super::time_events::{SignChange, sign_changes};
use crate::contract::{AliasOf, Dae, DeclaredEvent, DeclaredEvents, EventsDescription, Name, Occasion};
use crate::integrator::stepper::{Failure, StepControl};

/// Times of samples are computed from the first one, so that the error does not grow with their number. Times that differ
/// by no more than this many rounding errors are the same.
const ROUNDING: f64 = 4.0;
/// The number of samples from which the times are found at which conditions on time alone become true, at first and at
/// most.
const SAMPLES: [usize; 2] = [2048, 1 << 18];
/// It grows by this factor until as many changes are found this often in succession. Twice as many samples of a function
/// that oscillates too fast for either can show the same slow oscillation; the golden ratio is the farthest from that.
const MORE: f64 = 1.618;
const SAME: usize = 3;
/// The number of points at which it is seen whether a function only touches zero, and the largest value that is then due to
/// rounding errors, as a multiple of the differences between neighbouring ones.
const NEIGHBOURS: i32 = 16;
const NOISE: f64 = 4.0;
/// A value by this multiple larger than the differences to its neighbours is none of rounding errors.
const MUCH: f64 = 1e3;

/// Where the value of a jet is found.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// In $y$.
    Value(usize),
    /// In $y$, with the opposite sign.
    Opposite(usize),
    /// In $y'$.
    Slope(usize),
    /// Among the eliminated unknowns, of those that depend on parameters alone.
    Constant(usize),
}

/// The times of the samples of an event.
#[derive(Clone, Copy, Debug)]
struct Samples {
    first: f64,
    period: f64,
    /// Number of the next sample.
    next: f64,
}

impl Samples {
    fn time(&self) -> f64 {
        self.first + self.next * self.period
    }
}

/// The events that the text of a model declares, for one formulation.
pub(super) struct Declared<'d> {
    dae: &'d dyn Dae,
    events: &'d dyn DeclaredEvents,
    /// The jets that the events contain, with their places.
    sources: Vec<(usize, Source)>,
    /// The number of jets.
    jets: usize,
    /// For each change the entry of $y$ that it sets, and its sign there.
    targets: Vec<(usize, f64)>,
    /// By event; `None` for one that is no sample.
    samples: Vec<Option<Samples>>,
    /// By event the time of a limit that is ahead.
    limits: Vec<Option<f64>>,
    /// The times at which conditions on time alone become true, the last first, each with its event.
    of_time: Vec<(f64, usize)>,
    /// Whether all of these have been found.
    has_times: bool,
    /// The end of the run.
    t_end: f64,
}

/// What a change of the state by declared events is made of.
pub(super) struct Arrival<'a> {
    pub(super) t: f64,
    pub(super) y: &'a [f64],
    pub(super) yp: &'a [f64],
}

impl<'d> Declared<'d> {
    /// The events of the model that `dae` is a formulation of, for a run between these times; `None` if it has none.
    ///
    /// # Errors
    /// If the run goes backwards, if its steps are of one length and the model has samples, if the formulation has no
    /// place for something that an event contains or changes, if a period is not positive, or if a condition on time
    /// alone changes too often for all its changes to be found.
    pub(super) fn new(dae: &'d dyn Dae, [t0, t_end]: [f64; 2], control: StepControl) -> Result<Option<Self>, Failure> {
        let Some(events) = dae.prolongation().declared_events() else { return Ok(None) };
        let invalid = |message: String| Err(Failure::InvalidOption { message });
        let description = events.events_description();
        if t_end < t0 {
            return invalid("a run of a model with events goes forwards in time".into());
        }
        let places = Places::of(dae);
        let jets = &dae.prolongation().prolongation_description().jets;
        let without_place = |jet: usize, what: &str| Failure::InvalidOption {
            message: format!(
                "{what} `{}`, for which the {} form has no value: integrate another form, or give it an unknown",
                jets[jet].name,
                dae.description().form
            ),
        };
        let mut sources = Vec::with_capacity(description.jets.len());
        for &jet in description.jets.iter() {
            let source = places.sources.get(&jet).ok_or_else(|| without_place(jet, "an event contains"))?;
            sources.push((jet, *source));
        }
        let mut targets = Vec::with_capacity(description.changes.len());
        for change in description.changes.iter() {
            targets.push(match places.sources.get(&change.jet) {
                Some(Source::Value(k)) => (*k, 1.0),
                Some(Source::Opposite(k)) => (*k, -1.0),
                _ => return Err(without_place(change.jet, "an event changes")),
            });
        }
        let mut times = vec![0.0; 2 * description.events.len()];
        events.samples(&mut times);
        let mut samples = Vec::with_capacity(description.events.len());
        for (event, pair) in description.events.iter().zip(times.chunks_exact(2)) {
            let Occasion::Sample { has_first } = event.occasion else {
                samples.push(None);
                continue;
            };
            if control != StepControl::Adaptive {
                let name = &event.name;
                return invalid(format!("steps of one length do not end at the times of `{name}`: let them be chosen"));
            }
            let (first, period) = (pair[0], pair[1]);
            let is_usable = first.is_finite() && period.is_finite() && period > 0.0 && t0 + period > t0;
            if !is_usable {
                return invalid(format!("`{}` has the period {period}: it has to be a positive time", event.name));
            }
            let margin = ROUNDING * f64::EPSILON * t0.abs().max(first.abs());
            let next = ((t0 - margin - first) / period).ceil();
            samples.push(Some(Samples { first, period, next: if has_first { next.max(0.0) } else { next } }));
        }
        let (limits, of_time) = (vec![None; description.events.len()], Vec::new());
        let mut declared = Declared {
            dae,
            events,
            sources,
            jets: jets.len(),
            targets,
            samples,
            limits,
            of_time,
            has_times: false,
            t_end,
        };
        if control == StepControl::Adaptive {
            declared.plan([t0, t_end])?;
        }
        Ok(Some(declared))
    }

    /// Finds the times at which conditions on time alone become true.
    ///
    /// # Errors
    /// If more of them are found however many samples there are.
    fn plan(&mut self, ends: [f64; 2]) -> Result<(), Failure> {
        let (events, jets) = (self.events, vec![f64::NAN; self.jets]);
        let (mut holds, mut values) = (vec![0.0; self.count()], vec![0.0; self.count()]);
        let of_time = |(k, event): (usize, &DeclaredEvent)| {
            matches!(event.occasion, Occasion::Condition { of_time: true }).then_some(k)
        };
        let list: Vec<usize> = self.description().events.iter().enumerate().filter_map(of_time).collect();
        let mut all = vec![0.0; self.count()];
        let mut functions = |t: f64, values: &mut [f64]| {
            events.crossing_functions(t, &jets, &mut all);
            if list.iter().any(|&k| all[k] == 0.0) {
                events.conditions(t, &jets, &mut holds);
            }
            for (value, &k) in values.iter_mut().zip(&list) {
                let at_zero = if holds[k] > 0.5 { f64::MIN_POSITIVE } else { -f64::MIN_POSITIVE };
                *value = if all[k] == 0.0 { at_zero } else { all[k] };
            }
        };
        let mut rising = |samples: usize| -> Vec<SignChange> {
            let changes = sign_changes(list.len(), samples, ends, &mut functions);
            let next = |k: usize| changes[k + 1..].iter().find(|it| it.function == changes[k].function);
            let is_rise = |k: usize| changes[k].leaves_negative && !is_touch(&changes[k], next(k), &mut functions);
            let are_rises: Vec<bool> = (0..changes.len()).map(is_rise).collect();
            changes.into_iter().zip(are_rises).filter(|(_, is_rise)| *is_rise).map(|(change, _)| change).collect()
        };
        let (mut samples, mut same) = (SAMPLES[0], 1);
        let mut changes = rising(samples);
        while same < SAME && !list.is_empty() {
            if samples > SAMPLES[1] {
                let name = &self.description().events[list[changes.first().map_or(0, |it| it.function)]].name;
                let message = format!("`{name}` changes too often between t = {} and t = {}", ends[0], ends[1]);
                return Err(Failure::InvalidOption {
                    message: message + ": make a shorter run, or write `sample(…)`"
                });
            }
            samples = (MORE * samples as f64) as usize;
            let more = rising(samples);
            same = if more.len() == changes.len() { same + 1 } else { 1 };
            changes = more;
        }
        // The zero itself, whether the condition says `>` or `>=`; where the function jumps, the first time after that.
        let mut raw = |function: usize, t: f64| {
            events.crossing_functions(t, &jets, &mut values);
            values[list[function]]
        };
        let mut time = |change: &SignChange| {
            let (t, function) = (change.before, change.function);
            let is_zero = raw(function, t) == 0.0 && raw(function, t.next_down()) < 0.0;
            if is_zero || t == ends[0] { t } else { t.next_up() }
        };
        self.of_time = changes.iter().map(|change| (time(change), list[change.function])).collect();
        self.has_times = true;
        self.of_time.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        Ok(())
    }

    pub(super) fn description(&self) -> &'d EventsDescription {
        self.events.events_description()
    }

    /// Whether events contain a derivative, or an entry of $y$ of this kind.
    pub(super) fn contains(&self, is_of_kind: &dyn Fn(usize) -> bool) -> bool {
        self.sources.iter().any(|&(_, source)| match source {
            Source::Value(k) | Source::Opposite(k) => is_of_kind(k),
            Source::Slope(_) => true,
            Source::Constant(_) => false,
        })
    }

    /// The number of events.
    pub(super) fn count(&self) -> usize {
        self.description().events.len()
    }

    pub(super) fn name(&self, event: usize) -> &'d Name {
        &self.description().events[event].name
    }

    /// Whether an event changes nothing and does not end the run.
    pub(super) fn is_noted(&self, event: usize) -> bool {
        let description = self.description();
        let it = &description.events[event];
        !it.is_terminal && it.transitions.is_empty() && description.changes_of(event).next().is_none()
    }

    /// Whether an event occurs at the times of samples.
    pub(super) fn is_sampled(&self, event: usize) -> bool {
        self.samples[event].is_some()
    }

    /// Whether an event occurs where its condition becomes true, and not only up to a limit that is ahead.
    pub(super) fn is_searched(&self, event: usize) -> bool {
        let is_condition = matches!(self.description().events[event].occasion, Occasion::Condition { .. });
        is_condition && self.limit_of(event).is_none_or(|limit| self.limits[limit].is_none())
    }

    /// Whether an event is a condition on time alone, whose times are known.
    pub(super) fn is_of_time(&self, event: usize) -> bool {
        self.has_times && self.description().events[event].occasion == Occasion::Condition { of_time: true }
    }

    /// Whether an event occurs at the limit of another.
    pub(super) fn is_limit(&self, event: usize) -> bool {
        matches!(self.description().events[event].occasion, Occasion::Limit { .. })
    }

    /// The event at the limit of another.
    pub(super) fn limit_of(&self, event: usize) -> Option<usize> {
        let is_limit = |it: &DeclaredEvent| it.occasion == Occasion::Limit { of: event };
        self.description().events.iter().position(is_limit)
    }

    /// Has a limit occur at `t`.
    pub(super) fn plan_limit(&mut self, limit: usize, t: f64) {
        self.limits[limit] = Some(t);
    }

    /// The next time at which an event occurs whatever the solution is.
    pub(super) fn next_time(&self) -> Option<f64> {
        let of_samples = self.samples.iter().flatten().map(Samples::time);
        let of_time = self.of_time.last().map(|&(t, _)| t);
        let all = of_samples.chain(of_time).chain(self.limits.iter().flatten().copied());
        // Three tenths and a tenth three times are the same time.
        all.min_by(f64::total_cmp).map(|t| if t <= rounded_up(self.t_end) { t.min(self.t_end) } else { t })
    }

    /// The number of the next sample of an event.
    pub(super) fn next_sample(&self, event: usize) -> Option<f64> {
        self.samples[event].map(|samples| samples.next)
    }

    /// Continues the samples of an event with this number.
    pub(super) fn continue_samples(&mut self, event: usize, next: f64) {
        if let Some(samples) = &mut self.samples[event] {
            samples.next = next;
        }
    }

    /// Has the samples of an event begin after `t`.
    pub(super) fn skip_samples(&mut self, event: usize, t: f64) {
        if let Some(samples) = &mut self.samples[event] {
            while samples.time() <= rounded_up(t) {
                samples.next += 1.0;
            }
        }
    }

    /// Has no event occur again that has occurred at `t`, to within rounding errors.
    pub(super) fn drop_until(&mut self, t: f64) {
        let t = rounded_up(t);
        self.of_time.retain(|&(time, _)| time > t);
    }

    /// The events that occur at `t`, to within rounding errors, whatever the solution is, ascending; they are then over.
    pub(super) fn take_at(&mut self, t: f64) -> Vec<usize> {
        let t = rounded_up(t);
        let mut found = Vec::new();
        for (event, samples) in self.samples.iter_mut().enumerate() {
            if let Some(samples) = samples.as_mut().filter(|samples| samples.time() <= t) {
                samples.next += 1.0;
                found.push(event);
            }
        }
        while let Some((_, event)) = self.of_time.pop_if(|(time, _)| *time <= t) {
            found.push(event);
        }
        for (event, limit) in self.limits.iter_mut().enumerate() {
            found.extend(limit.take_if(|time| *time <= t).map(|_| event));
        }
        found.sort_unstable();
        found
    }

    /// The jets that the events contain, at a state; `NaN` for the others.
    fn jets(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let mut jets = vec![f64::NAN; self.jets];
        let mut constants = Vec::new();
        for &(jet, source) in &self.sources {
            jets[jet] = match source {
                Source::Value(k) => y[k],
                Source::Opposite(k) => -y[k],
                Source::Slope(k) => yp.get(k).copied().unwrap_or(f64::NAN),
                Source::Constant(k) => {
                    if constants.is_empty() {
                        constants.resize(self.dae.description().eliminated.len(), 0.0);
                        self.dae.eliminated(t, y, &mut constants);
                    }
                    constants[k]
                }
            };
        }
        jets
    }

    /// The crossing functions at a state.
    pub(super) fn functions(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.count()];
        self.events.crossing_functions(t, &self.jets(t, y, yp), &mut values);
        values
    }

    /// Whether the condition of each event holds at a state.
    pub(super) fn hold(&self, t: f64, y: &[f64], yp: &[f64]) -> Vec<bool> {
        let mut values = vec![0.0; self.count()];
        self.events.conditions(t, &self.jets(t, y, yp), &mut values);
        values.into_iter().map(|value| value > 0.5).collect()
    }

    /// Applies the changes of events, in their order, to the state `y`; `shift` are changes of the parameters, in whose
    /// direction the new values are linearised. Returns the entries of `y` that were set.
    ///
    /// # Errors
    /// Two events, and an unknown to which they give different values.
    pub(super) fn change(
        &self,
        happening: &[usize],
        at: &Arrival<'_>,
        shift: &[(usize, f64)],
        y: &mut [f64],
    ) -> Result<Vec<usize>, Conflict> {
        let description = self.description();
        let before = self.jets(at.t, at.y, at.yp);
        let mut values = vec![0.0; description.changes.len()];
        let mut slopes = vec![0.0; description.new_values_jacobian_p.len()];
        let mut set: BTreeMap<usize, usize> = BTreeMap::new();
        for &event in happening {
            if description.changes_of(event).next().is_none() {
                continue;
            }
            let recent = self.jets(at.t, y, at.yp);
            self.events.new_values(at.t, &before, &recent, &mut values);
            if !shift.is_empty() {
                self.events.new_values_jacobian_p(at.t, &before, &recent, &mut slopes);
            }
            for (k, _) in description.changes_of(event) {
                let row = description.new_values_jacobian_p.row(k);
                let by_parameters = |(column, place): (usize, usize)| {
                    shift.iter().filter(|(p, _)| *p == column).map(|(_, change)| change * slopes[place]).sum::<f64>()
                };
                let moved = if shift.is_empty() { 0.0 } else { row.map(by_parameters).sum() };
                let (place, sign) = self.targets[k];
                let value = sign * (values[k] + moved);
                if let Some(first) = set.insert(place, event)
                    && y[place] != value
                {
                    return Err(Conflict { events: [first, event], place });
                }
                y[place] = value;
            }
        }
        Ok(set.into_keys().collect())
    }

    /// Derivatives of the crossing function of an event with respect to the parameters, dense.
    pub(super) fn by_parameters(&self, event: usize, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        let pattern = &self.description().crossing_jacobian_p;
        let mut values = vec![0.0; pattern.len()];
        self.events.crossing_jacobian_p(t, &self.jets(t, y, yp), &mut values);
        let mut entries = vec![0.0; pattern.columns];
        pattern.row(event).for_each(|(column, place)| entries[column] = values[place]);
        entries
    }
}

/// Whether a function of time is positive between two changes of its sign by no more than rounding errors: it touches zero.
fn is_touch(rise: &SignChange, fall: Option<&SignChange>, functions: &mut dyn FnMut(f64, &mut [f64])) -> bool {
    let Some(fall) = fall else { return false };
    let mut values = vec![0.0; rise.function + 1];
    let mut value = |t: f64| {
        functions(t, &mut values);
        values[rise.function]
    };
    let between = |part: f64| rise.after + part * (fall.before - rise.after);
    // Neighbouring numbers differ by rounding errors, and hardly by the change of the function.
    let middle = between(0.5);
    let mut noise = |neighbours: i32| {
        let nearby = (-neighbours..=neighbours).map(|k| value(middle + f64::from(k) * f64::EPSILON * middle.abs()));
        let (least, most) = nearby.fold((f64::INFINITY, 0.0_f64), |(a, b), value| (a.min(value), b.max(value)));
        (most - least, most)
    };
    let (differences, most) = noise(1);
    if most > MUCH * differences {
        return false;
    }
    let (differences, _) = noise(NEIGHBOURS);
    let inside = (0..=NEIGHBOURS).map(|k| value(between(f64::from(k) / f64::from(NEIGHBOURS))));
    inside.fold(0.0, f64::max) <= NOISE * differences
}

/// The latest time that is `t` to within rounding errors: three tenths and a tenth three times are the same time.
fn rounded_up(t: f64) -> f64 {
    t + ROUNDING * f64::EPSILON * t.abs()
}

/// Two events that give different values to one entry of $y$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) events: [usize; 2],
    pub(super) place: usize,
}

/// The places of jets in a formulation.
struct Places {
    sources: BTreeMap<usize, Source>,
}

impl Places {
    fn of(dae: &dyn Dae) -> Self {
        let (description, prolongation) = (dae.description(), dae.prolongation().prolongation_description());
        let mut sources = BTreeMap::new();
        for (k, unknown) in description.unknowns.iter().enumerate() {
            let Some(jet) = unknown.role.jet() else { continue };
            sources.insert(jet, Source::Value(k));
        }
        for (k, it) in description.eliminated.iter().enumerate() {
            let Some(jet) = it.jet else { continue };
            sources.entry(jet).or_insert(match it.alias_of {
                AliasOf::Same(place) => Source::Value(place),
                AliasOf::Opposite(place) => Source::Opposite(place),
                AliasOf::Constant => Source::Constant(k),
            });
        }
        // Derivatives that are no unknowns of the formulation.
        for (k, unknown) in description.unknowns.iter().enumerate() {
            let is_differential = unknown.kind == crate::contract::Kind::Differential;
            let slope = unknown.role.jet().filter(|_| is_differential).and_then(|jet| prolongation.derivative_of(jet));
            if let Some(jet) = slope {
                sources.entry(jet).or_insert(Source::Slope(k));
            }
        }
        Places { sources }
    }
}
