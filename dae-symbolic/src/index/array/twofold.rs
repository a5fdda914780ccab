//! Numbers of twice the precision.
//!
//! In: sums and products of machine numbers. Out: unevaluated sums $a + b$ of two of them with $|b| \le \varepsilon |a|$, about 32 decimal digits
//! (T. J. Dekker, *A floating-point technique for extending the available precision*, Numer. Math. 18, 1971).

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

use super::Scalar;
use crate::expr::Rational;

/// $a + b$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Twofold {
    pub(super) high: f64,
    low: f64,
}

/// $\pi$, $e$ and $\ln 2$ beyond the nearest machine number.
const PI: Twofold = Twofold { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };
const EULER: Twofold = Twofold { high: std::f64::consts::E, low: 1.445_646_891_729_250_2e-16 };
const LN_2: Twofold = Twofold { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

impl Twofold {
    pub(super) const PI: Twofold = PI;
    pub(super) const EULER: Twofold = EULER;
    pub(super) const LN_2: Twofold = LN_2;

    pub(super) fn of(x: f64) -> Twofold {
        Twofold { high: x, low: 0.0 }
    }

    /// Times a power of two.
    pub(super) fn scaled(self, factor: f64) -> Twofold {
        Twofold { high: self.high * factor, low: self.low * factor }
    }

    pub(super) fn minus(self, other: Twofold) -> Twofold {
        self.plus(other.negative())
    }

    pub(super) fn negative(self) -> Twofold {
        Twofold { high: -self.high, low: -self.low }
    }
}

/// The sum of two numbers and its rounding error (Knuth).
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let rest = sum - a;
    (sum, (a - (sum - rest)) + (b - rest))
}

/// The same where $|a| \ge |b|$.
fn normalised(a: f64, b: f64) -> Twofold {
    let high = a + b;
    Twofold { high, low: b - (high - a) }
}

/// The upper and the lower half of the digits.
fn halves(a: f64) -> (f64, f64) {
    const SPLIT: f64 = 134_217_729.0;
    let scaled = SPLIT * a;
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}

/// The product of two numbers and its rounding error.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Scalar for Twofold {
    const ZERO: Twofold = Twofold { high: 0.0, low: 0.0 };
    const MINUS_ONE: Twofold = Twofold { high: -1.0, low: 0.0 };

    fn plus(self, other: Twofold) -> Twofold {
        let (high, error) = exact_sum(self.high, other.high);
        let (low, rest) = exact_sum(self.low, other.low);
        let sum = normalised(high, error + low);
        normalised(sum.high, sum.low + rest)
    }

    fn times(self, other: Twofold) -> Twofold {
        let (high, error) = exact_product(self.high, other.high);
        normalised(high, error + (self.high * other.low + self.low * other.high))
    }

    fn over(self, other: Twofold) -> Twofold {
        let first = self.high / other.high;
        let rest = self.minus(other.times(Twofold::of(first)));
        let second = rest.high / other.high;
        let rest = rest.minus(other.times(Twofold::of(second)));
        normalised(first, second).plus(Twofold::of(rest.high / other.high))
    }

    fn integer(n: u64) -> Twofold {
        let high = n as f64;
        Twofold { high, low: (i128::from(n) - high as i128) as f64 }
    }

    fn rational(q: &Rational) -> Option<Twofold> {
        let whole = |n: BigInt| -> Option<Twofold> {
            let high = n.to_f64().filter(|x| x.is_finite())?;
            let rest = n - BigInt::from_f64(high)?;
            Some(normalised(high, rest.to_f64()?))
        };
        Some(whole(q.numerator())?.over(whole(q.denominator())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(n: i64, d: i64) -> Twofold {
        Rational::new(n, d).and_then(|q| Twofold::rational(&q)).unwrap()
    }

    #[test]
    fn thirty_digits_are_right() {
        // (1/3 + 1/7) · 21/10 = 1, 1/49 · 49 = 1, (10^17 + 1) - 10^17 = 1.
        let sum = rational(1, 3).plus(rational(1, 7)).times(rational(21, 10));
        let quotient = rational(1, 49).times(Twofold::of(49.0));
        let integers = rational(100_000_000_000_000_001, 1).minus(rational(100_000_000_000_000_000, 1));
        for one in [sum, quotient, integers, Twofold::integer(u64::MAX).over(Twofold::integer(u64::MAX))] {
            let off = one.minus(Twofold::of(1.0));
            assert!(off.high.abs() < 1e-30, "{one:?}");
        }
        // π - 355/113 = -2.667641890624223123689389e-7 (rounded at the 25th digit).
        let off = Twofold::PI.minus(rational(355, 113));
        assert!((off.high + 2.667_641_890_624_223e-7).abs() < 1e-21, "{off:?}");
        assert!((off.plus(Twofold::of(2.667_641_890_624_223e-7)).high + 1.23e-23).abs() < 2e-23, "{off:?}");
    }
}
