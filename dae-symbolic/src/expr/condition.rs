//! Conditions: decision diagrams over switches.
//!
//! In: comparisons, and conditions joined by *and*, *or*, *not*. Out: a condition as an expression that is 1 where it
//! holds and 0 elsewhere, made of conditionals alone (R. E. Bryant, *Graph-based algorithms for Boolean function
//! manipulation*, IEEE Trans. Comput. 35, 1986): $a \land b$ is `if a { b } else { 0 }`. A choice between two values
//! puts them in place of 1 and 0, so that every switch in the result is a difference of two compared expressions, and
//! its branches are plain to see.

use super::dag::ExprMap;
use super::{Dag, Expr, Function, Node};

impl Dag {
    /// The condition $a > b$.
    pub fn greater(&mut self, a: Expr, b: Expr) -> Expr {
        let (switch, one, zero) = (self.sub(a, b), self.integer(1), self.integer(0));
        self.apply(Function::If, &[switch, one, zero])
    }

    /// The condition that `condition` does not hold.
    pub fn not(&mut self, condition: Expr) -> Expr {
        let (zero, one) = (self.integer(0), self.integer(1));
        self.choose(condition, zero, one)
    }

    /// The condition that all of `conditions` hold, decided in their order.
    pub fn all(&mut self, conditions: &[Expr]) -> Expr {
        let (zero, one) = (self.integer(0), self.integer(1));
        conditions.iter().rev().fold(one, |rest, &condition| self.choose(condition, rest, zero))
    }

    /// The condition that any of `conditions` holds, decided in their order.
    pub fn any(&mut self, conditions: &[Expr]) -> Expr {
        let (zero, one) = (self.integer(0), self.integer(1));
        conditions.iter().rev().fold(zero, |rest, &condition| self.choose(condition, one, rest))
    }

    /// $a$ where the condition holds, $b$ elsewhere.
    pub fn choose(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        let mut image: ExprMap<Expr> = ExprMap::default();
        for expr in self.decisions(condition) {
            let new = match self.node(expr).clone() {
                Node::Apply(Function::If, arguments) => {
                    let branch = |k: usize| image.get(&arguments[k]).copied().unwrap_or(b);
                    let branches = [arguments[0], branch(1), branch(2)];
                    self.apply(Function::If, &branches)
                }
                _ if self.is_zero(expr) => b,
                _ => a,
            };
            image.insert(expr, new);
        }
        image.get(&condition).copied().unwrap_or(b)
    }

    /// A continuous function that is positive where the condition holds and negative where it does not, apart from its
    /// zeros: the switch of a comparison, the least of those that have to hold together, the largest of alternatives.
    /// `None` for a condition that always holds, or never.
    pub fn crossing_function(&mut self, condition: Expr) -> Option<Expr> {
        // What a diagram decides for certain needs no function.
        let mut image: ExprMap<Result<Expr, bool>> = ExprMap::default();
        for expr in self.decisions(condition) {
            let new = match self.node(expr).clone() {
                Node::Apply(Function::If, arguments) => {
                    let switch = self.of_unit_size(arguments[0]);
                    let opposite = self.neg(switch);
                    let branch = |k: usize| image.get(&arguments[k]).copied().unwrap_or(Err(false));
                    let ahead = self.joined(switch, branch(1));
                    let behind = self.joined(opposite, branch(2));
                    match (ahead, behind) {
                        (Some(ahead), Some(behind)) => Ok(self.apply(Function::Max, &[ahead, behind])),
                        (Some(one), None) | (None, Some(one)) => Ok(one),
                        (None, None) => Err(false),
                    }
                }
                _ => Err(!self.is_zero(expr)),
            };
            image.insert(expr, new);
        }
        image.get(&condition).copied().and_then(Result::ok)
    }

    /// A switch times a positive number, so that its largest coefficient is 1: switches have integer coefficients, which
    /// are large if the text has decimals, and the least of two functions has to be that of functions of like size.
    fn of_unit_size(&mut self, switch: Expr) -> Expr {
        let Node::Sum { terms, .. } = self.node(switch) else { return switch };
        let largest = terms.iter().map(|(coefficient, _)| coefficient.abs()).max();
        match largest.and_then(|largest| largest.recip()) {
            Some(factor) if !factor.is_one() => self.scale(factor, switch),
            Some(_) | None => switch,
        }
    }

    /// The function of what holds where the switch is positive and a condition with this function holds, too; `None` if
    /// it never does.
    fn joined(&mut self, switch: Expr, rest: Result<Expr, bool>) -> Option<Expr> {
        match rest {
            Ok(rest) => Some(self.apply(Function::Min, &[switch, rest])),
            Err(true) => Some(switch),
            Err(false) => None,
        }
    }

