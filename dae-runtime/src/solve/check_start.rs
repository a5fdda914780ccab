//! Check of start values that the caller gives.
//!
//! In: a state and its derivative. Out: the equation that they do not satisfy, if there is one. Only algebraic
//! equations are checked, since a derivative that does not fit is soon forgotten; constraints that a formulation only
//! implies are not checked either, since runs drift off them.

use super::{Failure, Options};
use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::check_start;
use crate::linalg::iteration_matrix::Jacobians;

/// A residual is too large if the unknowns have to change by more than this many tolerances to make it zero.
const TOLERANCES: f64 = 100.0;

/// Checks that a run can start from these values. Where the Jacobians are not finite, the check is left to the method,
/// which says more about it.
pub(super) fn check_given(
    dae: &dyn Dae,
    [t0, t_end]: [f64; 2],
    [y0, yp0]: [&[f64]; 2],
    options: &Options,
) -> Result<(), Failure> {
    let description = dae.description();
    let n = description.unknowns.len();
    check_start(description, t0, y0, yp0, t_end)?;
    options.check(n)?;
    dae.choose_coordinates(t0, y0, yp0, true);
    let mut residual = vec![0.0; n];
    dae.residual(t0, y0, yp0, &mut residual);
    let mut jacobians = Jacobians::new(description);
    jacobians.evaluate(dae, t0, y0, yp0);
    if !jacobians.is_finite() {
        return Ok(());
    }
    let mut weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    weights.update(y0, 1.0);
    for (row, equation) in description.equations.iter().enumerate() {
        let of_slopes = description.jacobian_yp.row(row).any(|(_, place)| jacobians.yp[place] != 0.0);
        let entries = description.jacobian_y.row(row);
        let allowed: f64 = entries.map(|(column, place)| jacobians.y[place].abs() / weights.full()[column]).sum();
        // Comparisons with NaN are false: the method reports it.
        if !of_slopes && residual[row].abs() > TOLERANCES * allowed {
            let (equation, value) = (equation.name.clone(), residual[row]);
            return Err(Failure::InconsistentStart { t: t0, equation, value, allowed });
        }
    }
    Ok(())
}
