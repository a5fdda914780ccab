//! The verdict where structure alone does not settle it.
//!
//! In: an analysis of structure and of the model's own point. Out: the analysis with the findings of the derivative
//! array, where these are needed, with ranks and an explanation; or why there is no index.

use super::analysis::Analysis;
use super::array::{self, ArrayFinding, ArrayPoint, ArrayVerdict};
use super::certificate::{LocalRegularity, Verdict};
use super::hessenberg;
use super::limits::{self, Limits};
use super::problem::{self, Problem};
use super::upper_bound::Rewrite;
use super::upper_bound::exceptional::at_defaults;
use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::system::{listed, written_orders};

/// `Ok` unless the derivative array rejects the model; the error says why.
pub(super) type Settled = Result<(), (Problem, Diagnostics)>;

/// Asks the derivative array where structure does not settle the index, and completes the analysis.
pub(super) fn settle(model: &mut Model, analysis: &mut Analysis, t0: f64, limits: &Limits) -> Settled {
    let settled = matches!(analysis.certificate.verdict(), Verdict::Exact(_));
    let start = array_start(model, analysis, t0, &limits.array);
    if !settled && analysis.certificate.array.is_none() {
        let finding = judged(model, analysis, &start, &limits.array);
        match &finding.verdict {
            ArrayVerdict::NoIndex(freedom) => return Err(problem::not_unique(model, freedom)),
            ArrayVerdict::Dependent { rows } => return Err(problem::dependent(model, rows)),
            ArrayVerdict::NoConsistentPoint { contradiction, message, .. } if !contradiction.is_empty() => {
                return Err(problem::contradictory(model, contradiction, message));
            }
            ArrayVerdict::Index(_) | ArrayVerdict::NoConsistentPoint { .. } | ArrayVerdict::Undecided { .. } => {}
        }
        analysis.certificate.array = Some(finding);
    }
    if let Verdict::Exact(index) = analysis.certificate.verdict() {
        analysis.array_ranks = match &analysis.certificate.array {
            Some(finding) => finding.ranks.clone(),
            None => array::ranks_up_to(model, &start, index, &limits.array).unwrap_or_default(),
        };
        analysis.explanation = explanation(model, analysis, index);
    }
    analysis.hessenberg = match &analysis.written.structure {
        Some(structure) => hessenberg::classify(model, structure, &analysis.certificate),
        None => None,
    };
    Ok(())
}

/// Jets from which the array is made consistent: those of the prolongation if the system Jacobian is regular there,
/// otherwise the start values.
pub(super) fn array_start(model: &mut Model, analysis: &Analysis, t0: f64, limits: &limits::Array) -> ArrayPoint {
    let parameters = &analysis.prolonged.parameters;
    // Where the system Jacobian is singular, the initialisation may have ended anywhere nearby.
    let Some(jets) = analysis.jets.as_ref().filter(|_| analysis.certificate.is_regular()) else {
        return ArrayPoint::of_start_values(model, parameters, t0);
    };
    let point = ArrayPoint::of_jets(&analysis.prolonged, jets, t0);
    let offsets = &analysis.structure.offsets;
    // Up to the orders of the array with one differentiation more than the bound.
    let wanted = |(order, &d): (u32, &u32)| (order.max(1) + analysis.certificate.bound + 1).saturating_sub(d);
    let stages = written_orders(model).into_iter().zip(&offsets.unknowns).map(wanted).max().unwrap_or(0);
    array::continued(model, &analysis.system, offsets, parameters, point, stages, limits)
}

/// The finding of the derivative array, whose examination starts at the bound on the index where one is certified.
pub(super) fn judged(
    model: &mut Model,
    analysis: &Analysis,
    start: &ArrayPoint,
    limits: &limits::Array,
) -> ArrayFinding {
    let certificate = &analysis.certificate;
    array::test_ranks(model, start, certificate.is_regular().then_some(certificate.bound), limits)
}

/// Why the structure of the text does not give the index; `None` if it does, or the text is not square.
pub(super) fn explanation(model: &Model, analysis: &Analysis, index: u32) -> Option<String> {
    let written = analysis.written.structure.as_ref()?;
    let says = written.structural_index;
    let singular = analysis.written.jacobian_singular == Some(true);
    if says == index && !singular {
        return None;
    }
    let mut text = format!("the pattern says {says}; ");
    let rewrites = &analysis.rewrites;
    text += &match (rewrites.as_slice(), &analysis.certificate.local) {
        (_, LocalRegularity::Singular { .. }) if !analysis.exceptional.is_empty() => {
            format!("for {} its system Jacobian is singular", at_defaults(model, &analysis.exceptional))
        }
        ([], LocalRegularity::Singular { .. }) => "its system Jacobian is singular on this solution".to_string(),
        ([], _) if singular => "leading parts cancel in a way that no combination shows".into(),
        ([], _) => "its derivatives are not all needed, because leading parts of derived equations cancel".into(),
        (rewrites, _) => {
            let names = |r: &Rewrite| listed(&r.cancelling.iter().map(|&k| model.equation_name(k)).collect::<Vec<_>>());
            let cancel: Vec<String> =
                rewrites.iter().map(|r| format!("the leading parts of {} cancel", names(r))).collect();
            cancel.join("; ")
        }
    };
    text += &format!("; the index is {index}");
    Some(text)
}
