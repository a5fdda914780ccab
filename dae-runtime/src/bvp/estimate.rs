//! The error of a solution on a mesh.
//!
//! In: a solution with $s$ nodes in each interval. Out: an estimate of its error for each unknown, and the contribution of
//! each interval.
//!
//! The error is that of a second solution with $s - 1$ nodes on the same mesh, found by one step of Newton's method from
//! the first: their difference, everywhere and not only at the ends of intervals. It is the error of the less accurate
//! solution; the more accurate one is what the caller receives. The linear equations of that step are solved with
//! iterative refinement, and it is verified that their solution closes the gaps between intervals.
//!
//! Errors of algebraic unknowns are those that follow from the errors of differential unknowns, $\partial z/\partial y\,
//! \delta y$, since solutions are recorded with algebraic unknowns that are consistent ([`super::states`]).

use crate::linalg::vector::larger;
use crate::linalg::vectors::Vectors;

use super::collocation::Collocation;
use super::condensed::Iterate;
use super::equations::{Factorized, Residuals};
use super::mesh::Mesh;
use super::scheme::{Nodes, Scheme};
use super::states::States;
use super::tolerances::Tolerances;

/// Where differences are sampled, as fractions of an interval; the ends are compared as well.
const SAMPLES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Where algebraic unknowns are compared.
const CONSISTENT_SAMPLES: [f64; 5] = [0.0, 0.2, 0.5, 0.8, 1.0];

/// Coefficients of this size, in units of the error allowed, show that a mesh is too coarse.
const TOO_COARSE: f64 = 100.0;
/// Largest number of draws of the signs of rounding errors.
const DRAWS: u32 = 16;
/// No more draws are made where the chance that so small responses are mere luck is about this.
const CHANCE: f64 = 1e-4;
/// Responses to draws that show that rounding errors are too large, however few there were.
const FAR_TOO_LARGE: f64 = 10.0;
/// How many standard deviations of the responses are estimated.
const DEVIATIONS: f64 = 1.5;
/// Linear equations are solved if what remains of their residuals is this many times their rounding errors.
const SOLVED: f64 = 1e3;
/// Number of times that their solution is refined.
const REFINEMENTS: usize = 3;

/// An estimate.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    /// Largest error in units of the error allowed.
    pub(super) largest: f64,
    /// Largest change of the solution if the terms of the equations change by rounding errors, in the same units; zero
    /// where the error is larger than allowed anyway.
    pub(super) rounding: f64,
    /// Largest error of each unknown of the formulation, in its unit.
    pub(super) errors: Vec<f64>,
    /// For each interval, the last coefficient of the polynomials in units of the error allowed.
    pub(super) coefficients: Vec<f64>,
}

impl Estimate {
    /// The estimate of nothing known.
    pub(super) fn unknown(unknowns: usize, intervals: usize) -> Estimate {
        Estimate {
            largest: f64::INFINITY,
            rounding: 0.0,
            errors: vec![f64::INFINITY; unknowns],
            coefficients: vec![1.0; intervals],
        }
    }

    /// Takes in values and errors of an unknown in an interval.
    fn see(&mut self, allowed: &Tolerances, unknown: usize, samples: impl Iterator<Item = (f64, f64)>) {
        let (mut size, mut largest) = (0.0_f64, 0.0_f64);
        for (value, error) in samples {
            size = larger(size, value.abs());
            largest = larger(largest, error.abs());
        }
        self.errors[unknown] = larger(self.errors[unknown], largest);
        self.largest = larger(self.largest, largest / allowed.of(unknown, size));
    }
}

