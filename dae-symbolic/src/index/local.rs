//! Regularity at the model's own consistent point.
//!
//! In: the prolongation at default parameters. Out: whether the system Jacobian is regular at the point that the start values
//! lead to, proved in interval arithmetic where that succeeds (`proof.rs`, `block_proof.rs`), and the jets there. Large models are
//! solved and judged part by part, so that there is no limit but the work that a single part takes.

use dae_runtime::initialize::{InitializationError, InitializationOptions, consistent_initialization};

use super::certificate::LocalRegularity;
use super::proof::{self, Evidence};
use super::steady::is_steady;
use crate::externals::stand_ins;
use crate::model::Model;
use crate::prolong::Prolonged;

pub(super) fn regularity(model: &Model, prolonged: &Prolonged, t0: f64) -> (LocalRegularity, Option<Vec<f64>>) {
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
            // Values that the caller has yet to supply are nobody's fault.
            let supplied = stand_ins(model);
            let message = match supplied.is_empty() {
                true => error.to_string(),
                false => format!("with other functions in place of {}, {error}", supplied.join(", ")),
            };
            return (LocalRegularity::NoConsistentPoint { message }, None);
        }
    };
    let condition = initial.condition;
    let local = match proof::examine(model, prolonged, &initial.jets, t0) {
        Evidence::Proven(radius) => LocalRegularity::Proven { condition, t0, radius },
        Evidence::Regular(unproved) if is_steady(prolonged, &initial.jets, t0) => {
            LocalRegularity::Numerical { condition, t0, unproved }
        }
        Evidence::Regular(_) | Evidence::Doubtful => {
            let message = "it cannot be told from a singular matrix there".into();
            LocalRegularity::Singular { t0, message }
        }
    };
    (local, Some(initial.jets))
}
