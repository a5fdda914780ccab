//! Enclosures of expressions with hundreds of digits.
//!
//! In: expressions and balls for their symbols. Out: balls that contain their values.

use super::super::interval::Interval;
use super::super::{Dag, Expr, Node, Symbol};
use super::Ball;

/// The values of expressions that ascend and have everything they are made of among them, in their order, with so many binary digits.
pub fn evaluate_balls(dag: &Dag, order: &[Expr], precision: u64, value: impl Fn(Symbol) -> Ball) -> Vec<Ball> {
    let mut values: Vec<Ball> = Vec::with_capacity(order.len());
    for &expr in order {
        let of = |e: &Expr| &values[order.partition_point(|reached| reached < e)];
        let next = match dag.node(expr) {
            Node::Constant(q) => Ball::rational(q, precision),
            Node::Pi => Ball::pi(precision),
            Node::Euler => Ball::euler(precision),
            Node::Symbol(symbol) => value(*symbol).with_precision(precision),
            Node::Sum { constant, terms } => {
                terms.iter().fold(Ball::rational(constant, precision), |sum, (q, term)| {
                    let term = of(term);
                    sum.plus(&if q.is_one() { term.clone() } else { Ball::rational(q, precision).times(term) })
                })
            }
            Node::Product(factors) => {
                factors.iter().fold(Ball::integer(1), |product, (base, n)| product.times(&of(base).power(*n)))
            }
            Node::Call(call, arguments) => {
                let arguments: Vec<Interval> = arguments.iter().map(|a| of(a).to_interval()).collect();
                Ball::of_interval(call.enclosure(&arguments))
            }
            Node::Apply(function, arguments) => {
                let a = of(&arguments[0]);
                let other = |k: usize| arguments.get(k).map_or(a, &of);
                Ball::apply(*function, a, other(1), other(2))
            }
        };
        values.push(next);
    }
    values
}

impl Ball {
    /// An interval of floating-point numbers that contains the ball.
    pub fn to_interval(&self) -> Interval {
        let Some(radius) = self.radius() else { return Interval::ENTIRE };
        let radius = radius.to_f64();
        let around = Interval::around(self.to_f64(), 2);
        match Interval::new(-radius.next_up(), radius.next_up()) {
            Some(radius) => around + radius,
            None => Interval::ENTIRE,
        }
    }
}
