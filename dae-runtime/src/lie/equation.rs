//! Matrix differential equations $Y' = A(t, Y)\\, Y$.
//!
//! In: functions of the caller. Out: [`Equation`], and [`LinearEquation`] where $A$ does not depend on $Y$, so that
//! methods for linear equations do not compile with others. Source: Hairer (2011), II (4.4) and III (4.1).

use std::fmt;

use crate::lie::space::Matrix;

/// The equation $Y' = A(t, Y)\\, Y$ for $Y(t) \in \mathbb{R}^{N \times K}$, with $A(t, Y)$ in a Lie algebra.
pub trait Equation<const N: usize, const K: usize> {
    /// $A(t, Y)$.
    fn coefficient(&self, t: f64, y: &Matrix<N, K>) -> Matrix<N, N>;
}

/// An equation $Y' = A(t)\\, Y$: [`Equation::coefficient`] is the same for all $Y$.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be linear: A may depend on Y",
    label = "Magnus methods need Y' = A(t) Y",
    note = "integrate it by `MuntheKaas4` or `CrouchGrossman`, or state A(t) as `Linear::new(|t| …)`"
)]
pub trait LinearEquation<const N: usize, const K: usize>: Equation<N, K> {}

/// $Y' = A(t)\\, Y$ with $A$ as a function.
#[derive(Clone, Copy)]
pub struct Linear<F>(F);

/// $Y' = A(t, Y)\\, Y$ with $A$ as a function.
#[derive(Clone, Copy)]
pub struct Nonlinear<F>(F);

impl<F> Linear<F> {
    /// The equation with this $A(t)$.
    pub fn new<const N: usize>(a: F) -> Self
    where
        F: Fn(f64) -> Matrix<N, N>,
    {
        Linear(a)
    }
}

impl<F> Nonlinear<F> {
    /// The equation with this $A(t, Y)$.
    pub fn new<const N: usize, const K: usize>(a: F) -> Self
    where
        F: Fn(f64, &Matrix<N, K>) -> Matrix<N, N>,
    {
        Nonlinear(a)
    }
}

impl<F: Fn(f64) -> Matrix<N, N>, const N: usize, const K: usize> Equation<N, K> for Linear<F> {
    fn coefficient(&self, t: f64, _: &Matrix<N, K>) -> Matrix<N, N> {
        (self.0)(t)
    }
}

impl<F: Fn(f64) -> Matrix<N, N>, const N: usize, const K: usize> LinearEquation<N, K> for Linear<F> {}

impl<F: Fn(f64, &Matrix<N, K>) -> Matrix<N, N>, const N: usize, const K: usize> Equation<N, K> for Nonlinear<F> {
    fn coefficient(&self, t: f64, y: &Matrix<N, K>) -> Matrix<N, N> {
        (self.0)(t, y)
    }
}

impl<F> fmt::Debug for Linear<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Linear")
    }
}

impl<F> fmt::Debug for Nonlinear<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonlinear")
    }
}
