//! Models with more equations than unknowns.
//!
//! In: such a model. Out: its analysis, if the equations do not contradict one another: the index is that of the derivative array of all
//! of them; reduced are as many as there are unknowns, chosen so that they have the same consistent states, and the others are
//! constraints that hold by themselves.

use super::array::{ArrayPoint, ArrayVerdict, judge};
use super::problem::{self, Problem};
use super::{Analysis, LowerBound, analyse_system, array_start, settle};
use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::prolong::default_parameters;
use crate::system::System;

/// Choices of equations that are tried.
const MAX_CHOICES: usize = 40;

/// Analyses a model with redundant equations.
pub(super) fn analyse(model: &mut Model, t0: f64) -> Result<Analysis, (Problem, Diagnostics)> {
    let start = ArrayPoint::of_start_values(model, &default_parameters(model), t0);
    let finding = judge(model, &start, None);
    let (problem, found) = problem::not_square(model, &super::pattern_parts(model), "");
    match &finding.verdict {
        ArrayVerdict::Index(_) => {}
        ArrayVerdict::NoIndex(freedom) => return Err(problem::not_unique(model, freedom)),
        ArrayVerdict::NoConsistentPoint { contradiction, message } => {
            if !contradiction.is_empty() {
                return Err(problem::contradictory(model, contradiction, message));
            }
            let note = format!("no values near the start values fulfil all equations and their derivatives: {message}");
            return Err((problem, found.into_iter().map(|d| d.note(note.clone())).collect()));
        }
        ArrayVerdict::Undecided { reason } => {
            let note =
                format!("whether the equations beyond the unknowns follow from the others was not found out: {reason}");
            return Err((problem, found.into_iter().map(|d| d.note(note.clone())).collect()));
        }
    }
    let degrees = finding.ranks.last().map(|ranks| ranks.manifold_dimension());
    let mut first = None;
    for chosen in choices(model.equations.len(), model.unknowns.len()) {
        let system = System::of_equations(model, &chosen);
        let Ok(mut analysis) = analyse_system(model, system, None, t0) else { continue };
        analysis.redundant = (0..model.equations.len()).filter(|k| !chosen.contains(k)).collect();
        let same_states = analysis.certificate.degrees_of_freedom() == degrees;
        if analysis.certificate.is_regular() && same_states && analysis.rewrites.is_empty() {
            return complete(model, analysis, t0);
        }
        first = first.or(Some(analysis));
    }
    match first {
        Some(analysis) => complete(model, analysis, t0),
        None => Err((problem, found)),
    }
}

/// The array of all equations at the point of the chosen ones.
fn complete(model: &mut Model, mut analysis: Analysis, t0: f64) -> Result<Analysis, (Problem, Diagnostics)> {
    let start = array_start(model, &analysis, t0);
    let finding = judge(model, &start, None);
    // Of what the chosen equations show, only the upper bound is about the text.
    analysis.certificate.lower = LowerBound::NotAttempted { reason: "there are redundant equations".into() };
    analysis.certificate.array = Some(finding);
    analysis.written.jacobian_singular = None;
    settle(model, &mut analysis, t0)?;
    Ok(analysis)
}

/// Sets of `n` of `m` equations, earlier ones first.
fn choices(m: usize, n: usize) -> Vec<Vec<usize>> {
    let mut list = Vec::new();
    let mut chosen: Vec<usize> = (0..n).collect();
    while list.len() < MAX_CHOICES {
        list.push(chosen.clone());
        // The next combination in lexicographic order.
        let Some(place) = (0..n).rev().find(|&k| chosen[k] < m - n + k) else { break };
        chosen[place] += 1;
        for k in place + 1..n {
            chosen[k] = chosen[k - 1] + 1;
        }
    }
    list
}
