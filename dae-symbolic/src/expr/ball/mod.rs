//! Midpoint–radius arithmetic with hundreds of digits.
//!
//! In: numbers and the precision of the computation. Out: balls that contain the exact results: a midpoint and a bound
//! on its error (F. Johansson, *Arb: efficient arbitrary-precision midpoint-radius interval arithmetic*, IEEE Trans.
//! Computers 66, 2017). A ball that excludes zero proves that its number is not zero. If a ball contains zero and its
//! radius is hundreds of digits below the terms it was summed from, its number is zero as far as numerics can tell.
//!
//! Exact zeros have radius zero. An operation that is undefined somewhere on its operands gives a ball without bounds,
//! and so does every arithmetic operation on such a ball.

mod evaluate;
mod functions;
mod magnitude;
mod series;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::Rational;
use super::interval::Interval;

pub use evaluate::{Calls, evaluate_balls};
pub use magnitude::Magnitude;

/// The largest number of binary digits of a midpoint: about 385 decimal ones.
pub const PRECISION: u64 = 1280;
/// The largest size of an exponent: a number beyond it has no bound, one below its negative becomes zero with a radius.
/// Sums of a few such exponents are far from overflow.
const LARGEST_EXPONENT: i64 = 1 << 58;

/// All real numbers within a radius of $m \cdot 2^e$; without a radius, any number, or none where the value is
/// undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    mantissa: BigInt,
    exponent: i64,
    radius: Option<Magnitude>,
    /// Binary digits of results computed from it, at most [`PRECISION`].
    precision: u64,
}

impl Ball {
    /// A ball without bounds.
    pub fn entire() -> Ball {
        Ball { mantissa: BigInt::zero(), exponent: 0, radius: None, precision: PRECISION }
    }

    /// Exactly zero.
    pub fn zero() -> Ball {
        Ball::integer(0)
    }

    /// An integer.
    pub fn integer(n: i64) -> Ball {
        Ball { mantissa: BigInt::from(n), exponent: 0, radius: Some(Magnitude::ZERO), precision: PRECISION }
    }

    /// The ball about $m \cdot 2^e$, rounded to `precision` binary digits.
    fn scaled_integer(mantissa: BigInt, exponent: i64, radius: Magnitude, precision: u64) -> Ball {
        Ball { mantissa, exponent, radius: Some(radius), precision }.rounded()
    }

    /// The number rounded to `precision` binary digits (at most [`PRECISION`]), which is also the precision of results
    /// computed from it.
    pub fn with_precision(self, precision: u64) -> Ball {
        Ball { precision: precision.min(PRECISION), ..self }.rounded()
    }

    /// The number of binary digits of results computed from it.
    pub fn precision(&self) -> u64 {
        self.precision
    }

    /// A floating-point number, exactly; without bounds if it is not finite.
    pub fn of_f64(x: f64) -> Ball {
        if !x.is_finite() {
            return Ball::entire();
        }
        let bits = x.to_bits();
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (mantissa, exponent) = match ((bits >> 52) & 0x7ff) as i64 {
            0 => (fraction, -1074),
            biased => (fraction | (1 << 52), biased - 1075),
        };
        let mantissa = BigInt::from(if x < 0.0 { -mantissa } else { mantissa });
        Ball { mantissa, exponent, radius: Some(Magnitude::ZERO), precision: PRECISION }
    }

    /// A rational number to `precision` binary digits.
    pub fn rational(q: &Rational, precision: u64) -> Ball {
        match q.to_integer() {
            Some(n) => Ball::integer(n).with_precision(precision),
            None => {
                let whole = |n: BigInt| Ball::scaled_integer(n, 0, Magnitude::ZERO, precision);
                whole(q.numerator()).over(&whole(q.denominator()))
            }
        }
    }

    /// A ball that contains an interval; without bounds if the interval lacks one.
    pub fn of_interval(interval: Interval) -> Ball {
        let (lo, hi) = (interval.lo(), interval.hi());
        if !lo.is_finite() || !hi.is_finite() {
            return Ball::entire();
        }
        let (lo, hi) = (Ball::of_f64(lo), Ball::of_f64(hi));
        lo.hull(&hi)
    }

