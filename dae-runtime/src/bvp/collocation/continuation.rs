//! Continuation: a problem that cannot be solved from its guess is approached through easier ones.
//!
//! In: a problem, and parameters with values for which it is easier. Out: its solution.
//!
//! Parameters move from their easy values $p_0$ to their own $p_1$, geometrically where both have the same sign,
//! $p(s) = p_0^{1-s} p_1^s$, with steps in $s$ that adapt: each problem starts from the solution and the mesh of the one
//! before, and is solved to a few digits only, except the last.
//!
//! Where the caller names no parameter, those that are far from one are candidates: small parameters that multiply
//! derivatives, and large ones that multiply nonlinear terms, make a problem hard. They start from $\pm 1$; first each on
//! its own, the one farthest from one first, then all together.

use crate::bvp::error::{BvpError, Cause};
use crate::bvp::guess::FirstGuess;
use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::problem::Problem;
use crate::bvp::scheme::Scheme;
use crate::bvp::solution::BvpStatistics;
use crate::bvp::tolerances::Tolerances;
use crate::contract::Name;

use super::adaptive::{self, Failed, Found, Plan};
use super::polynomials::Collocation;
use super::transfer::transfer;

/// Relative tolerance of all problems but the last.
const LOOSE: f64 = 1e-3;
/// First step, smallest step, and factor after a step that succeeds.
const FIRST: f64 = 0.2;
const SMALLEST: f64 = 1e-4;
const GROWTH: f64 = 1.8;
/// Parameters closer to one than this factor are no candidates on their own.
const FAR: f64 = 3.0;

/// Parameters that move: position, easy value, own value.
#[derive(Clone, Debug)]
pub(super) struct Path {
    moving: Vec<(usize, f64, f64)>,
}

impl Path {
    /// The path on which parameters with these names move from these values.
    ///
    /// # Errors
    /// A parameter does not exist, or cannot move.
    pub(super) fn given(problem: &Problem<'_>, given: &[(Name, f64)]) -> Result<Path, BvpError> {
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
        Ok(Path { moving: moving.collect::<Result<_, _>>()? })
    }

    /// The paths to try where none is given.
    pub(super) fn automatic(problem: &Problem<'_>) -> Vec<Path> {
        let parameters = problem.dae.parameters().iter().copied().enumerate();
        let movable = parameters.filter(|&(k, value)| problem.shared.column(k).is_none() && value != 0.0);
        let mut far: Vec<(usize, f64, f64)> = movable.map(|(k, value)| (k, value.signum(), value)).collect();
        let distance = |it: &(usize, f64, f64)| it.2.abs().ln().abs();
        far.retain(|it| distance(it) > 0.0);
        far.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let mut paths: Vec<Path> =
            far.iter().filter(|it| distance(it) >= FAR.ln()).map(|&it| Path { moving: vec![it] }).collect();
        if far.len() > 1 {
            paths.push(Path { moving: far });
        }
        paths
    }

    /// Sets the parameters of the problem to those at `s`.
    fn set(&self, problem: &mut Problem<'_>, s: f64) {
        let mut parameters = problem.dae.parameters().to_vec();
        for &(k, from, to) in &self.moving {
            parameters[k] = match s {
                1.0 => to,
                _ if from * to > 0.0 => from.signum() * from.abs().powf(1.0 - s) * to.abs().powf(s),
                _ => from + s * (to - from),
            };
        }
        problem.dae.set_parameters(&parameters);
    }
}

/// The iterate on the mesh of `here`, extrapolated from the solution before.
fn predicted(
    problem: &Problem<'_>,
    plan: Plan,
    here: &Found,
    s: f64,
    before: Option<&(f64, Found)>,
    next: f64,
) -> Iterate {
    let mut iterate = here.iterate.clone();
    if let Some((s_before, before)) = before {
        let collocation = Collocation { problem, scheme: Scheme::of(plan.nodes, plan.stages) };
        let mut difference = here.iterate.clone();
        difference.add(-1.0, &transfer(&collocation, &before.mesh, &before.iterate, &here.mesh));
        iterate.add((next - s) / (s - s_before), &difference);
        if problem.shared.end().is_some_and(|end| !here.mesh.can_end_at(iterate.shared[end])) {
            return here.iterate.clone();
        }
    }
    iterate
}

/// Follows a path from a guess for its easy end.
pub(super) fn follow(
    problem: &mut Problem<'_>,
    path: &Path,
    plan: Plan,
    guess: &FirstGuess<'_>,
    allowed: &Tolerances,
    statistics: &mut BvpStatistics,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<Found, Box<Failed>> {
    let loose = allowed.scaled((LOOSE / allowed.rtol).max(1.0));
    path.set(problem, 0.0);
    let (mesh, iterate) = guess.iterate(problem, Scheme::of(plan.nodes, plan.stages));
    let begun = adaptive::solve(problem, plan, mesh, iterate, &loose, statistics, is_stopped);
    // A solution that is not accurate enough on the way is none of the problem.
    let unsolved = |mut failed: Box<Failed>| {
        failed.is_solved &= failed.cause == Cause::Interrupted;
        failed
    };
    let mut here = begun.map_err(|failed| {
        path.set(problem, 1.0);
        unsolved(failed)
    })?;
    let (mut s, mut step) = (0.0_f64, FIRST);
    // The solution before, and its s.
    let mut before: Option<(f64, Found)> = None;
    loop {
        let next = if s + step > 1.0 - 0.5 * SMALLEST { 1.0 } else { s + step };
        path.set(problem, next);
        statistics.continuation_steps += 1;
        let iterate = predicted(problem, plan, &here, s, before.as_ref(), next);
        // Meshes that are finer for the sake of convergence alone are tried once.
        let plan = Plan { patient_intervals: 2 * here.mesh.intervals(), ..plan };
        match adaptive::solve(problem, plan, here.mesh.clone(), iterate, &loose, statistics, is_stopped) {
            Ok(found) => {
                before = Some((s, std::mem::replace(&mut here, found)));
                (s, step) = (next, step * GROWTH);
                if s == 1.0 {
                    break;
                }
            }
            Err(failed) if failed.cause == Cause::Interrupted => {
                path.set(problem, 1.0);
                return Err(failed);
            }
            Err(failed) => {
                step *= 0.5;
                if step < SMALLEST {
                    path.set(problem, 1.0);
                    return Err(unsolved(failed));
                }
            }
        }
    }
    adaptive::solve(problem, plan, here.mesh, here.iterate, allowed, statistics, is_stopped)
}
