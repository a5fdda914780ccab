//! A run in pieces.
//!
//! In: a method, and the times at which functions of time change their branch, in the text of the model or in what the
//! caller supplies. Out: steppers, one after the other, which begin and end at these times and where the unknowns reach
//! a jump of $F$, or a kink that makes the error of a step too large; a stepper of a one-stage method for a few steps
//! where several stages cannot be solved; and the work of all of them. Whether unknowns are continuous at a kink is
//! examined in `continuity`; where a solution slides along a surface, its pieces are those of `sliding`, and where it
//! continues neither beyond a surface nor along it, `chattering` says so. Steps are repeated in `repeat`.

mod along;
mod approach;
mod attribution;
mod by_switch;
mod chattering;
mod continuity;
mod repeat;
mod sliding;
mod without_weights;

use std::collections::VecDeque;
use std::rc::Rc;

use super::Method;
use super::between::Between;
use super::degrees_of_freedom::BeforeSwitch;
use super::drift::Before;
use super::time_events::Crossing;
use crate::contract::Dae;
use crate::integrator::RunStart;
use crate::integrator::held::Held;
use crate::integrator::stepper::{Failure, Options, Statistics, StepCause, StepControl, Stepper};
use crate::linalg::iteration_matrix::FactorizationPlan;
use crate::methods::radau;
use along::Along;
use by_switch::BySwitch;

/// Number of steps made by a one-stage method, BDF, where a method with several stages meets a kink.
const HOPS: usize = 10;
/// Highest order of these steps: lower than the highest of BDF, so that they begin with the implicit Euler method, and
/// not with Radau IIA, which has several stages.
const HOPPING_ORDER: usize = 2;
/// The errors of these steps are tested against this fraction of the tolerances of the run: there may be many such
/// pieces, and each begins with a step of order 1.
const HOPPING_PART: f64 = 0.1;
/// Where no kink is near, the first of these steps is this many times as long as the attempt that failed last: if the
/// solution continues there, it does so in short steps.
const FIRST_HOP: f64 = 16.0;
/// A failed attempt counts as one of the shortest possible if it was no longer than this fraction of the longest step.
const SHORT: f64 = 1e-9;
/// Number of short steps made where unknowns jump at a kink: the first one moves states onto the constraints that hold
/// beyond it, and the multipliers of these constraints, which are impulses in that step, have their values after the
/// second.
const JUMPING: usize = 2;
/// Length of the first step of a piece, as a fraction of the last regular step before it. It has no error test, since
/// algebraic unknowns and derivatives, from which errors are estimated, may have jumped.
const SETTLING: f64 = 1e-3;
/// The length of a step that is cut at a switch, or approaches one, counts as at least this fraction of the one before.
const CUT: f64 = 0.1;
/// More pieces than this that together are shorter than the longest step of the run are no progress; the second number
/// is added to the first once for each switching function, since several may change their signs at one time.
const PIECES: (usize, usize) = (20, 4);
/// Where the first step of a piece has not led beyond the switch at which it began, the next such step is this many
/// times as long.
const LONGER: f64 = 10.0;
/// The longest step counts as at least this fraction of the run, even before any has been made.
const SHORTEST: f64 = 1e-6;

/// A run in pieces on which $F$ is smooth apart from kinks.
pub(super) struct PiecewiseRun<'d> {
    pub(super) stepper: Box<dyn Stepper + 'd>,
    dae: &'d dyn Dae,
    method: Method,
    t_end: f64,
    options: Options,
    /// How the iteration matrices of all pieces are stored and eliminated.
    plan: Rc<FactorizationPlan>,
    /// Work on earlier pieces and in separate steps.
    done: Statistics,
    /// The crossings still ahead, where pieces end and the next ones begin, the last first.
    switches: Vec<Crossing>,
    phase: Phase,
    /// Length of the last regular step; for one that was cut at a switch, or approaches one, at least the fraction
    /// [`CUT`] of the one before.
    last_step: f64,
    /// Length of the longest regular step.
    longest_step: f64,
    /// Number of attempts repeated with another length because of switches, up to the end of the last regular step.
    switch_rejections: usize,
    /// Times at which the most recent regular pieces ended.
    ends: VecDeque<f64>,
    /// The switching function of the unknowns at which a piece last ended.
    last_switch: Option<usize>,
    /// Searches steps for sign changes; `None` where no function depends on the unknowns.
    between: Option<Between<'d>>,
    /// Time at which a step that is repeated is to end, and the switching function that is the reason.
    until: Option<(f64, usize)>,
    /// Time of the last kink at which unknowns have jumped.
    jumped: Option<f64>,
    /// The linearised equations before the switch at which the last regular piece ended.
    before_switch: Option<BeforeSwitch>,
    /// The residuals of constraints before that switch.
    constraints: Option<Before>,
    /// The surfaces along which the solution can slide, if there are any.
    along: Option<Along<'d>>,
    /// What each switching function has cost on earlier pieces.
    by_switch: BySwitch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Steps by the method of the run.
    Regular,
    /// The first step of a piece; `at` is the switching function of the unknowns beyond whose zero it leads, if it
    /// leads beyond one.
    Settling { at: Option<usize> },
    /// Short steps without an error test beyond a kink at which unknowns jump; `left` is the number still to be made.
    Jumping { left: usize },
    /// Steps of a one-stage method, to get over a kink or beyond the zero of the switching function `at`; `left` is the
    /// number still to be made.
    Hopping { left: usize, at: Option<usize> },
}