    /// A ball that contains both; up to rounding the least one if their radii are equal.
    pub fn hull(&self, other: &Ball) -> Ball {
        let (Some(a), Some(b)) = (self.radius, other.radius) else { return Ball::entire() };
        if self == other {
            return self.clone();
        }
        let middle = self.midpoint().plus(&other.midpoint()).times_power_of_two(-1);
        let half = self.midpoint().minus(&other.midpoint()).times_power_of_two(-1);
        let larger = if a.is_below(b) { b } else { a };
        middle.widened(half.upper().unwrap_or(Magnitude::ZERO).plus(larger))
    }

    /// The midpoint alone, exactly.
    pub fn midpoint(&self) -> Ball {
        Ball { radius: self.radius.map(|_| Magnitude::ZERO), ..self.clone() }
    }

    /// The ball with its radius enlarged by `by`.
    pub fn widened(mut self, by: Magnitude) -> Ball {
        self.radius = self.radius.map(|radius| radius.plus(by));
        self
    }

    /// The radius; `None` if there is no bound.
    pub fn radius(&self) -> Option<Magnitude> {
        self.radius
    }

    /// Whether there is a bound.
    pub fn is_bounded(&self) -> bool {
        self.radius.is_some()
    }

    /// Whether it is zero exactly.
    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero() && self.radius.is_some_and(Magnitude::is_zero)
    }

    /// Whether zero may be its value.
    pub fn contains_zero(&self) -> bool {
        match self.radius {
            None => true,
            Some(radius) => !radius.is_below(self.size_below()),
        }
    }

    /// The common sign of all its numbers, `Some(0)` for exact zero; `None` if it may contain zero among others.
    pub fn sign(&self) -> Option<i32> {
        match self.contains_zero() {
            true => self.is_zero().then_some(0),
            false => Some(if self.mantissa.is_negative() { -1 } else { 1 }),
        }
    }

    /// A lower bound on the size of the midpoint.
    fn size_below(&self) -> Magnitude {
        if self.mantissa.is_zero() {
            return Magnitude::ZERO;
        }
        let (leading, exponent) = leading_bits(&self.mantissa);
        Magnitude::of(leading).shifted(exponent + self.exponent)
    }

    /// An upper bound on the size of the midpoint.
    fn size(&self) -> Magnitude {
        if self.mantissa.is_zero() {
            return Magnitude::ZERO;
        }
        let (leading, exponent) = leading_bits(&self.mantissa);
        Magnitude::of(leading.next_up()).shifted(exponent + self.exponent)
    }

    /// An upper bound on the absolute values of all its numbers; `None` if there is none.
    pub fn upper(&self) -> Option<Magnitude> {
        Some(self.size().plus(self.radius?))
    }

    /// A positive lower bound on the absolute values of all its numbers; `None` if it may contain zero.
    pub fn lower(&self) -> Option<Magnitude> {
        if self.contains_zero() {
            return None;
        }
        let radius = self.radius?;
        let half = self.size_below().shifted(-1);
        if radius.is_below(half) {
            return Some(half);
        }
        // Where the radius is close to the size, the difference of the exact numbers.
        let rest = self.midpoint().absolute().minus(&Ball::magnitude(radius));
        (!rest.contains_zero()).then(|| rest.size_below())
    }

    fn magnitude(magnitude: Magnitude) -> Ball {
        let exponent = magnitude.bits() - 1;
        match magnitude.is_zero() {
            true => Ball::zero(),
            false => Ball::of_f64(magnitude.shifted(-exponent).to_f64()).times_power_of_two(exponent),
        }
    }

    /// The midpoint as the nearest `f64` or one next to it; infinite or zero beyond the range, `NaN` for a ball without
    /// bounds.
    pub fn to_f64(&self) -> f64 {
        if self.radius.is_none() {
            return f64::NAN;
        }
        if self.mantissa.is_zero() {
            return 0.0;
        }
        let (leading, exponent) = leading_bits(&self.mantissa);
        let size = Magnitude::of(leading).shifted(exponent + self.exponent).to_f64();
        if self.mantissa.is_negative() { -size } else { size }
    }

    /// $a \cdot 2^k$.
    pub fn times_power_of_two(&self, k: i64) -> Ball {
        let radius = self.radius.map(|radius| radius.shifted(k));
        Ball { exponent: self.exponent.saturating_add(k), radius, ..self.clone() }.rounded()
    }

    /// The ball rounded to its precision, with no exponent beyond the largest; the rounding error is added to the
    /// radius.
    fn rounded(mut self) -> Ball {
        let extra = self.mantissa.bits().saturating_sub(self.precision);
        if extra > 0 {
            let exact = self.mantissa.trailing_zeros().is_some_and(|zeros| zeros >= extra);
            self.mantissa >>= extra;
            self.exponent = self.exponent.saturating_add(extra as i64);
            if !exact {
                self.radius = self.radius.map(|radius| radius.plus(Magnitude::power_of_two(self.exponent)));
            }
        }
        if self.exponent < -LARGEST_EXPONENT {
            let size = self.size();
            self = Ball { mantissa: BigInt::zero(), exponent: 0, ..self }.widened(size);
        }
        match self.radius {
            Some(radius) if self.exponent.max(radius.bits()) > LARGEST_EXPONENT => {
                Ball { precision: self.precision, ..Ball::entire() }
            }
            Some(radius) if !radius.is_zero() && radius.bits() < -LARGEST_EXPONENT => {
                Ball { radius: Some(Magnitude::power_of_two(-LARGEST_EXPONENT)), ..self }
            }
            _ => self,
        }
    }

    /// $a + b$.
    pub fn plus(&self, other: &Ball) -> Ball {
        let (Some(a), Some(b)) = (self.radius, other.radius) else { return Ball::entire() };
        let precision = self.precision.min(other.precision);
        if self.is_zero() {
            return other.clone().with_precision(precision);
        }
        if other.is_zero() {
            return self.clone().with_precision(precision);
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let distance = high.exponent - low.exponent;
        let radius = a.plus(b);
        // A term far below the last digit of the other only adds to the radius.
        let beyond = 2 * precision as i64;
        if high.mantissa.is_zero() {
            return Ball { radius: Some(radius), precision, ..low.clone() }.rounded();
        }
        if distance > beyond + low.mantissa.bits() as i64 {
            return Ball { radius: Some(radius.plus(low.size())), precision, ..high.clone() }.rounded();
        }
        let sum = (&high.mantissa << distance as u64) + &low.mantissa;
        Ball::scaled_integer(sum, low.exponent, radius, precision)
    }

    /// $-a$.
    pub fn negative(&self) -> Ball {
        Ball { mantissa: -&self.mantissa, ..self.clone() }
    }

    /// $a - b$.
    pub fn minus(&self, other: &Ball) -> Ball {
        self.plus(&other.negative())
    }

    /// $|a|$.
    pub fn absolute(&self) -> Ball {
        match self.sign() {
            Some(_) => Ball { mantissa: self.mantissa.abs(), ..self.clone() },
            None => match self.upper() {
                Some(upper) => {
                    let half = Ball::magnitude(upper.shifted(-1));
                    half.widened(upper.shifted(-1))
                }
                None => Ball::entire(),
            },
        }
    }

    /// $a b$.
    pub fn times(&self, other: &Ball) -> Ball {
        let (Some(a), Some(b)) = (self.radius, other.radius) else { return Ball::entire() };
        let precision = self.precision.min(other.precision);
        if self.is_zero() || other.is_zero() {
            return Ball::zero().with_precision(precision);
        }
        let radius = if a.is_zero() && b.is_zero() {
            Magnitude::ZERO
        } else {
            self.size().times(b).plus(other.size().times(a)).plus(a.times(b))
        };
        let exponent = self.exponent.saturating_add(other.exponent);
        Ball::scaled_integer(&self.mantissa * &other.mantissa, exponent, radius, precision)
    }

    /// $a / b$; without bounds if $b$ may be zero.
    pub fn over(&self, other: &Ball) -> Ball {
        let (Some(a), Some(b), Some(least)) = (self.radius, other.radius, other.lower()) else {
            return Ball::entire();
        };
        let precision = self.precision.min(other.precision);
        if self.is_zero() {
            return Ball::zero().with_precision(precision);
        }
        let wanted = precision as i64 + 2 + other.mantissa.bits() as i64 - self.mantissa.bits() as i64;
        let shift = wanted.max(0);
        let quotient = (&self.mantissa << shift as u64) / &other.mantissa;
        let exponent = self.exponent.saturating_sub(other.exponent).saturating_sub(shift);
        let exact = &quotient * &other.mantissa == &self.mantissa << shift as u64;
        let cut = if exact { Magnitude::ZERO } else { Magnitude::power_of_two(exponent) };
        let size =
            Ball { mantissa: quotient.clone(), exponent, radius: Some(Magnitude::ZERO), precision }.size().plus(cut);
        // |x/y - x'/y'| ≤ (|x - x'| + |x'/y'| |y - y'|) / |y|.
        let radius = match a.is_zero() && b.is_zero() {
            true => cut,
            false => a.plus(size.times(b)).over(least).plus(cut),
        };
        Ball::scaled_integer(quotient, exponent, radius, precision)
    }

    /// $a^n$.
    pub fn power(&self, n: i32) -> Ball {
        let (mut base, mut power, mut left) = (self.clone(), Ball::integer(1), n.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                power = power.times(&base);
            }
            left >>= 1;
            if left > 0 {
                base = base.times(&base);
            }
        }
        if n < 0 { Ball::integer(1).over(&power) } else { power }
    }
}

