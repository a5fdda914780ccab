//! Whether the system Jacobian at computed jets says anything about exact ones.
//!
//! In: $J$ at jets that were found by iteration. Out: whether it is regular at all jets that cannot be told from these. With $A = R J C$
//! equilibrated and $\tilde J$ the Jacobian at jets that differ in their last digits, $\lVert A^{-1} R\, (\tilde J - J)\, C \rVert < 1$ is what the
//! perturbation lemma asks for (Golub & Van Loan, *Matrix Computations*, th. 2.3.4).
//!
//! Where equations can be combined so that their leading parts cancel, $F = P L$ with singular $L_{x'}$, the Jacobian $P L_{x'} + P_x L$ is
//! singular on solutions and regular beside them, by as much as $L$ differs from zero. Entries that depend on no jet are exact, and such
//! a matrix may have any condition.

use dae_runtime::sparse::SparseMatrix;
use nalgebra::DMatrix;

use super::values_at;
use crate::expr::Expr;
use crate::expr::prime_field::arithmetic::draw;
use crate::model::Model;
use crate::prolong::Prolonged;
use crate::structure::Offsets;
use crate::system::System;

/// Relative changes of the jets.
const CHANGE: f64 = 1e-9;
/// Changes that are tried.
const DRAWS: u64 = 2;
/// Larger systems are left alone: the work is the third power.
const MAX_UNKNOWNS: usize = 100;

/// Whether the Jacobian stays regular under changes of the jets in their last digits.
pub(super) fn is_steady(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
) -> bool {
    let n = system.unknowns;
    if n > MAX_UNKNOWNS || system.equations.len() != n {
        return true;
    }
    let entries = system.jacobian(&mut model.dag, offsets);
    let partials: Vec<Expr> = entries.iter().map(|&(.., partial)| partial).collect();
    let partials = model.expand_inputs(&partials);
    let at = |jets: &[f64]| values_at(model, prolonged, jets, t0, &partials);
    let here = at(jets);
    let placed = entries.iter().zip(&here).map(|(&(i, j, _), &value)| (i, j, value));
    let (rows, columns) = SparseMatrix::from_entries(n, n, placed).equilibrate();
    let scaled = |values: &[f64]| {
        let mut matrix = DMatrix::<f64>::zeros(n, n);
        entries.iter().zip(values).for_each(|(&(i, j, _), value)| matrix[(i, j)] += rows[i] * value * columns[j]);
        matrix
    };
    // By elimination: what small matrices get otherwise, the inverse by cofactors, is arbitrary where the rank is lower by two.
    let Some(inverse) = scaled(&here).lu().try_inverse() else { return false };
    (0..DRAWS).all(|seed| {
        let fraction = |k: usize| draw(seed, &[k as u64]) as f64 / (1_u64 << 60) as f64 - 1.0;
        let moved: Vec<f64> = jets.iter().enumerate().map(|(k, x)| x * (1.0 + CHANGE * fraction(k))).collect();
        let difference: Vec<f64> = at(&moved).iter().zip(&here).map(|(there, here)| there - here).collect();
        let change = &inverse * scaled(&difference);
        // A norm that is not a number compares as false.
        change.row_iter().all(|row| row.iter().map(|x| x.abs()).sum::<f64>() < 1.0)
    })
}
