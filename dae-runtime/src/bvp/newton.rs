//! Damped Newton iteration for the discretised problem.
//!
//! In: a discretisation and a first iterate. Out: a zero of its equations, or the last iterate with the reason why none
//! was found.
//!
//! Steps are damped such that simplified corrections, with the factors of the step before, become smaller: the natural
//! monotonicity test, which does not depend on how equations are scaled (P. Deuflhard, *Newton Methods for Nonlinear
//! Problems*, Springer 2004, algorithm NLEQ-ERR). Corrections are measured in units of the errors allowed.

use crate::linalg::vector::larger;

use super::iterate::Iterate;
use super::mesh::Mesh;
use super::obstacle::{Deficiency, Obstacle};
use super::problem::Problem;
use super::solution::BvpStatistics;
use super::tolerances::Tolerances;

/// A discretised problem.
pub(super) trait Discretization {
    /// Residuals of all equations at an iterate.
    type Residuals;
    /// Factors of their linearisation.
    type Factors;

    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Self::Residuals, Deficiency>;

    fn factorize(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Self::Residuals,
    ) -> Result<Self::Factors, Deficiency>;

    /// How well the mesh resolves an iterate: an error that remains in any case, in units of the error allowed. Corrections
    /// need not be much smaller.
    fn resolution(&self, _problem: &Problem<'_>, _mesh: &Mesh, _iterate: &Iterate, _allowed: &Tolerances) -> f64 {
        1.0
    }

    /// The Newton correction, or with factors of another iterate a simplified one; `None` if it is not finite.
    fn correction(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        factors: &Self::Factors,
        residuals: &Self::Residuals,
    ) -> Option<Iterate>;
}

/// Bounds of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Number of factorisations.
    pub(super) iterations: usize,
    /// Smallest damping factor.
    pub(super) damping: f64,
    /// Corrections of this size, in units of the error allowed, end the iteration.
    pub(super) settled: f64,
    /// Corrections of this size are small enough if they do not become smaller.
    pub(super) tolerable: f64,
    /// The part of the error that the mesh leaves in any case to which corrections need not be small, in units of `settled`.
    pub(super) unresolved: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { iterations: 60, damping: 1e-5, settled: 0.01, tolerable: 0.1, unresolved: 0.1 }
    }
}

impl Limits {
    /// The same without regard to what the mesh resolves.
    pub(super) fn on_the_last_mesh(self) -> Limits {
        Limits { unresolved: 0.0, ..self }
    }
}

/// A correction that becomes no smaller than by this factor is at the level of rounding errors if it is small.
const STALLED: f64 = 0.25;
/// Corrections of this size after a full step, in units of the error allowed, are at the level of rounding errors if they
/// cannot be made smaller.
const NEARLY: f64 = 10.0;
/// A step that was shortened may be lengthened if it turns out to have been too short by this factor.
const TOO_SHORT: f64 = 4.0;

/// Sizes of corrections.
struct Norm {
    /// Inverses of the units of differential, algebraic and shared unknowns.
    weights: [Vec<f64>; 3],
    lengths: Vec<f64>,
    /// How many algebraic unknowns have index 1.
    of_index_1: usize,
}

impl Norm {
    fn new(problem: &Problem<'_>, mesh: &Mesh, allowed: &Tolerances, iterate: &Iterate, change: &Iterate) -> Norm {
        let layout = &problem.layout;
        let (m, na) = (layout.differential.len(), layout.algebraic.len());
        let mut sizes = vec![0.0_f64; m];
        for (y, change) in iterate.y.iter().zip(change.y.iter()) {
            for k in 0..m {
                sizes[k] = sizes[k].max(y[k].abs()).max((y[k] + change[k]).abs());
            }
        }
        let mut algebraic = vec![0.0_f64; na];
        for (nodes, change) in iterate.nodes.iter().zip(change.nodes.iter()) {
            for (node, change) in nodes.chunks_exact(m + na).zip(change.chunks_exact(m + na)) {
                for k in 0..na {
                    algebraic[k] = algebraic[k].max(node[m + k].abs()).max((node[m + k] + change[m + k]).abs());
                }
            }
        }
        let weight = |(place, size): (&usize, &f64)| 1.0 / allowed.of(*place, *size);
        let shared = iterate.shared.iter().zip(&change.shared);
        Norm {
            weights: [
                layout.differential.iter().zip(&sizes).map(weight).collect(),
                layout.algebraic.iter().zip(&algebraic).map(weight).collect(),
                shared
                    .map(|(value, change)| allowed.of_shared(value.abs().max((value + change).abs())).recip())
                    .collect(),
            ],
            lengths: mesh.t.windows(2).map(|ends| (ends[1] - ends[0]).abs()).collect(),
            of_index_1: layout.of_index_1,
        }
    }

    /// Root mean square, for the damping.
    fn mean(&self, change: &Iterate) -> f64 {
        let [y, z, shared] = &self.weights;
        let (m, na) = (y.len(), z.len());
        let (mut sum, mut count) = (0.0, 0.0);
        let mut add = |value: f64| {
            sum += value * value;
            count += 1.0;
        };
        for values in change.y.iter() {
            values.iter().zip(y).for_each(|(value, weight)| add(value * weight));
        }
        for (nodes, h) in change.nodes.iter().zip(&self.lengths) {
            for node in nodes.chunks_exact(m + na) {
                node[..m].iter().zip(y).for_each(|(slope, weight)| add(h * slope * weight));
                for (k, (value, weight)) in node[m..].iter().zip(z).enumerate() {
                    // Unknowns of index 2 respond to changes of the others with their derivatives.
                    let scale = if k < self.of_index_1 { 1.0 } else { h.min(1.0) };
                    add(scale * value * weight);
                }
            }
        }
        // Shared quantities count as much as all others together.
        let mean = (sum / f64::max(count, 1.0)).sqrt();
        change.shared.iter().zip(shared).fold(mean, |size, (value, weight)| size.hypot(value * weight))
    }

