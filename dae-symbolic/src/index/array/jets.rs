//! Jets that fulfil the derivative array, and neighbouring points.
//!
//! In: the array and jets to start from. Out: jets at which every row vanishes to rounding, moved as little as possible
//! from the start (damped Gauss–Newton with least change, `newton.rs`: fixed values stay, values that are not given
//! move first), with all rows at once or with more and more differentiations. Rows may depend on one another.
//!
//! A second point of the same solution is the Taylor polynomial evaluated a step further, corrected; neighbouring
//! consistent points are corrected random ones.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use dae_runtime::contract::Start;

use super::newton::{Prepared, SparseRow};
use super::undamped_newton::full_steps;
use super::{DerivativeArray, Linearised};
use crate::expr::prime_field::arithmetic::draw;
use crate::expr::{Symbol, evaluate_one};
use crate::model::{Model, derivative_name};
use crate::prolongation::Prolonged;
use crate::system::listed;

/// Sufficient decrease of the next step with the same matrix: $\lVert \bar z \rVert \le (1 - \lambda/4) \lVert z \rVert$.
const NATURAL: f64 = 0.25;
/// Relative changes of the start, tried in turn where a derivative happens to vanish at it.
const ELSEWHERE: [f64; 3] = [0.03, 0.2, 1.0];

/// A time and the Taylor coefficients of the unknowns there.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayPoint {
    /// $t$.
    pub t: f64,
    /// $X_{j,k} = x_j^{(k)}/k!$.
    pub taylor: Vec<Vec<f64>>,
}

/// Which jets may be moved to fulfil the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistent {
    /// The jets that the model allows: fixed start values stay, and guesses only move where they must.
    Model,
    /// All jets alike: for points near the model's own.
    Alike,
}

/// Why no jets were found.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayError {
    /// A row has no finite value.
    NonFinite {
        /// Its name.
        row: String,
    },
    /// Rows contradict one another, to first order, for any values near those where the search ended.
    Contradiction {
        /// Their names.
        rows: Vec<String>,
    },
    /// The solution is a multiple one: the derivatives of the equations do not show what is determined there.
    Multiple {
        /// The name of the row that is farthest off.
        row: String,
    },
    /// The search did not come to an end.
    NoConvergence {
        /// The name of the row that is farthest off.
        row: String,
    },
    /// Values fulfil the equations to 16 digits, but none were found that do so to hundreds of digits.
    ToRoundingOnly,
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayError::NonFinite { row } => write!(f, "{row} has no finite value at the start values"),
            ArrayError::Contradiction { rows } => {
                let hold = if rows.len() == 1 { "holds" } else { "hold together" };
                write!(f, "no values were found near the start values at which {} {hold}", listed(rows))
            }
            ArrayError::Multiple { row } => {
                write!(
                    f,
                    "derivatives vanish at the solution that is closest to the start values (as those of {row} seem to)"
                )
            }
            ArrayError::NoConvergence { row } => {
                write!(f, "no values were found that fulfil the equations and their derivatives; {row} is still off")
            }
            ArrayError::ToRoundingOnly => write!(
                f,
                "values were found that fulfil the equations and their derivatives to 16 digits, and none that do so with more"
            ),
        }
    }
}

impl ArrayPoint {
    /// $x_j^{(k)}$, zero beyond the known orders.
    pub fn derivative(&self, unknown: usize, order: usize) -> f64 {
        let factorial: f64 = (1..=order).map(|k| k as f64).product();
        self.taylor[unknown].get(order).map_or(0.0, |x| x * factorial)
    }

