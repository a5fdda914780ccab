//! Steps whose length follows from an estimate of their error.
//!
//! In: a manifold, an equation, a method, a start value, an end time, a tolerance. Out: times and matrices, as an
//! iterator or collected, or the reason why they end early. Source: E. Hairer, S. P. Nørsett & G. Wanner, *Solving
//! Ordinary Differential Equations I*, 2nd ed., Springer 1993, section II.4 (Richardson extrapolation, step size
//! control).

use std::fmt;

use crate::lie::driver::{Trajectory, check_start};
use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::methods::{Method, VectorField};
use crate::lie::space::{HomogeneousSpace, Matrix, exceeds};

/// Smallest tolerance, a few rounding errors.
const SMALLEST_TOLERANCE: f64 = 1e-14;

/// Safety factor of the step size.
const SAFETY: f64 = 0.9;

/// Bounds for the factor by which the step size changes.
const FACTORS: (f64, f64) = (0.2, 5.0);

/// After an attempt that ended with an error, the step is shortened by this factor.
const AFTER_ERROR: f64 = 0.25;

/// The first step is at most this part of the interval.
const LARGEST_FIRST_PART: f64 = 0.1;

/// Integrates `equation` on `space` by `method` from $(t_0, Y_0)$ to `end_time`, which may lie before $t_0$, with steps
/// whose error is at most `tolerance`, times the largest entry of $Y$ if that is above one.
///
/// A step of length $h$ is made once, and again as two of length $h/2$, which gives $\hat Y$ and $Y$. Their difference
/// over $2^p - 1$ estimates the error of $Y$ for a method of order $p$ (Hairer, Nørsett & Wanner I, II (4.4)), and $Y$
/// is what the run goes on with: the extrapolated value would not be in the group. Errors of steps add up.
///
/// # Errors
/// What [`AdaptiveSteps`] meets on its way. The matrices up to there are what the iterator has returned; use
/// [`adaptive_steps`] to keep them.
pub fn integrate_adaptively<S, E, M, const N: usize, const K: usize>(
    space: &S,
    equation: &E,
    method: &M,
    (t0, y0): (f64, Matrix<N, K>),
    end_time: f64,
    tolerance: f64,
) -> Result<Trajectory<N, K>, LieError>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    let mut trajectory = Trajectory { times: vec![t0], states: vec![y0] };
    for step in adaptive_steps(space, equation, method, (t0, y0), end_time, tolerance)? {
        let (t, y) = step?;
        trajectory.times.push(t);
        trajectory.states.push(y);
    }
    Ok(trajectory)
}

/// The steps of [`integrate_adaptively`] one by one; nothing is allocated.
///
/// # Errors
/// [`LieError::Interval`], [`LieError::Tolerance`], [`LieError::NonFiniteStart`], [`LieError::StartOffManifold`], and
/// what is wrong with $A(t_0, Y_0)$.
pub fn adaptive_steps<'a, S, E, M, const N: usize, const K: usize>(
    space: &'a S,
    equation: &'a E,
    method: &'a M,
    (t0, y0): (f64, Matrix<N, K>),
    end_time: f64,
    tolerance: f64,
) -> Result<AdaptiveSteps<'a, S, E, M, N, K>, LieError>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    let interval = end_time - t0;
    if !interval.is_finite() || interval == 0.0 {
        return Err(LieError::Interval { start: t0, end: end_time, steps: 1 });
    }
    if exceeds(SMALLEST_TOLERANCE, tolerance) || !tolerance.is_finite() {
        return Err(LieError::Tolerance { tolerance, smallest: SMALLEST_TOLERANCE });
    }
    check_start(space, &y0)?;
    let field = VectorField::new(space, equation);
    // The error of a step is about the power p + 1 of hA.
    let rate = field.coefficient(t0, &y0)?.norm();
    let part = tolerance.powf(1.0 / f64::from(method.order() + 1)) / (rate * interval.abs());
    let h = interval * part.min(LARGEST_FIRST_PART);
    Ok(AdaptiveSteps { field, method, tolerance, end_time, t: t0, y: y0, h, is_over: false })
}

/// An iterator over the ends of steps, $(t_1, Y_1), (t_2, Y_2), \dots$, the last of which is the end time to the bit.
/// After an error, there are no more.
pub struct AdaptiveSteps<'a, S, E, M: ?Sized, const N: usize, const K: usize> {
    field: VectorField<'a, S, E, N, K>,
    method: &'a M,
    tolerance: f64,
    end_time: f64,
    t: f64,
    y: Matrix<N, K>,
    /// Signed length of the next attempt.
    h: f64,
    is_over: bool,
}

impl<S, E, M, const N: usize, const K: usize> AdaptiveSteps<'_, S, E, M, N, K>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    /// The end of a step, and its error in units of the tolerance.
    fn attempt(&self, h: f64) -> Result<(Matrix<N, K>, f64), LieError> {
        let step = |t, y: &Matrix<N, K>, h| self.method.step(&self.field, t, y, h);
        let coarse = step(self.t, &self.y, h)?;
        let y = step(self.t + 0.5 * h, &step(self.t, &self.y, 0.5 * h)?, 0.5 * h)?;
        let error = (y - coarse).amax() / (2_f64.powi(self.method.order() as i32) - 1.0);
        if y.iter().chain(&coarse).any(|entry| !entry.is_finite()) {
            return Err(LieError::NonFiniteSolution { t: self.t + h });
        }
        Ok((y, error / (self.tolerance * y.amax().max(1.0))))
    }

    /// Repeats a step with shorter lengths until its error is small enough.
    fn step(&mut self) -> Result<(), LieError> {
        let mut cause = None;
        loop {
            let remaining = self.end_time - self.t;
            let is_last = self.h.abs() >= remaining.abs();
            let h = if is_last { remaining } else { self.h };
            if !is_last && self.t + 0.5 * h == self.t {
                return Err(cause.unwrap_or(LieError::StepTooSmall { t: self.t, h }));
            }
            match self.attempt(h) {
                Ok((y, error)) => {
                    let exponent = -1.0 / f64::from(self.method.order() + 1);
                    // An error of zero gives infinity, which is bounded.
                    self.h = h * (SAFETY * error.powf(exponent)).clamp(FACTORS.0, FACTORS.1);
                    if error <= 1.0 {
                        (self.t, self.y) = (if is_last { self.end_time } else { self.t + h }, y);
                        return Ok(());
                    }
                    cause = None;
                }
                Err(error @ LieError::NotInAlgebra { .. }) => return Err(error),
                Err(error) => (self.h, cause) = (h * AFTER_ERROR, Some(error)),
            }
        }
    }
}

impl<S, E, M, const N: usize, const K: usize> Iterator for AdaptiveSteps<'_, S, E, M, N, K>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    type Item = Result<(f64, Matrix<N, K>), LieError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step();
        self.is_over = step.is_err() || self.t == self.end_time;
        Some(step.map(|()| (self.t, self.y)))
    }
}

impl<S, E, M: ?Sized, const N: usize, const K: usize> fmt::Debug for AdaptiveSteps<'_, S, E, M, N, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdaptiveSteps").field("t", &self.t).field("h", &self.h).finish_non_exhaustive()
    }
}
