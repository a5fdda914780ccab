//! Derivatives.
//!
//! In: an expression. Out: its partial derivatives by symbols, and its total derivative in time.
//!
//! All partial derivatives come out of one reverse sweep (Griewank & Walther, *Evaluating Derivatives*, ch. 3): the
//! adjoint of the root is one, and each node hands $\bar v\, \partial v/\partial c$ to its children $c$. The sweep costs a
//! small multiple of the expression however many symbols there are. The total derivative is then the chain rule over
//! the leaves, $\dot f = \partial f/\partial t + \sum_{j,k} \partial f/\partial x_j^{(k)} \; x_j^{(k+1)}$.

use super::dag::{ExprMap, ExprSet};
use super::{Dag, Expr, Node, Rational, Symbol, reachable};

/// The nonzero partial derivatives of `root` by the symbols that `wanted` selects, ascending by symbol.
pub fn gradient(dag: &mut Dag, root: Expr, wanted: impl Fn(Symbol) -> bool) -> Vec<(Symbol, Expr)> {
    let order = reachable(dag, [root]);
    let active = active(dag, &order, wanted);
    let mut adjoints: ExprMap<Vec<(Rational, Expr)>> = ExprMap::default();
    let one = dag.integer(1);
    adjoints.insert(root, vec![(Rational::ONE, one)]);
    let mut partials = Vec::new();
    for &expr in order.iter().rev() {
        if !active.contains(&expr) {
            continue;
        }
        let Some(contributions) = adjoints.remove(&expr) else { continue };
        let adjoint = dag.sum(contributions);
        if dag.is_zero(adjoint) {
            continue;
        }
        match dag.node(expr).clone() {
            Node::Constant(_) | Node::Pi | Node::Euler => {}
            Node::Symbol(symbol) => partials.push((symbol, adjoint)),
            Node::Sum { terms, .. } => {
                for (q, t) in terms.iter().filter(|(_, t)| active.contains(t)) {
                    adjoints.entry(*t).or_default().push((q.clone(), adjoint));
                }
            }
            Node::Product(factors) => {
                for k in 0..factors.len() {
                    let (base, n) = factors[k];
                    if active.contains(&base) {
                        let mut others = factors.to_vec();
                        others[k].1 = n - 1;
                        others.push((adjoint, 1));
                        let contribution = dag.product(others);
                        adjoints.entry(base).or_default().push((Rational::from(i64::from(n)), contribution));
                    }
                }
            }
            Node::Apply(function, arguments) => {
                for (k, argument) in arguments.iter().enumerate() {
                    if active.contains(argument) {
                        let partial = function.partial(dag, &arguments, k);
                        let contribution = dag.mul(adjoint, partial);
                        adjoints.entry(*argument).or_default().push((Rational::ONE, contribution));
                    }
                }
            }
        }
    }
    partials.sort_unstable_by_key(|&(symbol, _)| symbol);
    partials
}

/// The nodes that depend on a wanted symbol.
fn active(dag: &Dag, order: &[Expr], wanted: impl Fn(Symbol) -> bool) -> ExprSet {
    let mut active = ExprSet::default();
    for &expr in order {
        let depends = match dag.node(expr) {
            Node::Symbol(symbol) => wanted(*symbol),
            _ => dag.children(expr).any(|c| active.contains(&c)),
        };
        if depends {
            active.insert(expr);
        }
    }
    active
}

/// $\partial e / \partial s$.
pub fn differentiate(dag: &mut Dag, expr: Expr, symbol: Symbol) -> Expr {
    match gradient(dag, expr, |s| s == symbol).first() {
        Some(&(_, partial)) => partial,
        None => dag.integer(0),
    }
}

/// $\mathrm d e / \mathrm d t$: unknowns and inputs move on to their next derivative, parameters are constant.
/// Symbols of a formulation ([`Symbol::State`], …) have no next derivative and count as constants.
pub fn total_derivative(dag: &mut Dag, expr: Expr) -> Expr {
    let moving = |s| matches!(s, Symbol::Time | Symbol::Input { .. } | Symbol::Unknown { .. });
    let partials = gradient(dag, expr, moving);
    let terms: Vec<(Rational, Expr)> = partials
        .into_iter()
        .filter_map(|(symbol, partial)| {
            let next = match symbol {
                Symbol::Time => return Some((Rational::ONE, partial)),
                Symbol::Input { input, order } => Symbol::Input { input, order: order + 1 },
                Symbol::Unknown { unknown, order } => Symbol::Unknown { unknown, order: order + 1 },
                Symbol::Parameter(_) | Symbol::State(_) | Symbol::StateDerivative(_) => return None,
            };
            let next = dag.symbol(next);
            Some((Rational::ONE, dag.mul(partial, next)))
        })
        .collect();
    dag.sum(terms)
}
