//! The system for the ends of intervals and the shared quantities.
//!
//! In: for each interval a relation of its ends ([`Relations`]), from collocation or from integrations. Out: changes of the
//! values at all ends, of the shared quantities, and of the jets at the points where conditions hold.
//!
//! The relations of each segment between two points are eliminated ([`super::elimination`]); what remains are the values
//! at the points, the shared quantities, the conditions, and the constraints on differential unknowns at the start.

use crate::contract::Pattern;
use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::add;
use crate::linalg::vectors::Vectors;

use super::elimination::{Elimination, Relations, factorize_scaled};
use super::mesh::Mesh;
use super::point::{self, Linearized};
use super::problem::Problem;

/// Values of everything that is solved for.
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
    /// The jets at all points of the conditions, in the order of their description.
    fn jets_at_points(&self, mesh: &Mesh) -> Vec<f64> {
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

/// Why there is no linearisation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deficiency {
    /// A function is not finite at this time.
    NotFinite(f64),
    /// The equations of the interval that begins at this time are singular.
    Interval(f64),
    /// The equations of the model are singular at this time.
    Point(f64),
    /// The conditions do not determine the solution.
    Conditions,
}

/// The residuals of conditions, and linearisations at the stops.
pub(super) struct OuterResiduals {
    conditions: Vec<f64>,
    /// Of the quantities that keep their values.
    pinned: Vec<f64>,
    stops: Vec<Linearized>,
}

