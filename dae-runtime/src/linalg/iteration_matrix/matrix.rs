//! The iteration matrix and its factors.
//!
//! In: Jacobians, two scalars and a step size. Out: solutions of linear systems with $a\\,F_{y'} + b\\,F_y$, by the
//! elimination that a [`FactorizationPlan`] prescribes; pivots that are unsuitable for the values are chosen again.

use std::rc::Rc;

use super::deficiency::{Deficiency, deficiency};
use super::dense::Lu;
use super::equilibration::{Singular, power_of_two};
use super::factorization_plan::FactorizationPlan;
use super::jacobians::Jacobians;
use super::scalar::Scalar;
use super::sparse::{PivotTooSmall, SparseLu};
use super::symbolic_factorization::SymbolicFactorization;
use crate::contract::Description;

/// Up to this order, complete pivoting finds out what makes a matrix singular.
const LARGEST_COMPLETE: usize = 500;

/// The matrix $a\\,F_{y'} + b\\,F_y$ of Newton's iteration with scaled columns, and its factors.
#[derive(Clone, Debug)]
pub(crate) struct IterationMatrix<S> {
    plan: Rc<FactorizationPlan>,
    /// Values on the pattern of the plan.
    values: Vec<S>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// Largest entries of the columns.
    column_size: Vec<f64>,
    factors: Factors<S>,
    factorizations: usize,
}

#[derive(Clone, Debug)]
enum Factors<S> {
    None,
    Dense(Lu<S>),
    Sparse(SparseLu<S>),
}

impl<S: Scalar> IterationMatrix<S> {
    /// Room for matrices and their factors.
    pub(crate) fn new(plan: &Rc<FactorizationPlan>) -> Self {
        let factors = match &plan.symbolic {
            Some(symbolic) => Factors::Sparse(SparseLu::new(Rc::clone(symbolic), plan.code.as_ref().map(S::code))),
            None => Factors::Dense(Lu::new(plan.order())),
        };
        IterationMatrix { factors, ..IterationMatrix::unfactorized(plan) }
    }

    fn unfactorized(plan: &Rc<FactorizationPlan>) -> Self {
        let n = plan.order();
        IterationMatrix {
            plan: Rc::clone(plan),
            values: vec![S::ZERO; plan.columns.len()],
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            column_size: vec![0.0; n],
            factors: Factors::None,
            factorizations: 0,
        }
    }

    /// Fills in $a\\,F_{y'} + b\\,F_y$ with the columns scaled for steps of length `h`.
    pub(crate) fn assemble(&mut self, description: &Description, a: S, b: S, jacobians: &Jacobians, h: f64) {
        scale_by_index(description, h, &mut self.column_scale);
        self.column_scale.iter_mut().zip(&jacobians.magnitudes).for_each(|(scale, magnitude)| *scale *= magnitude);
        self.values.fill(S::ZERO);
        for (pattern, places, values, factor) in [
            (&description.jacobian_yp, &self.plan.of_yp, &jacobians.yp, a),
            (&description.jacobian_y, &self.plan.of_y, &jacobians.y, b),
        ] {
            for ((&place, &column), value) in places.iter().zip(pattern.column_indices.iter()).zip(values) {
                self.values[place] += factor.scale(value * self.column_scale[column]);
            }
        }
    }

    /// Factorises what was assembled.
    pub(crate) fn factorize(&mut self) -> Result<(), Singular> {
        self.factorizations += 1;
        if let Factors::Dense(lu) = &mut self.factors {
            self.plan.scatter(&self.values, lu.matrix_mut());
            return lu.factorize();
        }
        self.equilibrate()?;
        if let Factors::Sparse(lu) = &mut self.factors
            && lu.factorize(&self.values, &self.column_size).is_ok()
            && !lu.has_grown()
        {
            return Ok(());
        }
        // Pivots chosen for other values are unsuitable.
        let symbolic = SymbolicFactorization::of(self.plan.rows(), &self.values);
        let mut lu = SparseLu::new(Rc::new(symbolic.map_err(|found| Singular::Column(found.column))?), None);
        let factorized = lu.factorize(&self.values, &self.column_size);
        self.factors = Factors::Sparse(lu);
        factorized.map_err(|PivotTooSmall { column }| Singular::Column(column))
    }

