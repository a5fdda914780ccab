//! Half-explicit Runge–Kutta methods for index 2 in Hessenberg form ([`hessenberg`]), of orders 4 and 5, with explicit
//! first stage.
//!
//! In: a formulation, consistent start values, an end time, options, a tableau. Out: a
//! [`Stepper`](crate::integrator::stepper::Stepper). Sources: V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993);
//! A. Murua, Computing 59 (1997); M. Arnold, BIT 38 (1998); Hairer & Wanner II, section VII.6.
//!
//! # Stages
//!
//! A differential unknown is advanced explicitly. At the first stage, derivatives and algebraic unknowns are those at the
//! start of the step. At every other stage $i$ they are determined, by one Newton iteration, from the equations at the
//! stage together with the constraints at a second combination of derivatives (`tableau`, `equations`):
//!
//! $$ Y_i = y_n + h \sum_{j<i} a_{ij} Y_j', \qquad \Phi(t_n + c_i h, Y_i, Y_i', Z_i) = 0, \qquad
//!    g\Bigl(t_n + \bar c_i h,\\; y_n + h \sum_{j \le i} \bar a_{ij} Y_j'\Bigr) = 0 . $$
//!
//! The last of these combinations is the end of the step, $y_{n+1} = y_n + h \sum_i b_i Y_i'$, which therefore satisfies
//! the constraints. There derivatives and algebraic unknowns follow from the equations with the differentiated
//! constraints $g_t + g_y y' = 0$, so that algebraic unknowns are as accurate as the others, and the first stage of the
//! next step is known. $F_y$ at the end, which this needs, is the Jacobian of the next step.
//!
//! # Error estimate and dense output
//!
//! The error of the differential unknowns is estimated by the embedded formula of the explicit method, that of algebraic
//! unknowns of index 1 is what it makes of them. In the directions in which the unknowns of index 2 act, the step itself
//! has no error, since it satisfies the constraints, but states between its ends have. Dense output is that of the explicit method, moved onto the
//! constraints in the middle of the step; algebraic unknowns have a parabola through the middle.

pub(crate) mod consistent;
pub(crate) mod equations;
pub(crate) mod hessenberg;
pub(crate) mod tableau;

use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::runge_kutta::dense::{combined, powers};
use crate::methods::runge_kutta::tableau::{Combination, Estimate};
use consistent::Consistent;
use equations::{Accuracy, Closure, Equations};
use hessenberg::Hessenberg;
use tableau::HalfExplicit;

/// Safety factor of the step size.
const SAFETY: f64 = 0.9;

/// A smaller error of the last step says nothing about the trend.
const SMALLEST_TREND: f64 = 1e-4;

/// After an attempt whose equations could not be solved, the step is shortened by this factor.
const AFTER_TROUBLE: f64 = 0.25;

/// Begins an integration.
pub(crate) fn start<'d>(
    tableau: &'static HalfExplicit,
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let order = tableau.explicit.order;
    if options.max_order.is_some_and(|highest| highest < order) {
        let message = format!("the order of {} is {order}, above the highest allowed", tableau.name);
        return Err(Failure::InvalidOption { message });
    }
    Run::check(dae, start, options)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let consistent = Consistent::new(dae, tableau.name, start, options, Accuracy::OfStages)?;
    let mut weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    weights.relax_multipliers(dae, start.t0, start.y0, start.yp0);
    let mut run = Run::new(dae, start, options, weights)?;
    run.weights.update(start.y0, 1.0);
    run.statistics.jacobians += start.plan.jacobians;
    let mut scheme = HalfExplicitRungeKutta {
        tableau,
        consistent,
        slopes: vec![vec![0.0; n]; tableau.explicit.stages() + 1],
        base: vec![0.0; n],
        error: vec![0.0; n],
        origin: vec![0.0; n],
        middle: vec![0.0; n],
        shift: vec![0.0; n],
        length: 0.0,
        has_output: false,
        last_error: SMALLEST_TREND,
        is_repeated: false,
    };
    let first = scheme.consistent.first_step(&mut run, order);
    run.begin_with(first, options);
    Ok(Box::new(Integrator::new(run, scheme)))
}

