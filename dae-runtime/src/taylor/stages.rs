//! The solution scheme, stage by stage.
//!
//! In: a [`TaylorDae`] and jets near consistent ones. Out: consistent jets, changed as little as possible, and the
//! Taylor coefficients of all unknowns.
//!
//! At stage $s$ the unknowns are $x_j^{(d_j + s)}$ and the equations $f_i^{(c_i + s)} = 0$, as far as these orders are
//! not negative (J. D. Pryce, *Solving high-index DAEs by Taylor series*, Numer. Algorithms 19 (1998), 195–211;
//! Nedialkov & Pryce I, sect. 3). In coefficients of scaled time the matrix of the stage is
//!
//! $$ A^{(s)}_{ij} = \frac{\partial f_i}{\partial x_j^{(d_j - c_i)}} \cdot \frac{(d_j + s)!}{(c_i + s)!}\, \tau^{c_i - d_j}. $$
//!
//! For $s \le 0$ there may be more unknowns than equations: Gauss–Newton steps of least norm, relative to the sizes of
//! the unknowns, lead from the predicted point back onto the equations (Nedialkov & Pryce, *Solving
//! differential-algebraic equations by Taylor series (III): the DAETS code*, JNAIAM 3 (2008), 61–80). The rows are
//! independent where the system Jacobian is regular. For $s > 0$ the equations are linear in the unknowns, and
//! $A^{(s)}_{ij} = A^{(0)}_{ij} \binom{d_j + s}{s} / \binom{c_i + s}{s}$, so that one factorisation serves all.

use super::block_solver::BlockSolver;
use super::blocks::Stage;
use super::contract::{Jets, TaylorDae, Work};
use super::failure::TaylorFailure;
use super::least_norm::Unsolvable;
use super::scalar::Scalar;

/// Upper bound on Gauss–Newton steps per stage.
const MAX_ITERATIONS: usize = 15;
/// Changes of this many rounding errors do not count.
const ROUNDING: f64 = 4.0;
/// A change that is this many rounding errors, and no smaller than the one before it, is rounding error.
const NOISE: f64 = 1e5;
/// The weight of fixed values: its square is below rounding errors, so that they move only if nothing else can.
const HELD: f64 = 1e-24;

/// Why a stage has no solution near the predicted values; equations and unknowns by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageFailure {
    /// The equation, or a derivative of it, is not finite.
    NonFinite { equation: usize },
    /// The equation does not determine anything that those before it leave open: the system Jacobian is singular.
    Singular { equation: usize },
    /// The iteration does not converge, mostly in this unknown.
    NotConverged { unknown: usize },
}

/// The solution scheme of a model.
pub(super) struct Stages<'d, S> {
    dae: &'d dyn TaylorDae<S>,
    work: Work<S>,
    /// The last stage, of those with positive number.
    last: usize,
    /// The stages from $-\max_j d_j$ to 0.
    structure: Vec<Stage>,
    residuals: Vec<S>,
    jacobian: Vec<S>,
    /// The factors of stage 0 at the present point, and the units of the unknowns in them.
    factors: Option<(BlockSolver<S>, Vec<f64>)>,
}

impl<'d, S: Scalar> Stages<'d, S> {
    pub(super) fn new(dae: &'d dyn TaylorDae<S>, last: usize) -> Self {
        let description = dae.taylor_description();
        Stages {
            dae,
            work: dae.work(last),
            last,
            structure: (-(description.highest_unknown() as i32)..=0).map(|s| Stage::new(description, s)).collect(),
            residuals: vec![S::zero(); description.equations.len()],
            jacobian: vec![S::zero(); description.jacobian.len()],
            factors: None,
        }
    }

    /// Moves the jets $x_j^{(k)}$, $k \le d_j$, onto the equations of all stages up to 0, with least change relative to
    /// their own sizes; those that are `held`, by unknown and order, only if nothing else can. `sizes` are those of the
    /// unknowns, by which rounding errors are measured.
    pub(super) fn project(
        &mut self,
        jets: &mut Jets<S>,
        sizes: &[f64],
        held: impl Fn(usize, usize) -> bool,
    ) -> Result<(), StageFailure> {
        self.factors = None;
        for s in -(self.dae.taylor_description().highest_equation() as i32)..=0 {
            self.solve(s, jets, sizes, &held)?;
        }
        Ok(())
    }

