//! The result of an integration.
//!
//! In: accepted steps, one by one, from the driver. Out: [`Solution`], which is complete up to the time where the run
//! ended, however it ended.

mod csv;
mod dense;
pub mod event;
mod invariants;
mod mode;
mod sensitivities;
mod slide;
mod switches;
pub mod unknowns;

use std::fmt;
use std::ops::RangeInclusive;

use crate::contract::{AliasOf, Dae, Eliminated, Name};
use crate::integrator::stepper::{Failure, Statistics};
use crate::linalg::vector::larger;
use crate::solution::event::Occurrence;
use dense::{DenseOutput, Piece};
pub use invariants::{Enforcement, InvariantMaximum};
use mode::InMode;
pub use mode::{EnteredMode, Jump};
pub use sensitivities::{Sensitivities, SensitivityError};
pub use slide::Slide;
pub use switches::{SwitchKind, SwitchStatistics};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The run has reached its end time.
    Success,
    /// The run ended early for this reason; the solution is then part of an error
    /// ([`RunError::Stopped`](crate::solve::RunError::Stopped)).
    Stopped(Failure),
    /// The run ended early because its step observer asked for that, or because the iterator over its steps was
    /// abandoned.
    Interrupted,
    /// The run ended early at the terminal event of this name.
    Event(Name),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Success => f.write_str("success"),
            Status::Stopped(failure) => failure.fmt(f),
            Status::Interrupted => f.write_str("interrupted"),
            Status::Event(name) => write!(f, "{name}, at which the run was to end"),
        }
    }
}

/// A computed solution.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solution {
    /// How the run ended.
    pub status: Status,
    /// Names of the entries of a state: those of $y$, and after them the unknowns that the formulation eliminated.
    pub names: Vec<Name>,
    /// Recorded times; where steps are recorded, the time of a reset occurs twice, with the states before and after it.
    pub times: Vec<f64>,
    /// Recorded states, one after the other.
    states: Vec<f64>,
    /// The relations of the eliminated unknowns to $y$; the values of those that are constant.
    eliminated: Vec<(AliasOf, f64)>,
    /// For a model with modes the relations of all names to $y$ in the present mode; then none is eliminated, since
    /// formulations of different modes have different $y$.
    #[cfg_attr(feature = "serde", serde(skip))]
    in_mode: Option<InMode>,
    /// Polynomials of the steps, if recorded.
    dense: Option<DenseOutput>,
    /// Time where the run ended.
    pub end_time: f64,
    /// State at that time.
    pub end_state: Vec<f64>,
    /// Derivative at that time, for differential unknowns.
    pub end_derivative: Vec<f64>,
    /// The events that have occurred, in order.
    pub occurrences: Vec<Occurrence>,
    /// When and where the solution slides along surfaces across which the equations jump, in the order in which it begins
    /// to.
    #[cfg_attr(feature = "serde", serde(default))]
    pub slides: Vec<Slide>,
    /// What each switching function of the formulation, in all modes that the run has entered, and each event has cost
    /// ([`Solution::switches_by_cost`]).
    #[cfg_attr(feature = "serde", serde(default))]
    pub switches: Vec<SwitchStatistics>,
    /// The modes that the run has entered, for a model with modes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub modes: Vec<EnteredMode>,
    /// Derivatives of the recorded states, if asked for.
    pub sensitivities: Option<Sensitivities>,
    /// Whether the run was made for gradients.
    is_adjoint: bool,
    /// Largest residuals of the invariants.
    pub invariants: Vec<InvariantMaximum>,
    /// Work done.
    pub statistics: Statistics,
    /// Wall-clock seconds; zero where there is no clock, as on WebAssembly in a browser.
    pub seconds: f64,
}

