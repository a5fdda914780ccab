//! Implicit methods of order 2.
//!
//! In: $A(t, Y)$. Out: steps of the implicit midpoint rule and of the trapezoidal rule, by fixed-point iteration in
//! $A$, so that each iterate solves a linear system. Source: E. Hairer, C. Lubich & G. Wanner, *Geometric Numerical
//! Integration*, 2nd ed., Springer 2006, theorem IV.2.1 (quadratic invariants); Hairer (2011), section I.1.

use super::Method;
use super::field::VectorField;
use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The implicit midpoint rule, of order 2, symmetric:
/// $$Y_{n+1} = (I - \tfrac h2 A)^{-1} (I + \tfrac h2 A)\\, Y_n, \qquad A = A\bigl(t_n + \tfrac h2, \tfrac12 (Y_n +
/// Y_{n+1})\bigr).$$
/// It stays on manifolds that quadratic equations define, $SO(n)$, Stiefel manifolds and $Sp(2n)$, and leaves $SL(n)$
/// for $n > 2$. $A$ is evaluated off the manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImplicitMidpoint;

/// The trapezoidal rule, of order 2, symmetric:
/// $$(I - \tfrac h2 A(t_{n+1}, Y_{n+1}))\\, Y_{n+1} = (I + \tfrac h2 A(t_n, Y_n))\\, Y_n.$$
/// It leaves the manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trapezoidal;

/// Iterations after which the step is given up.
const MAX_ITERATIONS: usize = 200;

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for ImplicitMidpoint
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        2
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        fixed_point(t, y, h, |end| {
            let half = field.coefficient(t + 0.5 * h, &((y + end) * 0.5))? * (h / 2.0);
            Ok(solve(&half, &(y + half * y)))
        })
    }
}

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for Trapezoidal
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        2
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        let explicit = y + field.coefficient(t, y)? * y * (h / 2.0);
        fixed_point(t, y, h, |end| {
            let half = field.coefficient(t + h, end)? * (h / 2.0);
            Ok(solve(&half, &explicit))
        })
    }
}

/// The solution $X$ of $(I - H) X = B$; `None` if there is none.
fn solve<const N: usize, const K: usize>(h: &Matrix<N, N>, b: &Matrix<N, K>) -> Option<Matrix<N, K>> {
    (Matrix::identity() - h).try_inverse().map(|inverse| inverse * b)
}

/// The end of a step from `y` that `improved` maps to itself, to within rounding errors.
fn fixed_point<const N: usize, const K: usize>(
    t: f64,
    y: &Matrix<N, K>,
    h: f64,
    improved: impl Fn(&Matrix<N, K>) -> Result<Option<Matrix<N, K>>, LieError>,
) -> Result<Matrix<N, K>, LieError> {
    let (mut end, mut last) = (*y, f64::INFINITY);
    for _ in 0..MAX_ITERATIONS {
        let Some(next) = improved(&end)? else { break };
        let change = (next - end).amax();
        end = next;
        // Iterates differ by rounding errors, and another one would not be nearer.
        if change <= 16.0 * f64::EPSILON * end.amax() && (change >= last || change == 0.0) {
            return Ok(end);
        }
        last = change;
    }
    Err(LieError::NoConvergence { t, h, change: last })
}
