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

use super::contract::{Jets, TaylorDae, Work};
use super::failure::TaylorFailure;
use super::least_norm::{LeastNorm, Unsolvable};
use super::scalar::Scalar;

/// Upper bound on Gauss–Newton steps per stage.
const MAX_ITERATIONS: usize = 15;
/// Changes of this many rounding errors do not count.
const ROUNDING: f64 = 4.0;
/// A change that is this many rounding errors, and no smaller than the one before it, is rounding error.
const NOISE: f64 = 1e5;
/// What fixed values count in comparison with others: they move only if nothing else can.
const HELD: f64 = 1e-12;

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

/// The equations and unknowns of a stage.
#[derive(Clone, Debug)]
struct Stage {
    equations: Vec<usize>,
    unknowns: Vec<usize>,
}

/// The solution scheme of a model.
pub(super) struct Stages<'d, S> {
    dae: &'d dyn TaylorDae<S>,
    work: Work<S>,
    /// The last stage, of those with positive number.
    last: usize,
    residuals: Vec<S>,
    jacobian: Vec<S>,
    /// The factors of stage 0 at the present point, and the units of the unknowns in them.
    factors: Option<(LeastNorm<S>, Vec<f64>)>,
}

impl<'d, S: Scalar> Stages<'d, S> {
    pub(super) fn new(dae: &'d dyn TaylorDae<S>, last: usize) -> Self {
        let description = dae.taylor_description();
        Stages {
            dae,
            work: dae.work(last),
            last,
            residuals: vec![S::zero(); description.equations.len()],
            jacobian: vec![S::zero(); description.jacobian.len()],
            factors: None,
        }
    }

    /// Moves the jets $x_j^{(k)}$, $k \le d_j$, onto the equations of all stages up to 0, with least change relative to
    /// `sizes`; those that are `held`, by unknown and order, only if nothing else can.
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

    fn stage(&self, s: i32) -> Stage {
        let description = self.dae.taylor_description();
        let has = |offset: usize| offset as i32 + s >= 0;
        Stage {
            equations: (0..description.equations.len()).filter(|&i| has(description.equations[i].offset)).collect(),
            unknowns: (0..description.unknowns.len()).filter(|&j| has(description.unknowns[j].offset)).collect(),
        }
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
        let stage = self.stage(s);
        let order = |j: usize| (description.unknowns[j].offset as i32 + s) as usize;
        let weight = |j: usize| if held(j, order(j)) { HELD * sizes[j] } else { sizes[j] };
        let (mut previous, mut unsettled) = (f64::INFINITY, 0);
        for _ in 0..MAX_ITERATIONS {
            self.linearise(s, jets, &stage)?;
            let factors = self.factorise(s, jets.unit, &stage, weight)?;
            let right: Vec<S> = stage.equations.iter().map(|&i| -self.residuals[i]).collect();
            let z = factors.solve(&right);
            let changes: Vec<S> = stage.unknowns.iter().zip(&z).map(|(&j, z)| z.times(weight(j))).collect();
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
                return self.keep(s, factors, weight);
            }
            stage.unknowns.iter().zip(&changes).for_each(|(&j, &change)| jets.of_mut(j)[order(j)] += change);
            let is_noise = |(&j, change): (&usize, &S)| change.to_f64().abs() <= NOISE * S::EPSILON * sizes[j];
            // Convergence is quadratic: after a change of this size nothing is left but rounding errors.
            let is_done = largest <= 1e-2 * S::EPSILON.sqrt()
                || (largest >= 0.5 * previous && stage.unknowns.iter().zip(&changes).all(is_noise));
            if is_done {
                self.linearise(s, jets, &stage)?;
                let factors = if s == 0 { self.factorise(s, jets.unit, &stage, weight)? } else { factors };
                return self.keep(s, factors, weight);
            }
            (previous, unsettled) = (largest, worst);
        }
        Err(StageFailure::NotConverged { unknown: unsettled })
    }

    /// Keeps the factors of stage 0, which serve all later ones.
    fn keep(&mut self, s: i32, factors: LeastNorm<S>, weight: impl Fn(usize) -> f64) -> Result<(), StageFailure> {
        if s == 0 {
            let weights = (0..self.dae.taylor_description().unknowns.len()).map(weight).collect();
            self.factors = Some((factors, weights));
        }
        Ok(())
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

    /// The factors of $A^{(s)}$ with columns in units of `weight`.
    fn factorise(
        &self,
        s: i32,
        unit: f64,
        stage: &Stage,
        weight: impl Fn(usize) -> f64,
    ) -> Result<LeastNorm<S>, StageFailure> {
        let description = self.dae.taylor_description();
        let columns = stage.unknowns.len();
        let mut column_of = vec![None; description.unknowns.len()];
        stage.unknowns.iter().enumerate().for_each(|(column, &j)| column_of[j] = Some(column));
        let mut entries = vec![S::zero(); stage.equations.len() * columns];
        for (row, &i) in stage.equations.iter().enumerate() {
            let c = (description.equations[i].offset as i32 + s) as usize;
            for (j, position) in description.jacobian.row(i) {
                let Some(column) = column_of[j] else { continue };
                let d = (description.unknowns[j].offset as i32 + s) as usize;
                let scaled = (c + 1..=d).map(|n| n as f64 / unit).fold(self.jacobian[position], S::times);
                entries[row * columns + column] = scaled.times(weight(j));
            }
        }
        LeastNorm::new(stage.equations.len(), columns, entries).map_err(|unsolvable| match unsolvable {
            Unsolvable::NonFinite(row) => StageFailure::NonFinite { equation: stage.equations[row] },
            Unsolvable::Dependent(row) => StageFailure::Singular { equation: stage.equations[row] },
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
