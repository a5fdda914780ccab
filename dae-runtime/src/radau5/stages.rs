//! The stage equations of a step and their solution by simplified Newton iterations.
//!
//! In: a state, a step, factorised iteration matrices, start values. Out: the stages $Z_1, Z_2, Z_3$, or why there are none.
//! Convergence is judged as in RADAU5 (Hairer & Wanner, section IV.8): the rate $\theta$ of the corrections predicts the
//! error after the last iteration allowed, and an iteration that cannot succeed is given up at once.

use nalgebra::{Complex, Matrix3};

use super::tableau::Tableau;
use crate::contract::{Dae, Description};
use crate::linear::IterationMatrix;
use crate::stepper::StepControl;
use crate::weights::Weights;

/// Iterations per step, if a shorter step can be tried instead.
pub(super) const MAX_ITERATIONS: usize = 7;
/// Iterations per step, if it cannot.
const MAX_ITERATIONS_FIXED: usize = 30;
/// Where $F$ has kinks, no smaller $\theta/(1 - \theta)$ is carried to the next step: beyond a kink the iteration is another one.
const RATE_AT_KINKS: f64 = 0.05;

/// The two factorised matrices of a step.
#[derive(Clone, Debug)]
pub(super) struct Matrices {
    /// $\frac{\gamma}{h} F_{y'} + F_y$.
    pub(super) real: IterationMatrix<f64>,
    /// $\frac{\alpha + i\beta}{h} F_{y'} + F_y$.
    pub(super) complex: IterationMatrix<Complex<f64>>,
}

/// Where a step starts.
#[derive(Clone, Copy)]
pub(super) struct Start<'s> {
    pub(super) t: f64,
    pub(super) y: &'s [f64],
    pub(super) h: f64,
}

/// How the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The stages are accurate enough.
    Converged,
    /// They will not be; a step shorter by this factor may succeed. The unknown is the one that moves most.
    Diverged { factor: f64, unknown: usize },
    /// This component of $F$ is not finite at a stage.
    NonFinite { equation: usize },
}

/// Stage values and work space.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    /// $Z_i$: stage minus $y_n$.
    pub(super) z: [Vec<f64>; 3],
    /// $W = T^{-1} Z$.
    w: [Vec<f64>; 3],
    residual: [Vec<f64>; 3],
    complex: Vec<Complex<f64>>,
    stage: Vec<f64>,
    slope: Vec<f64>,
    /// Bound on the weighted error of the stages.
    tolerance: f64,
    max_iterations: usize,
    /// Whether $F$ changes its branch somewhere.
    has_kinks: bool,
    /// $\theta / (1 - \theta)$ of the last iteration; carried from step to step for the first test.
    eta: f64,
    /// Rate of convergence of the last iteration.
    pub(super) theta: f64,
    /// Iterations of the last solution.
    pub(super) iterations: usize,
}

impl Stages {
    /// Room for a formulation; `tolerance` is the bound on the weighted error.
    pub(super) fn new(description: &Description, tolerance: f64, control: StepControl) -> Self {
        let n = description.unknowns.len();
        let max_iterations = match control {
            StepControl::Adaptive => MAX_ITERATIONS,
            StepControl::Fixed(_) => MAX_ITERATIONS_FIXED,
        };
        let room = || std::array::from_fn(|_| vec![0.0; n]);
        Stages {
            z: room(),
            w: room(),
            residual: room(),
            complex: vec![Complex::ZERO; n],
            stage: vec![0.0; n],
            slope: vec![0.0; n],
            tolerance,
            max_iterations,
            has_kinks: !description.switches.is_empty(),
            eta: 1.0,
            theta: 0.0,
            iterations: 0,
        }
    }

    /// $\sum_i d_i Z_i / h$ for one component.
    pub(super) fn combine(&self, d: [f64; 3], component: usize) -> f64 {
        d[0] * self.z[0][component] + d[1] * self.z[1][component] + d[2] * self.z[2][component]
    }