/// Estimates the error of `iterate`; infinite if the second solution cannot be computed. Where the coefficients alone show
/// that the mesh is too coarse by far, the largest of them is the estimate, unless it is wanted in any case.
pub(super) fn estimate(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
    in_any_case: bool,
) -> Estimate {
    let problem = collocation.problem;
    let layout = &problem.layout;
    let unknowns = problem.description().unknowns.len();
    let coefficients = collocation.last_coefficients(mesh, iterate, allowed);
    let size = coefficients.iter().copied().fold(0.0, larger);
    if size > TOO_COARSE && !in_any_case {
        return Estimate { coefficients, largest: size, ..Estimate::unknown(unknowns, 0) };
    }
    let mut estimate = Estimate { largest: 0.0, rounding: 0.0, errors: vec![0.0; unknowns], coefficients };
    let lower = Collocation { problem, scheme: Scheme::of(nodes, collocation.scheme.stages() - 1) };
    let unknown = |rounding: f64, coefficients: Vec<f64>| Estimate {
        rounding,
        coefficients,
        ..Estimate::unknown(unknowns, mesh.intervals())
    };
    let Some(found) = less_accurate(collocation, &lower, mesh, iterate, allowed) else {
        return unknown(0.0, estimate.coefficients);
    };
    if !found.is_solved {
        return unknown(f64::INFINITY, estimate.coefficients);
    }
    let LessAccurate { iterate: second, factors, mut residuals, .. } = found;
    for (first, second) in iterate.shared.iter().zip(&second.shared) {
        let error = (first - second).abs() / allowed.of_shared(first.abs());
        estimate.largest = larger(estimate.largest, error);
    }
    let of_shared: Vec<f64> = iterate.shared.iter().zip(&second.shared).map(|(a, b)| a - b).collect();
    let mut states = States::new(collocation, mesh, iterate);
    let integrals = SAMPLES.map(|theta| [collocation.scheme.integrals(theta), lower.scheme.integrals(theta)]);
    for i in 0..mesh.intervals() {
        // The relative tolerance refers to the largest value in the interval: where an unknown passes through zero, its
        // relative error is unbounded.
        let samples = integrals.each_ref().map(|[own, of_lower]| {
            [collocation.value_with(mesh, iterate, i, own), lower.value_with(mesh, &second, i, of_lower)]
        });
        let ends = [i, i + 1].map(|end| [iterate.y[end].to_vec(), second.y[end].to_vec()]);
        for (k, &unknown) in layout.differential.iter().enumerate() {
            let all = || samples.iter().chain(&ends).map(|[a, b]| (a[k], a[k] - b[k]));
            estimate.see(allowed, unknown, all());
        }
        if layout.algebraic.is_empty() {
            continue;
        }
        let algebraic = CONSISTENT_SAMPLES.map(|theta| {
            let [a, b] = match theta {
                0.0 => [iterate.y[i].to_vec(), second.y[i].to_vec()],
                1.0 => [iterate.y[i + 1].to_vec(), second.y[i + 1].to_vec()],
                _ => [collocation.value(mesh, iterate, i, theta), lower.value(mesh, &second, i, theta)],
            };
            let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            states.algebraic_change(i, theta, &a, &difference, &of_shared).unwrap_or_else(|| {
                let (a, b) = (collocation.others(iterate, i, theta), lower.others(&second, i, theta));
                let m = layout.differential.len();
                (m..a.len()).map(|k| (a[k], a[k] - b[k])).collect()
            })
        });
        for (k, &unknown) in layout.algebraic.iter().enumerate() {
            estimate.see(allowed, unknown, algebraic.iter().map(|sample| sample[k]));
        }
    }
    if estimate.largest <= 1.0 {
        estimate.rounding = responses(&lower, mesh, &second, allowed, &factors, &mut residuals);
    }
    estimate
}

