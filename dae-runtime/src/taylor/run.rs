//! Integration by Taylor series.
//!
//! In: a [`TaylorDae`], options, an interval of time. Out: a [`TaylorSolution`], or why there is none.
//!
//! A step expands the unknowns at a consistent point, moves along the series as far as the error test of the last terms
//! allows, and projects the predicted point onto the equations of all stages up to 0. The step is accepted if that
//! changes it by no more than the tolerance ([`super::control`]).

use std::ops::ControlFlow;

use super::contract::{Jets, TaylorDae};
use super::control::{Control, Difference};
use super::failure::{TaylorError, TaylorFailure};
use super::options::{Keep, Order, StepSize, TaylorOptions};
use super::scalar::Scalar;
use super::series::shift;
use super::solution::{TaylorSolution, TaylorStatistics};
use super::stages::{StageFailure, Stages};
use super::start::{consistent_jets, sizes};

/// Steps shorter than this part of the time are below what time resolves.
const SHORTEST: f64 = 1e-14;
/// Expansions that overflow are tried again with units of time divided by this, so often.
const SHORTER_UNIT: f64 = 1.0 / 1_048_576.0;
const UNITS: usize = 12;
/// Bits to which lengths of steps are rounded, so that times add up without rounding errors.
const LENGTH_BITS: i32 = 20;

/// An integration to be configured and run.
#[must_use = "an integration does nothing until it is run"]
pub struct TaylorIntegration<'d, S> {
    dae: &'d dyn TaylorDae<S>,
    options: TaylorOptions,
    observer: Option<Observer<'d>>,
}

/// Is told the time after each step; says whether the run is to go on.
type Observer<'d> = Box<dyn FnMut(f64) -> ControlFlow<()> + 'd>;

impl<S> std::fmt::Debug for TaylorIntegration<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaylorIntegration").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'d, S: Scalar> TaylorIntegration<'d, S> {
    /// An integration with default options.
    pub fn new(dae: &'d dyn TaylorDae<S>) -> Self {
        TaylorIntegration { dae, options: TaylorOptions::default(), observer: None }
    }

    /// Replaces all options.
    pub fn options(mut self, options: TaylorOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the relative tolerance.
    pub fn rtol(mut self, rtol: f64) -> Self {
        self.options.rtol = rtol;
        self
    }

    /// Sets the absolute tolerance of all unknowns, as a fraction of the nominal value of each.
    pub fn atol(mut self, atol: f64) -> Self {
        self.options.atol = atol;
        self
    }

    /// Sets the order.
    pub fn order(mut self, order: usize) -> Self {
        self.options.order = Order::Fixed(order);
        self
    }

    /// Makes all steps but the last one as long as this, without testing errors.
    pub fn fixed_step(mut self, h: f64) -> Self {
        self.options.step_size = StepSize::Fixed(h);
        self
    }

    /// Sets what the solution keeps.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.options.keep = keep;
        self
    }

    /// Calls this with the time after each step; [`ControlFlow::Break`] ends the run
    /// ([`TaylorFailure::Interrupted`]).
    pub fn on_step(mut self, observer: impl FnMut(f64) -> ControlFlow<()> + 'd) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Finds consistent values at `t0` and integrates to `t_end`, which may be earlier.
    ///
    /// # Errors
    /// The run could not begin; or it stopped early, and the error contains the solution up to there.
    pub fn run(self, t0: f64, t_end: f64) -> Result<TaylorSolution<S>, TaylorError<S>> {
        let sound = self.options.check().and_then(|()| self.dae.taylor_description().check());
        sound.map_err(|message| TaylorError::InvalidOption { message })?;
        if !t0.is_finite() || !t_end.is_finite() {
            let message = format!("a run from t = {t0} to t = {t_end} is not finite");
            return Err(TaylorError::InvalidOption { message });
        }
        Run::begin(self.dae, self.options, t0, t_end)?.complete(self.observer)
    }
}

/// A run under way.
struct Run<'d, S> {
    dae: &'d dyn TaylorDae<S>,
    options: TaylorOptions,
    control: Control,
    stages: Stages<'d, S>,
    /// The series at the present time; complete up to stage 0.
    jets: Jets<S>,
    t_end: f64,
    solution: TaylorSolution<S>,
}

