//! Extrapolation methods: results of a method of order 1 with several step sizes, extrapolated to step size zero.
//!
//! In: a formulation, consistent start values, an end time, options. Out: a
//! [`Stepper`](crate::integrator::stepper::Stepper). Sources: P. Deuflhard, E. Hairer, J. Zugck, Numer. Math. 51 (1987);
//! P. Deuflhard, U. Nowak, *Extrapolation integrators for quasilinear implicit ODEs* (1987); Hairer & Wanner II, sections
//! IV.9 and VI.5.
//!
//! A step of length $h$ is made with $1, 2, 3, \dots$ steps of a *basic method* ([`linearly_implicit`],
//! [`half_explicit_euler`]). Where errors of that have an expansion in powers of its step size, $k$ such sequences give a
//! result of order $k$ (`table`). How many there are is decided for each step (`control`).
//!
//! # Dense output
//!
//! Backward differences of the sequences at the end of the step, divided by powers of their step size, tend to the
//! derivatives there, with errors that have expansions too (Hairer & Wanner II, section IV.9), except for those that
//! contain the state at the start, which in algebraic unknowns does not fit the sequence. From the others $y', \dots,
//! y^{(k-1)}$ are extrapolated; these, the state at the end, and state and derivative at the start determine a polynomial
//! of degree $k + 1$ (of algebraic unknowns, the derivative at the start is not known). Its error is $O(h^k)$, as is the
//! error estimate.

mod basic;
mod control;
mod half_explicit_euler;
mod linearly_implicit;
mod table;

use crate::contract::{Dae, Kind};
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, StepControl, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::half_explicit::consistent::Consistent;
use crate::methods::half_explicit::equations::Accuracy;
use crate::methods::radau::first_step;
use basic::Basic;
use control::{Control, Verdict};
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
/// The estimated error of dense output, in units of the error allowed, that is aimed at.
const BETWEEN: f64 = 0.1;
/// Largest number of states, both ends included, through which polynomials of algebraic unknowns are laid.
const NODES: usize = 6;
/// For the sake of dense output, the next step is shorter than the last one by at most this factor; or the step itself is
/// repeated with a length shorter by this factor, if derivatives at the ends of steps are known.
const LEAST_BOUND: f64 = 0.5;
/// Differences of high order amplify rounding errors by about this factor for each order.
const AMPLIFICATION: f64 = 10.0;
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
        control: Control::new(basic.work(), most, basic.knows_derivatives()),
        basic,
        most,
        table: Table::new(n, most.max(2)),
        derivatives: Table::new(n, most.max(2)),
        states: (1..=most).map(|steps| vec![vec![0.0; n]; steps + 1]).collect(),
        coefficients: vec![vec![0.0; n]; most + 2],
        start_slope: vec![0.0; n],
        length: 0.0,
        is_differential: description.unknowns.iter().map(|unknown| unknown.kind == Kind::Differential).collect(),
        between: vec![0.0; n],
        columns: 1,
        verdict: Verdict::Accept,
        error: vec![0.0; n],
        size: 0.0,
        has_output: false,
        is_corrected: false,
        nodes: vec![vec![0.0; n]; NODES],
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
    /// A table for derivatives.
    derivatives: Table,
    /// The states of the basic steps, by sequence.
    states: Vec<Vec<Vec<f64>>>,
    /// Dense output of the last step, in powers of the time from its end, in units of its length.
    coefficients: Vec<Vec<f64>>,
    /// The derivative at the start of the last attempt, and its signed length.
    start_slope: Vec<f64>,
    length: f64,
    is_differential: Vec<bool>,
    /// What the derivative at the start contributes to dense output.
    between: Vec<f64>,
    /// Number of sequences of the last attempt, which is its order.
    columns: usize,
    /// What the last attempt is worth.
    verdict: Verdict,
    /// Its error, and the norm of that.
    error: Vec<f64>,
    size: f64,
    /// Whether `coefficients` belong to the last step, and whether they contain what the basic method says of algebraic
    /// unknowns.
    has_output: bool,
    is_corrected: bool,
    /// States at equal distances in the last step, from its end.
    nodes: Vec<Vec<f64>>,
}

