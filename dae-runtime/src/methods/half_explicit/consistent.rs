//! Derivatives and algebraic unknowns of the states of a run, with the matrices there.
//!
//! In: differential unknowns at an accepted state, at the end of an attempt, or between. Out: derivatives and algebraic
//! unknowns that satisfy the equations and the differentiated constraints there (`equations`).
//!
//! There is a matrix for the last accepted state and one for the end of an attempt, which becomes the former when the
//! end is accepted: each attempt evaluates and factorises one. Their determinants have to have the same sign.

use super::equations::{Accuracy, Closure, Equations};
use super::hessenberg::Hessenberg;
use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Failure, Options};
use crate::integrator::{Run, RunStart, StepError};
use crate::linalg::iteration_matrix::{Deficiency, Jacobians};

/// Largest change of an unknown of index 2 in a step, in units of its value and its nominal value.
const LARGEST_CHANGE: f64 = 10.0;

/// Where the matrix at hand was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matrix {
    /// At the last accepted state.
    OfState,
    /// At the end of an attempt that was not accepted; the other one is that of the state.
    OfAttempt,
    /// Elsewhere.
    Outdated,
}

/// The equations of a run, with their matrices.
pub(crate) struct Consistent {
    pub(crate) equations: Equations,
    /// Jacobians where differentiated constraints were last needed.
    jacobians: Jacobians,
    jacobian_t: Vec<f64>,
    /// Whether derivatives and algebraic unknowns of the last accepted state are those of the equations at hand.
    is_start_known: bool,
    /// Where the matrix at hand was evaluated.
    matrix: Matrix,
    /// Whether the other matrix is that at the end of the attempt under way, as far as it was known then.
    is_end_near: bool,
}

impl Consistent {
    /// For a run of a formulation in Hessenberg form; `method` is the name for messages.
    pub(crate) fn new(
        dae: &dyn Dae,
        method: &'static str,
        start: RunStart<'_>,
        options: &Options,
        accuracy: Accuracy,
    ) -> Result<Consistent, Failure> {
        let structure = Hessenberg::of(dae, method, start.t0, start.y0, start.yp0)?;
        Ok(Consistent {
            equations: Equations::new(dae, structure, start.plan, options.control, accuracy),
            jacobians: Jacobians::new(dae.description()),
            jacobian_t: vec![0.0; start.y0.len()],
            is_start_known: false,
            matrix: Matrix::Outdated,
            is_end_near: false,
        })
    }

    /// Evaluates and factorises the matrix at the last accepted state, unless it is at hand. One of an earlier state
    /// would not tell where the equations become singular.
    pub(crate) fn linearise(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        match std::mem::replace(&mut self.matrix, Matrix::OfState) {
            Matrix::OfState => return Ok(()),
            Matrix::OfAttempt => {
                self.equations.exchange();
                return Ok(());
            }
            Matrix::Outdated => self.matrix = Matrix::Outdated,
        }
        self.jacobians.evaluate(&*run.dae, run.clock.time(), &run.y, &run.yp);
        run.statistics.jacobians += 1;
        self.equations.linearise(run.dae.description(), &self.jacobians, h, &mut run.statistics)?;
        self.matrix = Matrix::OfState;
        Ok(())
    }

    /// Prepares attempts from the last accepted state.
    pub(crate) fn begin(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        self.is_end_near = false;
        self.linearise(run, h)?;
        self.find_start(run, h)
    }

    /// Returns to the matrix at the last accepted state, for more of an attempt whose end was found. When its end is
    /// found again, nearby, the matrix there serves once more.
    pub(crate) fn resume(&mut self) {
        self.equations.exchange();
        (self.matrix, self.is_end_near) = (Matrix::OfState, true);
    }

    /// Replaces derivatives and algebraic unknowns of the last accepted state by those that the equations determine.
    fn find_start(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), StepError> {
        if self.is_start_known {
            return Ok(());
        }
        self.equations.point.copy_from_slice(&run.y);
        self.equations.slope.copy_from_slice(&run.yp);
        self.evaluate_jacobians(run, run.clock.time());
        self.solve_by_differentiation(run, run.clock.time(), h)?;
        run.y.copy_from_slice(&self.equations.point);
        run.yp.copy_from_slice(&self.equations.slope);
        self.is_start_known = true;
        Ok(())
    }

    /// Finds derivatives and algebraic unknowns at the point of the equations from the differentiated constraints, with
    /// $F_y$ in `jacobians`.
    fn solve_by_differentiation(&mut self, run: &mut Run<'_>, t: f64, h: f64) -> Result<(), StepError> {
        if !self.equations.structure.constraints.is_empty() {
            run.dae.jacobian_t(t, &self.equations.point, &self.equations.slope, &mut self.jacobian_t);
        }
        let closure = Closure::Differentiated { jacobian_y: &self.jacobians.y, jacobian_t: &self.jacobian_t };
        self.equations.solve(&*run.dae, [t, h], closure, &run.weights, &mut run.statistics)
    }

    /// Evaluates the Jacobians at the point of the equations.
    fn evaluate_jacobians(&mut self, run: &mut Run<'_>, t: f64) {
        self.jacobians.evaluate(&*run.dae, t, &self.equations.point, &self.equations.slope);
        run.statistics.jacobians += 1;
    }

