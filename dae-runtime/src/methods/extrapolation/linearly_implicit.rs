//! The linearly implicit Euler method for systems of index 1.
//!
//! In: an accepted state, the length of a step and a number of basic steps. Out: the states at their ends.
//!
//! Source: P. Deuflhard, E. Hairer, J. Zugck, *One-step and extrapolation methods for differential-algebraic systems*,
//! Numer. Math. 51 (1987), (2.10). For $B(t, y) y' = f(t, y)$ with $A = \partial (f - B y')/\partial y$ at the start
//! of the step it is
//!
//! $$ \bigl(B(t_{k+1}, y_k) - \bar h A\bigr) \Delta_k = \bar h f(t_{k+1}, y_k), \qquad y_{k+1} = y_k + \Delta_k . $$
//!
//! With $F = B y' - f$ and any $d_k$, that is
//!
//! $$ \Bigl(\frac{1}{\bar h} F_{y'} + F_y\Bigr) \Delta_k = -F(t_{k+1}, y_k, d_k) + F_{y'} d_k , $$
//!
//! $F_{y'}$ at $(t_{k+1}, y_k, d_k)$. With $d_k = \Delta_{k-1}/\bar h$, $d_0 = y'_0$, this also makes sense if $F$ is not
//! linear in $y'$: it is one Newton iteration for the implicit Euler method. One matrix serves for all basic steps of a
//! sequence, unless $B$ depends on the state.

use std::rc::Rc;

use super::basic::Basic;
use super::control::Work;
use crate::contract::Leading;
use crate::integrator::stepper::Statistics;
use crate::integrator::{Run, StepError};
use crate::linalg::iteration_matrix::{Deficiency, FactorizationPlan, IterationMatrix, Jacobians};

/// The first basic step is compared with a second Newton iteration in so many sequences: if that would be a larger
/// change, the iteration does not converge.
const COMPARED: usize = 2;
/// Smaller changes, in units of the error allowed, do not matter.
const HARMLESS: f64 = 1.0;
/// $1/\bar h$ is at most this, so that no entry of the matrix overflows.
const LEAST_LENGTH: f64 = 1e-100;

/// State of the basic method.
pub(super) struct LinearlyImplicitEuler {
    jacobians: Jacobians,
    /// Whether the Jacobians are those at the last accepted state.
    are_current: bool,
    matrix: IterationMatrix<f64>,
    /// $1/\bar h$.
    leading: f64,
    y: Vec<f64>,
    slope: Vec<f64>,
    change: Vec<f64>,
}

impl LinearlyImplicitEuler {
    pub(super) fn new(run: &Run<'_>, plan: &Rc<FactorizationPlan>) -> Self {
        let zeros = vec![0.0; run.y.len()];
        LinearlyImplicitEuler {
            jacobians: Jacobians::new(run.dae.description()),
            are_current: false,
            matrix: IterationMatrix::new(plan),
            leading: 1.0,
            y: zeros.clone(),
            slope: zeros.clone(),
            change: zeros,
        }
    }

    fn assemble(&mut self, run: &Run<'_>, h: f64) {
        self.leading = 1.0 / h.abs().max(LEAST_LENGTH).copysign(h);
        self.matrix.assemble(run.dae.description(), self.leading, 1.0, &self.jacobians, h);
    }

    /// The matrix for a basic step of length `h` that ends at `t`: the first of a sequence, or one with its own
    /// $F_{y'}$.
    fn factorize(&mut self, run: &mut Run<'_>, t: f64, h: f64) -> Result<(), StepError> {
        if run.dae.description().leading == Leading::Quasilinear {
            run.dae.jacobian_yp(t, &self.y, &self.slope, &mut self.jacobians.yp);
        }
        self.assemble(run, h);
        run.statistics.factorizations += 1;
        Ok(self.matrix.factorize()?)
    }

