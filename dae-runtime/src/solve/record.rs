//! What is recorded of a run.
//!
//! In: a stepper after each accepted step. Out: states in the [`Solution`], at the steps or at the times requested,
//! polynomials between them, and sensitivities.

use std::rc::Rc;

use super::dense;
use super::events::Events;
use super::restarts::PiecewiseRun;
use super::time_events::margin;
use crate::contract::{Dae, Kind, Name};
use crate::integrator::hidden::Hidden;
use crate::integrator::stepper::{Failure, Projection, StepCause, Stepper};
use crate::sensitivity::{InStep, Sensitivities, Variation};
use crate::solution::Solution;

/// What a solution records of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Record {
    /// The start and every accepted step.
    #[default]
    Steps,
    /// The start, every accepted step and polynomials between, so that the solution can be evaluated anywhere: the
    /// dense output of the method, or several shorter pieces where that does not satisfy the equations, since error
    /// tests do not cover all unknowns between the ends of a step. Costs at least two residuals per step.
    Dense,
    /// Exactly these times, in the direction of the run, with the accuracy of the method: Radau IIA ends steps there,
    /// since its dense output is less accurate; BDF interpolates by its own polynomial, which leaves its steps
    /// unchanged, and where that does not satisfy the equations, the unknowns concerned are solved for. Algebraic
    /// unknowns of higher index follow from the states by the hidden equations, as at the end of every run: no error
    /// test is sharp for them. Constraints hold at interpolated states to the accuracy of the interpolation. At the
    /// time of a reset, the state before it is recorded.
    At(Vec<f64>),
}

/// A step from `before` to the present time of the stepper (none if the two are equal), and what is to take it in.
pub(super) struct Made<'a, 'd, 'c> {
    pub(super) stepper: &'a mut dyn Stepper,
    pub(super) before: f64,
    pub(super) events: &'a mut Events<'d, 'c>,
    pub(super) solution: &'a mut Solution,
}

/// The record of a run under way.
pub(super) struct Recorder<'d> {
    record: Record,
    /// Number of requested times that have been reached.
    reached: usize,
    /// The sign of the direction of the run.
    pub(super) direction: f64,
    /// Start time of the run.
    t0: f64,
    state: Vec<f64>,
    /// Sensitivities, if they are requested.
    pub(super) variation: Option<Variation<'d>>,
    /// Finds unknowns of higher index at the times requested and at the end.
    hidden: Option<Rc<Hidden<'d>>>,
    /// The formulation, if what is recorded is projected onto its constraints.
    projected: Option<&'d dyn Dae>,
}

impl<'d> Recorder<'d> {
    pub(super) fn new(record: Record, variation: Option<Variation<'d>>, t0: f64, t_end: f64) -> Result<Self, Failure> {
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        if let Record::At(times) = &record {
            let inside = |t: f64| (t - t0) * direction >= 0.0 && (t_end - t) * direction >= 0.0;
            if let Some(t) = times.iter().find(|&&t| !inside(t)) {
                let message = format!("output time {t} is not between {t0} and {t_end}");
                return Err(Failure::InvalidOption { message });
            }
            if times.windows(2).any(|pair| (pair[1] - pair[0]) * direction < 0.0) {
                let message = "output times are not in the direction of the run".into();
                return Err(Failure::InvalidOption { message });
            }
        }
        Ok(Recorder { record, reached: 0, direction, t0, state: Vec::new(), variation, hidden: None, projected: None })
    }

    /// Sets what makes unknowns of higher index as accurate as states, at the times requested and at the end.
    pub(super) fn improve_by(&mut self, hidden: Option<Rc<Hidden<'d>>>) {
        self.hidden = hidden;
    }

    /// Sets the formulation onto whose constraints states are projected before they are recorded.
    ///
    /// # Errors
    /// Derivatives of states are recorded as well, which would have to be projected otherwise.
    pub(super) fn project_onto(&mut self, dae: &'d dyn Dae) -> Result<(), Failure> {
        if self.variation.is_some() {
            let message =
                "the derivatives of a solution whose output alone is projected are not known: project its steps";
            return Err(Failure::InvalidOption { message: message.into() });
        }
        self.projected = Some(dae);
        Ok(())
    }

