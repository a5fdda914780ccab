//! Collocation polynomials on a mesh.
//!
//! In: a problem, a mesh, an iterate. Out: values of its polynomials anywhere, and the states at the nodes of intervals.
//!
//! On an interval $[t_i, t_i + h]$ the differential unknowns are polynomials with the derivatives $K_j$ at the nodes, and
//! the algebraic ones have values $Z_j$ there:
//!
//! $$ y(t_i + \theta h) = y_i + h \sum_l K_l \int_0^\theta L_l, \qquad z(t_i + \theta h) = \sum_l Z_l L_l(\theta) $$
//!
//! with the Lagrange polynomials $L_l$ of the nodes ([`crate::bvp::scheme`]). What they satisfy is in [`super::equations`].

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::problem::Problem;
use crate::bvp::scheme::Scheme;
use crate::bvp::tolerances::Tolerances;
use crate::contract::Dae;
use crate::linalg::vector::{add, larger};

/// Storage for evaluations.
pub(super) struct Stage {
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    pub(super) yp: Vec<f64>,
    differential: Vec<f64>,
}

/// A collocation method on a mesh.
pub(super) struct Collocation<'p, 'd> {
    pub(super) problem: &'p Problem<'d>,
    pub(super) scheme: &'static Scheme,
}

impl Collocation<'_, '_> {
    pub(super) fn dae(&self) -> &dyn Dae {
        &*self.problem.dae
    }

    /// Numbers of differential, algebraic, shared unknowns.
    pub(super) fn sizes(&self) -> [usize; 3] {
        let layout = &self.problem.layout;
        [layout.differential.len(), layout.algebraic.len(), self.problem.shared.count()]
    }

    /// The differential unknowns at `theta` in interval `i`, from its left end.
    pub(super) fn value(&self, mesh: &Mesh, iterate: &Iterate, i: usize, theta: f64) -> Vec<f64> {
        self.value_with(mesh, iterate, i, &self.scheme.integrals(theta))
    }

    /// [`Collocation::value`] with the integrals of the Lagrange polynomials there.
    pub(super) fn value_with(&self, mesh: &Mesh, iterate: &Iterate, i: usize, integrals: &[f64]) -> Vec<f64> {
        let mut y = iterate.y[i].to_vec();
        self.add_slopes(mesh, iterate, i, integrals, &mut y);
        y
    }

    /// Adds the change of the differential unknowns in interval `i` up to where the Lagrange polynomials have these
    /// integrals.
    pub(super) fn add_slopes(&self, mesh: &Mesh, iterate: &Iterate, i: usize, integrals: &[f64], y: &mut [f64]) {
        let [m, na, _] = self.sizes();
        let h = mesh.t[i + 1] - mesh.t[i];
        for (node, weight) in iterate.nodes[i].chunks_exact(m + na).zip(integrals) {
            add(h * weight, &node[..m], y);
        }
    }

    /// Derivatives of the differential unknowns, and algebraic unknowns, at `theta` in interval `i`.
    pub(super) fn others(&self, iterate: &Iterate, i: usize, theta: f64) -> Vec<f64> {
        self.others_with(iterate, i, &self.scheme.values(theta))
    }

    /// [`Collocation::others`] with the values of the Lagrange polynomials there.
    pub(super) fn others_with(&self, iterate: &Iterate, i: usize, values_of_polynomials: &[f64]) -> Vec<f64> {
        let [m, na, _] = self.sizes();
        let mut values = vec![0.0; m + na];
        for (node, weight) in iterate.nodes[i].chunks_exact(m + na).zip(values_of_polynomials) {
            add(*weight, node, &mut values);
        }
        values
    }

    /// Assembles the state and its derivative from differential unknowns and what belongs to a node.
    pub(super) fn assemble(&self, y: &[f64], node: &[f64], state: &mut [f64], slope: &mut [f64]) {
        let layout = &self.problem.layout;
        for (k, &place) in layout.differential.iter().enumerate() {
            (state[place], slope[place]) = (y[k], node[k]);
        }
        for (k, &place) in layout.algebraic.iter().enumerate() {
            state[place] = node[layout.differential.len() + k];
        }
    }

    /// The storage of a stage.
    pub(super) fn stage(&self) -> Stage {
        let [m, na, _] = self.sizes();
        Stage { t: 0.0, y: vec![0.0; m + na], yp: vec![0.0; m + na], differential: vec![0.0; m] }
    }

    /// Sets a stage to node `j` of interval `i`.
    pub(super) fn set_stage(&self, mesh: &Mesh, iterate: &Iterate, i: usize, j: usize, stage: &mut Stage) {
        let [m, na, _] = self.sizes();
        let h = mesh.t[i + 1] - mesh.t[i];
        stage.t = mesh.t[i] + self.scheme.c[j] * h;
        stage.differential.copy_from_slice(&iterate.y[i]);
        self.add_slopes(mesh, iterate, i, &self.scheme.a[j], &mut stage.differential);
        let node = &iterate.nodes[i][j * (m + na)..(j + 1) * (m + na)];
        self.assemble(&stage.differential, node, &mut stage.y, &mut stage.yp);
    }

    /// The state at the right end of an interval.
    pub(super) fn right_end(&self, mesh: &Mesh, iterate: &Iterate, i: usize) -> Stage {
        let [m, ..] = self.sizes();
        let mut node = self.others(iterate, i, 1.0);
        let layout = &self.problem.layout;
        node[m..m + layout.of_index_1].copy_from_slice(&iterate.ends[i + 1][..layout.of_index_1]);
        let mut stage = Stage { t: mesh.t[i + 1], ..self.stage() };
        self.assemble(&iterate.y[i + 1], &node, &mut stage.y, &mut stage.yp);
        stage
    }

    /// For each interval, the largest coefficient of the Legendre polynomial of highest degree, in units of the error
    /// allowed.
    pub(super) fn last_coefficients(&self, mesh: &Mesh, iterate: &Iterate, allowed: &Tolerances) -> Vec<f64> {
        let layout = &self.problem.layout;
        let [m, na, _] = self.sizes();
        let factors = self.scheme.last_coefficient();
        let of_interval = |(i, nodes): (usize, &[f64])| {
            let h = mesh.t[i + 1] - mesh.t[i];
            let coefficient = |k: usize| -> f64 {
                nodes.chunks_exact(m + na).zip(&factors).map(|(node, factor)| h * factor * node[k]).sum()
            };
            let in_units = |(k, &unknown): (usize, &usize)| {
                let size = iterate.y[i][k].abs().max(iterate.y[i + 1][k].abs());
                coefficient(k).abs() / allowed.of(unknown, size)
            };
            layout.differential.iter().enumerate().map(in_units).fold(f64::MIN_POSITIVE, larger)
        };
        iterate.nodes.iter().enumerate().map(of_interval).collect()
    }
}
