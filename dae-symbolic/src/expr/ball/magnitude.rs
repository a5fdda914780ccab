//! Upper bounds on absolute values, of any size.
//!
//! In: bounds. Out: bounds on their sums, products and quotients, rounded up. Errors of numbers with hundreds of digits
//! lie outside the range of `f64`, so that the exponent is kept apart.

/// The factor by which the result of each operation is enlarged: far above its few rounding errors.
const SLACK: f64 = 1.0 + 1e-12;

/// $m \cdot 2^e$ with $1 \le m < 2$, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnitude {
    mantissa: f64,
    exponent: i64,
}

impl Magnitude {
    /// Zero.
    pub const ZERO: Magnitude = Magnitude { mantissa: 0.0, exponent: 0 };
    /// One.
    pub const ONE: Magnitude = Magnitude { mantissa: 1.0, exponent: 0 };

    /// $2^e$.
    pub fn power_of_two(exponent: i64) -> Magnitude {
        Magnitude { mantissa: 1.0, exponent }
    }

    /// The absolute value of a finite number.
    pub fn of(x: f64) -> Magnitude {
        Magnitude { mantissa: x.abs(), exponent: 0 }.normalised()
    }

    fn normalised(self) -> Magnitude {
        if self.mantissa == 0.0 {
            return Magnitude::ZERO;
        }
        // Subnormal numbers have no exponent of their own.
        let (mantissa, shift) =
            if self.mantissa < f64::MIN_POSITIVE { (self.mantissa * 2f64.powi(60), 60) } else { (self.mantissa, 0) };
        let exponent = ((mantissa.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        let mantissa = f64::from_bits((mantissa.to_bits() & !(0x7ff << 52)) | (1023 << 52));
        Magnitude { mantissa, exponent: self.exponent.saturating_add(exponent - shift) }
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// The least integer above its binary logarithm; far below all others for zero.
    pub fn bits(self) -> i64 {
        if self.is_zero() { i64::MIN / 4 } else { self.exponent + 1 }
    }

    /// $a + b$.
    pub fn plus(self, other: Magnitude) -> Magnitude {
        let (large, small) = if self.is_below(other) { (other, self) } else { (self, other) };
        if small.is_zero() {
            return large;
        }
        // The smaller one counts as no less than about 2^-1000 of the larger.
        let shift = small.exponent.saturating_sub(large.exponent).max(-1000);
        let power = f64::from_bits(((1023 + shift) as u64) << 52);
        let mantissa = (large.mantissa + small.mantissa * power) * SLACK;
        Magnitude { mantissa, exponent: large.exponent }.normalised()
    }

    /// $a b$.
    pub fn times(self, other: Magnitude) -> Magnitude {
        let exponent = self.exponent.saturating_add(other.exponent);
        Magnitude { mantissa: self.mantissa * other.mantissa * SLACK, exponent }.normalised()
    }

    /// $a / b$ for a lower bound $b > 0$ of the divisor.
    pub fn over(self, other: Magnitude) -> Magnitude {
        let exponent = self.exponent.saturating_sub(other.exponent);
        Magnitude { mantissa: self.mantissa / other.mantissa * SLACK, exponent }.normalised()
    }

    /// $a \cdot 2^k$.
    pub fn shifted(self, k: i64) -> Magnitude {
        if self.is_zero() { self } else { Magnitude { exponent: self.exponent.saturating_add(k), ..self } }
    }

    /// Whether it is less than the other.
    pub fn is_below(self, other: Magnitude) -> bool {
        match (self.is_zero(), other.is_zero()) {
            (_, true) => false,
            (true, false) => true,
            (false, false) => (self.exponent, self.mantissa) < (other.exponent, other.mantissa),
        }
    }

    /// The nearest `f64`, infinite or zero beyond the range.
    pub fn to_f64(self) -> f64 {
        match self.exponent {
            _ if self.is_zero() => 0.0,
            e if e > 1023 => f64::INFINITY,
            e if e < -1074 => 0.0,
            e => self.mantissa * 2f64.powi((e / 2) as i32) * 2f64.powi((e - e / 2) as i32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_above() {
        let tiny = Magnitude::power_of_two(-5000);
        assert!(tiny.is_below(Magnitude::of(1e-300)) && !tiny.is_zero() && tiny.to_f64() == 0.0);
        assert_eq!(Magnitude::of(0.75).plus(Magnitude::of(0.75)).to_f64(), 1.5 * SLACK);
        let third = Magnitude::ONE.over(Magnitude::of(3.0));
        assert!(third.to_f64() > 1.0 / 3.0 && third.to_f64() < 1.0 / 3.0 + 1e-11);
        assert_eq!(tiny.times(tiny).shifted(10_000), Magnitude::of(SLACK));
        assert_eq!(Magnitude::of(5e-324).bits(), -1073);
    }
}
