//! Enclosures of expressions with hundreds of digits.
//!
//! In: expressions and balls for their symbols. Out: balls that contain their values.

use super::super::interval::Interval;
use super::super::prime_field::arithmetic::draw;
use super::super::{Dag, Expr, Node, Symbol};
use super::Ball;

/// Which values are used for external functions, which are known to at most 16 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// An enclosure of all values that they may have.
    Enclosed,
    /// One exact value in general position, close to the midpoint of the enclosure.
    InGeneralPosition,
}

/// The values of `order`, to the given number of binary digits; it is ascending and contains the operands of all its
/// expressions.
pub fn evaluate_balls(
    dag: &Dag,
    order: &[Expr],
    precision: u64,
    calls: Calls,
    value: impl Fn(Symbol) -> Ball,
) -> Vec<Ball> {
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
                let enclosure = Ball::of_interval(call.enclosure_with_stand_in(&arguments));
                match calls {
                    Calls::Enclosed => enclosure,
                    Calls::InGeneralPosition => beside(&enclosure, expr),
                }
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

/// A number that differs from the midpoint $m$ by up to about $10^{-20} (1 + |m|)$, differently for every expression.
fn beside(value: &Ball, expr: Expr) -> Ball {
    let change = Ball::integer(draw(0, &[expr.index() as u64]) as i64).times_power_of_two(-128);
    let factor = Ball::integer(1).plus(&change);
    value.midpoint().plus(&change).times(&factor).midpoint()
}

impl Ball {
    /// An interval with floating-point bounds that contains the ball.
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
