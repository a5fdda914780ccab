//! What a set of roots reaches, children first.
//!
//! In: roots. Out: node numbers in ascending order, which is a topological order; and the symbols among them.

use super::{Dag, Expr, Node, Symbol};

/// Up to so many nodes a look at all of them is cheaper than a flag for every node of the DAG, of which a model with many
/// small equations would make one set per equation.
const FEW: usize = 24;

/// Every expression reachable from the roots, each once, children before parents.
pub fn reachable(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    let mut stack: Vec<Expr> = roots.into_iter().collect();
    let Some(&last) = stack.iter().max() else { return Vec::new() };
    let mut many = Vec::new();
    let mut found = Vec::new();
    while let Some(expr) = stack.pop() {
        let new =
            if many.is_empty() { !found.contains(&expr) } else { !std::mem::replace(&mut many[expr.index()], true) };
        if !new {
            continue;
        }
        found.push(expr);
        stack.extend(dag.children(expr));
        if many.is_empty() && found.len() > FEW {
            many.resize(last.index() + 1, false);
            found.iter().for_each(|expr: &Expr| many[expr.index()] = true);
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