impl OuterResiduals {
    pub(super) fn new(problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Self, Deficiency> {
        let stop = |(&place, jets): (&usize, &[f64])| {
            let at = [mesh.t[place], mesh.moves(place)];
            let y = &iterate.y[place];
            let found = Linearized::new(&*problem.dae, &problem.layout, &problem.shared, at, y, jets);
            found.map_err(|obstacle| match obstacle {
                point::Obstacle::NotFinite => Deficiency::NotFinite(at[0]),
                point::Obstacle::Singular => Deficiency::Point(at[0]),
            })
        };
        let stops =
            mesh.stops.iter().zip(iterate.jets.iter()).map(stop).collect::<Result<Vec<Linearized>, Deficiency>>()?;
        let boundary = problem.boundary();
        let mut conditions = vec![0.0; boundary.boundary_description().conditions.len()];
        boundary.boundary_residual(&mesh.point_times(), &iterate.jets_at_points(mesh), &mut conditions);
        match conditions.iter().all(|value| value.is_finite()) {
            true => Ok(OuterResiduals { conditions, pinned: vec![0.0; problem.shared.pinned], stops }),
            false => Err(Deficiency::NotFinite(mesh.t[mesh.intervals()])),
        }
    }

    /// Asks for a unit change of one of the quantities that keep their values.
    pub(super) fn ask_for(&mut self, pinned: usize) {
        self.pinned[pinned] = -1.0;
    }

    /// Sets the residuals of conditions, and of constraints on the start, to multiples of the sizes of their terms.
    pub(super) fn round(
        &mut self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        mut multiple: impl FnMut() -> f64,
    ) {
        let boundary = problem.boundary();
        let pattern = &boundary.boundary_description().jacobian;
        let jets = iterate.jets_at_points(mesh);
        let mut values = vec![0.0; pattern.len()];
        boundary.boundary_jacobian(&mesh.point_times(), &jets, &mut values);
        self.conditions.fill(0.0);
        for (row, jet, place) in pattern.entries() {
            self.conditions[row] += (values[place] * jets[jet]).abs();
        }
        self.conditions.iter_mut().for_each(|value| *value *= multiple());
        let Linearized { normal, normal_residual, .. } = &mut self.stops[0];
        for (i, residual) in normal_residual.iter_mut().enumerate() {
            let terms = normal.row(i).zip(&iterate.y[mesh.stops[0]]).map(|(entry, y)| (entry * y).abs());
            *residual = multiple() * terms.sum::<f64>();
        }
    }

    /// Sets all residuals to zero.
    pub(super) fn vanish(&mut self) {
        self.conditions.fill(0.0);
        self.pinned.fill(0.0);
        for stop in &mut self.stops {
            stop.step.fill(0.0);
            stop.normal_residual.fill(0.0);
        }
    }
}

/// The factorised system.
pub(super) struct Condensed {
    segments: Vec<Elimination>,
    /// Derivatives of the conditions with respect to the jets at each stop.
    by_jets: Vec<Matrix>,
    factors: Factors,
    scales: Vec<f64>,
    /// How jets at the stops change.
    by_state: Vec<Matrix>,
    by_shared: Vec<Matrix>,
}

/// Its solution.
pub(super) struct Outer {
    pub(super) y: Vectors,
    pub(super) shared: Vec<f64>,
    pub(super) jets: Vectors,
}

impl Condensed {
    pub(super) fn new(
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        relations: &Relations,
        residuals: &OuterResiduals,
    ) -> Result<Condensed, Deficiency> {
        let (m, thetas) = (relations.m, relations.shared);
        let segments: Vec<Elimination> =
            mesh.stops.windows(2).map(|ends| Elimination::new(relations, ends[0]..ends[1])).collect();
        let boundary = problem.boundary();
        let b = boundary.boundary_description();
        let (rows, count) = (b.conditions.len(), mesh.stops.len());
        let (times, jets) = (mesh.point_times(), iterate.jets_at_points(mesh));
        let mut values = vec![0.0; b.jacobian.len()];
        boundary.boundary_jacobian(&times, &jets, &mut values);
        let all = dense(&b.jacobian, &values, rows, jets.len());
        let per_point = jets.len() / mesh.points.len();
        let part = |stop: usize| {
            let mut sum = Matrix::zeros(rows, per_point);
            for (point, _) in mesh.points.iter().enumerate().filter(|(_, it)| **it == stop) {
                for j in 0..per_point {
                    (0..rows).for_each(|i| sum[(i, j)] += all[(i, point * per_point + j)]);
                }
            }
            sum
        };
        let start = &residuals.stops[0];
        let normals = start.normal.rows();
        let order = count * m + thetas;
        if (count - 1) * m + rows + normals + problem.shared.pinned != order {
            return Err(Deficiency::Conditions);
        }
        let mut matrix = Matrix::zeros(order, order);
        for (k, segment) in segments.iter().enumerate() {
            for i in 0..m {
                (0..2 * m).for_each(|j| matrix[(k * m + i, k * m + j)] = segment.relation[(i, j)]);
                (0..thetas).for_each(|j| matrix[(k * m + i, count * m + j)] = segment.relation[(i, 2 * m + j)]);
            }
        }
        let (conditions, constraints) = ((count - 1) * m, (count - 1) * m + rows);
        let mut by_jets = Vec::with_capacity(count);
        for (k, stop) in residuals.stops.iter().enumerate() {
            let part = part(k);
            let product = part.times(&stop.by_state);
            let shared = part.times(&stop.by_shared);
            for i in 0..rows {
                (0..m).for_each(|j| matrix[(conditions + i, k * m + j)] += product[(i, j)]);
                (0..thetas).for_each(|j| matrix[(conditions + i, count * m + j)] += shared[(i, j)]);
            }
            by_jets.push(part);
        }
        let mut by_parameters = vec![0.0; b.jacobian_p.len()];
        boundary.boundary_jacobian_p(&times, &jets, &mut by_parameters);
        for (row, parameter, place) in b.jacobian_p.entries() {
            if let Some(column) = problem.shared.column(parameter) {
                matrix[(conditions + row, count * m + column)] += by_parameters[place];
            }
        }
        if let Some(column) = problem.shared.end() {
            let mut by_times = vec![0.0; b.jacobian_t.len()];
            boundary.boundary_jacobian_t(&times, &jets, &mut by_times);
            for (row, point, place) in b.jacobian_t.entries() {
                matrix[(conditions + row, count * m + column)] +=
                    by_times[place] * mesh.moves(mesh.stops[mesh.points[point]]);
            }
        }
        for i in 0..normals {
            (0..m).for_each(|j| matrix[(constraints + i, j)] = start.normal[(i, j)]);
            (0..thetas).for_each(|j| matrix[(constraints + i, count * m + j)] = -start.normal_shared[(i, j)]);
        }
        for (row, column) in problem.shared.pinned_columns().enumerate() {
            matrix[(constraints + normals + row, count * m + column)] = 1.0;
        }
        if matrix.as_slice().iter().any(|entry| !entry.is_finite()) {
            return Err(Deficiency::NotFinite(mesh.t[0]));
        }
        let (factors, scales) = factorize_scaled(matrix).ok_or(Deficiency::Conditions)?;
        Ok(Condensed {
            segments,
            by_jets,
            factors,
            scales,
            by_state: residuals.stops.iter().map(|stop| stop.by_state.clone()).collect(),
            by_shared: residuals.stops.iter().map(|stop| stop.by_shared.clone()).collect(),
        })
    }