impl Phase {
    /// The switching function of the unknowns beyond whose zero its steps lead, if they lead beyond one.
    fn beyond(self) -> Option<usize> {
        match self {
            Phase::Settling { at } | Phase::Hopping { at, .. } => at,
            Phase::Regular | Phase::Jumping { .. } => None,
        }
    }
}

impl<'d> PiecewiseRun<'d> {
    /// Begins at consistent values `y0`, `yp0` at `t0`.
    pub(super) fn start(
        dae: &'d dyn Dae,
        method: Method,
        [t0, t_end]: [f64; 2],
        [y0, yp0]: [&[f64]; 2],
        (stops, options): (&[f64], &Options),
    ) -> Result<Self, Failure> {
        let plan = method.prepare(dae, [t0, t_end], [y0, yp0], options)?;
        let stepper = method.begin(dae, RunStart { t0, y0, yp0, t_end, is_repeated: false, plan: &plan }, options)?;
        let switches = match options.control {
            StepControl::Adaptive => Crossing::all(dae, [t0, t_end], [y0, yp0], stops),
            StepControl::Fixed(_) => Vec::new(),
        };
        let mut run = PiecewiseRun {
            stepper,
            dae,
            method,
            t_end,
            options: options.clone(),
            // The Jacobians that were evaluated for the plan.
            done: Statistics { jacobians: plan.jacobians, ..Statistics::default() },
            plan,
            switches,
            phase: Phase::Regular,
            last_step: SETTLING * (t_end - t0).abs(),
            longest_step: SHORTEST * (t_end - t0).abs(),
            switch_rejections: 0,
            ends: VecDeque::new(),
            last_switch: None,
            between: Between::new(dae, options).filter(|_| options.control == StepControl::Adaptive),
            until: None,
            jumped: None,
            before_switch: None,
            constraints: None,
            along: Along::of(dae, [t0, t_end], options),
            by_switch: BySwitch::new(dae, (t0, y0, yp0)),
        };
        run.examine_start([t0, t_end], [y0, yp0])?;
        run.locate_switches();
        run.begin_on_surfaces()?;
        Ok(run)
    }

    /// An error if a function of time vanishes at the start, and the number of degrees of freedom there differs from
    /// that just after it.
    fn examine_start(&self, times: [f64; 2], [y0, yp0]: [&[f64]; 2]) -> Result<(), Failure> {
        if self.options.control != StepControl::Adaptive {
            return Ok(());
        }
        let Some(crossing) = Crossing::at_start(self.dae, times, [y0, yp0]) else { return Ok(()) };
        let before =
            crossing.switch.and_then(|k| BeforeSwitch::before(self.dae, k, (times[0], y0, yp0), self.last_step));
        before.map_or(Ok(()), |before| before.compare(self.dae, (crossing.after, y0, yp0)))
    }

    /// Records the Jacobians, and the residuals of constraints, where a regular piece has ended at a switch.
    fn note_before(&mut self, switch: Option<usize>) {
        if self.phase == Phase::Regular && !self.is_along() {
            let at = (self.stepper.time(), self.stepper.state(), self.stepper.derivative());
            self.before_switch = switch.and_then(|switch| BeforeSwitch::before(self.dae, switch, at, self.last_step));
            self.constraints = switch.and_then(|switch| Before::new(self.dae, switch, (at.0, at.1)));
        }
    }