impl<'d, S: Scalar> Run<'d, S> {
    fn begin(dae: &'d dyn TaylorDae<S>, options: TaylorOptions, t0: f64, t_end: f64) -> Result<Self, TaylorError<S>> {
        let description = dae.taylor_description();
        let last = options.chosen_order() - 1;
        let mut stages = Stages::new(dae, last);
        let control = Control::new(description, &stages.free_derivatives(), &options);
        let span = (t_end - t0).abs();
        let unit = power_of_two(if span > 0.0 { span.min(1.0) } else { 1.0 });
        let width = description.highest_unknown() + last + 1;
        let jets = consistent_jets(dae, &mut stages, (t0, unit), width)?;
        let solution = TaylorSolution {
            names: description.unknowns.iter().map(|unknown| unknown.name.clone()).collect(),
            times: vec![jets.t],
            states: vec![values(&jets, description.unknowns.len())],
            statistics: TaylorStatistics { order: control.order, ..TaylorStatistics::default() },
            pieces: Vec::new(),
            lengths: description.unknowns.iter().map(|unknown| unknown.offset + last + 1).collect(),
        };
        Ok(Run { dae, options, control, stages, jets, t_end, solution })
    }

    fn complete(mut self, mut observer: Option<Observer<'_>>) -> Result<TaylorSolution<S>, TaylorError<S>> {
        loop {
            let left = S::from_f64(self.t_end) - self.jets.t;
            if left.to_f64() == 0.0 {
                self.record_end();
                return Ok(self.solution);
            }
            let made = match self.solution.statistics.steps < self.options.max_steps {
                true => self.step(left),
                false => {
                    Err(TaylorFailure::TooManySteps { t: self.jets.t.to_f64(), max_steps: self.options.max_steps })
                }
            };
            let t = self.jets.t.to_f64();
            let made = made.and_then(|()| match observer.as_mut().map(|observer| observer(t)) {
                Some(ControlFlow::Break(())) if t != self.t_end => Err(TaylorFailure::Interrupted { t }),
                _ => Ok(()),
            });
            if let Err(failure) = made {
                self.record_end();
                return Err(TaylorError::Stopped { failure, solution: Box::new(self.solution) });
            }
        }
    }

    /// Expands at the present point and makes a step.
    fn step(&mut self, left: S) -> Result<(), TaylorFailure> {
        self.expand()?;
        let description = self.dae.taylor_description();
        let t = self.jets.t.to_f64();
        let (reach, limiting) = self.control.reach(description, &self.jets);
        let h = match self.options.step_size {
            StepSize::Fixed(h) => h,
            StepSize::Controlled => reach * self.jets.unit,
        };
        let mut h = h.min(self.options.max_step);
        let mut before: Option<Difference> = None;
        loop {
            let length = self.length(h, left);
            let shortest = SHORTEST * t.abs().max(left.to_f64().abs());
            let is_too_short = length.to_f64().abs() < shortest.min(left.to_f64().abs()) || h.is_nan();
            let attempt = if is_too_short { None } else { Some(self.attempt(length)) };
            let unknown = before.map_or(limiting, |difference| difference.unknown);
            match (attempt, self.options.step_size) {
                (None, _) => {
                    let unknown = description.unknowns[unknown].name.clone();
                    return Err(TaylorFailure::StepSizeTooSmall { t, h: length.to_f64(), unknown });
                }
                (Some(Ok((next, _))), StepSize::Fixed(_)) => {
                    self.accept(next);
                    return Ok(());
                }
                (Some(Ok((next, difference))), StepSize::Controlled) => {
                    let is_rounding = |before| self.control.is_rounding::<S>(before, difference);
                    if difference.error <= 1.0 || before.is_some_and(is_rounding) {
                        self.accept(next);
                        return Ok(());
                    }
                    before = Some(difference);
                }
                (Some(Err(failure)), StepSize::Fixed(_)) => {
                    return Err(self.stages.named(failure, t, h));
                }
                (Some(Err(failure)), StepSize::Controlled) => {
                    if length.to_f64().abs() < 8.0 * shortest {
                        return Err(self.stages.named(failure, t, h));
                    }
                    before = None;
                }
            }
            self.solution.statistics.rejected += 1;
            h = 0.5 * length.to_f64().abs();
        }
    }

