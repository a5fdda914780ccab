//! Whether the null spaces of a leading matrix are tangent to surfaces.
//!
//! In: a system $E(u, t)\, u' = f(u, t)$ of index 1, some rows of $E$ zero (the constraints), the others of full rank
//! at the consistent point. Out: whether $\ker E$ is involutive.
//!
//! With constraints perturbed by $\delta$ and coordinates $(v, w)$, $w$ the residuals of the constraints, the system
//! becomes $v' = \varphi(v, \delta, t) + K(v, \delta, t)\, \delta'$. A change of the coordinates $v$ removes $\delta'$
//! exactly when the fields $\partial_{w_j} + K_j\, \partial_v$, which span $\ker E$, commute up to such a change: when
//! $\ker E$ is involutive (Frobenius). If it is, the change of a solution is bounded by $\delta$ alone: perturbation
//! index 1. If it is not, two components of $\delta$ that rotate with amplitude $\varepsilon$ and frequency $\omega$
//! move $v$ at a speed proportional to $\varepsilon^2 \omega$: index 2, as in Hairer & Wanner II, Sect. VII.1,
//! eq. (1.31).
//!
//! By Frobenius' theorem in terms of the rows $\omega_k = \sum_j E_{kj}\, \mathrm d u_j$, $\ker E$ is involutive when
//! for all $X, Y \in \ker E$
//!
//! $$ \mathrm d \omega_k (X, Y) = \sum_{i,j} \Bigl( \frac{\partial E_{kj}}{\partial u_i} - \frac{\partial E_{ki}}{\partial u_j} \Bigr) X_i Y_j = 0, $$
//!
//! which is decided at random points of a prime field: one nonzero value proves that it is not; zeros at several points
//! show that it is, unless they are coincidences.

use dae_runtime::matrix::Matrix;
use dae_runtime::rank::{Confidence, rank};

use crate::expr::prime_field::FieldPoint;
use crate::expr::prime_field::arithmetic::{add, inv, mul, neg, sub};
use crate::expr::{Expr, Symbol, UnknownId, evaluate, gradient};
use crate::model::Model;
use crate::prolongation::Prolonged;
use crate::system::{System, written_orders};

/// Systems with more than this many unknowns are not examined: bases of null spaces are dense matrices.
const MAX_UNKNOWNS: usize = 60;
/// The number of points at which all two-forms must vanish on the null space.
const POINTS: u64 = 3;

/// The null space of the leading matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Tangent to surfaces.
    Involutive,
    /// Not tangent to surfaces; an equation of the system shows it.
    NotInvolutive {
        /// The number of the equation.
        equation: usize,
    },
}

/// An entry $E_{kj}$ with its derivatives $\partial E_{kj} / \partial u_i$, as positions in a list of expressions.
struct LeadingEntry {
    row: usize,
    column: usize,
    value: usize,
    slopes: Vec<(usize, usize)>,
}

/// Examines the null space; `None` if the system is not of the form described above, too large, or cannot be evaluated.
pub(super) fn kernel_of_leading_matrix(
    model: &mut Model,
    system: &System,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
) -> Option<Kernel> {
    let n = system.unknowns;
    if n > MAX_UNKNOWNS || written_orders(model).iter().any(|&p| p > 1) {
        return None;
    }
    let (rows, entries, expressions) = leading_matrix(model, system)?;
    if !independent_at(model, prolonged, jets, t0, rows.len(), &entries, &expressions) {
        return None;
    }
    let expressions = model.with_default_parameters(&expressions);
    let start = crate::defaults::start_point(model);
    for seed in 0..POINTS {
        let point = FieldPoint::new(seed).with_start(start.iter().copied());
        let values = point.evaluate(&model.dag, &expressions).ok()?.values;
        let mut matrix = vec![vec![0; n]; rows.len()];
        entries.iter().for_each(|e| matrix[e.row][e.column] = values[e.value]);
        let kernel = null_space(matrix, n);
        for (k, &equation) in rows.iter().enumerate() {
            // The two-form of row k as an antisymmetric matrix.
            let mut form = vec![vec![0; n]; n];
            for entry in entries.iter().filter(|e| e.row == k) {
                for &(i, slope) in &entry.slopes {
                    form[i][entry.column] = add(form[i][entry.column], values[slope]);
                    form[entry.column][i] = sub(form[entry.column][i], values[slope]);
                }
            }
            let pairs = kernel.iter().enumerate().flat_map(|(a, x)| kernel[..a].iter().map(move |y| (x, y)));
            if pairs.into_iter().any(|(x, y)| bilinear(&form, x, y) != 0) {
                return Some(Kernel::NotInvolutive { equation });
            }
        }
    }
    Some(Kernel::Involutive)
}

