//! The solution of a boundary value problem.
//!
//! In: nothing. Out: the type of the result, [`BvpSolution`]: a [`Solution`] with values between the ends of intervals,
//! the mesh, the free quantities and an estimate of the error.

use crate::contract::{AliasOf, Dae, Description, Name};
use crate::linalg::vector::larger;
use crate::solution::Solution;

/// A solution of a boundary value problem.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BvpSolution {
    /// States at the ends of all intervals, and polynomials between them.
    pub solution: Solution,
    /// The ends of the intervals.
    pub mesh: Vec<f64>,
    /// Names and values of the parameters, free ones with the values found.
    pub parameters: Vec<(Name, f64)>,
    /// The end; the value found if it is free.
    pub end: f64,
    /// Largest estimated error of an unknown, in units of its largest value on the interval or its nominal value if that
    /// is larger.
    pub error_estimate: f64,
    /// Largest estimated error of each entry of a state, in its unit ([`Solution::names`]).
    pub errors: Vec<f64>,
    /// Work done.
    pub statistics: BvpStatistics,
}

/// The work of solving a boundary value problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BvpStatistics {
    /// Number of meshes.
    pub meshes: usize,
    /// Number of linearisations that were factorised, on all meshes.
    pub factorizations: usize,
    /// Number of evaluations of all residuals.
    pub residuals: usize,
    /// Number of Newton steps that were shortened.
    pub reductions: usize,
    /// Number of problems with other values of parameters that were solved on the way.
    pub continuation_steps: usize,
    /// Nodes in each interval.
    pub stages: usize,
}

impl BvpSolution {
    /// The value of an unknown at `t`.
    pub fn value(&self, name: &str, t: f64) -> Option<f64> {
        self.solution.value(name, t)
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|(it, _)| it == name).map(|(_, value)| *value)
    }
}

/// A solution on a mesh, with the present parameters of the formulation; nothing is known of its error yet.
pub(super) fn with_parameters(
    dae: &dyn Dae,
    solution: Solution,
    mesh: Vec<f64>,
    statistics: BvpStatistics,
) -> BvpSolution {
    let names = dae.description().parameters.iter().cloned();
    BvpSolution {
        error_estimate: f64::INFINITY,
        errors: vec![f64::INFINITY; solution.names.len()],
        parameters: names.zip(dae.parameters().iter().copied()).collect(),
        end: mesh.last().copied().unwrap_or(solution.end_time),
        mesh,
        solution,
        statistics,
    }
}

impl BvpSolution {
    /// Sets the largest error of each unknown of the formulation, in its unit; those of eliminated unknowns follow.
    pub(super) fn set_errors(&mut self, description: &Description, errors: Vec<f64>) {
        let n = description.unknowns.len();
        let size = |k: usize| self.solution.iter().fold(0.0_f64, |size, (_, state)| size.max(state[k].abs()));
        let relative = description.unknowns.iter().enumerate();
        self.error_estimate = relative.map(|(k, unknown)| errors[k] / size(k).max(unknown.nominal)).fold(0.0, larger);
        let of_eliminated = description.eliminated.iter().map(|it| match it.alias_of {
            AliasOf::Same(k) | AliasOf::Opposite(k) => errors[k],
            AliasOf::Constant => 0.0,
        });
        self.errors = errors[..n].iter().copied().chain(of_eliminated).collect();
    }
}
