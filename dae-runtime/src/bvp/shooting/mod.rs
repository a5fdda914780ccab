//! Multiple shooting.
//!
//! In: a problem and a guess. Out: a solution with an estimate of its error.
//!
//! Each interval is integrated from consistent values next to the given ones ([`integrations`]); Newton's iteration closes
//! the gaps between the ends of integrations and the starts of the next ones ([`equations`]): J. Stoer & R. Bulirsch,
//! *Introduction to Numerical Analysis*, Sect. 7.3.5.
//!
//! The error is the difference from the solution that integrations with ten times looser tolerances and other steps give,
//! or, where that is larger, the response of the solution to errors of its integrations ([`estimate`]).

mod equations;
mod estimate;
mod integrations;

use crate::integrator::stepper::Projection;
use crate::linalg::vector::larger;
use crate::linalg::vectors::Vectors;
use crate::solution::Solution;

use super::error::{BvpError, Cause};
use super::guess::FirstGuess;
use super::iterate::Iterate;
use super::mesh::{Mesh, halved};
use super::newton::{self, Discretization, Limits};
use super::obstacle::Obstacle;
use super::problem::Problem;
use super::scheme::{Nodes, Scheme};
use super::solution::{BvpSolution, BvpStatistics, with_parameters};
use super::tolerances::Tolerances;
use estimate::difference;
use integrations::Integrations;

/// Tolerances of the first integrations, in units of those asked for, and the factor from one to the next.
const FIRST: f64 = 0.1;
const TIGHTER: f64 = 0.1;
/// Where in an interval integrations for comparison begin anew, so that they take other steps.
const RESTART: f64 = 0.4;
/// The largest estimate that is accepted, in units of the error allowed: it is the error of the looser integrations, and
/// where tighter ones do not make it smaller, theirs as well.
const ACCEPTED: f64 = 0.4;
/// Where an estimate is this many times smaller than that of looser integrations, it may be as large as the error allowed.
const CONVERGING: f64 = 2.0;
/// Number of pairs of tolerances that are tried.
const ATTEMPTS: usize = 3;
/// Gaps of this size, in units of the error allowed, are closed. Where solutions grow within an interval, a gap is wide
/// although the correction that closes it is small.
const CLOSED: f64 = 0.1;
/// Number of times that Newton's iteration is repeated to close gaps.
const REPETITIONS: usize = 3;
/// Number of times that intervals are halved because Newton's iteration does not converge.
const HALVINGS: usize = 4;

/// Solves the problem.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    guess: &FirstGuess<'_>,
    allowed: &Tolerances,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<BvpSolution, BvpError> {
    let mut progress = Progress::new(problem, guess, allowed);
    progress.converge(is_stopped)?;
    let mut factor = FIRST;
    let mut best: Option<(f64, BvpSolution)> = None;
    for _ in 0..ATTEMPTS {
        let (error, found) = match progress.attempt(factor) {
            Ok(Some(found)) => found,
            Err(error) if best.is_none() => return Err(error),
            Ok(None) | Err(_) => break,
        };
        factor *= TIGHTER;
        let stops = is_stopped(&progress.mesh, error);
        let looser = best.as_ref().map_or(0.0, |(error, _)| *error);
        if error <= ACCEPTED || error <= 1.0 && CONVERGING * error <= looser {
            return Ok(found);
        }
        if stops {
            return Err(BvpError::Inaccurate { cause: Cause::Interrupted, last: Box::new(found) });
        }
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, found));
        }
    }
    let (error, found) = best.unwrap_or_else(|| (f64::INFINITY, progress.result(None)));
    let cause = if error.is_finite() { Cause::Stagnated } else { Cause::Diverged };
    Err(BvpError::Inaccurate { cause, last: Box::new(found) })
}

/// A problem with the mesh and the iterate so far.
struct Progress<'p, 'd> {
    problem: &'p mut Problem<'d>,
    guess: &'p FirstGuess<'p>,
    allowed: &'p Tolerances,
    mesh: Mesh,
    iterate: Iterate,
    statistics: BvpStatistics,
}

impl<'p, 'd> Progress<'p, 'd> {
    fn new(problem: &'p mut Problem<'d>, guess: &'p FirstGuess<'p>, allowed: &'p Tolerances) -> Progress<'p, 'd> {
        // The nodes of the scheme are of no use here.
        let (mesh, first) = guess.iterate(problem, Scheme::of(Nodes::Gauss, 2));
        let iterate = Iterate::without_nodes(first.shared, first.y, first.jets);
        Progress { problem, guess, allowed, mesh, iterate, statistics: BvpStatistics::default() }
    }

    /// Integrations with tolerances in units of those asked for.
    fn integrations(&self, factor: f64) -> Integrations {
        Integrations::new(self.problem, self.guess, &self.mesh, self.allowed.scaled(factor))
    }