    /// Largest correction of an unknown at an end of an interval, of an algebraic unknown of index 1 or a shared quantity.
    fn largest(&self, problem: &Problem<'_>, change: &Iterate) -> f64 {
        let [y, z, shared] = &self.weights;
        let (m, na) = (y.len(), z.len());
        let mut largest = 0.0_f64;
        let mut see = |value: f64| largest = larger(largest, value.abs());
        for values in change.y.iter() {
            values.iter().zip(y).for_each(|(value, weight)| see(value * weight));
        }
        for nodes in change.nodes.iter() {
            for node in nodes.chunks_exact(m + na) {
                let of_index_1 = problem.layout.of_index_1;
                node[m..m + of_index_1].iter().zip(z).for_each(|(value, weight)| see(value * weight));
            }
        }
        change.shared.iter().zip(shared).for_each(|(value, weight)| see(value * weight));
        largest
    }
}

/// Iterates. The parameters of the problem are those of the iterate on return.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    discretization: &impl Discretization,
    mesh: &mut Mesh,
    iterate: &mut Iterate,
    allowed: &Tolerances,
    limits: Limits,
    statistics: &mut BvpStatistics,
) -> Result<(), Obstacle> {
    problem.set_shared(mesh, &iterate.shared);
    let mut residuals = discretization.residuals(problem, mesh, iterate)?;
    statistics.residuals += 1;
    let mut damping = 1.0;
    // Sizes of the last correction and of the simplified correction after it, and the latter.
    let mut before: Option<(f64, f64, Iterate)> = None;
    for _ in 0..limits.iterations {
        let factors = discretization.factorize(problem, mesh, iterate, &residuals)?;
        statistics.factorizations += 1;
        let change = discretization.correction(problem, mesh, &factors, &residuals);
        let change = change.ok_or(Deficiency::Conditions)?;
        let norm = Norm::new(problem, mesh, allowed, iterate, &change);
        let size = norm.mean(&change);
        if !size.is_finite() {
            return Err(Deficiency::Conditions.into());
        }
        if let Some((size_before, simplified_size, simplified)) = &before {
            let mut difference = simplified.clone();
            difference.add(-1.0, &change);
            let curvature = norm.mean(&difference) * size;
            damping =
                if curvature > 0.0 { (damping * size_before * simplified_size / curvature).min(1.0) } else { 1.0 };
        }
        // A long step is tried once before it is shortened; a shortened one is lengthened at most once.
        let mut shortened = false;
        // Size of the simplified correction after a full step.
        let mut after_full_step = f64::INFINITY;
        loop {
            if damping < limits.damping {
                problem.set_shared(mesh, &iterate.shared);
                return Err(if after_full_step <= NEARLY { Obstacle::Rounding } else { Obstacle::Damping });
            }
            let mut trial = iterate.clone();
            trial.add(damping, &change);
            let moves_far = problem.shared.end().is_some_and(|end| !mesh.can_end_at(trial.shared[end]));
            if !moves_far {
                problem.set_shared(mesh, &trial.shared);
            }
            statistics.residuals += 1;
            let at = if moves_far { None } else { discretization.residuals(problem, mesh, &trial).ok() };
            let simplified = at.and_then(|at| Some((discretization.correction(problem, mesh, &factors, &at)?, at)));
            let Some((simplified, at_trial)) = simplified.filter(|(it, _)| norm.mean(it).is_finite()) else {
                damping *= 0.5;
                shortened = true;
                statistics.reductions += 1;
                continue;
            };
            let simplified_size = norm.mean(&simplified);
            let largest = norm.largest(problem, &simplified);
            if damping == 1.0 {
                after_full_step = largest;
            }
            // A correction that is no larger than its own rounding errors cannot become smaller.
            let is_noise = simplified_size >= STALLED * size && largest <= limits.tolerable;
            let is_resolved = || {
                let resolution = discretization.resolution(problem, mesh, &trial, allowed);
                largest <= limits.settled * (limits.unresolved * resolution).max(1.0)
            };
            if damping == 1.0 && (is_noise || is_resolved()) {
                *iterate = trial;
                let mut corrected = iterate.clone();
                corrected.add(1.0, &simplified);
                let can_end = problem.shared.end().is_none_or(|end| mesh.can_end_at(corrected.shared[end]));
                if simplified_size < size && can_end {
                    *iterate = corrected;
                    problem.set_shared(mesh, &iterate.shared);
                }
                return Ok(());
            }
            let mut difference = simplified.clone();
            difference.add(damping - 1.0, &change);
            let curvature = norm.mean(&difference);
            let proposed = 0.5 * size * damping * damping / curvature.max(f64::MIN_POSITIVE);
            if simplified_size >= size * (1.0 - 0.25 * damping) {
                damping = proposed.min(0.5 * damping);
                shortened = true;
                statistics.reductions += 1;
                continue;
            }
            if !shortened && damping < 1.0 && proposed.min(1.0) >= TOO_SHORT * damping {
                damping = proposed.min(1.0);
                shortened = true;
                continue;
            }
            *iterate = trial;
            residuals = at_trial;
            before = Some((size, simplified_size, simplified));
            break;
        }
    }
    Err(Obstacle::Iterations)
}
