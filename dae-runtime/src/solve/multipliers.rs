//! Whether the multipliers of a formulation, zero on solutions, are small at the end of a run.
//!
//! In: a solution. Out: the failure that it is no solution, because directions that have become tangent to their constraints no longer correct it.

use crate::contract::{Dae, Kind};
use crate::multipliers::multipliers_of_formulation;
use crate::solution::Solution;
use crate::stepper::{Failure, Options, StepControl};

/// Corrections of slopes by multipliers above this part of the slopes are suspicious, if over a step they amount to more than this many
/// tolerances; to fewer where they are all that there is of the slopes.
const SUSPICIOUS: [(f64, f64); 2] = [(1e-2, 1e3), (0.5, 30.0)];

/// Whether multipliers correct the slopes at the end by more than the discretisation explains. At a fixed step that is for the caller to judge.
pub(super) fn multiplier_not_zero(dae: &dyn Dae, solution: &Solution, t0: f64, options: &Options) -> Option<Failure> {
    let (description, t) = (dae.description(), solution.end_time);
    let n = description.unknowns.len();
    let multipliers = multipliers_of_formulation(dae, t);
    let (y, yp) = (solution.end_state.get(..n)?, solution.end_derivative.get(..n)?);
    if multipliers.is_empty() || options.control != StepControl::Adaptive {
        return None;
    }
    let mut by_y = vec![0.0; description.jacobian_y.len()];
    let mut by_yp = vec![0.0; description.jacobian_yp.len()];
    dae.jacobian_y(t, y, yp, &mut by_y);
    dae.jacobian_yp(t, y, yp, &mut by_yp);
    let size = |values: &[f64]| values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let speed = size(yp);
    let atol = options.atol.of(&description.unknowns);
    let states = (0..n).filter(|&i| description.unknowns[i].kind == Kind::Differential);
    let tolerance = states.map(|i| atol[i] + options.rtol * y[i].abs()).fold(0.0, f64::max);
    let step = (t - t0).abs() / solution.statistics.steps.max(1) as f64;
    let mut worst = (0.0, None);
    for row in 0..description.jacobian_y.rows() {
        let leading: f64 = description.jacobian_yp.row(row).map(|(_, p)| by_yp[p].abs()).fold(0.0, f64::max);
        if leading == 0.0 {
            continue;
        }
        for (column, position) in description.jacobian_y.row(row) {
            let correction = (by_y[position] * y[column] / leading).abs();
            if correction > worst.0 && multipliers.binary_search(&column).is_ok() {
                worst = (correction, Some(column));
            }
        }
    }
    let (correction, Some(column)) = worst else { return None };
    let suspicious =
        SUSPICIOUS.iter().any(|(part, multiple)| correction > part * speed && correction * step > multiple * tolerance);
    suspicious.then(|| Failure::MultiplierNotZero {
        t,
        form: description.form.clone(),
        multiplier: description.unknowns[column].name.clone(),
        value: y[column],
    })
}
