//! A run in pieces.
//!
//! In: a method, and the times at which functions of the time change their branch. Out: steppers that end and begin there, and where $F$ jumps
//! as unknowns change, one after the other, and the work of all of them; and one of another method for a few steps where several stages
//! meet a kink that nobody has located.

use super::Method;
use super::crossing::Crossing;
use crate::contract::Dae;
use crate::radau5::Radau5;
use crate::stepper::{Failure, Options, Statistics, StepControl, Stepper};

/// Steps by a method with one stage, where one with several meets a kink.
const HOPS: usize = 10;
/// The first step of a piece, as a part of the last one of the piece before. It is not tested for its error, since what determines it,
/// algebraic unknowns and derivatives, may have jumped.
const SETTLING: f64 = 1e-3;
/// The last step of a piece is cut. It counts as this part of the one before if it is shorter.
const CUT: f64 = 0.1;
/// So many pieces of no more than [`FEW`] steps each, one after the other, are no progress.
const PIECES: usize = 200;
/// A piece of so many steps has not come far.
const FEW: usize = 3;

/// A run in pieces on which $F$ is smooth but for kinks.
pub(super) struct Segments<'d> {
    pub(super) stepper: Box<dyn Stepper + 'd>,
    dae: &'d dyn Dae,
    method: Method,
    t_end: f64,
    options: Options,
    /// Work on earlier pieces.
    done: Statistics,
    /// Where the next ones begin, the last first.
    switches: Vec<Crossing>,
    phase: Phase,
    /// Length of the last regular step.
    last_step: f64,
    /// How many of the last pieces had few steps.
    short_pieces: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The method of the run.
    Regular,
    /// The first step of a piece, and beyond which switching function of the unknowns it leads.
    Settling { at: Option<usize> },
    /// So many steps of a method with one stage are left, to get over a kink or beyond such a function.
    Hopping { left: usize, at: Option<usize> },
}

impl<'d> Segments<'d> {
    /// Begins at consistent values `y0`, `yp0` at `t0`.
    pub(super) fn start(
        dae: &'d dyn Dae,
        method: Method,
        [t0, t_end]: [f64; 2],
        [y0, yp0]: [&[f64]; 2],
        options: &Options,
    ) -> Result<Self, Failure> {
        let stepper = method.start(dae, t0, y0, yp0, t_end, options)?;
        let switches = match options.control {
            StepControl::Adaptive => Crossing::of_time(dae, t0, y0, yp0, t_end),
            StepControl::Fixed(_) => Vec::new(),
        };
        let mut run = Segments {
            stepper,
            dae,
            method,
            t_end,
            options: options.clone(),
            done: Statistics::default(),
            switches,
            phase: Phase::Regular,
            last_step: SETTLING * (t_end - t0).abs(),
            short_pieces: 0,
        };
        run.locate_switches();
        Ok(run)
    }

    /// Work on all pieces.
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

    /// Lets steps end at the next output or the end of the piece.
    pub(super) fn stop(&mut self, output: Option<f64>, direction: f64) {
        let switch = self.switches.last().map(|crossing| crossing.before);
        let nearest = [output, switch].into_iter().flatten().min_by(|a, b| (a * direction).total_cmp(&(b * direction)));
        if let Some(t) = nearest {
            self.stepper.stop_at(t);
        }
    }

    /// Goes on with steps of one stage where several stages cannot be solved: at a kink of $F$ on different sides of which they lie, its Jacobian
    /// need not be near any that would do for all of them, and so where a first step of a piece cannot be made. An error if nothing helps.
    pub(super) fn recover(&mut self, failure: Failure) -> Result<(), Failure> {
        let too_small = matches!(failure, Failure::StepSizeTooSmall { .. });
        let at_kink = too_small && !self.dae.description().switches.is_empty();
        match self.phase {
            Phase::Settling { at } => {
                let t = self.stepper.time();
                self.replace(t, Phase::Hopping { left: 1, at }, Method::Bdf).map_err(|_| failure)
            }
            Phase::Regular if at_kink && self.options.control == StepControl::Adaptive => {
                let t = self.stepper.time();
                self.replace(t, Phase::Hopping { left: HOPS, at: None }, Method::Bdf).map_err(|_| failure)
            }
            Phase::Hopping { at: Some(switch), .. } if too_small => {
                let switch = self.dae.description().switches[switch].name.clone();
                Err(Failure::Chattering { t: self.stepper.time(), switch })
            }
            Phase::Regular | Phase::Hopping { .. } => Err(failure),
        }
    }

    /// Begins the next piece where the last step has come to its end, or goes on after its first step. The last step was `step` long.
    pub(super) fn go_on(&mut self, step: f64) -> Result<(), Failure> {
        let (mut t, direction) = (self.stepper.time(), if self.t_end < self.stepper.time() { -1.0 } else { 1.0 });
        if t == self.t_end {
            return Ok(());
        }
        let at = self.stepper.at_switch();
        let mut begins = at.is_some();
        while let Some(crossing) = self.switches.pop_if(|crossing| (t - crossing.before) * direction >= 0.0) {
            begins = true;
            t = if (crossing.after - t) * direction > 0.0 { crossing.after } else { t };
        }
        if self.phase == Phase::Regular {
            self.last_step = if begins { step.max(CUT * self.last_step) } else { step };
        }
        match self.phase {
            Phase::Hopping { left, at } if !begins && left > 1 => {
                self.phase = Phase::Hopping { left: left - 1, at };
                Ok(())
            }
            Phase::Regular if !begins => Ok(()),
            _ if begins => {
                self.count_short_pieces(at)?;
                self.replace(t, Phase::Settling { at }, self.method)
            }
            _ => self.replace(t, Phase::Regular, self.method),
        }
    }

    /// An error if many short pieces have come to an end at `switch`, one after the other.
    fn count_short_pieces(&mut self, switch: Option<usize>) -> Result<(), Failure> {
        let Some(switch) = switch else { return Ok(()) };
        let is_short = self.stepper.statistics().steps <= FEW;
        self.short_pieces = if is_short { self.short_pieces + 1 } else { 0 };
        if self.short_pieces <= PIECES {
            return Ok(());
        }
        let switch = self.dae.description().switches[switch].name.clone();
        Err(Failure::Chattering { t: self.stepper.time(), switch })
    }

    /// Another stepper takes over at the state of the last one.
    fn replace(&mut self, t: f64, phase: Phase, method: Method) -> Result<(), Failure> {
        let (dae, done) = (self.dae, self.statistics());
        let options = Options { max_steps: self.options.max_steps.saturating_sub(done.steps), ..self.options.clone() };
        let (y, yp) = (self.stepper.state(), self.stepper.derivative());
        self.stepper = match phase {
            Phase::Settling { .. } => {
                let control = StepControl::Fixed(SETTLING * self.last_step);
                let mut radau = Radau5::new(dae, t, y, yp, self.t_end, &Options { control, ..options })?;
                radau.look_beyond();
                Box::new(radau)
            }
            Phase::Regular | Phase::Hopping { .. } => method.start(dae, t, y, yp, self.t_end, &options)?,
        };
        (self.done, self.phase) = (done, phase);
        self.locate_switches();
        Ok(())
    }
}
