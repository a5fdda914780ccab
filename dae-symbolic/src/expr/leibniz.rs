//! Many derivatives of one expression.
//!
//! In: an expression. Out: its total derivatives in time up to an order, where repeated differentiation would make them
//! long.
//!
//! Differentiating a derivative again doubles or triples it, because the terms of $\frac{d}{dt}$ share nothing with
//! each other. Here the derivatives of every node are kept, and those of a node follow from those of its children by
//! Leibniz' rule,
//!
//! $$ (u v)^{(m)} = \sum_{k=0}^{m} \binom{m}{k}\, u^{(k)}\, v^{(m-k)}, \qquad
//!    g(a, b)^{(m)} = \sum_{k=0}^{m-1} \binom{m-1}{k} \big( g_a^{(k)}\, a^{(m-k)} + g_b^{(k)}\, b^{(m-k)} \big), $$
//!
//! so that $m$ derivatives of a node cost $m^2$ terms (Griewank & Walther, *Evaluating Derivatives*, ch. 13). Written
//! out as text, without sharing, they are as long as before.

use super::dag::ExprMap;
use super::{Dag, Expr, Function, Node, Rational, Symbol, reachable, total_derivative};

/// A derivative is long if it has more than [`LONG`] nodes in addition to this many for each node of the expression
/// that is differentiated.
const LONGER: usize = 16;
/// See [`LONGER`].
const LONG: usize = 1_000;
/// The number of steps after which the derivatives of one expression are given up.
const MAX_NODES: usize = 100_000;

/// `expr` and its total derivatives in time up to `order`.
pub fn derivatives(dag: &mut Dag, expr: Expr, order: u32) -> Vec<Expr> {
    if let Some(shared) = shared_derivatives(dag, expr, order) {
        return shared;
    }
    let mut list = vec![expr];
    for _ in 0..order {
        let last = list[list.len() - 1];
        list.push(total_derivative(dag, last));
    }
    list
}

/// `expr` and its total derivatives in time up to `order` by Leibniz' rule; `None` if they are not long when each is
/// made from the previous one, which is more readable, or if there are too many.
pub fn shared_derivatives(dag: &mut Dag, expr: Expr, order: u32) -> Option<Vec<Expr>> {
    is_long(dag, expr, order).then(|| Leibniz { dag, known: ExprMap::default() }.up_to(expr, order))?
}

/// Whether a derivative becomes long when each is made from the previous one.
fn is_long(dag: &mut Dag, expr: Expr, order: u32) -> bool {
    if order < 2 {
        return false;
    }
    let most = LONG + LONGER * reachable(dag, [expr]).len();
    let mut last = expr;
    (0..order).any(|_| {
        last = total_derivative(dag, last);
        reachable(dag, [last]).len() > most
    })
}

/// The derivatives of nodes so far, each from order zero.
struct Leibniz<'a> {
    dag: &'a mut Dag,
    known: ExprMap<Vec<Expr>>,
}