    /// The start values of the model, and zero where it gives none.
    pub fn of_start_values(model: &Model, parameters: &[f64], t: f64) -> ArrayPoint {
        let value = |e| {
            evaluate_one(&model.dag, e, |symbol| match symbol {
                Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(f64::NAN),
                _ => f64::NAN,
            })
        };
        let families = model.unknowns.iter().map(|unknown| {
            let highest = unknown.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0);
            (0..=highest).map(|k| unknown.start_value(k).map_or(0.0, |s| value(s.value))).collect::<Vec<f64>>()
        });
        ArrayPoint::of_derivatives(t, families.collect())
    }

    /// The jets of a prolongation.
    pub fn of_jets(prolonged: &Prolonged, jets: &[f64], t: f64) -> ArrayPoint {
        let first = &prolonged.first_jet;
        let ends = first.iter().skip(1).copied().chain([jets.len()]);
        let families = first.iter().zip(ends).map(|(&start, end)| jets[start..end].to_vec()).collect();
        ArrayPoint::of_derivatives(t, families)
    }

    /// Derivatives $x_j^{(k)}$ by unknown and order as Taylor coefficients.
    pub fn of_derivatives(t: f64, mut families: Vec<Vec<f64>>) -> ArrayPoint {
        for family in &mut families {
            let mut factorial = 1.0;
            for (k, x) in family.iter_mut().enumerate().skip(1) {
                factorial *= k as f64;
                *x /= factorial;
            }
        }
        ArrayPoint { t, taylor: families }
    }

    /// The Taylor polynomials of all unknowns, expanded at $t + h$.
    pub fn after(&self, h: f64) -> ArrayPoint {
        let shifted = |series: &Vec<f64>| {
            // Horner's scheme, repeated: the coefficients of the polynomial in powers of (t - h).
            let mut shifted = series.clone();
            for first in 0..shifted.len() {
                for k in (first..shifted.len() - 1).rev() {
                    shifted[k] += h * shifted[k + 1];
                }
            }
            shifted
        };
        ArrayPoint { t: self.t + h, taylor: self.taylor.iter().map(shifted).collect() }
    }

    /// All coefficients changed by `relative` times their size, or their unknown's nominal value if that is larger, times a number
    /// between $-1$ and $1$ that depends on `seed`.
    pub fn beside(&self, model: &Model, relative: f64, seed: u64, orders: impl Fn(usize) -> usize) -> ArrayPoint {
        let mut point = self.clone();
        for (j, series) in point.taylor.iter_mut().enumerate() {
            let nominal = model.unknowns[j].nominal;
            for (k, x) in series.iter_mut().enumerate().take(orders(j)) {
                let fraction = draw(seed, &[j as u64, k as u64]) as f64 / (1_u64 << 60) as f64 - 1.0;
                *x += relative * fraction * x.abs().max(nominal);
            }
        }
        point
    }
}

/// Jets that fulfil the array, from `start`; missing coefficients start at zero.
pub fn consistent_point(
    model: &Model,
    parameters: &[f64],
    array: &DerivativeArray,
    start: &ArrayPoint,
    how: Consistent,
) -> Result<ArrayPoint, ArrayError> {
    let system = ArraySystem::new(model, parameters, array, how);
    let mut from = start.clone();
    for (j, series) in from.taylor.iter_mut().enumerate() {
        series.resize(array.coefficients(j), 0.0);
    }
    let first = match system.search(&from) {
        Ok(point) => return Ok(point),
        Err(error) => error,
    };
    if let Some(point) = full_steps(&system, &from) {
        return Ok(point);
    }
    if how == Consistent::Alike {
        return Err(first);
    }
    // A derivative that happens to vanish at the guess (a length at the origin) stops a method that follows derivatives.
    let elsewhere = ELSEWHERE.iter().enumerate().find_map(|(attempt, &size)| {
        let mut beside = from.beside(model, size, attempt as u64, |j| array.rates[j] as usize);
        for (j, series) in beside.taylor.iter_mut().enumerate() {
            for (k, x) in series.iter_mut().enumerate().filter(|&(k, _)| system.kind(j, k) == Start::Fixed) {
                *x = from.taylor[j][k];
            }
        }
        system.search(&beside).ok()
    });
    elsewhere.ok_or(first)
}

