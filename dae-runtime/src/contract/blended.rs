//! Equations between the sides of surfaces across which $F$ jumps.
//!
//! In: nothing. Out: the contract by which a formulation gives the combinations of its equations on both sides of such
//! surfaces, among which a solution that slides along them finds its own.
//!
//! Where the equations on both sides of $\sigma = 0$ lead back to it, the solution of A. F. Filippov (*Differential
//! Equations with Discontinuous Righthand Sides*, Kluwer 1988) stays on the surface. With the weights
//! $s_1, \dots, s_M$ of all surfaces, $0 \le s_k \le 1$, it satisfies
//!
//! $$ \bar F(t, y, y', s) = 0, \qquad \sigma_k(t, y) = 0 \quad \text{for the surfaces on which it is}, $$
//!
//! where a row of $\bar F$ is the multi-affine interpolation of that row of $F$ on the sides,
//!
//! $$ \bar F = \sum_{\epsilon \in \{0, 1\}^M} \Bigl(\prod_k s_k^{\epsilon_k} (1 - s_k)^{1 - \epsilon_k}\Bigr)
//!    F\vert_{\epsilon}, $$
//!
//! $\epsilon_k = 0$ meaning $\sigma_k < 0$ and $\epsilon_k = 1$ meaning $\sigma_k > 0$: for one surface Filippov's
//! combination, for two the bilinear one of L. Dieci, L. Lopez (J. Comput. Appl. Math. 236, 2012). With every weight 0
//! or 1, it is $F$ on that side, continued smoothly beyond the surface.

use std::borrow::Cow;

use super::Pattern;

/// The surfaces that a formulation can slide along, and patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendedDescription {
    /// The surfaces, as entries of the list of switching functions, ascending. All are watched during a run
    /// ([`super::Switch::is_watched`]), and none contains derivatives.
    pub surfaces: Cow<'static, [usize]>,
    /// Pattern of $\partial \bar F/\partial (y, s)$: the columns of the weights follow those of $y$.
    pub jacobian_y: Pattern,
    /// Pattern of $\partial \bar F/\partial y'$.
    pub jacobian_yp: Pattern,
    /// Pattern of $\partial \sigma/\partial y$, a row for each surface.
    pub surfaces_jacobian: Pattern,
}

impl BlendedDescription {
    /// No surfaces.
    pub const NONE: BlendedDescription = BlendedDescription {
        surfaces: Cow::Borrowed(&[]),
        jacobian_y: Pattern { columns: 0, row_starts: Cow::Borrowed(&[0]), column_indices: Cow::Borrowed(&[]) },
        jacobian_yp: Pattern { columns: 0, row_starts: Cow::Borrowed(&[0]), column_indices: Cow::Borrowed(&[]) },
        surfaces_jacobian: Pattern { columns: 0, row_starts: Cow::Borrowed(&[0]), column_indices: Cow::Borrowed(&[]) },
    };
}

/// The equations $\bar F(t, y, y', s) = 0$ between the sides of surfaces. The argument `ys` is $(y, s)$, one weight for
/// each surface.
pub trait Blended {
    /// Surfaces and patterns.
    fn blended_description(&self) -> &BlendedDescription;

    /// $\bar F(t, y, y', s)$.
    fn blended_residual(&self, t: f64, ys: &[f64], yp: &[f64], residual: &mut [f64]);

    /// $\partial \bar F/\partial (y, s)$.
    fn blended_jacobian_y(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\partial \bar F/\partial y'$.
    fn blended_jacobian_yp(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\partial \bar F/\partial t$, dense.
    fn blended_jacobian_t(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\sigma(t, y)$, one value for each surface.
    fn surfaces(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// $\partial \sigma/\partial y$.
    fn surfaces_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// $\partial \sigma/\partial t$, with $y$ held.
    fn surfaces_jacobian_t(&self, t: f64, y: &[f64], values: &mut [f64]);
}
