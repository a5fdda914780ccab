//! Projections in a metric of the caller's choice.
//!
//! In: a formulation whose invariants states can be projected onto; the lengths in which changes of unknowns are measured.
//! Out: the formulation with orthogonal projections in that metric, onto all chosen invariants at once.
//!
//! The state at $\hat y$ is moved to $y$ such that, with units $s_k$,
//!
//! $$ \sum_k \Bigl(\frac{y_k - \hat y_k}{s_k}\Bigr)^2 \to \min, \qquad \varphi(t, y) = 0, $$
//!
//! by simplified Newton steps: corrections are combinations of the gradients at $\hat y$, which are decomposed once
//! (Hairer & Wanner II, eq. (VII.2.4); E. Hairer, *Solving Differential Equations on Manifolds*, 2011, eq. (III.1.2)).
//! Without this, a formulation that is solved for its derivatives moves states in the directions in which its multipliers
//! act, in mechanics in the metric of the mass matrix (VII.2.7).

use std::ops::RangeInclusive;

use crate::completions::delegate::{
    forward_equations_to_inner, forward_invariants_to_inner, forward_switches_to_inner, forward_to_inner,
};
use crate::contract::class::Classified;
use crate::contract::{Dae, Description, Kind};
use crate::linalg::pivoted_qr::{PivotedQr, SparseRow};

/// Gradients of unit length that are closer than this to combinations of others are omitted.
const DEPENDENT: f64 = 1e-8;

/// Largest number of corrections.
const MAX_CORRECTIONS: usize = 20;

/// Corrections that no longer decrease are rounding errors if they are below this fraction of the values.
const ROUNDING: f64 = 1e-9;

/// How changes of states are measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Metric {
    /// In units of the nominal values, which are 1 unless the model says otherwise.
    #[default]
    Nominal,
    /// In these units, one for each entry of $y$: an unknown with a small unit is moved little, one with the unit zero not
    /// at all.
    Units(Vec<f64>),
}

impl Metric {
    /// The unit of an unknown.
    fn unit(&self, of: &Description, k: usize) -> f64 {
        match self {
            Metric::Nominal => of.unknowns[k].nominal.abs(),
            Metric::Units(units) => units.get(k).map_or(0.0, |unit| unit.abs()),
        }
    }
}

/// A formulation with projections in a metric.
///
/// ```
/// use dae_runtime::contract::Dae;
/// use dae_runtime::metric::{InMetric, Metric};
///
/// /// Moves the first of two unknowns a hundred times as far as the second.
/// fn first_rather_than_second(form: impl Dae) -> impl Dae {
///     InMetric::new(form, Metric::Units(vec![1.0, 0.1]))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct InMetric<D> {
    inner: D,
    metric: Metric,
}

impl<D: Dae> InMetric<D> {
    /// The formulation, with projections in this metric.
    pub fn new(inner: D, metric: Metric) -> Self {
        InMetric { inner, metric }
    }
}

#[diagnostic::do_not_recommend]
impl<D: Classified + Dae> Classified for InMetric<D> {
    type Class = D::Class;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl<D: Dae> Dae for InMetric<D> {
    fn description(&self) -> &Description {
        self.inner.description()
    }

    fn project(&self, t: f64, y: &mut [f64], levels: RangeInclusive<u32>) -> Result<(), usize> {
        project_orthogonally(&self.inner, t, y, &levels, &self.metric)
    }

    fn projection_level(&self, invariant: usize) -> Option<u32> {
        self.inner.projection_level(invariant)
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        self.inner.choose_coordinates(t, y, yp, anew)
    }

    forward_to_inner!();
    forward_equations_to_inner!();
    forward_switches_to_inner!();
    forward_invariants_to_inner!();
}

/// Moves the differential entries of `y` onto the invariants whose level is chosen.
///
/// # Errors
/// The unknown that is corrected most, if the corrections do not converge.
pub(super) fn project_orthogonally(
    dae: &dyn Dae,
    t: f64,
    y: &mut [f64],
    levels: &RangeInclusive<u32>,
    metric: &Metric,
) -> Result<(), usize> {
    let description = dae.description();
    let Description { unknowns, invariants, invariants_jacobian: pattern, .. } = description;
    let unit = |k: usize| metric.unit(description, k);
    let (mut values, mut jacobian) = (vec![0.0; invariants.len()], vec![0.0; pattern.len()]);
    dae.invariants_jacobian(t, y, &mut jacobian);
    // Rows of unit length, in the units of the metric.
    let is_moved = |column: usize| unknowns[column].kind == Kind::Differential && !unknowns[column].is_discrete;
    let (mut rows, mut chosen): (Vec<SparseRow>, Vec<(usize, f64)>) = (Vec::new(), Vec::new());
    for invariant in 0..invariants.len() {
        let entries = pattern.row(invariant).filter(|&(column, _)| is_moved(column));
        let row: SparseRow = entries.map(|(k, place)| (k, jacobian[place] * unit(k))).collect();
        let length = row.iter().map(|(_, entry)| entry * entry).sum::<f64>().sqrt();
        let is_chosen = dae.projection_level(invariant).is_some_and(|level| levels.contains(&level));
        if is_chosen && length != 0.0 {
            rows.push(row.into_iter().map(|(k, entry)| (k, entry / length)).collect());
            chosen.push((invariant, length));
        }
    }
    let factors = PivotedQr::new(&rows, unknowns.len(), is_moved, DEPENDENT);
    let (mut before, mut worst) = (f64::INFINITY, 0);
    for _ in 0..MAX_CORRECTIONS {
        dae.invariants(t, y, &mut values);
        let of_row = |&row: &usize| values[chosen[row].0] / chosen[row].1;
        let residuals: Vec<f64> = factors.order.iter().map(of_row).collect();
        let mut correction = vec![0.0; y.len()];
        factors.least_norm(&residuals, &mut correction);
        let mut size = 0.0;
        for (k, change) in correction.iter_mut().enumerate() {
            *change *= unit(k);
            let relative = change.abs() / (y[k].abs() + unknowns[k].nominal.abs());
            if relative > size || relative.is_nan() {
                (size, worst) = (relative, k);
            }
        }
        if !size.is_finite() || size > before {
            break;
        }
        y.iter_mut().zip(&correction).for_each(|(y, change)| *y -= change);
        if size <= f64::EPSILON || (size <= ROUNDING && size > 0.1 * before) {
            return Ok(());
        }
        before = size;
    }
    // What is left is below the resolution of the values.
    if before <= ROUNDING { Ok(()) } else { Err(worst) }
}
