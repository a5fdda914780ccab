//! The implicit midpoint rule and the trapezoidal rule, directly on $F(t, y, y') = 0$ in steps of fixed size.
//!
//! In: a formulation, consistent start values, a step size. Out: a [`Stepper`]. With $k = (y_1 - y_0)/h$,
//!
//! $$ F\bigl(t_0 + h/2,\; (y_0 + y_1)/2,\; k\bigr) = 0 \qquad\text{and}\qquad F(t_1,\; y_1,\; 2k - y'_0) = 0. $$
//!
//! Both are of order 2 where $F$ is an ordinary differential equation, and symmetric; the midpoint rule is symplectic.
//! What they do to unknowns of higher index is for studies (E. Hairer, *Solving Differential Equations on Manifolds*,
//! chapter V; Hairer, Lubich & Roche 1989): the factor $-1$ by which the midpoint rule multiplies errors of algebraic
//! unknowns in every step makes errors of unknowns of index 2 and 3 oscillate, or grow. Equations are solved to rounding
//! level.

use crate::contract::{Dae, Kind};
use crate::integrator::error_weights::Weights;
use crate::integrator::polynomial::hermite;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, StepControl, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::{Deficiency, IterationMatrix, Jacobians};
use crate::methods::iteration::Iteration;

/// Which of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Midpoint,
    Trapezoidal,
}

/// Begins an integration; `name` is that of the rule in messages.
pub(crate) fn start<'d>(
    (rule, name): (Rule, &str),
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let StepControl::Fixed(length) = options.control else {
        let message = format!("{name} has no error estimate: give a step size, by `fixed_step` or `--step`");
        return Err(Failure::InvalidOption { message });
    };
    if options.max_order.is_some_and(|highest| highest < 2) {
        return Err(Failure::InvalidOption { message: format!("the order of {name} is 2, above the highest allowed") });
    }
    Run::check(dae, start, options)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    let mut run = Run::new(dae, start, options, weights)?;
    run.weights.update(start.y0, 1.0);
    let scheme = OneStage {
        rule,
        matrix: IterationMatrix::new(start.plan),
        jacobians: Jacobians::new(description),
        point: vec![0.0; n],
        slope: vec![0.0; n],
        correction: vec![0.0; n],
        inverses: vec![0.0; n],
        all: (0..n).collect(),
        origin: [start.y0.to_vec(), start.yp0.to_vec()],
        length: 0.0,
    };
    run.begin_with(length, options);
    Ok(Box::new(Integrator::new(run, scheme)))
}

/// The scheme of the rules.
struct OneStage {
    rule: Rule,
    matrix: IterationMatrix<f64>,
    jacobians: Jacobians,
    /// The state and derivative at which the equations are to hold.
    point: Vec<f64>,
    slope: Vec<f64>,
    correction: Vec<f64>,
    /// The inverses of typical values.
    inverses: Vec<f64>,
    all: Vec<usize>,
    /// State and derivative at the start of the last step.
    origin: [Vec<f64>; 2],
    /// Signed length of the last step.
    length: f64,
}

impl OneStage {
    /// Evaluates and factorises the matrix at the point of the iteration.
    fn factorize(&mut self, run: &mut Run<'_>, t: f64, h: f64) -> Result<(), StepError> {
        self.jacobians.evaluate(&*run.dae, t, &self.point, &self.slope);
        run.statistics.jacobians += 1;
        // Derivatives of the slope and of the point with respect to the end.
        let (of_slope, of_point) = match self.rule {
            Rule::Midpoint => (1.0 / h, 0.5),
            Rule::Trapezoidal => (2.0 / h, 1.0),
        };
        self.matrix.assemble(run.dae.description(), of_slope, of_point, &self.jacobians, h.abs());
        run.statistics.factorizations += 1;
        self.matrix.factorize().map_err(StepError::from)
    }