    /// An error if the number of degrees of freedom is different after the last switch, or if a constraint that held
    /// before it no longer holds.
    fn compare_with_before(&mut self) -> Result<(), Failure> {
        let (t, y, yp) = (self.stepper.time(), self.stepper.state(), self.stepper.derivative());
        if let Some(before) = self.before_switch.take() {
            before.compare(self.dae, (t, y, yp))?;
        }
        match self.constraints.take() {
            Some(before) => before.compare(self.dae, (t, y), self.stepper.error_weights()),
            None => Ok(()),
        }
    }

    /// How the iteration matrices of all pieces are stored and eliminated.
    pub(super) fn plan(&self) -> &Rc<FactorizationPlan> {
        &self.plan
    }

    /// Adds the work of a run before this one, in another mode of the model, and takes over the sides on which it was.
    pub(super) fn continue_from(&mut self, before: &PiecewiseRun<'_>) {
        self.done += before.statistics();
        self.by_switch.continue_from(&before.by_switch);
    }

    /// Work on all pieces and in separate steps.
    pub(super) fn statistics(&self) -> Statistics {
        let mut all = self.done;
        all += self.stepper.statistics();
        all
    }

    fn locate_switches(&mut self) {
        if self.options.control == StepControl::Adaptive && self.phase == Phase::Regular {
            self.stepper.locate_switches();
        }
    }

    /// Makes steps end at the next of these times or the end of the piece, whichever comes first.
    pub(super) fn stop(&mut self, times: [Option<f64>; 2], direction: f64) {
        let switch = self.switches.last().map(|crossing| crossing.before);
        let nearest =
            times.into_iter().chain([switch]).flatten().min_by(|a, b| (a * direction).total_cmp(&(b * direction)));
        if let Some(t) = nearest {
            self.stepper.stop_at(t);
        }
    }

    /// Continues after a failed step with steps of one stage: where a kink of $F$ separates the stages, so that no
    /// single Jacobian need suit all of them; where the first step of a piece fails; and where the equations are so
    /// steep that an undamped iteration cannot begin at the last state. If steps of one stage fail near a switch, tries
    /// to continue beyond a kink at which unknowns jump. An error if nothing helps.
    pub(super) fn recover(&mut self, failure: Failure) -> Result<(), Failure> {
        self.note_end()?;
        let (too_small, nearest) = match &failure {
            Failure::StepSizeTooSmall { h, cause, .. } => {
                (Some((h.abs(), matches!(cause, StepCause::Convergence { .. }))), self.nearest_switch())
            }
            _ => (None, None),
        };
        let is_unsolved = matches!(failure, Failure::SingularIterationMatrix { .. } | Failure::StepSizeTooSmall { .. });
        if is_unsolved && self.leaves_on_side().unwrap_or(false) {
            return Ok(());
        }
        let is_near_switch = nearest.is_some_and(|(_, is_near)| is_near);
        let is_adaptive = self.options.control == StepControl::Adaptive;
        let has_switches = !self.dae.description().switches.is_empty();
        let (phase, t) = (self.phase, self.stepper.time());
        match (phase, too_small) {
            (Phase::Settling { at }, _) => self.replace(t, Phase::Hopping { left: 1, at }).map_err(|_| failure),
            (Phase::Jumping { .. }, _) => self.replace(t, Phase::Hopping { left: 1, at: None }).map_err(|_| failure),
            (Phase::Regular, Some((smallest, unsolved))) if is_adaptive && (is_near_switch || unsolved) => {
                // A run that gives up early because of kinks need not have shortened its last attempt much.
                let is_short = !has_switches || (!is_near_switch && smallest <= SHORT * self.longest_step);
                let first = is_short.then_some(FIRST_HOP * smallest);
                self.replace_with(t, Phase::Hopping { left: HOPS, at: None }, first).map_err(|_| failure)?;
                if let Some((switch, true)) = nearest {
                    self.by_switch.note_restart(switch);
                }
                Ok(())
            }
            (Phase::Hopping { at: None, .. }, Some(_))
                if is_near_switch && !self.is_along() && self.leads_beyond_kink() =>
            {
                Ok(())
            }
            (Phase::Hopping { at: Some(switch), .. }, Some(_)) if !self.is_along() && self.lead_back(switch) => {
                Err(self.chattering(switch))
            }
            (Phase::Regular | Phase::Hopping { .. }, _) => Err(self.of_whole_run(failure)),
        }
    }