impl<B: Basic> Extrapolation<B> {
    /// Makes sequences until the error is small enough, or the attempt hopeless.
    fn extrapolate(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        self.basic.begin(run, h)?;
        self.table.clear();
        for columns in 1..=self.most {
            let states = &mut self.states[columns - 1];
            self.basic.steps(run, h, states)?;
            let end = &states[columns];
            self.table.push(columns, |k| end[k]);
            self.columns = columns;
            self.verdict = Verdict::Continue;
            if columns_are_compared(run.control, columns) {
                self.table.error(&mut self.error);
                self.size = run.weights.error_norm(&self.error);
                self.verdict = self.control.judge(columns, self.size);
                if self.verdict != Verdict::Continue {
                    break;
                }
            }
        }
        run.candidate.copy_from_slice(self.table.best());
        self.derivative(1);
        run.candidate_slope.copy_from_slice(self.derivatives.best());
        run.candidate_slope.iter_mut().for_each(|slope| *slope /= h);
        if let Some(unknown) = run.candidate.iter().position(|y| !y.is_finite()) {
            return Err(StepError::Convergence { unknown });
        }
        self.basic.end(run, h)?;
        if self.verdict == Verdict::Accept && columns_are_compared(run.control, self.columns) {
            self.basic.spread_error(run, h, &mut self.error)?;
            self.size = run.weights.error_norm(&self.error);
            if self.size.is_nan() || self.size > 1.0 {
                self.verdict = self.control.refuse(self.columns, self.size);
            }
        }
        Ok(())
    }

    /// Extrapolates $h^\kappa y^{(\kappa)}$ at the end of the last attempt, from differences without the state at the
    /// start, unless there is but one sequence.
    fn derivative(&mut self, order: usize) {
        self.derivatives.clear();
        for columns in (order + 1).min(self.columns)..=self.columns {
            let states = &self.states[columns - 1];
            let scale = (columns as f64).powi(order as i32);
            self.derivatives.push(columns, |k| {
                // The backward difference, with binomial coefficients.
                let (mut sum, mut binomial) = (0.0, 1.0);
                for i in 0..=order {
                    sum += binomial * states[columns - i][k];
                    binomial *= -((order - i) as f64) / (i + 1) as f64;
                }
                scale * sum
            });
        }
    }

    /// Computes the coefficients of dense output of the last attempt, given its end with the derivative there, unless
    /// that is done.
    fn complete_output(&mut self, end: &[f64], end_slope: &[f64]) {
        if std::mem::replace(&mut self.has_output, true) {
            return;
        }
        let degree = self.columns;
        self.coefficients[0].copy_from_slice(end);
        self.coefficients[1].iter_mut().zip(end_slope).for_each(|(c, slope)| *c = self.length * slope);
        let mut factorial = 1.0;
        for order in 2..degree {
            factorial *= order as f64;
            self.derivative(order);
            let best = self.derivatives.best();
            self.coefficients[order].iter_mut().zip(best).for_each(|(c, best)| *c = best / factorial);
        }
        // The last two are such that the polynomial begins at the start, and with the derivative there.
        let sign = if degree.is_multiple_of(2) { 1.0 } else { -1.0 };
        for k in 0..end.len() {
            let (mut value, mut slope) = (0.0, 0.0);
            for c in self.coefficients[..degree].iter().rev() {
                slope = value - slope;
                value = c[k] - value;
            }
            let missing = [self.states[0][0][k] - value, self.length * self.start_slope[k] - slope];
            let last = if self.is_differential[k] { sign * (missing[1] + degree as f64 * missing[0]) } else { 0.0 };
            self.coefficients[degree][k] = sign * missing[0] + last;
            self.coefficients[degree + 1][k] = last;
        }
    }
}

