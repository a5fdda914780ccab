//! The generalised-α method on Lie groups, for constrained mechanical systems of index 3.
//!
//! In: a system, consistent start values, an end time, a number of steps. Out: configurations, velocities,
//! accelerations and multipliers, all of order 2. Sources: J. Chung & G. M. Hulbert, *A time integration algorithm for
//! structural dynamics with improved numerical dissipation*, J. Appl. Mech. 60 (1993) (coefficients); O. Brüls & A.
//! Cardona, *On the use of Lie group time integrators in multibody dynamics*, J. Comput. Nonlinear Dynam. 5 (2010)
//! (method); M. Arnold, O. Brüls & A. Cardona, *Error analysis of generalized-α Lie group time integration methods for
//! constrained mechanical systems*, Numer. Math. 129 (2015) (convergence).

use std::fmt;

use crate::lie::grid::Grid;
use crate::lie::mechanics::configuration::{ConfigurationSpace, Vector, tangent_operator};
use crate::lie::mechanics::error::MechanicsError;
use crate::lie::mechanics::start::{self, Start};
use crate::lie::mechanics::system::{MechanicalSystem, PointOf, SaddlePoint};

/// The generalised-α method. With $\Delta q$ an increment in the Lie algebra, a step is
/// $$q_{n+1} = q_n \circ \exp(h \widetilde{\Delta q}), \quad \Delta q = v_n + (\tfrac12 - \beta) h a_n + \beta h
/// a_{n+1}, \quad v_{n+1} = v_n + (1 - \gamma) h a_n + \gamma h a_{n+1},$$
/// $$(1 - \alpha_m) a_{n+1} + \alpha_m a_n = (1 - \alpha_f) \dot v_{n+1} + \alpha_f \dot v_n,$$
/// where $\dot v_{n+1}$ and $\lambda_{n+1}$ are such that the equations of motion and $\Phi(q_{n+1}) = 0$ hold at the
/// end of the step. With $\rho = \rho_\infty$, the spectral radius for infinite frequencies,
/// $$\alpha_m = \frac{2\rho - 1}{\rho + 1}, \quad \alpha_f = \frac{\rho}{\rho + 1}, \quad \gamma = \tfrac12 +
/// \alpha_f - \alpha_m, \quad \beta = \tfrac14 (\gamma + \tfrac12)^2.$$
///
/// Constraints hold at the ends of steps, their derivatives ($Bv = 0$) to within $\mathcal{O}(h^2)$. For $\rho_\infty <
/// 1$ all results, multipliers included, are of order 2 from the first step on, since $a_0$ and $v_0$ begin where the
/// recursion would have led: $a_0 = \dot v_0 + (\alpha_m - \alpha_f) h \ddot v_0$, and to $v_0$ a correction of size
/// $h^2$ is added in the directions of the constraints. For $\rho_\infty = 1$ nothing damps the oscillations of
/// multipliers, whose errors grow with the number of steps, and which are of order 1 in a system with constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

/// A state at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionState<P, const K: usize, const M: usize> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: P,
    /// Velocities.
    pub v: Vector<K>,
    /// Accelerations $\dot v$.
    pub acceleration: Vector<K>,
    /// Multipliers.
    pub lambda: Vector<M>,
}

/// A change of position smaller than this, relative to the whole step, is the last one of Newton's iteration: with
/// exact derivatives, what remains is its square.
const LAST_CHANGE: f64 = 1e-9;

/// Changes this small, relative to the whole step, that do not become smaller are rounding errors.
const ROUNDING_ERRORS: f64 = 1e-5;

/// Iterations after which the step is given up.
const MAX_ITERATIONS: usize = 20;

impl GeneralizedAlpha {
    /// The method with the spectral radius $\rho_\infty$, from 0 (high frequencies vanish in one step) to 1 (no
    /// damping).
    ///
    /// # Errors
    /// [`MechanicsError::SpectralRadius`].
    pub fn new(rho_infinity: f64) -> Result<Self, MechanicsError> {
        if !(0.0..=1.0).contains(&rho_infinity) {
            return Err(MechanicsError::SpectralRadius { rho_infinity });
        }
        let alpha_m = (2.0 * rho_infinity - 1.0) / (rho_infinity + 1.0);
        let alpha_f = rho_infinity / (rho_infinity + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Ok(GeneralizedAlpha { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5).powi(2), gamma })
    }