    /// Moves a state onto all constraints, with the algebraic unknowns that belong to it, if this has been asked for.
    fn project(&self, t: f64, state: &mut [f64]) -> Result<(), Failure> {
        let Some(dae) = self.projected else { return Ok(()) };
        let unknowns = &dae.description().unknowns;
        dae.project(t, state, Projection::On.levels()).map_err(|unknown| {
            let unknown = unknowns.get(unknown).map_or("-".into(), |unknown| unknown.name.clone());
            Failure::NotProjected { t, unknown }
        })?;
        let (slope, mut residual) = (vec![0.0; state.len()], vec![0.0; state.len()]);
        dae.residual(t, state, &slope, &mut residual);
        let equations = &dae.description().equations;
        let faulty = equations.iter().zip(&residual).filter(|(_, residual)| !residual.is_finite());
        let faulty: Vec<Name> = faulty.map(|(equation, _)| equation.name.clone()).collect();
        if !faulty.is_empty() {
            return Err(Failure::NonFinite { t, equations: faulty });
        }
        let algebraic = unknowns.iter().zip(residual).zip(state).filter(|((it, _), _)| it.kind != Kind::Differential);
        algebraic.for_each(|((_, residual), y)| *y -= residual);
        Ok(())
    }

    /// Makes unknowns of higher index as accurate as states, except at the start, at a switch, and where the solution
    /// slides between the equations of two sides.
    fn improve(&self, stepper: &dyn Stepper, t: f64, state: &mut [f64]) {
        if let Some(hidden) =
            self.hidden.as_ref().filter(|_| t != self.t0 && stepper.at_switch().is_none() && !stepper.is_sliding())
        {
            hidden.improve(t, state, &mut stepper.derivative().to_vec());
        }
    }

    /// Records the state at the end of a run.
    ///
    /// # Errors
    /// It cannot be projected.
    pub(super) fn end(&mut self, stepper: &dyn Stepper, solution: &mut Solution) -> Result<(), Failure> {
        let (t, mut state) = (stepper.time(), stepper.state().to_vec());
        solution.end_at(t, &state, stepper.derivative());
        self.improve(stepper, t, &mut state);
        let projected = self.project(t, &mut state);
        solution.replace_end(&state);
        if let Some(variation) = self.variation.as_mut().filter(|variation| !variation.has_tape()) {
            variation.note_record(t, &state);
        }
        projected
    }

    /// An empty record of sensitivities, if they are requested.
    pub(super) fn sensitivities(&self) -> Option<Sensitivities> {
        self.variation.as_ref().and_then(Variation::quantities).map(Sensitivities::new)
    }

    /// The next time requested.
    pub(super) fn next(&self) -> Option<f64> {
        match &self.record {
            Record::At(times) => times.get(self.reached).copied(),
            Record::Steps | Record::Dense => None,
        }
    }

    /// Takes in a step, or the start.
    pub(super) fn step(&mut self, made: &mut Made<'_, '_, '_>) -> Result<(), Failure> {
        let t = made.stepper.time();
        self.times_reached(made)?;
        self.advance(made, t)?;
        if !matches!(self.record, Record::At(_)) {
            let mut state = std::mem::take(&mut self.state);
            state.clear();
            state.extend_from_slice(made.stepper.state());
            let projected = self.project(t, &mut state);
            self.push(t, &state, made.solution);
            self.state = state;
            projected?;
        }
        if self.record == Record::Dense && t != made.before {
            dense::record(made.stepper, made.before, made.solution);
        }
        Ok(())
    }