    /// The derivatives $x_j^{(k)}$, $k < d_j$, that the equations of their stage do not determine from those of earlier
    /// stages.
    pub(super) fn free_derivatives(&self) -> Vec<(usize, usize)> {
        let unknowns = &self.dae.taylor_description().unknowns;
        let before = self.structure.iter().rev().enumerate().skip(1);
        before.flat_map(|(s, stage)| stage.free.iter().map(move |&j| (j, unknowns[j].offset - s))).collect()
    }

    /// Solves a stage $s \le 0$.
    fn solve(
        &mut self,
        s: i32,
        jets: &mut Jets<S>,
        sizes: &[f64],
        held: &impl Fn(usize, usize) -> bool,
    ) -> Result<(), StageFailure> {
        let description = self.dae.taylor_description();
        let stage = self.structure[(description.highest_unknown() as i32 + s) as usize].clone();
        let order = |j: usize| (description.unknowns[j].offset as i32 + s) as usize;
        let mut weights = vec![0.0; description.unknowns.len()];
        for &j in &stage.unknowns {
            let own = (1..=order(j)).fold(description.unknowns[j].nominal, |x, n| x * jets.unit / n as f64);
            let size = jets.of(j)[order(j)].to_f64().abs().max(own);
            weights[j] = if held(j, order(j)) { HELD * size } else { size };
        }
        let (mut previous, mut unsettled) = (f64::INFINITY, 0);
        for _ in 0..MAX_ITERATIONS {
            self.linearise(s, jets, &stage)?;
            let factors = self.factorise(s, jets.unit, &stage, &weights)?;
            let right: Vec<S> = self.residuals.iter().map(|&residual| -residual).collect();
            let z = factors.solve(&right);
            let changes: Vec<S> = stage.unknowns.iter().map(|&j| z[j].times(weights[j])).collect();
            // Relative to the largest jet of the unknown.
            let relative = |(&j, &change): (&usize, &S)| {
                let jets = &jets.of(j)[..=description.unknowns[j].offset];
                let next = (jets[order(j)] + change).to_f64().abs();
                let size = jets.iter().fold(next, |size, x| size.max(x.to_f64().abs()));
                (j, if change.to_f64() == 0.0 { 0.0 } else { change.to_f64().abs() / size })
            };
            let (worst, largest) = largest(stage.unknowns.iter().zip(&changes).map(relative));
            if !largest.is_finite() {
                return Err(StageFailure::NotConverged { unknown: worst });
            }
            if largest <= ROUNDING * S::EPSILON {
                self.keep(s, factors, weights);
                return Ok(());
            }
            stage.unknowns.iter().zip(&changes).for_each(|(&j, &change)| jets.of_mut(j)[order(j)] += change);
            let is_noise = |(&j, change): (&usize, &S)| change.to_f64().abs() <= NOISE * S::EPSILON * sizes[j];
            // Convergence is quadratic: after a change of this size nothing is left but rounding errors.
            let is_done = largest <= 1e-2 * S::EPSILON.sqrt()
                || (largest >= 0.5 * previous && stage.unknowns.iter().zip(&changes).all(is_noise));
            if is_done {
                self.linearise(s, jets, &stage)?;
                let factors = if s == 0 { self.factorise(s, jets.unit, &stage, &weights)? } else { factors };
                self.keep(s, factors, weights);
                return Ok(());
            }
            (previous, unsettled) = (largest, worst);
        }
        Err(StageFailure::NotConverged { unknown: unsettled })
    }

    /// Keeps the factors of stage 0, which serve all later ones.
    fn keep(&mut self, s: i32, factors: BlockSolver<S>, weights: Vec<f64>) {
        if s == 0 {
            self.factors = Some((factors, weights));
        }
    }

    /// Expands the equations of a stage, and computes the rows of the system Jacobian that depend on its unknowns.
    fn linearise(&mut self, s: i32, jets: &Jets<S>, stage: &Stage) -> Result<(), StageFailure> {
        let description = self.dae.taylor_description();
        self.dae.expand(&mut self.work, s, jets, &mut self.residuals);
        if let Some(&equation) = stage.equations.iter().find(|&&i| !self.residuals[i].is_finite()) {
            return Err(StageFailure::NonFinite { equation });
        }
        let first: Vec<usize> =
            stage.equations.iter().copied().filter(|&i| description.equations[i].offset as i32 == -s).collect();
        self.dae.taylor_jacobian(&mut self.work, &first, &mut self.jacobian);
        Ok(())
    }