/// The array as a system of equations for jets.
pub(super) struct ArraySystem<'a> {
    pub(super) model: &'a Model,
    pub(super) parameters: &'a [f64],
    pub(super) array: &'a DerivativeArray,
    how: Consistent,
    /// The number of differentiations above which rows are left out.
    differentiations: u32,
    /// The column at which the coefficients of each unknown start.
    first: Vec<usize>,
    pub(super) columns: usize,
    is_free: Vec<bool>,
    /// The number of times that the rows may still be evaluated, in all stages together.
    left: Rc<Cell<usize>>,
}

/// The rows at a point, scaled so that the largest entry of each is about 1 in nominal values.
pub(super) struct Scaled {
    pub(super) rows: Vec<SparseRow>,
    pub(super) residual: Vec<f64>,
    /// The factors by which the rows were multiplied.
    pub(super) scale: Vec<f64>,
    /// $\sum_j |\partial f_i / \partial X_j\, X_j|$, scaled: the size with which the residual is compared.
    pub(super) magnitude: Vec<f64>,
}

impl Scaled {
    /// Measures columns in units of their own, and scales rows again so that the largest entry of each is 1.
    pub(super) fn weigh(&mut self, units: &[f64]) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.iter_mut().for_each(|(column, value)| *value *= units[*column]);
            let largest = row.iter().fold(0.0_f64, |largest, (_, value)| largest.max(value.abs()));
            if largest > 0.0 {
                row.iter_mut().for_each(|(_, value)| *value /= largest);
                self.residual[i] /= largest;
                self.magnitude[i] /= largest;
                self.scale[i] /= largest;
            }
        }
    }

    /// Whether every row is smaller than the fraction `unit` of its terms.
    pub(super) fn hold_to(&self, unit: f64) -> bool {
        self.residual.iter().zip(&self.magnitude).all(|(r, m)| r.abs() <= unit * m.max(unit))
    }
}

impl<'a> ArraySystem<'a> {
    pub(super) fn new(model: &'a Model, parameters: &'a [f64], array: &'a DerivativeArray, how: Consistent) -> Self {
        let mut first = Vec::with_capacity(array.rates.len());
        let mut columns = 0;
        for j in 0..array.rates.len() {
            first.push(columns);
            columns += array.coefficients(j);
        }
        let differentiations = array.differentiations;
        let left = Rc::new(Cell::new(array.limits.operations / array.cost().max(1)));
        let is_free = Vec::new();
        let mut system = ArraySystem { model, parameters, array, how, differentiations, first, columns, is_free, left };
        system.is_free = system.places().map(|(j, k)| system.kind(j, k) == Start::Free).collect();
        system
    }

