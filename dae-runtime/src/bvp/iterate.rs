//! The unknowns of a discretised problem.
//!
//! In: nothing. Out: the type [`Iterate`] of their values, and of corrections of these.

use crate::linalg::matrix::Matrix;
use crate::linalg::vector::add;
use crate::linalg::vectors::Vectors;

use super::mesh::Mesh;

/// Values of all unknowns of a discretised problem.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    /// Shared quantities.
    pub(super) shared: Vec<f64>,
    /// Differential unknowns at the ends of intervals.
    pub(super) y: Vectors,
    /// Algebraic unknowns of index 1 there, and after them what the projection onto constraints has added in the direction
    /// of each unknown of index 2.
    pub(super) ends: Vectors,
    /// For each interval, node by node: derivatives of the differential unknowns, algebraic unknowns.
    pub(super) nodes: Vectors,
    /// Jets at the stops.
    pub(super) jets: Vectors,
    /// For the right end of each interval, the directions in which it is projected onto constraints; empty without
    /// projection. They are kept while Newton's method iterates.
    pub(super) directions: Vec<Matrix>,
}

impl Iterate {
    /// An iterate of a method without nodes in the intervals.
    pub(super) fn without_nodes(shared: Vec<f64>, y: Vectors, jets: Vectors) -> Iterate {
        let count = y.len();
        Iterate {
            shared,
            y,
            ends: Vectors::zeros(count, 0),
            nodes: Vectors::zeros(count - 1, 0),
            jets,
            directions: Vec::new(),
        }
    }

    /// The jets at all points of the conditions, in the order of their description.
    pub(super) fn jets_at_points(&self, mesh: &Mesh) -> Vec<f64> {
        mesh.points.iter().flat_map(|&stop| self.jets[stop].iter().copied()).collect()
    }

    /// Adds a multiple of a change.
    pub(super) fn add(&mut self, factor: f64, change: &Iterate) {
        add(factor, &change.shared, &mut self.shared);
        add(factor, change.y.entries(), self.y.entries_mut());
        add(factor, change.ends.entries(), self.ends.entries_mut());
        add(factor, change.nodes.entries(), self.nodes.entries_mut());
        add(factor, change.jets.entries(), self.jets.entries_mut());
    }
}
