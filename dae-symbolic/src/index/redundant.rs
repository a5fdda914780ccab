//! Models with more equations than unknowns.
//!
//! In: a model with more equations than unknowns. Out: its analysis, unless the equations contradict one another, or it
//! is open whether they do. As
//! many equations as there are unknowns are reduced, chosen, if possible, so that they have the same consistent states
//! as all of them; the others are constraints that hold automatically. The index is that of the chosen equations, if
//! the others are combinations of them, otherwise that of the derivative array of all equations.

use super::analysis::Analysis;
use super::array::{ArrayPoint, ArrayVerdict, Consistent, DerivativeArray, consistent_point, test_ranks, vanish};
use super::certificate::{LocalRegularity, LowerBound, Unproved, Verdict};
use super::limits::Limits;
use super::problem::{self, Problem, ProblemKind};
use super::settle::{array_start, judged, settle};
use super::structural::analyse_system;
use super::upper_bound::pattern_parts;
use crate::defaults::default_parameters;
use crate::diagnostic::Diagnostics;
use crate::expr::prime_field::{FieldPoint, sparse_rank};
use crate::model::Model;
use crate::subsets::subsets;
use crate::system::System;

/// Rows over the prime field: column and residue.
type Gradients = Vec<Vec<(usize, u64)>>;

/// Relative distances of the points at which equations that are left out must hold, and their distances in time, tried
/// in this order: numbers that no model contains.
const DISTANCES: [f64; 3] = [0.108_417_326_950_713, 0.031_172_854_096_237, 0.010_639_281_754_319];

/// Analyses a model with more equations than unknowns.
pub(super) fn analyse(model: &mut Model, t0: f64, limits: &Limits) -> Result<Analysis, (Problem, Diagnostics)> {
    if let Some(analysis) = combinations_of_others(model, t0, limits) {
        return Ok(analysis);
    }
    let start = ArrayPoint::of_start_values(model, &default_parameters(model), t0);
    let finding = test_ranks(model, &start, None, &limits.array);
    // Surplus equations are an error of the model only if a contradiction is shown.
    let undecided = |note: String| {
        let (mut problem, found) = problem::not_square(model, &pattern_parts(model), "");
        problem.kind = ProblemKind::Undecided;
        (problem, found.into_iter().map(|d| d.note(note.clone())).collect())
    };
    // Nothing is known of the text while the equations left out may contradict the others.
    let open = |reason: &str| {
        undecided(format!("whether the equations beyond the unknowns follow from the others is open: {reason}"))
    };
    match &finding.verdict {
        ArrayVerdict::Index(_) => {}
        ArrayVerdict::Dependent { rows } => return Err(problem::dependent(model, rows)),
        ArrayVerdict::NoIndex(freedom) => return Err(problem::not_unique(model, freedom)),
        ArrayVerdict::NoConsistentPoint { contradiction, message, .. } if !contradiction.is_empty() => {
            return Err(problem::contradictory(model, contradiction, message));
        }
        // For nonlinear equations this is known only near the start values.
        ArrayVerdict::NoConsistentPoint { nearby, message, .. } if !nearby.is_empty() => {
            let note = format!("no values near the start values fulfil all equations and their derivatives: {message}");
            return Err(undecided(note));
        }
        ArrayVerdict::NoConsistentPoint { message: reason, .. } | ArrayVerdict::Undecided { reason } => {
            return Err(open(reason));
        }
    }
    let degrees = finding.ranks.last().map(|ranks| ranks.manifold_dimension());
    let mut first = None;
    for chosen in choices(model.equations.len(), model.unknowns.len(), limits.redundant.choices) {
        let Some(analysis) = analysis_of(model, &chosen, t0, limits) else { continue };
        let same_states = analysis.certificate.degrees_of_freedom() == degrees;
        if analysis.certificate.is_regular() && same_states && analysis.rewrites.is_empty() {
            return complete(model, analysis, t0, limits);
        }
        first = first.or(Some(analysis));
    }
    match first {
        Some(analysis) => complete(model, analysis, t0, limits),
        None => Err(problem::not_square(model, &pattern_parts(model), "")),
    }
}

/// The analysis of the chosen equations on their own; `None` if they are rejected.
fn analysis_of(model: &mut Model, chosen: &[usize], t0: f64, limits: &Limits) -> Option<Analysis> {
    let system = System::of_equations(model, chosen);
    let mut analysis = analyse_system(model, system, None, t0, limits).ok()?;
    analysis.redundant = (0..model.equations.len()).filter(|k| !chosen.contains(k)).collect();
    Some(analysis)
}

