//! Damped Newton iteration for the discretised problem.
//!
//! In: a discretisation and a first iterate. Out: a zero of its equations, or the last iterate with the reason why none
//! was found.
//!
//! Steps are damped such that simplified corrections, with the factors of the step before, become smaller: the natural
//! monotonicity test, which does not depend on how equations are scaled (P. Deuflhard, *Newton Methods for Nonlinear
//! Problems*, Springer 2004, algorithm NLEQ-ERR). Corrections are measured in units of the errors allowed.

use super::iterate::Iterate;
use super::mesh::Mesh;
use super::norm::Norm;
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

    /// The residuals at an iterate.
    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Self::Residuals, Deficiency>;

    /// The factors of the linearisation at an iterate with these residuals.
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
    /// Where the mesh leaves an error that is larger than the one allowed, `settled` may be larger by this fraction of the
    /// same factor.
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
/// A damped step is lengthened, once, if it turns out to have been too short by this factor.
const TOO_SHORT: f64 = 4.0;

/// Improves the iterate until corrections are small enough. On return, the parameters of the problem are those of the
/// iterate.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    discretization: &impl Discretization,
    mesh: &mut Mesh,
    iterate: &mut Iterate,
    allowed: &Tolerances,
    limits: Limits,
    statistics: &mut BvpStatistics,
) -> Result<(), Obstacle> {
    let mut iteration = Iteration { problem, discretization, mesh, allowed, limits, statistics };
    iteration.problem.set_shared(iteration.mesh, &iterate.shared);
    let mut residuals = discretization.residuals(iteration.problem, iteration.mesh, iterate)?;
    iteration.statistics.residuals += 1;
    let mut damping = 1.0;
    // Sizes of the last correction and of the simplified correction after it, and the latter.
    let mut before: Option<(f64, f64, Iterate)> = None;
    for _ in 0..limits.iterations {
        let correction = iteration.correction(iterate, &residuals)?;
        let Correction { change, norm, size, .. } = &correction;
        if let Some((size_before, simplified_size, simplified)) = &before {
            let mut difference = simplified.clone();
            difference.add(-1.0, change);
            let curvature = norm.mean(&difference) * size;
            damping =
                if curvature > 0.0 { (damping * size_before * simplified_size / curvature).min(1.0) } else { 1.0 };
        }
        let accepted = iteration.step(iterate, &correction, damping)?;
        *iterate = accepted.trial.iterate;
        let simplified = accepted.trial.simplified;
        if accepted.is_last {
            if accepted.simplified_size < *size {
                iteration.correct_once_more(iterate, &simplified);
            }
            return Ok(());
        }
        damping = accepted.damping;
        residuals = accepted.trial.residuals;
        before = Some((*size, accepted.simplified_size, simplified));
    }
    Err(Obstacle::Iterations)
}

/// What all steps of an iteration have in common.
struct Iteration<'i, 'd, D> {
    problem: &'i mut Problem<'d>,
    discretization: &'i D,
    mesh: &'i mut Mesh,
    allowed: &'i Tolerances,
    limits: Limits,
    statistics: &'i mut BvpStatistics,
}

/// A Newton correction.
struct Correction<F> {
    factors: F,
    change: Iterate,
    norm: Norm,
    /// The mean size of the change.
    size: f64,
}

/// An iterate after a damped step, and the simplified correction there.
struct Trial<R> {
    iterate: Iterate,
    residuals: R,
    simplified: Iterate,
}

/// A damped step after which simplified corrections are smaller, or small enough.
struct Accepted<R> {
    damping: f64,
    trial: Trial<R>,
    /// The mean size of the simplified correction.
    simplified_size: f64,
    /// Whether corrections are small enough.
    is_last: bool,
}

impl<D: Discretization> Iteration<'_, '_, D> {
    /// The Newton correction at an iterate.
    fn correction(&mut self, iterate: &Iterate, residuals: &D::Residuals) -> Result<Correction<D::Factors>, Obstacle> {
        let Iteration { problem, discretization, mesh, allowed, statistics, .. } = self;
        let factors = discretization.factorize(problem, mesh, iterate, residuals)?;
        statistics.factorizations += 1;
        let change = discretization.correction(problem, mesh, &factors, residuals).ok_or(Deficiency::Conditions)?;
        let norm = Norm::new(problem, mesh, allowed, iterate, &change);
        let size = norm.mean(&change);
        match size.is_finite() {
            true => Ok(Correction { factors, change, norm, size }),
            false => Err(Deficiency::Conditions.into()),
        }
    }

