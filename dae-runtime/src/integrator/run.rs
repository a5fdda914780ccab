//! What every scheme needs of a run.
//!
//! In: a formulation, consistent values, options. Out: a [`Run`]: the state, the clock, tolerances as weights, the
//! search for surfaces across which $F$ jumps, the projection onto constraints, statistics.

use std::rc::Rc;

use crate::contract::Dae;
use crate::integrator::clock::Clock;
use crate::integrator::constancy;
use crate::integrator::discontinuities::{Discontinuities, StepOutcome};
use crate::integrator::error_weights::Weights;
use crate::integrator::held::Held;
use crate::integrator::impasse::Impasse;
use crate::integrator::projection::Projector;
use crate::integrator::rejection::{Rejection, StepError};
use crate::integrator::stepper::{
    Failure, Options, Statistics, StepControl, SwitchRejections, check_residual, check_start,
};
use crate::linalg::iteration_matrix::FactorizationPlan;

/// Start of a run: consistent `y0`, `yp0` at `t0`, towards `t_end`, which may be earlier.
#[derive(Clone, Copy)]
pub(crate) struct RunStart<'s> {
    pub(crate) t0: f64,
    pub(crate) y0: &'s [f64],
    pub(crate) yp0: &'s [f64],
    pub(crate) t_end: f64,
    /// Whether a step from here has been accepted before, and is repeated with another end.
    pub(crate) is_repeated: bool,
    /// How all iteration matrices of the run are stored and eliminated.
    pub(crate) plan: &'s Rc<FactorizationPlan>,
}

/// The state of a run that every scheme needs.
pub(crate) struct Run<'d> {
    pub(crate) dae: Held<'d>,
    pub(crate) clock: Clock,
    pub(crate) control: StepControl,
    /// The last accepted state.
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    /// The state at the end of the attempt under way.
    pub(crate) candidate: Vec<f64>,
    pub(crate) candidate_slope: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) projector: Projector,
    /// Length of the next step, positive.
    pub(crate) h: f64,
    pub(crate) statistics: Statistics,
    pub(super) max_step: f64,
    pub(super) max_steps: usize,
    /// Relative tolerance as the caller gave it.
    pub(super) rtol: f64,
    pub(super) impasse: Impasse,
    pub(super) discontinuities: Discontinuities,
    pub(super) at_switch: Option<usize>,
    /// Rejected attempts by switching function.
    pub(super) by_switch: Vec<SwitchRejections>,
}

impl<'d> Run<'d> {
    /// Allocates everything, and checks that $F$ is finite at the start; the length of the first step is left to the
    /// scheme. `weights` are those of the tolerances against which the scheme tests errors.
    pub(crate) fn new(
        dae: impl Into<Held<'d>>,
        start: RunStart<'_>,
        options: &Options,
        weights: Weights,
    ) -> Result<Self, Failure> {
        let dae = dae.into();
        let RunStart { t0, y0, yp0, t_end, .. } = start;
        let held = dae.clone();
        let description = held.description();
        let n = description.unknowns.len();
        let mut run = Run {
            dae,
            clock: Clock::new(t0, t_end),
            control: options.control,
            y: y0.to_vec(),
            yp: yp0.to_vec(),
            candidate: vec![0.0; n],
            candidate_slope: vec![0.0; n],
            weights,
            projector: Projector::new(description, options.projection),
            h: 0.0,
            statistics: Statistics::default(),
            max_step: options.max_step,
            max_steps: options.max_steps,
            rtol: options.rtol,
            impasse: Impasse::new(description),
            discontinuities: Discontinuities::default(),
            at_switch: None,
            by_switch: vec![SwitchRejections::default(); description.switches.len()],
        };
        run.check_residual()?;
        Ok(run)
    }

    /// Rejects meaningless input, chooses local coordinates if the formulation has any, and rejects first integrals that
    /// change.
    pub(crate) fn check(dae: &dyn Dae, start: RunStart<'_>, options: &Options) -> Result<(), Failure> {
        let RunStart { t0, y0, yp0, t_end, .. } = start;
        check_start(dae.description(), t0, y0, yp0, t_end)?;
        options.check(dae.description().unknowns.len())?;
        dae.choose_coordinates(t0, y0, yp0, true);
        constancy::check(dae, t0, y0, yp0)
    }

    /// Checks that $F$ is finite at the last accepted state.
    pub(super) fn check_residual(&mut self) -> Result<(), Failure> {
        self.dae.residual(self.clock.time(), &self.y, &self.yp, &mut self.candidate);
        self.statistics.residuals += 1;
        check_residual(self.dae.description(), self.clock.time(), &self.candidate)
    }

    /// Looks for a kink in an attempt of signed length `h` whose error is too large: a rejection with the length that
    /// leads up to the kink, or `Ok` if the step already starts there; `None` if the attempt has passed no kink.
    pub(super) fn locate_kink(&mut self, h: f64) -> Option<Result<(), Rejection>> {
        self.at_switch = None;
        let (t, resolution) = (self.clock.time(), self.clock.resolution());
        let ends = [(t, &*self.y, &*self.yp), (t + h, &*self.candidate, &*self.candidate_slope)];
        match self.discontinuities.after_error(&*self.dae, h.abs(), ends, resolution)? {
            StepOutcome::Retry(retry) => Some(Err(Rejection { cause: StepError::Switch, retry })),
            _ => {
                self.at_switch = self.discontinuities.first();
                Some(Ok(()))
            }
        }
    }

    /// Sets the length of the first step: the prescribed one, otherwise the one proposed, but no less than the clock
    /// resolves; in either case at most `max_step`.
    pub(crate) fn begin_with(&mut self, proposed: f64, options: &Options) {
        let length = options.prescribed_first_step().unwrap_or_else(|| proposed.max(self.clock.resolution()));
        self.h = length.min(options.max_step);
    }
}