    /// Sets point and slope of the iteration from the end in `run.candidate`.
    fn place(&mut self, run: &Run<'_>, h: f64) {
        for (k, end) in run.candidate.iter().enumerate() {
            let slope = (end - run.y[k]) / h;
            (self.point[k], self.slope[k]) = match self.rule {
                Rule::Midpoint => (0.5 * (run.y[k] + end), slope),
                Rule::Trapezoidal => (*end, 2.0 * slope - run.yp[k]),
            };
        }
    }
}

impl Scheme for OneStage {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        let rejected = |cause| Rejection { cause, retry: 0.25 * h.abs() };
        let t = run.clock.time() + if self.rule == Rule::Midpoint { 0.5 * h } else { h };
        for (k, unknown) in run.dae.description().unknowns.iter().enumerate() {
            let is_differential = unknown.kind == Kind::Differential;
            run.candidate[k] = run.y[k] + if is_differential { h * run.yp[k] } else { 0.0 };
            let of_index = h.abs().powi(i32::from(unknown.index) - 1).min(1.0);
            self.inverses[k] = of_index / (run.y[k].abs() + unknown.nominal.abs());
        }
        self.place(run, h);
        self.factorize(run, t, h).map_err(rejected)?;
        let mut iteration = Iteration::new();
        loop {
            run.dae.residual(t, &self.point, &self.slope, &mut self.correction);
            run.statistics.residuals += 1;
            if let Some(equation) = self.correction.iter().position(|r| !r.is_finite()) {
                return Err(rejected(StepError::NonFinite { equation }));
            }
            self.matrix.solve(&mut self.correction);
            run.statistics.solves += 1;
            run.candidate.iter_mut().zip(&self.correction).for_each(|(end, change)| *end -= change);
            self.place(run, h);
            if iteration.is_over(&self.correction, &self.inverses, &self.all).map_err(rejected)? {
                break;
            }
            if iteration.is_slow() {
                self.factorize(run, t, h).map_err(rejected)?;
            }
        }
        run.candidate_slope.copy_from_slice(&self.slope);
        Ok(())
    }

    /// The step size is fixed.
    fn test_error(&mut self, _run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        Ok(h.abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        self.origin[0].copy_from_slice(&run.y);
        self.origin[1].copy_from_slice(&run.yp);
        self.length = h;
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
    }

    fn forget(&mut self, _run: &Run<'_>) {}

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst(&run.candidate_slope)
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        run.candidate.copy_from_slice(&run.y);
        self.place(run, h);
        let is_singular = self.factorize(run, run.clock.time(), h) == Err(StepError::Singular);
        if is_singular { self.matrix.deficiency() } else { None }
    }

    fn leading(&self) -> f64 {
        if self.length == 0.0 { 1.0 } else { 2.0 / self.length }
    }

    fn respond(&self, residual: &mut [f64]) {
        self.matrix.solve(residual);
        // The matrix of the midpoint rule is half of the one that belongs to `leading`.
        if self.rule == Rule::Midpoint {
            residual.iter_mut().for_each(|r| *r *= 0.5);
        }
    }

    fn order(&self) -> usize {
        2
    }

    /// The midpoint rule knows the derivative in the middle of a step only.
    fn dense_accuracy(&self) -> DenseAccuracy {
        if self.rule == Rule::Midpoint { DenseAccuracy::Lower } else { DenseAccuracy::AsSteps }
    }

    fn dense_degree(&self) -> usize {
        if self.rule == Rule::Midpoint { 1 } else { 3 }
    }

    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        let (n, h, [origin, slope]) = (run.y.len(), self.length, &self.origin);
        coefficients.fill(0.0);
        for (k, unknown) in run.dae.description().unknowns.iter().enumerate() {
            let ends = [origin[k], run.y[k]];
            let powers = match self.rule == Rule::Trapezoidal && unknown.kind == Kind::Differential {
                true => hermite(ends, [h * slope[k], h * run.yp[k]]),
                false => [ends[1], ends[1] - ends[0], 0.0, 0.0],
            };
            let degree = self.dense_degree();
            powers[..=degree].iter().enumerate().for_each(|(i, c)| coefficients[i * n + k] = *c);
        }
    }
}
