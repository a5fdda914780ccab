//! The lower bound: one differentiation less does not do.
//!
//! In: the text of a model with a regular system Jacobian $J$ at its consistent point. Out: a vector in the kernel of $(G_{u'}, G_w)$ that
//! moves $u'$, where $G$ is the derivative array with one differentiation less than the bound: a proof that it is not 1-full there, without
//! forming it.
//!
//! Move the jets $x_j^{(d_j + s)}$ by $\delta_s$, $s \ge s_0$. The row $f_i^{(c_i + s)}$ sees $J \delta_s$ and what it inherits from lower
//! stages. Rows with more than $m$ differentiations are not in the array; all others of stages above $s_0$ can be satisfied one stage after
//! the other, because $J$ is regular. At stage $s_0$ this leaves
//!
//! $$ J\, \delta_{s_0} = e, \qquad e_i = 0 \text{ where } c_i + s_0 \le m. $$
//!
//! * Some $d_j = 0$ ($x_j$ occurs without derivative, $\nu = \max c + 1$): $m = \max c$, $s_0 = 1$, and $x_j'$ moves if $(J^{-1} e)_j \ne 0$.
//! * Otherwise ($\nu = \max c$): $m = \max c - 1$, $s_0 = 0$, and $x_j^{(p_j)}$ moves if $d_j = p_j$ and $(J^{-1} e)_j \ne 0$.
//!
//! In both cases $e$ may be nonzero where $c_i = \max c$; a random one misses none of these columns of $J^{-1}$. One solution with the blocks
//! of the block-triangular form of $J$ costs next to nothing, however large the array is. Regularity and a nonzero component
//! persist nearby.

use dae_runtime::contract::Prolongation;
use dae_runtime::sparse::{Factors, SparseMatrix};
use nalgebra::DVector;

use super::certificate::{KernelVector, LowerBound};
use super::proof::top_stage;
use crate::expr::prime_field::arithmetic::draw;
use crate::prolong::Prolonged;
use crate::structure::{Structure, block_triangular_form};

/// Larger blocks are solved by sparse elimination.
const MAX_DENSE_BLOCK: usize = 60;
/// How much larger than the rounding of the solution a component has to be.
const CLEAR: f64 = 1e4;
/// The same with a bound for the very solution; estimates of the condition may be too small by a factor of three.
const MARGIN: f64 = 10.0;

/// Looks for the vector. `written` are the orders $p$, `condition` is that of the equilibrated system Jacobian.
pub(super) fn lower_bound(
    written: &[u32],
    structure: &Structure,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
    condition: f64,
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
    let rows = jacobian(prolonged, jets, t0);
    let Some(solution) = solve(&rows, structure, e) else {
        let reason = "the system Jacobian has a block that is too large to be solved while compiling".into();
        return LowerBound::NotAttempted { reason };
    };
    let size = solution.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let found =
        (0..solution.len()).filter(|&j| moves(j)).max_by(|&a, &b| solution[a].abs().total_cmp(&solution[b].abs()));
    let Some(j) = found else { return LowerBound::NotFound { differentiations } };
    let share = solution[j].abs() / size;
    // The bound of what rounding can do to any solution, or that for this one. A NaN compares as false.
    let clear = share > CLEAR * f64::EPSILON * condition.max(1.0) * solution.len() as f64;
    if clear || solution[j].abs() > MARGIN * condition.max(1.0) * error_per_condition(rows, &solution, e, j) {
        let order = written[j].max(1);
        return LowerBound::Witness(KernelVector { differentiations, unknown: j, order, share });
    }
    LowerBound::NotFound { differentiations }
}

/// The rows of $J$ at the consistent point: equations and jets of stage 0 of the prolongation, in the order of the system. For
/// $\partial f^{(c)} / \partial x^{(d)} = \partial f / \partial x^{(d - c)}$ (Griewank).
pub(super) fn jacobian(prolonged: &Prolonged, jets: &[f64], t0: f64) -> Vec<Vec<(usize, f64)>> {
    let description = prolonged.prolongation_description();
    let mut values = vec![0.0; description.jacobian.column_indices.len()];
    prolonged.prolonged_jacobian(t0, jets, &mut values);
    let (rows, columns) = top_stage(prolonged);
    let at_top = (0..rows.len()).filter(|&row| rows[row].is_some());
    let entries = |row| description.jacobian.row(row);
    at_top.map(|row| entries(row).filter_map(|(column, k)| Some((columns[column]?, values[k]))).collect()).collect()
}

/// The solution of $J \delta = e$, block by block; `None` if a block is too entangled or singular.
fn solve(rows: &[Vec<(usize, f64)>], structure: &Structure, e: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
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
        let solved = solve_block(SparseMatrix::from_entries(size, size, own), right)?;
        for (k, &j) in block.unknowns.iter().enumerate() {
            solution[j] = solved[k];
            place[j] = usize::MAX;
        }
    }
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}

fn solve_block(mut matrix: SparseMatrix, mut right: Vec<f64>) -> Option<Vec<f64>> {
    if right.len() <= MAX_DENSE_BLOCK {
        let solved = matrix.to_dense().full_piv_lu().solve(&DVector::from_vec(right))?;
        return Some(solved.as_slice().to_vec());
    }
    // Row exchanges alone need rows and columns of one size.
    let (row_factors, column_factors) = matrix.equilibrate();
    right.iter_mut().zip(row_factors).for_each(|(right, factor)| *right *= factor);
    Factors::of(&matrix).ok()?.solve(&mut right);
    right.iter_mut().zip(column_factors).for_each(|(right, factor)| *right *= factor);
    Some(right)
}

/// A bound of the error of component `j`, divided by the condition number: with $A = R J C$ equilibrated,
/// $\lVert C^{-1} (\delta - \hat\delta) \rVert_1 \le \lVert A^{-1} \rVert_1 \lVert R (e - J \hat\delta) \rVert_1$, the residual increased by the
/// rounding errors of its own sum.
fn error_per_condition(rows: Vec<Vec<(usize, f64)>>, solution: &[f64], e: impl Fn(usize) -> f64, j: usize) -> f64 {
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
    column_factors[j] * residual.iter().zip(row_factors).map(|(residual, factor)| residual * factor).sum::<f64>()
}
