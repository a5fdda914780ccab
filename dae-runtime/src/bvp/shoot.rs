//! The solution by multiple shooting, with its error.
//!
//! In: a problem and a guess. Out: a solution. Its error is the difference from the solution that integrations with ten
//! times looser tolerances give.

use std::cell::RefCell;

use crate::contract::class::Method;
use crate::integrator::stepper::Projection;
use crate::solution::Solution;

use super::condensed::Iterate;
use super::error::{BvpError, Cause};
use super::guess::FirstGuess;
use super::mesh::{Mesh, halved};
use super::newton::{self, Limits, Obstacle, Work};
use super::problem::{Allowed, Problem};
use super::scheme::{Nodes, Scheme};
use super::shooting::Shooting;
use super::solution::{BvpSolution, BvpStatistics, with_parameters};

/// Tolerances of the first integrations, in units of those asked for, and the factor from one to the next.
const FIRST: f64 = 0.1;
const TIGHTER: f64 = 0.1;
/// Number of pairs of tolerances that are tried.
const ATTEMPTS: usize = 3;
/// Number of times that intervals are halved because Newton's iteration does not converge.
const HALVINGS: usize = 4;

/// Solves the problem.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    guess: &FirstGuess<'_>,
    allowed: &Allowed,
    most_intervals: usize,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<BvpSolution, BvpError> {
    let mut statistics = BvpStatistics::default();
    let (mut mesh, first) = guess.iterate(problem, Scheme::of(Nodes::Gauss, 2));
    let mut iterate = without_nodes(first);
    let mut halvings = 0;
    let mut solved = loop {
        let mut trial = iterate.clone();
        let shooting = shooting(problem, guess, allowed, &mesh, FIRST);
        match run(problem, &shooting, &mut mesh, &mut trial, allowed, &mut statistics) {
            Ok(()) => break trial,
            Err(obstacle) if halvings == HALVINGS || 2 * mesh.intervals() > most_intervals => {
                let last = Box::new(result(problem, guess, &mesh, &trial, None, statistics));
                return Err(BvpError::NotConverged { cause: newton::cause(&obstacle), last });
            }
            Err(_) => {
                problem.set_shared(&mut mesh, &iterate.shared);
                let finer = halved(&mesh);
                iterate = refined(&iterate);
                mesh = finer;
                halvings += 1;
            }
        }
    };
    let mut tolerance = FIRST;
    let mut coarse = shooting(problem, guess, allowed, &mesh, tolerance).solution(problem, &mesh, &solved);
    let mut error = f64::INFINITY;
    let mut last = None;
    for _ in 0..ATTEMPTS {
        tolerance *= TIGHTER;
        let finer = shooting(problem, guess, allowed, &mesh, tolerance);
        let before = solved.shared.clone();
        if let Err(obstacle) = run(problem, &finer, &mut mesh, &mut solved, allowed, &mut statistics) {
            let last = Box::new(result(problem, guess, &mesh, &solved, coarse, statistics));
            return Err(BvpError::NotConverged { cause: newton::cause(&obstacle), last });
        }
        let fine = finer.solution(problem, &mesh, &solved);
        let (Some(fine), Some(coarser)) = (fine, coarse) else { break };
        let (largest, errors) = difference(allowed, &fine, &coarser);
        let of_shared = solved.shared.iter().zip(&before);
        let of_shared = of_shared.map(|(new, old)| (new - old).abs() / allowed.of_shared(new.abs()));
        error = of_shared.fold(largest, f64::max);
        let mut found = result(problem, guess, &mesh, &solved, Some(fine.clone()), statistics);
        found.set_errors(problem.description(), errors);
        if is_stopped(&mesh, error) {
            return Err(BvpError::Inaccurate { cause: Cause::Interrupted, last: Box::new(found) });
        }
        if error <= 1.0 {
            return Ok(found);
        }
        (coarse, last) = (Some(fine), Some(found));
    }
    let last = last.unwrap_or_else(|| result(problem, guess, &mesh, &solved, None, statistics));
    let cause = if error.is_finite() { Cause::Stagnated } else { Cause::Diverged };
    Err(BvpError::Inaccurate { cause, last: Box::new(last) })
}

