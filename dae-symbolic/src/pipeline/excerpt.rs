//! The analysis of a model with long families from an excerpt.
//!
//! In: a family model. Out: what the pipeline finds for the whole model, with symbolic work for a few members of each
//! family only. The structure of the whole model is found from the integers of its accesses, and its certificate from
//! its own numbers; both take time linear in the number of instances. `None` where an excerpt does not suffice, or is
//! hardly smaller.

use super::compiled::{Compiled, Rejected};
use super::run;
use crate::family::{classes, excerpt, rows, unknown_classes};
use crate::index::{Insufficient, Limits, analyse_excerpt};
use crate::model::family::{FamilyModel, instantiate_excerpt};
use crate::model::{Derivation, Model, verify};
use crate::structure::analyse;

/// The distances over which a member may depend on others, tried in this order: two more neighbours for each
/// differentiation in most models.
const REACHES: [i64; 3] = [2, 4, 8];

/// An excerpt has to be smaller than the model by at least this factor.
const WORTH: usize = 2;

/// Runs the pipeline on an excerpt. `t0` is the time at which the model's start values hold.
pub fn compile_excerpt(family: &FamilyModel, t0: f64) -> Option<Compiled> {
    // Invariants are sums over all members, as a rule.
    // Boundary conditions, events and initial equations refer to single members.
    let is_control = |derivation: &Derivation| matches!(derivation, Derivation::OptimalControl(_));
    let has_boundary = family.boundary.is_some() || family.derivations.iter().any(is_control);
    let has_events = !family.events.list.is_empty();
    let has_initial = !family.initial_equations.is_empty();
    if family.is_scalar() || !family.invariants.is_empty() || has_boundary || has_events || has_initial {
        return None;
    }
    let whole = rows(family).ok()?;
    if whole.sigma.equations() != whole.sigma.unknowns() {
        return None;
    }
    let structure = analyse(&whole.sigma).ok()?;
    let written = whole.sigma.highest_orders();
    let classes = classes(family, &whole, &structure.offsets);
    let unknowns = unknown_classes(family, &whole, &structure.offsets);
    for reach in REACHES {
        let excerpt = excerpt(family, &classes, &unknowns, reach)?;
        let model = instantiate_excerpt(family.clone(), &excerpt).ok()?;
        if WORTH * model.equations.len() > whole.sigma.equations() {
            return None;
        }
        verify(&model).ok()?;
        let analyse = |model: &mut Model| analyse_excerpt(model, &structure, &written, t0, &Limits::DEFAULT);
        match run(model, t0, analyse) {
            // A larger excerpt or the whole model may have a form that this excerpt does not have.
            Ok(compiled) if !compiled.unavailable.is_empty() => {}
            Ok(compiled) => return Some(compiled),
            Err(Insufficient::Torn) => {}
            Err(Insufficient::Unsettled) => return None,
        }
    }
    None
}

/// An excerpt that is rejected does not suffice: errors have to be reported for the whole model.
impl From<Rejected> for Insufficient {
    fn from(_: Rejected) -> Insufficient {
        Insufficient::Unsettled
    }
}