impl Solution {
    /// An empty record for a run from `t0`, `y0` whose steps are projected onto invariants of these levels
    /// ([`Dae::projection_level`]).
    pub(crate) fn new(dae: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64], projected: &RangeInclusive<u32>) -> Self {
        let description = dae.description();
        let mut values = vec![0.0; description.eliminated.len()];
        dae.eliminated(t0, y0, &mut values);
        let of_eliminated = description.eliminated.iter().map(|it| it.name.clone());
        let alias_of = |(it, value): (&Eliminated, f64)| (it.alias_of, value);
        let mut solution = Solution {
            status: Status::Success,
            names: description.unknowns.iter().map(|unknown| unknown.name.clone()).chain(of_eliminated).collect(),
            eliminated: description.eliminated.iter().zip(values).map(alias_of).collect(),
            times: Vec::new(),
            states: Vec::new(),
            dense: None,
            end_time: t0,
            end_state: Vec::new(),
            end_derivative: Vec::new(),
            in_mode: None,
            occurrences: Vec::new(),
            slides: Vec::new(),
            switches: Vec::new(),
            modes: Vec::new(),
            sensitivities: None,
            is_adjoint: false,
            invariants: description
                .invariants
                .iter()
                .enumerate()
                .map(|(k, it)| {
                    let enforcement = Enforcement::of(dae, k, projected);
                    InvariantMaximum { name: it.name.clone(), enforcement, max: 0.0 }
                })
                .collect(),
            statistics: Statistics::default(),
            seconds: 0.0,
        };
        solution.end_at(t0, y0, yp0);
        solution
    }

    /// Number of entries of $y$.
    fn width(&self) -> usize {
        self.names.len() - self.eliminated.len()
    }

    /// $y$ followed by the eliminated unknowns, of which the constant ones have the given value.
    fn extended(&self, y: &[f64], constant: impl Fn(f64) -> f64) -> Vec<f64> {
        if let Some(InMode { columns, .. }) = &self.in_mode {
            return columns.iter().map(|&(of, value)| of.value(y).unwrap_or_else(|| constant(value))).collect();
        }
        let eliminated =
            self.eliminated.iter().map(|&(alias_of, value)| alias_of.value(y).unwrap_or_else(|| constant(value)));
        y.iter().copied().chain(eliminated).collect()
    }

    /// Restricts the names to those of which the formulation in every mode of the model has a value. The solution is empty.
    pub(crate) fn restrict_to(&mut self, names: Vec<Name>) {
        self.names = names;
        self.eliminated.clear();
    }

    /// Continues with the formulation in another mode, with this state; names have been restricted to common ones.
    pub(crate) fn enter(&mut self, dae: &dyn Dae, (t, y, yp): (f64, &[f64], &[f64]), projected: &RangeInclusive<u32>) {
        self.in_mode = Some(InMode::of(dae, (t, y), &self.names, &mut self.invariants, projected));
        self.end_at(t, y, yp);
    }

    /// The name of an entry of $y$.
    pub(crate) fn name_of(&self, entry: usize) -> Name {
        let place = self.in_mode.as_ref().map_or(Some(entry), |it| it.place_of(entry));
        place.and_then(|place| self.names.get(place).cloned()).unwrap_or_else(|| "-".into())
    }

    /// Records the present end of the run.
    pub(crate) fn end_at(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.end_time = t;
        self.end_state = self.extended(y, |value| value);
        self.end_derivative = self.extended(yp, |_| 0.0);
    }

    /// Replaces the state at the end, and in the record if it is there.
    pub(crate) fn replace_end(&mut self, y: &[f64]) {
        let state = self.extended(y, |value| value);
        let before = std::mem::replace(&mut self.end_state, state);
        if self.states.ends_with(&before) {
            let last = self.states.len() - before.len();
            self.states[last..].copy_from_slice(&self.end_state);
        }
    }

    /// Records derivatives of the state recorded last, if they are asked for: those of all entries of a state of the
    /// formulation and of its eliminated unknowns, quantity by quantity.
    pub(crate) fn push_derivatives(&mut self, values: impl FnOnce() -> Vec<f64>) {
        if self.sensitivities.is_some() {
            let entries = self.entries_of_derivatives(&values());
            self.sensitivities.iter_mut().for_each(|it| it.push(entries.iter().copied()));
        }
    }

    /// Derivatives of the entries of the solution from those of a state of the formulation and of its eliminated unknowns.
    pub(crate) fn entries_of_derivatives(&self, values: &[f64]) -> Vec<f64> {
        match &self.in_mode {
            Some(in_mode) => in_mode.entries(values),
            None => values.to_vec(),
        }
    }

    /// Whether the run came to its end: the end time, or a terminal event. If
    /// [`Integration::run`](crate::solve::Integration::run) returns `Ok` and this is false, the run was interrupted.
    pub fn is_success(&self) -> bool {
        matches!(self.status, Status::Success | Status::Event(_))
    }

    /// The `i`-th recorded state.
    pub fn state(&self, i: usize) -> Option<&[f64]> {
        if i >= self.times.len() {
            return None;
        }
        let n = self.names.len();
        self.states.get(i * n..(i + 1) * n)
    }

    /// Recorded times and states.
    pub fn iter(&self) -> States<'_> {
        States { solution: self, indices: 0..self.times.len() }
    }

    /// All recorded values of one unknown.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let k = self.position(name)?;
        Some(self.iter().map(|(_, state)| state[k]).collect())
    }

    /// The state at `t`: recorded, or interpolated if dense output was recorded and covers `t`; where there was a reset, the one before it.
    pub fn at(&self, t: f64) -> Option<Vec<f64>> {
        (0..self.names.len()).map(|k| self.component(k, t)).collect()
    }

    /// One unknown at `t`, as [`Solution::at`].
    pub fn value(&self, name: &str, t: f64) -> Option<f64> {
        self.component(self.position(name)?, t)
    }

    /// Derivatives of one unknown with respect to the parameter, or the start value of the unknown, named `by`, at all
    /// recorded times. They have to be requested before the run
    /// ([`Integration::sensitivities`](crate::solve::Integration::sensitivities)).
    ///
    /// # Errors
    /// There are no such derivatives; the error says why.
    pub fn sensitivity(&self, name: &str, by: &str) -> Result<Vec<f64>, SensitivityError> {
        let missing = if self.is_adjoint { SensitivityError::Adjoint } else { SensitivityError::NotRequested };
        let sensitivities = self.sensitivities.as_ref().ok_or(missing)?;
        let unknown = || SensitivityError::UnknownName { name: name.to_string(), known: self.names.clone() };
        let k = self.position(name).ok_or_else(unknown)?;
        let known = &sensitivities.quantities;
        let other = || SensitivityError::UnknownQuantity { quantity: by.to_string(), known: known.clone() };
        let quantity = known.iter().position(|quantity| quantity == by).ok_or_else(other)?;
        let at = |(i, &t): (usize, &f64)| {
            let column = sensitivities.column(i, quantity, self.names.len());
            column.map(|column| column[k]).ok_or(SensitivityError::NotRecorded { t })
        };
        self.times.iter().enumerate().map(at).collect()
    }

    /// Derivative of one unknown with respect to `by` at one recorded time; where there was a reset, before it.
    ///
    /// # Errors
    /// As for [`Solution::sensitivity`], or the time is not recorded.
    pub fn sensitivity_at(&self, name: &str, by: &str, t: f64) -> Result<f64, SensitivityError> {
        let values = self.sensitivity(name, by)?;
        let place = self.times.iter().position(|&time| time == t);
        place.and_then(|i| values.get(i).copied()).ok_or(SensitivityError::NotRecorded { t })
    }

    /// Notes that the run keeps its derivatives for going back.
    pub(crate) fn note_adjoint(&mut self) {
        self.is_adjoint = true;
    }

    /// Largest residual of the invariants that the run keeps, since the formulation enforces them or steps are projected
    /// onto them; zero if there are none.
    pub fn invariants_max(&self) -> f64 {
        let kept = self.invariants.iter().filter(|i| i.enforcement != Enforcement::Implied);
        kept.map(|i| i.max).fold(0.0, larger)
    }

    /// The switching functions and events at which anything has happened, the most expensive ones first: those with the
    /// most repeated steps and restarts.
    pub fn switches_by_cost(&self) -> Vec<&SwitchStatistics> {
        let mut list: Vec<&SwitchStatistics> = self.switches.iter().filter(|it| !it.is_idle()).collect();
        list.sort_by_key(|it| std::cmp::Reverse((it.rejected() + it.restarts, it.crossings)));
        list
    }

    /// Adds the numbers of a part of the run.
    pub(crate) fn add_switches(&mut self, part: impl IntoIterator<Item = SwitchStatistics>) {
        switches::add(&mut self.switches, part);
    }

    /// Adds what the record says: how often events have occurred, and how long the solution has slid.
    pub(crate) fn add_recorded_switches(&mut self) {
        let events = self.occurrences.iter().map(|it| SwitchStatistics::of_occurrence(&it.event));
        let slides = self.slides.iter().map(|it| {
            let until = it.end.unwrap_or(self.end_time);
            SwitchStatistics::of_slide(&it.switch, (until - it.begin).abs())
        });
        switches::add(&mut self.switches, events.chain(slides));
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Entry `k` of the state at `t`, as [`Solution::at`]; `None` if there is no such entry.
    pub fn component(&self, k: usize, t: f64) -> Option<f64> {
        if k >= self.names.len() {
            return None;
        }
        let direction = if self.end_time < *self.times.first()? { -1.0 } else { 1.0 };
        let i = self.times.partition_point(|time| (time - t) * direction < 0.0);
        if self.times.get(i) == Some(&t) {
            return self.state(i).map(|state| state[k]);
        }
        let dense = self.dense.as_ref()?;
        if i == 0 || i == self.times.len() || !t.is_finite() {
            return None;
        }
        let n = self.width();
        let (k, sign) = match k.checked_sub(n).and_then(|k| self.eliminated.get(k)) {
            None => (k, 1.0),
            Some((AliasOf::Same(k), _)) => (*k, 1.0),
            Some((AliasOf::Opposite(k), _)) => (*k, -1.0),
            Some((AliasOf::Constant, value)) => return Some(*value),
        };
        let s = (t - self.times[i]) / (self.times[i] - self.times[i - 1]);
        // Between times that differ by rounding errors there may be no polynomial.
        let value = dense.evaluate(i - 1, n, k, s).or_else(|| self.state(i).map(|state| state[k]));
        value.map(|value| sign * value)
    }

    pub(crate) fn push(&mut self, t: f64, y: &[f64]) {
        self.times.push(t);
        let state = self.extended(y, |value| value);
        self.states.extend(state);
    }

    /// Begins the polynomials of the step that ended in the last state pushed.
    pub(crate) fn begin_polynomials(&mut self) {
        let dense = self.dense.get_or_insert_default();
        dense.steps.push(dense.pieces.len());
    }

    /// Appends a polynomial on a part of that step, in units of the step from its end; the parts are consecutive.
    /// Coefficients are as in [`crate::integrator::stepper::Stepper::dense_coefficients`], in units of the part from its end.
    pub(crate) fn push_polynomial(&mut self, [begin, end]: [f64; 2], coefficients: &[f64]) {
        let dense = self.dense.get_or_insert_default();
        dense.pieces.push(Piece { begin, end, start: dense.coefficients.len() });
        match &self.in_mode {
            None => dense.coefficients.extend_from_slice(coefficients),
            Some(in_mode) => in_mode.extend_by_polynomial(coefficients, &mut dense.coefficients),
        }
    }

    /// Sets derivatives, for each quantity and each recorded time those of $y$.
    pub(crate) fn set_sensitivities(&mut self, quantities: Vec<Name>, derivatives: &[Vec<Vec<f64>>]) {
        let mut sensitivities = Sensitivities::new(quantities);
        for i in 0..self.times.len() {
            for of_quantity in derivatives {
                sensitivities.push(self.extended(&of_quantity[i], |_| 0.0).into_iter());
            }
        }
        self.sensitivities = Some(sensitivities);
    }

    /// Continues with a solution that begins where this one ends. Derivatives are not taken over.
    pub(crate) fn append(&mut self, next: Solution) {
        let width = self.names.len();
        self.times.extend(next.times.iter().skip(1));
        self.states.extend(next.states.iter().skip(width));
        if let (Some(dense), Some(more)) = (&mut self.dense, next.dense) {
            let (pieces, coefficients) = (dense.pieces.len(), dense.coefficients.len());
            dense.steps.extend(more.steps.iter().map(|first| first + pieces));
            dense.pieces.extend(more.pieces.into_iter().map(|it| Piece { start: it.start + coefficients, ..it }));
            dense.coefficients.extend(more.coefficients);
        }
        self.note_invariants(&next.invariants.iter().map(|it| it.max).collect::<Vec<f64>>());
        (self.end_time, self.end_state, self.end_derivative) = (next.end_time, next.end_state, next.end_derivative);
        self.statistics += next.statistics;
        self.add_switches(next.switches);
        self.status = next.status;
    }

    pub(crate) fn note_event(&mut self, event: &Name, message: Option<&Name>, t: f64, y: &[f64]) {
        let state = self.extended(y, |value| value);
        let (event, message) = (event.clone(), message.cloned());
        self.occurrences.push(Occurrence { event, message, t, state, time_derivatives: Vec::new() });
    }

    pub(crate) fn note_invariants(&mut self, residuals: &[f64]) {
        for (k, residual) in residuals.iter().enumerate() {
            let place = self.in_mode.as_ref().map_or(k, |it| it.invariants.get(k).copied().unwrap_or(k));
            if let Some(invariant) = self.invariants.get_mut(place) {
                invariant.max = larger(invariant.max, residual.abs());
            }
        }
    }
}

/// Recorded times and states of a solution, in the order of the run ([`Solution::iter`]).
#[derive(Clone, Debug)]
pub struct States<'s> {
    solution: &'s Solution,
    indices: std::ops::Range<usize>,
}

impl<'s> Iterator for States<'s> {
    type Item = (f64, &'s [f64]);

    fn next(&mut self) -> Option<Self::Item> {
        let i = self.indices.next()?;
        Some((self.solution.times[i], self.solution.state(i)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
}

impl DoubleEndedIterator for States<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let i = self.indices.next_back()?;
        Some((self.solution.times[i], self.solution.state(i)?))
    }
}

impl ExactSizeIterator for States<'_> {}

impl<'s> IntoIterator for &'s Solution {
    type Item = (f64, &'s [f64]);
    type IntoIter = States<'s>;

    fn into_iter(self) -> States<'s> {
        self.iter()
    }
}

/// A short form without the record: Rust prints this where a failed run ends a program.
impl fmt::Debug for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solution")
            .field("status", &self.status)
            .field("recorded", &self.times.len())
            .field("names", &self.names)
            .field("end_time", &self.end_time)
            .field("end_state", &self.end_state)
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}
