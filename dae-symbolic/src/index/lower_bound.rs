//! The lower bound: one differentiation fewer does not suffice.
//!
//! In: the text of a model with a regular system Jacobian $J$ at its consistent point. Out: a vector in the kernel of
//! $(G_{u'}, G_w)$ that moves $u'$, where $G$ is the derivative array with one differentiation fewer than the bound: a
//! proof, without forming the array, that it is not 1-full there.
//!
//! Move the jets $x_j^{(d_j + s)}$ by $\delta_s$, $s \ge s_0$. The row $f_i^{(c_i + s)}$ sees $J \delta_s$ and what it
//! inherits from lower stages. The array has $m$ differentiations: rows with more are absent from it; all others of
//! stages above $s_0$ can be satisfied one stage after the other, because $J$ is regular. At stage $s_0$ this leaves
//!
//! $$ J\, \delta_{s_0} = e, \qquad e_i = 0 \text{ where } c_i + s_0 \le m. $$
//!
//! * Some $d_j = 0$ ($x_j$ occurs without derivative, $\nu = \max c + 1$): $m = \max c$, $s_0 = 1$, and $x_j'$ moves if
//!   $(J^{-1} e)_j \ne 0$.
//! * Otherwise ($\nu = \max c$): $m = \max c - 1$, $s_0 = 0$, and $x_j^{(p_j)}$ moves if $d_j = p_j$ and
//!   $(J^{-1} e)_j \ne 0$.
//!
//! In both cases $e$ may be nonzero where $c_i = \max c$; a random one misses none of these columns of $J^{-1}$. One
//! solve, block by block in the block-triangular form of $J$, costs next to nothing, however large the array is.
//! Regularity and a nonzero component persist nearby.
//!
//! The solution is an enclosure for all values of $J$ in the box around the jets that contains the exact consistent
//! point: with $C \approx J^{-1}$, $\hat\delta \approx C e$, $r = e - J \hat\delta$ and
//! $\rho = \lVert C r \rVert_\infty / (1 - \lVert I - C J \rVert_\infty)$,
//!
//! $$ \delta \in \hat\delta + C r + (I - C J) [-\rho, \rho] $$
//!
//! (Rump, *Verification methods*, Acta Numerica 19, 2010, sect. 10). A component that excludes zero is a proof; an
//! entry of $J$ that is zero and evaluates to rounding supports none. Where a block is too large for a dense inverse,
//! all are solved in floating-point arithmetic, provided every entry is surely zero or surely not.

use dae_runtime::sparse::{Factors, SparseMatrix};
use nalgebra::{DMatrix, DVector};

use super::certificate::{KernelVector, LowerBound};
use super::limits;
use crate::expr::interval::Interval;
use crate::expr::prime_field::arithmetic::draw;
use crate::structure::{Structure, block_triangular_form};

/// Looks for a vector of the kernel that moves $u'$. `written` holds the orders $p$, `rows` enclose the system
/// Jacobian, `condition` is the condition number of the equilibrated Jacobian.
pub(super) fn lower_bound(
    written: &[u32],
    structure: &Structure,
    rows: &[Row],
    condition: f64,
    limits: &limits::LowerBound,
) -> LowerBound {
    let offsets = &structure.offsets;
    let most = offsets.equations.iter().copied().max().unwrap_or(0);
    let algebraic = (0..written.len()).any(|j| offsets.unknowns[j] == 0);
    if most == 0 && !algebraic {
        return LowerBound::Trivial;
    }
    let differentiations = if algebraic { most } else { most - 1 };
    let moves = |j: usize| offsets.unknowns[j] == if algebraic { 0 } else { written[j] };
    let e = |i: usize| {
        if offsets.equations[i] == most { 1.0 + draw(0, &[i as u64]) as f64 / (1_u64 << 61) as f64 } else { 0.0 }
    };
    let Some(solution) = solve(rows, structure, e, condition, limits) else {
        let reason = "the system Jacobian is not enclosed closely enough to be solved".into();
        return LowerBound::NotAttempted { reason };
    };
    let size = solution.iter().fold(0.0_f64, |size, x| size.max(x.magnitude()));
    let least = |j: usize| solution[j].mignitude();
    let found = (0..solution.len()).filter(|&j| moves(j)).max_by(|&a, &b| least(a).total_cmp(&least(b)));
    match found.filter(|&j| least(j) > 0.0) {
        Some(j) => LowerBound::Witness(KernelVector {
            differentiations,
            unknown: j,
            order: written[j].max(1),
            share: least(j) / size,
        }),
        None => LowerBound::NotFound { differentiations },
    }
}