impl<B: Basic> Extrapolation<B> {
    /// Replaces the polynomials of algebraic unknowns by those through equidistant states in the step, if the basic method
    /// determines such.
    fn correct_output(&mut self, run: &mut Run<'_>) {
        if std::mem::replace(&mut self.is_corrected, true) || self.is_differential.iter().all(|is| *is) {
            return;
        }
        let degree = self.columns + 1;
        let parts = self.nodes.len().min(degree + 1) - 1;
        for (j, node) in self.nodes.iter_mut().enumerate().take(parts + 1) {
            let s = -(j as f64) / parts as f64;
            for (k, value) in node.iter_mut().enumerate() {
                *value = match self.is_differential[k] {
                    true => self.coefficients[..=degree].iter().rev().fold(0.0, |sum, c| sum * s + c[k]),
                    false => run.y[k] - s * (self.states[0][0][k] - run.y[k]),
                };
            }
            let at = [run.clock.time() + s * self.length, self.length];
            if j > 0 && j < parts && !self.basic.find_between(run, at, node) {
                return;
            }
        }
        for k in (0..run.y.len()).filter(|&k| !self.is_differential[k]) {
            self.coefficients.iter_mut().for_each(|c| c[k] = 0.0);
            // Newton's forward differences of x = -s parts, as powers of s.
            let mut basis = [0.0; NODES + 1];
            basis[0] = 1.0;
            for i in 0..=parts {
                let mut difference = 0.0;
                let mut binomial = 1.0;
                for j in (0..=i).rev() {
                    difference += binomial * self.nodes[j][k];
                    binomial *= -(j as f64) / (i + 1 - j) as f64;
                }
                let mut scale = difference;
                for (c, factor) in self.coefficients.iter_mut().zip(&basis[..=i]) {
                    c[k] += scale * factor;
                    scale *= -(parts as f64);
                }
                for power in (0..=i).rev() {
                    basis[power + 1] += basis[power] / (i + 1) as f64;
                    basis[power] *= -(i as f64) / (i + 1) as f64;
                }
            }
        }
    }

    /// The factor by which the next step may be longer for the sake of dense output, or has to be shorter. The error between
    /// the ends is estimated by what the derivative at the start contributes (Hairer, Nørsett & Wanner I, (II.9.27) ff.):
    /// a multiple of $(1 + s)\, s^k$.
    fn dense_bound(&mut self, run: &Run<'_>) -> f64 {
        self.complete_output(&run.candidate, &run.candidate_slope);
        let k = self.columns as f64;
        let largest = (k / (k + 1.0)).powf(k) / (k + 1.0);
        let last = &self.coefficients[self.columns + 1];
        self.between.iter_mut().zip(last).for_each(|(between, last)| *between = largest * last);
        let size = run.weights.error_norm(&self.between);
        let noise = f64::EPSILON * AMPLIFICATION.powf(k) * run.weights.error_norm(&run.candidate);
        if size <= noise { f64::INFINITY } else { (BETWEEN / size).powf(1.0 / k).max(LEAST_BOUND) }
    }
}

impl<B: Basic> Scheme for Extrapolation<B> {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        (self.has_output, self.is_corrected, self.length) = (false, false, h);
        self.start_slope.copy_from_slice(&run.yp);
        self.extrapolate(run, h).map_err(|cause| {
            self.control.after_trouble();
            Rejection { cause, retry: AFTER_TROUBLE * h.abs() }
        })
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        if self.verdict == Verdict::Accept {
            let bound = self.dense_bound(run);
            if bound > LEAST_BOUND || !self.basic.knows_derivatives() {
                return Ok(self.control.after_success(self.columns, bound) * h.abs());
            }
            self.error.copy_from_slice(&self.between);
        }
        let most = if self.verdict == Verdict::Accept { LEAST_BOUND } else { 1.0 };
        let retry = self.control.after_rejection(self.columns).min(most) * h.abs();
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
        self.complete_output(&run.y, &run.yp);
        self.correct_output(run);
        let sources = self.coefficients[..=self.dense_degree()].iter().flatten();
        coefficients.iter_mut().zip(sources).for_each(|(target, source)| *target = *source);
    }
}
