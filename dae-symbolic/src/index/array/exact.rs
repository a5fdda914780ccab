//! Exact statements about the rows of the derivative array.
//!
//! In: the array over the prime field. Out: ranks of an affine system at its own time, ranks at a random point, rows
//! that depend on one another at every point, and rows of an affine system that contradict one another.

use super::arrays::Arrays;
use super::derivative_array::DerivativeArray;
use super::matrix::{ArrayRanks, exact_ranks, exact_rows};
use crate::defaults::start_point;
use crate::expr::prime_field::{FieldPoint, Independence, PRIME, sparse_rank};
use crate::expr::{Expr, Node, Rational, Symbol, blended, piecewise, reachable, symbols};

impl Arrays<'_> {
    /// The exact ranks of an affine system at a time that is a decimal fraction; `None` if the system is not affine, or
    /// where a coefficient is a function of time that is not rational (its value at this particular time is not
    /// generic), or numbers in the coefficients are not known to be independent.
    pub(super) fn exact_at(&self, array: &DerivativeArray, t: f64, m: u32) -> Option<ArrayRanks> {
        if !self.affine {
            return None;
        }
        let dag = &self.model.dag;
        let coefficients: Vec<Expr> = array.partial_derivatives().collect();
        let is_function = |e: &Expr| matches!(dag.node(*e), Node::Apply(..) | Node::Call(..));
        let functions = reachable(dag, coefficients.iter().copied()).into_iter().filter(is_function);
        if symbols(dag, functions).iter().any(|s| matches!(s, Symbol::Time)) {
            return None;
        }
        let independent = FieldPoint::new(0).evaluate(dag, &coefficients).ok()?.independence;
        if independent != Independence::Proven {
            return None;
        }
        let time = Rational::from_decimal(&format!("{t:?}"))?.modulo(PRIME)?;
        let point = FieldPoint::new(0).with_start(start_point(self.model)).with_given([(Symbol::Time, time)]);
        Some(exact_ranks(array, &array.at_random(dag, &point, 0)?, m))
    }

    /// The ranks at a random point, consistent or not.
    pub(super) fn generic(&self, array: &DerivativeArray, m: u32) -> Option<ArrayRanks> {
        let point = FieldPoint::new(1).with_start(start_point(self.model));
        Some(exact_ranks(array, &array.at_random(&self.model.dag, &point, 1)?, m))
    }

    /// Rows that depend on one another at every point, in a model with no more equations than unknowns; `None` if there
    /// are none among those examined.
    pub(super) fn dependent_rows(&mut self) -> Option<Vec<(usize, u32)>> {
        let limits = self.limits;
        let (count, unknowns) = (self.equations.len(), self.rates.len());
        let small = |m: &u32| count <= unknowns && count * (*m as usize + 1) <= limits.rows;
        // On all branches, not only that of the start values.
        let equations = blended(&mut self.model.dag, &self.equations);
        for m in (0..=limits.dependent_differentiations).take_while(small) {
            let rates = self.rates.clone();
            let array = DerivativeArray::of_equations(&mut self.model.dag, equations.clone(), rates, m, limits)?;
            let mut matrices = Vec::new();
            for seed in 0..limits.dependent_points {
                let point = FieldPoint::new(seed).with_start(start_point(self.model));
                let at = array.at_random(&self.model.dag, &point, seed)?;
                matrices.push(exact_rows(&array, &at, m));
            }
            let dependent = |rows: &[usize]| {
                let chosen =
                    |matrix: &Vec<Vec<(usize, u64)>>| rows.iter().map(|&row| matrix[row].clone()).collect::<Vec<_>>();
                matrices.iter().all(|matrix| sparse_rank(&chosen(matrix)) < rows.len())
            };
            if let Some(rows) = least(array.rows(), dependent) {
                return Some(rows.into_iter().map(|row| (row % count, (row / count) as u32)).collect());
            }
        }
        None
    }

    /// Rows of an affine array that contradict one another at almost every time: their left-hand sides depend on one
    /// another exactly, and the rows do not. Empty if none are known to: nothing of the kind is known of piecewise
    /// functions, or of values that the caller has yet to supply.
    pub(super) fn contradiction(&self, array: &DerivativeArray) -> Vec<(usize, u32)> {
        let dag = &self.model.dag;
        if !self.affine || self.model.has_stand_ins() || !piecewise(dag, &self.equations).is_empty() {
            return Vec::new();
        }
        let point = FieldPoint::new(0).with_start(start_point(self.model));
        let proven = point.evaluate(dag, &self.equations).is_ok_and(|found| found.independence == Independence::Proven);
        let Some(at) = array.at_random(dag, &point, 0).filter(|_| proven) else { return Vec::new() };
        let left = exact_rows(array, &at, array.differentiations);
        let (count, column) = (self.equations.len(), left.iter().flatten().map(|&(j, _)| j + 1).max().unwrap_or(0));
        let with_residual = |row: usize| {
            let value = at.residuals[row % count][row / count].0;
            left[row].iter().copied().chain((value != 0).then_some((column, value))).collect::<Vec<_>>()
        };
        let contradict = |rows: &[usize]| {
            let whole = sparse_rank(&rows.iter().map(|&row| with_residual(row)).collect::<Vec<_>>());
            whole > sparse_rank(&rows.iter().map(|&row| left[row].clone()).collect::<Vec<_>>())
        };
        let named = |row: usize| (row % count, (row / count) as u32);
        least(left.len(), contradict).into_iter().flatten().map(named).collect()
    }
}

/// A minimal set of rows with a property that supersets inherit; `None` if the set of all rows does not have it.
fn least(count: usize, has: impl Fn(&[usize]) -> bool) -> Option<Vec<usize>> {
    let mut rows: Vec<usize> = (0..count).collect();
    if !has(&rows) {
        return None;
    }
    for row in (0..count).rev() {
        let without: Vec<usize> = rows.iter().copied().filter(|&other| other != row).collect();
        if has(&without) {
            rows = without;
        }
    }
    Some(rows)
}
