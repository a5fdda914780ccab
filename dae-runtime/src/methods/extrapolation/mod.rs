//! Extrapolation methods: results of a method of order 1 with several step sizes, extrapolated to step size zero.
//!
//! In: a formulation, consistent start values, an end time, options. Out: a
//! [`Stepper`](crate::integrator::stepper::Stepper). Sources: P. Deuflhard, E. Hairer, J. Zugck, Numer. Math. 51 (1987);
//! P. Deuflhard, U. Nowak, *Extrapolation integrators for quasilinear implicit ODEs* (1987); Hairer & Wanner II, sections
//! IV.9 and VI.5.
//!
//! A step of length $h$ is made with $1, 2, 3, \dots$ steps of a *basic method* ([`linearly_implicit`],
//! [`half_explicit_euler`]). Where errors of that have an expansion in powers of its step size, $k$ such sequences give a
//! result of order $k$ (`table`), and polynomials over the step (`dense`). How many there are is decided for each step
//! (`control`).

mod basic;
mod control;
mod dense;
mod half_explicit_euler;
mod linearly_implicit;
mod table;

use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, StepControl, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::half_explicit::consistent::Consistent;
use crate::methods::half_explicit::equations::Accuracy;
use crate::methods::radau::first_step;
use basic::Basic;
use control::{Control, Verdict};
use dense::Dense;
use half_explicit_euler::HalfExplicitEuler;
use linearly_implicit::LinearlyImplicitEuler;
use table::Table;

/// Names in messages.
pub(crate) const LIMEX: &str = "LIMEX";
pub(crate) const MEXX: &str = "MEXX";

/// The highest order.
const MOST: usize = 8;
/// The order at a fixed step size, unless the options say otherwise.
const AT_FIXED_STEP: usize = 5;
/// For the sake of dense output that does not become more accurate with the order, the next step is shorter than the last
/// one by at most this factor.
const LEAST_BOUND: f64 = 0.5;
/// After an attempt whose equations could not be solved, the step is shortened by this factor.
const AFTER_TROUBLE: f64 = 0.25;

/// Begins an integration by the extrapolated linearly implicit Euler method.
pub(crate) fn start_linearly_implicit<'d>(
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    begin(LIMEX, dae, start, options, |run| Ok(LinearlyImplicitEuler::new(run, start.plan)))
}

/// Begins an integration by the extrapolated half-explicit Euler method.
pub(crate) fn start_half_explicit<'d>(
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    begin(MEXX, dae, start, options, |run| {
        let consistent = Consistent::new(dae, MEXX, start, options, Accuracy::OfBasicSteps)?;
        Ok(HalfExplicitEuler::new(consistent, run.y.len()))
    })
}

/// Begins an integration with a basic method.
fn begin<'d, B: Basic + 'd>(
    name: &'static str,
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
    basic: impl FnOnce(&Run<'_>) -> Result<B, Failure>,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let most = match (options.max_order, options.control) {
        (None, StepControl::Adaptive) => MOST,
        (None, StepControl::Fixed(_)) => AT_FIXED_STEP,
        (Some(1), StepControl::Adaptive) => {
            let message = format!("{name} estimates errors from order 2 on; 1 is below");
            return Err(Failure::InvalidOption { message });
        }
        (Some(order), _) if order <= MOST => order,
        (Some(order), _) => {
            let message = format!("{name} has the orders 1 to {MOST}; a highest order of {order} is none of them");
            return Err(Failure::InvalidOption { message });
        }
    };
    Run::check(dae, start, options)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    let mut run = Run::new(dae, start, options, weights)?;
    run.weights.update(start.y0, 1.0);
    run.statistics.jacobians += start.plan.jacobians;
    let basic = basic(&run)?;
    let scheme = Extrapolation {
        control: Control::new(basic.work(), most),
        basic,
        most,
        table: Table::new(n, most.max(2)),
        increments: (1..=most).map(|steps| vec![vec![0.0; n]; steps + 1]).collect(),
        dense: Dense::new(description, most),
        columns: 1,
        verdict: Verdict::Accept,
        bound: f64::INFINITY,
        error: vec![0.0; n],
    };
    let first = first_step(description, start, &run.weights, &run.clock);
    run.begin_with(first, options);
    Ok(Box::new(Integrator::new(run, scheme)))
}

/// Whether errors are estimated with so many columns.
fn columns_are_compared(control: StepControl, columns: usize) -> bool {
    columns > 1 && control == StepControl::Adaptive
}