    /// Divides each row by the largest power of two that does not exceed its largest entry, and records the largest
    /// entries of the columns.
    fn equilibrate(&mut self) -> Result<(), Singular> {
        let plan = &self.plan;
        self.column_size.fill(0.0);
        for row in 0..plan.order() {
            let range = plan.starts[row]..plan.starts[row + 1];
            let values = &mut self.values[range.clone()];
            let mut size = 0.0_f64;
            for value in values.iter() {
                let norm = value.norm_1();
                if !norm.is_finite() {
                    return Err(Singular::NonFinite(row));
                }
                size = size.max(norm);
            }
            if size == 0.0 {
                return Err(Singular::Row(row));
            }
            self.row_scale[row] = 1.0 / power_of_two(size);
            for (value, &column) in values.iter_mut().zip(&plan.columns[range]) {
                *value = value.scale(self.row_scale[row]);
                self.column_size[column] = self.column_size[column].max(value.norm_1());
            }
        }
        Ok(())
    }

    /// Whether the code without loops of the formulation factorises it.
    pub(crate) fn is_unrolled(&self) -> bool {
        matches!(&self.factors, Factors::Sparse(lu) if lu.is_unrolled())
    }

    /// Number of factorisations so far: tells whether what was computed with the factors is out of date.
    pub(crate) fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Replaces the right-hand side by the solution of the unscaled system.
    pub(crate) fn solve(&self, x: &mut [S]) {
        match &self.factors {
            Factors::None => x.fill(S::ZERO),
            Factors::Dense(lu) => lu.solve(x),
            Factors::Sparse(lu) => {
                x.iter_mut().zip(&self.row_scale).for_each(|(x, &scale)| *x = x.scale(scale));
                lu.solve(x);
            }
        }
        x.iter_mut().zip(&self.column_scale).for_each(|(x, &scale)| *x = x.scale(scale));
    }

    /// Replaces the right-hand side by the solution of the transposed unscaled system.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        x.iter_mut().zip(&self.column_scale).for_each(|(x, &scale)| *x = x.scale(scale));
        match &self.factors {
            Factors::None => x.fill(S::ZERO),
            Factors::Dense(lu) => lu.solve_transposed(x),
            Factors::Sparse(lu) => {
                lu.solve_transposed(x);
                x.iter_mut().zip(&self.row_scale).for_each(|(x, &scale)| *x = x.scale(scale));
            }
        }
    }
}

impl IterationMatrix<f64> {
    /// Values of $F_{y'} / h + F_y$ with scaled columns and rows, if it is finite and has no row of zeros.
    pub(super) fn equilibrated_values(
        plan: &Rc<FactorizationPlan>,
        description: &Description,
        jacobians: &Jacobians,
        h: f64,
    ) -> Option<Vec<f64>> {
        let mut matrix = IterationMatrix::unfactorized(plan);
        matrix.assemble(description, 1.0 / h, 1.0, jacobians, h);
        matrix.equilibrate().ok()?;
        Some(matrix.values)
    }

    /// The sign of the determinant of the factorised matrix; zero if there are no factors.
    pub(crate) fn determinant_sign(&self) -> f64 {
        match &self.factors {
            Factors::None => 0.0,
            Factors::Dense(lu) => lu.determinant_sign(),
            Factors::Sparse(lu) => lu.determinant_sign(),
        }
    }

    /// Where the assembled matrix, not yet factorised, is singular to working precision; `None` if it is regular.
    pub(crate) fn deficiency(&mut self) -> Option<Deficiency> {
        let n = self.plan.order();
        if n <= LARGEST_COMPLETE {
            let mut matrix = vec![0.0; n * n];
            self.plan.scatter(&self.values, &mut matrix);
            return deficiency(n, &mut matrix);
        }
        match self.equilibrate() {
            Err(Singular::Row(row) | Singular::NonFinite(row)) => Some(Deficiency { row, column: row }),
            Err(Singular::Column(column)) => Some(Deficiency { row: column, column }),
            Ok(()) => {
                let found = SymbolicFactorization::of(self.plan.rows(), &self.values).err()?;
                Some(Deficiency { row: found.row, column: found.column })
            }
        }
    }
}

/// $|h|^{-(k-1)}$ for each unknown of index $k$, with $|h|$ rounded down to a power of two.
fn scale_by_index(description: &Description, h: f64, scale: &mut [f64]) {
    let inverse = 1.0 / power_of_two(h.abs());
    for (scale, unknown) in scale.iter_mut().zip(description.unknowns.iter()) {
        *scale = inverse.powi(i32::from(unknown.index) - 1);
    }
}
