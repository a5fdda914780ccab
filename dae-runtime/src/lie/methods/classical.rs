//! Methods that leave the manifold, and their projections onto it, for comparison.
//!
//! In: $A(t, Y)\\, Y$ as a vector field on all matrices. Out: steps of classical methods, and of the same followed by a
//! projection. Source: Hairer (2011), algorithm III.1.1.

use super::Method;
use super::field::VectorField;
use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// Euler's method $Y_{n+1} = Y_n + h A(t_n, Y_n) Y_n$, of order 1. It leaves the manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExplicitEuler;

/// The classical Runge–Kutta method of order 4 for $Y' = A(t, Y)\\, Y$. It leaves the manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungeKutta4;

/// A method each of whose steps ends with the projection of
/// [`HomogeneousSpace::project`](crate::lie::HomogeneousSpace::project), which does not change its order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Projected<M>(pub M);

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for ExplicitEuler
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        1
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        Ok(y + field.coefficient(t, y)? * y * h)
    }
}

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for RungeKutta4
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        4
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        let slope = |c: f64, y: &Matrix<N, K>| Ok(field.coefficient(t + c * h, y)? * y);
        let k1 = slope(0.0, y)?;
        let k2 = slope(0.5, &(y + k1 * (h / 2.0)))?;
        let k3 = slope(0.5, &(y + k2 * (h / 2.0)))?;
        let k4 = slope(1.0, &(y + k3 * h))?;
        Ok(y + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0))
    }
}

impl<M, S, E, const N: usize, const K: usize> Method<S, E, N, K> for Projected<M>
where
    M: Method<S, E, N, K>,
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        self.0.order()
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        let (space, end) = (field.space(), self.0.step(field, t, y, h)?);
        let off = || LieError::NotProjectable { t: t + h, space: space.name(), defect: space.defect(&end) };
        space.project(&end).ok_or_else(off)
    }
}
