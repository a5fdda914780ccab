//! Sizes of corrections.
//!
//! In: an iterate, a correction, tolerances. Out: the mean and the largest size of corrections near the iterate, in units of
//! the errors allowed.

use crate::linalg::vector::larger;

use super::iterate::Iterate;
use super::mesh::Mesh;
use super::problem::Problem;
use super::tolerances::Tolerances;

/// Sizes of corrections.
pub(super) struct Norm {
    /// Inverses of the units of differential, algebraic and shared unknowns.
    weights: [Vec<f64>; 3],
    lengths: Vec<f64>,
    /// How many algebraic unknowns have index 1.
    of_index_1: usize,
}

impl Norm {
    pub(super) fn new(
        problem: &Problem<'_>,
        mesh: &Mesh,
        allowed: &Tolerances,
        iterate: &Iterate,
        change: &Iterate,
    ) -> Norm {
        let layout = &problem.layout;
        let (m, na) = (layout.differential.len(), layout.algebraic.len());
        let mut sizes = vec![0.0_f64; m];
        for (y, change) in iterate.y.iter().zip(change.y.iter()) {
            for k in 0..m {
                sizes[k] = sizes[k].max(y[k].abs()).max((y[k] + change[k]).abs());
            }
        }
        let mut algebraic = vec![0.0_f64; na];
        for (nodes, change) in iterate.nodes.iter().zip(change.nodes.iter()) {
            for (node, change) in nodes.chunks_exact(m + na).zip(change.chunks_exact(m + na)) {
                for k in 0..na {
                    algebraic[k] = algebraic[k].max(node[m + k].abs()).max((node[m + k] + change[m + k]).abs());
                }
            }
        }
        let weight = |(place, size): (&usize, &f64)| 1.0 / allowed.of(*place, *size);
        let shared = iterate.shared.iter().zip(&change.shared);
        Norm {
            weights: [
                layout.differential.iter().zip(&sizes).map(weight).collect(),
                layout.algebraic.iter().zip(&algebraic).map(weight).collect(),
                shared
                    .map(|(value, change)| allowed.of_shared(value.abs().max((value + change).abs())).recip())
                    .collect(),
            ],
            lengths: mesh.t.windows(2).map(|ends| (ends[1] - ends[0]).abs()).collect(),
            of_index_1: layout.of_index_1,
        }
    }

    /// Root mean square, for the damping.
    pub(super) fn mean(&self, change: &Iterate) -> f64 {
        let [y, z, shared] = &self.weights;
        let (m, na) = (y.len(), z.len());
        let (mut sum, mut count) = (0.0, 0.0);
        let mut add = |value: f64| {
            sum += value * value;
            count += 1.0;
        };
        for values in change.y.iter() {
            values.iter().zip(y).for_each(|(value, weight)| add(value * weight));
        }
        for (nodes, h) in change.nodes.iter().zip(&self.lengths) {
            for node in nodes.chunks_exact(m + na) {
                node[..m].iter().zip(y).for_each(|(slope, weight)| add(h * slope * weight));
                for (k, (value, weight)) in node[m..].iter().zip(z).enumerate() {
                    // Unknowns of index 2 respond to changes of the others with their derivatives.
                    let scale = if k < self.of_index_1 { 1.0 } else { h.min(1.0) };
                    add(scale * value * weight);
                }
            }
        }
        // Shared quantities count as much as all others together.
        let mean = (sum / f64::max(count, 1.0)).sqrt();
        change.shared.iter().zip(shared).fold(mean, |size, (value, weight)| size.hypot(value * weight))
    }

    /// Largest correction of an unknown at an end of an interval, of an algebraic unknown of index 1 or a shared quantity.
    pub(super) fn largest(&self, change: &Iterate) -> f64 {
        let [y, z, shared] = &self.weights;
        let (m, na) = (y.len(), z.len());
        let mut largest = 0.0_f64;
        let mut see = |value: f64| largest = larger(largest, value.abs());
        for values in change.y.iter() {
            values.iter().zip(y).for_each(|(value, weight)| see(value * weight));
        }
        for nodes in change.nodes.iter() {
            for node in nodes.chunks_exact(m + na) {
                node[m..m + self.of_index_1].iter().zip(z).for_each(|(value, weight)| see(value * weight));
            }
        }
        change.shared.iter().zip(shared).for_each(|(value, weight)| see(value * weight));
        largest
    }
}
