//! How far each jet moves for a unit of cost, where steps of least norm are taken.
//!
//! In: the array as a system of equations, jets, and a measure of cost. Out: the change of each column that costs one.
//! Derivatives without given values are cheap rather than free.

use dae_runtime::contract::Start;

use super::point::ArrayPoint;
use super::system::ArraySystem;

/// The cost of a change of a jet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    /// Relative to its size, or its nominal value if that is larger; derivatives without given values cost less by this
    /// factor.
    Relative(f64),
    /// In units of its nominal value; the Taylor coefficient of order $k$, if it has no given value, costs less by the
    /// $k$th power of this.
    Geometric(f64),
}

/// The costs that are tried, in this order.
pub(super) const COSTS: [Cost; 3] = [Cost::Relative(1e3), Cost::Geometric(10.0), Cost::Relative(30.0)];

/// The change of each column, in units of its nominal value, that costs one if changes are relative to the jets.
pub(super) fn relative_ease(system: &ArraySystem<'_>, point: &ArrayPoint) -> Vec<f64> {
    ease(system, point, COSTS[0])
}

/// The change of each column, in units of its nominal value, that costs one.
pub(super) fn ease(system: &ArraySystem<'_>, point: &ArrayPoint, cost: Cost) -> Vec<f64> {
    let mut ease = Vec::with_capacity(system.columns);
    for (j, series) in point.taylor.iter().enumerate() {
        for (k, x) in series.iter().enumerate() {
            let is_free = system.kind(j, k) == Start::Free;
            ease.push(match cost {
                Cost::Relative(less) => {
                    let size = (x.abs() / system.model.unknowns[j].nominal).max(1.0);
                    if is_free { less * size } else { size }
                }
                Cost::Geometric(less) if is_free => less.powi(k as i32),
                Cost::Geometric(_) => 1.0,
            });
        }
    }
    ease
}
