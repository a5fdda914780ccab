//! The numbers in which Taylor coefficients are computed.
//!
//! In: nothing. Out: [`Scalar`], the operations that the recurrences, the linear algebra and the step-size control need,
//! for `f64` and for [`DoubleDouble`].

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::double_double::DoubleDouble;
use super::tape::Function;

/// A floating-point number.
pub trait Scalar:
    Copy
    + Debug
    + Display
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Send
    + Sync
    + 'static
{
    /// A bound on relative rounding errors of sums, products and quotients.
    const EPSILON: f64;

    /// The number that is nearest to this one.
    fn from_double_double(value: DoubleDouble) -> Self;

    /// The same number.
    fn from_f64(value: f64) -> Self;

    /// The nearest `f64`.
    fn to_f64(self) -> f64;

    /// The same number.
    fn to_double_double(self) -> DoubleDouble;

    /// The product with an `f64`.
    fn times(self, factor: f64) -> Self;

    /// $\sqrt a$.
    fn sqrt(self) -> Self;

    /// The value of a function.
    fn function(self, function: Function) -> Self;

    /// The angle of the point with the abscissa $x$ and this ordinate.
    fn atan2(self, x: Self) -> Self;

    /// $a^b$ for positive $a$.
    fn powf(self, b: Self) -> Self;

    /// 0.
    fn zero() -> Self {
        Self::from_f64(0.0)
    }

    /// Whether it is a number, and not infinite.
    fn is_finite(self) -> bool {
        self.to_f64().is_finite()
    }

    /// $|a|$.
    fn abs(self) -> Self {
        if self < Self::zero() { -self } else { self }
    }
}

/// Implements [`Scalar::function`] by the methods of the type.
macro_rules! functions {
    () => {
        fn function(self, function: Function) -> Self {
            match function {
                Function::Cbrt => self.cbrt(),
                Function::Exp => self.exp(),
                Function::ExpM1 => self.exp_m1(),
                Function::Ln => self.ln(),
                Function::Ln1p => self.ln_1p(),
                Function::Sin => self.sin_cos().0,
                Function::Cos => self.sin_cos().1,
                Function::Tan => {
                    let (sine, cosine) = self.sin_cos();
                    sine / cosine
                }
                Function::Asin => self.asin(),
                Function::Acos => self.acos(),
                Function::Atan => self.atan(),
                Function::Sinh => self.sinh(),
                Function::Cosh => self.cosh(),
                Function::Tanh => self.tanh(),
                Function::Asinh => self.asinh(),
                Function::Acosh => self.acosh(),
                Function::Atanh => self.atanh(),
            }
        }
    };
}

impl Scalar for f64 {
    const EPSILON: f64 = f64::EPSILON;

    fn from_double_double(value: DoubleDouble) -> f64 {
        value.high()
    }

    fn from_f64(value: f64) -> f64 {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn to_double_double(self) -> DoubleDouble {
        DoubleDouble::from(self)
    }

    fn times(self, factor: f64) -> f64 {
        self * factor
    }

    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    functions!();

    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }

    fn powf(self, b: f64) -> f64 {
        f64::powf(self, b)
    }
}

impl Scalar for DoubleDouble {
    const EPSILON: f64 = DoubleDouble::EPSILON;

    fn from_double_double(value: DoubleDouble) -> DoubleDouble {
        value
    }

    fn from_f64(value: f64) -> DoubleDouble {
        DoubleDouble::from(value)
    }

    fn to_f64(self) -> f64 {
        self.high()
    }

    fn to_double_double(self) -> DoubleDouble {
        self
    }

    fn times(self, factor: f64) -> DoubleDouble {
        DoubleDouble::times(self, factor)
    }

    fn sqrt(self) -> DoubleDouble {
        DoubleDouble::sqrt(self)
    }

    functions!();

    fn atan2(self, x: DoubleDouble) -> DoubleDouble {
        DoubleDouble::atan2(self, x)
    }

    fn powf(self, b: DoubleDouble) -> DoubleDouble {
        DoubleDouble::powf(self, b)
    }
}