    /// The factors of $A^{(s)}$ with columns in units of `weights`.
    fn factorise(&self, s: i32, unit: f64, stage: &Stage, weights: &[f64]) -> Result<BlockSolver<S>, StageFailure> {
        let description = self.dae.taylor_description();
        let mut rows = vec![Vec::new(); description.equations.len()];
        for &i in &stage.equations {
            let c = (description.equations[i].offset as i32 + s) as usize;
            rows[i] = description
                .jacobian
                .row(i)
                .map(|(j, position)| {
                    let d = (description.unknowns[j].offset as i32 + s) as usize;
                    let scaled = (c + 1..=d).map(|n| n as f64 / unit).fold(self.jacobian[position], S::times);
                    (j, scaled.times(weights[j]))
                })
                .collect();
        }
        BlockSolver::new(rows, &stage.blocks, description.unknowns.len()).map_err(|(equation, why)| match why {
            Unsolvable::NonFinite(_) => StageFailure::NonFinite { equation },
            Unsolvable::Dependent(_) => StageFailure::Singular { equation },
        })
    }

    /// Computes the coefficients of all stages after 0 at a consistent point.
    pub(super) fn complete(&mut self, jets: &mut Jets<S>) -> Result<(), StageFailure> {
        let Some((factors, weights)) = self.factors.take() else { return Ok(()) };
        let description = self.dae.taylor_description();
        let mut rows = vec![S::from_f64(1.0); description.equations.len()];
        let mut columns = vec![S::from_f64(1.0); description.unknowns.len()];
        let mut changes = vec![S::zero(); description.unknowns.len()];
        for s in 1..=self.last {
            // Binomial coefficients, from those of the stage before.
            let grow = |binomial: &mut S, offset: usize| {
                *binomial = binomial.times((offset + s) as f64) / S::from_f64(s as f64)
            };
            rows.iter_mut().zip(&description.equations).for_each(|(row, it)| grow(row, it.offset));
            columns.iter_mut().zip(&description.unknowns).for_each(|(column, it)| grow(column, it.offset));
            for (j, unknown) in description.unknowns.iter().enumerate() {
                jets.of_mut(j)[unknown.offset + s] = S::zero();
            }
            self.dae.expand(&mut self.work, s as i32, jets, &mut self.residuals);
            if let Some(equation) = self.residuals.iter().position(|residual| !residual.is_finite()) {
                return Err(StageFailure::NonFinite { equation });
            }
            let right: Vec<S> = self.residuals.iter().zip(&rows).map(|(&residual, &row)| -(residual * row)).collect();
            let z = factors.solve(&right);
            for (j, unknown) in description.unknowns.iter().enumerate() {
                changes[j] = z[j].times(weights[j]) / columns[j];
                jets.of_mut(j)[unknown.offset + s] = changes[j];
            }
            self.dae.correct(&mut self.work, s as i32, jets.unit, &changes);
        }
        Ok(())
    }

    /// A failure of a stage as one of the run, at this time and for this step.
    pub(super) fn named(&self, failure: StageFailure, t: f64, h: f64) -> TaylorFailure {
        let description = self.dae.taylor_description();
        let equation = |i: usize| description.equations[i].name.clone();
        match failure {
            StageFailure::NonFinite { equation: i } => TaylorFailure::NonFinite { t, equation: equation(i) },
            StageFailure::Singular { equation: i } => TaylorFailure::SingularJacobian { t, equation: equation(i) },
            StageFailure::NotConverged { unknown } => {
                TaylorFailure::NotConverged { t, h, unknown: description.unknowns[unknown].name.clone() }
            }
        }
    }

    /// The coefficients of order $c_i + s$ of the equations at every stage up to 0, for any jets.
    pub(super) fn residuals(&mut self, jets: &Jets<S>, mut each: impl FnMut(usize, usize, S)) {
        let dae = self.dae;
        for s in -(dae.taylor_description().highest_equation() as i32)..=0 {
            dae.expand(&mut self.work, s, jets, &mut self.residuals);
            for (i, equation) in dae.taylor_description().equations.iter().enumerate() {
                if let Ok(order) = usize::try_from(equation.offset as i32 + s) {
                    each(i, order, self.residuals[i]);
                }
            }
        }
    }
}

/// The largest value with its number; a value that is not a number counts as the largest.
fn largest(values: impl Iterator<Item = (usize, f64)>) -> (usize, f64) {
    values.fold((0, 0.0), |worst: (usize, f64), it| if it.1 > worst.1 || it.1.is_nan() { it } else { worst })
}
