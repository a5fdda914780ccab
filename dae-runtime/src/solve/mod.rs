//! The driver: a formulation, a method and options in, a [`Solution`] out.
//!
//! In: a [`Dae`]. Out: its solution as far as it exists, with the reason if that is not the end time.
//! The driver loops over the steps of a [`Stepper`]; only `method` and `segments` know methods, and methods know nothing of output. Where
//! a function of the time changes its branch (the kinks of an input) a step ends, and the method starts again.
//!
//! ```
//! # use dae_runtime::contract::Dae;
//! use dae_runtime::solve::{Integration, Record};
//! # fn demo(pendulum: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
//!
//! let solution = Integration::new(pendulum).rtol(1e-8).atol(1e-8).record(Record::Dense).run(0.0, 10.0)?;
//! println!("{}: x(5) = {:?}", solution.status, solution.value("x", 5.0));
//! # Ok(())
//! # }
//! ```

mod crossing;
mod dense;
mod events;
mod method;
mod multipliers;
mod record;
mod segments;

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::Instant;

use crate::class::{Classified, Open, Treats};
use crate::contract::{Dae, Name};
use crate::event::Event;
use crate::initialize::{InitializationError, InitializationOptions, consistent_initialization};
use crate::sensitivity::{Adjoint, Beginning, Quantity, Sensitivities, StartOfVariation, Variation};
use crate::signal::InputError;
use crate::solution::{Solution, Status};
use crate::stepper::{ClosingCorrection, DenseAccuracy, Failure, Options, StepControl, Tolerance};
use events::{Consequence, Events, Passage};
pub use method::Method;
use multipliers::multiplier_not_zero;
pub use record::Record;
use record::Recorder;
use segments::Segments;

/// Why there is no solution at all, not even its start.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// No consistent initial values were found.
    Initialization(InitializationError),
    /// An option has no meaning ([`Failure::InvalidOption`]).
    Options(Failure),
    /// An input of the caller does not give what the model needs.
    Input(InputError),
}

