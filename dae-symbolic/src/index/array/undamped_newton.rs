//! Jets that fulfil the derivative array, by undamped Newton steps.
//!
//! In: the array as a system of equations and jets to start from. Out: jets at which every row vanishes to rounding,
//! not far from there, or nothing.
//!
//! Where unknowns are polynomials of others that obey simple equations, so that each is determined when those before it
//! are, undamped Newton steps find them one after the other, exactly, while the others run away and come back: $x = a$,
//! $y = q(x)$, $z = r(x, y)$ need three steps, whatever $q$ and $r$ are. Every monotonicity test forbids that, and
//! makes steps crawl along the curved path on which all residuals decrease together. So this is what is tried when
//! damped steps (`damped_newton.rs`) lead nowhere: with $0, 1, \dots, m$ differentiations, one after the other, steps
//! of least norm (Deuflhard, *Newton Methods for Nonlinear Problems*, sect. 4.4.1) in which derivatives without given
//! values are cheap rather than free. Their limit need not be a solution: far away, rows are small compared with their
//! terms. So rows have to vanish in higher precision as well (`extended_precision.rs`).
//!
//! Near a solution such a step has no choice to make: a row that free jets satisfy less and less well, because what
//! multiplies them vanishes on solutions, is smoothly left to the other jets.

use dae_runtime::contract::Start;
use dae_runtime::initialize::LeastChange;

use super::ease::{COSTS, Cost, ease};
use super::extended_precision;
use super::point::ArrayPoint;
use super::system::{ArraySystem, norm};
use crate::index::limits;

/// Looks for jets near `from`; `None` if none are found or the array is large.
pub(super) fn undamped_newton(system: &ArraySystem<'_>, from: &ArrayPoint) -> Option<ArrayPoint> {
    if system.array.rows() > system.array.limits.undamped.rows {
        return None;
    }
    COSTS.into_iter().find_map(|cost| {
        let found = in_stages(system, from.clone(), cost)?;
        let is_solution =
            |found: &ArrayPoint| is_near(system, from, found) && extended_precision::is_simple_solution(system, found);
        if is_solution(&found) {
            return Some(found);
        }
        // Derivatives that are about right may lead there from the start values themselves.
        let found = in_stages(system, with_given(system, found, from), cost)?;
        is_solution(&found).then_some(found)
    })
}

fn in_stages(system: &ArraySystem<'_>, mut point: ArrayPoint, cost: Cost) -> Option<ArrayPoint> {
    for differentiations in 0..=system.array.differentiations {
        point = solve(&system.with_differentiations(differentiations), point, cost)?;
    }
    Some(point)
}

/// `point` with the given values of `from`.
fn with_given(system: &ArraySystem<'_>, mut point: ArrayPoint, from: &ArrayPoint) -> ArrayPoint {
    for (j, (series, given)) in point.taylor.iter_mut().zip(&from.taylor).enumerate() {
        for (k, (x, given)) in series.iter_mut().zip(given).enumerate() {
            if system.kind(j, k) != Start::Free {
                *x = *given;
            }
        }
    }
    point
}

fn solve(system: &ArraySystem<'_>, mut point: ArrayPoint, cost: Cost) -> Option<ArrayPoint> {
    let limits::Array { damped, undamped, .. } = &system.array.limits;
    let (mut before, mut left) = (f64::INFINITY, 0.0);
    for _ in 0..undamped.steps {
        if !system.may_go_on() {
            break;
        }
        let mut here = system.scaled(&point).ok()?;
        if here.hold_to(damped.rounding) {
            return (left <= undamped.quick).then_some(point);
        }
        let consistent = here.hold_to(damped.consistency);
        let ease = ease(system, &point, cost);
        here.scale_columns(&ease);
        let opposite: Vec<f64> = here.residual.iter().map(|r| -r).collect();
        let all_free = vec![true; system.columns];
        let mut z = LeastChange::new(&here.rows, system.columns, &all_free, undamped.dependent).ok()?.step(&opposite).z;
        let length = norm(&z);
        if before > undamped.known {
            left = length / before;
        }
        if length <= damped.negligible {
            return (consistent && left <= undamped.quick).then_some(point);
        }
        before = length;
        z.iter_mut().zip(&ease).for_each(|(z, ease)| *z *= ease);
        let next = system.moved(&point, &z, 1.0);
        let size = system.size(&next);
        if next == point || size.is_nan() || size > undamped.lost {
            return (consistent && left <= undamped.quick).then_some(point);
        }
        point = next;
    }
    None
}

/// Whether given values are still close to the start: on another branch another index may hold.
fn is_near(system: &ArraySystem<'_>, from: &ArrayPoint, point: &ArrayPoint) -> bool {
    let moved = system.array.limits.undamped.moved;
    let jets = from.taylor.iter().zip(&point.taylor).enumerate();
    jets.flat_map(|(j, (a, b))| a.iter().zip(b).enumerate().map(move |(k, (a, b))| (j, k, a, b)))
        .filter(|&(j, k, ..)| system.kind(j, k) != Start::Free)
        .all(|(j, _, a, b)| (a - b).abs() <= moved * a.abs().max(system.model.unknowns[j].nominal))
}