    /// Finds derivatives and algebraic unknowns at the end of an attempt, at time `t`, of which the point of the equations
    /// has the differential unknowns and first guesses, with the matrix there. The end is left in `run.candidate` and
    /// `run.candidate_slope`.
    pub(crate) fn find_end(&mut self, run: &mut Run<'_>, t: f64, h: f64) -> Result<(), StepError> {
        self.evaluate_jacobians(run, t);
        self.equations.exchange();
        self.matrix = Matrix::OfAttempt;
        if !self.is_end_near {
            self.equations.linearise(run.dae.description(), &self.jacobians, h, &mut run.statistics)?;
            if self.equations.is_turned() {
                return Err(StepError::Singular);
            }
        }
        self.solve_by_differentiation(run, t, h)?;
        self.check_branch(run)?;
        run.candidate.copy_from_slice(&self.equations.point);
        run.candidate_slope.copy_from_slice(&self.equations.slope);
        Ok(())
    }

    /// Sets the errors that those of differential unknowns at the end of an attempt cause in algebraic ones.
    pub(crate) fn spread_error(&mut self, run: &mut Run<'_>, t: f64, error: &mut [f64]) -> Result<(), StepError> {
        self.equations.point.copy_from_slice(&run.candidate);
        self.equations.slope.copy_from_slice(&run.candidate_slope);
        self.equations.spread_error(&*run.dae, t, error, &mut run.statistics)
    }

    /// Moves a state within the last step, at time `t`, onto the constraints, and finds its algebraic unknowns; returns
    /// `false` where that fails, and leaves the state unchanged.
    pub(crate) fn find_between(&mut self, run: &mut Run<'_>, [t, h]: [f64; 2], state: &mut [f64]) -> bool {
        if self.equations.structure.algebraic.is_empty() {
            return false;
        }
        self.equations.point.copy_from_slice(state);
        self.equations.slope.copy_from_slice(&run.yp);
        self.evaluate_jacobians(run, t);
        // The other matrix is that of an earlier state.
        self.equations.exchange();
        let description = run.dae.description();
        let mut found = self.equations.linearise(description, &self.jacobians, h, &mut run.statistics);
        if found.is_ok() {
            self.equations.move_onto_constraints(&*run.dae, t, &mut run.statistics);
            found = self.solve_by_differentiation(run, t, h);
        }
        self.equations.exchange();
        let is_found = found.is_ok();
        if is_found {
            state.copy_from_slice(&self.equations.point);
        }
        is_found
    }

    /// Notes that the end of the last attempt is accepted.
    pub(crate) fn accept(&mut self) {
        self.matrix = Matrix::OfState;
    }

    /// Drops what belongs to earlier equations: they have changed.
    pub(crate) fn forget(&mut self) {
        self.is_start_known = false;
        self.matrix = Matrix::Outdated;
    }

    /// Where the matrix at the last accepted state is singular, if it is.
    pub(crate) fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        self.matrix = Matrix::Outdated;
        self.jacobians.evaluate(&*run.dae, run.clock.time(), &run.y, &run.yp);
        run.statistics.jacobians += 1;
        self.equations.deficiency(run.dae.description(), &self.jacobians, h)
    }

    /// Checks that unknowns of index 2 at the point of the equations continue those at the start of the step: where
    /// $K$ becomes singular, corrections lead to any other solution, and in short steps nothing else would notice.
    fn check_branch(&self, run: &Run<'_>) -> Result<(), StepError> {
        let unknowns = &run.dae.description().unknowns;
        let has_jumped = |&&k: &&usize| {
            let size = unknowns[k].nominal + run.y[k].abs();
            unknowns[k].index > 1 && (self.equations.point[k] - run.y[k]).abs() > LARGEST_CHANGE * size
        };
        match self.equations.structure.algebraic.iter().find(has_jumped) {
            Some(&unknown) => Err(StepError::Convergence { unknown }),
            None => Ok(()),
        }
    }

    /// Length of the first step: such that a step of the explicit Euler method would have an error of a hundredth of that
    /// allowed, and the method of its order has one of about this size (Hairer, Nørsett & Wanner I, section II.4).
    pub(crate) fn first_step(&mut self, run: &mut Run<'_>, order: usize) -> f64 {
        let norm = |weights: &Weights, v: &[f64]| weights.norm_over(&self.equations.structure.differential, v);
        let (size, speed) = (norm(&run.weights, &run.y), norm(&run.weights, &run.yp));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        let guess = guess.min(run.clock.span());
        let h = run.clock.direction() * guess;
        let known = self.begin(run, h);
        self.equations.point.copy_from_slice(&run.y);
        self.equations.slope.copy_from_slice(&run.yp);
        for &k in &self.equations.structure.differential {
            self.equations.point[k] += h * run.yp[k];
        }
        self.evaluate_jacobians(run, run.clock.time() + h);
        if known.and_then(|()| self.solve_by_differentiation(run, run.clock.time() + h, h)).is_err() {
            return 1e-3 * guess;
        }
        let change = self.equations.slope.iter().zip(&run.yp).map(|(new, old)| (new - old) / guess);
        let change: Vec<f64> = change.collect();
        let curvature = run.weights.norm_over(&self.equations.structure.differential, &change);
        let largest = speed.max(curvature);
        let next =
            if largest <= 1e-15 { (1e-3 * guess).max(1e-6) } else { (0.01 / largest).powf(1.0 / (order + 1) as f64) };
        next.min(100.0 * guess)
    }
}
