//! From a problem and options to a solution.
//!
//! In: a formulation, options, the ends of the interval. Out: the solution, or why there is none.
//!
//! Collocation starts from the guess, and if it finds no solution from there, follows paths on which parameters move from
//! easier values ([`super::continuation`]). Shooting starts from the guess alone.

use crate::contract::Dae;

use super::adaptive::{self, Failed, Found, Plan};
use super::collocation::Collocation;
use super::continuation::{self, Path};
use super::error::{BvpError, Cause};
use super::guess::FirstGuess;
use super::mesh::Mesh;
use super::newton::Limits;
use super::options::{BvpMethod, Continuation, Options};
use super::problem::Problem;
use super::scheme::{Nodes, Scheme};
use super::sensitivities::sensitivities;
use super::shooting;
use super::solution::{BvpSolution, BvpStatistics, with_parameters};
use super::states::record;
use super::tolerances::Tolerances;

/// Meshes are refined for the sake of convergence alone up to this many times the intervals of the first one.
const PATIENCE: usize = 4;

/// Solves the problem of a formulation between these ends.
pub(super) fn solve(dae: Box<dyn Dae + '_>, mut options: Options<'_>, ends: [f64; 2]) -> Result<BvpSolution, BvpError> {
    dae.input_error().map_or(Ok(()), |error| Err(BvpError::Input(error)))?;
    let mut problem = Problem::new(dae)?;
    problem.layout.projects = options.projects;
    let quantities = problem.parameters_named(&options.sensitivities)?;
    options.check()?;
    let allowed = options.all_tolerances(problem.description())?;
    let stops = problem.stops(ends)?;
    let mut observer = options.observer.take();
    let mut is_stopped =
        |mesh: &Mesh, error: f64| observer.as_mut().is_some_and(|observer| !observer(mesh.intervals(), error));
    let Options { guess, intervals, most_intervals, .. } = &options;
    let guess = FirstGuess { guess, stops, ends, intervals: *intervals, most_intervals: *most_intervals };
    let nodes = match options.method {
        BvpMethod::Gauss => Nodes::Gauss,
        BvpMethod::Radau => Nodes::Radau,
        BvpMethod::Shooting => {
            options.check_for_shooting()?;
            return shooting::solve(&mut problem, &guess, &allowed, &mut is_stopped);
        }
    };
    let stages = options.nodes_per_interval();
    let mut statistics = BvpStatistics { stages, ..BvpStatistics::default() };
    let solved = collocate(&mut problem, nodes, &options, &guess, &allowed, &mut statistics, &mut is_stopped)?;
    let scheme = Scheme::of(nodes, stages);
    match solved {
        Ok(found) => {
            let found = finish(&mut problem, scheme, found, statistics, &quantities);
            match quantities.is_empty() || found.solution.sensitivities.is_some() {
                true => Ok(found),
                false => Err(BvpError::Inaccurate { cause: Cause::Undetermined, last: Box::new(found) }),
            }
        }
        Err(failed) => {
            let Failed { cause, last, is_solved } = *failed;
            let last = Box::new(finish(&mut problem, scheme, last, statistics, &[]));
            Err(match is_solved {
                true => BvpError::Inaccurate { cause, last },
                false => BvpError::NotConverged { cause, last },
            })
        }
    }
}

/// Solves by collocation: along the path given if there is one, or from the guess, and where that finds no solution along
/// paths that suggest themselves.
///
/// # Errors
/// The parameters of the path given do not exist, or cannot move.
fn collocate(
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
    if let Some(path) = path(problem, &options.continuation)? {
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

/// The path that the caller has given, if any.
fn path(problem: &Problem<'_>, continuation: &Continuation) -> Result<Option<Path>, BvpError> {
    let Continuation::Given(given) = continuation else { return Ok(None) };
    let parameters = &problem.description().parameters;
    let moving = given.iter().map(|(name, from)| {
        let place = parameters.iter().position(|it| it == name);
        let message = match place {
            Some(k) if problem.shared.column(k).is_some() => {
                format!("the conditions determine `{name}`, so that there is no continuation in it")
            }
            Some(_) if !from.is_finite() => format!("continuation cannot begin at {name} = {from}"),
            Some(k) => return Ok((k, *from, problem.dae.parameters()[k])),
            None => {
                let known: Vec<String> = parameters.iter().map(|it| format!("`{it}`")).collect();
                format!("there is no parameter `{name}` for continuation; the model has {}", known.join(", "))
            }
        };
        Err(BvpError::InvalidOption { message })
    });
    Ok(Some(Path::new(moving.collect::<Result<_, _>>()?)))
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