    /// A step in the direction of a correction that passes the restricted monotonicity test, by which simplified corrections
    /// shrink by the factor $1 - \lambda/4$ at least, for a damping factor $\lambda$; the first one tried is `damping`.
    fn step(
        &mut self,
        iterate: &Iterate,
        correction: &Correction<D::Factors>,
        mut damping: f64,
    ) -> Result<Accepted<D::Residuals>, Obstacle> {
        let Correction { change, norm, size, .. } = correction;
        // A long step is tried once before it is shortened; a shortened one is lengthened at most once.
        let mut shortened = false;
        // Size of the simplified correction after a full step.
        let mut after_full_step = f64::INFINITY;
        loop {
            if damping < self.limits.damping {
                self.problem.set_shared(self.mesh, &iterate.shared);
                return Err(if after_full_step <= NEARLY { Obstacle::Rounding } else { Obstacle::Damping });
            }
            let Some(trial) = self.trial(iterate, correction, damping) else {
                damping *= 0.5;
                shortened = true;
                self.statistics.reductions += 1;
                continue;
            };
            let simplified_size = norm.mean(&trial.simplified);
            if damping == 1.0 {
                let largest = norm.largest(&trial.simplified);
                after_full_step = largest;
                // A correction that is no larger than its own rounding errors cannot become smaller.
                let is_noise = simplified_size >= STALLED * size && largest <= self.limits.tolerable;
                if is_noise || largest <= self.settled(&trial.iterate) {
                    return Ok(Accepted { damping, trial, simplified_size, is_last: true });
                }
            }
            let mut difference = trial.simplified.clone();
            difference.add(damping - 1.0, change);
            let curvature = norm.mean(&difference);
            let proposed = 0.5 * size * damping * damping / curvature.max(f64::MIN_POSITIVE);
            if simplified_size >= size * (1.0 - 0.25 * damping) {
                damping = proposed.min(0.5 * damping);
                shortened = true;
                self.statistics.reductions += 1;
                continue;
            }
            if !shortened && damping < 1.0 && proposed.min(1.0) >= TOO_SHORT * damping {
                damping = proposed.min(1.0);
                shortened = true;
                continue;
            }
            return Ok(Accepted { damping, trial, simplified_size, is_last: false });
        }
    }

    /// A damped step; `None` if a free end would move too far, or if there is no finite simplified correction.
    fn trial(
        &mut self,
        iterate: &Iterate,
        correction: &Correction<D::Factors>,
        damping: f64,
    ) -> Option<Trial<D::Residuals>> {
        let Iteration { problem, discretization, mesh, statistics, .. } = self;
        let mut trial = iterate.clone();
        trial.add(damping, &correction.change);
        statistics.residuals += 1;
        if !can_end(problem, mesh, &trial) {
            return None;
        }
        problem.set_shared(mesh, &trial.shared);
        let residuals = discretization.residuals(problem, mesh, &trial).ok()?;
        let simplified = discretization.correction(problem, mesh, &correction.factors, &residuals)?;
        let is_finite = correction.norm.mean(&simplified).is_finite();
        is_finite.then_some(Trial { iterate: trial, residuals, simplified })
    }

    /// The size of corrections that end the iteration.
    fn settled(&self, iterate: &Iterate) -> f64 {
        let resolution = self.discretization.resolution(self.problem, self.mesh, iterate, self.allowed);
        self.limits.settled * (self.limits.unresolved * resolution).max(1.0)
    }

    /// Adds a simplified correction, unless a free end would move too far.
    fn correct_once_more(&mut self, iterate: &mut Iterate, simplified: &Iterate) {
        let mut corrected = iterate.clone();
        corrected.add(1.0, simplified);
        if can_end(self.problem, self.mesh, &corrected) {
            *iterate = corrected;
            self.problem.set_shared(self.mesh, &iterate.shared);
        }
    }
}

/// Whether the mesh can end where an iterate does.
fn can_end(problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> bool {
    problem.shared.end().is_none_or(|end| mesh.can_end_at(iterate.shared[end]))
}
