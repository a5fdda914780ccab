//! The error of a solution on a mesh.
//!
//! In: a solution with $s$ nodes in each interval. Out: an estimate of its error for each unknown, and the contribution of
//! each interval.
//!
//! The error is the difference from a second solution with $s - 1$ nodes on the same mesh ([`super::lower_order`]),
//! everywhere and not only at the ends of intervals. That is the error of the less accurate solution; the caller receives
//! the more accurate one.
//!
//! Errors of algebraic unknowns are those that follow from the errors of differential unknowns, $\partial z/\partial y\,
//! \delta y$, since solutions are recorded with algebraic unknowns that are consistent ([`super::states`]).

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::scheme::Nodes;
use crate::bvp::tolerances::Tolerances;
use crate::linalg::vector::larger;

use super::lower_order::LowerOrder;
use super::polynomials::Collocation;
use super::rounding;
use super::states::States;

/// Where differences are sampled, as fractions of an interval; the ends are compared as well.
const SAMPLES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Where algebraic unknowns are compared.
const CONSISTENT_SAMPLES: [f64; 5] = [0.0, 0.2, 0.5, 0.8, 1.0];

/// Coefficients of this size, in units of the error allowed, show that a mesh is too coarse.
const TOO_COARSE: f64 = 100.0;

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

    /// Takes in values and errors of an unknown in an interval. The relative tolerance refers to the largest value there:
    /// where an unknown passes through zero, its relative error is unbounded.
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

/// Estimates the error of `iterate`, unless the coefficients alone show that the mesh is far too coarse: then the largest
/// of them is the estimate.
pub(super) fn estimate_unless_too_coarse(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> Estimate {
    let coefficients = collocation.last_coefficients(mesh, iterate, allowed);
    let largest = coefficients.iter().copied().fold(0.0, larger);
    if largest > TOO_COARSE {
        let unknowns = collocation.problem.description().unknowns.len();
        return Estimate { coefficients, largest, ..Estimate::unknown(unknowns, 0) };
    }
    estimate(collocation, nodes, mesh, iterate, allowed)
}

/// Estimates the error of `iterate`; infinite if the second solution cannot be computed.
pub(super) fn estimate(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> Estimate {
    let unknowns = collocation.problem.description().unknowns.len();
    let coefficients = collocation.last_coefficients(mesh, iterate, allowed);
    let unknown = Estimate::unknown(unknowns, 0);
    let mut found = match LowerOrder::near(collocation, nodes, mesh, iterate, allowed) {
        None => return Estimate { coefficients, ..unknown },
        Some(found) if !found.is_solved => return Estimate { coefficients, rounding: f64::INFINITY, ..unknown },
        Some(found) => found,
    };
    let mut estimate = Estimate { largest: 0.0, rounding: 0.0, errors: vec![0.0; unknowns], coefficients };
    let comparison = Comparison { collocation, mesh, iterate, lower: &found };
    comparison.take_shared(&mut estimate, allowed);
    comparison.take_differential(&mut estimate, allowed);
    comparison.take_algebraic(&mut estimate, allowed);
    if estimate.largest <= 1.0 {
        estimate.rounding = rounding::response(&mut found, mesh, allowed);
    }
    estimate
}

/// A solution and one of lower order beside it.
struct Comparison<'c, 'p, 'd> {
    collocation: &'c Collocation<'p, 'd>,
    mesh: &'c Mesh,
    iterate: &'c Iterate,
    lower: &'c LowerOrder<'p, 'd>,
}

impl Comparison<'_, '_, '_> {
    /// Takes the differences of shared quantities into an estimate.
    fn take_shared(&self, estimate: &mut Estimate, allowed: &Tolerances) {
        for (value, second) in self.iterate.shared.iter().zip(&self.lower.iterate.shared) {
            let error = (value - second).abs() / allowed.of_shared(value.abs());
            estimate.largest = larger(estimate.largest, error);
        }
    }

    /// Takes the differences of differential unknowns into an estimate.
    fn take_differential(&self, estimate: &mut Estimate, allowed: &Tolerances) {
        let Comparison { collocation, mesh, iterate, lower } = self;
        let (scheme, lower_scheme) = (collocation.scheme, lower.collocation.scheme);
        let integrals = SAMPLES.map(|theta| [scheme.integrals(theta), lower_scheme.integrals(theta)]);
        for i in 0..mesh.intervals() {
            let samples = integrals.each_ref().map(|[own, of_lower]| {
                let second = lower.collocation.value_with(mesh, &lower.iterate, i, of_lower);
                [collocation.value_with(mesh, iterate, i, own), second]
            });
            let ends = [i, i + 1].map(|end| [iterate.y[end].to_vec(), lower.iterate.y[end].to_vec()]);
            for (k, &unknown) in collocation.problem.layout.differential.iter().enumerate() {
                let all = samples.iter().chain(&ends).map(|[a, b]| (a[k], a[k] - b[k]));
                estimate.see(allowed, unknown, all);
            }
        }
    }

    /// Takes the differences of algebraic unknowns into an estimate, as they follow from those of differential unknowns.
    fn take_algebraic(&self, estimate: &mut Estimate, allowed: &Tolerances) {
        let Comparison { collocation, mesh, iterate, lower } = self;
        let layout = &collocation.problem.layout;
        if layout.algebraic.is_empty() {
            return;
        }
        let second = &lower.iterate;
        let of_shared: Vec<f64> = iterate.shared.iter().zip(&second.shared).map(|(a, b)| a - b).collect();
        let mut states = States::new(collocation, mesh, iterate);
        for i in 0..mesh.intervals() {
            let samples = CONSISTENT_SAMPLES.map(|theta| {
                let [a, b] = match theta {
                    0.0 => [iterate.y[i].to_vec(), second.y[i].to_vec()],
                    1.0 => [iterate.y[i + 1].to_vec(), second.y[i + 1].to_vec()],
                    _ => [collocation.value(mesh, iterate, i, theta), lower.collocation.value(mesh, second, i, theta)],
                };
                let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                states.algebraic_change(i, theta, &a, &difference, &of_shared).unwrap_or_else(|| {
                    let (a, b) = (collocation.others(iterate, i, theta), lower.collocation.others(second, i, theta));
                    let m = layout.differential.len();
                    (m..a.len()).map(|k| (a[k], a[k] - b[k])).collect()
                })
            });
            for (k, &unknown) in layout.algebraic.iter().enumerate() {
                estimate.see(allowed, unknown, samples.iter().map(|sample| sample[k]));
            }
        }
    }
}
