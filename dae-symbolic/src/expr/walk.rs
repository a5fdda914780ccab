//! What a set of roots reaches, children first.
//!
//! In: roots. Out: node numbers in ascending order, which is a topological order; and the symbols among them.

use super::{Dag, Expr, Node, Symbol};

/// Every expression reachable from the roots, each once, children before parents.
pub fn reachable(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    let mut stack: Vec<Expr> = roots.into_iter().collect();
    let Some(last) = stack.iter().max() else { return Vec::new() };
    let mut seen = vec![false; last.index() + 1];
    let mut found = Vec::new();
    while let Some(expr) = stack.pop() {
        if !std::mem::replace(&mut seen[expr.index()], true) {
            found.push(expr);
            stack.extend(dag.children(expr));
        }
    }
    found.sort_unstable();
    found
}

/// The symbols that occur in the given expressions, ascending.
pub fn symbols(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = reachable(dag, roots)
        .into_iter()
        .filter_map(|expr| match dag.node(expr) {
            Node::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
        .collect();
    symbols.sort_unstable();
    symbols
}
