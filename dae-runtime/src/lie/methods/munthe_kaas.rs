//! Runge–Kutta methods in the Lie algebra.
//!
//! In: $A(t, Y)$. Out: $Y_{n+1} = \exp(\Omega_{n+1}) Y_n$ with $\Omega_{n+1}$ by a Runge–Kutta method for the equation
//! of $\Omega$. Sources: Hairer (2011), algorithm III.2.1 and exercise III.5; H. Munthe-Kaas, *Runge–Kutta methods on
//! Lie groups*, BIT 38 (1998); E. Hairer, C. Lubich & G. Wanner, *Geometric Numerical Integration*, 2nd ed., Springer
//! 2006, theorem IV.8.4 (how many terms of the series are needed).

use super::Method;
use super::field::{VectorField, commutator};
use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// The classical Runge–Kutta method of order 4 for $\Omega' = d\exp^{-1}_\Omega(A(t, \exp(\Omega) Y_n))$,
/// $\Omega(t_n) = 0$, with
/// $$d\exp^{-1}_\Omega(A) = A - \tfrac12 [\Omega, A] + \tfrac1{12} [\Omega, [\Omega, A]] + \mathcal{O}(\Omega^4),$$
/// which is as far as order 4 needs the series. Four evaluations of $A$ and four exponentials a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MuntheKaas4;

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for MuntheKaas4
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
        let slope = |c: f64, omega: &Matrix<N, N>| {
            let a = field.coefficient(t + c * h, &(field.exp(t, omega)? * y))?;
            Ok(inverse_of_derivative(omega, &a))
        };
        let k1 = field.coefficient(t, y)?;
        let k2 = slope(0.5, &(k1 * (h / 2.0)))?;
        let k3 = slope(0.5, &(k2 * (h / 2.0)))?;
        let k4 = slope(1.0, &(k3 * h))?;
        let omega = (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        Ok(field.exp(t, &omega)? * y)
    }
}

/// $d\exp^{-1}_\Omega(A)$ up to terms that are quadratic in $\Omega$; the cubic one is zero.
fn inverse_of_derivative<const N: usize>(omega: &Matrix<N, N>, a: &Matrix<N, N>) -> Matrix<N, N> {
    let first = commutator(omega, a);
    a - first / 2.0 + commutator(omega, &first) / 12.0
}
