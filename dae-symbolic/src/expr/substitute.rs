//! Replacement of symbols by expressions.
//!
//! In: expressions and a map from symbols. Out: the expressions rebuilt in canonical form, all replacements at once.

use super::dag::ExprMap;
use super::{Dag, Expr, Node, Symbol, reachable};

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

/// Builds the roots anew, with another expression wherever `replacement` has one for a node; for a function it is given the
/// arguments as they are after replacement.
pub(super) fn rebuild(
    dag: &mut Dag,
    roots: &[Expr],
    mut replacement: impl FnMut(&mut Dag, Expr, &[Expr]) -> Option<Expr>,
) -> Vec<Expr> {
    let mut image: ExprMap<Expr> = ExprMap::default();
    for expr in reachable(dag, roots.iter().copied()) {
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
    roots.iter().map(|root| image[root]).collect()
}
