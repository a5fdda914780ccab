//! From a formulation and options to a solution.
//!
//! In: a formulation, options, the ends of the interval. Out: the solution, or why there is none.

use crate::contract::Dae;

use super::error::BvpError;
use super::guess::FirstGuess;
use super::mesh::Mesh;
use super::options::{BvpMethod, Options};
use super::problem::Problem;
use super::scheme::Nodes;
use super::solution::BvpSolution;
use super::{collocation, shooting};

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
    collocation::solve(&mut problem, nodes, &options, &guess, &allowed, &quantities, &mut is_stopped)
}