/// The leading 53 bits of the absolute value, and the exponent of the power of two by which they are to be multiplied;
/// the product is at most the absolute value.
fn leading_bits(mantissa: &BigInt) -> (f64, i64) {
    let extra = mantissa.bits().saturating_sub(53);
    let mut digits = mantissa.iter_u64_digits().rev();
    let [high, low] = [(); 2].map(|()| digits.next().unwrap_or(0));
    if extra == 0 {
        return (high as f64, 0);
    }
    let both = u128::from(high) << 64 | u128::from(low);
    (((both << both.leading_zeros()) >> (128 - 53)) as f64, extra as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(n: i64, d: i64) -> Ball {
        Ball::rational(&Rational::new(n, d).unwrap(), PRECISION)
    }

    fn is_tiny(ball: &Ball) -> bool {
        ball.contains_zero() && ball.upper().is_some_and(|upper| upper.bits() < -1250)
    }

    #[test]
    fn hundreds_of_digits_are_right() {
        let sum = rational(1, 3).plus(&rational(1, 7)).times(&rational(21, 10));
        assert!(is_tiny(&sum.minus(&Ball::integer(1))));
        assert!(is_tiny(&rational(1, 49).times(&Ball::integer(49)).minus(&Ball::integer(1))));
        // (1 + 10^-300) - 1 is not zero.
        let small = Ball::rational(&Rational::from_decimal("1e-300").unwrap(), PRECISION);
        let rest = Ball::integer(1).plus(&small).minus(&Ball::integer(1));
        assert!(!rest.contains_zero() && (rest.to_f64() / 1e-300 - 1.0).abs() < 1e-15, "{:e}", rest.to_f64());
    }

    #[test]
    fn exact_operations_stay_exact() {
        let a = Ball::of_f64(0.375).times(&Ball::of_f64(-2.0)).plus(&Ball::of_f64(0.75));
        assert!(a.is_zero());
        assert_eq!(Ball::integer(6).over(&Ball::integer(-3)).to_f64(), -2.0);
        assert!(Ball::integer(6).over(&Ball::integer(-3)).radius().unwrap().is_zero());
        assert!(!Ball::integer(1).over(&Ball::zero()).is_bounded());
        assert_eq!(Ball::of_f64(5e-324).to_f64(), 5e-324);
    }

    #[test]
    fn nothing_leaves_the_range_of_exponents() {
        let extreme = |x: f64| Ball::of_f64(x).power(i32::MAX).power(i32::MAX);
        let (small, large) = (extreme(0.5), extreme(2.0));
        assert!(small.is_bounded() && small.contains_zero() && !small.is_zero());
        assert!(!large.is_bounded());
        let mut nested = Ball::of_f64(1e-3);
        for _ in 0..200 {
            nested = nested.times(&nested);
            let sum = nested.plus(&Ball::integer(1)).minus(&nested);
            assert!(sum.is_bounded() && sum.minus(&Ball::integer(1)).contains_zero() && !sum.contains_zero());
        }
        assert!(nested.times_power_of_two(i64::MAX).plus(&nested).contains_zero());
    }

    #[test]
    fn what_is_uncertain_contains_zero() {
        let a = Ball::integer(1).widened(Magnitude::of(1e-3));
        assert!(a.minus(&Ball::integer(1)).contains_zero() && !a.contains_zero());
        assert!(a.lower().unwrap().to_f64() <= 0.999 && a.upper().unwrap().to_f64() >= 1.001);
        let wide = Ball::integer(1).widened(Magnitude::of(0.9));
        assert!(!wide.contains_zero() && wide.lower().unwrap().to_f64() > 0.09);
        assert!(Ball::integer(1).over(&wide).upper().unwrap().to_f64() >= 10.0);
        assert!(wide.minus(&Ball::integer(1)).absolute().upper().unwrap().to_f64() >= 0.9);
    }
}
