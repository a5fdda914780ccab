//! The operator table: everything the kernel knows about a function, in one place.
//!
//! In: a function and its arguments. Out: value, partial derivatives, domain and spellings. Sums, products and
//! integer powers are node kinds of their own (`dag.rs`); every other operation is a row of this table, with its value,
//! its partial derivatives and its switch in `calculus.rs` and its spelling in `latex.rs`. To add one, add it to
//! [`Function`] and follow the compiler: no match below has a catch-all arm.

mod calculus;
mod latex;

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

/// The change of $f(a)$ when the sign of $a$ changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// $f(-a) = -f(a)$.
    Odd,
    /// $f(-a) = f(a)$.
    Even,
    /// Neither of them, or more than one argument.
    Neither,
}

/// How a function is written in two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// By its name and its arguments in parentheses.
    Name,
    /// Under a root sign.
    Root,
    /// $e^a$.
    PowerOfE,
    /// $|a|$.
    Bars,
    /// One line for each branch.
    Cases,
}

/// A row of the table.
struct Row {
    name: &'static str,
    arity: usize,
    domain: Domain,
    parity: Parity,
    notation: Notation,
}

impl Row {
    const fn new(name: &'static str, arity: usize, domain: Domain, parity: Parity, notation: Notation) -> Row {
        Row { name, arity, domain, parity, notation }
    }
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

    /// The properties of the function other than its value and its derivatives.
    const fn row(self) -> Row {
        use Domain::*;
        use Notation::*;
        use Parity::*;
        match self {
            Function::Sqrt => Row::new("sqrt", 1, Positive, Neither, Root),
            Function::Cbrt => Row::new("cbrt", 1, NonZero, Odd, Root),
            Function::Exp => Row::new("exp", 1, Reals, Neither, PowerOfE),
            Function::Ln => Row::new("ln", 1, Positive, Neither, Name),
            Function::Log10 => Row::new("log10", 1, Positive, Neither, Name),
            Function::Log2 => Row::new("log2", 1, Positive, Neither, Name),
            Function::Sin => Row::new("sin", 1, Reals, Odd, Name),
            Function::Cos => Row::new("cos", 1, Reals, Even, Name),
            Function::Tan => Row::new("tan", 1, CosineNonZero, Odd, Name),
            Function::Asin => Row::new("asin", 1, OpenUnitInterval, Odd, Name),
            Function::Acos => Row::new("acos", 1, OpenUnitInterval, Neither, Name),
            Function::Atan => Row::new("atan", 1, Reals, Odd, Name),
            Function::Atan2 => Row::new("atan2", 2, NonZero, Neither, Name),
            Function::Sinh => Row::new("sinh", 1, Reals, Odd, Name),
            Function::Cosh => Row::new("cosh", 1, Reals, Even, Name),
            Function::Tanh => Row::new("tanh", 1, Reals, Odd, Name),
            Function::Asinh => Row::new("asinh", 1, Reals, Odd, Name),
            Function::Acosh => Row::new("acosh", 1, AboveOne, Neither, Name),
            Function::Atanh => Row::new("atanh", 1, OpenUnitInterval, Odd, Name),
            Function::Abs => Row::new("abs", 1, Kink, Even, Bars),
            Function::Signum => Row::new("signum", 1, Kink, Odd, Name),
            Function::Min => Row::new("min", 2, Kink, Neither, Name),
            Function::Max => Row::new("max", 2, Kink, Neither, Name),
            Function::Hypot => Row::new("hypot", 2, NonZero, Neither, Name),
            Function::ExpM1 => Row::new("exp_m1", 1, Reals, Neither, Name),
            Function::Ln1p => Row::new("ln_1p", 1, AboveMinusOne, Neither, Name),
            Function::Powf => Row::new("powf", 2, Positive, Neither, Name),
            Function::If => Row::new("if", 3, Kink, Neither, Cases),
        }
    }

    /// Name, in the language and as an `f64` method (`if` is a keyword in both).
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Number of arguments.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// Where the function is differentiable.
    pub fn domain(self) -> Domain {
        self.row().domain
    }

    /// The change of the function when the sign of its argument changes.
    pub fn parity(self) -> Parity {
        self.row().parity
    }

    /// How it is written in two dimensions.
    pub(super) fn notation(self) -> Notation {
        self.row().notation
    }

    /// Whether it changes its branch somewhere.
    pub fn is_piecewise(self) -> bool {
        self.domain() == Domain::Kink
    }
}
