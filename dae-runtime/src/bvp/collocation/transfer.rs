//! An iterate on another mesh.
//!
//! In: an iterate on a mesh. Out: the values of its polynomials on another mesh.

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::linalg::vectors::Vectors;

use super::polynomials::Collocation;

/// The iterate on another mesh.
pub(super) fn transfer(collocation: &Collocation<'_, '_>, from: &Mesh, iterate: &Iterate, to: &Mesh) -> Iterate {
    let layout = &collocation.problem.layout;
    let (m, na) = (layout.differential.len(), layout.algebraic.len());
    let direction = (from.t[from.intervals()] - from.t[0]).signum();
    let place = |t: f64| {
        let after = from.t.partition_point(|&it| (it - t) * direction <= 0.0);
        let i = after.clamp(1, from.intervals()) - 1;
        (i, ((t - from.t[i]) / (from.t[i + 1] - from.t[i])).clamp(0.0, 1.0))
    };
    let value = |t: f64| {
        let (i, theta) = place(t);
        match theta {
            0.0 => iterate.y[i].to_vec(),
            1.0 => iterate.y[i + 1].to_vec(),
            _ => collocation.value(from, iterate, i, theta),
        }
    };
    let mut ends = Vectors::zeros(to.t.len(), na);
    for (k, &t) in to.t.iter().enumerate() {
        let (i, theta) = place(t);
        let values = collocation.others(iterate, i, theta);
        ends[k][..layout.of_index_1].copy_from_slice(&values[m..m + layout.of_index_1]);
    }
    let nodes = to.t.windows(2).map(|ends| {
        let at = |c: &f64| {
            let (i, theta) = place(ends[0] + c * (ends[1] - ends[0]));
            collocation.others(iterate, i, theta)
        };
        collocation.scheme.c.iter().flat_map(at).collect::<Vec<f64>>()
    });
    Iterate {
        shared: iterate.shared.clone(),
        y: Vectors::of_length(m, to.t.iter().map(|&t| value(t))),
        ends,
        nodes: Vectors::of_length(collocation.scheme.stages() * (m + na), nodes),
        jets: iterate.jets.clone(),
        directions: Vec::new(),
    }
}