/// The scheme of an extrapolation method.
struct Extrapolation<B> {
    basic: B,
    control: Control,
    /// The highest order.
    most: usize,
    table: Table,
    /// The increments at the ends of the basic steps, by sequence.
    increments: Vec<Vec<Vec<f64>>>,
    dense: Dense,
    /// Number of sequences of the last attempt, which is its order.
    columns: usize,
    /// What the last attempt is worth.
    verdict: Verdict,
    /// How much longer the next step may be for the sake of dense output.
    bound: f64,
    /// The error of the last attempt.
    error: Vec<f64>,
}

impl<B: Basic> Extrapolation<B> {
    /// Makes sequences until the error is small enough, or the attempt hopeless.
    fn extrapolate(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        self.basic.begin(run, h)?;
        self.dense.begin(&run.y, &run.yp, h);
        self.table.clear();
        for columns in 1..=self.most {
            let increments = &mut self.increments[columns - 1];
            self.basic.steps(run, h, increments)?;
            let end = &increments[columns];
            self.table.push(columns, |k| end[k]);
            self.columns = columns;
            self.verdict = Verdict::Continue;
            if !columns_are_compared(run.control, columns) {
                continue;
            }
            self.table.error(&mut self.error);
            self.verdict = self.control.judge(columns, run.weights.error_norm(&self.error));
            if self.verdict == Verdict::Accept {
                self.end(run, h)?;
                self.basic.spread_error(run, h, &mut self.error)?;
                self.verdict = self.judge_end(run);
                if self.verdict != Verdict::Continue {
                    return Ok(());
                }
                self.basic.resume();
            }
            if self.verdict == Verdict::Reject {
                break;
            }
        }
        self.end(run, h)
    }

    /// Leaves the extrapolated end of an attempt in `run.candidate`, with the derivative there.
    fn end(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        for ((end, start), increment) in run.candidate.iter_mut().zip(&run.y).zip(self.table.best()) {
            *end = start + increment;
        }
        let slope = self.dense.derivative(&self.increments[..self.columns], 1);
        run.candidate_slope.iter_mut().zip(slope).for_each(|(target, slope)| *target = slope / h);
        if let Some(unknown) = run.candidate.iter().position(|y| !y.is_finite()) {
            return Err(StepError::Convergence { unknown });
        }
        self.basic.end(run, h)
    }

    /// Judges an attempt by its error and that between its ends.
    fn judge_end(&mut self, run: &Run<'_>) -> Verdict {
        let size = run.weights.error_norm(&self.error);
        self.dense.forget();
        self.dense.complete(&self.increments[..self.columns], &run.candidate, &run.candidate_slope);
        if !self.basic.knows_derivatives() {
            self.bound = self.dense.bound(self.columns, &run.weights).max(LEAST_BOUND);
            return self.control.judge(self.columns, size);
        }
        let [between, before] = self.dense.sizes(self.columns, &run.weights);
        self.bound = self.basic.reach();
        self.control.correct(self.columns - 1, before);
        if between > size {
            self.error.copy_from_slice(self.dense.error());
        }
        self.control.judge(self.columns, size.max(between))
    }
}

impl<B: Basic> Scheme for Extrapolation<B> {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        self.extrapolate(run, h).map_err(|cause| {
            self.control.after_trouble();
            Rejection { cause, retry: AFTER_TROUBLE * h.abs() }
        })
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        if self.verdict == Verdict::Accept {
            return Ok(self.control.after_success(self.columns).min(self.bound) * h.abs());
        }
        let retry = self.control.after_rejection(self.columns) * h.abs();
        Err(Rejection { cause: StepError::Error { unknown: self.worst(run) }, retry })
    }

    fn accept(&mut self, run: &mut Run<'_>, _h: f64) {
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
        self.basic.accept();
    }

    fn forget(&mut self, _run: &Run<'_>) {
        self.basic.forget();
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst_error(&self.error)
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.basic.deficiency(run, h)
    }

    fn leading(&self) -> f64 {
        self.basic.leading()
    }

    fn respond(&self, residual: &mut [f64]) {
        self.basic.matrix().solve(residual);
    }

    fn order(&self) -> usize {
        self.columns
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::AsSteps
    }

    fn dense_degree(&self) -> usize {
        self.columns + 1
    }

    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        self.dense.complete(&self.increments[..self.columns], &run.y, &run.yp);
        let (t, h, basic) = (run.clock.time(), self.dense.length(), &mut self.basic);
        let find = |s: f64, state: &mut [f64]| basic.find_between(run, [t + s * h, h], state);
        let sources = self.dense.coefficients(self.columns, find).iter().flatten();
        coefficients.iter_mut().zip(sources).for_each(|(target, source)| *target = *source);
    }
}
