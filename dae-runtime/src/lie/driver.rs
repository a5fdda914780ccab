//! The loop over steps of equal length.
//!
//! In: a manifold, an equation, a method, a start value, an end time, a number of steps. Out: times and matrices, as an
//! iterator or collected, or the reason why they end early.

use std::fmt;

use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::grid::Grid;
use crate::lie::methods::{Method, VectorField};
use crate::lie::space::{HomogeneousSpace, Matrix, ROUNDING, exceeds, non_finite};

/// Times and matrices from the start to the end of an integration.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory<const N: usize, const K: usize> {
    /// $t_0, t_1, \dots$
    pub times: Vec<f64>,
    /// $Y_0, Y_1, \dots$
    pub states: Vec<Matrix<N, K>>,
}

impl<const N: usize, const K: usize> Trajectory<N, K> {
    /// The last matrix.
    pub fn end(&self) -> &Matrix<N, K> {
        // There is at least the start.
        &self.states[self.states.len() - 1]
    }

    /// The largest [`HomogeneousSpace::defect`] of all matrices.
    pub fn largest_defect(&self, space: &impl HomogeneousSpace<N, K>) -> f64 {
        self.states.iter().map(|y| space.defect(y)).fold(0.0, f64::max)
    }
}

/// Integrates `equation` on `space` by `method` from $(t_0, Y_0)$ to `end_time`, which may lie before $t_0$, in `steps`
/// steps of equal length.
///
/// # Errors
/// A start value that is off the manifold, and what [`Steps`] meets on its way. The matrices up to there are what the
/// iterator has returned; use [`steps`] to keep them.
pub fn integrate<S, E, M, const N: usize, const K: usize>(
    space: &S,
    equation: &E,
    method: &M,
    (t0, y0): (f64, Matrix<N, K>),
    end_time: f64,
    steps: usize,
) -> Result<Trajectory<N, K>, LieError>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    let run = self::steps(space, equation, method, (t0, y0), end_time, steps)?;
    let mut trajectory = Trajectory { times: Vec::with_capacity(steps + 1), states: Vec::with_capacity(steps + 1) };
    trajectory.times.push(t0);
    trajectory.states.push(y0);
    for step in run {
        let (t, y) = step?;
        trajectory.times.push(t);
        trajectory.states.push(y);
    }
    Ok(trajectory)
}

/// The steps of [`integrate`] one by one; nothing is allocated.
///
/// # Errors
/// [`LieError::Interval`], [`LieError::NonFiniteStart`], [`LieError::StartOffManifold`].
pub fn steps<'a, S, E, M, const N: usize, const K: usize>(
    space: &'a S,
    equation: &'a E,
    method: &'a M,
    (t0, y0): (f64, Matrix<N, K>),
    end_time: f64,
    steps: usize,
) -> Result<Steps<'a, S, E, M, N, K>, LieError>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    let grid = Grid::new(t0, end_time, steps).ok_or(LieError::Interval { start: t0, end: end_time, steps })?;
    check_start(space, &y0)?;
    Ok(Steps { field: VectorField::new(space, equation), method, grid, made: 0, y: y0 })
}

/// Checks that a start value is finite and on the manifold.
pub(super) fn check_start<S, const N: usize, const K: usize>(space: &S, y0: &Matrix<N, K>) -> Result<(), LieError>
where
    S: HomogeneousSpace<N, K>,
{
    if let Some((row, column)) = non_finite(y0) {
        return Err(LieError::NonFiniteStart { row, column });
    }
    let (defect, allowed) = (space.defect(y0), ROUNDING * y0.amax().max(1.0));
    if exceeds(defect, allowed) {
        return Err(LieError::StartOffManifold { space: space.name(), defect, allowed });
    }
    Ok(())
}

/// An iterator over the ends of steps, $(t_1, Y_1), (t_2, Y_2), \dots$ After an error, there are no more.
pub struct Steps<'a, S, E, M: ?Sized, const N: usize, const K: usize> {
    field: VectorField<'a, S, E, N, K>,
    method: &'a M,
    grid: Grid,
    /// How many steps have been made.
    made: usize,
    y: Matrix<N, K>,
}

impl<S, E, M, const N: usize, const K: usize> Iterator for Steps<'_, S, E, M, N, K>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    type Item = Result<(f64, Matrix<N, K>), LieError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.made == self.grid.steps {
            return None;
        }
        let (start, end) = (self.grid.time(self.made), self.grid.time(self.made + 1));
        let step = self.method.step(&self.field, start, &self.y, self.grid.h()).and_then(|y| match non_finite(&y) {
            None => Ok((end, y)),
            Some(_) => Err(LieError::NonFiniteSolution { t: end }),
        });
        match &step {
            Ok((_, y)) => (self.made, self.y) = (self.made + 1, *y),
            Err(_) => self.made = self.grid.steps,
        }
        Some(step)
    }
}

impl<S, E, M: ?Sized, const N: usize, const K: usize> fmt::Debug for Steps<'_, S, E, M, N, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").field("grid", &self.grid).field("made", &self.made).finish_non_exhaustive()
    }
}
