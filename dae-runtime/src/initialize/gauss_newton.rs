//! Damped Gauss–Newton on some equations of a prolongation for some of its jets.
//!
//! In: which equations, which jets may move, the jets. Out: jets at which the equations hold to rounding
//! ([`Outcome::Solved`]), or what holds them up ([`Outcome::Stuck`]).
//!
//! One iteration: with rows scaled so that the largest entry of the moving columns (in nominal values) is 1, take
//! the step of least change and halve it until the scaled residual has decreased (Nocedal & Wright, *Numerical
//! Optimization*, Sect. 10.3). Equation $i$ holds *to rounding* when
//! $|f_i| \le c\\,\varepsilon \sum_j |\partial f_i/\partial x_j\\, x_j|$, the size of the terms that cancel in it, or when a change
//! of the jets that may move by $\varepsilon$ of their nominal values would mend it.

use nalgebra::DMatrix;

use super::InitializationOptions;
use super::error::{FixedValue, InitializationError, Mismatch};
use super::least_change::least_change;
use crate::contract::{Prolongation, ProlongationDescription, Start};

/// Multiple of the rounding unit that a sum of a few terms may be off by, beyond one unit per term.
const ROUNDING: f64 = 4.0;
/// Sufficient decrease of the scaled residual.
const DECREASE: f64 = 1e-4;
/// Shortest step tried, as a power of one half.
const HALVINGS: i32 = 40;
/// Equations and jets with a smaller share in a contradiction are not named.
const SHARE: f64 = 1e-3;

/// How a solve ended.
pub(super) enum Outcome {
    /// The equations hold.
    Solved,
    /// They do not, and no step makes the residual smaller.
    Stuck(Stuck),
}

/// Where a solve got stuck.
pub(super) struct Stuck {
    rows: Vec<usize>,
    /// Residuals of the rows where it stopped, scaled.
    scaled_residual: Vec<f64>,
    row_scale: Vec<f64>,
    /// Unscaled derivative of the rows by all jets.
    jacobian: DMatrix<f64>,
    jets: Vec<f64>,
    /// Whether the residual is orthogonal to everything that may move.
    stationary: bool,
    iterations: usize,
}

/// The prolongation with room for its values.
pub(super) struct System<'a> {
    prolongation: &'a dyn Prolongation,
    t: f64,
    options: &'a InitializationOptions,
    residual: Vec<f64>,
    values: Vec<f64>,
    iterations: usize,
}

/// The equations at one iterate.
struct Iterate {
    residual: Vec<f64>,
    jacobian: DMatrix<f64>,
    /// $\sum_j |\partial f_i/\partial x_j\\, x_j|$.
    magnitude: Vec<f64>,
    row_scale: Vec<f64>,
    /// The change of a moving jet, in nominal values, that would make the residual zero; infinite where nothing moves.
    mended_by: Vec<f64>,
}

/// The derivative of all equations by all jets.
pub(super) fn dense(description: &ProlongationDescription, values: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(description.equations.len(), description.jets.len());
    for (row, column, position) in description.jacobian.entries() {
        matrix[(row, column)] = values[position];
    }
    matrix
}

impl<'a> System<'a> {
    pub(super) fn new(prolongation: &'a dyn Prolongation, t: f64, options: &'a InitializationOptions) -> Self {
        let description = prolongation.prolongation_description();
        System {
            prolongation,
            t,
            options,
            residual: vec![0.0; description.equations.len()],
            values: vec![0.0; description.jacobian.len()],
            iterations: 0,
        }
    }