    /// Integrates `system` from $(t_0, q_0, v_0)$ to `end_time` in `steps` steps of equal length; returns all states,
    /// beginning with that at $t_0$.
    ///
    /// # Errors
    /// Those of [`GeneralizedAlpha::steps`], and what a step meets; use the iterator to keep the states up to there.
    pub fn integrate<Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
        &self,
        system: &Y,
        start: (f64, PointOf<Y, K, M>, Vector<K>),
        end_time: f64,
        steps: usize,
    ) -> Result<Vec<MotionState<PointOf<Y, K, M>, K, M>>, MechanicsError> {
        let run = self.steps(system, start, end_time, steps)?;
        std::iter::once(Ok(run.state().clone())).chain(run).collect()
    }

    /// The steps of [`GeneralizedAlpha::integrate`] one by one; nothing is allocated.
    ///
    /// # Errors
    /// Start values that are not finite, not in the group or not consistent, constraints that depend on one another.
    pub fn steps<'a, Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
        &self,
        system: &'a Y,
        (t0, q0, v0): (f64, PointOf<Y, K, M>, Vector<K>),
        end_time: f64,
        steps: usize,
    ) -> Result<Motion<'a, Y, K, M>, MechanicsError> {
        let grid =
            Grid::new(t0, end_time, steps).ok_or(MechanicsError::Interval { start: t0, end: end_time, steps })?;
        start::check(system, &q0, &v0)?;
        let phase = self.alpha_m - self.alpha_f;
        let error_constant = 1.0 / 6.0 - 0.5 * phase - self.beta;
        let Start { acceleration, lambda, jerk, velocity_error } =
            start::of(system, (t0, &q0, &v0), grid.h(), error_constant)?;
        let v = v0 + velocity_error;
        let state = MotionState { t: t0, q: q0, v: v0, acceleration, lambda };
        let a = state.acceleration + jerk * (phase * grid.h());
        Ok(Motion { method: *self, system, grid, made: 0, state, v, a })
    }
}

/// An iterator over the states at the ends of steps. After an error, there are no more.
pub struct Motion<'a, Y: MechanicalSystem<K, M>, const K: usize, const M: usize> {
    method: GeneralizedAlpha,
    system: &'a Y,
    grid: Grid,
    /// How many steps have been made.
    made: usize,
    state: MotionState<PointOf<Y, K, M>, K, M>,
    /// $v_n$, which differs from that of the state at the start.
    v: Vector<K>,
    /// $a_n$.
    a: Vector<K>,
}

impl<Y: MechanicalSystem<K, M>, const K: usize, const M: usize> Motion<'_, Y, K, M> {
    /// The state that was reached last, at first that at the start.
    pub fn state(&self) -> &MotionState<PointOf<Y, K, M>, K, M> {
        &self.state
    }

    fn step(&mut self) -> Result<(), MechanicsError> {
        let GeneralizedAlpha { alpha_m, alpha_f, beta, gamma } = self.method;
        let (system, space, h) = (self.system, self.system.space(), self.grid.h());
        let (start, t) = (&self.state, self.grid.time(self.made + 1));
        let a_at_end = |acceleration: &Vector<K>| {
            (acceleration * (1.0 - alpha_f) + start.acceleration * alpha_f - self.a * alpha_m) / (1.0 - alpha_m)
        };
        // As if nothing had changed, which Newton's iteration corrects.
        let (mut acceleration, mut lambda) = (start.acceleration, start.lambda);
        let a = a_at_end(&acceleration);
        let mut v = self.v + (self.a * (1.0 - gamma) + a * gamma) * h;
        let mut x = (self.v + (self.a * (0.5 - beta) + a * beta) * h) * h;
        // Derivatives of velocities and accelerations with respect to x.
        let by_x = [gamma / (beta * h), (1.0 - alpha_m) / (beta * h * h * (1.0 - alpha_f))];
        let (mut first, mut last) = (0.0, f64::INFINITY);
        for iteration in 0..MAX_ITERATIONS {
            let q = space.advance(&start.q, &x);
            let (mass, b, tangent) = (system.mass(&q), system.gradient(&q), tangent_operator(space, &x));
            let residual = mass * acceleration + system.force(t, &q, &v) + b.tr_mul(&lambda);
            let stiffness = system.stiffness(t, &q, &v, &acceleration, &lambda);
            let s = mass * by_x[1] + system.damping(t, &q, &v) * by_x[0] + stiffness * tangent;
            let matrix = SaddlePoint { s: &s, b: &b, c: &(b * tangent), t };
            let (dx, dlambda) = matrix.solve(&residual, &system.constraint(&q))?;
            x += dx;
            v += dx * by_x[0];
            acceleration += dx * by_x[1];
            lambda += dlambda;
            let change = dx.amax();
            first = if iteration == 0 { change } else { first };
            let whole = x.amax().max(first);
            let is_rounding = iteration > 1 && 4.0 * change >= last && last <= ROUNDING_ERRORS * whole;
            if change <= LAST_CHANGE * whole || is_rounding {
                let a = a_at_end(&acceleration);
                let q = space.advance(&start.q, &x);
                self.state = MotionState { t, q, v, acceleration, lambda };
                (self.v, self.a) = (v, a);
                return Ok(());
            }
            last = change;
        }
        Err(MechanicsError::NoConvergence { t, h, change: last })
    }
}

impl<Y: MechanicalSystem<K, M>, const K: usize, const M: usize> Iterator for Motion<'_, Y, K, M> {
    type Item = Result<MotionState<PointOf<Y, K, M>, K, M>, MechanicsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.made == self.grid.steps {
            return None;
        }
        let step = self.step();
        self.made = if step.is_ok() { self.made + 1 } else { self.grid.steps };
        Some(step.map(|()| self.state.clone()))
    }
}

impl<Y: MechanicalSystem<K, M>, const K: usize, const M: usize> fmt::Debug for Motion<'_, Y, K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Motion").field("method", &self.method).field("grid", &self.grid).finish_non_exhaustive()
    }
}