    /// Solves the stage equations from the values in `z`.
    pub(super) fn solve(
        &mut self,
        dae: &dyn Dae,
        tableau: &Tableau,
        matrices: &Matrices,
        weights: &Weights,
        start: Start<'_>,
    ) -> Outcome {
        transform(&tableau.t_inverse, &self.z, &mut self.w);
        let lowest = if self.has_kinks { RATE_AT_KINKS } else { f64::EPSILON.powf(0.8) };
        self.eta = self.eta.powf(0.8).max(lowest);
        self.theta = 0.0;
        self.iterations = 0;
        let (mut previous, mut previous_ratio) = (0.0, 0.0);
        while self.iterations < self.max_iterations {
            if let Err(equation) = self.evaluate(dae, tableau, start) {
                return Outcome::NonFinite { equation };
            }
            let size = self.correct(tableau, matrices, weights);
            self.iterations += 1;
            if !size.is_finite() {
                return self.diverged(0.5, weights);
            }
            if self.iterations > 1 {
                let ratio: f64 = size / previous;
                self.theta = if self.iterations == 2 { ratio } else { (ratio * previous_ratio).sqrt() };
                previous_ratio = ratio;
                if self.theta >= 0.99 {
                    return self.diverged(0.5, weights);
                }
                self.eta = self.theta / (1.0 - self.theta);
                let left = self.max_iterations - self.iterations;
                // (8.11): size of the error when the iterations are used up, in units of the tolerance.
                let forecast = self.eta * size * self.theta.powi(left as i32 - 1) / self.tolerance;
                if left > 0 && forecast >= 1.0 {
                    let exponent = -1.0 / (4.0 + left as f64 - 1.0);
                    return self.diverged(0.8 * forecast.clamp(1e-4, 20.0).powf(exponent), weights);
                }
            }
            previous = size.max(f64::EPSILON);
            if self.eta * size <= self.tolerance {
                return Outcome::Converged;
            }
        }
        self.diverged(0.5, weights)
    }

    fn diverged(&self, factor: f64, weights: &Weights) -> Outcome {
        Outcome::Diverged { factor, unknown: weights.worst(&self.residual[0]) }
    }

    /// $F(t_n + c_i h, y_n + Z_i, h^{-1} \sum_j (A^{-1})_{ij} Z_j)$ for the three stages; the first component that is not
    /// finite is the error.
    fn evaluate(&mut self, dae: &dyn Dae, tableau: &Tableau, start: Start<'_>) -> Result<(), usize> {
        let Start { t, y, h } = start;
        for i in 0..3 {
            let row = [0, 1, 2].map(|j| tableau.inverse[(i, j)] / h);
            for k in 0..y.len() {
                self.stage[k] = y[k] + self.z[i][k];
                self.slope[k] = self.combine(row, k);
            }
            dae.residual(t + tableau.c[i] * h, &self.stage, &self.slope, &mut self.residual[i]);
            if let Some(equation) = self.residual[i].iter().position(|x| !x.is_finite()) {
                return Err(equation);
            }
        }
        Ok(())
    }

    /// One correction of $W$ and $Z$; returns its weighted norm and leaves the real part of it in `residual[0]`.
    fn correct(&mut self, tableau: &Tableau, matrices: &Matrices, weights: &Weights) -> f64 {
        let n = self.stage.len();
        for k in 0..n {
            let f = [0, 1, 2].map(|i| self.residual[i][k]);
            let [a, b, c] = multiply(&tableau.t_inverse, f);
            self.residual[0][k] = -a;
            self.complex[k] = Complex::new(-b, -c);
        }
        matrices.real.solve(&mut self.residual[0]);
        matrices.complex.solve(&mut self.complex);
        for k in 0..n {
            self.residual[1][k] = self.complex[k].re;
            self.residual[2][k] = self.complex[k].im;
            for i in 0..3 {
                self.w[i][k] += self.residual[i][k];
            }
        }
        transform(&tableau.t, &self.w, &mut self.z);
        let sum: f64 = self.residual.iter().map(|part| weights.sum_of_squares(part)).sum();
        (sum / (3 * n.max(1)) as f64).sqrt()
    }
}

/// `to` = `matrix` applied to the three vectors `from`.
fn transform(matrix: &Matrix3<f64>, from: &[Vec<f64>; 3], to: &mut [Vec<f64>; 3]) {
    for k in 0..from[0].len() {
        let [a, b, c] = multiply(matrix, [from[0][k], from[1][k], from[2][k]]);
        (to[0][k], to[1][k], to[2][k]) = (a, b, c);
    }
}

fn multiply(m: &Matrix3<f64>, [a, b, c]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| m[(i, 0)] * a + m[(i, 1)] * b + m[(i, 2)] * c)
}
