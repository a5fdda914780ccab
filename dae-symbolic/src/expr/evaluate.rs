//! Values in `f64`.
//!
//! In: roots and the values of symbols. Out: values of the roots. [`sum`] and [`product`] fix the order of
//! operations: programs use them too, and generated code spells them out, so that all three agree.

use super::{Dag, Expr, Node, Symbol, reachable};

/// The factor by which the size of a table with an entry for every node of the DAG, up to the last one reached, may
/// exceed the number of nodes reached.
const WASTE: usize = 16;

/// The values of all roots at the point that `value` describes.
pub fn evaluate(dag: &Dag, roots: &[Expr], value: impl Fn(Symbol) -> f64) -> Vec<f64> {
    let order = reachable(dag, roots.iter().copied());
    let values = evaluate_closed(dag, &order, value);
    // Roots are among the nodes that they reach.
    roots.iter().map(|root| values[order.binary_search(root).unwrap_or(0)]).collect()
}

/// The values of `order`, which is ascending and contains the operands of all its expressions.
pub fn evaluate_closed(dag: &Dag, order: &[Expr], value: impl Fn(Symbol) -> f64) -> Vec<f64> {
    // The place of each node in `order`, indexed by its number, where that wastes little; otherwise found by bisection.
    let size = order.last().map_or(0, |last| last.index() + 1);
    let places: Vec<usize> = match size <= WASTE * order.len() {
        true => {
            let mut places = vec![0; size];
            order.iter().enumerate().for_each(|(k, expr)| places[expr.index()] = k);
            places
        }
        false => Vec::new(),
    };
    let place = |e: Expr| match places.get(e.index()) {
        Some(&place) => place,
        None => order.partition_point(|&reached| reached < e),
    };
    let mut values: Vec<f64> = Vec::with_capacity(order.len());
    for &expr in order {
        let of = |e: Expr| values[place(e)];
        let next = match dag.node(expr) {
            Node::Constant(q) => q.to_f64(),
            Node::Pi => std::f64::consts::PI,
            Node::Euler => std::f64::consts::E,
            Node::Symbol(symbol) => value(*symbol),
            Node::Sum { constant, terms } => sum(constant.to_f64(), terms.iter().map(|(q, t)| (q.to_f64(), of(*t)))),
            Node::Product(factors) => product(factors.iter().map(|&(b, n)| (of(b), n))),
            Node::Call(call, arguments) => call.value(arguments.iter().map(|&a| of(a))),
            Node::Apply(function, arguments) => {
                let a = of(arguments[0]);
                let other = |k: usize| arguments.get(k).map_or(a, |&b| of(b));
                function.value(a, other(1), other(2))
            }
        };
        values.push(next);
    }
    values
}

/// The value of one expression.
pub fn evaluate_one(dag: &Dag, root: Expr, value: impl Fn(Symbol) -> f64) -> f64 {
    evaluate(dag, &[root], value)[0]
}

/// $\sum_k q_k t_k + q_0$ in this order; a zero $q_0$ is not added.
pub fn sum(constant: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
    match terms.map(|(q, t)| q * t).reduce(|total, term| total + term) {
        Some(total) if constant == 0.0 => total,
        Some(total) => total + constant,
        None => constant,
    }
}

/// $\prod_{n_k > 0} b_k^{n_k} \big/ \prod_{n_k < 0} b_k^{-n_k}$, both multiplied in this order.
pub fn product(factors: impl Iterator<Item = (f64, i32)>) -> f64 {
    let (mut numerator, mut denominator) = (None, None);
    for (base, n) in factors {
        let side = if n > 0 { &mut numerator } else { &mut denominator };
        let factor = power(base, n.unsigned_abs());
        *side = Some(side.map_or(factor, |product: f64| product * factor));
    }
    match denominator {
        Some(denominator) => numerator.unwrap_or(1.0) / denominator,
        None => numerator.unwrap_or(1.0),
    }
}

/// $b^n$; squares and cubes by multiplication, as generated code spells them.
fn power(base: f64, n: u32) -> f64 {
    match n {
        0 => 1.0,
        1 => base,
        2 => base * base,
        3 => base * base * base,
        _ => base.powi(n.min(i32::MAX as u32) as i32),
    }
}