    /// Solves for given remainders of the relations; `None` where there is no finite solution.
    pub(super) fn solve(&self, mesh: &Mesh, mut remainders: Vectors, residuals: &OuterResiduals) -> Option<Outer> {
        let (count, m) = (mesh.stops.len(), self.by_state[0].columns());
        let mut right = vec![0.0; self.scales.len()];
        let segments = || self.segments.iter().zip(mesh.stops.windows(2)).enumerate();
        for (k, (segment, ends)) in segments() {
            let remainders = &mut remainders.entries_mut()[ends[0] * m..ends[1] * m];
            segment.reduce(remainders);
            right[k * m..(k + 1) * m].copy_from_slice(&remainders[remainders.len() - m..]);
        }
        let rows = residuals.conditions.len();
        let (conditions, others) = right[(count - 1) * m..].split_at_mut(rows);
        conditions.iter_mut().zip(&residuals.conditions).for_each(|(value, residual)| *value = -residual);
        for (part, stop) in self.by_jets.iter().zip(&residuals.stops) {
            for (c, step) in stop.step.iter().enumerate() {
                add(-step, part.column(c), conditions);
            }
        }
        let normal = &residuals.stops[0].normal_residual;
        let (constraints, pinned) = others.split_at_mut(normal.len());
        constraints.copy_from_slice(normal);
        pinned.iter_mut().zip(&residuals.pinned).for_each(|(value, residual)| *value = -residual);
        right.iter_mut().zip(&self.scales).for_each(|(value, scale)| *value /= scale);
        self.factors.solve(&mut right);
        if right.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (at_stops, shared) = right.split_at(count * m);
        let mut y = Vectors::zeros(mesh.t.len(), m);
        for (k, &place) in mesh.stops.iter().enumerate() {
            y[place].copy_from_slice(&at_stops[k * m..(k + 1) * m]);
        }
        for (_, (segment, ends)) in segments() {
            let vectors = &mut y.entries_mut()[ends[0] * m..(ends[1] + 1) * m];
            if !segment.solve(&remainders.entries()[ends[0] * m..ends[1] * m], shared, vectors) {
                return None;
            }
        }
        let mut jets = Vectors::zeros(count, residuals.stops[0].step.len());
        for (k, stop) in residuals.stops.iter().enumerate() {
            let change = &mut jets[k];
            change.copy_from_slice(&stop.step);
            for (j, value) in y[mesh.stops[k]].iter().enumerate() {
                add(*value, self.by_state[k].column(j), change);
            }
            for (j, value) in shared.iter().enumerate() {
                add(*value, self.by_shared[k].column(j), change);
            }
        }
        Some(Outer { y, shared: shared.to_vec(), jets })
    }
}

pub(super) fn dense(pattern: &Pattern, values: &[f64], rows: usize, columns: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows, columns);
    for (row, column, place) in pattern.entries() {
        matrix[(row, column)] += values[place];
    }
    matrix
}
