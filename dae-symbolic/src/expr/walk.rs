//! The nodes that a set of roots reaches, children first.
//!
//! In: roots. Out: node numbers in ascending order, which is a topological order; and the symbols among them.

use super::dag::ExprSet;
use super::{Dag, Expr, Node, Symbol};

/// Up to this many nodes found, comparing with all of them is cheapest.
const FEW: usize = 24;
/// A bit for every node of the DAG is used only if at least one in this many is reached: otherwise a model with many
/// small equations would make one such set per equation.
const SPARSE: usize = 64;

/// The set of nodes reached, in the representation that is cheapest for its size.
enum Reached {
    Few,
    Some(ExprSet),
    /// A bit for every node.
    Many(Vec<u64>),
}

impl Reached {
    /// Whether the expression is not yet among `found`; a set or the bits take note of it.
    fn is_new(&mut self, expr: Expr, found: &[Expr]) -> bool {
        match self {
            Reached::Few => !found.contains(&expr),
            Reached::Some(set) => set.insert(expr),
            Reached::Many(bits) => {
                let (word, bit) = (&mut bits[expr.index() / 64], 1 << (expr.index() % 64));
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
        }
    }

    /// Changes the representation as more nodes are found; only nodes with numbers below `size` can be reached.
    fn grow(&mut self, found: &[Expr], size: usize) {
        match self {
            Reached::Few if found.len() > FEW => *self = Reached::Some(found.iter().copied().collect()),
            Reached::Some(_) if found.len() > size / SPARSE => {
                let mut bits = vec![0; size.div_ceil(64)];
                found.iter().for_each(|expr| bits[expr.index() / 64] |= 1 << (expr.index() % 64));
                *self = Reached::Many(bits);
            }
            Reached::Few | Reached::Some(_) | Reached::Many(_) => {}
        }
    }

    /// The nodes found, ascending.
    fn ascending(self, mut found: Vec<Expr>) -> Vec<Expr> {
        let Reached::Many(bits) = self else {
            found.sort_unstable();
            return found;
        };
        found.clear();
        for (word, mut bits) in bits.into_iter().enumerate() {
            while bits != 0 {
                found.push(Expr::at(64 * word + bits.trailing_zeros() as usize));
                bits &= bits - 1;
            }
        }
        found
    }
}

/// Every expression reachable from the roots, each once, children before parents.
pub fn reachable(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    let mut stack: Vec<Expr> = roots.into_iter().collect();
    let Some(&last) = stack.iter().max() else { return Vec::new() };
    let mut reached = Reached::Few;
    let mut found = Vec::new();
    while let Some(expr) = stack.pop() {
        if !reached.is_new(expr, &found) {
            continue;
        }
        found.push(expr);
        stack.extend(dag.children(expr));
        reached.grow(&found, last.index() + 1);
    }
    reached.ascending(found)
}

/// The expressions that `root` reaches without passing through one at which the walk `ends`; where it ends is included.
/// Children before parents.
pub fn reachable_until(dag: &Dag, root: Expr, ends: impl Fn(Expr) -> bool) -> Vec<Expr> {
    let mut stack = vec![root];
    let mut found = ExprSet::default();
    while let Some(expr) = stack.pop() {
        if found.insert(expr) && !ends(expr) {
            stack.extend(dag.children(expr));
        }
    }
    let mut order: Vec<Expr> = found.into_iter().collect();
    order.sort_unstable();
    order
}

/// The nesting depth of every node of the DAG, by its number.
pub fn depths(dag: &Dag) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(dag.len());
    for index in 0..dag.len() {
        let within = dag.children(Expr::at(index)).map(|child| depths[child.index()]).max();
        depths.push(within.map_or(0, |depth| depth + 1));
    }
    depths
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
    // Nearly sorted already, as symbols are mostly made in ascending order.
    symbols.sort();
    symbols
}

/// Whether a symbol that `wanted` selects occurs in an expression.
pub fn has_symbol(dag: &Dag, root: Expr, wanted: impl Fn(Symbol) -> bool) -> bool {
    let is_wanted = |expr: &Expr| matches!(dag.node(*expr), Node::Symbol(symbol) if wanted(*symbol));
    dag.children(root).any(|child| is_wanted(&child)) || reachable(dag, [root]).iter().any(is_wanted)
}
