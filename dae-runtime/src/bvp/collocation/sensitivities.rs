//! Derivatives of a solution with respect to parameters.
//!
//! In: a solution of the discretised equations, with parameters that keep their values among the shared quantities. Out:
//! the derivatives of the states at the ends of intervals with respect to these, with all conditions kept.

use crate::bvp::iterate::Iterate;
use crate::bvp::linearized::Linearized;
use crate::bvp::mesh::Mesh;

use super::polynomials::Collocation;
use super::states::States;

/// The derivatives for each of these parameters, in their order: for each end of an interval those of all unknowns, at a
/// fixed time. `None` if they cannot be computed.
pub(super) fn sensitivities(
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
) -> Option<Vec<Vec<Vec<f64>>>> {
    let mut residuals = collocation.residuals(mesh, iterate).ok()?;
    let factors = collocation.factorize(mesh, iterate, &residuals).ok()?;
    let ends = ends(collocation, mesh, iterate)?;
    let of_parameter = |pinned: usize| {
        let change = collocation.response(mesh, &factors, &mut residuals, pinned)?;
        Some(ends.iter().enumerate().map(|(k, end)| end.derivative(collocation, mesh, k, &change)).collect())
    };
    (0..collocation.problem.shared.pinned).map(of_parameter).collect()
}

/// An end of an interval.
struct End {
    linearized: Linearized,
    /// The derivative of the state with respect to time.
    slope: Vec<f64>,
}

/// All ends of intervals; `None` if one of them has no consistent state.
fn ends(collocation: &Collocation<'_, '_>, mesh: &Mesh, iterate: &Iterate) -> Option<Vec<End>> {
    let mut states = States::new(collocation, mesh, iterate);
    let end = |k: usize| {
        let (i, theta) = if k == 0 { (0, 0.0) } else { (k - 1, 1.0) };
        let (state, slope) = states.at(i, theta, &iterate.y[k]);
        let (_, linearized) = states.jets_near(mesh.t[k], &iterate.y[k], &state, &slope)?;
        Some(End { linearized, slope })
    };
    (0..mesh.t.len()).map(end).collect()
}

impl End {
    /// The change of all unknowns of the formulation at the time of the `k`-th end, given that of the discrete solution.
    fn derivative(&self, collocation: &Collocation<'_, '_>, mesh: &Mesh, k: usize, change: &Iterate) -> Vec<f64> {
        let problem = collocation.problem;
        let End { linearized, slope } = self;
        let mut of_shared = change.shared.clone();
        // Ends of intervals move with a free end.
        let of_end = problem.shared.end().map_or(0.0, |end| std::mem::take(&mut of_shared[end]));
        let moved = of_end * mesh.moves(k);
        let differential = &problem.layout.differential;
        let of_state: Vec<f64> =
            change.y[k].iter().zip(differential).map(|(y, &place)| y - moved * slope[place]).collect();
        let unknowns = &problem.description().unknowns;
        let mut derivative = vec![0.0; unknowns.len()];
        for (place, unknown) in unknowns.iter().enumerate() {
            let Some(jet) = unknown.role.jet() else { continue };
            let by_state = linearized.by_state.row(jet).zip(&of_state);
            let by_shared = linearized.by_shared.row(jet).zip(&of_shared);
            derivative[place] = by_state.chain(by_shared).map(|(entry, change)| entry * change).sum();
        }
        differential.iter().zip(of_state).for_each(|(&place, change)| derivative[place] = change);
        derivative
    }
}
