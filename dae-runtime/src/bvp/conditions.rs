//! The equations at the times at which there are conditions.
//!
//! In: a problem, a mesh, an iterate. Out: the residuals of the conditions and their derivatives, and the linearised
//! equations of the model at the times of the conditions.

use crate::linalg::matrix::Matrix;

use super::iterate::Iterate;
use super::linearized::Linearized;
use super::mesh::Mesh;
use super::obstacle::Deficiency;
use super::problem::Problem;

/// The residuals of all equations outside the intervals.
pub(super) struct ConditionResiduals {
    /// Of the conditions.
    pub(super) conditions: Vec<f64>,
    /// Of the quantities that keep their values.
    pub(super) pinned: Vec<f64>,
    /// The linearised equations of the model at each stop.
    pub(super) stops: Vec<Linearized>,
}

impl ConditionResiduals {
    pub(super) fn new(problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Self, Deficiency> {
        let stop = |(&place, jets): (&usize, &[f64])| {
            let at = [mesh.t[place], mesh.moves(place)];
            let y = &iterate.y[place];
            Linearized::new(&*problem.dae, &problem.layout, &problem.shared, at, y, jets)
        };
        let stops =
            mesh.stops.iter().zip(iterate.jets.iter()).map(stop).collect::<Result<Vec<Linearized>, Deficiency>>()?;
        let boundary = problem.boundary().ok_or(Deficiency::Conditions)?;
        let mut conditions = vec![0.0; boundary.boundary_description().conditions.len()];
        boundary.boundary_residual(&mesh.point_times(), &iterate.jets_at_points(mesh), &mut conditions);
        match conditions.iter().all(|value| value.is_finite()) {
            true => Ok(ConditionResiduals { conditions, pinned: vec![0.0; problem.shared.pinned], stops }),
            false => Err(Deficiency::NotFinite(mesh.t[mesh.intervals()])),
        }
    }

    /// Requests a unit change of one of the quantities that otherwise keep their values.
    pub(super) fn request_change_of(&mut self, pinned: usize) {
        self.pinned[pinned] = -1.0;
    }

    /// Sets the residuals of the conditions, and of the constraints at the start, to multiples of the sizes of their terms.
    pub(super) fn set_to_multiples(
        &mut self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        mut multiple: impl FnMut() -> f64,
    ) {
        let Some(boundary) = problem.boundary() else { return };
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
    pub(super) fn set_to_zero(&mut self) {
        self.conditions.fill(0.0);
        self.pinned.fill(0.0);
        for stop in &mut self.stops {
            stop.step.fill(0.0);
            stop.normal_residual.fill(0.0);
        }
    }
}

/// The derivatives of the conditions.
pub(super) struct ConditionDerivatives {
    /// With respect to the jets at each stop.
    pub(super) by_jets: Vec<Matrix>,
    /// With respect to the shared quantities, with the jets held.
    pub(super) by_shared: Matrix,
}

impl ConditionDerivatives {
    /// `None` if there are no conditions.
    pub(super) fn new(problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Option<ConditionDerivatives> {
        let (boundary, shared) = (problem.boundary()?, &problem.shared);
        let b = boundary.boundary_description();
        let (times, jets) = (mesh.point_times(), iterate.jets_at_points(mesh));
        let rows = b.conditions.len();
        let mut values = vec![0.0; b.jacobian.len()];
        boundary.boundary_jacobian(&times, &jets, &mut values);
        // Several points can be the same stop.
        let per_point = jets.len() / mesh.points.len();
        let mut by_jets = vec![Matrix::zeros(rows, per_point); mesh.stops.len()];
        for (row, jet, place) in b.jacobian.entries() {
            by_jets[mesh.points[jet / per_point]][(row, jet % per_point)] += values[place];
        }
        let mut by_shared = Matrix::zeros(rows, shared.count());
        let mut by_parameters = vec![0.0; b.jacobian_p.len()];
        boundary.boundary_jacobian_p(&times, &jets, &mut by_parameters);
        for (row, parameter, place) in b.jacobian_p.entries() {
            if let Some(column) = shared.column(parameter) {
                by_shared[(row, column)] += by_parameters[place];
            }
        }
        if let Some(column) = shared.end() {
            let mut by_times = vec![0.0; b.jacobian_t.len()];
            boundary.boundary_jacobian_t(&times, &jets, &mut by_times);
            for (row, point, place) in b.jacobian_t.entries() {
                by_shared[(row, column)] += by_times[place] * mesh.moves(mesh.stops[mesh.points[point]]);
            }
        }
        Some(ConditionDerivatives { by_jets, by_shared })
    }
}
