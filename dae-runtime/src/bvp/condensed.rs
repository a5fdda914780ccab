//! The system for the ends of intervals and the shared quantities.
//!
//! In: for each interval a relation of its ends ([`Relations`]), from collocation or from integrations. Out: changes of the
//! values at all ends, of the shared quantities, and of the jets at the points where conditions hold.
//!
//! The relations of each segment between two points are eliminated ([`super::elimination`]); what remains are the values
//! at the points, the shared quantities, the conditions, and the constraints on differential unknowns at the start.

use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::add;
use crate::linalg::vectors::Vectors;

use super::conditions::{ConditionDerivatives, ConditionResiduals};
use super::elimination::{Elimination, Relations, factorize_scaled};
use super::iterate::Iterate;
use super::linearized::Linearized;
use super::mesh::Mesh;
use super::obstacle::Deficiency;
use super::problem::Problem;

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
pub(super) struct CondensedSolution {
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
        residuals: &ConditionResiduals,
    ) -> Result<Condensed, Deficiency> {
        let segments: Vec<Elimination> =
            mesh.stops.windows(2).map(|ends| Elimination::new(relations, ends[0]..ends[1])).collect();
        let conditions = ConditionDerivatives::new(problem, mesh, iterate).ok_or(Deficiency::Conditions)?;
        let stops = &residuals.stops;
        let matrix = assembled(problem, relations, &segments, &conditions, stops).ok_or(Deficiency::Conditions)?;
        if matrix.as_slice().iter().any(|entry| !entry.is_finite()) {
            return Err(Deficiency::NotFinite(mesh.t[0]));
        }
        let (factors, scales) = factorize_scaled(matrix).ok_or(Deficiency::Conditions)?;
        Ok(Condensed {
            segments,
            by_jets: conditions.by_jets,
            factors,
            scales,
            by_state: stops.iter().map(|stop| stop.by_state.clone()).collect(),
            by_shared: stops.iter().map(|stop| stop.by_shared.clone()).collect(),
        })
    }

    /// Solves for given remainders of the relations; `None` where there is no finite solution.
    pub(super) fn solve(
        &self,
        mesh: &Mesh,
        mut remainders: Vectors,
        residuals: &ConditionResiduals,
    ) -> Option<CondensedSolution> {
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
        Some(CondensedSolution { y, shared: shared.to_vec(), jets })
    }
}

/// The matrix of the system. Its columns belong to the values at all stops, and to the shared quantities; its rows to the
/// relations of the segments, the conditions, the constraints at the start, and the quantities that keep their values.
/// `None` if it is not square.
fn assembled(
    problem: &Problem<'_>,
    relations: &Relations,
    segments: &[Elimination],
    conditions: &ConditionDerivatives,
    stops: &[Linearized],
) -> Option<Matrix> {
    let (m, thetas, start) = (relations.m, relations.shared, stops.first()?);
    let shared = stops.len() * m;
    let of_conditions = segments.len() * m;
    let of_constraints = of_conditions + conditions.by_shared.rows();
    let of_pinned = of_constraints + start.normal.rows();
    let order = shared + thetas;
    if of_pinned + problem.shared.pinned != order {
        return None;
    }
    let mut matrix = Matrix::zeros(order, order);
    for (k, segment) in segments.iter().enumerate() {
        for i in 0..m {
            (0..2 * m).for_each(|j| matrix[(k * m + i, k * m + j)] = segment.relation[(i, j)]);
            (0..thetas).for_each(|j| matrix[(k * m + i, shared + j)] = segment.relation[(i, 2 * m + j)]);
        }
    }
    for (k, (by_jets, stop)) in conditions.by_jets.iter().zip(stops).enumerate() {
        let (by_state, by_shared) = (by_jets.times(&stop.by_state), by_jets.times(&stop.by_shared));
        for i in 0..by_jets.rows() {
            (0..m).for_each(|j| matrix[(of_conditions + i, k * m + j)] += by_state[(i, j)]);
            (0..thetas).for_each(|j| matrix[(of_conditions + i, shared + j)] += by_shared[(i, j)]);
        }
    }
    for i in 0..conditions.by_shared.rows() {
        (0..thetas).for_each(|j| matrix[(of_conditions + i, shared + j)] += conditions.by_shared[(i, j)]);
    }
    for i in 0..start.normal.rows() {
        (0..m).for_each(|j| matrix[(of_constraints + i, j)] = start.normal[(i, j)]);
        (0..thetas).for_each(|j| matrix[(of_constraints + i, shared + j)] = -start.normal_shared[(i, j)]);
    }
    for (row, column) in problem.shared.pinned_columns().enumerate() {
        matrix[(of_pinned + row, shared + column)] = 1.0;
    }
    Some(matrix)
}
