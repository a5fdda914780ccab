//! The derivative array as a system of equations for jets.
//!
//! In: the array, and which jets may be moved. Out: at a point, its rows, scaled so that their size means something,
//! with their derivatives with respect to the jets that move; and points moved by a step. It also counts how many more
//! times rows may be evaluated.

use std::cell::Cell;
use std::rc::Rc;

use dae_runtime::contract::Start;
use dae_runtime::pivoted_qr::SparseRow;

use super::derivative_array::{DerivativeArray, Linearised};
use super::error::ArrayError;
use super::matrix::decomposition;
use super::point::ArrayPoint;
use crate::model::{Model, derivative_name};

/// Which jets may be moved to fulfil the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistent {
    /// The jets that the model allows: fixed start values stay, and guesses only move where they must.
    Model,
    /// All jets alike: for points near the model's own.
    Alike,
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
    pub(super) is_free: Vec<bool>,
    /// The number of times that the rows may still be evaluated, in all stages together.
    left: Rc<Cell<usize>>,
}

/// The rows at a point, with columns in units of the nominal values, each scaled so that its largest entry is about 1.
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
    pub(super) fn scale_columns(&mut self, units: &[f64]) {
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

    /// The system of the rows with at most `differentiations` differentiations.
    pub(super) fn with_differentiations(&self, differentiations: u32) -> ArraySystem<'a> {
        let (first, is_free, left) = (self.first.clone(), self.is_free.clone(), self.left.clone());
        ArraySystem { differentiations, first, is_free, left, ..*self }
    }

    /// Whether the rows may not be evaluated any more.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0 || self.model.work.is_spent()
    }

    /// Whether the rows may be evaluated again, which counts as an evaluation.
    pub(super) fn may_go_on(&self) -> bool {
        self.left.update(|left| left.saturating_sub(1));
        !self.is_spent()
    }

    /// The largest jet in units of its nominal value, at least one.
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

    /// The rows alone, multiplied by `scale`. Counts their evaluation and the solution of their equations for a step.
    pub(super) fn residual(&self, point: &ArrayPoint, scale: &[f64]) -> Vec<f64> {
        self.left.update(|left| left.saturating_sub(1));
        self.model.work.spend(self.array.cost_of_series() + (scale.len() * self.columns) as u64);
        let at = self.array.residuals_at(&self.model.dag, self.parameters, point);
        let count = self.array.equations.len();
        (0..scale.len()).map(|row| at[row % count][row / count] * scale[row]).collect()
    }

    /// The rows with their derivatives. Counts their evaluation and their decomposition for a step.
    pub(super) fn scaled(&self, point: &ArrayPoint) -> Result<Scaled, ArrayError> {
        let relative_cost = self.array.relative_cost();
        self.left.update(|left| left.saturating_sub(relative_cost));
        let rows = self.array.equations.len() * (self.differentiations as usize + 1);
        let evaluation = self.array.cost_of_series() * relative_cost as u64;
        self.model.work.spend(evaluation + decomposition(rows, self.columns));
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

    /// The name of a row.
    pub(super) fn name(&self, row: usize) -> String {
        let count = self.array.equations.len();
        derivative_name(&self.model.equation_name(row % count), (row / count) as u32)
    }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
