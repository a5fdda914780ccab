//! Generic regularity by one value in a prime field.
//!
//! In: the entries of a matrix. Out: whether its determinant is not identically zero, or its generic rank. Evaluation
//! is a ring homomorphism (`expr/prime_field`), so a nonzero value is a proof; a zero is only evidence, and is required
//! at several points.

use crate::defaults::start_point;
use crate::expr::prime_field::{Branch, FieldPoint, Independence, Sign, sparse_determinant, sparse_rank};
use crate::expr::{Expr, Function, Node, Notation, print};
use crate::index::certificate::GenericRegularity;
use crate::model::Model;

/// Whether the $n \times n$ matrix with the given entries is generically nonsingular, examined at up to `points`
/// points.
pub(super) fn regularity(
    model: &mut Model,
    n: usize,
    entries: &[(usize, usize, Expr)],
    points: usize,
) -> GenericRegularity {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    let start = start_point(model);
    for seed in 0..points as u64 {
        let point = FieldPoint::new(seed).with_start(start.iter().copied());
        let evaluation = match point.evaluate(&model.dag, &values) {
            Ok(evaluation) => evaluation,
            Err(error) => return GenericRegularity::Undecided { reason: error.to_string() },
        };
        let determinant = sparse_determinant(n, &rows(n, entries, &evaluation.values));
        if determinant != 0 {
            let mut assuming = assumptions(&evaluation.independence);
            assuming.extend(evaluation.branches.iter().map(|branch| on_branch(model, branch)));
            return GenericRegularity::from_evaluation(evaluation, determinant, assuming);
        }
    }
    GenericRegularity::Singular { points }
}

/// The determinant of an $n \times n$ matrix at one random point of the prime field; `None` if the entries have no
/// value there.
#[cfg(feature = "report")]
pub(super) fn value(model: &mut Model, n: usize, entries: &[(usize, usize, Expr)]) -> Option<u64> {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    let evaluation = FieldPoint::new(0).with_start(start_point(model)).evaluate(&model.dag, &values).ok()?;
    Some(sparse_determinant(n, &rows(n, entries, &evaluation.values)))
}

/// The rank of a matrix at a random point of the prime field, on the branch of the start values. It is never larger
/// than the generic rank, and smaller only with a probability of the order of the size of the matrix divided by the
/// prime, about $10^{-15}$. `None` if the entries have no value there.
pub fn generic_rank(model: &mut Model, rows_count: usize, entries: &[(usize, usize, Expr)]) -> Option<usize> {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    let point = FieldPoint::new(0).with_start(start_point(model));
    let evaluation = point.evaluate(&model.dag, &values).ok()?;
    Some(sparse_rank(&rows(rows_count, entries, &evaluation.values)))
}

fn rows(n: usize, entries: &[(usize, usize, Expr)], values: &[u64]) -> Vec<Vec<(usize, u64)>> {
    let mut rows = vec![Vec::new(); n];
    for (&(row, column, _), &value) in entries.iter().zip(values) {
        rows[row].push((column, value));
    }
    rows
}

/// The branch of a piecewise function on which a value is a proof, as in `x < 3 in max(x, 3)`.
fn on_branch(model: &Model, branch: &Branch) -> String {
    let text = |e| print(&model.dag, e, Notation::Text, |symbol| model.symbol_name(symbol));
    let compared = if let Node::Apply(Function::If, _) = model.dag.node(branch.expr) { 1 } else { 2 };
    let arguments: Vec<String> = model.dag.children(branch.expr).take(compared).map(text).collect();
    let relation = match branch.sign {
        Sign::Negative if compared == 1 => "≤",
        Sign::Negative => "<",
        Sign::Positive => ">",
    };
    let (left, right) = (arguments.first().map_or("", String::as_str), arguments.get(1).map_or("0", String::as_str));
    format!("{left} {relation} {right} in {}", text(branch.expr))
}

/// The assumptions of the proof, in words.
fn assumptions(independence: &Independence) -> Vec<String> {
    match independence {
        Independence::Proven => Vec::new(),
        Independence::Assumed { because } => because.iter().map(ToString::to_string).collect(),
    }
}
