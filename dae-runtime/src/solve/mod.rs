//! The driver: a formulation, a method and options in, a [`Solution`] out.
//!
//! In: a [`Dae`]. Out: its solution as far as it exists, with the reason if it does not reach the end time. The driver
//! loops over the steps of a [`Stepper`](crate::integrator::stepper::Stepper); only `method` and `restarts` know
//! methods, and methods know nothing of output. With step-size control, a step ends and the method is restarted where a
//! function of time changes its branch (at a kink of an input, for instance) and where $F$ jumps.
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

mod between;
mod check_start;
mod degrees_of_freedom;
mod dense;
mod drift;
mod error;
mod events;
mod in_mode;
mod method;
mod multipliers;
mod record;
mod restarts;
mod steps;
mod stopwatch;
mod time_events;
pub mod timing;
mod zeros;

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

pub use crate::contract::class::Method;
use crate::contract::class::{Classified, Open, Treats};
use crate::contract::{Dae, Name, Switch};
use crate::initialize::quantity::Quantity;
use crate::initialize::{InitializationOptions, consistent_initialization, states_of};
use crate::integrator::stepper::{Failure, Options, Projection, StepControl, Tolerance};
use crate::sensitivity::{Adjoint, Beginning, StartDerivative, Tape, Variation, Way};
use crate::solution::Solution;
use crate::solution::event::Event;
use crate::solve::stopwatch::Stopwatch;
use check_start::check_given;
pub use error::RunError;
pub use record::Record;
use record::Recorder;
use steps::{Observer, Settings};
pub use steps::{Step, StepView, Steps};

/// An integration to be configured and run, on the thread where it is made: it borrows a formulation, which may change
/// its local coordinates during the run. Runs in parallel need a formulation each, made from the model, which is
/// `Sync`.
///
/// `C` is the class of the formulation ([`crate::contract::class`]). A function that returns an integration names the class, or erases it:
///
/// ```
/// use dae_runtime::class::{Classified, Index};
/// use dae_runtime::solve::Integration;
///
/// fn tight<D: Classified>(form: &D) -> Integration<'_, 'static, D::Class> {
///     Integration::new(form).rtol(1e-10).atol(1e-10)
/// }
///
/// fn tight_of_index_2(form: &impl Classified<Class = Index<2>>) -> Integration<'_, 'static, Index<2>> {
///     Integration::new(form).rtol(1e-10).atol(1e-10)
/// }
///
/// fn tight_of_any(form: &impl Classified) -> Integration<'_, 'static> {
///     Integration::new(form).rtol(1e-10).atol(1e-10).open()
/// }
/// ```
#[must_use = "an integration does nothing until it is run"]
pub struct Integration<'d, 'c, C = Open> {
    class: PhantomData<C>,
    dae: &'d dyn Dae,
    method: Method,
    options: Options,
    /// Absolute tolerances by name, which override those of the options.
    tolerances: Vec<(Name, f64)>,
    stops: Vec<f64>,
    initialization: InitializationOptions,
    record: Record,
    sensitivities: Vec<Name>,
    events: Vec<Event<'c>>,
    observer: Option<Observer<'c>>,
}

impl<C> fmt::Debug for Integration<'_, '_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = self.dae.description();
        f.debug_struct("Integration")
            .field("model", &description.model)
            .field("form", &description.form)
            .field("method", &self.method)
            .field("options", &self.options)
            .field("tolerances", &self.tolerances)
            .field("record", &self.record)
            .field("sensitivities", &self.sensitivities)
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

impl<'d, 'c, C> Integration<'d, 'c, C> {
    /// An integration with Radau5 and default options.
    pub fn new<D: Classified<Class = C> + ?Sized>(dae: &'d D) -> Self {
        Integration {
            class: PhantomData,
            dae: dae.as_dae(),
            method: Method::default(),
            options: Options::default(),
            tolerances: Vec::new(),
            stops: Vec::new(),
            initialization: InitializationOptions::default(),
            record: Record::default(),
            sensitivities: Vec::new(),
            events: Vec::new(),
            observer: None,
        }
    }

    /// Erases the class of the formulation: whether the method suits it is checked when a run starts.
    pub fn open(self) -> Integration<'d, 'c> {
        let Integration {
            dae,
            method,
            options,
            tolerances,
            stops,
            initialization,
            record,
            sensitivities,
            events,
            observer,
            ..
        } = self;
        let class = PhantomData;
        Integration {
            class,
            dae,
            method,
            options,
            tolerances,
            stops,
            initialization,
            record,
            sensitivities,
            events,
            observer,
        }
    }

