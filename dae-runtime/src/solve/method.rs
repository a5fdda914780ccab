//! Starting the methods.
//!
//! In: a formulation and options. Out: an integration by the method chosen, or why it does not suit the formulation.

use std::rc::Rc;

use crate::contract::class::{Method, Requirement};
use crate::contract::{Dae, Leading};
use crate::integrator::RunStart;
use crate::integrator::held::Held;
use crate::integrator::stepper::{Failure, Options, Projection, StepControl, Stepper, check_start};
use crate::linalg::iteration_matrix::{FactorizationPlan, StepStart};
use crate::methods::bdf;
use crate::methods::extrapolation;
use crate::methods::half_explicit;
use crate::methods::half_explicit::tableau::{HEM4, HEM5};
use crate::methods::one_stage::{self, Rule};
use crate::methods::radau;
use crate::methods::runge_kutta;
use crate::methods::runge_kutta::tableau::{DOP853, DOPRI5, EULER};
use crate::methods::symplectic;

impl Method {
    /// Starts an integration by this method from consistent values `y0`, `yp0` at `t0`, to be stepped through by hand.
    /// A `t_end` earlier than `t0` means an integration backwards.
    ///
    /// # Errors
    /// [`Failure::UnsuitableMethod`] if an unknown has too high an index for step-size control;
    /// [`Failure::NotSolved`] if the method is explicit and the formulation is not solved for its derivatives;
    /// [`Failure::NotHessenberg`] if it is half-explicit and the formulation is not in Hessenberg form;
    /// [`Failure::InvalidOption`] if an option or a value is meaningless; [`Failure::NonFinite`] if $F$ is not finite
    /// at the start.
    pub fn start<'d>(
        self,
        dae: &'d dyn Dae,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        t_end: f64,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'd>, Failure> {
        let plan = self.prepare(dae, [t0, t_end], [y0, yp0], options)?;
        self.begin(dae, RunStart { t0, y0, yp0, t_end, is_repeated: false, plan: &plan }, options)
    }

    /// Checks that the method suits the formulation and that the start values are meaningful, chooses local
    /// coordinates, and finds the plan of the linear algebra of a run.
    pub(super) fn prepare(
        self,
        dae: &dyn Dae,
        [t0, t_end]: [f64; 2],
        [y0, yp0]: [&[f64]; 2],
        options: &Options,
    ) -> Result<Rc<FactorizationPlan>, Failure> {
        self.check_index(dae, options)?;
        check_start(dae.description(), t0, y0, yp0, t_end)?;
        dae.choose_coordinates(t0, y0, yp0, true);
        Ok(FactorizationPlan::new(dae, StepStart { t: t0, y: y0, yp: yp0, h: typical_step(t0, t_end) }))
    }

    /// Starts an integration with the plan in `start`; whether the method suits the formulation is not checked again.
    pub(super) fn begin<'d>(
        self,
        dae: impl Into<Held<'d>>,
        start: RunStart<'_>,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'd>, Failure> {
        let dae = match dae.into() {
            Held::Borrowed(dae) => dae,
            shared => return self.begin_between(shared, start, options),
        };
        match self {
            Method::Radau5 => {
                let max_order = Some(options.max_order.unwrap_or(5));
                if max_order > Some(5) {
                    let message = "the order of Radau5 is 5; Radau has orders up to 13".into();
                    return Err(Failure::InvalidOption { message });
                }
                radau::start(dae, start, &Options { max_order, ..options.clone() })
            }
            Method::Radau => radau::start(dae, start, options),
            Method::Bdf => bdf::start(dae, start, options),
            Method::Dopri5 => runge_kutta::start(&DOPRI5, dae, start, options),
            Method::Dop853 => runge_kutta::start(&DOP853, dae, start, options),
            Method::Hem5 => half_explicit::start(&HEM5, dae, start, options),
            Method::Hem4 => half_explicit::start(&HEM4, dae, start, options),
            Method::Limex => extrapolation::start_linearly_implicit(dae, start, options),
            Method::Mexx => extrapolation::start_half_explicit(dae, start, options),
            Method::ExplicitEuler => runge_kutta::start(&EULER, dae, start, options),
            Method::ImplicitMidpoint => one_stage::start((Rule::Midpoint, self.name()), dae, start, options),
            Method::Trapezoidal => one_stage::start((Rule::Trapezoidal, self.name()), dae, start, options),
            Method::SymplecticEuler
            | Method::Rattle
            | Method::Rattle4
            | Method::Rattle6
            | Method::Rattle8
            | Method::Lobatto => symplectic::start(self, dae, start, options),
        }
    }

    /// Starts an integration with equations that the driver has made during a run ([`crate::completions::sliding`]): by
    /// this method if it is Radau IIA of variable order or BDF, otherwise by Radau IIA of order 5.
    fn begin_between<'d>(
        self,
        dae: Held<'d>,
        start: RunStart<'_>,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'd>, Failure> {
        match self {
            Method::Bdf => bdf::start(dae, start, options),
            Method::Radau => radau::start(dae, start, options),
            _ => radau::start(dae, start, &Options { max_order: Some(5), ..options.clone() }),
        }
    }

    fn check_index(self, dae: &dyn Dae, options: &Options) -> Result<(), Failure> {
        let description = dae.description();
        if !self.is_explicit() && !matches!(options.projection, Projection::On | Projection::Off) {
            let message = format!(
                "{} projects its steps onto all constraints that the formulation enforces, or onto none",
                self.name()
            );
            return Err(Failure::InvalidOption { message });
        }
        let (method, form) = (self.name().into(), description.form.clone());
        let limit = match self.requirement() {
            Requirement::FixedSteps => return Ok(()),
            Requirement::Solved if description.leading == Leading::Solved => return Ok(()),
            Requirement::Solved => return Err(Failure::NotSolved { method, form }),
            Requirement::Hamiltonian if dae.canonical().is_some() => return Ok(()),
            Requirement::Hamiltonian => return Err(Failure::not_hamiltonian(self.name(), description)),
            Requirement::Index(limit) => limit,
        };
        let beyond = description.unknowns.iter().find(|unknown| unknown.index > limit);
        match (beyond, options.control) {
            (Some(unknown), StepControl::Adaptive) => Err(Failure::UnsuitableMethod {
                method,
                limit,
                form,
                unknown: unknown.name.clone(),
                index: unknown.index,
            }),
            _ => Ok(()),
        }
    }
}

/// A typical step of the run, negative if it goes backwards, for which pivots are chosen.
fn typical_step(t0: f64, t_end: f64) -> f64 {
    let h = 1e-3 * (t_end - t0);
    if h == 0.0 { 1.0 } else { h }
}
