//! Internal projection: equations are evaluated at projected states.
//!
//! In: a formulation that is solved for its derivatives, $y' = f(t, y)$, whose states can be projected onto its
//! invariants. Out: $y' = f(t, \pi(y))$ with the projection $\pi$, so that stages of an explicit method, too, are where the
//! equations have a meaning (E. Hairer, *Solving Differential Equations on Manifolds*, 2011, section III.1.3). On the
//! manifold both are the same; the method keeps its order if $\pi$ is smooth, as the orthogonal projections of
//! [`super::metric`] are.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use crate::completions::delegate::{forward_invariants_to_inner, forward_switches_to_inner, forward_to_inner};
use crate::completions::metric::{InMetric, Metric};
use crate::contract::class::Classified;
use crate::contract::{Blended, Dae, DeclaredIntegrals, Description, UnrolledLu};

/// A formulation whose equations are evaluated at projected states.
///
/// ```
/// use dae_runtime::contract::Dae;
/// use dae_runtime::internal_projection::InternalProjection;
/// use dae_runtime::metric::Metric;
///
/// fn at_projected_states(underlying: impl Dae) -> impl Dae {
///     InternalProjection::new(underlying, Metric::Nominal)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct InternalProjection<D> {
    inner: InMetric<D>,
    state: RefCell<Vec<f64>>,
}

impl<D: Dae> InternalProjection<D> {
    /// The formulation, evaluated at states that are projected in this metric.
    pub fn new(inner: D, metric: Metric) -> Self {
        InternalProjection { inner: InMetric::new(inner, metric), state: RefCell::default() }
    }

    /// Applies a function to the projected state; to `NaN` where there is none.
    fn at_projected(&self, t: f64, y: &[f64], apply: impl FnOnce(&[f64])) {
        let mut state = self.state.borrow_mut();
        state.clear();
        state.extend_from_slice(y);
        if self.inner.project(t, &mut state, 0..=u32::MAX).is_err() {
            state.fill(f64::NAN);
        }
        apply(&state);
    }
}

#[diagnostic::do_not_recommend]
impl<D: Classified + Dae> Classified for InternalProjection<D> {
    type Class = D::Class;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

/// Jacobians are those of $f$ at the projected state: derivatives in directions that leave the manifold are not those of
/// $f \circ \pi$, and variations of consistent states have none.
impl<D: Dae> Dae for InternalProjection<D> {
    fn description(&self) -> &Description {
        self.inner.description()
    }

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.at_projected(t, y, |y| self.inner.residual(t, y, yp, residual));
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_projected(t, y, |y| self.inner.jacobian_y(t, y, yp, values));
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_projected(t, y, |y| self.inner.jacobian_yp(t, y, yp, values));
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_projected(t, y, |y| self.inner.jacobian_t(t, y, yp, values));
    }

    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_projected(t, y, |y| self.inner.jacobian_p(t, y, yp, values));
    }

    fn project(&self, t: f64, y: &mut [f64], levels: RangeInclusive<u32>) -> Result<(), usize> {
        self.inner.project(t, y, levels)
    }

    fn projection_level(&self, invariant: usize) -> Option<u32> {
        self.inner.projection_level(invariant)
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        self.inner.choose_coordinates(t, y, yp, anew)
    }

    fn first_integrals(&self) -> Option<&dyn DeclaredIntegrals> {
        self.inner.first_integrals()
    }

    fn canonical(&self) -> Option<&dyn Dae> {
        self.inner.canonical()
    }

    fn blended(&self) -> Option<&dyn Blended> {
        self.inner.blended()
    }

    fn unrolled_lu(&self) -> Option<&UnrolledLu> {
        self.inner.unrolled_lu()
    }

    fn states_from_jets(&self, t: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {
        self.inner.states_from_jets(t, jets, y, yp);
    }

    forward_to_inner!();
    forward_switches_to_inner!();
    forward_invariants_to_inner!();
}
