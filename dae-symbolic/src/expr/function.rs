//! The operator table: everything the kernel knows about a function, in one place.
//!
//! In: a function and its arguments. Out: value, partial derivatives, domain and spellings. Sums, products and
//! integer powers are node kinds of their own (`dag.rs`); every other operation is a row here. To add one, add it to
//! [`Function`] and follow the compiler: no match below has a catch-all arm.

use super::{Dag, Expr, Rational};

/// A function of one, two or three real arguments. The Rust spelling of each is the `f64` method of that name, that of
/// [`Function::If`] the expression `if s > 0.0 { a } else { b }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // each but the last is the `f64` method of the same name
pub enum Function {
    Sqrt,
    Cbrt,
    Exp,
    Ln,
    Log10,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Abs,
    Signum,
    Min,
    Max,
    Hypot,
    ExpM1,
    Ln1p,
    Powf,
    /// $a$ where the switch $s$ is positive, $b$ elsewhere; its arguments are $(s, a, b)$.
    If,
}

/// Where a function is defined and differentiable, as a condition on its arguments $a$ (and $b$).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Everywhere.
    Reals,
    /// Everywhere, with a kink or jump at $a = 0$ (for two arguments, at $a = b$; for three, where the first one vanishes).
    Kink,
    /// $a \ne 0$ (for two arguments, not both zero).
    NonZero,
    /// $a > 0$.
    Positive,
    /// $a > 1$.
    AboveOne,
    /// $-1 < a < 1$.
    OpenUnitInterval,
    /// $a > -1$.
    AboveMinusOne,
    /// $\cos a \ne 0$.
    CosineNonZero,
}

impl Function {
    /// All functions, in the order of the table.
    pub const ALL: [Function; 28] = {
        use Function::*;
        [
            Sqrt, Cbrt, Exp, Ln, Log10, Log2, Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Asinh, Acosh,
            Atanh, Abs, Signum, Min, Max, Hypot, ExpM1, Ln1p, Powf, If,
        ]
    };

    /// The function of the given name.
    pub fn from_name(name: &str) -> Option<Function> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Name, in the language and as an `f64` method (`if` is a keyword in both).
    pub fn name(self) -> &'static str {
        match self {
            Function::Sqrt => "sqrt",
            Function::Cbrt => "cbrt",
            Function::Exp => "exp",
            Function::Ln => "ln",
            Function::Log10 => "log10",
            Function::Log2 => "log2",
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Asin => "asin",
            Function::Acos => "acos",
            Function::Atan => "atan",
            Function::Atan2 => "atan2",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Tanh => "tanh",
            Function::Asinh => "asinh",
            Function::Acosh => "acosh",
            Function::Atanh => "atanh",
            Function::Abs => "abs",
            Function::Signum => "signum",
            Function::Min => "min",
            Function::Max => "max",
            Function::Hypot => "hypot",
            Function::ExpM1 => "exp_m1",
            Function::Ln1p => "ln_1p",
            Function::Powf => "powf",
            Function::If => "if",
        }
    }

    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Function::If => 3,
            Function::Atan2 | Function::Min | Function::Max | Function::Hypot | Function::Powf => 2,
            Function::Sqrt
            | Function::Cbrt
            | Function::Exp
            | Function::Ln
            | Function::Log10
            | Function::Log2
            | Function::Sin
            | Function::Cos
            | Function::Tan
            | Function::Asin
            | Function::Acos
            | Function::Atan
            | Function::Sinh
            | Function::Cosh
            | Function::Tanh
            | Function::Asinh
            | Function::Acosh
            | Function::Atanh
            | Function::Abs
            | Function::Signum
            | Function::ExpM1
            | Function::Ln1p => 1,
        }
    }

    /// The value, by the `f64` method of the same name; functions of one argument do not read `b`, those of two not `c`.
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
            Function::Hypot => a.hypot(b),
            Function::ExpM1 => a.exp_m1(),
            Function::Ln1p => a.ln_1p(),
            Function::Powf => a.powf(b),
            Function::If if a > 0.0 => b,
            Function::If => c,
        }
    }

    /// The partial derivative by argument `k` of $f(a)$, $f(a, b)$ or $f(a, b, c)$, one per argument.
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
            Function::Signum => dag.integer(0),
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

    /// Where the function is differentiable.
    pub fn domain(self) -> Domain {
        match self {
            Function::Exp
            | Function::Sin
            | Function::Cos
            | Function::Atan
            | Function::Sinh
            | Function::Cosh
            | Function::Tanh
            | Function::Asinh
            | Function::ExpM1 => Domain::Reals,
            Function::Abs | Function::Signum | Function::Min | Function::Max | Function::If => Domain::Kink,
            Function::Cbrt | Function::Atan2 | Function::Hypot => Domain::NonZero,
            Function::Sqrt | Function::Ln | Function::Log10 | Function::Log2 | Function::Powf => Domain::Positive,
            Function::Acosh => Domain::AboveOne,
            Function::Asin | Function::Acos | Function::Atanh => Domain::OpenUnitInterval,
            Function::Ln1p => Domain::AboveMinusOne,
            Function::Tan => Domain::CosineNonZero,
        }
    }

    /// The function applied to arguments that are LaTeX already.
    pub fn latex(self, a: &str, b: &str, c: &str) -> String {
        let named = |command: &str| format!("\\{command}\\left({a}\\right)");
        let operator = |name: &str| format!("\\operatorname{{{name}}}\\left({a}\\right)");
        match self {
            Function::Sqrt => format!("\\sqrt{{{a}}}"),
            Function::Cbrt => format!("\\sqrt[3]{{{a}}}"),
            Function::Exp => format!("e^{{{a}}}"),
            Function::Ln => named("ln"),
            Function::Log10 => format!("\\log_{{10}}\\left({a}\\right)"),
            Function::Log2 => format!("\\log_2\\left({a}\\right)"),
            Function::Sin => named("sin"),
            Function::Cos => named("cos"),
            Function::Tan => named("tan"),
            Function::Asin => named("arcsin"),
            Function::Acos => named("arccos"),
            Function::Atan => named("arctan"),
            Function::Atan2 => format!("\\operatorname{{atan2}}\\left({a}, {b}\\right)"),
            Function::Sinh => named("sinh"),
            Function::Cosh => named("cosh"),
            Function::Tanh => named("tanh"),
            Function::Asinh => operator("arsinh"),
            Function::Acosh => operator("arcosh"),
            Function::Atanh => operator("artanh"),
            Function::Abs => format!("\\left|{a}\\right|"),
            Function::Signum => operator("sgn"),
            Function::Min => format!("\\min\\left({a}, {b}\\right)"),
            Function::Max => format!("\\max\\left({a}, {b}\\right)"),
            Function::Hypot => format!("\\sqrt{{\\left({a}\\right)^2 + \\left({b}\\right)^2}}"),
            Function::ExpM1 => format!("\\left(e^{{{a}}} - 1\\right)"),
            Function::Ln1p => format!("\\ln\\left(1 + {a}\\right)"),
            Function::Powf => format!("\\left({a}\\right)^{{{b}}}"),
            Function::If => {
                format!("\\begin{{cases}} {b} & \\text{{if }} {a} > 0 \\\\ {c} & \\text{{otherwise}} \\end{{cases}}")
            }
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
