//! Solutions on meshes that are chosen until the error is as small as asked for.
//!
//! In: a problem, a first mesh with a first guess. Out: a solution with its mesh and error.

use crate::bvp::error::Cause;
use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::{Mesh, equidistributed, halved, monitor};
use crate::bvp::newton::{self, Limits};
use crate::bvp::obstacle::Obstacle;
use crate::bvp::problem::Problem;
use crate::bvp::scheme::{Nodes, Scheme};
use crate::bvp::solution::BvpStatistics;
use crate::bvp::tolerances::Tolerances;
use crate::linalg::vector::larger;

use super::estimate::{Estimate, estimate, estimate_unless_too_coarse};
use super::polynomials::Collocation;
use super::rounding::is_ill_conditioned;
use super::states::interpolation_errors;
use super::transfer::transfer;

/// How solutions are sought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) nodes: Nodes,
    pub(super) stages: usize,
    pub(super) most_intervals: usize,
    /// Whether the first mesh is the last.
    pub(super) has_fixed_mesh: bool,
    /// Number of intervals up to which a mesh is refined because Newton's iteration does not converge.
    pub(super) patient_intervals: usize,
    pub(super) limits: Limits,
}

/// A solution of the discretised equations.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) mesh: Mesh,
    pub(super) iterate: Iterate,
    pub(super) estimate: Estimate,
}

/// Why there is no solution that is accurate enough, and the last iterate; `is_solved` if the discretised equations hold.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) cause: Cause,
    pub(super) last: Found,
    pub(super) is_solved: bool,
}

impl Failed {
    /// Nothing is known of the error of an iterate that does not solve the equations.
    fn unsolved(cause: Cause, unknowns: usize, mesh: Mesh, iterate: Iterate) -> Box<Failed> {
        let estimate = Estimate::unknown(unknowns, mesh.intervals());
        Box::new(Failed { cause, last: Found { mesh, iterate, estimate }, is_solved: false })
    }

    /// A solution that is not accurate enough. Rounding errors are the cause where they are too large.
    fn inaccurate(cause: Cause, last: Found) -> Box<Failed> {
        let gives_up = matches!(cause, Cause::Stagnated | Cause::Intervals { .. });
        let cause = if gives_up && last.estimate.rounding > 1.0 { Cause::IllConditioned } else { cause };
        Box::new(Failed { cause, last, is_solved: true })
    }

    /// Whether no solution of the discretised equations was found.
    pub(super) fn is_unsolved(&self) -> bool {
        !self.is_solved && self.cause != Cause::Interrupted
    }
}

/// The largest estimate that is accepted, in units of the error allowed.
const ACCEPTED: f64 = 0.3;
/// The error aimed at, in units of the error allowed.
const AIM: f64 = 0.1;
/// Largest number of meshes.
const MESHES: usize = 60;
/// Factors by which the number of intervals grows at most, on even and on uneven meshes, and shrinks at most.
const GROWTH: f64 = 4.0;
const GROWTH_WHERE_UNEVEN: f64 = 1.6;
const SHRINKAGE: f64 = 0.5;
/// Errors up to this many times the one allowed do not become small enough with fewer intervals: their number grows by at
/// least this factor.
const FAR_OFF: f64 = 10.0;
const LEAST_GROWTH: f64 = 1.15;
/// A mesh is uneven where an interval should be divided into this many times the mean number of parts.
const UNEVEN: f64 = 3.0;
/// Largest number of times that the directions of projections are set on a mesh.
const DIRECTIONS: usize = 5;
/// There is progress where an error is below this fraction of the smallest one before.
const PROGRESS: f64 = 0.7;
/// Number of meshes without progress after which it is concluded that there will be none, if the last has at least as many
/// intervals as this multiple of the nodes in each.
const PATIENCE: usize = 8;
const FINE: usize = 4;
/// The error assumed where the estimate is not finite, in units of the error allowed, unless coefficients are larger.
const UNKNOWN: f64 = 1e3;