    pub(super) fn description(&self) -> &'a ProlongationDescription {
        self.prolongation.prolongation_description()
    }

    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Moves the jets `moving` until the equations `rows` hold.
    pub(super) fn solve(
        &mut self,
        rows: &[usize],
        moving: &[usize],
        jets: &mut [f64],
    ) -> Result<Outcome, InitializationError> {
        let description = self.description();
        let is_free = |&k: &usize| description.jets[moving[k]].start == Start::Free;
        let (free, costly): (Vec<usize>, Vec<usize>) = (0..moving.len()).partition(is_free);
        for iteration in 0.. {
            let here = self.iterate(rows, moving, jets)?;
            let terms = |i: usize| here.jacobian.row(i).iter().filter(|entry| **entry != 0.0).count() as f64;
            let holds_to = |i: usize, unit: f64| here.residual[i].abs() <= unit * here.magnitude[i];
            let negligible = |i: usize| here.mended_by[i] <= f64::EPSILON;
            let to_rounding = |i: usize| holds_to(i, (ROUNDING + terms(i)) * f64::EPSILON) || negligible(i);
            if (0..rows.len()).all(to_rounding) {
                return Ok(Outcome::Solved);
            }
            let moved =
                iteration < self.options.max_iterations && self.improve(&here, rows, moving, &free, &costly, jets)?;
            if !moved {
                let solved = (0..rows.len()).all(|i| holds_to(i, self.options.consistency));
                return Ok(if solved {
                    Outcome::Solved
                } else {
                    Outcome::Stuck(self.stuck(here, rows, moving, jets, iteration))
                });
            }
        }
        Ok(Outcome::Solved)
    }

    /// Residual, derivative and scales of the rows.
    fn iterate(&mut self, rows: &[usize], moving: &[usize], jets: &[f64]) -> Result<Iterate, InitializationError> {
        let description = self.description();
        let non_finite =
            |row: usize| InitializationError::NonFinite { equation: description.equations[row].name.clone() };
        self.prolongation.prolonged_residual(self.t, jets, &mut self.residual);
        self.prolongation.prolonged_jacobian(self.t, jets, &mut self.values);
        if let Some(&row) = rows.iter().find(|&&row| !self.residual[row].is_finite()) {
            return Err(non_finite(row));
        }
        let jacobian = dense(description, &self.values).select_rows(rows);
        if let Some(i) = (0..rows.len()).find(|&i| jacobian.row(i).iter().any(|entry| !entry.is_finite())) {
            return Err(non_finite(rows[i]));
        }
        let sum = |i: usize| jacobian.row(i).iter().zip(jets).map(|(entry, x)| (entry * x).abs()).sum::<f64>();
        let magnitude: Vec<f64> = (0..rows.len()).map(sum).collect();
        let largest = |i: usize| {
            let size = |&j: &usize| jacobian[(i, j)].abs() * description.jets[j].nominal;
            moving.iter().map(size).fold(0.0, f64::max)
        };
        let largest: Vec<f64> = (0..rows.len()).map(largest).collect();
        let scale = |(&largest, &magnitude): (&f64, &f64)| {
            // A row that nothing moves is compared with its own terms.
            if largest > 0.0 { 1.0 / largest } else { 1.0 / magnitude.max(f64::MIN_POSITIVE.sqrt()) }
        };
        let row_scale = largest.iter().zip(&magnitude).map(scale).collect();
        let residual: Vec<f64> = rows.iter().map(|&row| self.residual[row]).collect();
        let mended = |(r, &largest): (&f64, &f64)| if largest > 0.0 { r.abs() / largest } else { f64::INFINITY };
        let mended_by = residual.iter().zip(&largest).map(mended).collect();
        Ok(Iterate { residual, jacobian, magnitude, row_scale, mended_by })
    }

    /// One damped step of least change; whether the residual became smaller.
    fn improve(
        &mut self,
        here: &Iterate,
        rows: &[usize],
        moving: &[usize],
        free: &[usize],
        costly: &[usize],
        jets: &mut [f64],
    ) -> Result<bool, InitializationError> {
        if moving.is_empty() {
            return Ok(false);
        }
        let description = self.description();
        let nominal = |k: usize| description.jets[moving[k]].nominal;
        let matrix = DMatrix::from_fn(rows.len(), moving.len(), |i, k| {
            here.row_scale[i] * here.jacobian[(i, moving[k])] * nominal(k)
        });
        let scaled: Vec<f64> = here.residual.iter().zip(&here.row_scale).map(|(r, scale)| -r * scale).collect();
        let Ok(step) = least_change(&matrix, free, costly, &scaled) else { return Ok(false) };
        self.iterations += 1;
        let from = jets.to_vec();
        let before = norm(&scaled);
        for halving in 0..HALVINGS {
            let fraction = 0.5_f64.powi(halving);
            for (k, &j) in moving.iter().enumerate() {
                jets[j] = from[j] + fraction * nominal(k) * step[k];
            }
            self.prolongation.prolonged_residual(self.t, jets, &mut self.residual);
            let after: Vec<f64> =
                rows.iter().zip(&here.row_scale).map(|(&row, scale)| self.residual[row] * scale).collect();
            // A residual that is not a number compares as false.
            if norm(&after) <= (1.0 - DECREASE * fraction) * before {
                return Ok(jets != from);
            }
        }
        jets.copy_from_slice(&from);
        Ok(false)
    }

    fn stuck(&self, here: Iterate, rows: &[usize], moving: &[usize], jets: &[f64], iterations: usize) -> Stuck {
        let scaled_residual: Vec<f64> = here.residual.iter().zip(&here.row_scale).map(|(r, scale)| r * scale).collect();
        let description = self.description();
        // B^T r = 0 up to what a halving line search can resolve: in the scaling of the steps, or in that of whole
        // rows, where a derivative that vanishes on the way (x = 1.5 fixed on the unit circle, y going to 0; or
        // all derivatives small against the residual) shows.
        let whole: Vec<f64> = (0..rows.len())
            .map(|i| {
                let size = |j: usize| here.jacobian[(i, j)].abs() * description.jets[j].nominal;
                1.0 / (0..description.jets.len())
                    .map(size)
                    .fold(here.residual[i].abs().max(f64::MIN_POSITIVE), f64::max)
            })
            .collect();
        let stationary = [&here.row_scale, &whole].iter().any(|scale| {
            let slope = moving.iter().map(|&j| {
                let column = (0..rows.len()).map(|i| here.jacobian[(i, j)] * scale[i] * scale[i] * here.residual[i]);
                (column.sum::<f64>() * description.jets[j].nominal).abs()
            });
            let size: Vec<f64> = here.residual.iter().zip(scale.iter()).map(|(r, scale)| r * scale).collect();
            slope.fold(0.0, f64::max) <= 10.0 * SHARE * norm(&size)
        });
        Stuck {
            rows: rows.to_vec(),
            scaled_residual,
            row_scale: here.row_scale,
            jacobian: here.jacobian,
            jets: jets.to_vec(),
            stationary,
            iterations,
        }
    }
}

