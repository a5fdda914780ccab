//! Regularity at the model's own consistent point.
//!
//! In: the prolongation at default parameters. Out: whether the system Jacobian is regular at the point that the start
//! values lead to, proved in interval arithmetic where that succeeds (`proof.rs`, `block_proof.rs`), and the jets
//! there. Large models are solved and judged part by part, so that only the work for a single part is limited.

use dae_runtime::initialize::{InitializationError, InitializationOptions, consistent_initialization};

use super::proof::{self, Evidence};
use super::robustness::stays_regular;
use crate::defaults::default_parameters;
use crate::index::array::{self, ArrayPoint};
use crate::index::certificate::LocalRegularity;
use crate::index::limits::{self, Limits};
use crate::model::Model;
use crate::prolongation::Prolonged;
use crate::system::listed;

pub(crate) fn regularity(
    model: &mut Model,
    prolonged: &Prolonged,
    t0: f64,
    limits: &Limits,
) -> (LocalRegularity, Option<Vec<f64>>) {
    let initial = match consistent_initialization(prolonged, t0, &InitializationOptions::default()) {
        Ok(initial) => initial,
        Err(error @ InitializationError::SingularJacobian { .. }) => {
            return (LocalRegularity::Singular { t0, message: error.to_string() }, None);
        }
        Err(error @ InitializationError::TooLarge { .. }) => {
            let reason = format!("the check at the start values is left to the initialisation: {error}");
            return (LocalRegularity::NotAttempted { reason }, None);
        }
        Err(error) => {
            return (LocalRegularity::NoConsistentPoint { message: why(model, &error) }, None);
        }
    };
    let condition = initial.condition;
    let local = match proof::examine(model, prolonged, &initial.jets, t0, &limits.local) {
        Evidence::Proven(radius) => LocalRegularity::Proven { condition, t0, radius },
        Evidence::Regular(_) if is_rounding(model, prolonged, &initial.jets, t0, &limits.array) => {
            let message = "where the search ended, the equations hold only because their terms are rounded";
            return (LocalRegularity::NoConsistentPoint { message: message.into() }, None);
        }
        Evidence::Regular(unproved) if stays_regular(prolonged, &initial.jets, t0, &limits.local) => {
            LocalRegularity::Numerical { condition, t0, unproved }
        }
        Evidence::Regular(_) | Evidence::Doubtful => {
            let message = "it cannot be told from a singular matrix there".into();
            LocalRegularity::Singular { t0, message }
        }
    };
    (local, Some(initial.jets))
}

/// Whether the residuals at the jets are small only because their terms cancel to rounding, not because a solution is
/// near.
fn is_rounding(model: &mut Model, prolonged: &Prolonged, jets: &[f64], t0: f64, limits: &limits::Array) -> bool {
    // For a long family there are jets of all members, but no expressions.
    if prolonged.residuals.is_empty() {
        return false;
    }
    let parameters = default_parameters(model);
    let point = ArrayPoint::of_jets(prolonged, jets, t0);
    array::is_solution(model, &parameters, &prolonged.residuals, &point, limits) == Some(false)
}

/// The reason why there is no consistent point. Values that the caller has yet to supply are not an error.
fn why(model: &Model, error: &InitializationError) -> String {
    let supplied = listed(&model.stand_ins());
    match error {
        _ if supplied.is_empty() => error.to_string(),
        InitializationError::Conflict { fixed, equations } => {
            let values: Vec<String> = fixed.iter().map(|f| format!("`{} = {}`", f.jet, f.value)).collect();
            let equations: Vec<String> = equations.iter().map(|mismatch| mismatch.equation.to_string()).collect();
            let agree = if values.len() == 1 { "agrees" } else { "agree" };
            let (values, equations) = (listed(&values), listed(&equations));
            format!("whether {values} {agree} with {equations} depends on {supplied}, which the caller supplies")
        }
        _ => format!("with other functions in place of {supplied}, {error}"),
    }
}
