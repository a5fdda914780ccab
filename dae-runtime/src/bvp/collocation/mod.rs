//! Projected collocation.
//!
//! In: a problem, options, a first guess. Out: a solution on a mesh on which its error is small enough, or why there is none.
//!
//! Each iterate is a piecewise polynomial ([`polynomials`]) that satisfies the equations of the formulation at the nodes of
//! all intervals ([`equations`]). Meshes are refined until the error is small enough ([`estimate`], [`adaptive`]). Where that
//! finds no solution from the guess, paths are followed on which parameters move from easier values ([`continuation`]).

mod adaptive;
mod continuation;
mod equations;
mod estimate;
mod linearization;
mod lower_order;
mod polynomials;
mod projection;
mod rounding;
mod sensitivities;
mod states;
mod transfer;

use super::error::{BvpError, Cause};
use super::guess::FirstGuess;
use super::mesh::Mesh;
use super::newton::Limits;
use super::options::{Continuation, Options};
use super::problem::Problem;
use super::scheme::{Nodes, Scheme};
use super::solution::{BvpSolution, BvpStatistics, with_parameters};
use super::tolerances::Tolerances;
use adaptive::{Failed, Found, Plan};
use continuation::Path;
use polynomials::Collocation;
use sensitivities::sensitivities;
use states::record;

/// Meshes are refined for the sake of convergence alone up to this many times the intervals of the first one.
const PATIENCE: usize = 4;

/// Solves the problem with nodes of this family, and differentiates the solution with respect to the parameters at these
/// positions.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    nodes: Nodes,
    options: &Options<'_>,
    guess: &FirstGuess<'_>,
    allowed: &Tolerances,
    quantities: &[usize],
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<BvpSolution, BvpError> {
    let stages = options.nodes_per_interval();
    let scheme = Scheme::of(nodes, stages);
    let mut statistics = BvpStatistics { stages, ..BvpStatistics::default() };
    match approach(problem, nodes, options, guess, allowed, &mut statistics, is_stopped)? {
        Ok(found) => {
            let found = finish(problem, scheme, found, statistics, quantities);
            match quantities.is_empty() || found.solution.sensitivities.is_some() {
                true => Ok(found),
                false => Err(BvpError::Inaccurate { cause: Cause::Undetermined, last: Box::new(found) }),
            }
        }
        Err(failed) => {
            let Failed { cause, last, is_solved } = *failed;
            let last = Box::new(finish(problem, scheme, last, statistics, &[]));
            Err(match is_solved {
                true => BvpError::Inaccurate { cause, last },
                false => BvpError::NotConverged { cause, last },
            })
        }
    }
}

/// Approaches the problem: along the path given if there is one, or from the guess, and where that finds no solution along
/// paths that suggest themselves.
///
/// # Errors
/// The parameters of the path given do not exist, or cannot move.
fn approach(
    problem: &mut Problem<'_>,
    nodes: Nodes,
    options: &Options<'_>,
    guess: &FirstGuess<'_>,
    allowed: &Tolerances,
    statistics: &mut BvpStatistics,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<Result<Found, Box<Failed>>, BvpError> {
    let stages = options.nodes_per_interval();
    let (mesh, iterate) = guess.iterate(problem, Scheme::of(nodes, stages));
    let limits = Limits::default();
    let plan = Plan {
        nodes,
        stages,
        most_intervals: options.most_intervals,
        has_fixed_mesh: options.has_fixed_mesh,
        patient_intervals: PATIENCE * mesh.intervals().max(options.intervals),
        limits: if options.has_fixed_mesh { limits.on_the_last_mesh() } else { limits },
    };
    if let Continuation::Given(given) = &options.continuation {
        let path = Path::given(problem, given)?;
        return Ok(continuation::follow(problem, &path, plan, guess, allowed, statistics, is_stopped));
    }
    let failed = match adaptive::solve(problem, plan, mesh, iterate, allowed, statistics, is_stopped) {
        Err(failed) if failed.is_unsolved() && matches!(options.continuation, Continuation::Automatic) => failed,
        solved => return Ok(solved),
    };
    for path in Path::automatic(problem) {
        let followed = continuation::follow(problem, &path, plan, guess, allowed, statistics, is_stopped);
        if !matches!(&followed, Err(failed) if failed.is_unsolved()) {
            return Ok(followed);
        }
    }
    Ok(Err(failed))
}

/// The result that an iterate is, with derivatives with respect to these parameters.
fn finish(
    problem: &mut Problem<'_>,
    scheme: &'static Scheme,
    found: Found,
    statistics: BvpStatistics,
    quantities: &[usize],
) -> BvpSolution {
    let Found { mut mesh, mut iterate, estimate } = found;
    problem.set_shared(&mut mesh, &iterate.shared);
    let mut solution = record(&Collocation { problem, scheme }, &mesh, &iterate);
    if !quantities.is_empty() {
        let end = problem.shared.parameters.len();
        let values = quantities.iter().map(|&parameter| problem.dae.parameters()[parameter]);
        iterate.shared.splice(end..end, values.collect::<Vec<f64>>());
        problem.shared = problem.shared.with_pinned(quantities);
        if let Some(derivatives) = sensitivities(&Collocation { problem, scheme }, &mesh, &iterate) {
            let names = quantities.iter().map(|&parameter| problem.description().parameters[parameter].clone());
            solution.set_sensitivities(names.collect(), &derivatives);
        }
    }
    let mut found = with_parameters(&*problem.dae, solution, mesh.t, statistics);
    found.set_errors(problem.description(), estimate.errors);
    found
}