impl Stuck {
    /// The contradiction in words: at a stationary point the scaled residual $r$ is a left null vector of what may
    /// move, so it is itself the combination of equations that cannot be satisfied, and the fixed jets $x_j$ with
    /// $(r^T A)_j \ne 0$ are those that enter it.
    pub(super) fn explain(self, system: &System<'_>) -> InitializationError {
        let description = system.description();
        let size = self.scaled_residual.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let name = |i: usize| description.equations[self.rows[i]].name.clone();
        if !self.stationary {
            let worst = (0..self.rows.len()).find(|&i| self.scaled_residual[i].abs() >= size).unwrap_or(0);
            return InitializationError::NoConvergence {
                equation: name(worst),
                residual: self.scaled_residual[worst] / self.row_scale[worst],
                iterations: self.iterations,
            };
        }
        let square = self.scaled_residual.iter().map(|r| r * r).sum::<f64>();
        let equations = (0..self.rows.len())
            .filter(|&i| self.scaled_residual[i].abs() > SHARE * size)
            // All of r put into equation i: (r.r)/r_i.
            .map(|i| Mismatch { equation: name(i), residual: square / self.scaled_residual[i] / self.row_scale[i] })
            .collect();
        let influence = |j: usize| {
            let terms =
                (0..self.rows.len()).map(|i| self.scaled_residual[i] * self.row_scale[i] * self.jacobian[(i, j)]);
            (terms.sum::<f64>() * description.jets[j].nominal).abs()
        };
        let fixed: Vec<FixedValue> = (0..description.jets.len())
            .filter(|&j| description.jets[j].start == Start::Fixed && influence(j) > SHARE * size)
            .map(|j| FixedValue { jet: description.jets[j].name.clone(), value: self.jets[j] })
            .collect();
        if fixed.is_empty() {
            InitializationError::NoSolution { equations }
        } else {
            InitializationError::Conflict { fixed, equations }
        }
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