/// What is wrong with a parameter would otherwise be blamed on unknowns.
fn check_parameters(dae: &dyn Dae) -> Result<(), RunError> {
    match dae.parameters().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(k) => {
            let (parameter, value) = (dae.description().parameters[k].clone(), dae.parameters()[k]);
            Err(RunError::Initialization(InitializationError::NonFiniteParameter { parameter, value }))
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Initialization(error) => write!(f, "no consistent initial values: {error}"),
            RunError::Options(failure) => failure.fmt(f),
            RunError::Input(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<InitializationError> for RunError {
    fn from(error: InitializationError) -> Self {
        RunError::Initialization(error)
    }
}

impl From<InputError> for RunError {
    fn from(error: InputError) -> Self {
        RunError::Input(error)
    }
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        RunError::Options(failure)
    }
}

/// Told the time after each step; says whether to go on.
type Observer<'c> = &'c mut dyn FnMut(f64) -> ControlFlow<()>;

/// An integration to be configured and run.
///
/// `C` is the class of the formulation ([`crate::class`]).
pub struct Integration<'d, 'c, C = Open> {
    class: PhantomData<C>,
    dae: &'d dyn Dae,
    method: Method,
    options: Options,
    initialization: InitializationOptions,
    record: Record,
    sensitivities: Vec<Name>,
    events: Vec<Event<'c>>,
    observer: Option<Observer<'c>>,
}

impl<'d, 'c, C> Integration<'d, 'c, C> {
    /// An integration with Radau5 and default options.
    pub fn new<D: Classified<Class = C> + ?Sized>(dae: &'d D) -> Self {
        Integration {
            class: PhantomData,
            dae: dae.as_dae(),
            method: Method::default(),
            options: Options::default(),
            initialization: InitializationOptions::default(),
            record: Record::default(),
            sensitivities: Vec::new(),
            events: Vec::new(),
            observer: None,
        }
    }

    /// Chooses the method: [`crate::class::Bdf`] or [`crate::class::Radau5`], which only go with formulations that they suit, or a [`Method`].
    pub fn method(mut self, method: impl Treats<C>) -> Self {
        self.method = method.method();
        self
    }

    /// Replaces all options.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Replaces the options of the consistent initialisation.
    pub fn initialization(mut self, options: InitializationOptions) -> Self {
        self.initialization = options;
        self
    }

    /// Sets the relative tolerance.
    pub fn rtol(mut self, rtol: f64) -> Self {
        self.options.rtol = rtol;
        self
    }

    /// Sets the absolute tolerance of all unknowns, as a part of the nominal value of each.
    pub fn atol(mut self, atol: f64) -> Self {
        self.options.atol = Tolerance::Scalar(atol);
        self
    }

    /// Integrates with steps of this length.
    pub fn fixed_step(mut self, h: f64) -> Self {
        self.options.control = StepControl::Fixed(h);
        self
    }

    /// Bounds the length of the steps.
    pub fn max_step(mut self, h: f64) -> Self {
        self.options.max_step = h;
        self
    }

    /// Bounds the number of steps.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.options.max_steps = steps;
        self
    }

    /// Bounds the order of a method of variable order.
    pub fn max_order(mut self, order: usize) -> Self {
        self.options.max_order = Some(order);
        self
    }

    /// Switches the closing correction.
    pub fn closing_correction(mut self, mode: ClosingCorrection) -> Self {
        self.options.closing_correction = mode;
        self
    }

    /// Chooses what the solution keeps.
    pub fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Asks for the derivatives of the solution by these: parameters, and unknowns (or derivatives, `der(x)`) of which that is the start value, by name.
    /// They are in [`Solution::sensitivities`]. The run has to begin with the start values of the model ([`Integration::run`]).
    pub fn sensitivities<N: Into<Name>>(mut self, by: impl IntoIterator<Item = N>) -> Self {
        self.sensitivities = by.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an event. Where several happen at one time, resets are made in the order in which they were added.
    pub fn event(mut self, event: Event<'c>) -> Self {
        self.events.push(event);
        self
    }

    /// Is called with the time after each step, and can end the run.
    pub fn on_step(mut self, observer: Observer<'c>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Finds consistent initial values at `t0`, starting from those of the model, and integrates to `t_end`, which may be
    /// earlier. An `Err` means that there is nothing to record; how the integration ended is the status of the solution.
    pub fn run(self, t0: f64, t_end: f64) -> Result<Solution, RunError> {
        let clock = Instant::now();
        let Beginning { t0, y0, yp0, quantities, derivatives } = self.begin(t0)?;
        let mut recorder = Recorder::new(&self.record, t0, t_end)?;
        if !quantities.is_empty() {
            let start = (t0, &y0[..], &yp0[..]);
            recorder.variation = Some(Variation::new(self.dae, start, t_end, quantities, derivatives, &self.options));
        }
        let mut solution = self.run_recorded(t0, &y0, &yp0, t_end, &mut recorder)?;
        solution.seconds = clock.elapsed().as_secs_f64();
        Ok(solution)
    }

    /// The same, and keeps what it takes to go back through the run: for gradients of functions of the solution by what was named in
    /// [`Integration::sensitivities`], any number of parameters and start values.
    ///
    /// The distance that a mass on a spring has from 1 after ten seconds, by its parameters:
    ///
    /// ```
    /// # use dae_runtime::contract::Dae;
    /// use dae_runtime::solve::Integration;
    /// # fn demo(spring: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let run = Integration::new(spring).sensitivities(["stiffness", "damping", "x"]).adjoint(0.0, 10.0)?;
    /// let distance = run.solution.end_state[0] - 1.0;
    /// let by_stiffness = 2.0 * distance * run.gradient("x")?.by("stiffness").ok_or("asked for")?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn adjoint(mut self, t0: f64, t_end: f64) -> Result<Adjoint<'d>, RunError> {
        let (dae, options, clock) = (self.dae, self.options.clone(), Instant::now());
        let beginning = self.begin(t0)?;
        Adjoint::check(dae, &beginning.quantities)?;
        let mut recorder = Recorder::new(&self.record, t0, t_end)?;
        recorder.variation = Some(Variation::with_tape(dae, &beginning, t_end, &options));
        self.sensitivities.clear();
        let mut solution = self.run_recorded(t0, &beginning.y0, &beginning.yp0, t_end, &mut recorder)?;
        solution.seconds = clock.elapsed().as_secs_f64();
        let tape = recorder.variation.and_then(Variation::into_tape).unwrap_or_default();
        Ok(Adjoint::new(dae, solution, beginning, tape, options))
    }

    /// Consistent initial values, and their derivatives by what sensitivities are asked for.
    fn begin(&self, t0: f64) -> Result<Beginning, RunError> {
        let dae = self.dae;
        if let Some(error) = dae.input_error() {
            return Err(RunError::Input(error));
        }
        check_parameters(dae)?;
        let n = dae.description().unknowns.len();
        let (mut y0, mut yp0) = (vec![0.0; n], vec![0.0; n]);
        let initial = consistent_initialization(dae.prolongation(), t0, &self.initialization)?;
        dae.states_from_jets(t0, &initial.jets, &mut y0, &mut yp0);
        let quantities = self.sensitivities.iter().map(|name| Quantity::named(dae, t0, name));
        let quantities = quantities.collect::<Result<Vec<_>, String>>();
        let quantities = quantities.map_err(|message| Failure::InvalidOption { message })?;
        if !quantities.is_empty() {
            self.options.check(n)?;
        }
        let derivatives = StartOfVariation::new(dae, t0, &initial.jets, &quantities)?;
        Ok(Beginning { t0, y0, yp0, quantities, derivatives })
    }

    /// Integrates from consistent values at `t0` to `t_end`, which may be earlier. An `Err` is a misuse (an option
    /// without meaning); how the integration ended is the status of the solution.
    pub fn run_from(self, t0: f64, y0: &[f64], yp0: &[f64], t_end: f64) -> Result<Solution, Failure> {
        if !self.sensitivities.is_empty() {
            let message = "sensitivities begin with the start values of the model: use `run`".into();
            return Err(Failure::InvalidOption { message });
        }
        let mut recorder = Recorder::new(&self.record, t0, t_end)?;
        self.run_recorded(t0, y0, yp0, t_end, &mut recorder)
    }

    fn run_recorded(
        self,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        t_end: f64,
        recorder: &mut Recorder<'d>,
    ) -> Result<Solution, Failure> {
        let clock = Instant::now();
        let (dae, options) = (self.dae, self.options.clone());
        // A state of an earlier solution ends with the unknowns that the formulation eliminated.
        let description = self.dae.description();
        let n = description.unknowns.len();
        let whole = n + description.eliminated.len();
        let [y0, yp0] = [y0, yp0].map(|values| if values.len() == whole { &values[..n] } else { values });
        let mut solution = Solution::new(self.dae, t0, y0, yp0);
        solution.sensitivities =
            (!self.sensitivities.is_empty()).then(|| Sensitivities::new(self.sensitivities.clone()));
        match Segments::start(self.dae, self.method, [t0, t_end], [y0, yp0], &self.options) {
            Err(failure @ (Failure::InvalidOption { .. } | Failure::UnsuitableMethod { .. })) => return Err(failure),
            Err(failure) => {
                solution.push(t0, y0);
                solution.status = Status::Stopped(failure);
            }
            Ok(mut run) => {
                solution.status = self.drive(&mut run, t_end, recorder, &mut solution).unwrap_or_else(Status::Stopped);
                solution.end_at(run.stepper.time(), run.stepper.state(), run.stepper.derivative());
                solution.statistics = run.statistics();
                recorder.finish(&mut solution);
                if solution.is_success()
                    && let Some(failure) = multiplier_not_zero(dae, &solution, t0, &options)
                {
                    solution.status = Status::Stopped(failure);
                }
            }
        }
        solution.seconds = clock.elapsed().as_secs_f64();
        Ok(solution)
    }

    /// Steps to the end and records on the way.
    fn drive(
        mut self,
        run: &mut Segments<'d>,
        t_end: f64,
        recorder: &mut Recorder<'d>,
        solution: &mut Solution,
    ) -> Result<Status, Failure> {
        let mut residuals = vec![0.0; solution.invariants.len()];
        self.dae.invariants(run.stepper.time(), run.stepper.state(), &mut residuals);
        solution.note_invariants(&residuals);
        let t0 = run.stepper.time();
        let mut events = Events::new(std::mem::take(&mut self.events), run.stepper.as_ref(), t_end);
        recorder.step(run.stepper.as_mut(), t0, &mut events, solution)?;
        while run.stepper.time() != t_end {
            let output = recorder.next().filter(|_| run.stepper.dense_accuracy() == DenseAccuracy::Lower);
            run.stop(output, recorder.direction);
            let before = run.stepper.time();
            if let Err(failure) = run.stepper.step() {
                run.recover(failure)?;
                continue;
            }
            let t = run.stepper.time();
            if t == before {
                recorder.leave(run.at_switch(), run.stepper.as_mut(), before);
                run.go_on(0.0)?;
                events.begin_at(run.stepper.time());
                continue;
            }
            let passage = events.judge(run.stepper.as_mut(), solution);
            if let Passage::Again(target) = passage {
                run.rewind(events.last(), target)?;
                // Or else it happens where the last step ended.
                if target != before {
                    continue;
                }
            } else {
                events.advance(run.stepper.as_ref());
                match run.stepper.invariants() {
                    Some(residuals) => solution.note_invariants(residuals),
                    None => {
                        self.dae.invariants(t, run.stepper.state(), &mut residuals);
                        solution.note_invariants(&residuals);
                    }
                }
                recorder.step(run.stepper.as_mut(), before, &mut events, solution)?;
                if let Some(observer) = &mut self.observer
                    && observer(t).is_break()
                {
                    return Ok(Status::Interrupted);
                }
            }
            if passage == Passage::Free {
                recorder.leave(run.at_switch(), run.stepper.as_mut(), before);
                run.go_on((t - before).abs())?;
            } else if let Some(event) = self.happen(run, before, &mut events, recorder, solution)? {
                return Ok(Status::Event(event));
            }
            events.begin_at(run.stepper.time());
            // A switch at the very end.
            if run.stepper.time() == t_end && t != t_end {
                recorder.end_at(t_end, run.stepper.as_mut(), &mut events, solution)?;
            }
        }
        Ok(Status::Success)
    }

    /// Lets events happen where the run is: the name of one at which it ends.
    fn happen(
        &self,
        run: &mut Segments<'d>,
        before: f64,
        events: &mut Events<'c>,
        recorder: &mut Recorder<'d>,
        solution: &mut Solution,
    ) -> Result<Option<Name>, Failure> {
        let step = run.last_step();
        let steps = (run.stepper.as_mut(), before, step);
        match events.happen(
            self.dae,
            steps,
            recorder.variation.as_mut(),
            &self.options,
            &self.initialization,
            solution,
        )? {
            Consequence::End(event) => Ok(Some(event)),
            Consequence::Restart { y, yp } => {
                run.restart(run.stepper.time(), &y, &yp)?;
                recorder.restart(run.stepper.time(), &y, solution);
                Ok(None)
            }
        }
    }
}