/// A row of an interval matrix.
pub(super) type Row = Vec<(usize, Interval)>;

/// Enclosures of the solution of $J \delta = e$, block by block; if a block is too large, by `solve_numerically`.
/// `None` if a block cannot be told from a singular one.
fn solve(
    rows: &[Row],
    structure: &Structure,
    e: impl Fn(usize) -> f64,
    condition: f64,
    limits: &limits::LowerBound,
) -> Option<Vec<Interval>> {
    let blocks = block_triangular_form(&structure.jacobian, &structure.transversal);
    if blocks.iter().any(|block| block.equations.len() > limits.dense_rows) {
        return solve_numerically(rows, structure, e, condition, limits);
    }
    let n = rows.len();
    let mut solution = vec![Interval::ZERO; n];
    let mut place = vec![usize::MAX; n];
    for block in blocks {
        block.unknowns.iter().enumerate().for_each(|(k, &j)| place[j] = k);
        let size = block.equations.len();
        let mut right: Vec<Interval> = block.equations.iter().map(|&i| Interval::point(e(i))).collect();
        let mut matrix = vec![Interval::ZERO; size * size];
        for (k, &i) in block.equations.iter().enumerate() {
            for &(j, value) in &rows[i] {
                match place[j] {
                    usize::MAX => right[k] = right[k] - value * solution[j],
                    column => matrix[k * size + column] = value,
                }
            }
        }
        let solved = enclose_solution(size, &matrix, &right)?;
        for (&j, value) in block.unknowns.iter().zip(solved) {
            solution[j] = value;
            place[j] = usize::MAX;
        }
    }
    Some(solution)
}

/// An enclosure of the solutions of all systems with matrices and right-hand sides in the enclosures; `None` if one of
/// the matrices may be singular.
fn enclose_solution(n: usize, matrix: &[Interval], right: &[Interval]) -> Option<Vec<Interval>> {
    if n == 1 {
        let quotient = right[0] / matrix[0];
        return (quotient != Interval::ENTIRE).then(|| vec![quotient]);
    }
    // Equations and unknowns are scaled by powers of two, which is exact.
    let entries = (0..n * n).map(|k| (k / n, k % n, matrix[k].midpoint()));
    let (rows, columns) = SparseMatrix::from_entries(n, n, entries).equilibrate();
    let scaled = |k: usize| matrix[k] * Interval::point(rows[k / n]) * Interval::point(columns[k % n]);
    let matrix: Vec<Interval> = (0..n * n).map(scaled).collect();
    let right: Vec<Interval> = right.iter().zip(&rows).map(|(&x, &row)| x * Interval::point(row)).collect();
    let middle = DMatrix::from_fn(n, n, |i, j| matrix[i * n + j].midpoint());
    let inverse = middle.lu().try_inverse().filter(|inverse| inverse.iter().all(|x| x.is_finite()))?;
    let approximation = &inverse * DVector::from_fn(n, |i, _| right[i].midpoint());
    let times = |i: usize, vector: &dyn Fn(usize) -> Interval| {
        (0..n).fold(Interval::ZERO, |sum, k| sum + Interval::point(inverse[(i, k)]) * vector(k))
    };
    let residual: Vec<Interval> = (0..n)
        .map(|i| (0..n).fold(right[i], |rest, j| rest - matrix[i * n + j] * Interval::point(approximation[j])))
        .collect();
    let correction: Vec<Interval> = (0..n).map(|i| times(i, &|k| residual[k])).collect();
    let mut remainder = vec![Interval::ZERO; n * n];
    for i in 0..n {
        for j in 0..n {
            let identity = if i == j { Interval::ONE } else { Interval::ZERO };
            remainder[i * n + j] = identity - times(i, &|k| matrix[k * n + j]);
        }
    }
    // Rounded upwards: sums of magnitudes in interval arithmetic.
    let sum =
        |values: &mut dyn Iterator<Item = f64>| values.fold(Interval::ZERO, |sum, x| sum + Interval::point(x)).hi();
    let norm = (0..n).map(|i| sum(&mut (0..n).map(|j| remainder[i * n + j].magnitude()))).fold(0.0, f64::max);
    let size = correction.iter().fold(0.0_f64, |size, x| size.max(x.magnitude()));
    // A comparison with NaN is false.
    let contracts = norm < 1.0;
    if !contracts {
        return None;
    }
    let radius = (Interval::point(size) / (Interval::ONE - Interval::point(norm))).hi();
    let around = Interval::new(-radius, radius)?;
    let component = |i: usize| {
        let rest = (0..n).fold(correction[i], |sum, j| sum + remainder[i * n + j] * around);
        (Interval::point(approximation[i]) + rest) * Interval::point(columns[i])
    };
    Some((0..n).map(component).collect())
}