/// The analysis of a choice of as many equations as there are unknowns, such that the others are combinations of these
/// and hold wherever they do: then all derivatives of the others hold as well, and everything that is said of the
/// chosen equations holds for the text. `None` if no such choice has an exact index.
fn combinations_of_others(model: &mut Model, t0: f64, limits: &Limits) -> Option<Analysis> {
    if model.equations.len() > limits.redundant.equations {
        return None;
    }
    let array = DerivativeArray::of(model, 0, &limits.array)?;
    let gradients = generic_gradients(model, &array)?;
    let n = model.unknowns.len();
    let independent = |chosen: &[usize]| {
        gradients.iter().all(|rows| sparse_rank(&chosen.iter().map(|&k| rows[k].clone()).collect::<Vec<_>>()) == n)
    };
    let choices = choices(model.equations.len(), n, limits.redundant.choices);
    for chosen in choices.into_iter().filter(|chosen| independent(chosen)) {
        let mut alone = model.clone();
        alone.equations = chosen.iter().map(|&k| model.equations[k].clone()).collect();
        let start = ArrayPoint::of_start_values(model, &default_parameters(model), t0);
        if !others_hold(model, &mut alone, &array, &chosen, &start, limits) {
            continue;
        }
        let Some(mut analysis) = analysis_of(model, &chosen, t0, limits) else { continue };
        if !matches!(analysis.certificate.verdict(), Verdict::Exact(_)) {
            let start = array_start(model, &analysis, t0, &limits.array);
            analysis.certificate.array = Some(judged(&mut alone, &analysis, &start, &limits.array));
        }
        if matches!(analysis.certificate.verdict(), Verdict::Exact(_)) {
            settle(model, &mut analysis, t0, limits).ok()?;
            let certificate = &mut analysis.certificate;
            if let LocalRegularity::Proven { condition, t0, .. } = certificate.local {
                certificate.local = LocalRegularity::Numerical { condition, t0, unproved: Unproved::Redundant };
            }
            if let Some(finding) = &mut certificate.array {
                finding.exact = false;
            }
            return Some(analysis);
        }
    }
    None
}

/// Whether the equations that were not chosen vanish wherever the chosen ones, $F(t, u, u') = 0$, hold near the start:
/// on the smooth part of that set they are analytic functions, and vanish at points in general position, in time as
/// well, only if they do so everywhere.
fn others_hold(
    model: &Model,
    alone: &mut Model,
    array: &DerivativeArray,
    chosen: &[usize],
    start: &ArrayPoint,
    limits: &Limits,
) -> bool {
    let parameters = default_parameters(model);
    let of_chosen = DerivativeArray::of(alone, 0, &limits.array);
    let Some(of_chosen) = of_chosen.filter(|chosen| chosen.rates == array.rates) else {
        return false;
    };
    let others: Vec<usize> = (0..model.equations.len()).filter(|k| !chosen.contains(k)).collect();
    let hold_at = |alone: &Model, point: &ArrayPoint, how: Consistent| {
        vanish(alone, (&of_chosen, point), array, &others, how).unwrap_or_else(|| {
            let at = array.at(&alone.dag, &parameters, point);
            let small = limits.redundant.residual;
            others.iter().all(|&k| at.residuals[k][0].abs() <= small * array.magnitude(&at, point, k).max(small))
        })
    };
    let Ok(own) = consistent_point(alone, &parameters, &of_chosen, start, Consistent::Model) else { return false };
    let beside = |seed: u64, distance: f64| {
        let mut point = own.beside(model, distance, seed, |_| usize::MAX);
        point.t += distance * (seed + 1) as f64;
        consistent_point(alone, &parameters, &of_chosen, &point, Consistent::Alike).ok()
    };
    let at_random = |seed| DISTANCES.iter().find_map(|&distance| beside(seed, distance));
    hold_at(alone, &own, Consistent::Model)
        && (0..limits.redundant.points)
            .all(|seed| at_random(seed).is_some_and(|point| hold_at(alone, &point, Consistent::Alike)))
        && !model.work.is_spent()
}

/// The gradients of all equations at two random points of the prime field; `None` if one has no value there.
fn generic_gradients(model: &Model, array: &DerivativeArray) -> Option<Vec<Gradients>> {
    (0..2)
        .map(|seed| {
            let point = FieldPoint::new(seed).with_start(crate::defaults::start_point(model));
            array.at_random(&model.dag, &point, seed).map(|at| array.exact_rows(&at))
        })
        .collect()
}

/// Completes the analysis with the derivative array of all equations, examined at the consistent point of the chosen
/// ones.
fn complete(
    model: &mut Model,
    mut analysis: Analysis,
    t0: f64,
    limits: &Limits,
) -> Result<Analysis, (Problem, Diagnostics)> {
    let start = array_start(model, &analysis, t0, &limits.array);
    let finding = test_ranks(model, &start, None, &limits.array);
    // Of what is shown for the chosen equations, only the upper bound applies to the text.
    analysis.certificate.lower = LowerBound::NotAttempted { reason: "there are redundant equations".into() };
    analysis.certificate.array = Some(finding);
    analysis.written.jacobian_singular = None;
    settle(model, &mut analysis, t0, limits)?;
    Ok(analysis)
}

/// Up to `most` sets of `n` of `m` equations, earlier ones first.
fn choices(m: usize, n: usize, most: usize) -> Vec<Vec<usize>> {
    subsets(m, n).take(most).collect()
}
