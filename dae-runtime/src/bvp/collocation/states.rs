//! The states of the model that an iterate stands for.
//!
//! In: an iterate on a mesh. Out: states at any time, in which algebraic unknowns are consistent with the differential
//! ones, and a [`Solution`] of them.

use crate::bvp::iterate::Iterate;
use crate::bvp::linearized::Linearized;
use crate::bvp::mesh::Mesh;
use crate::bvp::point::consistent_jets;
use crate::bvp::record::Interpolation;
use crate::bvp::tolerances::Tolerances;
use crate::contract::Kind;
use crate::linalg::vector::larger;
use crate::solution::Solution;

use super::polynomials::Collocation;

/// Where interpolated algebraic unknowns are compared.
const BETWEEN: [f64; 3] = [0.07, 0.43, 0.93];
/// Degrees by which polynomials through consistent states exceed those of the method.
const MORE: usize = 2;

/// The state of the model at a time: consistent where that is possible, otherwise that of the iterate.
pub(super) struct States<'c, 'p, 'd> {
    collocation: &'c Collocation<'p, 'd>,
    mesh: &'c Mesh,
    iterate: &'c Iterate,
    /// Whether algebraic unknowns have to be found.
    has_algebraic: bool,
    jets: Vec<f64>,
}

impl<'c, 'p, 'd> States<'c, 'p, 'd> {
    pub(super) fn new(collocation: &'c Collocation<'p, 'd>, mesh: &'c Mesh, iterate: &'c Iterate) -> Self {
        let has_algebraic = !collocation.problem.layout.algebraic.is_empty();
        States { collocation, mesh, iterate, has_algebraic, jets: iterate.jets[0].to_vec() }
    }

    /// State and derivative at `theta` in interval `i`, from differential unknowns `y` there; the derivative only at the
    /// ends, if there are no algebraic unknowns.
    pub(super) fn at(&mut self, i: usize, theta: f64, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let problem = self.collocation.problem;
        let n = problem.description().unknowns.len();
        let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
        if !self.has_algebraic && theta > 0.0 && theta < 1.0 {
            // Derivatives inside are of no interest.
            self.collocation.assemble(y, &vec![0.0; y.len()], &mut state, &mut slope);
            return (state, slope);
        }
        let node = self.collocation.others(self.iterate, i, theta);
        self.collocation.assemble(y, &node, &mut state, &mut slope);
        if !self.has_algebraic {
            return (state, slope);
        }
        let t = self.mesh.t[i] + theta * (self.mesh.t[i + 1] - self.mesh.t[i]);
        if let Some((jets, _)) = self.jets_near(t, y, &state, &slope) {
            let (mut at, mut derivative) = (vec![0.0; n], vec![0.0; n]);
            problem.dae.states_from_jets(t, &jets, &mut at, &mut derivative);
            if at.iter().all(|value| value.is_finite()) {
                return (at, derivative);
            }
        }
        (state, slope)
    }

    /// Consistent jets near a state.
    pub(super) fn jets_near(
        &mut self,
        t: f64,
        y: &[f64],
        state: &[f64],
        slope: &[f64],
    ) -> Option<(Vec<f64>, Linearized)> {
        let problem = self.collocation.problem;
        let prolongation = problem.dae.prolongation().prolongation_description();
        let mut jets = self.jets.clone();
        for (k, unknown) in problem.description().unknowns.iter().enumerate() {
            let Some(jet) = unknown.role.jet() else { continue };
            jets[jet] = state[k];
            if let (Kind::Differential, Some(next)) = (unknown.kind, prolongation.derivative_of(jet)) {
                jets[next] = slope[k];
            }
        }
        let linearized = consistent_jets(&*problem.dae, &problem.layout, &problem.shared, t, y, &mut jets)?;
        self.jets.clone_from(&jets);
        Some((jets, linearized))
    }

    /// The algebraic unknowns at `theta` in interval `i`, and how they change with the differential ones; `None` if they
    /// are not found, or do not stand for unknowns of the model.
    pub(super) fn algebraic_change(
        &mut self,
        i: usize,
        theta: f64,
        y: &[f64],
        change: &[f64],
        of_shared: &[f64],
    ) -> Option<Vec<(f64, f64)>> {
        let problem = self.collocation.problem;
        let n = problem.description().unknowns.len();
        let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
        let node = self.collocation.others(self.iterate, i, theta);
        self.collocation.assemble(y, &node, &mut state, &mut slope);
        let t = self.mesh.t[i] + theta * (self.mesh.t[i + 1] - self.mesh.t[i]);
        let (jets, linearized) = self.jets_near(t, y, &state, &slope)?;
        let of = |&unknown: &usize| match problem.description().unknowns[unknown].role.jet() {
            // Multipliers of the formulation are zero on solutions.
            None => (0.0, 0.0),
            Some(jet) => {
                let by_state = linearized.by_state.row(jet).zip(change);
                let by_shared = linearized.by_shared.row(jet).zip(of_shared);
                (jets[jet], by_state.chain(by_shared).map(|(entry, change)| entry * change).sum())
            }
        };
        Some(problem.layout.algebraic.iter().map(of).collect())
    }
}

/// How far recorded algebraic unknowns are from consistent ones between the points at which they are interpolated: for
/// each interval, in units of the error allowed.
pub(super) fn interpolation_errors(
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> Vec<f64> {
    let layout = &collocation.problem.layout;
    if layout.algebraic.is_empty() {
        return vec![0.0; mesh.intervals()];
    }
    let solution = record(collocation, mesh, iterate);
    let mut states = States::new(collocation, mesh, iterate);
    let in_interval = |i: usize| {
        let mut largest = 0.0_f64;
        for theta in BETWEEN {
            let y = collocation.value(mesh, iterate, i, theta);
            let (state, _) = states.at(i, theta, &y);
            let t = mesh.t[i] + theta * (mesh.t[i + 1] - mesh.t[i]);
            for &unknown in &layout.algebraic {
                let error =
                    solution.component(unknown, t).map_or(f64::INFINITY, |value| (value - state[unknown]).abs());
                let error = error / allowed.of(unknown, state[unknown]);
                largest = larger(largest, error);
            }
        }
        largest
    };
    (0..mesh.intervals()).map(in_interval).collect()
}

/// The solution that an iterate is.
pub(super) fn record(collocation: &Collocation<'_, '_>, mesh: &Mesh, iterate: &Iterate) -> Solution {
    let problem = collocation.problem;
    // Algebraic unknowns are no polynomials, and are interpolated with a higher degree.
    let degree = collocation.scheme.stages() + if problem.layout.algebraic.is_empty() { 0 } else { MORE };
    let interpolation = Interpolation::of_degree(degree);
    let integrals: Vec<Vec<f64>> =
        interpolation.places().iter().map(|&theta| collocation.scheme.integrals(theta)).collect();
    let mut states = States::new(collocation, mesh, iterate);
    interpolation.record(&*problem.dae, &mesh.t, |i, j| {
        let theta = interpolation.places()[j];
        let mut y = collocation.value_with(mesh, iterate, i, &integrals[j]);
        if j == degree {
            y.copy_from_slice(&iterate.y[i + 1]);
        } else if problem.layout.is_projected() {
            // What the projection at the right end has changed is distributed over the interval.
            let unprojected = collocation.value_with(mesh, iterate, i, &integrals[degree]);
            let shift = iterate.y[i + 1].iter().zip(&unprojected).map(|(y, p)| theta * (y - p));
            y.iter_mut().zip(shift).for_each(|(y, shift)| *y += shift);
        }
        states.at(i, theta, &y)
    })
}