/// The scheme of a half-explicit Runge–Kutta method.
struct HalfExplicitRungeKutta {
    tableau: &'static HalfExplicit,
    consistent: Consistent,
    /// Derivatives at the stages and at the end of the step.
    slopes: Vec<Vec<f64>>,
    /// The part of a combination that is known before the stage is solved.
    base: Vec<f64>,
    /// The estimated error of the attempt under way.
    error: Vec<f64>,
    /// The state at the start of the last step.
    origin: Vec<f64>,
    /// The state in the middle of the last step, and how far it was moved onto the constraints.
    middle: Vec<f64>,
    shift: Vec<f64>,
    /// Signed length of the last step.
    length: f64,
    /// Whether `middle` and `shift` belong to the last step.
    has_output: bool,
    /// Error of the last accepted step, in units of the error allowed.
    last_error: f64,
    /// Whether the step under way was tried before.
    is_repeated: bool,
}

impl HalfExplicitRungeKutta {
    /// Sets the differential unknowns of `state` to those of `from` plus `h` times a combination of the slopes.
    fn advance(
        structure: &Hessenberg,
        slopes: &[Vec<f64>],
        from: &[f64],
        combination: Combination,
        h: f64,
        state: &mut [f64],
    ) {
        for &k in &structure.differential {
            state[k] = from[k] + h * combined(slopes, combination, k);
        }
    }

    /// Solves for the derivatives of one stage after the first.
    fn solve_stage(&mut self, run: &mut Run<'_>, stage: usize, h: f64) -> Result<(), StepError> {
        let HalfExplicit { explicit, constrained_c, constrained_a, .. } = self.tableau;
        let t = run.clock.time();
        let Equations { structure, point, .. } = &mut self.consistent.equations;
        Self::advance(structure, &self.slopes, &run.y, explicit.a[stage - 1], h, point);
        if stage > 1 {
            let [before, here] = [stage - 1, stage].map(|stage| explicit.c[stage]);
            self.consistent.equations.extrapolate((here - before) / before, &run.y, &run.yp);
        }
        let structure = &self.consistent.equations.structure;
        // All of the combination but the stage itself, which comes last.
        let (row, last) = constrained_a[stage - 1].split_at(constrained_a[stage - 1].len() - 1);
        let factor = h * last.first().map_or(1.0, |(_, coefficient)| *coefficient);
        self.base.copy_from_slice(&run.y);
        for &k in &structure.differential {
            self.base[k] += h * row.iter().map(|&(j, coefficient)| coefficient * self.slopes[j][k]).sum::<f64>();
        }
        let closure = Closure::Constraints { t: t + constrained_c[stage - 1] * h, base: &self.base, factor };
        let at = [t + explicit.c[stage] * h, h];
        self.consistent.equations.solve(&*run.dae, at, closure, &run.weights, &mut run.statistics)?;
        self.slopes[stage].copy_from_slice(&self.consistent.equations.slope);
        Ok(())
    }

    /// Solves for all stages, and for the end of the step.
    fn solve_step(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        self.consistent.begin(run, h)?;
        self.consistent.equations.point.copy_from_slice(&run.y);
        self.consistent.equations.slope.copy_from_slice(&run.yp);
        let since = self.length;
        if since != 0.0 && h.abs() <= since.abs() {
            let ratio = self.tableau.explicit.c[1] * h / since;
            self.consistent.equations.extrapolate(ratio, &self.origin, &self.slopes[0]);
        }
        self.slopes[0].copy_from_slice(&run.yp);
        let stages = self.tableau.explicit.stages();
        for stage in 1..stages {
            self.solve_stage(run, stage, h)?;
        }
        let end = run.clock.time() + h;
        let Equations { structure, point, .. } = &mut self.consistent.equations;
        Self::advance(structure, &self.slopes, &run.y, self.tableau.explicit.b, h, point);
        self.consistent.find_end(run, end, h)?;
        self.slopes[stages].copy_from_slice(&run.candidate_slope);
        Ok(())
    }

