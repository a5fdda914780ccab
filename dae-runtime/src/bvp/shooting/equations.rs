//! The equations of multiple shooting, and their linearisation.
//!
//! In: a problem, a mesh, an iterate, integrations. Out: the gaps between the end of each integration and the start of the
//! next one, the residuals of the conditions, and Newton corrections.
//!
//! The end of an integration changes with its start and with the shared quantities by $(\Gamma, \Delta)$: exact
//! derivatives of the computed solution ([`crate::sensitivity`]). The system of these relations and the conditions is that
//! of collocation ([`crate::bvp::condensed`]).

use crate::bvp::condensed::Condensed;
use crate::bvp::conditions::ConditionResiduals;
use crate::bvp::elimination::Relations;
use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::newton::Discretization;
use crate::bvp::obstacle::Deficiency;
use crate::bvp::problem::Problem;
use crate::initialize::JetPlaces;
use crate::initialize::quantity::Quantity;
use crate::linalg::matrix::Matrix;
use crate::linalg::vectors::Vectors;
use crate::sensitivity::StartDerivative;

use super::integrations::{Integrations, Start};

/// The residuals of shooting.
pub(super) struct Residuals {
    /// The end of the integration over each interval, minus the value there.
    pub(super) gaps: Vectors,
    pub(super) conditions: ConditionResiduals,
}

impl Discretization for Integrations {
    type Residuals = Residuals;
    type Factors = Condensed;

    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Residuals, Deficiency> {
        let conditions = ConditionResiduals::new(problem, mesh, iterate)?;
        let differential = &problem.layout.differential;
        let mut gaps = Vectors::zeros(mesh.intervals(), differential.len());
        for i in 0..mesh.intervals() {
            let end = self.end_state(problem, mesh, iterate, i)?;
            for ((gap, &place), y) in gaps[i].iter_mut().zip(differential).zip(&iterate.y[i + 1]) {
                *gap = end[place] - y;
            }
        }
        Ok(Residuals { gaps, conditions })
    }

    fn factorize(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Residuals,
    ) -> Result<Condensed, Deficiency> {
        Condensed::new(problem, mesh, iterate, &self.relations(problem, mesh, iterate)?, &residuals.conditions)
    }

    fn correction(
        &self,
        _problem: &Problem<'_>,
        mesh: &Mesh,
        factors: &Condensed,
        residuals: &Residuals,
    ) -> Option<Iterate> {
        let solved = factors.solve(mesh, residuals.gaps.clone(), &residuals.conditions)?;
        Some(Iterate::without_nodes(solved.shared, solved.y, solved.jets))
    }
}

impl Integrations {
    /// How the ends of all intervals change with their starts and the shared quantities.
    pub(super) fn relations(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
    ) -> Result<Relations, Deficiency> {
        let (m, shared) = (problem.layout.differential.len(), problem.shared.count());
        let mut columns = Vectors::zeros(mesh.intervals(), m * (m + shared));
        for i in 0..mesh.intervals() {
            columns[i].copy_from_slice(self.relation(problem, mesh, iterate, i)?.as_slice());
        }
        Ok(Relations { m, shared, columns })
    }

    /// $(\Gamma, \Delta)$ of an interval, which is integrated in one part.
    fn relation(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Matrix, Deficiency> {
        let (differential, shared) = (&problem.layout.differential, &problem.shared);
        let (m, parameters) = (differential.len(), shared.parameters.len());
        let start = self.start(problem, mesh, iterate, i)?;
        let (quantities, derivatives) = derivatives_of(&start, problem);
        let singular = || Deficiency::Interval(mesh.t[i]);
        let run = self.integration(problem).run_from_with_derivatives(
            mesh.t[i],
            [&start.y, &start.yp],
            mesh.t[i + 1],
            quantities,
            derivatives,
        );
        let end = run.map_err(|_| singular())?;
        let (last, width) = (end.times.len() - 1, end.names.len());
        let sensitivities = end.sensitivities.as_ref().ok_or_else(singular)?;
        let mut relation = Matrix::zeros(m, m + shared.count());
        for quantity in 0..m + parameters {
            let of_all = sensitivities.column(last, quantity, width).ok_or_else(singular)?;
            for (row, &place) in differential.iter().enumerate() {
                relation[(row, quantity)] = of_all[place];
            }
        }
        if let Some(column) = shared.end() {
            // The end of the interval moves, and so does its start, along the solution.
            let moved: Vec<f64> = differential.iter().map(|&place| -mesh.moves(i) * start.yp[place]).collect();
            for (row, &place) in differential.iter().enumerate() {
                let before: f64 = moved.iter().enumerate().map(|(k, moved)| relation[(row, k)] * moved).sum();
                relation[(row, m + column)] = mesh.moves(i + 1) * end.end_derivative[place] + before;
            }
        }
        match relation.as_slice().iter().all(|entry| entry.is_finite()) {
            true => Ok(relation),
            false => Err(singular()),
        }
    }
}

/// What the end of an integration is differentiated with respect to, differential unknowns and then free parameters, and
/// the derivatives of the start.
fn derivatives_of(start: &Start, problem: &Problem<'_>) -> (Vec<Quantity>, Vec<StartDerivative>) {
    let (m, parameters) = (problem.layout.differential.len(), &problem.shared.parameters);
    let places = JetPlaces::of(&*problem.dae);
    let derivative = |jets: &[f64]| {
        let at = |places: &[Option<usize>]| places.iter().map(|jet| jet.map_or(0.0, |jet| jets[jet])).collect();
        StartDerivative { value: at(&places.values), slope: at(&places.slopes), constants: at(&places.eliminated) }
    };
    let of_state = (0..m).map(|k| derivative(start.linearized.by_state.column(k)));
    let of_parameters = (0..parameters.len()).map(|k| derivative(start.linearized.by_shared.column(k)));
    let free = parameters.iter().map(|&k| Quantity::of_parameter(&*problem.dae, k));
    ((0..m).map(|_| Quantity::of_state()).chain(free).collect(), of_state.chain(of_parameters).collect())
}
