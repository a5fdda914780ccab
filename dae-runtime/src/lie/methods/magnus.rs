//! Methods based on the Magnus series, for $Y' = A(t)\\, Y$.
//!
//! In: $A$ at the nodes of a Gauss quadrature formula in a step. Out: $Y_{n+1} = \exp(\Omega) Y_n$ with $\Omega$ in the
//! Lie algebra. Sources: Hairer (2011), III (4.5) and III (4.6); for order 6, S. Blanes, F. Casas, J. A. Oteo & J. Ros,
//! *The Magnus expansion and some of its applications*, Physics Reports 470 (2009), section 5.

use super::Method;
use super::field::{VectorField, commutator};
use crate::lie::equation::LinearEquation;
use crate::lie::error::LieError;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// Magnus methods with Gauss nodes. They are symmetric: a step of length $-h$ undoes one of length $h$.
///
/// With $A_i = A(t_n + c_i h)$, $\Omega$ is
///
/// | order | nodes | $\Omega$ |
/// |---|---|---|
/// | 2 | $c_1 = \frac12$ | $h A_1$ |
/// | 4 | $c_{1,2} = \frac12 \mp \frac{\sqrt3}{6}$ | $\frac h2 (A_1 + A_2) + \frac{\sqrt3 h^2}{12} [A_2, A_1]$ |
/// | 6 | $c_{1,3} = \frac12 \mp \frac{\sqrt{15}}{10}$, $c_2 = \frac12$ | $\alpha_1 + \frac{1}{12}\alpha_3 + \frac{1}{240} [-20\alpha_1 - \alpha_3 + C_1, \alpha_2 + C_2]$ |
///
/// where $\alpha_1 = h A_2$, $\alpha_2 = \frac{\sqrt{15}}{3} h (A_3 - A_1)$, $\alpha_3 = \frac{10}{3} h (A_3 - 2A_2 +
/// A_1)$, $C_1 = [\alpha_1, \alpha_2]$ and $C_2 = -\frac{1}{60} [\alpha_1, 2\alpha_3 + C_1]$.
///
/// They need $A(t)$: an equation whose $A$ depends on $Y$ does not compile with them.
///
/// ```compile_fail,E0277
/// use dae_runtime::lie::{Magnus, Matrix, Nonlinear, SpecialOrthogonal, hat, integrate};
///
/// let equation = Nonlinear::new(|_, y: &Matrix<3, 3>| hat(&y.column(0).into_owned()));
/// integrate(&SpecialOrthogonal, &equation, &Magnus::Order4, (0.0, Matrix::identity()), 1.0, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnus {
    /// One evaluation of $A$ and one exponential, III (4.5).
    Order2,
    /// Two evaluations of $A$, one commutator, III (4.6).
    Order4,
    /// Three evaluations of $A$, three commutators.
    Order6,
}

impl<S, E, const N: usize, const K: usize> Method<S, E, N, K> for Magnus
where
    S: HomogeneousSpace<N, K>,
    E: LinearEquation<N, K>,
{
    fn order(&self) -> u32 {
        match self {
            Magnus::Order2 => 2,
            Magnus::Order4 => 4,
            Magnus::Order6 => 6,
        }
    }

    fn step(
        &self,
        field: &VectorField<'_, S, E, N, K>,
        t: f64,
        y: &Matrix<N, K>,
        h: f64,
    ) -> Result<Matrix<N, K>, LieError> {
        let a = |c: f64| field.coefficient(t + c * h, y);
        let omega = match self {
            Magnus::Order2 => a(0.5)? * h,
            Magnus::Order4 => {
                let root = 3_f64.sqrt();
                let [a1, a2] = [a(0.5 - root / 6.0)?, a(0.5 + root / 6.0)?];
                (a1 + a2) * (h / 2.0) + commutator(&a2, &a1) * (root * h * h / 12.0)
            }
            Magnus::Order6 => {
                let root = 15_f64.sqrt();
                let [a1, a2, a3] = [a(0.5 - root / 10.0)?, a(0.5)?, a(0.5 + root / 10.0)?];
                let alpha1 = a2 * h;
                let alpha2 = (a3 - a1) * (root / 3.0 * h);
                let alpha3 = (a3 - a2 * 2.0 + a1) * (10.0 / 3.0 * h);
                let c1 = commutator(&alpha1, &alpha2);
                let c2 = commutator(&alpha1, &(alpha3 * 2.0 + c1)) * (-1.0 / 60.0);
                alpha1 + alpha3 / 12.0 + commutator(&(alpha1 * -20.0 - alpha3 + c1), &(alpha2 + c2)) / 240.0
            }
        };
        Ok(field.exp(t, &omega)? * y)
    }
}
