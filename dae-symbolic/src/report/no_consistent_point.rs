//! Advice where no consistent values were found.
//!
//! In: a compiled model without a consistent point. Out: a sentence that names the equations that were not fulfilled
//! together, the unknowns that they restrict, and two possible causes: the equations, or the guesses. A search that
//! ends without a result does not prove that nonlinear equations contradict one another, and the sentence does not say
//! that they do.

use std::collections::BTreeSet;

use crate::index::LocalRegularity;
use crate::index::array::ArrayVerdict;
use crate::model::Model;
use crate::pipeline::Compiled;
use crate::spelling::lists::folded;
use crate::spelling::lists::listed;

/// If more equations than this would have to be named, no advice is given: so many are of no help.
const NAMED: usize = 6;

/// The sentence; `None` if values were found, if the search names no equation, or if the equations are too many or
/// contain no unknown.
pub(super) fn no_consistent_point(compiled: &Compiled) -> Option<String> {
    let (model, certificate) = (&compiled.model, &compiled.analysis.certificate);
    let LocalRegularity::NoConsistentPoint { message } = &certificate.local else { return None };
    // The functions of the caller are not known yet, so the model need not be at fault.
    let supplied = model.stand_ins();
    if !supplied.is_empty() {
        let names: Vec<String> = supplied.iter().map(|name| format!("`{name}`")).collect();
        return Some(format!(
            "{} had no values while the model was analysed, and other functions stood in; whether the start values agree with the real \
             ones is decided when a run starts. For a certified index, fix only what does not depend on them, and make the rest guesses (`~`)",
            listed(&names)
        ));
    }
    let array = certificate.array.as_ref().and_then(|finding| match &finding.verdict {
        ArrayVerdict::NoConsistentPoint { message, .. } => Some(message.as_str()),
        ArrayVerdict::Index(_)
        | ArrayVerdict::NoIndex(_)
        | ArrayVerdict::Dependent { .. }
        | ArrayVerdict::Undecided { .. } => None,
    });
    let named = |k: &usize| {
        let name = model.equation_name(*k);
        [message.as_str(), array.unwrap_or_default()].iter().any(|text| mentions(text, &name))
    };
    let off: Vec<usize> = (0..model.equations.len()).filter(named).collect();
    let equations = with_partners(model, &off);
    let names: Vec<String> = equations.iter().map(|&k| model.equation_name(k)).collect();
    let unknowns = restricted(model, &equations);
    if names.is_empty() || names.len() > NAMED || unknowns.is_empty() {
        return None;
    }
    let (restrict, check) = match names.len() {
        1 => ("restricts", "check its constants and signs, since it may have no solution"),
        _ => ("together restrict", "check their constants and signs, since they may have no common solution"),
    };
    Some(format!(
        "{} {restrict} {} and could not be fulfilled from the start values: {check}; if they are right, give guesses (`~`) near one",
        listed(&folded(&names)),
        folded(&unknowns).join(", ")
    ))
}

/// Whether the name of an equation occurs in the text other than as a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let next = text[at + name.len()..].chars().next();
        let is_initial = text[..at].ends_with("initial ");
        !is_initial && !next.is_some_and(|c| c.is_ascii_digit() || c == '[' || c == '_')
    })
}

/// The given equations, and all equations without derivatives that share an unknown with a given one without
/// derivatives.
fn with_partners(model: &Model, off: &[usize]) -> Vec<usize> {
    let is_static = |k: usize| model.equations[k].incidence.iter().all(|&(_, order)| order == 0);
    let of = |k: usize| model.equations[k].incidence.iter().map(|&(unknown, _)| unknown);
    let touched: BTreeSet<_> = off.iter().filter(|&&k| is_static(k)).flat_map(|&k| of(k)).collect();
    let partner = |k: &usize| off.contains(k) || (is_static(*k) && of(*k).any(|unknown| touched.contains(&unknown)));
    (0..model.equations.len()).filter(partner).collect()
}

/// The names of the unknowns in the equations.
fn restricted(model: &Model, equations: &[usize]) -> Vec<String> {
    let unknowns: BTreeSet<usize> = equations
        .iter()
        .flat_map(|&k| model.equations[k].incidence.iter().map(|&(unknown, _)| unknown.index()))
        .collect();
    unknowns.into_iter().map(|j| model.unknowns[j].name.clone()).collect()
}