    /// Chooses the method: one of the types in [`crate::contract::class`], which only compile with formulations that they
    /// suit, or a [`Method`].
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

    /// Sets the absolute tolerance of all unknowns, as a fraction of the nominal value of each.
    pub fn atol(mut self, atol: f64) -> Self {
        self.options.atol = Tolerance::Scalar(atol);
        self
    }

    /// Sets the absolute tolerance of one unknown, in its unit: `x`, or `q` for all elements of an array and `q[3]` for
    /// one; if several calls name an element, the last one counts. A tolerance given for an unknown that the
    /// formulation has eliminated, because it equals another one up to sign, applies to that other one. A name that
    /// does not exist is an error when a run starts.
    pub fn atol_of(mut self, unknown: impl Into<Name>, atol: f64) -> Self {
        self.tolerances.push((unknown.into(), atol));
        self
    }

    /// Integrates with steps of fixed size `h`.
    pub fn fixed_step(mut self, h: f64) -> Self {
        self.options.control = StepControl::Fixed(h);
        self
    }

    /// Times at which steps end and after which the method is restarted: where something that the model does not know
    /// about, such as an input of the caller, has a kink or a jump. Where functions of time in the text of a model
    /// change their branch, this is done anyway; if only values at given times are wanted, [`Record::At`] is cheaper.
    ///
    /// A step ends a few rounding errors before such a time, and the next one begins as many after it. Times outside
    /// the run do not count. Steps of fixed size cannot end at given times: with [`Integration::fixed_step`], stops are
    /// an error.
    pub fn stops(mut self, times: impl IntoIterator<Item = f64>) -> Self {
        self.stops = times.into_iter().collect();
        self
    }

    /// Sets the length of the first step, also after an event or a change of the equations, in place of an estimate
    /// ([`Options::initial_step`]).
    pub fn initial_step(mut self, h: f64) -> Self {
        self.options.initial_step = Some(h);
        self
    }

    /// Sets an upper bound on the step size.
    pub fn max_step(mut self, h: f64) -> Self {
        self.options.max_step = h;
        self
    }