    /// The jets in the order of the columns.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.array.rates.len()).flat_map(|j| (0..self.array.coefficients(j)).map(move |k| (j, k)))
    }

    /// The column of $X_{j,k}$.
    pub(super) fn column(&self, j: usize, k: usize) -> usize {
        self.first[j] + k
    }

    /// Whether $X_{j,k}$ is fixed, a guess or free.
    pub(super) fn kind(&self, j: usize, k: usize) -> Start {
        match self.how {
            Consistent::Model => self.model.unknowns[j].start_value(k as u32).map_or(Start::Free, |s| s.kind),
            Consistent::Alike if k < self.array.rates[j] as usize => Start::Guess,
            Consistent::Alike => Start::Free,
        }
    }

    /// Solves all rows at once or, where that leads nowhere, in stages.
    fn search(&self, from: &ArrayPoint) -> Result<ArrayPoint, ArrayError> {
        let [able, others @ ..] = self.array.limits.damped.able;
        let first = match self.solve(from.clone(), able) {
            Ok(point) => return Ok(point),
            Err(error) => error,
        };
        others.into_iter().rev().find_map(|able| self.solve_in_stages(from.clone(), able)).ok_or(first)
    }

    /// Solves with $0, 1, \dots, m$ differentiations in turn. Where equations can be combined so that leading parts
    /// cancel, they do so on solutions only: in $\frac{d}{dt} (\lambda F) = \lambda \dot F + \dot \lambda F$ the last
    /// term seems to determine derivatives while $F \ne 0$. Once the rows with fewer differentiations hold, it does
    /// not.
    fn solve_in_stages(&self, mut point: ArrayPoint, able: f64) -> Option<ArrayPoint> {
        for differentiations in 0..=self.array.differentiations {
            point = self.with_differentiations(differentiations).solve(point, able).ok()?;
        }
        Some(point)
    }

    /// The system of the rows with at most `differentiations` differentiations.
    pub(super) fn with_differentiations(&self, differentiations: u32) -> ArraySystem<'a> {
        let (first, is_free, left) = (self.first.clone(), self.is_free.clone(), self.left.clone());
        ArraySystem { differentiations, first, is_free, left, ..*self }
    }

    /// Whether the rows may be evaluated again.
    pub(super) fn may_go_on(&self) -> bool {
        self.left.update(|left| left.saturating_sub(1));
        self.left.get() > 0
    }

    /// Gauss–Newton steps until every row holds, damped by the natural monotonicity test: a step is short enough if the next one with the same
    /// matrix is shorter, whatever units and combinations the rows are written in (Deuflhard, *Newton Methods for Nonlinear Problems*,
    /// sect. 4.4).
    fn solve(&self, mut point: ArrayPoint, able: f64) -> Result<ArrayPoint, ArrayError> {
        let limits = &self.array.limits.damped;
        let mut slow = 0;
        for _ in 0..limits.steps {
            if self.left.get() == 0 {
                break;
            }
            let here = self.scaled(&point)?;
            if here.hold_to(limits.rounding) {
                return Ok(point);
            }
            let right: Vec<f64> = here.residual.iter().map(|r| -r).collect();
            let Some(prepared) = Prepared::new(&here.rows, self.columns, &self.is_free, able) else { break };
            let found = prepared.step(&right);
            let (before, length) = (norm(&here.residual), norm(&found.z));
            if length <= limits.negligible * self.size(&point) {
                return if here.hold_to(limits.consistency) {
                    Ok(point)
                } else {
                    Err(self.stuck(&here, &found.unreached))
                };
            }
            let mut left_by_full_step = f64::INFINITY;
            let moved = (0..limits.halvings).take_while(|_| self.left.get() > 0).find_map(|halving| {
                let fraction = 0.5_f64.powi(halving);
                let candidate = self.moved(&point, &found.z, fraction);
                let opposite: Vec<f64> = self.residual(&candidate, &here.scale).iter().map(|r| -r).collect();
                let next = norm(&prepared.step(&opposite).z);
                if halving == 0 {
                    left_by_full_step = next;
                }
                // A comparison with NaN is false.
                (next <= (1.0 - NATURAL * fraction) * length).then_some(candidate)
            });
            let clear_of_rounding = length > limits.consistency * self.size(&point);
            let is_slow = left_by_full_step > limits.slow * length && left_by_full_step < length;
            if before < limits.near && clear_of_rounding && is_slow {
                slow += 1;
            }
            if slow >= limits.slow_steps {
                return Err(ArrayError::Multiple { row: self.worst(&here) });
            }
            match moved {
                Some(candidate) if candidate != point => point = candidate,
                _ if here.hold_to(limits.consistency) => return Ok(point),
                _ => return Err(self.stuck(&here, &found.unreached)),
            }
        }
        let here = self.scaled(&point)?;
        match here.hold_to(limits.consistency) {
            true => Ok(point),
            false => Err(self.stuck(&here, &[])),
        }
    }

    /// The largest jet in nominal values, at least one.
    pub(super) fn size(&self, point: &ArrayPoint) -> f64 {
        let relative = |j: usize| point.taylor[j].iter().map(move |x| x.abs() / self.model.unknowns[j].nominal);
        (0..point.taylor.len()).flat_map(relative).fold(1.0, f64::max)
    }

    pub(super) fn moved(&self, point: &ArrayPoint, z: &[f64], fraction: f64) -> ArrayPoint {
        let mut moved = point.clone();
        for (j, series) in moved.taylor.iter_mut().enumerate() {
            let nominal = self.model.unknowns[j].nominal;
            for (k, x) in series.iter_mut().enumerate() {
                *x += fraction * nominal * z[self.first[j] + k];
            }
        }
        moved
    }

    fn residual(&self, point: &ArrayPoint, scale: &[f64]) -> Vec<f64> {
        self.left.update(|left| left.saturating_sub(1));
        let at = self.array.residuals_at(&self.model.dag, self.parameters, point);
        let count = self.array.equations.len();
        (0..scale.len()).map(|row| at[row % count][row / count] * scale[row]).collect()
    }

    pub(super) fn scaled(&self, point: &ArrayPoint) -> Result<Scaled, ArrayError> {
        self.left.update(|left| left.saturating_sub(self.array.relative_cost()));
        let at = self.array.at(&self.model.dag, self.parameters, point);
        let Linearised { residuals, .. } = &at;
        let count = self.array.equations.len();
        let total = count * (self.differentiations as usize + 1);
        let mut rows: Vec<SparseRow> = vec![Vec::new(); total];
        let mut magnitude = vec![0.0; total];
        let mut largest = vec![0.0_f64; total];
        self.array.entries(&at, self.differentiations, |l, i, j, k, value| {
            let row = l * count + i;
            magnitude[row] += (value * point.taylor[j][k]).abs();
            if value != 0.0 && self.kind(j, k) != Start::Fixed {
                let size = value * self.model.unknowns[j].nominal;
                largest[row] = largest[row].max(size.abs());
                rows[row].push((self.first[j] + k, size));
            }
        });
        let mut residual = Vec::with_capacity(total);
        let mut scale = Vec::with_capacity(total);
        for row in 0..total {
            let value = residuals[row % count][row / count];
            if !value.is_finite() || !magnitude[row].is_finite() {
                return Err(ArrayError::NonFinite { row: self.name(row) });
            }
            // A row that no column moves is compared with its own terms.
            let size = if largest[row] > 0.0 { largest[row] } else { magnitude[row].max(value.abs()) };
            let factor = if size > 0.0 { 1.0 / size } else { 1.0 };
            rows[row].iter_mut().for_each(|(_, value)| *value *= factor);
            magnitude[row] = (magnitude[row] * factor).max(1.0);
            residual.push(value * factor);
            scale.push(factor);
        }
        Ok(Scaled { rows, residual, scale, magnitude })
    }

    /// The error at a point where no step helps: at a stationary point nearly all of the residual is in directions that
    /// no column reaches, and that part is the contradiction.
    fn stuck(&self, here: &Scaled, unreached: &[f64]) -> ArrayError {
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let (size, left) = (largest(&here.residual), largest(unreached));
        let limits = &self.array.limits.damped;
        if left > limits.unreached * size {
            let rows = (0..unreached.len()).filter(|&row| unreached[row].abs() > limits.share * left);
            return ArrayError::Contradiction { rows: rows.map(|row| self.name(row)).collect() };
        }
        ArrayError::NoConvergence { row: self.worst(here) }
    }

    /// The name of the row that is farthest off.
    fn worst(&self, here: &Scaled) -> String {
        let size = here.residual.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        self.name((0..here.residual.len()).find(|&row| here.residual[row].abs() >= size).unwrap_or(0))
    }

    fn name(&self, row: usize) -> String {
        let count = self.array.equations.len();
        derivative_name(&self.model.equation_name(row % count), (row / count) as u32)
    }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
