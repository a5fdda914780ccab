//! Derivatives.
//!
//! In: an expression. Out: its partial derivatives with respect to symbols, and its total derivative in time.
//!
//! All partial derivatives come out of one reverse sweep (Griewank & Walther, *Evaluating Derivatives*, ch. 3): the
//! adjoint of the root is one, and each node hands $\bar v\, \partial v/\partial c$ to its children $c$. The sweep
//! costs a small multiple of the expression however many symbols there are. The sweep ends at conditionals, minima and
//! maxima, and each of their branches is swept separately. The total derivative is then the chain rule over the leaves,
//! $\dot f = \partial f/\partial t + \sum_{j,k} \partial f/\partial x_j^{(k)} \; x_j^{(k+1)}$.

use std::collections::BTreeMap;

use super::dag::{ExprMap, ExprSet};
use super::{Dag, Expr, Function, Node, Rational, Symbol, reachable, reachable_until};

/// The nonzero partial derivatives of `root` with respect to the symbols that `wanted` selects, ascending by symbol.
pub fn gradient(dag: &mut Dag, root: Expr, wanted: impl Fn(Symbol) -> bool) -> Vec<(Symbol, Expr)> {
    let order = reachable(dag, [root]);
    let active = active(dag, &order, wanted);
    let mut conditionals = Conditionals::default();
    for &expr in order.iter().filter(|expr| active.contains(expr)) {
        let Node::Apply(function, arguments) = dag.node(expr).clone() else { continue };
        if let Some(choice) = choice(dag, function, &arguments) {
            let partials = branch_by_branch(dag, &choice, &active, &conditionals);
            conditionals.insert(expr, partials);
        }
    }
    sweep(dag, root, &order, &active, &conditionals)
}

/// The partial derivatives of conditionals, minima and maxima.
type Conditionals = ExprMap<Vec<(Symbol, Expr)>>;

/// The switch and the branches of a conditional, minimum or maximum; `None` for other functions. If its arguments are
/// equal, a minimum takes the second one and a maximum the first, as in [`Function::partial`].
fn choice(dag: &mut Dag, function: Function, arguments: &[Expr]) -> Option<[Expr; 3]> {
    match (function, arguments) {
        (Function::If, &[switch, above, below]) => Some([switch, above, below]),
        (Function::Min, &[a, b]) => Some([dag.sub(b, a), a, b]),
        (Function::Max, &[a, b]) => Some([dag.sub(b, a), b, a]),
        _ => None,
    }
}

/// The partial derivatives of a conditional: those of its branches under the same switch. A sweep through the
/// conditional would multiply the derivative of the branch that is not taken by zero, and that derivative may be
/// infinite there.
fn branch_by_branch(
    dag: &mut Dag,
    choice: &[Expr; 3],
    active: &ExprSet,
    conditionals: &Conditionals,
) -> Vec<(Symbol, Expr)> {
    let [above, below] = [choice[1], choice[2]].map(|branch| {
        let order = reachable_until(dag, branch, |expr| conditionals.contains_key(&expr));
        sweep(dag, branch, &order, active, conditionals)
    });
    let mut all: Vec<Symbol> = above.iter().chain(&below).map(|&(symbol, _)| symbol).collect();
    all.sort_unstable();
    all.dedup();
    let zero = dag.integer(0);
    let of = |partials: &[(Symbol, Expr)], symbol| {
        partials.binary_search_by_key(&symbol, |&(s, _)| s).map_or(zero, |at| partials[at].1)
    };
    let partial = |symbol| {
        let branches = [choice[0], of(&above, symbol), of(&below, symbol)];
        (symbol, dag.apply(Function::If, &branches))
    };
    all.into_iter().map(partial).collect()
}

/// The nonzero partial derivatives of `root` by a reverse sweep over `order`. It ends at conditionals, whose partial
/// derivatives are known and are multiplied by the adjoint.
fn sweep(
    dag: &mut Dag,
    root: Expr,
    order: &[Expr],
    active: &ExprSet,
    conditionals: &Conditionals,
) -> Vec<(Symbol, Expr)> {
    let mut adjoints: ExprMap<Vec<(Rational, Expr)>> = ExprMap::default();
    let one = dag.integer(1);
    adjoints.insert(root, vec![(Rational::ONE, one)]);
    let mut last: Option<([(Rational, Expr); 1], Expr)> = None;
    let mut partials = Vec::new();
    // The contributions of conditionals to the partial derivative with respect to a symbol.
    let mut shares: BTreeMap<Symbol, Vec<(Rational, Expr)>> = BTreeMap::new();
    for &expr in order.iter().rev() {
        if !active.contains(&expr) {
            continue;
        }
        let Some(contributions) = adjoints.remove(&expr) else { continue };
        let adjoint = match <[_; 1]>::try_from(contributions) {
            // All terms of a long sum often get the same multiple of its adjoint; it is constructed once.
            Ok(single) => match &last {
                Some((same, sum)) if *same == single => *sum,
                _ => {
                    let sum = dag.sum(single.clone());
                    last = Some((single, sum));
                    sum
                }
            },
            Err(several) => dag.sum(several),
        };
        if dag.is_zero(adjoint) {
            continue;
        }
        if let Some(known) = conditionals.get(&expr) {
            for &(symbol, partial) in known {
                let share = dag.mul(adjoint, partial);
                shares.entry(symbol).or_default().push((Rational::ONE, share));
            }
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
            Node::Call(call, arguments) => {
                for (k, argument) in arguments.iter().enumerate() {
                    if active.contains(argument) {
                        let partial = dag.call(call.partial(k), &arguments);
                        let contribution = dag.mul(adjoint, partial);
                        adjoints.entry(*argument).or_default().push((Rational::ONE, contribution));
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
    if shares.is_empty() { partials } else { merged(dag, partials, shares) }
}

/// Partial derivatives plus the contributions of conditionals.
fn merged(
    dag: &mut Dag,
    partials: Vec<(Symbol, Expr)>,
    mut shares: BTreeMap<Symbol, Vec<(Rational, Expr)>>,
) -> Vec<(Symbol, Expr)> {
    for (symbol, partial) in partials {
        shares.entry(symbol).or_default().push((Rational::ONE, partial));
    }
    let total = |(symbol, terms)| (symbol, dag.sum(terms));
    let all: Vec<(Symbol, Expr)> = shares.into_iter().map(total).collect();
    all.into_iter().filter(|&(_, partial)| !dag.is_zero(partial)).collect()
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