    /// The nodes of a decision diagram, without its switches and what these are made of, children first.
    fn decisions(&self, condition: Expr) -> Vec<Expr> {
        let (mut stack, mut found) = (vec![condition], Vec::new());
        let mut seen = super::dag::ExprSet::default();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            found.push(expr);
            if let Node::Apply(Function::If, arguments) = self.node(expr) {
                stack.extend(&arguments[1..]);
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Symbol, UnknownId, evaluate_one, gradient};
    use super::*;

    fn symbol(k: u32) -> Symbol {
        Symbol::Unknown { unknown: UnknownId(k), order: 0 }
    }

    #[test]
    fn logic_is_that_of_rust() {
        let mut dag = Dag::new();
        let [x, y, z] = [0, 1, 2].map(|k| dag.symbol(symbol(k)));
        let two = dag.integer(2);
        let (p, q, r) = (dag.greater(x, y), dag.greater(two, x), dag.greater(y, z));
        let not_q = dag.not(q);
        let left = dag.all(&[p, not_q]);
        let either = dag.any(&[left, r]);
        let (a, b) = (dag.integer(10), dag.integer(20));
        let chosen = dag.choose(either, a, b);
        let values = [0.0, 1.0, 2.0, 3.0];
        for at in values.iter().flat_map(|&x| values.iter().flat_map(move |&y| values.map(|z| [x, y, z]))) {
            let [x, y, z] = at;
            let expected = if (x > y && x >= 2.0) || y > z { 10.0 } else { 20.0 };
            let value = evaluate_one(&dag, chosen, |s| at[(0..3).find(|&k| symbol(k) == s).unwrap() as usize]);
            assert_eq!(value, expected, "{at:?}");
        }
    }

    #[test]
    fn what_is_certain_folds() {
        let mut dag = Dag::new();
        let (x, one, two) = (dag.symbol(symbol(0)), dag.integer(1), dag.integer(2));
        assert_eq!(dag.greater(two, one), one);
        let zero = dag.integer(0);
        // Not greater: the second branch.
        assert_eq!(dag.greater(one, one), zero);
        let p = dag.greater(x, one);
        assert_eq!(dag.choose(p, x, x), x);
        assert_eq!(dag.all(&[p, zero]), zero);
        assert_eq!(dag.any(&[one, p]), one);
        let twice = dag.not(p);
        assert_eq!(dag.not(twice), p);
        // 2x > 2 and x > 1 are the same switch.
        let double = dag.scale(super::super::Rational::from(2), x);
        assert_eq!(dag.greater(double, two), p);
    }

    #[test]
    fn the_branch_that_is_not_taken_does_not_disturb() {
        // if x > 0 { sqrt(x) y } else { x }: at x = -1 the derivative with respect to y is 0, not 0 · NaN.
        let mut dag = Dag::new();
        let (x, y, zero) = (dag.symbol(symbol(0)), dag.symbol(symbol(1)), dag.integer(0));
        let root = dag.apply(Function::Sqrt, &[x]);
        let (branch, positive) = (dag.mul(root, y), dag.greater(x, zero));
        let inner = dag.choose(positive, branch, x);
        let f = dag.product([(inner, 1), (y, 2)]);
        let partials = gradient(&mut dag, f, |_| true);
        let at = |x: f64, y: f64| {
            let value = |s| if s == symbol(0) { x } else { y };
            partials.iter().map(|&(_, e)| evaluate_one(&dag, e, value)).collect::<Vec<_>>()
        };
        // x y², and sqrt(x) y³.
        assert_eq!(at(-1.0, 3.0), [9.0, -6.0]);
        assert_eq!(at(4.0, 3.0), [27.0 / 4.0, 2.0 * 27.0]);
    }

    #[test]
    fn long_chains_stay_linear() {
        let mut dag = Dag::new();
        let x = dag.symbol(symbol(0));
        let n = 3000;
        let mut chain = x;
        for k in 0..n {
            let bound = dag.integer(k);
            let (condition, square) = (dag.greater(bound, x), dag.powi(x, 2 + (k % 5) as i32));
            chain = dag.choose(condition, square, chain);
        }
        let before = dag.len();
        let partials = gradient(&mut dag, chain, |_| true);
        assert_eq!(partials.len(), 1);
        assert!(dag.len() - before < 3 * n as usize, "{}", dag.len() - before);
    }
}
