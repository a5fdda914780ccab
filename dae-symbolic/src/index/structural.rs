//! What structure and the model's own point say about some equations.
//!
//! In: equations, as many as there are unknowns. Out: their [`Analysis`] without the derivative array: the working
//! system, after combining equations where leading parts cancel, its prolongation, and the certificate of upper bound,
//! regularity at the point and lower bound.

use super::analysis::{Analysis, Written};
use super::certificate::{Certificate, LocalRegularity, LowerBound};
use super::limits::Limits;
use super::local::{self, Enclosures};
use super::lower_bound::lower_bound;
use super::problem::{Problem, internal};
use super::upper_bound::exceptional::{Determinant, at_defaults, exceptional_defaults};
use super::upper_bound::{self, WorkingSystem, as_written, check_growth, combine_until_regular};
use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::prolongation::prolong;
use crate::structure::Structure;
use crate::system::{System, written_orders};

/// The analysis of some equations by structure and at the model's own point, after combining them where necessary.
/// `written` is the structure of the text, if that is square.
pub(super) fn analyse_system(
    model: &mut Model,
    system: System,
    written: Option<Structure>,
    t0: f64,
    limits: &Limits,
) -> Result<Analysis, (Problem, Diagnostics)> {
    let mut working = combine_until_regular(model, system.clone(), &limits.upper_bound)?;
    let mut offsets = working.offsets(model);
    if let Err(found) = check_growth(model, &working.system, &offsets, &limits.growth) {
        if working.rewrites.is_empty() {
            return Err(found);
        }
        // Combinations whose derivatives are too long are of no use; the derivative array needs none.
        working = as_written(model, system.clone(), &limits.upper_bound)?;
        offsets = working.offsets(model);
    }
    let mut prolonged = prolong(model, &working.system, &offsets);
    if prolonged.is_err() && !working.rewrites.is_empty() {
        // Nor are combinations that contain derivatives of higher order than the offsets reach.
        working = as_written(model, system, &limits.upper_bound)?;
        offsets = working.offsets(model);
        prolonged = prolong(model, &working.system, &offsets);
    }
    let prolonged = prolonged.map_err(|unplaced| internal(model, unplaced))?;
    let regular = working.is_regular();
    let WorkingSystem { system, structure, rewrites, pivots, generic, singular_as_written } = working;
    let exceptional = match regular {
        true => {
            let jacobian = system.jacobian(&mut model.dag, &structure.offsets);
            let determinant = Determinant::of(model, system.equations.len(), jacobian, &pivots, &limits.upper_bound);
            exceptional_defaults(model, &determinant)
        }
        false => Vec::new(),
    };
    let (mut local, mut jets) = match (regular, exceptional.is_empty()) {
        (true, true) => local::regularity(model, &prolonged, t0, limits),
        // No initialisation: its stages would fix values that the equations are to determine, and blame the start
        // values.
        (true, false) => {
            let message = format!("whatever the unknowns are, for {}", at_defaults(model, &exceptional));
            (LocalRegularity::Singular { t0, message }, None)
        }
        (false, _) => {
            let reason = "the system Jacobian is identically singular".into();
            (LocalRegularity::NotAttempted { reason }, None)
        }
    };
    let bound = upper_bound::upper_bound(model, &system, &structure.offsets);
    if let Some(found) = jets.as_ref().filter(|_| local.is_regular()) {
        let vanishing = |model: &mut Model, jets: &[f64]| {
            upper_bound::vanishing(model, &prolonged, jets, &pivots, &rewrites, t0, &limits.upper_bound)
        };
        if let Some(message) = vanishing(model, found) {
            local = LocalRegularity::Singular { t0, message };
        } else if let Some((other, message)) =
            local::singular_jets(model, &prolonged, found, bound, t0, vanishing, limits)
        {
            local = LocalRegularity::Singular { t0, message };
            jets = Some(other);
        }
    }
    let lower = match (&local, &jets) {
        (LocalRegularity::Numerical { condition, .. } | LocalRegularity::Proven { condition, .. }, Some(jets))
            if system.is_text() =>
        {
            let enclosures = Enclosures::new(&prolonged, t0, &limits.local);
            let rows = enclosures.system_jacobian(&enclosures.near(jets, local.radius(&limits.local)));
            lower_bound(&written_orders(model), &structure, &rows, *condition, &limits.lower_bound)
        }
        (LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. }, Some(_)) => {
            LowerBound::NotAttempted { reason: "equations were combined".into() }
        }
        _ => LowerBound::NotAttempted { reason: "no consistent point at which the system Jacobian is regular".into() },
    };
    let singular_here = rewrites.is_empty() && matches!(local, LocalRegularity::Singular { .. });
    let jacobian_singular = if singular_here { Some(true) } else { singular_as_written };
    let structural_degrees = structure.degrees_of_freedom;
    let certificate = Certificate { bound, structural_degrees, generic, local, lower, array: None };
    Ok(Analysis {
        written: Written { structure: written, jacobian_singular },
        system,
        pivots,
        exceptional,
        redundant: Vec::new(),
        structure,
        rewrites,
        certificate,
        explanation: None,
        array_ranks: Vec::new(),
        hessenberg: None,
        prolonged,
        jets,
    })
}