    /// The failure of a piece with the bound on the number of steps of the whole run: the piece knows only the number
    /// left to it.
    fn of_whole_run(&self, failure: Failure) -> Failure {
        match failure {
            Failure::TooManySteps { t, h, unknown, .. } => {
                Failure::TooManySteps { t, max_steps: self.options.max_steps, h, unknown }
            }
            other => other,
        }
    }

    /// The switching functions at whose zeros the last step has ended, so that another piece follows.
    pub(super) fn at_switches(&self) -> Vec<usize> {
        let t = self.stepper.time();
        let direction = if self.t_end < t { -1.0 } else { 1.0 };
        let of_time = self.switches.iter().rev().take_while(|crossing| (t - crossing.before) * direction >= 0.0);
        let count = self.dae.description().switches.len();
        let of_unknowns = self.stepper.at_switch().filter(|&switch| switch < count);
        of_unknowns.into_iter().chain(of_time.filter_map(|crossing| crossing.switch)).collect()
    }

    /// Begins the next piece if the last step, of length `step`, has ended the present one; otherwise passes on to the
    /// next phase of the piece when it is due.
    pub(super) fn go_on(&mut self, step: f64) -> Result<(), Failure> {
        let t = self.stepper.time();
        if t == self.t_end {
            return Ok(());
        }
        let cut = self.until.take_if(|(until, _)| *until == t).map(|(_, switch)| switch);
        let is_cut = cut.is_some();
        let at = self.stepper.at_switch();
        let switch = self.at_switches().first().copied();
        let beyond = self.beyond_crossings(t);
        let (t, begins) = (beyond.unwrap_or(t), at.is_some() || beyond.is_some());
        if self.phase == Phase::Regular {
            let rejections = self.statistics().switch_rejections;
            let is_short = begins || rejections > std::mem::replace(&mut self.switch_rejections, rejections);
            self.last_step = match is_short {
                true if step == 0.0 => (LONGER * self.last_step).min(self.longest_step),
                true => step.max(CUT * self.last_step),
                false => step,
            };
            self.longest_step = self.longest_step.max(step);
        }
        if is_cut {
            self.end_of_surfaces()?;
        }
        if let Some(at) = at
            && beyond.is_none()
            && self.goes_along(at)?
        {
            return Ok(());
        }
        match self.phase {
            Phase::Hopping { left, at } if !begins && left > 1 => {
                self.phase = Phase::Hopping { left: left - 1, at };
                Ok(())
            }
            Phase::Jumping { left } if !begins && left > 1 => {
                self.replace_with(t, Phase::Jumping { left: left - 1 }, Some(step))
            }
            Phase::Regular if !begins && !is_cut => Ok(()),
            _ if begins => {
                self.last_switch = at.or(self.last_switch);
                if at.is_none_or(|switch| self.dae.description().switches[switch].jumps) {
                    self.note_before(switch);
                    if at.is_some() {
                        self.note_end()?;
                    }
                }
                at.iter().for_each(|&switch| self.by_switch.note_restart(switch));
                match self.replace(t, Phase::Settling { at }) {
                    Err(_) if self.leaves_on_side().unwrap_or(false) => Ok(()),
                    replaced => replaced,
                }
            }
            _ => {
                self.compare_with_before()?;
                self.settle_sides()?;
                cut.iter().for_each(|&switch| self.by_switch.note_restart(switch));
                // Longer steps may be those that failed.
                let first = Some(step).filter(|step| *step > 0.0 && matches!(self.phase, Phase::Hopping { .. }));
                self.replace_with(t, Phase::Regular, first)
            }
        }
    }

    /// The time just after functions of time change their branch at `t`, if some do; these crossings are then no longer
    /// ahead.
    fn beyond_crossings(&mut self, t: f64) -> Option<f64> {
        let direction = if self.t_end < t { -1.0 } else { 1.0 };
        let (mut beyond, mut begins) = (t, false);
        // The time just after one crossing may be that of the next.
        while let Some(crossing) = self.switches.pop_if(|crossing| (beyond - crossing.before) * direction >= 0.0) {
            begins = true;
            crossing.switch.iter().for_each(|&switch| self.by_switch.note_restart(switch));
            beyond = if (crossing.after - beyond) * direction > 0.0 { crossing.after } else { beyond };
        }
        begins.then_some(beyond)
    }