    /// Records the requested times that the step has reached.
    fn times_reached(&mut self, made: &mut Made<'_, '_, '_>) -> Result<(), Failure> {
        let now = made.stepper.time();
        while let Some(t) = self.next() {
            // Between two pieces of a run the equations belong to neither: such a time counts as the end of the first.
            let is_end = (now - t).abs() <= 2.0 * margin(t, self.t0);
            if !is_end && (now - t) * self.direction < 0.0 {
                break;
            }
            self.advance(made, if is_end { now } else { t })?;
            let mut state = std::mem::take(&mut self.state);
            state.resize(made.stepper.state().len(), 0.0);
            if is_end {
                state.copy_from_slice(made.stepper.state());
            } else {
                made.stepper.interpolate(t, &mut state);
            }
            self.improve(made.stepper, if is_end { now } else { t }, &mut state);
            if let Some(k) = state.iter().position(|x| !x.is_finite()) {
                let unknown = made.solution.name_of(k);
                let (t, h) = (made.before, now - made.before);
                return Err(Failure::StepSizeTooSmall { t, h, cause: StepCause::Overflow { unknown } });
            }
            self.project(t, &mut state)?;
            self.push(t, &state, made.solution);
            self.state = state;
            self.reached += 1;
        }
        Ok(())
    }

    /// Goes on in another mode, whose equations begin to hold at `t`.
    pub(super) fn enter(&mut self, t: f64, hidden: Option<Rc<Hidden<'d>>>, dae: &'d dyn Dae) {
        (self.t0, self.hidden) = (t, hidden);
        self.projected = self.projected.map(|_| dae);
    }

    /// Records the state from which the run continues after a reset.
    pub(super) fn restart(&mut self, t: f64, y: &[f64], solution: &mut Solution) {
        if !matches!(self.record, Record::At(_)) {
            self.push(t, y, solution);
        }
        if self.record == Record::Dense {
            solution.begin_polynomials();
        }
    }

    /// Completes the record of a run whose last step ended at a switch within rounding errors of the end time.
    pub(super) fn end_at(&mut self, made: &mut Made<'_, '_, '_>) -> Result<(), Failure> {
        match (&self.record, made.solution.times.last_mut()) {
            (Record::Steps | Record::Dense, Some(last)) => {
                *last = made.stepper.time();
                Ok(())
            }
            _ => self.times_reached(made),
        }
    }

    /// Notes that the equations change where the last step has ended, if that is at a zero of a switching function.
    pub(super) fn leave(&mut self, run: &mut PiecewiseRun<'_>, before: f64) -> Result<(), Failure> {
        let Some(variation) = &mut self.variation else { return Ok(()) };
        let (switches, now, step) = (run.at_switches(), run.stepper.time(), run.last_step());
        variation.leave(&switches, &InStep::at(run.stepper.as_mut(), before, now, step))
    }

    /// An error if sensitivities are requested and the run slides along a surface: they are not carried there.
    pub(super) fn follow(&self, run: &PiecewiseRun<'_>) -> Result<(), Failure> {
        match &self.variation {
            Some(variation) if run.is_along() => Err(variation.no_derivative(run.stepper.time(), 0)),
            Some(_) | None => Ok(()),
        }
    }

    /// Records the work done for sensitivities.
    pub(super) fn finish(&self, solution: &mut Solution) {
        if let (Some(variation), Some(sensitivities)) = (&self.variation, &mut solution.sensitivities) {
            sensitivities.statistics = variation.statistics();
        }
    }

    fn advance(&mut self, made: &mut Made<'_, '_, '_>, until: f64) -> Result<(), Failure> {
        let Made { stepper, before, events, solution } = made;
        match &mut self.variation {
            Some(variation) if stepper.time() != *before => events.carry(variation, *stepper, *before, until, solution),
            _ => Ok(()),
        }
    }

    pub(super) fn push(&mut self, t: f64, y: &[f64], solution: &mut Solution) {
        solution.push(t, y);
        if let Some(variation) = &mut self.variation {
            variation.note_record(t, y);
            solution.push_derivatives(|| variation.values().collect());
        }
    }
}
