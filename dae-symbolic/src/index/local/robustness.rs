//! Whether regularity of the system Jacobian at computed jets implies regularity at the exact ones.
//!
//! In: $J$ at jets that were found by iteration. Out: whether it is regular at all jets that cannot be told from these,
//! as far as random changes show. With $A = R J C$ equilibrated and $\tilde J$ the Jacobian at jets that differ in
//! their last digits, $\lVert A^{-1} R\, (\tilde J - J)\, C \rVert < 1$ is what the perturbation lemma asks for (Golub
//! & Van Loan, *Matrix Computations*, th. 2.3.4).
//!
//! Where equations can be combined so that their leading parts cancel, $F = P L$ with singular $L_{x'}$, the Jacobian
//! $P L_{x'} + P_{x'} L$ is singular on solutions, where $L = 0$, and regular off them, to the extent that $L$ differs
//! from zero. Entries that depend on no jet are exact, and such a matrix may have any condition.

use dae_runtime::sparse::SparseMatrix;
use nalgebra::DMatrix;

use dae_runtime::contract::Prolongation;

use super::enclosures::{Enclosures, top_stage};
use crate::expr::prime_field::arithmetic::draw;
use crate::index::limits;
use crate::prolongation::Prolonged;

/// Whether the Jacobian stays regular under changes of the jets in their last digits.
pub(super) fn stays_regular(prolonged: &Prolonged, jets: &[f64], t0: f64, limits: &limits::Local) -> bool {
    stays_regular_at(prolonged, jets, t0, limits) || {
        // A jump where two branches meet is not a small change, and yet all values between may be regular.
        let enclosures = Enclosures::new(prolonged, t0, limits);
        enclosures.is_regular_within(&enclosures.near(jets, limits.change))
    }
}

/// Whether the Jacobian stays regular by the perturbation lemma, at random changes of the jets; taken for granted of
/// many unknowns.
fn stays_regular_at(prolonged: &Prolonged, jets: &[f64], t0: f64, limits: &limits::Local) -> bool {
    let here = jacobian(prolonged, jets, t0);
    let n = here.len();
    if n > limits.changed_unknowns {
        return true;
    }
    let placed = here.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&(j, value)| (i, j, value)));
    let (rows, columns) = SparseMatrix::from_entries(n, n, placed).equilibrate();
    let scaled = |jacobian: &[Vec<(usize, f64)>]| {
        let mut matrix = DMatrix::<f64>::zeros(n, n);
        for (i, row) in jacobian.iter().enumerate() {
            row.iter().for_each(|&(j, value)| matrix[(i, j)] += rows[i] * value * columns[j]);
        }
        matrix
    };
    let here = scaled(&here);
    // By elimination: the inverse by cofactors, which small matrices would get otherwise, is arbitrary at rank
    // deficiency two.
    let Some(inverse) = here.clone().lu().try_inverse() else { return false };
    (0..limits.changes).all(|seed| {
        let fraction = |k: usize| draw(seed, &[k as u64]) as f64 / (1_u64 << 60) as f64 - 1.0;
        let moved: Vec<f64> = jets.iter().enumerate().map(|(k, x)| x * (1.0 + limits.change * fraction(k))).collect();
        let change = &inverse * (scaled(&jacobian(prolonged, &moved, t0)) - &here);
        // A comparison with NaN is false.
        change.row_iter().all(|row| row.iter().map(|x| x.abs()).sum::<f64>() < 1.0)
    })
}

/// The rows of $J$ at jets: equations and jets of stage 0 of the prolongation, in the order of the system.
fn jacobian(prolonged: &Prolonged, jets: &[f64], t0: f64) -> Vec<Vec<(usize, f64)>> {
    let description = prolonged.prolongation_description();
    let mut values = vec![0.0; description.jacobian.column_indices.len()];
    prolonged.prolonged_jacobian(t0, jets, &mut values);
    let (rows, columns) = top_stage(prolonged);
    let at_top = (0..rows.len()).filter(|&row| rows[row].is_some());
    let entries = |row| description.jacobian.row(row);
    at_top.map(|row| entries(row).filter_map(|(column, k)| Some((columns[column]?, values[k]))).collect()).collect()
}
