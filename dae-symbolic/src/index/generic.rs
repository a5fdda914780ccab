//! Generic regularity by one value in a prime field.
//!
//! In: the entries of a matrix. Out: whether its determinant is not identically zero, or its generic rank. Evaluation is a ring
//! homomorphism (`expr/prime_field`), so a nonzero value is a proof; a zero is only evidence, and is asked for three times.

use super::certificate::GenericRegularity;
use crate::expr::Expr;
use crate::expr::prime_field::{FieldPoint, Independence, sparse_determinant, sparse_rank};
use crate::model::Model;

/// Points at which a determinant must vanish before it counts as zero.
const POINTS: usize = 3;

/// Whether the $n \times n$ matrix with the given entries is generically nonsingular.
pub(super) fn regularity(model: &mut Model, n: usize, entries: &[(usize, usize, Expr)]) -> GenericRegularity {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    for seed in 0..POINTS as u64 {
        let evaluation = match FieldPoint::new(seed).evaluate(&model.dag, &values) {
            Ok(evaluation) => evaluation,
            Err(error) => return GenericRegularity::Undecided { reason: error.to_string() },
        };
        let determinant = sparse_determinant(n, &rows(n, entries, &evaluation.values));
        if determinant != 0 {
            let assuming = assumptions(&evaluation.independence);
            return GenericRegularity::from_evaluation(evaluation, determinant, assuming);
        }
    }
    GenericRegularity::Singular { points: POINTS }
}

/// The rank of a matrix at a random point of the prime field, which is its generic rank unless chance is against it.
pub fn generic_rank(model: &mut Model, rows_count: usize, entries: &[(usize, usize, Expr)]) -> usize {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    match FieldPoint::new(0).evaluate(&model.dag, &values) {
        Ok(evaluation) => sparse_rank(&rows(rows_count, entries, &evaluation.values)),
        Err(_) => rows_count,
    }
}

fn rows(n: usize, entries: &[(usize, usize, Expr)], values: &[u64]) -> Vec<Vec<(usize, u64)>> {
    let mut rows = vec![Vec::new(); n];
    for (&(row, column, _), &value) in entries.iter().zip(values) {
        rows[row].push((column, value));
    }
    rows
}

/// What the proof takes for granted, in words.
fn assumptions(independence: &Independence) -> Vec<String> {
    match independence {
        Independence::Proven => Vec::new(),
        Independence::Assumed { because } => because.iter().map(ToString::to_string).collect(),
    }
}