/// The equations with derivatives, and the entries of $E$ in them; `None` if they are not linear in the derivatives.
fn leading_matrix(model: &mut Model, system: &System) -> Option<(Vec<usize>, Vec<LeadingEntry>, Vec<Expr>)> {
    let (mut rows, mut entries, mut expressions) = (Vec::new(), Vec::new(), Vec::new());
    for (i, equation) in system.equations.iter().enumerate() {
        let rate = |s: Symbol| matches!(s, Symbol::Unknown { order: 1, .. });
        let partials = gradient(&mut model.dag, equation.residual, rate);
        if partials.is_empty() {
            continue;
        }
        for (symbol, partial) in partials {
            let Symbol::Unknown { unknown: UnknownId(column), .. } = symbol else { continue };
            let slopes = gradient(&mut model.dag, partial, |s| matches!(s, Symbol::Unknown { .. }));
            if slopes.iter().any(|&(s, _)| rate(s)) {
                return None;
            }
            let value = expressions.len();
            expressions.push(partial);
            let mut list = Vec::new();
            for (symbol, slope) in slopes {
                if let Symbol::Unknown { unknown, .. } = symbol {
                    list.push((unknown.index(), expressions.len()));
                    expressions.push(slope);
                }
            }
            entries.push(LeadingEntry { row: rows.len(), column: column as usize, value, slopes: list });
        }
        rows.push(i);
    }
    Some((rows, entries, model.expand_inputs(&expressions)))
}

/// Whether the rows are independent at the consistent point, and hence in a neighbourhood of it.
fn independent_at(
    model: &Model,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
    rows: usize,
    entries: &[LeadingEntry],
    expressions: &[Expr],
) -> bool {
    let values = evaluate(&model.dag, expressions, |symbol| match symbol {
        Symbol::Time => t0,
        Symbol::Parameter(p) => prolonged.parameters[p.index()],
        Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
    });
    let mut matrix = Matrix::zeros(rows, prolonged.first_jet.len());
    entries.iter().for_each(|e| matrix[(e.row, e.column)] = values[e.value]);
    rank(&matrix).is_ok_and(|rank| rank.rank == rows && rank.confidence == Confidence::Clear)
}

/// $x^\top M y$.
fn bilinear(form: &[Vec<u64>], x: &[u64], y: &[u64]) -> u64 {
    let row = |row: &Vec<u64>| row.iter().zip(y).fold(0, |sum, (&a, &b)| add(sum, mul(a, b)));
    form.iter().zip(x).fold(0, |sum, (m, &x)| add(sum, mul(x, row(m))))
}

/// A basis of the null space of a matrix with `n` columns.
fn null_space(mut matrix: Vec<Vec<u64>>, n: usize) -> Vec<Vec<u64>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..n {
        let rank = pivots.len();
        let Some(found) = (rank..matrix.len()).find(|&i| matrix[i][column] != 0) else { continue };
        matrix.swap(rank, found);
        let Some(inverse) = inv(matrix[rank][column]) else { continue };
        matrix[rank].iter_mut().for_each(|x| *x = mul(*x, inverse));
        let pivot = matrix[rank].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|&(i, _)| i != rank) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(x, &p)| *x = sub(*x, mul(factor, p)));
        }
        pivots.push(column);
    }
    let free = (0..n).filter(|column| !pivots.contains(column));
    free.map(|column| {
        let mut vector = vec![0; n];
        vector[column] = 1;
        pivots.iter().zip(&matrix).for_each(|(&pivot, row)| vector[pivot] = neg(row[column]));
        vector
    })
    .collect()
}
