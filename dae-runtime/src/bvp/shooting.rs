//! Multiple shooting.
//!
//! In: a problem, a mesh, values of the differential unknowns at its points. Out: the gaps between the ends of
//! integrations over its intervals and these values, and Newton corrections.
//!
//! Each interval is integrated from consistent values next to the given ones ([`super::point`]) with the derivatives of
//! the end with respect to them and to free parameters: exact derivatives of the computed solution
//! ([`crate::sensitivity`]). The relations of the ends are the same as in collocation, and so is the system that is solved
//! for them ([`super::condensed`]): J. Stoer & R. Bulirsch, *Introduction to Numerical Analysis*, Sect. 7.3.5.

use std::cell::RefCell;

use crate::contract::class::Method;
use crate::initialize::JetPlaces;
use crate::initialize::quantity::Quantity;
use crate::integrator::stepper::{Options, Tolerance};
use crate::linalg::matrix::Matrix;
use crate::sensitivity::StartDerivative;
use crate::solution::Solution;
use crate::solve::{Integration, Record};

use super::condensed::{Condensed, Deficiency, Iterate, OuterResiduals};
use super::elimination::Relation;
use super::mesh::Mesh;
use super::newton::Discretization;
use super::point::{Linearized, consistent_jets};
use super::problem::Problem;

/// Multiple shooting with a method and tolerances.
#[derive(Clone, Debug)]
pub(super) struct Shooting {
    pub(super) method: Method,
    pub(super) rtol: f64,
    pub(super) atol: Vec<f64>,
    /// Jets at the starts of intervals, from which consistent ones are sought.
    pub(super) jets: RefCell<Vec<Vec<f64>>>,
}

/// The residuals of shooting.
pub(super) struct Gaps {
    /// The end of the integration over each interval, minus the value there.
    gaps: Vec<Vec<f64>>,
    outer: OuterResiduals,
}

/// Factors of the linearisation of shooting.
pub(super) struct ShootingFactors(Condensed);

/// A consistent start of an interval.
struct Start {
    y: Vec<f64>,
    yp: Vec<f64>,
    linearized: Linearized,
}

