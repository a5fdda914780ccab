//! Inputs: functions of time that the caller supplies.
//!
//! In: a number, a closure, a spline, or any [`Signal`]. Out: an [`Input`], which a model stores and evaluates, with as
//! many derivatives as its index reduction needs. Their number is known when the model is compiled and appears in its
//! documentation; an input that supplies fewer is rejected before the integration starts ([`InputError`]).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::inputs::spline::Spline;

/// A function of time with some of its derivatives.
pub trait Signal {
    /// The derivative of the given order, 0 for the value itself; called for orders up to [`Signal::smoothness`].
    fn derivative(&self, t: f64, order: usize) -> f64;

    /// The highest order of derivative that the signal supplies.
    fn smoothness(&self) -> usize;
}

/// A signal that a model can store. Clones share it.
#[derive(Clone)]
pub struct Input(Arc<dyn Signal + Send + Sync>);

impl Input {
    /// Any signal.
    pub fn new(signal: impl Signal + Send + Sync + 'static) -> Input {
        Input(Arc::new(signal))
    }

    /// A constant; all its derivatives are zero.
    pub fn constant(value: f64) -> Input {
        Input::with_derivatives(usize::MAX, move |_, order| if order == 0 { value } else { 0.0 })
    }

    /// A function without derivatives. Where it has kinks or jumps, tell the integration
    /// ([`Integration::stops`](crate::solve::Integration::stops)).
    pub fn function(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Input {
        Input::with_derivatives(0, move |t, _| f(t))
    }

    /// A function with derivatives up to the order `smoothness`: `f(t, k)` is the derivative of order `k`.
    pub fn with_derivatives(smoothness: usize, f: impl Fn(f64, usize) -> f64 + Send + Sync + 'static) -> Input {
        Input::new(Smooth { smoothness, f })
    }

    /// The highest order of derivative that the signal supplies.
    pub fn smoothness(&self) -> usize {
        self.0.smoothness()
    }

    /// The derivative of the given order. One order more than the signal supplies is formed by differences (only
    /// $\partial F/\partial t$ uses it, and needs no accuracy); beyond that the value is `NaN`.
    pub fn derivative(&self, t: f64, order: usize) -> f64 {
        let smoothness = self.smoothness();
        if order <= smoothness {
            return self.0.derivative(t, order);
        }
        if order > smoothness + 1 {
            return f64::NAN;
        }
        // The cube root of the unit roundoff balances truncation and rounding of a central difference.
        let h = f64::EPSILON.cbrt() * t.abs().max(1.0);
        (self.0.derivative(t + h, smoothness) - self.0.derivative(t - h, smoothness)) / (2.0 * h)
    }
}

struct Smooth<F> {
    smoothness: usize,
    f: F,
}

impl<F: Fn(f64, usize) -> f64> Signal for Smooth<F> {
    fn derivative(&self, t: f64, order: usize) -> f64 {
        (self.f)(t, order)
    }

    fn smoothness(&self) -> usize {
        self.smoothness
    }
}

impl Signal for Spline {
    fn derivative(&self, t: f64, order: usize) -> f64 {
        Spline::derivative(self, t, order)
    }

    fn smoothness(&self) -> usize {
        Spline::smoothness(self)
    }
}

impl From<f64> for Input {
    fn from(value: f64) -> Input {
        Input::constant(value)
    }
}

impl From<Spline> for Input {
    fn from(spline: Spline) -> Input {
        Input::new(spline)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("smoothness", &self.smoothness()).finish_non_exhaustive()
    }
}

/// Why a model cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// An input supplies fewer derivatives than the index reduction needs.
    MissingDerivatives {
        /// The input.
        input: Cow<'static, str>,
        /// The highest order it supplies.
        given: usize,
        /// The highest order that is needed.
        needed: usize,
        /// Reason: `equation 5 is differentiated twice`.
        because: Cow<'static, str>,
    },
    /// An input is not supplied.
    NotSupplied {
        /// The input.
        input: Cow<'static, str>,
    },
    /// The model has no such input.
    Unknown {
        /// The name that was given.
        input: Cow<'static, str>,
    },
    /// A function is Rust code, which an interpreter cannot call.
    NotInterpreted {
        /// The function.
        function: Cow<'static, str>,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::MissingDerivatives { input, given, needed, because } => write!(
                f,
                "the input `{input}` gives derivatives up to order {given}, and order {needed} is needed because {because}"
            ),
            InputError::NotSupplied { input } => write!(f, "the input `{input}` is not supplied"),
            InputError::Unknown { input } => write!(f, "the model has no input `{input}` that could be supplied"),
            InputError::NotInterpreted { function } => {
                write!(f, "`{function}` is a Rust function: only code that the macro generates can call it")
            }
        }
    }
}

impl std::error::Error for InputError {}

/// Requirement of a model on one of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Need<'a> {
    /// Name of the input.
    pub input: &'a str,
    /// The input supplied.
    pub given: &'a Input,
    /// The highest order of derivative that is needed.
    pub needed: usize,
    /// Reason, as in [`InputError::MissingDerivatives`].
    pub because: &'a str,
}

/// The first requirement that is not met, as an error; `None` if all are met.
pub fn unmet(needs: &[Need<'_>]) -> Option<InputError> {
    let need = needs.iter().find(|need| need.given.smoothness() < need.needed)?;
    Some(InputError::MissingDerivatives {
        input: need.input.to_string().into(),
        given: need.given.smoothness(),
        needed: need.needed,
        because: need.because.to_string().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_derivative_more_by_differences() {
        let sine = Input::with_derivatives(1, |t, order| if order == 0 { t.sin() } else { t.cos() });
        assert_eq!(sine.derivative(0.3, 1), 0.3f64.cos());
        assert!((sine.derivative(0.3, 2) + 0.3f64.sin()).abs() < 1e-9);
        assert!(sine.derivative(0.3, 3).is_nan());
        assert_eq!(Input::from(2.0).derivative(5.0, 0), 2.0);
        assert_eq!(Input::from(2.0).derivative(5.0, 7), 0.0);
    }

    #[test]
    fn what_is_missing_is_named() {
        let (given, smooth) = (Input::function(|t| t), Input::constant(1.0));
        let because = "equation 5 is differentiated twice";
        let need = |input, given| Need { input, given, needed: 2, because };
        assert_eq!(unmet(&[need("v", &smooth)]), None);
        let missing = unmet(&[need("v", &smooth), need("u", &given)]).unwrap();
        let text = "the input `u` gives derivatives up to order 0, and order 2 is needed because equation 5 is differentiated twice";
        assert_eq!(missing.to_string(), text);
    }
}
