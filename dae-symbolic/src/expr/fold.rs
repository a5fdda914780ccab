//! The canonical form of functions.
//!
//! In: a function and its arguments. Out: the node, or a simpler expression where that is exact; the conditions for it
//! are recorded as [`Assumption`]s.

use super::construct::DISSOLVE;
use super::function::Parity;
use super::{Assumption, Call, Dag, Expr, Function, Node, Rational};

impl Dag {
    /// $f(a)$, $f(a, b)$ or $f(a, b, c)$, folded where the result is exact.
    pub fn apply(&mut self, function: Function, arguments: &[Expr]) -> Expr {
        debug_assert_eq!(arguments.len(), function.arity());
        let a = arguments[0];
        let folded = match function {
            Function::Sqrt => self.fold_sqrt(a),
            Function::Cbrt => self.as_constant(a).and_then(|q| q.root(3)).map(|q| self.constant(q)),
            Function::Exp => self.fold_exp(a),
            Function::Ln => self.fold_ln(a),
            Function::Sin | Function::Cos => self.fold_turns(function, a),
            Function::Abs => self.fold_abs(a),
            Function::Signum => self
                .as_constant(a)
                .filter(|q| !q.is_zero())
                .map(Rational::is_negative)
                .map(|negative| self.integer(if negative { -1 } else { 1 })),
            Function::Floor => self.as_constant(a).map(Rational::floor).map(|q| self.constant(q)),
            Function::Min | Function::Max => self.fold_extremum(function, a, arguments[1]),
            Function::Powf => self.fold_powf(a, arguments[1]),
            Function::If => self.fold_if(a, arguments[1], arguments[2]),
            Function::Tan
            | Function::Asin
            | Function::Atan
            | Function::Sinh
            | Function::Tanh
            | Function::Asinh
            | Function::Atanh
            | Function::ExpM1
            | Function::Ln1p => self.is_zero(a).then_some(a),
            Function::Cosh => self.is_zero(a).then(|| self.integer(1)),
            Function::Log10 | Function::Log2 | Function::Acosh => {
                self.as_constant(a).is_some_and(Rational::is_one).then(|| self.integer(0))
            }
            Function::Acos | Function::Atan2 | Function::Hypot => None,
        };
        folded
            .or_else(|| self.fold_sign(function, a))
            .unwrap_or_else(|| self.intern(Node::Apply(function, arguments.into())))
    }

    /// An external function, or a partial derivative of one, at the arguments.
    pub fn call(&mut self, call: Call, arguments: &[Expr]) -> Expr {
        debug_assert_eq!(arguments.len(), call.function.arguments.len());
        self.intern(Node::Call(call, arguments.into()))
    }

    fn fold_sqrt(&mut self, a: Expr) -> Option<Expr> {
        match self.node(a).clone() {
            Node::Constant(q) => q.root(2).map(|root| self.constant(root)),
            Node::Product(factors) if factors.len() == 1 && factors[0].1 % 2 == 0 => {
                // The square root of a square is the absolute value, whatever the sign.
                let half = self.powi(factors[0].0, factors[0].1 / 2);
                Some(self.apply(Function::Abs, &[half]))
            }
            _ => None,
        }
    }

    fn fold_exp(&mut self, a: Expr) -> Option<Expr> {
        match self.node(a).clone() {
            Node::Constant(q) if q.is_zero() => Some(self.integer(1)),
            Node::Constant(q) if q.is_one() => Some(self.euler()),
            Node::Apply(Function::Ln, u) => {
                self.assume(Assumption::Positive(u[0]));
                Some(u[0])
            }
            _ => None,
        }
    }

    fn fold_ln(&mut self, a: Expr) -> Option<Expr> {
        match self.node(a).clone() {
            Node::Constant(q) if q.is_one() => Some(self.integer(0)),
            Node::Euler => Some(self.integer(1)),
            Node::Apply(Function::Exp, u) => Some(u[0]),
            _ => None,
        }
    }

