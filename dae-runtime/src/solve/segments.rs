//! A run in pieces.
//!
//! In: a stepper, and the times at which functions of the time change their branch. Out: steppers that end and begin there, one after the other, and the
//! work of all of them; and one of another method for a few steps where several stages meet a kink that nobody has located.

use super::Method;
use super::crossing::Crossing;
use crate::contract::Dae;
use crate::radau5::Radau5;
use crate::stepper::{Failure, Options, Statistics, StepControl, Stepper};

/// A run in pieces on which no function of the time changes its branch.
pub(super) struct Segments<'d> {
    pub(super) stepper: Box<dyn Stepper + 'd>,
    /// Work on earlier pieces.
    done: Statistics,
    /// Where the next ones begin, the last first.
    switches: Vec<Crossing>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The method of the run.
    Regular,
    /// The first step of a piece.
    Settling,
    /// So many steps of a method with one stage are left, to get over a kink.
    Hopping(usize),
}

/// Steps by a method with one stage, where one with several meets a kink.
const HOPS: usize = 10;

/// The first step of a piece, as a part of the last one of the piece before. It is not tested for its error, since what determines it,
/// algebraic unknowns and derivatives, may have jumped.
const SETTLING: f64 = 1e-3;

impl<'d> Segments<'d> {
    /// Begins with a stepper at the start; `switches` are where further pieces begin, the last first.
    pub(super) fn new(stepper: Box<dyn Stepper + 'd>, switches: Vec<Crossing>) -> Self {
        Segments { stepper, done: Statistics::default(), switches, phase: Phase::Regular }
    }

    /// Work on all pieces.
    pub(super) fn statistics(&self) -> Statistics {
        let mut all = self.done;
        all += self.stepper.statistics();
        all
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
    /// need not be near any that would do for all of them. A first step of a piece that cannot be made is left out. `false` if nothing helps.
    pub(super) fn recover(
        &mut self,
        failure: &Failure,
        method: Method,
        dae: &'d dyn Dae,
        t_end: f64,
        options: &Options,
    ) -> bool {
        let at_kink = matches!(failure, Failure::StepSizeTooSmall { .. }) && !dae.description().switches.is_empty();
        let (method, phase) = match self.phase {
            Phase::Settling => (method, Phase::Regular),
            Phase::Regular if at_kink && options.control == StepControl::Adaptive => {
                (Method::Bdf, Phase::Hopping(HOPS))
            }
            Phase::Regular | Phase::Hopping(_) => return false,
        };
        let (t, y, yp) = (self.stepper.time(), self.stepper.state(), self.stepper.derivative());
        let max_steps = options.max_steps.saturating_sub(self.done.steps + self.stepper.statistics().steps);
        let options = Options { max_steps, ..options.clone() };
        let Ok(stepper) = method.start(dae, t, y, yp, t_end, &options) else { return false };
        self.done += self.stepper.statistics();
        (self.stepper, self.phase) = (stepper, phase);
        true
    }

    /// Begins the next piece at its time, or goes on after its first step.
    pub(super) fn go_on(
        &mut self,
        method: Method,
        dae: &'d dyn Dae,
        step: f64,
        t_end: f64,
        options: &Options,
    ) -> Result<(), Failure> {
        let (mut t, direction) = (self.stepper.time(), if t_end < self.stepper.time() { -1.0 } else { 1.0 });
        if t == t_end {
            return Ok(());
        }
        let mut begins = false;
        while let Some(crossing) = self.switches.pop_if(|crossing| (t - crossing.before) * direction >= 0.0) {
            begins = true;
            t = if (crossing.after - t) * direction > 0.0 { crossing.after } else { t };
        }
        if let (false, Phase::Hopping(left)) = (begins, self.phase)
            && left > 1
        {
            self.phase = Phase::Hopping(left - 1);
            return Ok(());
        }
        if !begins && self.phase == Phase::Regular {
            return Ok(());
        }
        self.done += self.stepper.statistics();
        let (y, yp) = (self.stepper.state(), self.stepper.derivative());
        let max_steps = options.max_steps.saturating_sub(self.done.steps);
        let options = Options { max_steps, ..options.clone() };
        self.phase = if begins { Phase::Settling } else { Phase::Regular };
        self.stepper = match begins {
            true => {
                let control = StepControl::Fixed(SETTLING * step);
                Box::new(Radau5::new(dae, t, y, yp, t_end, &Options { control, ..options })?)
            }
            false => method.start(dae, t, y, yp, t_end, &options)?,
        };
        Ok(())
    }
}
