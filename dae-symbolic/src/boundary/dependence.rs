//! Boundary conditions that restrict the same.
//!
//! In: a boundary value problem with its programs. Out: nothing, or an error that names conditions that follow from one
//! another, given the equations of the model at the same time: `x(t0) = 1` and `x(t0) = 2`, or both coordinates of a
//! pendulum.
//!
//! The rows $\partial G/\partial (J, p, t_e)$ of the prolonged equations at every point and the rows
//! $\partial B/\partial (J, p, t_e)$ of the conditions are independent where a problem is well posed, except at isolated
//! points. Only conditions with constant derivatives are examined, at the consistent point of the model and at points
//! in general position beside it: those that depend on one another at all of these do so everywhere. How the solution
//! leads from one point to another is not looked at.

use dae_runtime::contract::{Boundary, Pattern, Prolongation};
use dae_runtime::pivoted_qr::{SparseRow, dependencies};
use std::collections::BTreeSet;

use super::problem::BoundaryProblem;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol, gradient, has_symbol};
use crate::index::Analysis;
use crate::model::Model;
use crate::prolongation::Prolonged;

/// Number of points beside the consistent one.
const OTHERS: u64 = 3;

/// How far the jets of other points are from it, relative to their size.
const DISTANCE: f64 = 0.3;

/// A row nearer than this to a combination of others, relative to its size, is one: about the square root of a rounding
/// error, above the errors of [`rate`].
const DEPENDENT: f64 = 1e-8;

/// Problems with more rows and columns are not examined: the work grows with the cube of their number.
const MOST: usize = 600;

/// Step of differences in time, relative to the time: about the cube root of a rounding error.
const STEP: f64 = 1e-5;

/// Checks that no condition follows from others.
pub(super) fn check(
    model: &mut Model,
    analysis: &Analysis,
    prolonged: &Prolonged,
    (problem, residuals): (&BoundaryProblem, &[Expr]),
    t0: f64,
) -> Result<(), Diagnostics> {
    let (Some(start), Some(program)) = (&analysis.jets, &prolonged.boundary) else { return Ok(()) };
    let (jets, points) = (prolonged.description.jets.len(), program.description.points.len());
    let equations = prolonged.description.equations.len();
    if start.len() != jets || points * (equations + jets) > MOST || model.has_stand_ins() {
        return Ok(());
    }
    let linear: Vec<usize> = (0..residuals.len()).filter(|&k| is_linear(model, problem, residuals[k])).collect();
    let rows = points * equations;
    let own = |relation: &[(usize, f64)]| -> BTreeSet<usize> {
        relation.iter().filter_map(|&(row, _)| Some(linear[row.checked_sub(rows)?])).collect()
    };
    let at = |seed: u64| relations(prolonged, &Place::new(prolonged, start, t0, seed), &linear);
    let doubtful: BTreeSet<usize> = at(0).iter().flat_map(|relation| own(relation)).collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    let others: Vec<Vec<Vec<(usize, f64)>>> = (1..=OTHERS).map(at).collect();
    for relation in others.first().into_iter().flatten() {
        let conditions = own(relation);
        let is_general = others.iter().all(|relations| relations.iter().any(|other| own(other) == conditions));
        if is_general && conditions.intersection(&doubtful).next().is_some() {
            let used = relation.iter().filter(|(row, _)| *row < rows);
            let equations: BTreeSet<usize> = used.map(|(row, _)| row % equations).collect();
            return Err(dependent(prolonged, problem, &conditions, &equations).into());
        }
    }
    Ok(())
}

/// Whether the derivatives of a condition depend neither on the solution nor on what is free.
fn is_linear(model: &mut Model, problem: &BoundaryProblem, residual: Expr) -> bool {
    let boundary = &problem.boundary;
    let changes = |symbol| match symbol {
        Symbol::State(_) => true,
        Symbol::Parameter(p) => boundary.free_parameters.iter().any(|&(free, _)| free == p),
        Symbol::StateDerivative(1) => boundary.free_end.is_some(),
        _ => false,
    };
    let partials = gradient(&mut model.dag, residual, changes);
    partials.into_iter().all(|(_, partial)| !has_symbol(&model.dag, partial, changes))
}

/// Times and jets at all points.
struct Place {
    times: Vec<f64>,
    jets: Vec<f64>,
}

impl Place {
    /// The consistent point at all times, moved unless `seed` is zero.
    fn new(prolonged: &Prolonged, start: &[f64], t0: f64, seed: u64) -> Place {
        let points = prolonged.boundary_description().points.len();
        let ends = prolonged.default_ends().filter(|ends| ends.iter().all(|end| end.is_finite()));
        let [from, to] = ends.unwrap_or([t0, t0 + 1.0]);
        let mut times: Vec<f64> = vec![from; points];
        prolonged.interior_points(&mut times[1..points - 1]);
        times[points - 1] = to;
        let mut place = Place { times, jets: start.repeat(points) };
        if seed > 0 {
            let description = &prolonged.description.jets;
            for (k, value) in place.jets.iter_mut().enumerate() {
                let nominal = description[k % description.len()].nominal;
                *value += DISTANCE * drawn(seed, k as u64) * (value.abs() + nominal);
            }
        }
        place
    }
}

