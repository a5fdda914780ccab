//! Number types of iteration matrices.
//!
//! In: real or complex numbers. Out: the operations on them that an elimination needs, under common names.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_complex::Complex;

use crate::contract::{Code, UnrolledLu};

/// A number type for iteration matrices: `f64` or `Complex<f64>`.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// $|\Re x| + |\Im x|$.
    fn norm_1(self) -> f64;

    /// Multiplies by a real number.
    fn scale(self, factor: f64) -> Self;

    /// Divides by a real number.
    fn unscale(self, divisor: f64) -> Self;

    /// $\Re(x \bar y)$, positive if the angle between the two numbers is less than a right angle.
    fn inner_product(self, other: Self) -> f64;

    /// $1 / x$.
    fn recip(self) -> Self {
        Self::ONE / self
    }

    /// The part of the generated code that is for numbers of this type.
    fn code(of: &UnrolledLu) -> Code<Self>;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn norm_1(self) -> f64 {
        self.abs()
    }

    fn scale(self, factor: f64) -> f64 {
        self * factor
    }

    fn unscale(self, divisor: f64) -> f64 {
        self / divisor
    }

    fn inner_product(self, other: f64) -> f64 {
        self * other
    }

    fn code(of: &UnrolledLu) -> Code<f64> {
        of.real
    }
}

impl Scalar for Complex<f64> {
    const ZERO: Complex<f64> = Complex::ZERO;
    const ONE: Complex<f64> = Complex::ONE;

    fn norm_1(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn scale(self, factor: f64) -> Self {
        Complex::scale(&self, factor)
    }

    fn unscale(self, divisor: f64) -> Self {
        Complex::unscale(&self, divisor)
    }

    fn inner_product(self, other: Self) -> f64 {
        self.re * other.re + self.im * other.im
    }

    fn recip(self) -> Self {
        self.inv()
    }

    fn code(of: &UnrolledLu) -> Code<Complex<f64>> {
        of.complex
    }
}
