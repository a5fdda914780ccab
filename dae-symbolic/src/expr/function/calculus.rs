//! Values, partial derivatives and switches.
//!
//! In: a function and its arguments. Out: its value in floating point, an expression for each of its partial
//! derivatives and, if it is piecewise, an expression whose sign decides its branch.

use super::Function;
use crate::expr::{Dag, Expr, Rational};

impl Function {
    /// The value, by the `f64` method of the same name; functions of one argument ignore `b` and `c`, those of two
    /// ignore `c`.
    pub fn value(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            Function::Sqrt => a.sqrt(),
            Function::Cbrt => a.cbrt(),
            Function::Exp => a.exp(),
            Function::Ln => a.ln(),
            Function::Log10 => a.log10(),
            Function::Log2 => a.log2(),
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Asin => a.asin(),
            Function::Acos => a.acos(),
            Function::Atan => a.atan(),
            Function::Atan2 => a.atan2(b),
            Function::Sinh => a.sinh(),
            Function::Cosh => a.cosh(),
            Function::Tanh => a.tanh(),
            Function::Asinh => a.asinh(),
            Function::Acosh => a.acosh(),
            Function::Atanh => a.atanh(),
            Function::Abs => a.abs(),
            Function::Signum => a.signum(),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Floor => a.floor(),
            Function::Hypot => a.hypot(b),
            Function::ExpM1 => a.exp_m1(),
            Function::Ln1p => a.ln_1p(),
            Function::Powf => a.powf(b),
            Function::If if a > 0.0 => b,
            Function::If => c,
        }
    }

    /// The partial derivative of $f(a)$, $f(a, b)$ or $f(a, b, c)$ with respect to argument `k`, counted from zero.
    /// At a kink it is the derivative of the branch that the value takes.
    pub fn partial(self, dag: &mut Dag, arguments: &[Expr], k: usize) -> Expr {
        let a = arguments[0];
        let b = *arguments.last().unwrap_or(&a);
        let one = dag.integer(1);
        match self {
            Function::Sqrt => {
                let f = dag.apply(self, arguments);
                dag.quotient(Rational::from(1), 2, f, 1)
            }
            Function::Cbrt => {
                let f = dag.apply(self, arguments);
                dag.quotient(Rational::from(1), 3, f, 2)
            }
            Function::Exp => dag.apply(self, arguments),
            Function::Ln => dag.powi(a, -1),
            Function::Log10 => per_log(dag, a, 10),
            Function::Log2 => per_log(dag, a, 2),
            Function::Sin => dag.apply(Function::Cos, arguments),
            Function::Cos => {
                let sine = dag.apply(Function::Sin, arguments);
                dag.neg(sine)
            }
            Function::Tan => {
                let f = dag.apply(self, arguments);
                let square = dag.powi(f, 2);
                dag.add(one, square)
            }
            Function::Asin => inverse_root(dag, 1, -1, a),
            Function::Acos => {
                let derivative = inverse_root(dag, 1, -1, a);
                dag.neg(derivative)
            }
            Function::Atan => {
                let square = dag.powi(a, 2);
                let denominator = dag.add(one, square);
                dag.powi(denominator, -1)
            }
            Function::Atan2 => {
                // atan2(a, b): a is the ordinate.
                let (a2, b2) = (dag.powi(a, 2), dag.powi(b, 2));
                let denominator = dag.add(a2, b2);
                let numerator = if k == 0 { b } else { dag.neg(a) };
                dag.div(numerator, denominator)
            }
            Function::Sinh => dag.apply(Function::Cosh, arguments),
            Function::Cosh => dag.apply(Function::Sinh, arguments),
            Function::Tanh => {
                let f = dag.apply(self, arguments);
                let square = dag.powi(f, 2);
                dag.sub(one, square)
            }
            Function::Asinh => inverse_root(dag, 1, 1, a),
            Function::Acosh => inverse_root(dag, -1, 1, a),
            Function::Atanh => {
                let square = dag.powi(a, 2);
                let denominator = dag.sub(one, square);
                dag.powi(denominator, -1)
            }
            Function::Abs => dag.apply(Function::Signum, arguments),
            Function::Signum | Function::Floor => dag.integer(0),
            Function::Min => selector(dag, a, b, if k == 0 { -1 } else { 1 }),
            Function::Max => selector(dag, a, b, if k == 0 { 1 } else { -1 }),
            Function::Hypot => {
                let f = dag.apply(self, arguments);
                dag.div(arguments[k], f)
            }
            Function::ExpM1 => dag.apply(Function::Exp, arguments),
            Function::Ln1p => {
                let denominator = dag.add(one, a);
                dag.powi(denominator, -1)
            }
            Function::Powf if k == 0 => {
                let exponent = dag.sub(b, one);
                let power = dag.apply(self, &[a, exponent]);
                dag.mul(b, power)
            }
            Function::Powf => {
                let f = dag.apply(self, arguments);
                let logarithm = dag.apply(Function::Ln, &[a]);
                dag.mul(f, logarithm)
            }
            Function::If => {
                let (zero, switch) = (dag.integer(0), a);
                match k {
                    0 => zero,
                    1 => dag.apply(Function::If, &[switch, one, zero]),
                    _ => dag.apply(Function::If, &[switch, zero, one]),
                }
            }
        }
    }

    /// The expression whose sign decides the branch of a piecewise function; `None` for other functions.
    pub(in crate::expr) fn switch(self, dag: &mut Dag, arguments: &[Expr]) -> Option<Expr> {
        match *arguments {
            [a, b] if self.is_piecewise() => Some(dag.sub(a, b)),
            [a, ..] if self.is_piecewise() => Some(a),
            _ => None,
        }
    }
}

/// $1 / (a \ln n)$.
fn per_log(dag: &mut Dag, a: Expr, base: i64) -> Expr {
    let base = dag.integer(base);
    let logarithm = dag.apply(Function::Ln, &[base]);
    dag.product([(a, -1), (logarithm, -1)])
}

/// $1 / \sqrt{c + s a^2}$.
fn inverse_root(dag: &mut Dag, c: i64, s: i64, a: Expr) -> Expr {
    let (c, square) = (dag.integer(c), dag.powi(a, 2));
    let radicand = dag.sum([(Rational::ONE, c), (Rational::from(s), square)]);
    let root = dag.apply(Function::Sqrt, &[radicand]);
    dag.powi(root, -1)
}

/// $\tfrac12 (1 + s \operatorname{sgn}(a - b))$: one where the branch is taken, zero elsewhere.
fn selector(dag: &mut Dag, a: Expr, b: Expr, sign: i64) -> Expr {
    let difference = dag.sub(a, b);
    let (one, sgn) = (dag.integer(1), dag.apply(Function::Signum, &[difference]));
    let half = |n| Rational::new(n, 2).unwrap_or(Rational::ONE);
    dag.sum([(half(1), one), (half(sign), sgn)])
}
