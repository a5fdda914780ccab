//! The error of a solution on a mesh.
//!
//! In: a solution with $s$ nodes in each interval. Out: an estimate of its error for each unknown, and the contribution of
//! each interval.
//!
//! The error is that of a second solution with $s - 1$ nodes on the same mesh, found by one step of Newton's method from
//! the first: their difference, everywhere and not only at the ends of intervals. It is the error of the less accurate
//! solution; the more accurate one is what the caller receives.
//!
//! Errors of algebraic unknowns are those that follow from the errors of differential unknowns, $\partial z/\partial y\,
//! \delta y$, since solutions are recorded with algebraic unknowns that are consistent ([`super::solution`]).

use super::collocation::Collocation;
use super::condensed::Iterate;
use super::mesh::Mesh;
use super::problem::Allowed;
use super::scheme::{Nodes, Scheme};
use super::states::States;

/// Where differences are sampled, as fractions of an interval; the ends are compared as well.
const SAMPLES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Where algebraic unknowns are compared.
const CONSISTENT_SAMPLES: [f64; 2] = [0.5, 1.0];

/// Rounding errors of an equation are this many times that of its largest term.
const SEVERAL: f64 = 4.0;

/// An estimate.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    /// Largest error in units of the error allowed.
    pub(super) largest: f64,
    /// Largest change of the solution if the terms of the equations change by rounding errors, in the same units.
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
    fn see(&mut self, allowed: &Allowed, unknown: usize, samples: impl Iterator<Item = (f64, f64)>) {
        let (mut size, mut largest) = (0.0_f64, 0.0_f64);
        for (value, error) in samples {
            size = size.max(value.abs());
            largest = if error.is_nan() { f64::INFINITY } else { largest.max(error.abs()) };
        }
        self.errors[unknown] = self.errors[unknown].max(largest);
        self.largest = self.largest.max(largest / allowed.of(unknown, size));
    }
}

/// Estimates the error of `iterate`; infinite if the second solution cannot be computed.
pub(super) fn estimate(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Allowed,
) -> Estimate {
    let problem = collocation.problem;
    let layout = &problem.layout;
    let unknowns = problem.description().unknowns.len();
    let mut estimate = Estimate {
        largest: 0.0,
        rounding: 0.0,
        errors: vec![0.0; unknowns],
        coefficients: coefficients(collocation, mesh, iterate, allowed),
    };
    let lower = Collocation { problem, scheme: Scheme::of(nodes, collocation.scheme.stages() - 1) };
    let Some((second, roundings)) = less_accurate(collocation, &lower, mesh, iterate, allowed) else {
        return Estimate { coefficients: estimate.coefficients, ..Estimate::unknown(unknowns, mesh.intervals()) };
    };
    for (first, second) in iterate.shared.iter().zip(&second.shared) {
        estimate.largest = estimate.largest.max((first - second).abs() / allowed.of_shared(first.abs()));
    }
    let mut states = States::new(collocation, mesh, iterate);
    for i in 0..mesh.intervals() {
        // The relative tolerance refers to the largest value in the interval: where an unknown passes through zero, its
        // relative error is unbounded.
        let samples = SAMPLES.map(|theta| {
            [collocation.value(mesh, iterate, i, theta), lower.value(mesh, &second, i, theta)]
        });
        let ends = [i, i + 1].map(|end| [iterate.y[end].clone(), second.y[end].clone()]);
        for (k, &unknown) in layout.differential.iter().enumerate() {
            let all = || samples.iter().chain(&ends).map(|[a, b]| (a[k], a[k] - b[k]));
            estimate.see(allowed, unknown, all());
            let size = all().fold(0.0_f64, |size, (value, _)| size.max(value.abs()));
            for change in roundings.iter().map(|rounding| SEVERAL * rounding.y[i + 1][k].abs()) {
                estimate.rounding = estimate.rounding.max(change / allowed.of(unknown, size));
            }
        }
        if layout.algebraic.is_empty() {
            continue;
        }
        let algebraic = CONSISTENT_SAMPLES.map(|theta| {
            let [a, b] = match theta {
                1.0 => [iterate.y[i + 1].clone(), second.y[i + 1].clone()],
                _ => [collocation.value(mesh, iterate, i, theta), lower.value(mesh, &second, i, theta)],
            };
            let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            states.algebraic_change(i, theta, &a, &difference).unwrap_or_else(|| {
                let (a, b) = (collocation.others(iterate, i, theta), lower.others(&second, i, theta));
                let m = layout.differential.len();
                (m..a.len()).map(|k| (a[k], a[k] - b[k])).collect()
            })
        });
        for (k, &unknown) in layout.algebraic.iter().enumerate() {
            estimate.see(allowed, unknown, algebraic.iter().map(|sample| sample[k]));
        }
    }
    estimate
}

/// The solution of the discretisation with fewer nodes near `iterate`, and its change by rounding errors.
fn less_accurate(
    collocation: &Collocation<'_, '_>,
    lower: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Allowed,
) -> Option<(Iterate, [Iterate; 2])> {
    let nodes = (0..mesh.intervals())
        .map(|i| lower.scheme.c.iter().flat_map(|&c| collocation.others(iterate, i, c)).collect())
        .collect();
    let mut second = Iterate { nodes, ..iterate.clone() };
    let mut residuals = lower.residuals(mesh, &second).ok()?;
    let factorized = lower.factorize(mesh, &second, &residuals).ok()?;
    let change = lower.correction(mesh, &factorized, &residuals)?;
    second.add(1.0, &change);
    let mut rounding = |are_random| {
        lower.roundings(mesh, &second, allowed, &mut residuals, are_random);
        lower.correction(mesh, &factorized, &residuals)
    };
    let roundings = [rounding(true)?, rounding(false)?];
    Some((second, roundings))
}

/// For each interval, the largest coefficient of the Legendre polynomial of highest degree.
fn coefficients(collocation: &Collocation<'_, '_>, mesh: &Mesh, iterate: &Iterate, allowed: &Allowed) -> Vec<f64> {
    let layout = &collocation.problem.layout;
    let width = layout.differential.len() + layout.algebraic.len();
    let factors = collocation.scheme.last_coefficient();
    let of_interval = |(i, nodes): (usize, &Vec<f64>)| {
        let h = mesh.t[i + 1] - mesh.t[i];
        let coefficient = |k: usize| -> f64 {
            nodes.chunks_exact(width).zip(&factors).map(|(node, factor)| h * factor * node[k]).sum()
        };
        let in_units = |(k, &unknown): (usize, &usize)| {
            let size = iterate.y[i][k].abs().max(iterate.y[i + 1][k].abs());
            coefficient(k).abs() / allowed.of(unknown, size)
        };
        layout.differential.iter().enumerate().map(in_units).fold(f64::MIN_POSITIVE, f64::max)
    };
    iterate.nodes.iter().enumerate().map(of_interval).collect()
}
