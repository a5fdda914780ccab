//! Enclosures of expressions.
//!
//! In: roots and a box. Out: enclosures of the roots' values on the box.

use super::super::{Dag, Expr, Node, Symbol, reachable};
use super::{Interval, apply, rational};

/// For each root, an interval that contains its values on the box that `value` describes.
pub fn evaluate_interval(dag: &Dag, roots: &[Expr], value: impl Fn(Symbol) -> Interval) -> Vec<Interval> {
    let order = reachable(dag, roots.iter().copied());
    let mut values = vec![Interval::ENTIRE; order.last().map_or(0, |last| last.index() + 1)];
    for &expr in &order {
        let of = |e: Expr| values[e.index()];
        values[expr.index()] = match dag.node(expr) {
            Node::Constant(q) => rational(q),
            Node::Pi => Interval::PI,
            Node::Euler => Interval::E,
            Node::Symbol(symbol) => value(*symbol),
            Node::Sum { constant, terms } => terms
                .iter()
                .fold(rational(constant), |sum, (q, t)| sum + if q.is_one() { of(*t) } else { rational(q) * of(*t) }),
            Node::Product(factors) => factors.iter().fold(Interval::ONE, |product, &(b, n)| product * of(b).powi(n)),
            Node::Call(call, arguments) => call.enclosure(&arguments.iter().map(|&a| of(a)).collect::<Vec<_>>()),
            Node::Apply(function, arguments) => {
                let a = of(arguments[0]);
                let other = |k: usize| arguments.get(k).map_or(a, |&b| of(b));
                apply(*function, a, other(1), other(2))
            }
        };
    }
    roots.iter().map(|root| values[root.index()]).collect()
}