/// Solves on one mesh after the other.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    plan: Plan,
    mut mesh: Mesh,
    mut iterate: Iterate,
    allowed: &Tolerances,
    statistics: &mut BvpStatistics,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<Found, Box<Failed>> {
    let scheme = Scheme::of(plan.nodes, plan.stages);
    let unknowns = problem.description().unknowns.len();
    let (mut best, mut without_progress) = (f64::INFINITY, 0);
    let mut last = None;
    for _ in 0..MESHES {
        statistics.meshes += 1;
        let start = iterate.clone();
        if let Err(obstacle) = solve_on(problem, scheme, &mut mesh, &mut iterate, allowed, plan.limits, statistics) {
            if is_stopped(&mesh, f64::INFINITY) {
                return Err(Failed::unsolved(Cause::Interrupted, unknowns, mesh, iterate));
            }
            if plan.has_fixed_mesh || 2 * mesh.intervals() > plan.patient_intervals.min(plan.most_intervals) {
                // Where rounding errors are amplified, they keep Newton's iteration from converging.
                let collocation = Collocation { problem, scheme };
                let cause = match is_ill_conditioned(&collocation, plan.nodes, &mesh, &iterate, allowed) {
                    true => Cause::IllConditioned,
                    false => obstacle.into(),
                };
                return Err(Failed::unsolved(cause, unknowns, mesh, iterate));
            }
            problem.set_shared(&mut mesh, &start.shared);
            let finer = halved(&mesh);
            iterate = transfer(&Collocation { problem, scheme }, &mesh, &start, &finer);
            mesh = finer;
            continue;
        }
        let collocation = Collocation { problem, scheme };
        let mut estimate = match plan.has_fixed_mesh {
            true => estimate(&collocation, plan.nodes, &mesh, &iterate, allowed),
            false => estimate_unless_too_coarse(&collocation, plan.nodes, &mesh, &iterate, allowed),
        };
        statistics.factorizations += 1;
        statistics.residuals += 1;
        let stops = is_stopped(&mesh, estimate.largest);
        let is_accurate = is_accurate(&collocation, &mesh, &iterate, allowed, &mut estimate);
        let found = Found { mesh, iterate, estimate };
        if is_accurate || plan.has_fixed_mesh {
            return Ok(found);
        }
        if stops {
            return Err(Failed::inaccurate(Cause::Interrupted, found));
        }
        let error = found.estimate.largest;
        if error <= ACCEPTED {
            return Err(Failed::inaccurate(Cause::IllConditioned, found));
        }
        (best, without_progress) = if error < PROGRESS * best { (error, 0) } else { (best, without_progress + 1) };
        let count = found.mesh.intervals();
        if without_progress >= PATIENCE && count >= FINE * plan.stages {
            return Err(Failed::inaccurate(Cause::Stagnated, found));
        }
        let finer = next(&found.mesh, &found.estimate, plan.stages, plan.most_intervals);
        if finer.intervals() > plan.most_intervals || count >= plan.most_intervals {
            return Err(Failed::inaccurate(Cause::Intervals { most: plan.most_intervals }, found));
        }
        iterate = transfer(&collocation, &found.mesh, &found.iterate, &finer);
        mesh = finer;
        last = Some(found);
    }
    Err(match last {
        Some(last) => Box::new(Failed { cause: Cause::Stagnated, last, is_solved: true }),
        None => Failed::unsolved(Cause::Diverged, unknowns, mesh, iterate),
    })
}

/// Whether the error is as small as asked for, between the points at which algebraic unknowns are interpolated, too.
/// Where it is not there, the estimate says so afterwards.
fn is_accurate(
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
    estimate: &mut Estimate,
) -> bool {
    let is_small = estimate.largest <= ACCEPTED && estimate.rounding <= 1.0;
    if !is_small {
        return false;
    }
    let missed = interpolation_errors(collocation, mesh, iterate, allowed);
    for (coefficient, missed) in estimate.coefficients.iter_mut().zip(&missed) {
        *coefficient = larger(*coefficient, *missed);
    }
    let largest = missed.into_iter().fold(0.0, larger);
    estimate.largest = larger(estimate.largest, largest);
    largest <= 1.0
}

/// Solves on a mesh. The directions of projections are kept while Newton's method iterates, and are set until this changes
/// nothing.
fn solve_on(
    problem: &mut Problem<'_>,
    scheme: &'static Scheme,
    mesh: &mut Mesh,
    iterate: &mut Iterate,
    allowed: &Tolerances,
    limits: Limits,
    statistics: &mut BvpStatistics,
) -> Result<(), Obstacle> {
    problem.set_shared(mesh, &iterate.shared);
    for _ in 0..DIRECTIONS {
        let has_directions = !iterate.directions.is_empty();
        let change = Collocation { problem, scheme }.set_directions(mesh, iterate, allowed)?;
        if has_directions && change <= limits.settled {
            break;
        }
        newton::solve(problem, &scheme, mesh, iterate, allowed, limits, statistics)?;
        if iterate.directions.is_empty() {
            break;
        }
    }
    Ok(())
}

/// The next mesh.
fn next(mesh: &Mesh, estimate: &Estimate, degree: usize, most: usize) -> Mesh {
    let count = mesh.intervals() as f64;
    let largest = estimate.coefficients.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let error = if estimate.largest.is_finite() { estimate.largest } else { largest.max(UNKNOWN) };
    // Errors are those of the solution of lower order, which go with the same power of the length of an interval as the
    // coefficients.
    let parts = monitor(mesh, &estimate.coefficients, largest * AIM / error, degree);
    let sum: f64 = parts.iter().sum();
    let uneven = parts.iter().copied().fold(0.0, f64::max) * count / sum;
    let growth = if uneven > UNEVEN { GROWTH_WHERE_UNEVEN } else { GROWTH };
    // Where little is missing, fewer intervals would not do.
    let least = if error > FAR_OFF { SHRINKAGE } else { LEAST_GROWTH };
    let wanted = sum.clamp(least * count, growth * count);
    equidistributed(mesh, &parts, (wanted.ceil() as usize).min(most).max(1))
}
