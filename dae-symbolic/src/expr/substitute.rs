//! Replacement of symbols by expressions.
//!
//! In: expressions and a map from symbols. Out: the expressions rebuilt in canonical form, all replacements at once.

use super::dag::ExprMap;
use super::{Dag, Expr, Node, Symbol, reachable, reachable_until};

/// Replaces every symbol for which `replacement` has an expression, in all roots simultaneously.
pub fn substitute(
    dag: &mut Dag,
    roots: &[Expr],
    mut replacement: impl FnMut(&mut Dag, Symbol) -> Option<Expr>,
) -> Vec<Expr> {
    rebuild(dag, roots, |dag, expr, _| match *dag.node(expr) {
        Node::Symbol(symbol) => replacement(dag, symbol),
        _ => None,
    })
}

/// Replaces every symbol for which `replacement` has an expression, in one root after another: new expressions are
/// numbered in the order of the roots, and common sub-expressions of several roots are rebuilt once.
pub fn substitute_each(
    dag: &mut Dag,
    roots: &[Expr],
    mut replacement: impl FnMut(&mut Dag, Symbol) -> Option<Expr>,
) -> Vec<Expr> {
    let mut image = ExprMap::default();
    let mut replacement = |dag: &mut Dag, expr: Expr, _: &[Expr]| match *dag.node(expr) {
        Node::Symbol(symbol) => replacement(dag, symbol),
        _ => None,
    };
    for &root in roots {
        let order = reachable_until(dag, root, |expr| image.contains_key(&expr));
        rebuild_in(dag, &order, &mut image, &mut replacement);
    }
    roots.iter().map(|root| image[root]).collect()
}

/// Rebuilds the roots, with another expression wherever `replacement` has one for a node; for a function, `replacement`
/// is given the arguments as they have become.
pub(super) fn rebuild(
    dag: &mut Dag,
    roots: &[Expr],
    mut replacement: impl FnMut(&mut Dag, Expr, &[Expr]) -> Option<Expr>,
) -> Vec<Expr> {
    let mut image: ExprMap<Expr> = ExprMap::default();
    let order = reachable(dag, roots.iter().copied());
    rebuild_in(dag, &order, &mut image, &mut replacement);
    roots.iter().map(|root| image[root]).collect()
}

/// Rebuilds the expressions of `order` that have no image yet; it has children before parents.
fn rebuild_in(
    dag: &mut Dag,
    order: &[Expr],
    image: &mut ExprMap<Expr>,
    replacement: &mut impl FnMut(&mut Dag, Expr, &[Expr]) -> Option<Expr>,
) {
    for &expr in order {
        if image.contains_key(&expr) {
            continue;
        }
        let node = dag.node(expr).clone();
        let of = |e: &Expr| image[e];
        let new = match node {
            Node::Constant(_) | Node::Pi | Node::Euler => expr,
            Node::Symbol(_) => replacement(dag, expr, &[]).unwrap_or(expr),
            Node::Sum { constant, terms } => {
                if let Some(other) = replacement(dag, expr, &[]) {
                    other
                } else if terms.iter().all(|(_, t)| of(t) == *t) {
                    expr
                } else {
                    let constant = dag.constant(constant);
                    let terms = terms.iter().map(|(q, t)| (q.clone(), of(t)));
                    dag.sum(terms.chain([(super::Rational::ONE, constant)]).collect::<Vec<_>>())
                }
            }
            Node::Product(factors) => {
                if let Some(other) = replacement(dag, expr, &[]) {
                    other
                } else if factors.iter().all(|(b, _)| of(b) == *b) {
                    expr
                } else {
                    dag.product(factors.iter().map(|(b, n)| (of(b), *n)).collect::<Vec<_>>())
                }
            }
            Node::Call(call, arguments) => {
                let new: Vec<Expr> = arguments.iter().map(of).collect();
                match replacement(dag, expr, &new) {
                    Some(other) => other,
                    None if *new == *arguments => expr,
                    None => dag.call(call, &new),
                }
            }
            Node::Apply(function, arguments) => {
                let new: Vec<Expr> = arguments.iter().map(of).collect();
                match replacement(dag, expr, &new) {
                    Some(other) => other,
                    None if *new == *arguments => expr,
                    None => dag.apply(function, &new),
                }
            }
        };
        image.insert(expr, new);
    }
}