fn shooting(problem: &Problem<'_>, guess: &FirstGuess<'_>, allowed: &Allowed, mesh: &Mesh, factor: f64) -> Shooting {
    let jets = mesh.t.iter().map(|&t| guess.jets(problem, t)).collect();
    Shooting {
        method: Method::Radau,
        rtol: factor * allowed.rtol,
        atol: allowed.atol.iter().map(|atol| factor * atol).collect(),
        jets: RefCell::new(jets),
    }
}

fn run(
    problem: &mut Problem<'_>,
    shooting: &Shooting,
    mesh: &mut Mesh,
    iterate: &mut Iterate,
    allowed: &Allowed,
    statistics: &mut BvpStatistics,
) -> Result<(), Obstacle> {
    statistics.meshes += 1;
    let mut work = Work::default();
    let solved = newton::solve(problem, shooting, mesh, iterate, allowed, Limits::default(), &mut work);
    statistics.factorizations += work.factorizations;
    statistics.residuals += work.residuals;
    statistics.reductions += work.reductions;
    solved
}

/// The iterate of shooting: there are no nodes in intervals.
fn without_nodes(iterate: Iterate) -> Iterate {
    let count = iterate.y.len();
    Iterate { nodes: vec![Vec::new(); count - 1], ends: vec![Vec::new(); count], ..iterate }
}

/// The iterate on the mesh with halved intervals.
fn refined(iterate: &Iterate) -> Iterate {
    let mut y = Vec::with_capacity(2 * iterate.y.len());
    for ends in iterate.y.windows(2) {
        y.push(ends[0].clone());
        y.push(ends[0].iter().zip(&ends[1]).map(|(a, b)| 0.5 * (a + b)).collect());
    }
    y.extend(iterate.y.last().cloned());
    without_nodes(Iterate { y, ..iterate.clone() })
}

/// Largest difference in units of the error allowed, and for each entry of a state in its unit.
fn difference(allowed: &Allowed, fine: &Solution, coarse: &Solution) -> (f64, Vec<f64>) {
    let mut errors = vec![0.0_f64; fine.names.len()];
    let mut largest = 0.0_f64;
    // A free end is not the same for both.
    let ends = [fine, coarse].map(|it| [it.times.first().copied().unwrap_or(0.0), it.end_time]);
    for (t, state) in fine {
        let fraction = (t - ends[0][0]) / (ends[0][1] - ends[0][0]);
        let same = ends[0] == ends[1];
        let t = if same { t } else { ends[1][0] + fraction * (ends[1][1] - ends[1][0]) };
        let other = if fraction >= 1.0 { Some(coarse.end_state.clone()) } else { coarse.at(t) };
        let other = other.unwrap_or_else(|| vec![f64::NAN; state.len()]);
        for (k, (a, b)) in state.iter().zip(other).enumerate() {
            let error = if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
            errors[k] = errors[k].max(error);
            if k < allowed.atol.len() {
                largest = largest.max(error / allowed.of(k, *a));
            }
        }
    }
    (largest, errors)
}

fn result(
    problem: &mut Problem<'_>,
    guess: &FirstGuess<'_>,
    mesh: &Mesh,
    iterate: &Iterate,
    solution: Option<Solution>,
    statistics: BvpStatistics,
) -> BvpSolution {
    let mut mesh = mesh.clone();
    problem.set_shared(&mut mesh, &iterate.shared);
    let solution = solution.unwrap_or_else(|| {
        // The values at the ends of intervals, as far as they go.
        let dae = &*problem.dae;
        let n = problem.description().unknowns.len();
        let mut whole: Option<Solution> = None;
        for (&t, y) in mesh.t.iter().zip(&iterate.y) {
            let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
            dae.states_from_jets(t, &guess.jets(problem, t), &mut state, &mut slope);
            problem.layout.differential.iter().zip(y).for_each(|(&place, y)| state[place] = *y);
            whole
                .get_or_insert_with(|| Solution::new(dae, t, &state, &slope, &Projection::Off.levels()))
                .push(t, &state);
        }
        whole.unwrap_or_else(|| Solution::new(dae, mesh.t[0], &[], &[], &Projection::Off.levels()))
    });
    with_parameters(&*problem.dae, solution, mesh.t, statistics)
}
