//! Numbers that carry one derivative along (forward mode), and the trait that makes a residual generic over them.
//!
//! In: elementary operations. Out: their values and exact first derivatives.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The numbers with which the test problems are evaluated: `f64` or [`Dual`].
pub trait Scalar:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// A number whose derivative is zero.
    fn constant(value: f64) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Exponential function.
    fn exp(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The number if it is positive, otherwise zero.
    fn positive_part(self) -> Self;
    /// Square.
    fn square(self) -> Self {
        self * self
    }
}

impl Scalar for f64 {
    fn constant(value: f64) -> Self {
        value
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn exp(self) -> Self {
        f64::exp(self)
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn positive_part(self) -> Self {
        self.max(0.0)
    }
}

/// A value and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// The derivative with respect to the seeded variable.
    pub derivative: f64,
}

impl Dual {
    fn chain(self, value: f64, slope: f64) -> Self {
        Dual { value, derivative: slope * self.derivative }
    }
}

impl Scalar for Dual {
    fn constant(value: f64) -> Self {
        Dual { value, derivative: 0.0 }
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    fn exp(self) -> Self {
        self.chain(self.value.exp(), self.value.exp())
    }
    fn sqrt(self) -> Self {
        self.chain(self.value.sqrt(), 0.5 / self.value.sqrt())
    }
    fn positive_part(self) -> Self {
        if self.value > 0.0 { self } else { Dual::constant(0.0) }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, derivative: self.derivative + other.derivative }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, derivative: self.derivative - other.derivative }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let derivative = self.derivative * other.value + self.value * other.derivative;
        Dual { value: self.value * other.value, derivative }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Dual { value, derivative: (self.derivative - value * other.derivative) / other.value }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { value: -self.value, derivative: -self.derivative }
    }
}

impl Add<f64> for Dual {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        Dual { value: self.value + other, ..self }
    }
}

impl Sub<f64> for Dual {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        Dual { value: self.value - other, ..self }
    }
}

impl Mul<f64> for Dual {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        Dual { value: self.value * other, derivative: self.derivative * other }
    }
}
