//! Whether the multipliers of a formulation, zero on solutions, are small.
//!
//! In: the ends of steps. Out: the failure of a run that no longer follows a solution: the directions in which
//! multipliers act have become tangent to the constraints and no longer correct it, or it has passed a point beyond
//! which the solution cannot be continued.

use crate::contract::{Dae, Kind};
use crate::integrator::stepper::{Failure, Options, StepControl, Stepper};

/// A correction of derivatives by a multiplier is suspicious if it exceeds the first number times the largest
/// derivative and, over a step, the second number times the largest tolerance: fewer tolerances are allowed where it is
/// a large part of the derivatives.
const SUSPICIOUS: [(f64, f64); 2] = [(1e-2, 1e3), (0.5, 30.0)];
/// Multipliers are checked again once one exceeds the largest at the last check by this factor.
const GROWTH: f64 = 2.0;

/// The multipliers of a formulation.
pub(super) struct Watched {
    columns: Vec<usize>,
    /// Magnitude of the largest multiplier when their growth last led to a check.
    judged: f64,
    by_y: Vec<f64>,
    by_yp: Vec<f64>,
}

impl Watched {
    /// The multipliers of a formulation; `None` if it has none, or at a fixed step size, where they are for the caller
    /// to assess.
    pub(super) fn new(dae: &dyn Dae, options: &Options) -> Option<Self> {
        let description = dae.description();
        let columns: Vec<usize> = description.multipliers().collect();
        (!columns.is_empty() && options.control == StepControl::Adaptive).then(|| Watched {
            columns,
            judged: 0.0,
            by_y: vec![0.0; description.jacobian_y.len()],
            by_yp: vec![0.0; description.jacobian_yp.len()],
        })
    }

    /// An error if the multipliers correct the derivatives at the end of a step of length `h` by more than the
    /// discretisation explains. Nothing is checked until they have grown since the last check.
    pub(super) fn check(&mut self, dae: &dyn Dae, stepper: &dyn Stepper, h: f64) -> Result<(), Failure> {
        let size = self.columns.iter().fold(0.0_f64, |size, &column| size.max(stepper.state()[column].abs()));
        if size <= GROWTH * self.judged {
            return Ok(());
        }
        self.judged = size;
        self.judge_now(dae, stepper, h)
    }

    /// An error if the multipliers correct the derivatives at the last state by more than the discretisation explains
    /// in steps of length `h`, whether or not they have grown.
    pub(super) fn judge_now(&mut self, dae: &dyn Dae, stepper: &dyn Stepper, h: f64) -> Result<(), Failure> {
        let description = dae.description();
        let (t, y, yp) = (stepper.time(), stepper.state(), stepper.derivative());
        dae.jacobian_y(t, y, yp, &mut self.by_y);
        dae.jacobian_yp(t, y, yp, &mut self.by_yp);
        let states = || (0..y.len()).filter(|&i| description.unknowns[i].kind == Kind::Differential);
        let speed = states().map(|i| yp[i].abs()).fold(0.0, f64::max);
        let tolerance = states().map(|i| 1.0 / stepper.error_weights()[i]).fold(0.0, f64::max);
        let mut worst = (0.0, None);
        for row in 0..description.jacobian_y.rows() {
            let leading: f64 = description.jacobian_yp.row(row).map(|(_, p)| self.by_yp[p].abs()).fold(0.0, f64::max);
            if leading == 0.0 {
                continue;
            }
            for (column, position) in description.jacobian_y.row(row) {
                let correction = (self.by_y[position] * y[column] / leading).abs();
                if correction > worst.0 && self.columns.binary_search(&column).is_ok() {
                    worst = (correction, Some(column));
                }
            }
        }
        let (correction, Some(column)) = worst else { return Ok(()) };
        let is_suspicious = |(part, multiple)| correction > part * speed && correction * h.abs() > multiple * tolerance;
        if !SUSPICIOUS.into_iter().any(is_suspicious) {
            return Ok(());
        }
        Err(Failure::MultiplierNotZero {
            t,
            form: description.form.clone(),
            multiplier: description.unknowns[column].name.clone(),
            value: y[column],
        })
    }
}
