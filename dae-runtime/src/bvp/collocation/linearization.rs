//! The derivatives of the equations of an interval.
//!
//! In: a problem, a mesh, an iterate. Out: the matrix of what belongs to the nodes of an interval, and how the ends of the
//! interval are related once that is eliminated.

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::obstacle::Deficiency;
use crate::contract::Dae;
use crate::linalg::vector::add;

use super::polynomials::{Collocation, Stage};

/// The linearisation at a node: values of derivatives, and for each of them the row and what it is by.
pub(super) struct Linearization {
    stage: Stage,
    by_y: Vec<f64>,
    by_yp: Vec<f64>,
    by_p: Vec<f64>,
    by_t: Vec<f64>,
    /// Rows, places among what belongs to a node, places of values.
    of_y: Vec<[usize; 3]>,
    of_yp: Vec<[usize; 3]>,
    /// Rows, columns of free parameters, places of values.
    of_p: Vec<[usize; 3]>,
}

impl Linearization {
    /// Storage for the derivatives.
    pub(super) fn new(collocation: &Collocation<'_, '_>) -> Linearization {
        let (problem, description) = (collocation.problem, collocation.problem.description());
        let (layout, n) = (&problem.layout, description.unknowns.len());
        let mut places = vec![0; n];
        let unknowns = layout.differential.iter().chain(&layout.algebraic);
        unknowns.enumerate().for_each(|(place, &unknown)| places[unknown] = place);
        let by_unknown = |(row, unknown, value): (usize, usize, usize)| [row, places[unknown], value];
        let by_parameter = |(row, parameter, value)| Some([row, problem.shared.column(parameter)?, value]);
        Linearization {
            stage: collocation.stage(),
            by_y: vec![0.0; description.jacobian_y.len()],
            by_yp: vec![0.0; description.jacobian_yp.len()],
            by_p: vec![0.0; description.jacobian_p.len()],
            by_t: vec![0.0; n],
            of_y: description.jacobian_y.entries().map(by_unknown).collect(),
            of_yp: description.jacobian_yp.entries().map(by_unknown).collect(),
            of_p: description.jacobian_p.entries().filter_map(by_parameter).collect(),
        }
    }

    /// Evaluates the derivatives with respect to the unknowns at the stage.
    fn evaluate(&mut self, dae: &dyn Dae) -> Result<(), Deficiency> {
        let Linearization { stage, by_y, by_yp, .. } = self;
        dae.jacobian_y(stage.t, &stage.y, &stage.yp, by_y);
        dae.jacobian_yp(stage.t, &stage.y, &stage.yp, by_yp);
        match by_y.iter().chain(&*by_yp).all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(Deficiency::NotFinite(stage.t)),
        }
    }
}

impl Collocation<'_, '_> {
    /// The derivatives of the equations of an interval, column by column: with respect to what belongs to its nodes, and
    /// with the opposite sign with respect to $y_i$ and the shared quantities. There were zeros before.
    pub(super) fn linearize(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
        at_node: &mut Linearization,
        columns: &mut [f64],
    ) -> Result<(), Deficiency> {
        let [m, na, _] = self.sizes();
        let (n, s, shared, dae) = (m + na, self.scheme.stages(), &self.problem.shared, self.dae());
        let (h, stretch) = (mesh.t[i + 1] - mesh.t[i], mesh.moves(i + 1) - mesh.moves(i));
        let (by_nodes, others) = columns.split_at_mut(s * n * s * n);
        let (by_state, by_shared) = others.split_at_mut(s * n * m);
        let at = |row: usize, column: usize| column * s * n + row;
        for (j, integrals) in self.scheme.a.iter().enumerate() {
            self.set_stage(mesh, iterate, i, j, &mut at_node.stage);
            at_node.evaluate(dae)?;
            for &[row, place, value] in &at_node.of_y {
                let (row, value) = (j * n + row, at_node.by_y[value]);
                if place >= m {
                    by_nodes[at(row, j * n + place)] += value;
                    continue;
                }
                by_state[at(row, place)] -= value;
                for (l, integral) in integrals.iter().enumerate() {
                    by_nodes[at(row, l * n + place)] += h * integral * value;
                }
                if let (Some(end), true) = (shared.end(), stretch != 0.0) {
                    let slopes = iterate.nodes[i].iter().skip(place).step_by(n);
                    let sum: f64 = integrals.iter().zip(slopes).map(|(integral, slope)| integral * slope).sum();
                    by_shared[at(row, end)] -= value * stretch * sum;
                }
            }
            for &[row, place, value] in &at_node.of_yp {
                by_nodes[at(j * n + row, j * n + place)] += at_node.by_yp[value];
            }
            let Linearization { stage, by_p, by_t, of_p, .. } = &mut *at_node;
            if !of_p.is_empty() {
                dae.jacobian_p(stage.t, &stage.y, &stage.yp, by_p);
            }
            for &[row, column, value] in &*of_p {
                by_shared[at(j * n + row, column)] -= by_p[value];
            }
            if let Some(end) = shared.end() {
                let moves = mesh.moves(i) + self.scheme.c[j] * stretch;
                if moves != 0.0 {
                    dae.jacobian_t(stage.t, &stage.y, &stage.yp, by_t);
                    add(-moves, by_t, &mut by_shared[at(j * n, end)..][..n]);
                }
            }
        }
        Ok(())
    }

    /// The relation of the ends of an interval, from how what belongs to its nodes responds.
    pub(super) fn relate(&self, mesh: &Mesh, iterate: &Iterate, i: usize, response: &[f64], relation: &mut [f64]) {
        let [m, na, _] = self.sizes();
        let (n, b) = (m + na, &self.scheme.b);
        let h = mesh.t[i + 1] - mesh.t[i];
        let columns = relation.chunks_exact_mut(m.max(1)).zip(response.chunks_exact(b.len() * n));
        for (j, (column, response)) in columns.enumerate() {
            if j < m {
                column[j] = 1.0;
            }
            response.chunks_exact(n).zip(b).for_each(|(node, b)| add(h * b, &node[..m], column));
        }
        if let Some(end) = self.problem.shared.end() {
            let stretch = mesh.moves(i + 1) - mesh.moves(i);
            let column = &mut relation[(m + end) * m..][..m];
            iterate.nodes[i].chunks_exact(n).zip(b).for_each(|(node, b)| add(stretch * b, &node[..m], column));
        }
    }
}