    /// Finds a solution with the first tolerances; halves all intervals as long as Newton's iteration does not converge.
    fn converge(&mut self, is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool) -> Result<(), BvpError> {
        let mut halvings = 0;
        loop {
            let before = self.iterate.clone();
            let Err(obstacle) = self.close_gaps(&self.integrations(FIRST)) else { return Ok(()) };
            if halvings == HALVINGS || 2 * self.mesh.intervals() > self.guess.most_intervals {
                return Err(self.not_converged(obstacle.into(), None));
            }
            if is_stopped(&self.mesh, f64::INFINITY) {
                return Err(self.not_converged(Cause::Interrupted, None));
            }
            self.problem.set_shared(&mut self.mesh, &before.shared);
            self.iterate = refined(&before);
            self.mesh = halved(&self.mesh);
            halvings += 1;
        }
    }

    /// Solves with tolerances in units of those asked for, and then with tighter ones. Returns the second solution and its
    /// error in units of the error allowed, or `None` if one of them does not exist between the ends of intervals.
    ///
    /// # Errors
    /// Newton's iteration did not converge.
    fn attempt(&mut self, factor: f64) -> Result<Option<(f64, BvpSolution)>, BvpError> {
        let looser = self.integrations(factor).restarted_at(RESTART);
        let tighter = self.integrations(TIGHTER * factor);
        self.close_gaps(&looser).map_err(|obstacle| self.not_converged(obstacle.into(), None))?;
        let coarse = looser.solution(self.problem, &self.mesh, &self.iterate);
        let before = self.iterate.shared.clone();
        if let Err(obstacle) = self.close_gaps(&tighter) {
            return Err(self.not_converged(obstacle.into(), coarse));
        }
        let fine = tighter.solution(self.problem, &self.mesh, &self.iterate);
        let (Some(fine), Some(coarse)) = (fine, coarse) else { return Ok(None) };
        let (largest, errors) = difference(self.allowed, &fine, &coarse);
        let response = tighter.response(self.problem, &self.mesh, &self.iterate, self.allowed);
        let of_shared = self.iterate.shared.iter().zip(&before);
        let of_shared = of_shared.map(|(new, old)| (new - old).abs() / self.allowed.of_shared(new.abs()));
        let error = of_shared.chain([response.unwrap_or(f64::INFINITY)]).fold(largest, larger);
        let mut found = self.result(Some(fine));
        found.set_errors(self.problem.description(), errors);
        Ok(Some((error, found)))
    }

    /// Newton's iteration from the iterate, repeated until gaps are closed.
    fn close_gaps(&mut self, integrations: &Integrations) -> Result<(), Obstacle> {
        let Progress { problem, allowed, mesh, iterate, statistics, .. } = self;
        statistics.meshes += 1;
        for _ in 0..REPETITIONS {
            newton::solve(problem, integrations, mesh, iterate, allowed, Limits::default(), statistics)?;
            let residuals = integrations.residuals(problem, mesh, iterate)?;
            statistics.residuals += 1;
            let gaps = residuals.gaps.iter().zip(iterate.y.iter().skip(1));
            let widest = gaps.flat_map(|(gap, y)| gap.iter().zip(y).zip(&problem.layout.differential));
            let widest = widest.map(|((gap, y), &unknown)| gap.abs() / allowed.of(unknown, *y)).fold(0.0, larger);
            if widest <= CLOSED {
                return Ok(());
            }
        }
        Err(Obstacle::Rounding)
    }

    fn not_converged(&mut self, cause: Cause, solution: Option<Solution>) -> BvpError {
        BvpError::NotConverged { cause, last: Box::new(self.result(solution)) }
    }

    /// The result with this solution, or with that at the ends of intervals.
    fn result(&mut self, solution: Option<Solution>) -> BvpSolution {
        let mut mesh = self.mesh.clone();
        self.problem.set_shared(&mut mesh, &self.iterate.shared);
        let solution = solution.unwrap_or_else(|| self.solution_at_ends(&mesh));
        with_parameters(&*self.problem.dae, solution, mesh.t, self.statistics)
    }

    /// The values of the iterate at the ends of intervals, and for algebraic unknowns those of the guess.
    fn solution_at_ends(&self, mesh: &Mesh) -> Solution {
        let (dae, n) = (&*self.problem.dae, self.problem.description().unknowns.len());
        let mut ends = mesh.t.iter().zip(self.iterate.y.iter()).map(|(&t, y)| {
            let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
            dae.states_from_jets(t, &self.guess.jets(self.problem, t), &mut state, &mut slope);
            self.problem.layout.differential.iter().zip(y).for_each(|(&place, y)| state[place] = *y);
            (t, state, slope)
        });
        let (t, state, slope) = ends.next().unwrap_or_default();
        let mut solution = Solution::new(dae, t, &state, &slope, &Projection::Off.levels());
        solution.push(t, &state);
        ends.for_each(|(t, state, _)| solution.push(t, &state));
        solution
    }
}

/// The iterate on the mesh with halved intervals.
fn refined(iterate: &Iterate) -> Iterate {
    let old = &iterate.y;
    let halfway = |k: usize| old[k].iter().zip(&old[k + 1]).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>();
    let y = (0..2 * old.len() - 1).map(|k| if k % 2 == 0 { old[k / 2].to_vec() } else { halfway(k / 2) });
    let y = Vectors::of_length(old[0].len(), y);
    Iterate::without_nodes(iterate.shared.clone(), y, iterate.jets.clone())
}
