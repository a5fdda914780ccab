//! Constraints and multipliers near the start: the matrices of the linear model of Ascher & Petzold (1993), eq. (2.3),
//! read off a system.
//!
//! In: the working system. Out: $C$, the coefficients of the differentiated unknowns in the constraints, and $B$, the
//! response of the highest derivatives to the multipliers, with their derivatives in time up to a given order:
//!
//! $$ x^{(m)} = \dots + B y, \qquad 0 = C x + r. $$
//!
//! $C_{ij} = \partial f_i / \partial x_j^{(d_j - c_i)}$ for the equations that are differentiated. The others, likewise
//! linearised in $x_j^{(d_j - c_i)}$, are $A \delta z + N \delta y = 0$, hence $B = -A^{-1} N$; the rows $\dot p = v$
//! of a first-order text say that positions respond as velocities do.

use nalgebra::DMatrix;

use crate::defaults::default_parameters;
use crate::expr::{Expr, Symbol, evaluate, gradient, total_derivative};
use crate::formulation::Material;
use crate::model::Model;

/// A matrix of expressions in jets, by its entries.
#[derive(Clone, Debug, Default)]
struct Entries {
    rows: usize,
    columns: usize,
    list: Vec<(usize, usize, Expr)>,
}

/// The matrices as expressions.
pub(super) struct Local {
    /// Unknowns whose derivatives occur: the columns of $C$.
    pub(super) moving: Vec<usize>,
    /// The offsets $d_j$ of these unknowns.
    pub(super) orders: Vec<u32>,
    /// The number of times that each constraint is differentiated.
    pub(super) levels: Vec<u32>,
    constraints: Entries,
    /// $A$ and $N$, if there are as many multipliers as constraints.
    dynamics: Option<[Entries; 2]>,
}

/// Values of jets.
pub(super) type Jets<'a> = &'a dyn Fn(usize, u32) -> Option<f64>;

impl Local {
    /// Reads the matrices off; `None` without constraints.
    pub(super) fn of(model: &mut Model, material: &Material<'_>) -> Option<Local> {
        let offsets = &material.structure.offsets;
        let given = |j: &usize| material.eliminated.iter().any(|it| it.unknown == *j);
        let unknowns = (0..offsets.unknowns.len()).filter(|j| !given(j));
        let (algebraic, moving): (Vec<usize>, Vec<usize>) = unknowns.partition(|&j| offsets.unknowns[j] == 0);
        let level = |i: usize| material.reduced.derivatives[i].len() as u32 - 1;
        let gives = |i: &usize| material.eliminated.iter().any(|it| it.equation == *i);
        let equations = (0..offsets.equations.len()).filter(|i| !gives(i));
        let (constraints, rest): (Vec<usize>, Vec<usize>) = equations.partition(|&i| level(i) > 0);
        let orders = moving.iter().map(|&j| offsets.unknowns[j]).collect();
        let levels = constraints.iter().map(|&i| level(i)).collect();
        if constraints.is_empty() {
            return None;
        }
        let mut entries = |rows: &[usize], columns: &[usize]| Entries {
            rows: rows.len(),
            columns: columns.len(),
            list: highest_partials(model, material, rows, columns),
        };
        let square = algebraic.len() == constraints.len() && rest.len() == moving.len();
        let dynamics = square.then(|| [entries(&rest, &moving), entries(&rest, &algebraic)]);
        Some(Local { constraints: entries(&constraints, &moving), dynamics, levels, orders, moving })
    }

    /// $C$ and its derivatives in time up to an order, and $B$ with its derivatives if it is defined, at time `t`.
    pub(super) fn values(
        &self,
        model: &mut Model,
        order: usize,
        t: f64,
        jets: Jets<'_>,
    ) -> (Vec<DMatrix<f64>>, Option<Vec<DMatrix<f64>>>) {
        let constraints = derivatives(model, &self.constraints, order, t, jets);
        let responses = self.dynamics.as_ref().and_then(|[leading, acting]| {
            let leading = derivatives(model, leading, order, t, jets);
            let acting = derivatives(model, acting, order, t, jets);
            let inverse = leading[0].clone().try_inverse()?;
            // A B = -N, differentiated by Leibniz' rule.
            let mut list: Vec<DMatrix<f64>> = Vec::with_capacity(order + 1);
            for k in 0..=order {
                let known = (1..=k).fold(acting[k].clone(), |sum, i| sum + &leading[i] * &list[k - i] * binomial(k, i));
                list.push(-&inverse * known);
            }
            Some(list)
        });
        (constraints, responses)
    }
}

/// $\partial f_i / \partial x_j^{(d_j - c_i)}$ over jets.
fn highest_partials(
    model: &mut Model,
    material: &Material<'_>,
    rows: &[usize],
    columns: &[usize],
) -> Vec<(usize, usize, Expr)> {
    let offsets = &material.structure.offsets;
    let mut list = Vec::new();
    for (row, &i) in rows.iter().enumerate() {
        let tight = |symbol: Symbol| match symbol {
            Symbol::Unknown { unknown, order } => offsets.unknowns[unknown.index()] == offsets.equations[i] + order,
            _ => false,
        };
        for (symbol, partial) in gradient(&mut model.dag, material.system.equations[i].residual, tight) {
            if let Symbol::Unknown { unknown, .. } = symbol
                && let Some(column) = columns.iter().position(|&j| j == unknown.index())
            {
                list.push((row, column, partial));
            }
        }
    }
    list
}

/// A matrix with its derivatives in time, at a point.
fn derivatives(model: &mut Model, matrix: &Entries, order: usize, t: f64, jets: Jets<'_>) -> Vec<DMatrix<f64>> {
    let parameters = default_parameters(model);
    let mut entries: Vec<Expr> = matrix.list.iter().map(|&(.., entry)| entry).collect();
    let mut result = Vec::with_capacity(order + 1);
    for k in 0..=order {
        if k > 0 {
            entries.iter_mut().for_each(|entry| *entry = total_derivative(&mut model.dag, *entry));
        }
        let expanded = model.expand_inputs(&entries);
        let values = evaluate(&model.dag, &expanded, |symbol| match symbol {
            Symbol::Time => t,
            Symbol::Parameter(p) => parameters[p.index()],
            Symbol::Unknown { unknown, order } => jets(unknown.index(), order).unwrap_or(f64::NAN),
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
        });
        let mut dense = DMatrix::zeros(matrix.rows, matrix.columns);
        matrix.list.iter().zip(values).for_each(|(&(row, column, _), value)| dense[(row, column)] += value);
        result.push(dense);
    }
    result
}

/// $\binom{n}{k}$.
pub(super) fn binomial(n: usize, k: usize) -> f64 {
    (1..=k).fold(1.0, |product, i| product * (n + 1 - i) as f64 / i as f64)
}

/// Whether all entries are finite.
pub(super) fn is_finite(matrix: &DMatrix<f64>) -> bool {
    matrix.iter().all(|x| x.is_finite())
}

/// The spectral norm; zero for an empty matrix, `NaN` where an entry is not finite.
pub(super) fn norm(matrix: &DMatrix<f64>) -> f64 {
    match (matrix.is_empty(), is_finite(matrix)) {
        (true, _) => 0.0,
        (false, false) => f64::NAN,
        (false, true) => matrix.singular_values().max(),
    }
}
