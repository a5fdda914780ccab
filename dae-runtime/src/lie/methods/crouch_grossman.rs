//! Products of exponentials of values of $A$.
//!
//! In: $A(t, Y)$. Out: $Y_{n+1} = \exp(h b_s A_s) \cdots \exp(h b_1 A_1) Y_n$. Sources: P. E. Crouch & R. Grossman,
//! *Numerical integration of ordinary differential equations on manifolds*, J. Nonlinear Sci. 3 (1993); E. Hairer, C.
//! Lubich & G. Wanner, *Geometric Numerical Integration*, 2nd ed., Springer 2006, IV (8.1) and table IV.8.1; for order
//! 4, Z. Jackiewicz, A. Marthinsen & B. Owren, *Construction of Runge–Kutta methods of Crouch–Grossman type of high
//! order*, Adv. Comput. Math. 13 (2000).

use super::Method;
use super::field::VectorField;
use crate::lie::equation::Equation;
use crate::lie::error::LieError;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// Euler's method on a Lie group, $Y_{n+1} = \exp(h A(t_n, Y_n)) Y_n$, of order 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LieEuler;

/// Methods of Crouch and Grossman, explicit with $s$ stages:
/// $$Y^{(i)} = \exp(h a_{i,i-1} A_{i-1}) \cdots \exp(h a_{i1} A_1) Y_n, \quad A_i = A(t_n + c_i h, Y^{(i)}), \quad
/// Y_{n+1} = \exp(h b_s A_s) \cdots \exp(h b_1 A_1) Y_n.$$
/// No commutators occur, but $s(s+1)/2$ exponentials, fewer where coefficients are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrouchGrossman {
    /// Two stages: $a_{21} = \frac12$, $b = (0, 1)$. For $A(t)$ it is the Magnus method of order 2.
    Order2,
    /// Three stages.
    Order3,
    /// Five stages.
    Order4,
}

/// The stages below the first, row by row, and the weights.
struct Coefficients {
    a: &'static [&'static [f64]],
    b: &'static [f64],
}

const SECOND: Coefficients = Coefficients { a: &[&[0.5]], b: &[0.0, 1.0] };

const THIRD: Coefficients =
    Coefficients { a: &[&[3.0 / 4.0], &[119.0 / 216.0, 17.0 / 108.0]], b: &[13.0 / 51.0, -2.0 / 3.0, 24.0 / 17.0] };

/// The digits of the paper, where the coefficients are solutions of the conditions of order found numerically.
const FOURTH: Coefficients = Coefficients {
    a: &[
        &[0.8177227988124852],
        &[0.3199876375476427, 0.0659864263556022],
        &[0.9214417194464946, 0.4997857776773573, -1.0969984448371582],
        &[0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113465],
    ],
    b: &[0.1370831520630755, -0.018369853156402, 0.739781398537078, -0.1907142565505889, 0.3322195591068374],
};

/// The largest number of stages.
const MAX_STAGES: usize = 5;

impl CrouchGrossman {
    fn coefficients(self) -> &'static Coefficients {
        match self {
            CrouchGrossman::Order2 => &SECOND,
            CrouchGrossman::Order3 => &THIRD,
            CrouchGrossman::Order4 => &FOURTH,
        }
    }
}

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for LieEuler
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
        Ok(field.exp(t, &(field.coefficient(t, y)? * h))? * y)
    }
}

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for CrouchGrossman
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    fn order(&self) -> u32 {
        match self {
            CrouchGrossman::Order2 => 2,
            CrouchGrossman::Order3 => 3,
            CrouchGrossman::Order4 => 4,
        }
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        let Coefficients { a, b } = self.coefficients();
        let mut stages = [Matrix::<N, N>::zeros(); MAX_STAGES];
        let advance = |weights: &[f64], stages: &[Matrix<N, N>]| {
            let factors = weights.iter().zip(stages).filter(|(weight, _)| **weight != 0.0);
            let mut factors = factors.map(|(weight, stage)| field.exp(t, &(stage * (weight * h))));
            factors.try_fold(*y, |y, factor| Ok(factor? * y))
        };
        stages[0] = field.coefficient(t, y)?;
        for (i, row) in a.iter().enumerate() {
            let c: f64 = row.iter().sum();
            stages[i + 1] = field.coefficient(t + c * h, &advance(row, &stages)?)?;
        }
        advance(b, &stages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions of order of Runge–Kutta methods (Hairer, Nørsett & Wanner I, table II.2.2), and that of order 3
    /// which only these methods have (Hairer, Lubich & Wanner, IV.8.1).
    #[test]
    fn coefficients_satisfy_conditions_of_order() {
        for (method, order) in [(&SECOND, 2), (&THIRD, 3), (&FOURTH, 4)] {
            let b = method.b;
            let a = |i: usize, j: usize| if i > j { method.a[i - 1][j] } else { 0.0 };
            let times_a = |x: &[f64]| -> Vec<f64> {
                (0..b.len()).map(|i| x.iter().enumerate().map(|(j, x)| a(i, j) * x).sum()).collect()
            };
            let product = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
            let sum = |x: &[f64]| -> f64 { product(b, x).iter().sum() };
            let c = times_a(&vec![1.0; b.len()]);
            let squares = product(&c, &c);
            let later = |i: usize| -> f64 { b[i + 1..].iter().sum() };
            let commutators: f64 = (0..b.len()).map(|i| b[i] * c[i] * (b[i] + 2.0 * later(i))).sum();
            let conditions = [
                (1, b.iter().sum(), 1.0),
                (2, sum(&c), 1.0 / 2.0),
                (3, sum(&squares), 1.0 / 3.0),
                (3, sum(&times_a(&c)), 1.0 / 6.0),
                (3, commutators, 1.0 / 3.0),
                (4, sum(&product(&squares, &c)), 1.0 / 4.0),
                (4, sum(&product(&c, &times_a(&c))), 1.0 / 8.0),
                (4, sum(&times_a(&squares)), 1.0 / 12.0),
                (4, sum(&times_a(&times_a(&c))), 1.0 / 24.0),
            ];
            for (at, found, exact) in conditions.into_iter().filter(|(at, ..)| *at <= order) {
                assert!((found - exact).abs() < 1e-15, "order {order}, condition of order {at}: {found}, not {exact}");
            }
        }
    }
}
