//! Residues of expressions, and the strength of a conclusion from them.
//!
//! In: nothing. Out: the types of a [`FieldEvaluation`], and their wording.

use std::fmt;

use crate::expr::{Expr, Function, Symbol};

/// Residues of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEvaluation {
    /// The residues of the roots.
    pub values: Vec<u64>,
    /// Whether evaluation is proved to be a homomorphism.
    pub independence: Independence,
    /// The branches of absolute values, signs, minima, maxima and conditionals on which evaluation is a homomorphism.
    pub branches: Vec<Branch>,
    /// The modulus, $2^{61} - 1$.
    pub prime: u64,
    /// The seed.
    pub seed: u64,
    /// The residues of the symbols that occur, ascending.
    pub point: Vec<(Symbol, u64)>,
}

/// Whether all relations among the generators are known to hold among their residues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Independence {
    /// Yes: a nonzero residue proves that an expression is not identically zero on the branch.
    Proven,
    /// A nonzero residue proves it only under these assumptions of independence.
    Assumed {
        /// The assumptions, ascending and distinct.
        because: Vec<Reason>,
    },
}

/// Why independence is not proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Values of the function are taken to be unrelated to everything else.
    Opaque(Function),
    /// Values of tables, inputs of the caller and functions outside the model are taken to be unrelated to everything
    /// else.
    External,
    /// $\pi$ and $e$ occur together.
    PiAndE,
    /// The argument of an exponential or trigonometric function has a constant term that is not rational (multiples of
    /// $\pi$ in trigonometric functions aside).
    ConstantArgument,
    /// The argument of a trigonometric function has a multiple of $\pi$ as a term that is not a multiple of $\pi/4$.
    Angle,
    /// The arguments of exponential or trigonometric functions may be linearly dependent.
    Arguments,
    /// The radicands of roots may be multiplicatively dependent.
    Radicands,
    /// Roots of roots occur.
    NestedRoots,
    /// No root was found modulo the prime, and the root counts as opaque.
    NoRoot(Function),
}

/// The branch of a piecewise function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The absolute value, sign, minimum, maximum or conditional.
    pub expr: Expr,
    /// The sign of its argument; for two arguments, of $a - b$; for a conditional, of its switch.
    pub sign: Sign,
}

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Less than zero.
    Negative,
    /// Greater than zero.
    Positive,
}

/// Why there are no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// At every point tried some expression divides by zero; at the last one, this does.
    DivisionByZero(Expr),
}

impl FieldEvaluation {
    /// Whether a nonzero residue is a proof.
    pub fn is_proof(&self) -> bool {
        self.independence == Independence::Proven
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Opaque(function) => {
                write!(f, "values of `{}` are assumed to satisfy no algebraic relation", function.name())
            }
            Reason::External => {
                write!(
                    f,
                    "values of tables, of the caller's inputs and of functions outside the model satisfy no algebraic relation"
                )
            }
            Reason::PiAndE => write!(f, "π and e are assumed to be algebraically independent"),
            Reason::ConstantArgument => {
                write!(f, "exponential or trigonometric functions of constants are assumed to be independent")
            }
            Reason::Angle => write!(f, "sines and cosines of fractions of π are assumed to be independent"),
            Reason::Arguments => write!(
                f,
                "arguments of exponential or trigonometric functions are assumed to be linearly independent over the rationals"
            ),
            Reason::Radicands => write!(f, "radicands of roots are assumed to be multiplicatively independent"),
            Reason::NestedRoots => write!(f, "roots of roots are assumed to be independent"),
            Reason::NoRoot(function) => {
                write!(f, "a value of `{}` that has no residue is assumed to be independent", function.name())
            }
        }
    }
}

impl fmt::Display for Independence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Independence::Proven => write!(f, "proven"),
            Independence::Assumed { because } => {
                let reasons: Vec<String> = because.iter().map(Reason::to_string).collect();
                write!(f, "assuming independence: {}", reasons.join("; "))
            }
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::DivisionByZero(_) => write!(f, "an expression divides by zero at every point tried"),
        }
    }
}

impl std::error::Error for FieldError {}