    fn fold_abs(&mut self, a: Expr) -> Option<Expr> {
        match self.node(a).clone() {
            Node::Constant(q) => Some(self.constant(q.abs())),
            Node::Apply(Function::Abs | Function::Sqrt | Function::Exp, _) => Some(a),
            Node::Product(factors) if factors.iter().all(|&(_, n)| n % 2 == 0) => Some(a),
            _ => None,
        }
    }

    fn fold_extremum(&mut self, function: Function, a: Expr, b: Expr) -> Option<Expr> {
        if a == b {
            return Some(a);
        }
        let ordered = self.as_constant(a)? <= self.as_constant(b)?;
        Some(if ordered == (function == Function::Min) { a } else { b })
    }

    fn fold_powf(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let exponent = self.as_constant(b)?.clone();
        if let Some(n) = exponent.to_integer().and_then(|n| i32::try_from(n).ok()) {
            return Some(self.powi(a, n));
        }
        let twice = exponent.mul(&Rational::from(2)).to_integer().and_then(|n| i32::try_from(n).ok())?;
        let root = self.apply(Function::Sqrt, &[a]);
        Some(self.powi(root, twice))
    }

    /// Equal branches need no switch, and a number as switch decides. Only the sign of the switch matters, so that it
    /// is divided by its content.
    fn fold_if(&mut self, switch: Expr, a: Expr, b: Expr) -> Option<Expr> {
        if a == b {
            return Some(a);
        }
        if let Some(q) = self.as_constant(switch) {
            return Some(if q.is_negative() || q.is_zero() { b } else { a });
        }
        let content = self.content(switch).abs();
        if content.is_one() {
            return None;
        }
        let switch = self.scale(content.recip()?, switch);
        Some(self.apply(Function::If, &[switch, a, b]))
    }

    /// Sine and cosine of $u + k \pi/2$: quarter turns are exact.
    fn fold_turns(&mut self, function: Function, a: Expr) -> Option<Expr> {
        let pi = self.pi();
        let (turns, rest) = match self.node(a).clone() {
            Node::Constant(q) if q.is_zero() => (Rational::ZERO, a),
            Node::Pi => (Rational::ONE, self.integer(0)),
            Node::Sum { constant, terms } => {
                let turns = terms.iter().find(|&&(_, t)| t == pi)?.0.clone();
                let constant = self.constant(constant);
                let others = terms.iter().filter(|&&(_, t)| t != pi).cloned();
                (turns, self.sum(others.chain([(Rational::ONE, constant)]).collect::<Vec<_>>()))
            }
            _ => return None,
        };
        let quarters = turns.mul(&Rational::from(2)).to_integer()?.rem_euclid(4);
        // sin(u + q π/2) runs through sin u, cos u, -sin u, -cos u; the cosine is one quarter ahead.
        let quarter = if function == Function::Sin { quarters } else { (quarters + 1) % 4 };
        if self.is_zero(rest) {
            return Some(self.integer([0, 1, 0, -1][quarter as usize]));
        }
        let base = if quarter % 2 == 0 { Function::Sin } else { Function::Cos };
        let value = self.apply(base, &[rest]);
        Some(if quarter < 2 { value } else { self.neg(value) })
    }

    /// $f(-u) = \mp f(u)$ for odd and even functions: arguments get a positive leading coefficient.
    fn fold_sign(&mut self, function: Function, a: Expr) -> Option<Expr> {
        let parity = function.parity();
        if parity == Parity::Neither {
            return None;
        }
        if !self.is_negative(a) {
            return None;
        }
        let u = self.neg(a);
        let value = self.apply(function, &[u]);
        Some(if parity == Parity::Odd { self.neg(value) } else { value })
    }

    /// Whether the expression begins with a negative number. A long sum counts as one that does not, whatever its terms
    /// are: its negative is written with one minus sign before the whole sum.
    fn is_negative(&self, e: Expr) -> bool {
        match self.node(e) {
            Node::Sum { terms, .. } => terms.len() <= DISSOLVE && terms[0].0.is_negative(),
            Node::Constant(q) => q.is_negative(),
            _ => false,
        }
    }
}