/// The solution in floating-point arithmetic, with bounds on its rounding errors; `None` where an entry may or may not
/// be zero, or a block is singular.
fn solve_numerically(
    rows: &[Row],
    structure: &Structure,
    e: impl Fn(usize) -> f64,
    condition: f64,
    limits: &limits::LowerBound,
) -> Option<Vec<Interval>> {
    if rows.iter().flatten().any(|&(_, value)| value.contains(0.0) && value != Interval::ZERO) {
        return None;
    }
    let rows: Vec<Vec<(usize, f64)>> =
        rows.iter().map(|row| row.iter().map(|&(j, value)| (j, value.midpoint())).collect()).collect();
    let n = rows.len();
    let mut solution = vec![0.0; n];
    let mut place = vec![usize::MAX; n];
    for block in block_triangular_form(&structure.jacobian, &structure.transversal) {
        block.unknowns.iter().enumerate().for_each(|(k, &j)| place[j] = k);
        let mut right: Vec<f64> = block.equations.iter().map(|&i| e(i)).collect();
        let mut own = Vec::new();
        for (k, &i) in block.equations.iter().enumerate() {
            for &(j, value) in &rows[i] {
                match place[j] {
                    usize::MAX => right[k] -= value * solution[j],
                    column => own.push((k, column, value)),
                }
            }
        }
        let size = block.equations.len();
        let solved = solve_block(SparseMatrix::from_entries(size, size, own), right, limits)?;
        for (k, &j) in block.unknowns.iter().enumerate() {
            solution[j] = solved[k];
            place[j] = usize::MAX;
        }
    }
    let errors = errors_per_condition(rows, &solution, e);
    let around = |(&x, error): (&f64, f64)| {
        let error = limits.margin * condition.max(1.0) * error;
        Some(Interval::point(x) + Interval::new(-error, error)?)
    };
    solution.iter().zip(errors).map(around).collect()
}

fn solve_block(mut matrix: SparseMatrix, mut right: Vec<f64>, limits: &limits::LowerBound) -> Option<Vec<f64>> {
    if right.len() <= limits.dense_rows {
        let dense = matrix.to_dense();
        let dense = DMatrix::from_column_slice(dense.rows(), dense.columns(), dense.as_slice());
        let solved = dense.full_piv_lu().solve(&DVector::from_vec(right))?;
        return Some(solved.as_slice().to_vec());
    }
    // Without column exchanges, rows and columns have to be of similar size.
    let (row_factors, column_factors) = matrix.equilibrate();
    right.iter_mut().zip(row_factors).for_each(|(right, factor)| *right *= factor);
    Factors::of(&matrix).ok()?.solve(&mut right);
    right.iter_mut().zip(column_factors).for_each(|(right, factor)| *right *= factor);
    Some(right)
}

/// Bounds on the errors of all components, divided by the condition number: with $A = R J C$ equilibrated, $\lVert
/// C^{-1} (\delta - \hat\delta) \rVert_1 \le \lVert A^{-1} \rVert_1 \lVert R (e - J \hat\delta) \rVert_1$, the residual
/// increased by the rounding errors of its own sum.
fn errors_per_condition(rows: Vec<Vec<(usize, f64)>>, solution: &[f64], e: impl Fn(usize) -> f64) -> Vec<f64> {
    let n = rows.len();
    let residual: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let terms = || row.iter().map(|&(j, value)| value * solution[j]);
            let rounding = (row.len() + 2) as f64 * f64::EPSILON * (e(i).abs() + terms().map(f64::abs).sum::<f64>());
            (e(i) - terms().sum::<f64>()).abs() + rounding
        })
        .collect();
    let entries = rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&(j, value)| (i, j, value)));
    let (row_factors, column_factors) = SparseMatrix::from_entries(n, n, entries).equilibrate();
    let size: f64 = residual.iter().zip(row_factors).map(|(residual, factor)| residual * factor).sum();
    column_factors.into_iter().map(|factor| factor * size).collect()
}