    /// Records that a regular piece has ended at a jump of $F$ or with a failure. An error if many have without
    /// progress, and the equations on both sides of the last switch lead back to it.
    fn note_end(&mut self) -> Result<(), Failure> {
        if self.phase != Phase::Regular {
            return Ok(());
        }
        let t = self.stepper.time();
        self.ends.push_back(t);
        if self.ends.len() <= PIECES.0 + PIECES.1 * self.dae.description().switches.len() {
            return Ok(());
        }
        let first = self.ends.pop_front().unwrap_or(t);
        if (t - first).abs() >= self.longest_step {
            return Ok(());
        }
        self.ends.clear();
        let switch = self.last_switch;
        match switch.filter(|&switch| !self.is_along() && self.lead_back(switch)) {
            Some(switch) => Err(self.chattering(switch)),
            None => Ok(()),
        }
    }

    /// Whether steps are made by the method of the run, and do not lead beyond a switch.
    pub(super) fn is_regular(&self) -> bool {
        self.phase == Phase::Regular
    }

    /// The length of the last regular step; if that was cut at a switch, or approaches one, what it counts as.
    pub(super) fn last_step(&self) -> f64 {
        self.last_step
    }

    /// Continues from the state that an event has set.
    pub(super) fn restart(&mut self, t: f64, y: &[f64], yp: &[f64]) -> Result<(), Failure> {
        self.leave_surfaces();
        let (t, phase) = match self.beyond_crossings(t).filter(|_| t != self.t_end) {
            Some(beyond) => (beyond, Phase::Settling { at: None }),
            None => (t, Phase::Regular),
        };
        self.take_over(t, [y, yp], phase, None)?;
        self.begin_on_surfaces()
    }

    /// Replaces the stepper by one for this phase that begins at `t` with the last state.
    fn replace(&mut self, t: f64, phase: Phase) -> Result<(), Failure> {
        self.replace_with(t, phase, None)
    }

    /// Replaces the stepper by one for this phase that begins at `t` with the last state; `first` is the length of its
    /// first step, if that is prescribed.
    fn replace_with(&mut self, t: f64, phase: Phase, first: Option<f64>) -> Result<(), Failure> {
        let [y, yp] = [self.stepper.state().to_vec(), self.stepper.derivative().to_vec()];
        self.take_over(t, [&y, &yp], phase, first)
    }

    fn take_over(&mut self, t: f64, [y, yp]: [&[f64]; 2], phase: Phase, first: Option<f64>) -> Result<(), Failure> {
        let done = self.statistics();
        let start = RunStart { t0: t, y0: y, yp0: yp, t_end: self.t_end, is_repeated: false, plan: &self.plan };
        let stepper = self.begin(phase, start, first, &done)?;
        self.by_switch.add(self.stepper.as_ref());
        self.stepper = stepper;
        (self.done, self.phase, self.until) = (done, phase, None);
        self.locate_switches();
        Ok(())
    }

    /// A stepper for a phase, after the work `done`; `first` is the length of its first step, if that is prescribed.
    fn begin(
        &self,
        phase: Phase,
        start: RunStart<'_>,
        first: Option<f64>,
        done: &Statistics,
    ) -> Result<Box<dyn Stepper + 'd>, Failure> {
        let max_steps = self.options.max_steps.saturating_sub(done.steps);
        let initial_step = first.or(self.options.initial_step);
        let control = match phase {
            Phase::Settling { .. } | Phase::Jumping { .. } => {
                StepControl::Fixed(first.unwrap_or(SETTLING * self.last_step))
            }
            Phase::Hopping { .. } | Phase::Regular => self.options.control,
        };
        let options = Options { max_steps, initial_step, control, ..self.options.clone() };
        let along = self.begin_along(phase, start, &options);
        along.unwrap_or_else(|| self.begin_with(Held::Borrowed(self.dae), phase, start, &options))
    }

    /// A stepper for a phase and a formulation with these options, whose first step may be prescribed.
    fn begin_with(
        &self,
        dae: Held<'d>,
        phase: Phase,
        start: RunStart<'_>,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'd>, Failure> {
        match phase {
            Phase::Settling { .. } | Phase::Jumping { .. } => radau::beyond(dae, start, options),
            Phase::Hopping { .. } => {
                let (rtol, atol) = (HOPPING_PART * options.rtol, options.atol.part(HOPPING_PART));
                let options = Options { max_order: Some(HOPPING_ORDER), rtol, atol, ..options.clone() };
                Method::Bdf.begin(dae, start, &options)
            }
            Phase::Regular => self.method.begin(dae, start, options),
        }
    }
}
