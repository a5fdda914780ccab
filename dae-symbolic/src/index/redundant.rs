//! Models with more equations than unknowns.
//!
//! In: such a model. Out: its analysis, if the equations do not contradict one another: the index is that of the derivative array of all
//! of them; reduced are as many as there are unknowns, chosen so that they have the same consistent states, and the others are
//! constraints that hold by themselves.

use super::array::{ArrayPoint, ArrayVerdict, DerivativeArray, judge};
use super::problem::{self, Problem};
use super::{Analysis, LowerBound, Verdict, analyse_system, array_start, settle};
use crate::diagnostic::Diagnostics;
use crate::expr::prime_field::{FieldPoint, sparse_rank};
use crate::model::Model;
use crate::prolong::default_parameters;
use crate::system::System;

/// Rows over the prime field: column and residue.
type Gradients = Vec<Vec<(usize, u64)>>;

/// Choices of equations that are tried.
const MAX_CHOICES: usize = 40;

/// Analyses a model with redundant equations.
pub(super) fn analyse(model: &mut Model, t0: f64) -> Result<Analysis, (Problem, Diagnostics)> {
    if let Some(analysis) = combinations_of_others(model, t0) {
        return Ok(analysis);
    }
    let start = ArrayPoint::of_start_values(model, &default_parameters(model), t0);
    let finding = judge(model, &start, None);
    let (problem, found) = problem::not_square(model, &super::pattern_parts(model), "");
    match &finding.verdict {
        ArrayVerdict::Index(_) => {}
        ArrayVerdict::Dependent { rows } => return Err(problem::dependent(model, rows)),
        ArrayVerdict::NoIndex(freedom) => return Err(problem::not_unique(model, freedom)),
        ArrayVerdict::NoConsistentPoint { contradiction, message, .. } => {
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

/// The analysis of as many equations as there are unknowns, if the others are functions of them: where the gradients of the others depend on
/// theirs at every point (at random ones of the prime field) and they vanish at the consistent point, they vanish wherever the chosen ones
/// do, and so do all derivatives. Then everything that holds for the chosen equations holds for the text.
fn combinations_of_others(model: &mut Model, t0: f64) -> Option<Analysis> {
    let array = DerivativeArray::of(model, 0)?;
    let ranks = generic_gradients(model, &array)?;
    let n = model.unknowns.len();
    if ranks.iter().any(|rows| sparse_rank(rows) != n) {
        return None;
    }
    let chosen = choices(model.equations.len(), n).into_iter().find(|chosen| {
        ranks.iter().all(|rows| sparse_rank(&chosen.iter().map(|&k| rows[k].clone()).collect::<Vec<_>>()) == n)
    })?;
    let system = System::of_equations(model, &chosen);
    let mut analysis = analyse_system(model, system, None, t0).ok()?;
    analysis.redundant = (0..model.equations.len()).filter(|k| !chosen.contains(k)).collect();
    if !matches!(analysis.certificate.verdict(), Verdict::Exact(_)) {
        return None;
    }
    let point = array_start(model, &analysis, t0);
    let parameters = &analysis.prolonged.parameters;
    let at = array.at(&model.dag, parameters, &point);
    let holds = |k: &usize| at.residuals[*k][0].abs() <= HOLDS * array.magnitude(&at, &point, *k).max(HOLDS);
    if !analysis.redundant.iter().all(holds) {
        return None;
    }
    settle(model, &mut analysis, t0).ok()?;
    Some(analysis)
}

/// The gradients of all equations at two random points of the prime field.
fn generic_gradients(model: &Model, array: &DerivativeArray) -> Option<Vec<Gradients>> {
    (0..2)
        .map(|seed| {
            let point = FieldPoint::new(seed).with_start(super::start_point(model));
            array.at_random(&model.dag, &point, seed).map(|at| array.exact_rows(&at))
        })
        .collect()
}

/// An equation holds at a point if it is smaller than this part of its terms.
const HOLDS: f64 = 1e-9;

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
