//! The first values of a run.
//!
//! In: steps of Radau IIA of order 5. Out: the past values that a formula needs.
//!
//! A formula of order $k$ needs $k$ values. Beginning with order 1 would take many short steps or, at a fixed step
//! size, leave an error of order $h^2$ in all that follows. With step-size control, the collocation polynomial of the
//! last Radau step gives the values for a formula of its degree, 3; at a fixed step size, as many steps are made as the
//! order requires.

use super::history::History;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::StepControl;
use crate::integrator::{Rejection, Run, Scheme, StepError};
use crate::methods::radau::{Polynomial, Radau};

/// The start is over once the next step would be no more than this many times as long, or after `STEPS` steps.
const GROWTH: f64 = 4.0;
const STEPS: usize = 4;
/// A step whose polynomial would make a poor history is shortened by this factor.
const AFTER_POOR_POLYNOMIAL: f64 = 0.25;

/// Makes steps of Radau IIA until there are enough values for a formula.
pub(super) struct Starter {
    pub(super) radau: Radau,
    /// Error weights of the BDF formulas, which replace those of Radau IIA when the formulas take over.
    weights: Weights,
    kind: Kind,
    order: usize,
    done: bool,
    /// Number of steps that have passed the error test.
    steps: usize,
    /// Whether the start of the run has been moved onto the equations.
    has_mended_start: bool,
}

enum Kind {
    /// Equidistant values on the polynomial of the last step, taken once `ready`; `attempt` is the polynomial of the
    /// step under way.
    Polynomial { ready: bool, values: Vec<Vec<f64>>, attempt: Polynomial },
    /// The first `count` entries of `values` are those at times `h` apart, the oldest first.
    Steps { h: f64, values: Vec<Vec<f64>>, count: usize },
}

impl Starter {
    /// Begins at `y0`, for formulas of orders up to `max_order`.
    pub(super) fn new(radau: Radau, weights: Weights, control: StepControl, y0: &[f64], max_order: usize) -> Self {
        let room = |count: usize| vec![y0.to_vec(); count];
        let (order, kind) = match control {
            StepControl::Adaptive => {
                let order = radau.stages();
                (
                    order,
                    Kind::Polynomial {
                        ready: false,
                        values: room(order + 1),
                        attempt: Polynomial::new(y0.len(), order),
                    },
                )
            }
            StepControl::Fixed(h) => (max_order, Kind::Steps { h, values: room(max_order), count: 1 }),
        };
        Starter { radau, weights, kind, order, done: false, steps: 0, has_mended_start: false }
    }

    /// Whether the formulas have taken over.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Tests the error as Radau IIA does and, with step-size control, that of the polynomial between its nodes. The
    /// length returned after the last step of the start is that of the first step of a formula.
    pub(super) fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        let next = self.radau.test_error(run, h)?;
        let Kind::Polynomial { ready, attempt, .. } = &mut self.kind else { return Ok(next) };
        let between = self.radau.error_between(run, h, attempt);
        if between.is_nan() || between > 1.0 {
            self.radau.suspect_jacobian();
            let cause = StepError::Error { unknown: self.radau.worst(run) };
            // If the start satisfies the equations only to within a tolerance, the polynomial jumps off it, and a
            // shorter step does not make the jump smaller.
            let is_mended = self.steps == 0 && !self.has_mended_start && self.radau.mend_start(run, h);
            self.has_mended_start |= is_mended;
            let factor = if is_mended { 1.0 } else { AFTER_POOR_POLYNOMIAL };
            return Err(Rejection { cause, retry: factor * h.abs() });
        }
        self.steps += 1;
        *ready = next <= GROWTH * h.abs() || self.steps >= STEPS;
        Ok(if *ready { h.abs() / self.order as f64 } else { next })
    }

    /// Takes in a step; returns the order of the first formula, or `None` if more steps have to precede it.
    pub(super) fn accept(&mut self, run: &mut Run<'_>, h: f64, history: &mut History) -> Option<usize> {
        self.radau.accept(run, h);
        match &mut self.kind {
            Kind::Polynomial { ready, values, .. } => {
                if !*ready {
                    return None;
                }
                let last = values.len() - 1;
                for (i, value) in values.iter_mut().enumerate() {
                    let s = (i as f64 - last as f64) / last as f64;
                    self.radau.polynomial().evaluate(s, value, &mut run.candidate_slope);
                }
                history.fill(values, h / last as f64, self.order);
            }
            Kind::Steps { h: length, values, count } => {
                // A step that was cut or stretched to land on a stop begins a new sequence.
                if (h.abs() / *length - 1.0).abs() > 1e-6 {
                    *count = 0;
                }
                if *count == values.len() {
                    values.rotate_left(1);
                    *count -= 1;
                }
                values[*count].copy_from_slice(&run.y);
                *count += 1;
                if *count < values.len() {
                    return None;
                }
                history.fill(values, h, self.order);
            }
        }
        std::mem::swap(&mut run.weights, &mut self.weights);
        run.weights.update(&run.y, h);
        self.done = true;
        Some(self.order)
    }
}
