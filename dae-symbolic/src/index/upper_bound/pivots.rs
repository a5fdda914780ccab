//! Pivots: in each combination, the factor of the equation that it replaces.
//!
//! In: pivots, and values. Out: whether they differ from zero there. Where its pivot vanishes, a combination has lost
//! the equation that it replaces.
//!
//! Computed unknowns are known to rounding relative to their nominal values, at double roots to the square root of
//! rounding; parameters and constants are exact, however small: a capacitance of $10^{-12}$ is not zero.

use std::collections::BTreeMap;

use super::rewrite::Rewrite;
use crate::defaults::start_point;
use crate::expr::{Expr, Node, Notation, Symbol, evaluate, print, reachable};
use crate::index::limits;
use crate::model::Model;
use crate::prolongation::Prolonged;

/// Whether an expression differs from zero at the start values; `true` where it has no value there, because the
/// consistent point is checked later.
pub(super) fn nonzero_at_start(model: &Model, e: Expr, limits: &limits::UpperBound) -> bool {
    let start: BTreeMap<Symbol, f64> = start_point(model).into_iter().collect();
    let value = |symbol| start.get(&symbol).copied().unwrap_or(f64::NAN);
    differs_from_zero(model, e, value, limits.vanishing_pivot).unwrap_or(true)
}

/// Says which pivot, the factor of the equation that a combination replaces, is zero or undefined at the jets, in
/// words; `None` if there is none.
pub(crate) fn vanishing(
    model: &mut Model,
    prolonged: &Prolonged,
    jets: &[f64],
    pivots: &[Expr],
    rewrites: &[Rewrite],
    t0: f64,
    limits: &limits::UpperBound,
) -> Option<String> {
    let expanded = model.expand_inputs(pivots);
    let value = |symbol| match symbol {
        Symbol::Time => t0,
        Symbol::Parameter(p) => prolonged.parameters[p.index()],
        Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
    };
    let vanishes = |&pivot: &Expr| differs_from_zero(model, pivot, value, limits.vanishing_pivot) != Some(true);
    let place = expanded.iter().position(vanishes)?;
    let pivot = rewrites.iter().filter_map(|r| r.nonzero).nth(place)?;
    let spelled = print(&model.dag, pivot, Notation::Text, |symbol| model.symbol_name(symbol));
    Some(format!("equations were combined under the condition {spelled} ≠ 0, which does not hold there"))
}

/// Whether a value differs from zero by more than the fraction `small` of its terms, the uncertainty of the unknowns;
/// `None` if it is undefined.
fn differs_from_zero(model: &Model, e: Expr, value: impl Fn(Symbol) -> f64, small: f64) -> Option<bool> {
    let dag = &model.dag;
    let nodes = reachable(dag, [e]);
    let values = evaluate(dag, &nodes, value);
    // The size of a node if nothing in it cancelled.
    let mut sizes: Vec<f64> = Vec::with_capacity(nodes.len());
    for (&node, value) in nodes.iter().zip(&values) {
        let place = |child: Expr| nodes.partition_point(|&other| other < child);
        let size = match dag.node(node) {
            Node::Constant(_) | Node::Pi | Node::Euler => value.abs(),
            Node::Symbol(Symbol::Unknown { unknown, .. }) => value.abs().max(model.unknowns[unknown.index()].nominal),
            Node::Symbol(_) => value.abs(),
            Node::Sum { constant, terms } => {
                terms.iter().fold(constant.to_f64().abs(), |sum, (q, t)| sum + q.to_f64().abs() * sizes[place(*t)])
            }
            Node::Product(factors) => factors.iter().fold(1.0, |product, &(base, n)| {
                let base = place(base);
                product * if n > 0 { sizes[base] } else { values[base].abs() }.powi(n)
            }),
            // A sine that is zero changes by as much as its argument: errors are relative to one.
            Node::Apply(..) | Node::Call(..) => value.abs().max(1.0),
        };
        sizes.push(size);
    }
    let (value, size) = (values.last()?, sizes.last()?);
    (!value.is_nan()).then(|| value.abs() > small * size)
}