    /// Evaluates $F(t, y, d)$ in `change`.
    fn residual(&mut self, run: &mut Run<'_>, t: f64) -> Result<(), StepError> {
        run.dae.residual(t, &self.y, &self.slope, &mut self.change);
        run.statistics.residuals += 1;
        match self.change.iter().position(|r| !r.is_finite()) {
            Some(equation) => Err(StepError::NonFinite { equation }),
            None => Ok(()),
        }
    }

    fn solve(&mut self, statistics: &mut Statistics) {
        self.matrix.solve(&mut self.change);
        statistics.solves += 1;
    }
}

impl Basic for LinearlyImplicitEuler {
    fn work(&self) -> Work {
        Work { step: 5.0, sequence: 1.0, basic_step: 1.5 }
    }

    fn begin(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        if self.are_current {
            return Ok(());
        }
        self.jacobians.evaluate(&*run.dae, run.clock.time(), &run.y, &run.yp);
        run.statistics.jacobians += 1;
        if !self.jacobians.is_finite() {
            // Derivatives may have no value at the start of a run alone.
            self.y.iter_mut().zip(&run.y).zip(&run.yp).for_each(|((end, y), slope)| *end = y + h * slope);
            self.jacobians.evaluate(&*run.dae, run.clock.time() + h, &self.y, &run.yp);
            run.statistics.jacobians += 1;
        }
        match self.jacobians.non_finite(run.dae.description()).next() {
            Some((equation, _)) => Err(StepError::NonFinite { equation }),
            None => {
                self.are_current = true;
                Ok(())
            }
        }
    }

    fn steps(&mut self, run: &mut Run<'_>, h: f64, increments: &mut [Vec<f64>]) -> Result<(), StepError> {
        let steps = increments.len() - 1;
        let is_constant = run.dae.description().leading != Leading::Quasilinear;
        self.y.copy_from_slice(&run.y);
        self.slope.copy_from_slice(&run.yp);
        increments[0].fill(0.0);
        for k in 0..steps {
            let t = run.clock.time() + h * ((k + 1) as f64 / steps as f64);
            if k == 0 || !is_constant {
                self.factorize(run, t, h / steps as f64)?;
            }
            self.residual(run, t)?;
            self.change.iter_mut().for_each(|r| *r = -*r);
            run.dae.description().jacobian_yp.add_product(&self.jacobians.yp, &self.slope, 1.0, &mut self.change);
            self.solve(&mut run.statistics);
            let (before, after) = increments.split_at_mut(k + 1);
            for (i, change) in self.change.iter().enumerate() {
                after[0][i] = before[k][i] + change;
                self.y[i] = run.y[i] + after[0][i];
            }
            self.slope.iter_mut().zip(&self.change).for_each(|(slope, change)| *slope = self.leading * change);
            if let Some(unknown) = self.y.iter().zip(&self.slope).position(|(y, d)| !y.is_finite() || !d.is_finite()) {
                return Err(StepError::Convergence { unknown });
            }
            if k == 0 && steps <= COMPARED {
                let size = run.weights.norm(&self.change);
                self.residual(run, t)?;
                self.solve(&mut run.statistics);
                let next = run.weights.norm(&self.change);
                if next.is_nan() || next > size.max(HARMLESS) {
                    return Err(StepError::Convergence { unknown: run.weights.worst(&self.change) });
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        let t = run.clock.time() + h;
        run.projector.apply(&*run.dae, &self.matrix, &run.weights, t, &mut run.candidate, &mut run.statistics);
        Ok(())
    }

    fn accept(&mut self) {
        self.are_current = false;
    }

    fn forget(&mut self) {
        self.are_current = false;
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.are_current = false;
        self.begin(run, h).ok()?;
        self.assemble(run, h);
        self.matrix.deficiency()
    }

    fn leading(&self) -> f64 {
        self.leading
    }

    fn matrix(&self) -> &IterationMatrix<f64> {
        &self.matrix
    }
}
