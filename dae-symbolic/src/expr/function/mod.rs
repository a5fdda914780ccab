//! The operator table: everything the kernel knows about a function, in one place.
//!
//! In: a function and its arguments. Out: value, partial derivatives, domain and spellings. Sums, products and
//! integer powers are node kinds of their own (`dag.rs`); every other operation is a row of this table, with its value,
//! its partial derivatives and its switch in `calculus.rs` and its spelling in `latex.rs`. To add one, add a row to the
//! table below and follow the compiler: matches that concern every [`Function`] have no catch-all arm.

mod calculus;
mod latex;

/// Where a function is defined and differentiable, as a condition on its arguments $a$ (and $b$).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Everywhere.
    Reals,
    /// Everywhere, with a kink or jump at $a = 0$ (for two arguments, at $a = b$).
    Kink,
    /// Everywhere, with a jump at each integer.
    Steps,
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

/// How a function is written in two-dimensional notation.
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
    /// $\lfloor a \rfloor$.
    FloorBars,
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

/// Declares [`Function`] from its table. A row has the variant, name, number of arguments, domain, parity and notation.
macro_rules! functions {
    ($($(#[$attribute:meta])* $function:ident: $name:literal, $arity:literal, $domain:ident, $parity:ident, $notation:ident;)*) => {
        /// A function of one, two or three real arguments. In Rust each is spelled as the `f64` method of its name,
        /// except [`Function::If`], which is spelled `if s > 0.0 { a } else { b }`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)] // each but the last is the `f64` method of the same name
        pub enum Function {
            $($(#[$attribute])* $function,)*
        }

        impl Function {
            /// All functions, in the order of the table.
            pub const ALL: [Function; [$($name),*].len()] = [$(Function::$function),*];

            /// The properties of the function other than its value and its derivatives.
            const fn row(self) -> Row {
                let (name, arity, domain, parity, notation) = match self {
                    $(Function::$function => ($name, $arity, Domain::$domain, Parity::$parity, Notation::$notation),)*
                };
                Row { name, arity, domain, parity, notation }
            }
        }
    };
}

functions! {
    Sqrt: "sqrt", 1, Positive, Neither, Root;
    Cbrt: "cbrt", 1, NonZero, Odd, Root;
    Exp: "exp", 1, Reals, Neither, PowerOfE;
    Ln: "ln", 1, Positive, Neither, Name;
    Log10: "log10", 1, Positive, Neither, Name;
    Log2: "log2", 1, Positive, Neither, Name;
    Sin: "sin", 1, Reals, Odd, Name;
    Cos: "cos", 1, Reals, Even, Name;
    Tan: "tan", 1, CosineNonZero, Odd, Name;
    Asin: "asin", 1, OpenUnitInterval, Odd, Name;
    Acos: "acos", 1, OpenUnitInterval, Neither, Name;
    Atan: "atan", 1, Reals, Odd, Name;
    Atan2: "atan2", 2, NonZero, Neither, Name;
    Sinh: "sinh", 1, Reals, Odd, Name;
    Cosh: "cosh", 1, Reals, Even, Name;
    Tanh: "tanh", 1, Reals, Odd, Name;
    Asinh: "asinh", 1, Reals, Odd, Name;
    Acosh: "acosh", 1, AboveOne, Neither, Name;
    Atanh: "atanh", 1, OpenUnitInterval, Odd, Name;
    Abs: "abs", 1, Kink, Even, Bars;
    Signum: "signum", 1, Kink, Odd, Name;
    Min: "min", 2, Kink, Neither, Name;
    Max: "max", 2, Kink, Neither, Name;
    /// The largest integer that is not larger. In equations it stands for an unknown that changes at events (`lower`),
    /// so that its argument is constant in time or a value around an event.
    Floor: "floor", 1, Steps, Neither, FloorBars;
    Hypot: "hypot", 2, NonZero, Neither, Name;
    ExpM1: "exp_m1", 1, Reals, Neither, Name;
    Ln1p: "ln_1p", 1, AboveMinusOne, Neither, Name;
    Powf: "powf", 2, Positive, Neither, Name;
    /// $a$ where the switch $s$ is positive, $b$ elsewhere; its arguments are $(s, a, b)$.
    If: "if", 3, Kink, Neither, Cases;
}

impl Function {
    /// The function of the given name.
    pub fn from_name(name: &str) -> Option<Function> {
        Self::ALL.into_iter().find(|f| f.name() == name)
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

    /// How it is written in two-dimensional notation.
    pub(super) fn notation(self) -> Notation {
        self.row().notation
    }

    /// Whether it is defined by branches: absolute value, sign, minimum, maximum, conditional.
    pub fn is_piecewise(self) -> bool {
        self.domain() == Domain::Kink
    }
}
