//! The error of a solution by multiple shooting.
//!
//! In: two solutions by integrations with different tolerances and steps. Out: their difference, between steps, too, where
//! errors are those of interpolation; and the response of the solution to errors of its integrations as large as their
//! tolerances, from the start of each interval on.

use crate::bvp::condensed::Condensed;
use crate::bvp::iterate::Iterate;
use crate::bvp::linearized::Linearized;
use crate::bvp::mesh::Mesh;
use crate::bvp::newton::Discretization;
use crate::bvp::problem::Problem;
use crate::bvp::tolerances::Tolerances;
use crate::linalg::vector::larger;
use crate::solution::Solution;

use super::integrations::{Integrations, Start};

/// Where solutions are compared between the ends of a step.
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];

/// Largest difference in units of the error allowed, and for each entry of a state in its unit: at the ends of the steps
/// of `fine`, and between them.
pub(super) fn difference(allowed: &Tolerances, fine: &Solution, coarse: &Solution) -> (f64, Vec<f64>) {
    let mut errors = vec![0.0_f64; fine.names.len()];
    let mut largest = 0.0_f64;
    // A free end is not the same for both: times correspond by the fraction of the interval that has passed.
    let ends = [fine, coarse].map(|it| [it.times.first().copied().unwrap_or(0.0), it.end_time]);
    let mut compare = |t: f64, state: &[f64]| {
        let fraction = (t - ends[0][0]) / (ends[0][1] - ends[0][0]);
        let t = if ends[0] == ends[1] { t } else { ends[1][0] + fraction * (ends[1][1] - ends[1][0]) };
        let other = if fraction >= 1.0 { Some(coarse.end_state.clone()) } else { coarse.at(t) };
        let other = other.unwrap_or_else(|| vec![f64::NAN; state.len()]);
        for (k, (a, b)) in state.iter().zip(other).enumerate() {
            let error = (a - b).abs();
            errors[k] = larger(errors[k], error);
            if k < allowed.atol.len() {
                largest = larger(largest, error / allowed.of(k, *a));
            }
        }
    };
    for (t, state) in fine {
        compare(t, state);
    }
    for ends in fine.times.windows(2) {
        for place in BETWEEN {
            let t = ends[0] + place * (ends[1] - ends[0]);
            compare(t, &fine.at(t).unwrap_or_else(|| vec![f64::NAN; fine.names.len()]));
        }
    }
    (largest, errors)
}

impl Integrations {
    /// Largest change of the solution, in units of the error allowed, if each integration is off by its tolerances from
    /// its start on: all with the same sign, or with signs that alternate. `None` if that cannot be computed.
    pub(super) fn response(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        allowed: &Tolerances,
    ) -> Option<f64> {
        let differential = &problem.layout.differential;
        let m = differential.len();
        let mut residuals = self.residuals(problem, mesh, iterate).ok()?;
        let relations = self.relations(problem, mesh, iterate).ok()?;
        let factors = Condensed::new(problem, mesh, iterate, &relations, &residuals.conditions).ok()?;
        residuals.conditions.set_to_zero();
        let starts: Vec<Start> =
            (0..mesh.t.len()).map(|i| self.start(problem, mesh, iterate, i).ok()).collect::<Option<_>>()?;
        let mut largest = 0.0;
        for are_alike in [true, false] {
            for i in 0..mesh.intervals() {
                let off =
                    |k: usize| self.tolerances.atol[differential[k]] + self.tolerances.rtol * iterate.y[i + 1][k].abs();
                for (k, gap) in residuals.gaps[i].iter_mut().enumerate() {
                    let sign = if are_alike || (i + k) % 2 == 0 { 1.0 } else { -1.0 };
                    let grown = (0..m).map(|j| relations.columns[i][j * m + k].abs() * off(j));
                    *gap = sign * (off(k) + grown.sum::<f64>());
                }
            }
            let change = self.correction(problem, mesh, &factors, &residuals)?;
            largest = larger(largest, size_of(&change, problem, iterate, &starts, allowed));
        }
        Some(largest)
    }
}

/// The largest change of an unknown at an end of an interval, in units of the error allowed.
fn size_of(change: &Iterate, problem: &Problem<'_>, iterate: &Iterate, starts: &[Start], allowed: &Tolerances) -> f64 {
    let (layout, unknowns) = (&problem.layout, &problem.description().unknowns);
    let mut largest = 0.0;
    for ((change_of_state, y), start) in change.y.iter().zip(iterate.y.iter()).zip(starts) {
        for (k, &unknown) in layout.differential.iter().enumerate() {
            largest = larger(largest, change_of_state[k].abs() / allowed.of(unknown, y[k]));
        }
        // Algebraic unknowns follow.
        let Linearized { by_state, by_shared, .. } = &start.linearized;
        for &unknown in &layout.algebraic {
            let Some(jet) = unknowns[unknown].role.jet() else { continue };
            let of_state = by_state.row(jet).zip(change_of_state).map(|(entry, change)| entry * change);
            let of_shared = by_shared.row(jet).zip(&change.shared).map(|(entry, change)| entry * change);
            let followed: f64 = of_state.chain(of_shared).sum();
            largest = larger(largest, followed.abs() / allowed.of(unknown, start.y[unknown]));
        }
    }
    largest
}