    /// Estimates the error of the attempt under way, of length `h`, in `error`.
    fn estimate_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        let row = match self.tableau.explicit.error {
            Estimate::Embedded(row) | Estimate::Combined { fifth: row, .. } => row,
        };
        for &k in &self.consistent.equations.structure.differential {
            self.error[k] = h * combined(&self.slopes, row, k);
        }
        self.consistent.spread_error(run, run.clock.time() + h, &mut self.error)
    }

    /// The factor by which the controller changes the length of a step with this error, before it is bounded.
    fn factor(&self, error: f64) -> f64 {
        SAFETY * error.powf(-self.tableau.explicit.control.alpha)
    }

    /// The polynomial of a differential unknown, before it is moved onto the constraints.
    fn polynomial(&self, run: &Run<'_>, k: usize) -> [f64; 8] {
        powers(self.tableau.explicit, &self.slopes, k, self.length, [self.origin[k], run.y[k], run.yp[k]])
    }

    /// Finds the state in the middle of the last step. Where the equations cannot be solved, the polynomial of the
    /// explicit method and straight lines have to do.
    fn complete_output(&mut self, run: &mut Run<'_>) {
        if std::mem::replace(&mut self.has_output, true) {
            return;
        }
        let t = run.clock.time() - 0.5 * self.length;
        for k in 0..self.middle.len() {
            self.middle[k] = 0.5 * (self.origin[k] + run.y[k]);
        }
        for &k in &self.consistent.equations.structure.differential {
            self.middle[k] = self.polynomial(run, k).iter().rev().fold(0.0, |sum, c| sum * -0.5 + c);
        }
        self.shift.copy_from_slice(&self.middle);
        self.consistent.find_between(run, [t, self.length], &mut self.middle);
        self.shift.iter_mut().zip(&self.middle).for_each(|(shift, middle)| *shift = middle - *shift);
    }
}

impl Scheme for HalfExplicitRungeKutta {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        self.has_output = false;
        self.solve_step(run, h).map_err(|cause| {
            self.is_repeated = true;
            Rejection { cause, retry: AFTER_TROUBLE * h.abs() }
        })
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        let rejected = |cause| Rejection { cause, retry: AFTER_TROUBLE * h.abs() };
        self.estimate_error(run, h).map_err(rejected)?;
        let error = run.weights.error_norm(&self.error);
        let (least, most) = self.tableau.explicit.control.range;
        if error.is_nan() || error > 1.0 {
            let factor = if error.is_finite() { self.factor(error).clamp(least, 1.0) } else { least };
            self.is_repeated = true;
            return Err(Rejection { cause: StepError::Error { unknown: self.worst(run) }, retry: factor * h.abs() });
        }
        let trend = self.last_error.powf(self.tableau.explicit.control.beta);
        let most = if self.is_repeated { 1.0 } else { most };
        let factor = (trend * self.factor(error)).clamp(least, most);
        self.last_error = error.max(SMALLEST_TREND);
        self.is_repeated = false;
        Ok(factor * h.abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        let (t, matrix) = (run.clock.time(), self.consistent.equations.matrix());
        run.projector.apply(&*run.dae, matrix, &run.weights, t, &mut run.candidate, &mut run.statistics);
        self.origin.copy_from_slice(&run.y);
        self.length = h;
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
        self.consistent.accept();
    }

    fn forget(&mut self, _run: &Run<'_>) {
        self.consistent.forget();
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst_error(&self.error)
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.consistent.deficiency(run, h)
    }

    fn leading(&self) -> f64 {
        self.consistent.equations.leading()
    }

    fn respond(&self, residual: &mut [f64]) {
        self.consistent.equations.matrix().solve(residual);
    }

    fn order(&self) -> usize {
        self.tableau.explicit.order
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::AsSteps
    }

    fn dense_degree(&self) -> usize {
        self.tableau.explicit.degree()
    }

    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        self.complete_output(run);
        let (n, degree) = (self.middle.len(), self.tableau.explicit.degree());
        for &k in &self.consistent.equations.structure.differential {
            let mut powers = self.polynomial(run, k);
            if degree >= 4 {
                // $16 s^2 (1 + s)^2$ is 1 in the middle, and vanishes with its derivative at the ends.
                [16.0, 32.0, 16.0].iter().zip(&mut powers[2..]).for_each(|(c, power)| *power += c * self.shift[k]);
            }
            powers[..=degree].iter().enumerate().for_each(|(i, c)| coefficients[i * n + k] = *c);
        }
        for &k in &self.consistent.equations.structure.algebraic {
            let [start, middle, end] = [self.origin[k], self.middle[k], run.y[k]];
            let parabola = [end, start - 4.0 * middle + 3.0 * end, 2.0 * (start - 2.0 * middle + end)];
            (0..=degree).for_each(|i| coefficients[i * n + k] = parabola.get(i).copied().unwrap_or(0.0));
        }
    }
}