/// A number in $(-1, 1)$, the same in every run.
fn drawn(seed: u64, k: u64) -> f64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ k.wrapping_mul(0xd1b5_4a32_d192_ed03);
    for _ in 0..3 {
        x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The linear relations between the rows of the equations at all points, and those of the conditions in `linear`.
fn relations(prolonged: &Prolonged, at: &Place, linear: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let d = prolonged.boundary_description();
    let (jets, points) = (prolonged.description.jets.len(), d.points.len());
    let parameters = points * jets;
    let end = parameters + d.free_parameters.len();
    let free = |p: usize| d.free_parameters.iter().position(|&it| it == p).map(|k| parameters + k);
    let values = |pattern: &Pattern, fill: &dyn Fn(&mut [f64])| {
        let mut values = vec![0.0; pattern.len()];
        fill(&mut values);
        values
    };
    let mut rows: Vec<SparseRow> = Vec::new();
    for (point, &t) in at.times.iter().enumerate() {
        let y = &at.jets[point * jets..(point + 1) * jets];
        let (of_jets, of_p) = (&prolonged.description.jacobian, &prolonged.description.jacobian_p);
        let by_jets = values(of_jets, &|values| prolonged.prolonged_jacobian(t, y, values));
        let by_p = values(of_p, &|values| prolonged.prolonged_jacobian_p(t, y, values));
        let moves = d.has_free_end && point + 1 == points;
        let by_t = if moves { rate(prolonged, t, y) } else { vec![0.0; of_jets.rows()] };
        for (row, &by_t) in by_t.iter().enumerate() {
            let own = of_jets.row(row).map(|(column, k)| (point * jets + column, by_jets[k]));
            let of_free = of_p.row(row).filter_map(|(column, k)| Some((free(column)?, by_p[k])));
            rows.push(own.chain(of_free).chain(moves.then_some((end, by_t))).collect());
        }
    }
    let by_jets = values(&d.jacobian, &|values| prolonged.boundary_jacobian(&at.times, &at.jets, values));
    let by_p = values(&d.jacobian_p, &|values| prolonged.boundary_jacobian_p(&at.times, &at.jets, values));
    let by_t = values(&d.jacobian_t, &|values| prolonged.boundary_jacobian_t(&at.times, &at.jets, values));
    for &row in linear {
        let own = d.jacobian.row(row).map(|(column, k)| (column, by_jets[k]));
        let of_free = d.jacobian_p.row(row).filter_map(|(column, k)| Some((free(column)?, by_p[k])));
        let of_end = d.jacobian_t.row(row).filter(|&(column, _)| d.has_free_end && column + 1 == points);
        rows.push(own.chain(of_free).chain(of_end.map(|(_, k)| (end, by_t[k]))).collect());
    }
    if rows.iter().flatten().any(|(_, value)| !value.is_finite()) {
        return Vec::new();
    }
    dependencies(&rows, end + 1, DEPENDENT)
}

/// $\partial G/\partial t$, by central differences.
fn rate(prolonged: &Prolonged, t: f64, jets: &[f64]) -> Vec<f64> {
    let h = STEP * (1.0 + t.abs());
    let rows = prolonged.description.equations.len();
    let [mut before, mut after] = [vec![0.0; rows], vec![0.0; rows]];
    prolonged.prolonged_residual(t - h, jets, &mut before);
    prolonged.prolonged_residual(t + h, jets, &mut after);
    after.iter().zip(&before).map(|(after, before)| (after - before) / (2.0 * h)).collect()
}

fn dependent(
    prolonged: &Prolonged,
    problem: &BoundaryProblem,
    conditions: &BTreeSet<usize>,
    equations: &BTreeSet<usize>,
) -> Diagnostic {
    let named: Vec<String> = conditions.iter().map(|&k| format!("`{}`", problem.conditions[k].name)).collect();
    let message = match named.as_slice() {
        [one] => format!("the condition {one} restricts what the equations already determine"),
        several => format!("the conditions {} restrict the same", several.join(" and ")),
    };
    let mut finding = Diagnostic::error(Code::DependentConditions, message);
    for (place, &k) in conditions.iter().rev().enumerate() {
        let text = if place == 0 { "depends on the others" } else { "given here" };
        let text = if conditions.len() == 1 { "follows from the equations, or contradicts them" } else { text };
        finding = finding.label(problem.conditions[k].condition.origin, text);
    }
    let names: Vec<String> = equations.iter().map(|&k| prolonged.description.equations[k].name.to_string()).collect();
    if !names.is_empty() {
        finding = finding.note(format!("at one time, they are related by {}", names.join(", ")));
    }
    finding.help("the conditions contradict one another or say the same twice: replace one of them by a condition on another unknown, or at another time")
}
