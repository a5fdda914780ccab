//! The half-explicit Euler method for systems of index 2 in Hessenberg form
//! ([`crate::methods::half_explicit::hessenberg`]).
//!
//! In: an accepted state, the length of a step and a number of basic steps. Out: the differential unknowns at their ends;
//! derivatives and algebraic unknowns at the end of the step.
//!
//! Source: C. Lubich, *$h^2$-extrapolation methods for differential-algebraic systems of index 2*, IMPACT Comput. Sci.
//! Eng. 1 (1989), and *Extrapolation integrators for constrained multibody systems*, ibid. 3 (1991). A basic step is
//!
//! $$ y_{k+1} = y_k + \bar h\\, y'_k, \qquad \Phi(t_k, y_k, y'_k, z_k) = 0, \qquad g(t_{k+1}, y_{k+1}) = 0 . $$
//!
//! It is a map of states that satisfy the constraints to such states, and depends smoothly on $\bar h$; so its errors have
//! an expansion in powers of $\bar h$, in all differential unknowns. The extrapolated end is moved onto the constraints;
//! derivatives and algebraic unknowns there follow from the differentiated constraints. One matrix serves for all basic
//! steps.

use super::basic::Basic;
use super::control::Work;
use crate::integrator::{Run, StepError};
use crate::linalg::iteration_matrix::{Deficiency, IterationMatrix};
use crate::methods::half_explicit::consistent::Consistent;
use crate::methods::half_explicit::equations::Closure;

/// Number of corrections that move the extrapolated end onto the constraints.
const CORRECTIONS: usize = 2;

/// State of the basic method.
pub(super) struct HalfExplicitEuler {
    consistent: Consistent,
    /// The last state.
    y: Vec<f64>,
    /// Algebraic unknowns and derivatives at the states before.
    before: Vec<f64>,
    slope_before: Vec<f64>,
    here: Vec<f64>,
    slope_here: Vec<f64>,
}

impl HalfExplicitEuler {
    pub(super) fn new(consistent: Consistent, n: usize) -> Self {
        let zeros = vec![0.0; n];
        HalfExplicitEuler {
            consistent,
            y: zeros.clone(),
            before: zeros.clone(),
            slope_before: zeros.clone(),
            here: zeros.clone(),
            slope_here: zeros,
        }
    }
}

impl Basic for HalfExplicitEuler {
    fn work(&self) -> Work {
        Work { step: 10.0, sequence: 0.0, basic_step: 4.0 }
    }

    fn knows_derivatives(&self) -> bool {
        true
    }

    fn begin(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        self.consistent.begin(run, h)?;
        self.consistent.equations.forget_reach();
        Ok(())
    }

    fn reach(&self) -> f64 {
        self.consistent.equations.reach()
    }

    fn steps(&mut self, run: &mut Run<'_>, h: f64, increments: &mut [Vec<f64>]) -> Result<(), StepError> {
        let steps = increments.len() - 1;
        let basic = h / steps as f64;
        let equations = &mut self.consistent.equations;
        equations.point.copy_from_slice(&run.y);
        equations.slope.copy_from_slice(&run.yp);
        self.y.copy_from_slice(&run.y);
        increments[0].fill(0.0);
        for k in 0..steps {
            let [t, end] = [k, k + 1].map(|k| run.clock.time() + h * (k as f64 / steps as f64));
            if k > 1 {
                // The iteration begins with algebraic unknowns and derivatives on a straight line through the last two.
                equations.extrapolate(1.0, &self.before, &self.slope_before);
            }
            for &i in &equations.structure.differential {
                equations.point[i] = self.y[i];
            }
            let closure = Closure::Constraints { t: end, base: &self.y, factor: basic };
            equations.solve(&*run.dae, [t, basic], closure, &run.weights, &mut run.statistics)?;
            std::mem::swap(&mut self.before, &mut self.here);
            std::mem::swap(&mut self.slope_before, &mut self.slope_here);
            self.here.copy_from_slice(&equations.point);
            self.slope_here.copy_from_slice(&equations.slope);
            let (before, after) = increments.split_at_mut(k + 1);
            after[0].fill(0.0);
            for &i in &equations.structure.differential {
                after[0][i] = before[k][i] + basic * equations.slope[i];
                self.y[i] = run.y[i] + after[0][i];
            }
        }
        Ok(())
    }

    fn end(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        let t = run.clock.time() + h;
        let equations = &mut self.consistent.equations;
        for &i in &equations.structure.differential {
            equations.point[i] = run.candidate[i];
        }
        for _ in 0..CORRECTIONS {
            equations.move_onto_constraints(&*run.dae, t, &mut run.statistics);
        }
        self.consistent.find_end(run, t, h)?;
        let matrix = self.consistent.equations.matrix();
        run.projector.apply(&*run.dae, matrix, &run.weights, t, &mut run.candidate, &mut run.statistics);
        Ok(())
    }

    fn spread_error(&mut self, run: &mut Run<'_>, h: f64, error: &mut [f64]) -> Result<(), StepError> {
        self.consistent.spread_error(run, run.clock.time() + h, error)
    }

    fn find_between(&mut self, run: &mut Run<'_>, at: [f64; 2], state: &mut [f64]) -> bool {
        self.consistent.find_between(run, at, state)
    }

    fn resume(&mut self) {
        self.consistent.resume();
    }

    fn accept(&mut self) {
        self.consistent.accept();
    }

    fn forget(&mut self) {
        self.consistent.forget();
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.consistent.deficiency(run, h)
    }

    fn leading(&self) -> f64 {
        self.consistent.equations.leading()
    }

    fn matrix(&self) -> &IterationMatrix<f64> {
        self.consistent.equations.matrix()
    }
}