impl Leibniz<'_> {
    /// The derivatives of `expr` up to `order`; `None` if that takes too many steps.
    fn up_to(mut self, expr: Expr, order: u32) -> Option<Vec<Expr>> {
        let order = order as usize;
        let mut pending = vec![(expr, order)];
        let mut left = MAX_NODES;
        while let Some(&(expr, order)) = pending.last() {
            left = left.checked_sub(1)?;
            let made = self.known.entry(expr).or_insert_with(|| vec![expr]).len();
            if made > order {
                pending.pop();
                continue;
            }
            let missing: Vec<(Expr, usize)> = self.needed(expr, order).into_iter().filter(|n| !self.has(n)).collect();
            if missing.is_empty() {
                for m in made..=order {
                    let next = self.derivative(expr, m);
                    if let Some(list) = self.known.get_mut(&expr) {
                        list.push(next);
                    }
                }
                pending.pop();
            }
            pending.extend(missing);
        }
        self.known.remove(&expr).map(|mut list| {
            list.truncate(order + 1);
            list
        })
    }

    fn has(&self, &(expr, order): &(Expr, usize)) -> bool {
        self.known.get(&expr).is_some_and(|list| list.len() > order)
    }

    /// What has to be known to differentiate `expr` up to `order`: operands and partial derivatives, each with the
    /// order up to which it has to be differentiated.
    fn needed(&mut self, expr: Expr, order: usize) -> Vec<(Expr, usize)> {
        match self.dag.node(expr).clone() {
            Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) => Vec::new(),
            Node::Sum { terms, .. } => terms.iter().map(|&(_, t)| (t, order)).collect(),
            Node::Apply(Function::If, arguments) => vec![(arguments[1], order), (arguments[2], order)],
            Node::Product(factors) => match *factors {
                [(base, _)] => vec![(base, order), (self.slope(expr, 0), order - 1)],
                _ => {
                    let (first, rest) = self.halves(&factors);
                    vec![(first, order), (rest, order)]
                }
            },
            Node::Apply(_, arguments) | Node::Call(_, arguments) => {
                let slopes = (0..arguments.len()).map(|k| (self.slope(expr, k), order - 1));
                slopes.chain(arguments.iter().map(|&a| (a, order))).collect()
            }
        }
    }

    /// The derivative of order `m`, given the lower derivatives of the expression and the derivatives of its operands.
    fn derivative(&mut self, expr: Expr, m: usize) -> Expr {
        match self.dag.node(expr).clone() {
            Node::Constant(_) | Node::Pi | Node::Euler => self.dag.integer(0),
            Node::Symbol(symbol) => self.symbol(symbol, m as u32),
            Node::Sum { terms, .. } => {
                let terms: Vec<(Rational, Expr)> = terms.iter().map(|(q, t)| (q.clone(), self.known[t][m])).collect();
                self.dag.sum(terms)
            }
            Node::Apply(Function::If, arguments) => {
                let branches = [arguments[0], self.known[&arguments[1]][m], self.known[&arguments[2]][m]];
                self.dag.apply(Function::If, &branches)
            }
            Node::Product(factors) if factors.len() > 1 => {
                let (first, rest) = self.halves(&factors);
                let terms = self.convolved(first, rest, m, 0);
                self.dag.sum(terms)
            }
            Node::Product(_) | Node::Apply(..) | Node::Call(..) => {
                let arguments: Vec<Expr> = self.dag.children(expr).collect();
                let mut terms = Vec::new();
                for (k, &argument) in arguments.iter().enumerate() {
                    let slope = self.slope(expr, k);
                    terms.extend(self.convolved(slope, argument, m - 1, 1));
                }
                self.dag.sum(terms)
            }
        }
    }

    /// $\binom{m}{k} u^{(k)} v^{(m-k+s)}$ for $k = 0, \dots, m$.
    fn convolved(&mut self, u: Expr, v: Expr, m: usize, s: usize) -> Vec<(Rational, Expr)> {
        let mut binomial = Rational::ONE;
        let mut terms = Vec::with_capacity(m + 1);
        for k in 0..=m {
            let (left, right) = (self.known[&u][k], self.known[&v][m - k + s]);
            terms.push((binomial.clone(), self.dag.mul(left, right)));
            let ratio = Rational::new((m - k) as i64, k as i64 + 1).unwrap_or(Rational::ZERO);
            binomial = binomial.mul(&ratio);
        }
        terms
    }

    /// The partial derivative of a function, or of a power, with respect to an argument.
    fn slope(&mut self, expr: Expr, k: usize) -> Expr {
        match self.dag.node(expr).clone() {
            Node::Product(factors) => match *factors {
                [(base, n)] => {
                    let power = self.dag.powi(base, n - 1);
                    self.dag.scale(Rational::from(i64::from(n)), power)
                }
                _ => self.dag.integer(0),
            },
            Node::Apply(function, arguments) => function.partial(self.dag, &arguments, k),
            Node::Call(call, arguments) => self.dag.call(call.partial(k), &arguments),
            Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) | Node::Sum { .. } => self.dag.integer(0),
        }
    }

    /// The two halves of a product, each a product itself.
    fn halves(&mut self, factors: &[(Expr, i32)]) -> (Expr, Expr) {
        let (first, rest) = factors.split_at(factors.len() / 2);
        (self.dag.product(first.to_vec()), self.dag.product(rest.to_vec()))
    }

    fn symbol(&mut self, symbol: Symbol, m: u32) -> Expr {
        match symbol {
            Symbol::Time => self.dag.integer(i64::from(m == 1)),
            Symbol::Input { input, order } => self.dag.symbol(Symbol::Input { input, order: order + m }),
            Symbol::Unknown { unknown, order } => self.dag.symbol(Symbol::Unknown { unknown, order: order + m }),
            Symbol::Parameter(_) | Symbol::State(_) | Symbol::StateDerivative(_) => self.dag.integer(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{UnknownId, evaluate_one};
    use super::*;

    /// $x_j^{(k)}$.
    fn jet(dag: &mut Dag, j: u32, order: u32) -> Expr {
        dag.symbol(Symbol::Unknown { unknown: UnknownId(j), order })
    }

    fn at(symbol: Symbol) -> f64 {
        match symbol {
            Symbol::Unknown { unknown, order } => 0.3 + 0.5 / f64::from(order + 1 + unknown.0),
            _ => 0.7,
        }
    }

    /// $\sin(x\, \dot x)\, y^{-2} + \sqrt{x + t}\, \text{if}(y, x y, x)$.
    fn example(dag: &mut Dag) -> Expr {
        let (x, y, slope, t) = (jet(dag, 0, 0), jet(dag, 1, 0), jet(dag, 0, 1), dag.symbol(Symbol::Time));
        let (inner, radicand, xy) = (dag.mul(x, slope), dag.add(x, t), dag.mul(x, y));
        let sine = dag.apply(Function::Sin, &[inner]);
        let root = dag.apply(Function::Sqrt, &[radicand]);
        let conditional = dag.apply(Function::If, &[y, xy, x]);
        let (first, second) = (dag.product([(sine, 1), (y, -2)]), dag.mul(root, conditional));
        dag.add(first, second)
    }

    #[test]
    fn both_ways_have_the_same_values() {
        let mut dag = Dag::default();
        let expr = example(&mut dag);
        let shared = Leibniz { dag: &mut dag, known: ExprMap::default() }.up_to(expr, 5).unwrap();
        let mut one = expr;
        for &other in &shared {
            let values = [one, other].map(|e| evaluate_one(&dag, e, at));
            assert!((values[0] - values[1]).abs() < 1e-10 * values[0].abs().max(1.0), "{values:?}");
            one = total_derivative(&mut dag, one);
        }
    }

    #[test]
    fn twenty_derivatives_stay_small() {
        let mut dag = Dag::default();
        let (x, slope) = (jet(&mut dag, 0, 0), jet(&mut dag, 0, 1));
        for function in [Function::Sin, Function::Exp, Function::Sqrt] {
            let value = dag.apply(function, &[slope]);
            let expr = dag.mul(value, x);
            let before = dag.len();
            let list = derivatives(&mut dag, expr, 20);
            assert_eq!(list.len(), 21);
            assert!(reachable(&dag, list).len() < 3_000 && dag.len() - before < 8_000, "{}", dag.len() - before);
        }
    }
}