impl Shooting {
    fn integration<'p>(&self, problem: &'p Problem<'_>) -> Integration<'p, 'static> {
        let options =
            Options { rtol: self.rtol, atol: Tolerance::PerComponent(self.atol.clone()), ..Options::default() };
        Integration::new(&*problem.dae).method(self.method).options(options)
    }

    fn start(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Start, Deficiency> {
        let t = mesh.t[i];
        let mut jets = self.jets.borrow()[i].clone();
        let dae = &*problem.dae;
        let linearized = consistent_jets(dae, &problem.layout, &problem.shared, t, &iterate.y[i], &mut jets)
            .ok_or(Deficiency::Point(t))?;
        let n = problem.description().unknowns.len();
        let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
        dae.states_from_jets(t, &jets, &mut y, &mut yp);
        self.jets.borrow_mut()[i] = jets;
        Ok(Start { y, yp, linearized })
    }

    /// The solution over all intervals.
    pub(super) fn solution(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Option<Solution> {
        let mut whole: Option<Solution> = None;
        for i in 0..mesh.intervals() {
            let start = self.start(problem, mesh, iterate, i).ok()?;
            let integration = self.integration(problem).record(Record::Dense);
            let part = integration.run_from(mesh.t[i], &start.y, &start.yp, mesh.t[i + 1]).ok()?;
            match &mut whole {
                None => whole = Some(part),
                Some(whole) => whole.append(part),
            }
        }
        whole
    }
}

impl Discretization for Shooting {
    type Residuals = Gaps;
    type Factors = ShootingFactors;

    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Gaps, Deficiency> {
        let outer = OuterResiduals::new(problem, mesh, iterate)?;
        let gap = |i: usize| {
            let start = self.start(problem, mesh, iterate, i)?;
            let run = self.integration(problem).run_from(mesh.t[i], &start.y, &start.yp, mesh.t[i + 1]);
            let end = run.map_err(|_| Deficiency::Interval(mesh.t[i]))?.end_state;
            let differential = problem.layout.differential.iter();
            Ok(differential.zip(&iterate.y[i + 1]).map(|(&place, y)| end[place] - y).collect())
        };
        Ok(Gaps { gaps: (0..mesh.intervals()).map(gap).collect::<Result<_, Deficiency>>()?, outer })
    }

    fn factorize(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Gaps,
    ) -> Result<ShootingFactors, Deficiency> {
        let relations = (0..mesh.intervals()).map(|i| self.relation(problem, mesh, iterate, i));
        let relations = relations.collect::<Result<Vec<Relation>, Deficiency>>()?;
        Ok(ShootingFactors(Condensed::new(problem, mesh, iterate, relations.iter(), &residuals.outer)?))
    }

    fn correction(
        &self,
        _problem: &Problem<'_>,
        mesh: &Mesh,
        factors: &ShootingFactors,
        residuals: &Gaps,
    ) -> Option<Iterate> {
        let outer = factors.0.solve(mesh, &residuals.gaps, &residuals.outer)?;
        let count = mesh.t.len();
        Some(Iterate {
            shared: outer.shared,
            y: outer.y,
            jets: outer.jets,
            ends: vec![Vec::new(); count],
            nodes: vec![Vec::new(); count - 1],
            directions: Vec::new(),
        })
    }
}

impl Shooting {
    /// How the end of an interval changes with its start and the shared quantities.
    fn relation(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
    ) -> Result<Relation, Deficiency> {
        let (layout, shared) = (&problem.layout, &problem.shared);
        let (m, parameters, thetas) = (layout.differential.len(), shared.parameters.len(), shared.count());
        let start = self.start(problem, mesh, iterate, i)?;
        let places = JetPlaces::of(&*problem.dae);
        let derivative = |jets: &[f64]| {
            let at = |places: &[Option<usize>]| places.iter().map(|jet| jet.map_or(0.0, |jet| jets[jet])).collect();
            StartDerivative { value: at(&places.values), slope: at(&places.slopes), constants: at(&places.eliminated) }
        };
        let of_state = (0..m).map(|k| derivative(start.linearized.by_state.column(k)));
        let of_parameters = (0..parameters).map(|k| derivative(start.linearized.by_shared.column(k)));
        let derivatives: Vec<StartDerivative> = of_state.chain(of_parameters).collect();
        let free = shared.parameters.iter().map(|&k| Quantity::of_parameter(&*problem.dae, k));
        let quantities: Vec<Quantity> = (0..m).map(|_| Quantity::of_state()).chain(free).collect();
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
        let column = |quantity: usize| {
            let of_all = end.sensitivities.as_ref()?.column(last, quantity, width)?;
            Some(layout.differential.iter().map(|&place| of_all[place]).collect::<Vec<f64>>())
        };
        let mut relation = Relation { gamma: Matrix::zeros(m, m), delta: Matrix::zeros(m, thetas) };
        for quantity in 0..m + parameters {
            let values = column(quantity).ok_or_else(singular)?;
            for (row, value) in values.into_iter().enumerate() {
                match quantity.checked_sub(m) {
                    None => relation.gamma[(row, quantity)] = value,
                    Some(parameter) => relation.delta[(row, parameter)] = value,
                }
            }
        }
        if let Some(column) = shared.end() {
            // The end of the interval moves, and so does its start, along the solution.
            let moved: Vec<f64> = layout.differential.iter().map(|&place| -mesh.moves(i) * start.yp[place]).collect();
            for (row, &place) in layout.differential.iter().enumerate() {
                let before: f64 = moved.iter().enumerate().map(|(k, moved)| relation.gamma[(row, k)] * moved).sum();
                relation.delta[(row, column)] = mesh.moves(i + 1) * end.end_derivative[place] + before;
            }
        }
        match relation.gamma.as_slice().iter().chain(relation.delta.as_slice()).all(|entry| entry.is_finite()) {
            true => Ok(relation),
            false => Err(singular()),
        }
    }
}
