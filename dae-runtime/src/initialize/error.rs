//! Why start values cannot be made consistent.

use std::fmt;

use crate::contract::Name;

/// A start value that the model fixes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedValue {
    /// Name of the jet, `x` or `der(x)`.
    pub jet: Name,
    /// The value.
    pub value: f64,
}

/// An equation that cannot hold.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mismatch {
    /// Name of the equation.
    pub equation: Name,
    /// Its residual when the others hold (to first order).
    pub residual: f64,
}

/// Why there is no consistent point, or none that can be found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum InitializationError {
    /// A parameter is infinite or not a number.
    NonFiniteParameter {
        /// The parameter.
        parameter: Name,
        /// Its value.
        value: f64,
    },
    /// A start value is infinite or not a number.
    NonFiniteStart {
        /// The jet.
        jet: Name,
        /// Its start value.
        value: f64,
    },
    /// An equation or its derivative has no finite value at the start values.
    NonFinite {
        /// The equation.
        equation: Name,
    },
    /// An equation or its derivative has no finite derivative with respect to an unknown at the start values, where
    /// that unknown has to be found.
    NonFiniteDerivative {
        /// The equation.
        equation: Name,
        /// The unknown, or the derivative of one.
        unknown: Name,
    },
    /// Fixed start values contradict the equations.
    Conflict {
        /// The fixed values that take part in the contradiction.
        fixed: Vec<FixedValue>,
        /// The equations that take part, each with its residual when the others hold.
        equations: Vec<Mismatch>,
    },
    /// No values near the guesses fulfil the equations, and no fixed value is to blame.
    NoSolution {
        /// The equations, each with its residual when the others hold.
        equations: Vec<Mismatch>,
    },
    /// The iteration did not converge.
    NoConvergence {
        /// The equation with the largest residual where it stopped.
        equation: Name,
        /// That residual.
        residual: f64,
        /// Number of steps made.
        iterations: usize,
    },
    /// The equations that have to be solved together are too many, and too widely coupled, for the linear algebra.
    TooLarge {
        /// One of the equations.
        equation: Name,
        /// Their number.
        equations: usize,
    },
    /// At the consistent point the equations do not determine the highest derivatives.
    SingularJacobian {
        /// The equations that depend on one another there.
        equations: Vec<Name>,
        /// The unknowns that are left undetermined.
        unknowns: Vec<Name>,
    },
    /// Fixed start values satisfy the equations only for one value of a quantity with respect to which derivatives are
    /// requested.
    NotDifferentiable {
        /// That quantity: a parameter or a start value.
        by: Name,
        /// The equation that no longer holds when it changes.
        equation: Name,
        /// Fixed values that occur in the equation.
        fixed: Vec<Name>,
    },
}

impl fmt::Display for InitializationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitializationError::NonFiniteParameter { parameter, value } => {
                write!(f, "the parameter `{parameter}` is {value}; give it a finite value")
            }
            InitializationError::NonFiniteStart { jet, value } => {
                write!(f, "the start value of `{jet}` is {value}; give it a finite one")
            }
            InitializationError::NonFinite { equation } => {
                write!(
                    f,
                    "{equation} is not finite at the start values; give its unknowns values at which it is defined"
                )
            }
            InitializationError::NonFiniteDerivative { equation, unknown } => {
                write!(
                    f,
                    "the derivative of {equation} by `{unknown}` is not finite at the start values; start where it is, or fix `{unknown}`"
                )
            }
            InitializationError::Conflict { fixed, equations } => {
                let values: Vec<String> =
                    fixed.iter().map(|fixed| format!("`{} = {}`", fixed.jet, fixed.value)).collect();
                let are = if values.len() == 1 { "is" } else { "are" };
                write!(f, "{} {are} fixed, but ", list(&values))?;
                contradiction(f, equations)?;
                f.write_str("; make one of the values a guess (`~`)")
            }
            InitializationError::NoSolution { equations } => {
                contradiction(f, equations)?;
                f.write_str(" for any values near the guesses; give other guesses")
            }
            InitializationError::NoConvergence { equation, residual, iterations } => write!(
                f,
                "no consistent start values found in {iterations} steps; {equation} is still off by {residual:.3e}; \
                 give better guesses"
            ),
            InitializationError::TooLarge { equation, equations } => write!(
                f,
                "{equation} is one of {equations} equations that have to be solved together; \
                 without the feature `sparse` that is too many for their pattern"
            ),
            InitializationError::SingularJacobian { equations, unknowns } => {
                let unknowns: Vec<String> = unknowns.iter().map(|name| format!("`{name}`")).collect();
                let do_not = if equations.len() == 1 { "does not" } else { "do not" };
                write!(
                    f,
                    "{} {do_not} determine {} at the start values: the system is singular there",
                    list(equations),
                    list(&unknowns)
                )
            }
            InitializationError::NotDifferentiable { by, equation, fixed } => {
                let fixed: Vec<String> = fixed.iter().map(|name| format!("`{name}`")).collect();
                write!(
                    f,
                    "{equation} holds for one value of `{by}` only, since the start {} fixed; make one a guess (`~`), or let it depend on `{by}`",
                    match fixed.len() {
                        0 => "values are".to_string(),
                        1 => format!("value of {} is", list(&fixed)),
                        _ => format!("values of {} are", list(&fixed)),
                    }
                )
            }
        }
    }
}

impl std::error::Error for InitializationError {}

/// "der(equation 5) cannot hold: it is 0.600000 instead of 0", or "equation 1 and der(equation 5) cannot all hold:
/// der(equation 5) is 0.600000 instead of 0 when the others do".
fn contradiction(f: &mut fmt::Formatter<'_>, equations: &[Mismatch]) -> fmt::Result {
    let names: Vec<&str> = equations.iter().map(|mismatch| mismatch.equation.as_ref()).collect();
    let Some(last) = equations.last() else { return f.write_str("the equations cannot hold") };
    match names.len() {
        1 => write!(f, "{} cannot hold: it is {:.6} instead of 0", names[0], last.residual),
        _ => write!(
            f,
            "{} cannot all hold: {} is {:.6} instead of 0 when the others do",
            list(&names),
            last.equation,
            last.residual
        ),
    }
}

/// `a`, `a and b`, `a, b and c`, limited to what fits into a sentence.
fn list<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 8;
    match names {
        [] => "nothing".to_string(),
        [one] => one.as_ref().to_string(),
        _ if names.len() > SHOWN => {
            let shown: Vec<&str> = names[..SHOWN].iter().map(AsRef::as_ref).collect();
            format!("{} and {} more", shown.join(", "), names.len() - SHOWN)
        }
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", head.join(", "), last.as_ref())
        }
    }
}
