//! Whether declared first integrals are constant where a run begins.
//!
//! In: a formulation that is solved for its derivatives, and a consistent state. Out: an error if a first integral of its
//! text certainly changes there. Projection onto something that is no first integral would give a wrong solution that
//! looks like success.
//!
//! The derivative $I_t + I_y y'$ is compared with the sum of the absolute values of its terms. Near an equilibrium all
//! terms are rounding errors. So a derivative counts only if it is also larger than its differences from the derivatives
//! at neighbouring states, which differ by much more than rounding errors.

use crate::contract::{Dae, DeclaredIntegrals, Kind, Leading};
use crate::integrator::stepper::Failure;

/// A derivative is clearly not zero if it is larger than this fraction of its terms.
const CLEAR: f64 = 1e-6;

/// The distance of neighbouring states, relative to the values and the nominal values.
const NEIGHBOURING: f64 = 1e-8;

/// How much larger a derivative has to be than its differences between neighbouring states.
const MARGIN: f64 = 10.0;

/// Checks all first integrals that the text of the formulation declares.
pub(super) fn check(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> Result<(), Failure> {
    let Some(declared) = dae.first_integrals().filter(|_| dae.description().leading == Leading::Solved) else {
        return Ok(());
    };
    let here = derivatives(dae, declared, t, (y, yp));
    let is_suspect = |(rate, size): &(f64, f64)| rate.abs() > CLEAR * size;
    if !here.iter().any(is_suspect) {
        return Ok(());
    }
    let neighbours = [1.0, -1.0].map(|sign| {
        let unknowns = dae.description().unknowns.iter().zip(y).enumerate();
        let beside: Vec<f64> = unknowns
            .map(|(k, (unknown, &value))| {
                let alternating = if k % 2 == 0 { 1.0 } else { sign };
                value + alternating * NEIGHBOURING * (value.abs() + unknown.nominal)
            })
            .collect();
        derivatives(dae, declared, t, (&beside, yp))
    });
    for (k, (rate, size)) in here.into_iter().enumerate() {
        let difference = neighbours.iter().map(|there| (there[k].0 - rate).abs()).fold(0.0, f64::max);
        // Comparisons with NaN are false: the method reports it.
        if is_suspect(&(rate, size)) && rate.abs() > MARGIN * difference {
            let invariant = declared.integrals_description().names[k].clone();
            let form = dae.description().form.clone();
            return Err(Failure::InvariantChanges { t, form, invariant, rate, size });
        }
    }
    Ok(())
}

/// The derivatives of the first integrals along solutions, each with the sum of the absolute values of its terms.
fn derivatives(dae: &dyn Dae, declared: &dyn DeclaredIntegrals, t: f64, (y, yp): (&[f64], &[f64])) -> Vec<(f64, f64)> {
    let unknowns = &dae.description().unknowns;
    let pattern = &declared.integrals_description().jacobian;
    let mut residual = vec![0.0; unknowns.len()];
    dae.residual(t, y, yp, &mut residual);
    let slope = |k: usize| if unknowns[k].kind == Kind::Differential { yp[k] - residual[k] } else { 0.0 };
    let (mut gradients, mut in_time) = (vec![0.0; pattern.len()], vec![0.0; pattern.rows()]);
    declared.integrals_jacobian(t, y, &mut gradients);
    declared.integrals_jacobian_t(t, y, &mut in_time);
    let one = |(k, &in_time): (usize, &f64)| {
        let terms = pattern.row(k).map(|(column, place)| gradients[place] * slope(column));
        terms.fold((in_time, in_time.abs()), |(rate, size), term| (rate + term, size + term.abs()))
    };
    in_time.iter().enumerate().map(one).collect()
}
