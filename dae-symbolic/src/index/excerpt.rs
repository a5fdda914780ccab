//! The analysis of a whole model from an excerpt of it.
//!
//! In: an excerpt (a model with a few members of each long family), and the structure of the whole model. Out: an
//! [`Analysis`] with the expressions of the excerpt and the certificate of the whole model: the offsets of the excerpt
//! agree with those of the whole, the prolongation of the whole follows from that of the excerpt, and regularity and
//! the lower bound are established for the whole prolongation, at its own consistent point. Otherwise the reason why
//! the excerpt does not settle everything; then a larger excerpt or the whole model is to be analysed.

use super::analysis::{Analysis, Written};
use super::certificate::{Certificate, LocalRegularity, LowerBound, Verdict};
use super::hessenberg;
use super::limits::Limits;
use super::local::{self, Enclosures};
use super::lower_bound::lower_bound;
use super::settle::explanation;
use super::upper_bound::{as_written, check_growth, lifted, structure_of_text};
use crate::defaults::parameter_places;
use crate::model::{Model, Numbering};
use crate::prolongation::prolong;
use crate::structure::{Offsets, Structure};
use crate::system::System;

/// Why an excerpt is not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insufficient {
    /// Members that are kept depend on members left out: an excerpt with more members may be sufficient.
    Torn,
    /// A larger excerpt would not be sufficient either: the whole model is to be analysed.
    Unsettled,
}

/// Analyses an excerpt. `structure` is that of the whole model, `written` holds the highest order in which each of its
/// unknowns occurs.
pub fn analyse_excerpt(
    model: &mut Model,
    structure: &Structure,
    written: &[u32],
    t0: f64,
    limits: &Limits,
) -> Result<Analysis, Insufficient> {
    use Insufficient::{Torn, Unsettled};
    let text = structure_of_text(model).map_err(|_| Unsettled)?;
    let system = System::of_text(model);
    let working = as_written(model, system, &limits.upper_bound).map_err(|_| Unsettled)?;
    if !working.is_regular() || !same_offsets(model, &working.structure.offsets, &structure.offsets) {
        return Err(Unsettled);
    }
    let offsets = lifted(model, &working.structure.offsets);
    // All offsets were raised by the same number.
    let lift = match (offsets.unknowns.first(), working.structure.offsets.unknowns.first()) {
        (Some(raised), Some(d)) => raised - d,
        _ => return Err(Unsettled),
    };
    let raised = |list: &[u32]| list.iter().map(|&k| k + lift).collect();
    let whole_offsets =
        Offsets { equations: raised(&structure.offsets.equations), unknowns: raised(&structure.offsets.unknowns) };
    check_growth(model, &working.system, &offsets, &limits.growth).map_err(|_| Unsettled)?;
    let prolonged = prolong(model, &working.system, &offsets).map_err(|_| Torn)?;
    let parameters = parameter_places(model).map_err(|_| Torn)?;
    let whole = prolonged.whole(&whole_offsets, &parameters).map_err(|_| Torn)?;
    let (local, jets) = local::regularity(model, &whole, t0, limits);
    let (LocalRegularity::Numerical { condition, .. } | LocalRegularity::Proven { condition, .. }) = local else {
        return Err(Unsettled);
    };
    let Some(jets) = jets else { return Err(Unsettled) };
    let enclosures = Enclosures::new(&whole, t0, &limits.local);
    let near = enclosures.near(&jets, local.radius(&limits.local));
    if matches!(local, LocalRegularity::Numerical { .. }) && !enclosures.is_continuous(&near) {
        // On a switch: unless the Jacobian is regular on all sides at once, these are compared in the whole model.
        let box_of_all = enclosures.on_all_sides(&jets).ok_or(Unsettled)?;
        if !enclosures.is_regular_within(&box_of_all) {
            return Err(Unsettled);
        }
    }
    let rows = enclosures.system_jacobian(&near);
    let mut lower = lower_bound(written, structure, &rows, condition, &limits.lower_bound);
    if let LowerBound::Witness(vector) = &mut lower {
        // The member of the excerpt that stands for this unknown of the whole model.
        let places = Numbering::of(model.unknowns.iter().map(|u| &u.domain)).map_err(|_| Torn)?;
        vector.unknown = places.places().partition_point(|&place| place <= vector.unknown).saturating_sub(1);
    }
    let most = |list: &[u32]| list.iter().copied().max().unwrap_or(0);
    let missing = written.iter().zip(&structure.offsets.unknowns).map(|(&p, &d)| p.max(1).saturating_sub(d));
    let certificate = Certificate {
        bound: most(&structure.offsets.equations) + missing.max().unwrap_or(0),
        structural_degrees: structure.degrees_of_freedom,
        generic: working.generic,
        local,
        lower,
        array: None,
    };
    let Verdict::Exact(index) = certificate.verdict() else { return Err(Unsettled) };
    let of_whole = |part: Structure| Structure {
        structural_index: structure.structural_index,
        degrees_of_freedom: structure.degrees_of_freedom,
        ..part
    };
    let mut analysis = Analysis {
        written: Written { structure: Some(of_whole(text)), jacobian_singular: working.singular_as_written },
        system: working.system,
        pivots: Vec::new(),
        exceptional: Vec::new(),
        redundant: Vec::new(),
        structure: of_whole(working.structure),
        rewrites: Vec::new(),
        certificate,
        explanation: None,
        array_ranks: Vec::new(),
        hessenberg: None,
        prolonged,
        jets: None,
    };
    analysis.explanation = explanation(model, &analysis, index);
    analysis.hessenberg = hessenberg::classify(model, &analysis.structure, &analysis.certificate);
    Ok(analysis)
}

/// Whether the members of the excerpt have the offsets that they have in the whole model.
fn same_offsets(model: &Model, excerpt: &Offsets, whole: &Offsets) -> bool {
    let equations = Numbering::of(model.equations.iter().map(|e| &e.domain));
    let unknowns = Numbering::of(model.unknowns.iter().map(|u| &u.domain));
    let same = |numbering: &Numbering, part: &[u32], all: &[u32]| {
        numbering.total() == all.len()
            && numbering.places().iter().zip(part).all(|(&place, offset)| all[place] == *offset)
    };
    match (equations, unknowns) {
        (Ok(equations), Ok(unknowns)) => {
            same(&equations, &excerpt.equations, &whole.equations)
                && same(&unknowns, &excerpt.unknowns, &whole.unknowns)
        }
        _ => false,
    }
}