/// Whether rounding errors change the solution near `iterate` by more than is allowed; not so where the linearised equations
/// are singular.
pub(super) fn is_ill_conditioned(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> bool {
    let lower =
        Collocation { problem: collocation.problem, scheme: Scheme::of(nodes, collocation.scheme.stages() - 1) };
    less_accurate(collocation, &lower, mesh, iterate, allowed).is_some_and(|mut found| {
        let mut response = || responses(&lower, mesh, &found.iterate, allowed, &found.factors, &mut found.residuals);
        !found.is_solved || (1.0..f64::INFINITY).contains(&response())
    })
}

/// The response to residuals as large as rounding errors, in units of the error allowed: some standard deviations of the
/// responses to signs in no order, which are drawn until it is clear whether that is too large.
fn responses(
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
    factors: &Factorized,
    residuals: &mut Residuals,
) -> f64 {
    let mut respond = |draw: Option<u32>| {
        collocation.roundings(mesh, iterate, allowed, residuals, draw);
        let change = collocation.correction(mesh, factors, residuals)?;
        Some(response(collocation, mesh, iterate, allowed, &change))
    };
    let Some(proportional) = respond(None) else { return f64::INFINITY };
    let mut squares = vec![0.0; proportional.len()];
    let mut largest = proportional.into_iter().fold(0.0, larger);
    for draw in 0..DRAWS {
        let Some(drawn) = respond(Some(draw)) else { return f64::INFINITY };
        squares.iter_mut().zip(drawn).for_each(|(sum, response)| *sum += response * response);
        let mean = squares.iter().copied().fold(0.0, larger) / f64::from(draw + 1);
        let deviation = DEVIATIONS * mean.sqrt();
        let is_decided = deviation < CHANCE.powf(1.0 / f64::from(draw + 1)) || deviation > FAR_TOO_LARGE;
        if is_decided || draw + 1 == DRAWS {
            largest = larger(largest, deviation);
            break;
        }
    }
    largest
}

/// The sizes of a change of the solution, of all unknowns at the ends of intervals, in units of the error allowed.
fn response(
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
    change: &Iterate,
) -> Vec<f64> {
    let layout = &collocation.problem.layout;
    let mut states = States::new(collocation, mesh, iterate);
    let mut sizes = Vec::new();
    for i in 0..mesh.intervals() {
        let (y, change_of_y) = (&iterate.y[i + 1], &change.y[i + 1]);
        for (k, &unknown) in layout.differential.iter().enumerate() {
            let size = iterate.y[i][k].abs().max(y[k].abs());
            sizes.push(change_of_y[k].abs() / allowed.of(unknown, size));
        }
        if layout.algebraic.is_empty() {
            continue;
        }
        let found = states.algebraic_change(i, 1.0, y, change_of_y, &change.shared).unwrap_or_default();
        let found = found.into_iter().map(Some).chain(std::iter::repeat(None));
        for (&unknown, found) in layout.algebraic.iter().zip(found) {
            sizes.push(found.map_or(0.0, |(value, change)| change.abs() / allowed.of(unknown, value)));
        }
    }
    sizes
}

/// The solution of the discretisation with fewer nodes near another one.
struct LessAccurate {
    iterate: Iterate,
    factors: Factorized,
    /// Room for residuals.
    residuals: Residuals,
    /// Whether it solves the linearised equations. Where solutions grow by more than can be told from rounding errors, the
    /// factors may give something else, and what follows from them is meaningless.
    is_solved: bool,
}

/// Finds the solution with fewer nodes.
fn less_accurate(
    collocation: &Collocation<'_, '_>,
    lower: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> Option<LessAccurate> {
    let weights: Vec<Vec<f64>> = lower.scheme.c.iter().map(|&c| collocation.scheme.values(c)).collect();
    let [m, na, _] = lower.sizes();
    let at_nodes = |i: usize| -> Vec<f64> {
        weights.iter().flat_map(|weights| collocation.others_with(iterate, i, weights)).collect()
    };
    let nodes = Vectors::of_length(weights.len() * (m + na), (0..mesh.intervals()).map(at_nodes));
    let mut second = Iterate { nodes, ..iterate.clone() };
    if collocation.problem.layout.is_projected() && second.directions.is_empty() {
        return None;
    }
    let mut residuals = lower.residuals(mesh, &second).ok()?;
    let factors = lower.factorize(mesh, &second, &residuals).ok()?;
    let (mut changes, mut is_solved) = (Vec::new(), false);
    while !is_solved && changes.len() <= REFINEMENTS {
        let change = lower.correction(mesh, &factors, &residuals)?;
        is_solved = lower.remain(mesh, &second, &change, &mut residuals, allowed) <= SOLVED;
        changes.push(change);
    }
    changes.iter().for_each(|change| second.add(1.0, change));
    Some(LessAccurate { iterate: second, factors, residuals, is_solved })
}
