//! Whether the start values mean a solution other than the one that was found.
//!
//! In: consistent jets at which the system Jacobian is regular, far from the start values. Out: the jets to which the
//! equations as written and their derivatives lead from the same start values, if they are not much farther away and
//! the Jacobian is singular there.
//!
//! Newton's method for the prolongation avoids the points at which its Jacobian is singular, however near they are; and
//! where the pivot of a combination vanishes, the prolongation has lost an equation. The index may differ between the
//! branch that the start values mean and the one on which the method ends.

use super::proof::{self, Evidence};
use crate::defaults::default_parameters;
use crate::index::array::{ArrayPoint, Consistent, DerivativeArray, consistent_point};
use crate::index::limits::Limits;
use crate::model::Model;
use crate::prolongation::Prolonged;

/// The other jets, and why the Jacobian counts as singular there; `None` if the start values hardly moved, the array is
/// large, or there are no such jets. `vanishes` names a condition of the prolongation that fails at given jets.
pub(crate) fn singular_jets(
    model: &mut Model,
    prolonged: &Prolonged,
    jets: &[f64],
    bound: u32,
    t0: f64,
    vanishes: impl FnOnce(&mut Model, &[f64]) -> Option<String>,
    limits: &Limits,
) -> Option<(Vec<f64>, String)> {
    let parameters = default_parameters(model);
    let start = ArrayPoint::of_start_values(model, &parameters, t0);
    let found = change(model, prolonged, &start, jets);
    if found <= limits.local.moved || model.equations.len() * (bound as usize + 1) > limits.local.branch_rows {
        return None;
    }
    let array = DerivativeArray::of(model, bound, &limits.array)?;
    let point = consistent_point(model, &parameters, &array, &start, Consistent::Model).ok()?;
    let offsets = prolonged.offsets.unknowns.iter().enumerate();
    let known = offsets.flat_map(|(j, &d)| (0..=d as usize).map(move |k| (j, k)));
    let other: Option<Vec<f64>> =
        known.map(|(j, k)| (k < point.taylor[j].len()).then(|| point.derivative(j, k))).collect();
    let other = other.filter(|other| change(model, prolonged, &start, other) <= limits.local.as_near * found)?;
    let reason =
        vanishes(model, &other).or_else(|| match proof::examine(model, prolonged, &other, t0, &limits.local) {
            Evidence::Doubtful => Some("it cannot be told from a singular matrix there".into()),
            Evidence::Proven(_) | Evidence::Regular(_) => None,
        })?;
    Some((other, reason))
}

/// The largest relative change of a start value.
fn change(model: &Model, prolonged: &Prolonged, start: &ArrayPoint, jets: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for (j, unknown) in model.unknowns.iter().enumerate() {
        for k in (0..start.taylor[j].len()).filter(|&k| unknown.start_value(k as u32).is_some()) {
            if let Some(place) = prolonged.jet(j, k as u32) {
                let given = start.derivative(j, k);
                largest = largest.max((jets[place] - given).abs() / given.abs().max(unknown.nominal));
            }
        }
    }
    largest
}