    /// Computes all coefficients at the present point, in units of time in which they do not overflow.
    fn expand(&mut self) -> Result<(), TaylorFailure> {
        let description = self.dae.taylor_description();
        let mut failure = match self.stages.complete(&mut self.jets) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        for _ in 0..UNITS {
            let mut scaled = self.jets.clone();
            scaled.unit *= SHORTER_UNIT;
            for (j, unknown) in description.unknowns.iter().enumerate() {
                let mut power = 1.0;
                for x in &mut scaled.of_mut(j)[..=unknown.offset] {
                    *x = x.times(power);
                    power *= SHORTER_UNIT;
                }
            }
            self.jets = scaled;
            let sizes = sizes(description, &self.jets);
            let again = self.stages.project(&mut self.jets, &sizes, |_, _| false);
            match again.and_then(|()| self.stages.complete(&mut self.jets)) {
                Ok(()) => return Ok(()),
                Err(next) => failure = next,
            }
        }
        Err(self.stages.named(failure, self.jets.t.to_f64(), 0.0))
    }

    /// The step in the direction of the run, of about this length, that ends at the end of the run or well before it.
    fn length(&self, h: f64, left: S) -> S {
        let rest = left.to_f64().abs();
        // Steps of fixed length may miss the end by the rounding errors of their sum.
        if h >= rest * (1.0 - 1e-10) {
            return left;
        }
        let h = if 2.0 * h > rest && self.options.step_size == StepSize::Controlled { 0.5 * rest } else { h };
        let h = if self.options.step_size == StepSize::Controlled { rounded(h) } else { h };
        S::from_f64(if left.to_f64() < 0.0 { -h } else { h })
    }

    /// Moves along the series and onto the equations. The difference is that between the two points.
    fn attempt(&mut self, length: S) -> Result<(Jets<S>, Difference), StageFailure> {
        let description = self.dae.taylor_description();
        let from = &self.jets;
        let theta = length / S::from_f64(from.unit);
        let unit = power_of_two(length.to_f64().abs());
        let width = description.highest_unknown() + self.control.order;
        let end = S::from_f64(self.t_end);
        let t = if length == end - from.t { end } else { from.t + length };
        let mut predicted = Jets::zeros(t, unit, description.unknowns.len(), width, S::zero());
        for (j, unknown) in description.unknowns.iter().enumerate() {
            let to = &mut predicted.of_mut(j)[..=unknown.offset];
            shift(&from.of(j)[..unknown.offset + self.control.order], theta, to);
            let mut power = 1.0;
            for x in to {
                *x = x.times(power);
                power *= unit / from.unit;
            }
        }
        let sizes = sizes(description, &predicted);
        let mut next = predicted.clone();
        self.stages.project(&mut next, &sizes, |_, _| false)?;
        let difference = self.control.difference(description, (&self.jets, theta.to_f64()), &predicted, &next);
        Ok((next, difference))
    }

    fn accept(&mut self, next: Jets<S>) {
        let before = std::mem::replace(&mut self.jets, next);
        self.solution.statistics.steps += 1;
        if self.options.keep == Keep::Series {
            self.solution.pieces.push(before);
            self.record_end();
        }
    }

    /// Records the present point, unless that has been done.
    fn record_end(&mut self) {
        let unknowns = self.dae.taylor_description().unknowns.len();
        if self.solution.times.last() != Some(&self.jets.t) || self.solution.times.len() == 1 {
            self.solution.times.push(self.jets.t);
            self.solution.states.push(values(&self.jets, unknowns));
        }
    }
}

/// The unknowns at the expansion point.
fn values<S: Copy>(jets: &Jets<S>, unknowns: usize) -> Vec<S> {
    (0..unknowns).map(|j| jets.of(j)[0]).collect()
}

/// The largest power of two that is not above this positive number.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().clamp(-1000.0, 1000.0).exp2()
}

/// The length with fewer bits.
fn rounded(h: f64) -> f64 {
    let unit = power_of_two(h) * 2.0_f64.powi(-LENGTH_BITS);
    (h / unit).floor() * unit
}