    /// Sets an upper bound on the number of accepted steps.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.options.max_steps = steps;
        self
    }

    /// Sets an upper bound on the order of a method of variable order.
    pub fn max_order(mut self, order: usize) -> Self {
        self.options.max_order = Some(order);
        self
    }

    /// Switches the projection onto the enforced constraints on or off.
    pub fn projection(mut self, mode: Projection) -> Self {
        self.options.projection = mode;
        self
    }

    /// Chooses what the solution records.
    pub fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Requests the derivatives of the solution, at fixed times, with respect to these quantities: parameters, and
    /// unknowns (or derivatives, `der(x)`) that stand for their start values, by name. They are in
    /// [`Solution::sensitivities`]; the run has to begin with the start values of the model ([`Integration::run`]), and
    /// fails where a sensitivity cannot be continued ([`Failure::Sensitivity`]) or does not exist
    /// ([`Failure::NotDifferentiable`]). Where inconsistent guesses leave the initialisation a choice, the derivative
    /// of the start is that for consistent guesses. Whatever the functions and resets of events use besides the time
    /// and the state is treated as constant.
    pub fn sensitivities<N: Into<Name>>(mut self, by: impl IntoIterator<Item = N>) -> Self {
        self.sensitivities = by.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an event. If several occur at one time, their resets are made in the order in which they were added, unless
    /// one of these events is terminal ([`Event::terminal`]).
    pub fn event(mut self, event: Event<'c>) -> Self {
        self.events.push(event);
        self
    }

    /// Calls a function after each step; it may end the run, and then the status of the solution is
    /// [`Status::Interrupted`](crate::solution::Status::Interrupted).
    ///
    /// ```
    /// # use dae_runtime::contract::Dae;
    /// use std::ops::ControlFlow;
    ///
    /// use dae_runtime::solve::Integration;
    /// # fn demo(rocket: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let mut shortest = f64::INFINITY;
    /// let solution = Integration::new(rocket)
    ///     .on_step(|step| {
    ///         shortest = shortest.min(step.h.abs());
    ///         if step.state[0] > 1000.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    ///     })
    ///     .run(0.0, 100.0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_step(mut self, observer: impl FnMut(&StepView<'_>) -> ControlFlow<()> + 'c) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Finds consistent initial values at `t0`, starting from those of the model, and integrates to `t_end`, which may
    /// be earlier. The solution may end before that, as its status then says: at a terminal event, or because the
    /// observer asked for it.
    ///
    /// # Errors
    /// The run could not begin; or it stopped early, and the error contains the solution up to there
    /// ([`RunError::Stopped`]).
    pub fn run(self, t0: f64, t_end: f64) -> Result<Solution, RunError> {
        let clock = Stopwatch::start();
        let mut steps = self.steps(t0, t_end)?;
        steps.complete();
        let (mut solution, _) = steps.into_parts();
        solution.seconds = clock.seconds().unwrap_or(0.0);
        RunError::unless_stopped(solution)
    }

    /// Integrates step by step: returns an iterator over the states that are recorded.
    ///
    /// ```
    /// # use dae_runtime::contract::Dae;
    /// use dae_runtime::solve::Integration;
    /// # fn demo(rocket: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let height = rocket.description().place_of("height").ok_or("no such unknown")?;
    /// let mut steps = Integration::new(rocket).steps(0.0, 100.0)?;
    /// for step in steps.by_ref().take_while(|step| step.state[height] < 1000.0) {
    ///     println!("{:8.3}: {}", step.t, step.state[height]);
    /// }
    /// let solution = steps.finish()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The run could not begin. If it stops early, [`Steps::finish`] says so.
    pub fn steps(mut self, t0: f64, t_end: f64) -> Result<Steps<'d, 'c>, RunError> {
        self.name_tolerances()?;
        let Beginning { t0, y0, yp0, quantities, derivatives } = self.begin(t0)?;
        let (dae, options) = (self.dae, &self.options);
        let variation = (!quantities.is_empty())
            .then(|| Variation::new(dae, (t0, &y0, &yp0), t_end, quantities, derivatives, options));
        Ok(self.under_way([t0, t_end], [&y0, &yp0], variation)?)
    }

    /// Integrates from consistent initial values, and keeps what is needed to go back through the run: for gradients of
    /// functions of the solution with respect to the quantities named in [`Integration::sensitivities`], any number of
    /// parameters and start values. For forms with unknowns of index above 2 or with local coordinates, and for models
    /// with modes, sensitivities are carried forwards instead, at a cost that grows with the number of quantities.
    ///
    /// # Errors
    /// No quantity was named; otherwise as for [`Integration::run`]: a run that stopped early has no way back.
    ///
    /// # Example
    /// A mass on a spring after ten seconds: the derivative of its squared distance from 1 with respect to the
    /// stiffness:
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
        self.name_tolerances()?;
        let (dae, options, clock) = (self.dae, self.options.clone(), Stopwatch::start());
        let beginning = self.begin(t0)?;
        let variation = match Adjoint::has_way_back(dae, &beginning)? {
            true => Variation::with_tape(dae, &beginning, t_end, &options),
            false => Variation::from(dae, &beginning, t_end, &options),
        };
        let mut steps = self.under_way([t0, t_end], [&beginning.y0, &beginning.yp0], Some(variation))?;
        steps.complete();
        let (mut solution, recorder) = steps.into_parts();
        solution.seconds = clock.seconds().unwrap_or(0.0);
        if matches!(&recorder.variation, Some(variation) if variation.has_tape()) {
            solution.note_adjoint();
        }
        let solution = RunError::unless_stopped(solution)?;
        let entries = |values: Vec<f64>| solution.entries_of_derivatives(&values);
        let way = recorder.variation.map_or(Way::Back(Tape::default()), |variation| variation.into_way(entries));
        Ok(Adjoint::new(dae, solution, beginning, way, options))
    }

    /// Enters tolerances given by name into the options.
    fn name_tolerances(&mut self) -> Result<(), Failure> {
        if !self.tolerances.is_empty() {
            let description = self.dae.description();
            self.options.atol = self.options.atol.with_names(&self.tolerances, description)?;
        }
        Ok(())
    }

    /// Finds consistent initial values, and their derivatives with respect to the quantities of the sensitivities.
    fn begin(&self, t0: f64) -> Result<Beginning, RunError> {
        let dae = self.dae;
        dae.input_error().map_or(Ok(()), Err)?;
        RunError::check_parameters(dae)?;
        let initial = consistent_initialization(dae.prolongation(), t0, &self.initialization)?;
        let (y0, yp0) = states_of(dae, t0, &initial.jets);
        let quantities = self.sensitivities.iter().map(|name| Quantity::named(dae, t0, name));
        let quantities = quantities.collect::<Result<Vec<_>, String>>();
        let quantities = quantities.map_err(|message| Failure::InvalidOption { message })?;
        let is_jump = |switch: &Switch| switch.jumps || switch.of_time;
        let jumps = dae.description().switches.iter().find(|switch| is_jump(switch));
        if !quantities.is_empty() {
            self.options.check(y0.len())?;
            if let (StepControl::Fixed(_), Some(switch)) = (self.options.control, jumps) {
                let message = format!(
                    "steps of one length do not end where {} = 0, and sensitivities would not change there: let the steps be chosen",
                    switch.name
                );
                return Err(Failure::InvalidOption { message }.into());
            }
        }
        let derivatives = match quantities.is_empty() {
            true => Vec::new(),
            false => StartDerivative::all(dae, t0, &initial.jets, &quantities)?,
        };
        Ok(Beginning { t0, y0, yp0, quantities, derivatives })
    }

    /// Integrates from consistent values at `t0` to `t_end`, which may be earlier: `y0` and `yp0` have as many entries
    /// as the formulation has unknowns, or as [`Solution::names`] has.
    ///
    /// # Errors
    /// As for [`Integration::run`]; [`RunError::Start`] if the values are not consistent, [`RunError::Options`] if
    /// sensitivities are requested.
    ///
    /// Values are rejected as inconsistent if they miss an algebraic equation by more than a hundred tolerances.
    /// Derivatives that do not fit are replaced in the first step. Constraints that the form only implies are not
    /// checked, since runs drift off them.
    pub fn run_from(mut self, t0: f64, y0: &[f64], yp0: &[f64], t_end: f64) -> Result<Solution, RunError> {
        if !self.sensitivities.is_empty() {
            let message = "sensitivities begin with the start values of the model: use `run`".into();
            return Err(Failure::InvalidOption { message }.into());
        }
        self.dae.input_error().map_or(Ok(()), Err)?;
        self.name_tolerances()?;
        // A state of an earlier solution ends with the unknowns that the formulation eliminated.
        let description = self.dae.description();
        let n = description.unknowns.len();
        let whole = n + description.eliminated.len();
        let [y0, yp0] = [y0, yp0].map(|values| if values.len() == whole { &values[..n] } else { values });
        check_given(self.dae, [t0, t_end], [y0, yp0], &self.options)?;
        let mut steps = self.under_way([t0, t_end], [y0, yp0], None)?;
        steps.complete();
        steps.finish()
    }

    /// [`Integration::run_from`] with the derivatives of the solution with respect to some quantities, given those of the
    /// start.
    pub(crate) fn run_from_with_derivatives(
        self,
        t0: f64,
        [y0, yp0]: [&[f64]; 2],
        t_end: f64,
        quantities: Vec<Quantity>,
        derivatives: Vec<StartDerivative>,
    ) -> Result<Solution, RunError> {
        let variation = Variation::new(self.dae, (t0, y0, yp0), t_end, quantities, derivatives, &self.options);
        let mut steps = self.under_way([t0, t_end], [y0, yp0], Some(variation))?;
        steps.complete();
        steps.finish()
    }

    /// Prepares the run from consistent values.
    fn under_way(
        self,
        [t0, t_end]: [f64; 2],
        [y0, yp0]: [&[f64]; 2],
        variation: Option<Variation<'d>>,
    ) -> Result<Steps<'d, 'c>, Failure> {
        if !self.stops.is_empty() && self.options.control != StepControl::Adaptive {
            let message = "steps of one length do not end at given times: let the steps be chosen".into();
            return Err(Failure::InvalidOption { message });
        }
        if let Some(t) = self.stops.iter().find(|t| !t.is_finite()) {
            return Err(Failure::InvalidOption { message: format!("a step cannot end at t = {t}") });
        }
        let recorder = Recorder::new(self.record, variation, t0, t_end)?;
        let Integration { dae, method, options, stops, initialization, observer, events, .. } = self;
        let settings = Settings { dae, method, options, stops, initialization, observer, events };
        Steps::new(settings, [t0, t_end], [y0, yp0], recorder)
    }
}
