//! The functions of the operator table on balls.
//!
//! In: a function and balls for its arguments. Out: a ball that contains all its values, without bounds where none are
//! found, as where the function is undefined or its derivative unbounded. Exponential, sine and cosine are series
//! (`series.rs`), square and cube roots are those of integers; the others follow from these, logarithm and arc tangent
//! by an iteration of third order for the inverse function, whose residual is a ball, so that the error needs no
//! analysis. The functions named here are evaluated at the midpoint of the argument; its radius times a bound on the
//! derivative is added to the error.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::super::Function;
use super::series::{self, ERROR_BITS};
use super::{Ball, Magnitude};

/// Beyond $2^{1200}$ the stored digits of $\pi$ do not determine the angle: sine and cosine may be anything in
/// $[-1, 1]$.
const MAX_ANGLE_BITS: i64 = 1200;
/// Numbers whose last digit is beyond $2^{1200}$ are not written out as integers.
const MAX_INTEGER_BITS: i64 = 1200;
/// Exponentials of arguments beyond $2^{60}$ are out of the range of exponents and have no bounds.
const MAX_EXPONENT_BITS: i64 = 60;

impl Ball {
    /// A ball that contains $f(a, b, c)$ for all numbers of the three balls; functions of one argument ignore `b` and
    /// `c`, those of two ignore `c`.
    pub fn apply(function: Function, a: &Ball, b: &Ball, c: &Ball) -> Ball {
        let one = Ball::integer(1);
        match function {
            Function::If => match a.sign() {
                Some(1) => b.clone(),
                Some(_) => c.clone(),
                None => b.hull(c),
            },
            _ if !a.is_bounded() => Ball::entire(),
            Function::Sqrt => a.sqrt(),
            Function::Cbrt => a.cbrt(),
            Function::Exp => a.exp(),
            Function::ExpM1 => a.exp_m1(),
            Function::Ln => a.ln(),
            Function::Log10 => a.ln().over(&Ball::integer(10).with_precision(a.precision).ln()),
            Function::Log2 => a.ln().over(&Ball::ln_2(a.precision)),
            Function::Ln1p => a.ln_1p(),
            Function::Sin => a.sin_cos().0,
            Function::Cos => a.sin_cos().1,
            Function::Tan => {
                let (sine, cosine) = a.sin_cos();
                sine.over(&cosine)
            }
            Function::Asin => a.over(&one.minus(a).times(&one.plus(a)).sqrt()).atan(),
            Function::Acos => Ball::atan2(&one.minus(a).times(&one.plus(a)).sqrt(), a),
            Function::Atan => a.atan(),
            Function::Atan2 => Ball::atan2(a, b),
            Function::Sinh => a.exp_m1().minus(&a.negative().exp_m1()).times_power_of_two(-1),
            Function::Cosh => {
                let sum = a.exp_m1().plus(&a.negative().exp_m1());
                sum.times_power_of_two(-1).plus(&one)
            }
            Function::Tanh => a.tanh(),
            Function::Asinh => a.asinh(),
            Function::Acosh => a.plus(&a.times(a).minus(&one).sqrt()).ln(),
            Function::Atanh => a.times_power_of_two(1).over(&one.minus(a)).ln_1p().times_power_of_two(-1),
            Function::Abs => a.absolute(),
            // The sign of zero is one, as in evaluation.
            Function::Signum => match a.sign() {
                Some(sign) => Ball::integer(if sign < 0 { -1 } else { 1 }),
                None => Ball::zero().widened(Magnitude::ONE),
            },
            Function::Floor => a.floor(),
            Function::Min => match a.minus(b).sign() {
                Some(-1 | 0) => a.clone(),
                Some(_) => b.clone(),
                None => a.hull(b),
            },
            Function::Max => match a.minus(b).sign() {
                Some(-1) => b.clone(),
                Some(_) => a.clone(),
                None => a.hull(b),
            },
            Function::Hypot => a.times(a).plus(&b.times(b)).sqrt(),
            Function::Powf => b.times(&a.ln()).exp(),
        }
    }

    /// The largest integer that is not larger, where it is the same for all numbers of the ball; $a - \frac12 \pm \frac12$
    /// contains it elsewhere.
    fn floor(&self) -> Ball {
        if self.exponent <= MAX_INTEGER_BITS {
            let whole = Ball::scaled_integer(self.fixed(0), 0, Magnitude::ZERO, self.precision);
            let fraction = self.minus(&whole);
            let is_below_one = Ball::integer(1).minus(&fraction).sign() == Some(1);
            if is_below_one && matches!(fraction.sign(), Some(0 | 1)) {
                return whole;
            }
        }
        let half = Magnitude::power_of_two(-1);
        self.minus(&Ball::integer(1).times_power_of_two(-1)).widened(half)
    }

    /// $\pi$ to `precision` binary digits.
    pub fn pi(precision: u64) -> Ball {
        Ball::fixed_point(series::pi(precision + 64), precision + 64, precision)
    }

    /// $e$ to `precision` binary digits.
    pub fn euler(precision: u64) -> Ball {
        Ball::integer(1).with_precision(precision).exp()
    }

    fn ln_2(precision: u64) -> Ball {
        Ball::fixed_point(series::ln_2(precision + 64), precision + 64, precision)
    }

    /// An integer times $2^{-b}$; the integer is off by less than two.
    fn fixed_point(value: BigInt, bits: u64, precision: u64) -> Ball {
        Ball::scaled_integer(value, -(bits as i64), Magnitude::power_of_two(1 - bits as i64), precision)
    }

    /// The working precisions of the steps of an iteration of third order that starts from a machine number, up to the
    /// full precision.
    fn tripled(&self) -> impl Iterator<Item = u64> {
        let all = self.precision;
        std::iter::successors(Some(150_u64), move |&digits| (digits < all).then_some(3 * digits))
            .map(move |digits| (digits + 40).min(all))
    }

    /// Below two to this power a few terms of the series of a function give its value to the full precision.
    fn tiny_bits(&self) -> i64 {
        -(self.precision as i64) / 4
    }

    /// The midpoint times $2^b$, rounded down.
    fn fixed(&self, bits: u64) -> BigInt {
        let shift = self.exponent.saturating_add(bits as i64);
        if shift >= 0 { &self.mantissa << shift as u64 } else { &self.mantissa >> shift.unsigned_abs() }
    }

    /// The square root; without bounds for a ball that contains zero, except zero itself.
    fn sqrt(&self) -> Ball {
        let Some(radius) = self.radius() else { return Ball::entire() };
        if self.is_zero() {
            return Ball::zero();
        }
        let Some(least) = self.lower().filter(|_| !self.mantissa.is_negative()) else { return Ball::entire() };
        // √m to the full precision, with an even exponent.
        let wanted = (2 * self.precision as i64 + 4 - self.mantissa.bits() as i64).max(0);
        let shift = wanted + (self.exponent - wanted).rem_euclid(2);
        let root = (&self.mantissa << shift as u64).sqrt();
        let exact = &root * &root == &self.mantissa << shift as u64;
        let exponent = (self.exponent - shift) / 2;
        let cut = if exact { Magnitude::ZERO } else { Magnitude::power_of_two(exponent) };
        // |√x - √y| ≤ |x - y| / √min(x, y), the root bounded from below by means of the exponent.
        let bound = match radius.is_zero() {
            true => Magnitude::ZERO,
            false => radius.over(Magnitude::power_of_two((least.bits() - 2).div_euclid(2))),
        };
        Ball::scaled_integer(root, exponent, cut.plus(bound), self.precision)
    }

    fn cbrt(&self) -> Ball {
        let Some(radius) = self.radius() else { return Ball::entire() };
        if self.is_zero() {
            return Ball::zero();
        }
        let Some(least) = self.lower() else { return Ball::entire() };
        let wanted = (3 * self.precision as i64 + 6 - self.mantissa.bits() as i64).max(0);
        let shift = wanted + (self.exponent - wanted).rem_euclid(3);
        let root = (&self.mantissa << shift as u64).cbrt();
        let exact = &root * &root * &root == &self.mantissa << shift as u64;
        let exponent = (self.exponent - shift) / 3;
        let cut = if exact { Magnitude::ZERO } else { Magnitude::power_of_two(exponent) };
        // The derivative is below least^(-2/3).
        let bound = match radius.is_zero() {
            true => Magnitude::ZERO,
            false => radius.over(Magnitude::power_of_two((2 * (least.bits() - 2)).div_euclid(3))),
        };
        Ball::scaled_integer(root, exponent, cut.plus(bound), self.precision)
    }

    /// $e^a$ to full relative precision, however small it is.
    fn exp(&self) -> Ball {
        let one = Ball::integer(1);
        let Some((factor, exponent)) = self.exponential() else { return Ball::entire() };
        factor.plus(&one).times_power_of_two(exponent)
    }

    /// $e^a - 1$.
    fn exp_m1(&self) -> Ball {
        let one = Ball::integer(1);
        match self.exponential() {
            None => Ball::entire(),
            Some((value, 0)) => value,
            Some((factor, exponent)) => factor.plus(&one).times_power_of_two(exponent).minus(&one),
        }
    }

    /// $2^{-k} e^a - 1$, and $k$; `None` if the argument has no bound, is too large, or has a radius above one.
    fn exponential(&self) -> Option<(Ball, i64)> {
        let (radius, upper) = (self.radius()?, self.upper()?);
        if self.is_zero() {
            return Some((Ball::zero(), 0));
        }
        if upper.bits() > MAX_EXPONENT_BITS || Magnitude::ONE.is_below(radius) {
            return None;
        }
        if upper.bits() < self.tiny_bits() {
            // x + x²/2 + x³/6 + x⁴/24, and the rest is below x⁵.
            let mut sum = Ball::integer(1);
            for k in [4, 3, 2] {
                sum = sum.times(self).over(&Ball::integer(k)).plus(&Ball::integer(1));
            }
            let fifth = upper.times(upper).times(upper).times(upper).times(upper);
            return Some((self.times(&sum).widened(fifth), 0));
        }
        // x = k ln 2 + r.
        let mid = self.midpoint();
        let fixed = self.precision + series::GUARD;
        let bits = fixed + 64;
        let ln_2 = series::ln_2(bits + 64);
        let x = mid.fixed(bits + 64);
        let k: BigInt = (&x + (&ln_2 >> 1_u64)) / &ln_2;
        let exponent = k.to_i64()?;
        let rest = (x - k * ln_2) >> 128_u64;
        let power = series::exponential_minus_one(&rest, fixed);
        let error = Magnitude::power_of_two(ERROR_BITS - fixed as i64);
        let value = Ball::scaled_integer(power, -(fixed as i64), error, self.precision);
        if radius.is_zero() {
            return Some((value, exponent));
        }
        // |e^x - e^m| ≤ e^m (e^r - 1) ≤ 2 r e^m for r ≤ 1.
        let size = value.plus(&Ball::integer(1)).upper()?;
        Some((value.widened(size.times(radius).shifted(1)), exponent))
    }

    /// $\ln a$.
    fn ln(&self) -> Ball {
        let (Some(radius), Some(least)) = (self.radius(), self.lower()) else { return Ball::entire() };
        if self.mantissa.is_negative() {
            return Ball::entire();
        }
        // a = m 2^e with m between 0.7 and 1.4.
        let mut exponent = self.size().bits() - 1;
        if self.midpoint().times_power_of_two(-exponent).to_f64() > std::f64::consts::SQRT_2 {
            exponent += 1;
        }
        let m = self.midpoint().times_power_of_two(-exponent);
        let one = Ball::integer(1);
        let near_one = m.minus(&one);
        let logarithm = if near_one.is_zero() { Ball::zero() } else { near_one.newton_ln() };
        let value = logarithm.plus(&Ball::ln_2(self.precision).times(&Ball::integer(exponent)));
        if radius.is_zero() { value } else { value.widened(radius.over(least)) }
    }

    /// $\ln (1 + x)$ for an exact $x$ between $-\frac13$ and $\frac12$.
    fn newton_ln(&self) -> Ball {
        let upper = self.upper().unwrap_or(Magnitude::ONE);
        if upper.bits() < self.tiny_bits() {
            let mut sum = Ball::zero();
            for k in [4, 3, 2, 1] {
                let term = Ball::integer(1).over(&Ball::integer(k));
                sum = term.minus(&sum.times(self));
            }
            let fifth = upper.times(upper).times(upper).times(upper).times(upper);
            return self.times(&sum).widened(fifth);
        }
        let start = if upper.bits() < -1000 { self.clone() } else { Ball::of_f64(self.to_f64().ln_1p()) };
        let mut y = start;
        for precision in self.tripled() {
            // Halley's method: y + 2 (1 + x - e^y) / (1 + x + e^y), in terms of x and e^y - 1.
            let x = self.clone().with_precision(precision);
            let power = y.with_precision(precision).midpoint();
            y = power.clone();
            let power = power.exp_m1();
            let sum = x.plus(&power).plus(&Ball::integer(2));
            let step = x.minus(&power).times_power_of_two(1).over(&sum);
            y = y.plus(&step).midpoint();
        }
        let y = Ball { precision: self.precision, ..y };
        // ln(1 + x) - y = ln1p((x - (e^y - 1)) e^-y), which is at most twice as large as its argument.
        let power = y.exp_m1();
        let rest = self.minus(&power).over(&power.plus(&Ball::integer(1)));
        match rest.upper() {
            Some(rest) => y.widened(rest.shifted(1)),
            None => Ball::entire(),
        }
    }

    fn ln_1p(&self) -> Ball {
        let Some(radius) = self.radius() else { return Ball::entire() };
        let one = Ball::integer(1);
        let small = self.upper().is_some_and(|upper| upper.bits() < -2);
        if !small {
            return self.plus(&one).ln();
        }
        let value = self.midpoint();
        let value = if value.is_zero() { value } else { value.newton_ln() };
        // The derivative is below 2.
        value.widened(radius.shifted(1))
    }

    /// Sine and cosine.
    fn sin_cos(&self) -> (Ball, Ball) {
        let (Some(radius), Some(upper)) = (self.radius(), self.upper()) else {
            return (Ball::entire(), Ball::entire());
        };
        let one = Ball::integer(1);
        if self.is_zero() {
            return (Ball::zero(), one);
        }
        if upper.bits() > MAX_ANGLE_BITS || Magnitude::ONE.is_below(radius) {
            let any = Ball::zero().widened(Magnitude::ONE);
            return (any.clone(), any);
        }
        if upper.bits() < self.tiny_bits() {
            let square = self.times(self);
            let sixth = square.over(&Ball::integer(6));
            let fifth = upper.times(upper).times(upper).times(upper).times(upper);
            let sine = self.minus(&self.times(&sixth)).widened(fifth);
            let cosine =
                one.minus(&square.times_power_of_two(-1)).widened(upper.times(upper).times(upper).times(upper));
            return (sine, cosine);
        }
        // x = k π/2 + r, computed with as many extra digits as x has before the point.
        let extra = self.size().bits().max(0) as u64 + 8;
        let fixed = self.precision + series::GUARD;
        let bits = (fixed + extra).min(series::CONSTANT_BITS);
        let quarter = series::pi(bits) >> 1_u64;
        let x = self.midpoint().fixed(bits);
        let shifted: BigInt = &x + (&quarter >> 1_u64);
        let k = num_integer::Integer::div_floor(&shifted, &quarter);
        let rest: BigInt = (x - &k * &quarter) >> (bits - fixed);
        let (sine, cosine) = series::sine_cosine(&rest, fixed);
        let error = Magnitude::power_of_two(ERROR_BITS - fixed as i64);
        let ball = |value| Ball::scaled_integer(value, -(fixed as i64), error.plus(radius), self.precision);
        let (sine, cosine) = (ball(sine), ball(cosine).plus(&one));
        let quadrant: BigInt = num_integer::Integer::mod_floor(&k, &BigInt::from(4));
        match quadrant.to_i64() {
            Some(0) => (sine, cosine),
            Some(1) => (cosine, sine.negative()),
            Some(2) => (sine.negative(), cosine.negative()),
            _ => (cosine.negative(), sine),
        }
    }

    fn atan(&self) -> Ball {
        let Some(radius) = self.radius() else { return Ball::entire() };
        if self.is_zero() {
            return Ball::zero();
        }
        let one = Ball::integer(1);
        let mid = self.midpoint();
        let value = if mid.is_zero() {
            Ball::zero()
        } else if mid.size().bits() > 2 {
            let half = Ball::pi(self.precision).times_power_of_two(-1);
            let side = if mid.mantissa.is_negative() { half.negative() } else { half };
            let reciprocal = one.over(&mid);
            let error = reciprocal.radius().unwrap_or(Magnitude::ONE);
            side.minus(&reciprocal.midpoint().newton_atan().widened(error))
        } else {
            mid.newton_atan()
        };
        // The derivative is at most one.
        value.widened(radius)
    }

    /// $\arctan x$ for an exact $x$, $|x| \le 4$.
    fn newton_atan(&self) -> Ball {
        let upper = self.upper().unwrap_or(Magnitude::ONE);
        if upper.bits() < self.tiny_bits() {
            let third = self.times(self).over(&Ball::integer(3));
            let fifth = upper.times(upper).times(upper).times(upper).times(upper);
            return self.minus(&self.times(&third)).widened(fifth);
        }
        let start = if upper.bits() < -1000 { self.clone() } else { Ball::of_f64(self.to_f64().atan()) };
        // tan(arctan x - y) = (x cos y - sin y) / (cos y + x sin y); an angle differs from its tangent by a term of
        // third order.
        let rest = |x: &Ball, y: &Ball| {
            let (sine, cosine) = y.sin_cos();
            x.times(&cosine).minus(&sine).over(&cosine.plus(&x.times(&sine)))
        };
        let mut y = start;
        for precision in self.tripled() {
            y = y.with_precision(precision).midpoint();
            let step = rest(&self.clone().with_precision(precision).midpoint(), &y);
            y = y.plus(&step).midpoint();
        }
        let y = Ball { precision: self.precision, ..y };
        match rest(self, &y).upper() {
            // An angle is at most its tangent.
            Some(rest) => y.widened(rest),
            None => Ball::entire(),
        }
    }

    /// The angle of the point $(x, y)$; without bounds if the point may be the origin, or lie on either side of the
    /// negative half axis.
    fn atan2(y: &Ball, x: &Ball) -> Ball {
        if !x.is_bounded() || !y.is_bounded() {
            return Ball::entire();
        }
        let precision = x.precision.min(y.precision);
        let half = Ball::pi(precision).times_power_of_two(-1);
        match (y.sign(), x.sign()) {
            (_, Some(1)) => y.over(x).atan(),
            (Some(1), _) => half.minus(&x.over(y).atan()),
            (Some(-1), _) => half.negative().minus(&x.over(y).atan()),
            (Some(0), Some(-1)) => Ball::pi(precision),
            _ => Ball::entire(),
        }
    }

    fn tanh(&self) -> Ball {
        if self.mantissa.is_negative() {
            return self.negative().tanh().negative();
        }
        // -(e^-2x - 1) / (e^-2x + 1).
        let power = self.times_power_of_two(1).negative().exp_m1();
        power.negative().over(&power.plus(&Ball::integer(2)))
    }

    fn asinh(&self) -> Ball {
        if self.mantissa.is_negative() {
            return self.negative().asinh().negative();
        }
        let one = Ball::integer(1);
        let square = self.times(self);
        let root = square.plus(&one).sqrt();
        self.plus(&square.over(&root.plus(&one))).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PRECISION;
    use super::*;
    use crate::expr::Rational;

    fn at(function: Function, x: &Ball) -> Ball {
        Ball::apply(function, x, x, x)
    }

    fn decimal(text: &str) -> Ball {
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        Ball::rational(&Rational::from_decimal(text).unwrap(), PRECISION).times(&Ball::integer(sign))
    }

    fn is_zero(x: &Ball) -> bool {
        x.contains_zero() && x.upper().is_some_and(|upper| upper.bits() < -1100)
    }

    #[test]
    fn values_are_those_of_tables() {
        // mpmath 1.3, 52 digits.
        let table = [
            (Function::Exp, "0.7", "2.013752707470476521624549388583065270017542394145867"),
            (Function::Sin, "0.7", "0.6442176872376910536726143513987201830658138445736896"),
            (Function::Cos, "40", "-0.666938061652261844384092781933699987859254787854866"),
            (Function::Ln, "0.7", "-0.3566749439387323789126387112411844779640167590469118"),
            (Function::Atan, "7", "1.428899272190732696418470074537198359090802940959089"),
            (Function::Atan, "0.7", "0.6107259643892086165437588764902360938185030661288276"),
            (Function::Tanh, "-0.7", "-0.6043677771171634963086871831038264750155666474168609"),
            (Function::Cbrt, "0.7", "0.8879040017426007084292689552528771406823360214385811"),
            (Function::Asinh, "1e-3", "0.0009999998333334083332886905065723982627788967620022563"),
            (Function::Ln1p, "1e-20", "9.999999999999999999950000000000000000000333333333333e-21"),
        ];
        for (function, x, expected) in table {
            let value = at(function, &decimal(x));
            let off = value.minus(&decimal(expected));
            assert!(off.upper().unwrap().bits() < -155, "{function:?} {x}: {}", off.to_f64());
            assert!(value.radius().unwrap().bits() < -1150, "{function:?} {x}: {:?}", value.radius());
        }
    }

    #[test]
    fn inverse_functions_are_inverse() {
        let pairs = [
            (Function::Exp, Function::Ln),
            (Function::Sin, Function::Asin),
            (Function::Cos, Function::Acos),
            (Function::Tan, Function::Atan),
            (Function::Sinh, Function::Asinh),
            (Function::Cosh, Function::Acosh),
            (Function::Tanh, Function::Atanh),
            (Function::ExpM1, Function::Ln1p),
        ];
        for (function, inverse) in pairs {
            for x in ["0.1", "0.2", "0.7", "1.3", "1e-5"] {
                let x = decimal(x);
                let back = at(inverse, &at(function, &x));
                assert!(is_zero(&back.minus(&x)), "{function:?} at {}: {}", x.to_f64(), back.minus(&x).to_f64());
            }
        }
    }

    #[test]
    fn identities_hold_to_hundreds_of_digits() {
        let one = Ball::integer(1);
        for x in ["0.1", "1", "2.5", "40", "-7", "1e-12", "123456789"] {
            let x = decimal(x);
            let (sine, cosine) = x.sin_cos();
            assert!(is_zero(&sine.times(&sine).plus(&cosine.times(&cosine)).minus(&one)), "{}", x.to_f64());
            let (twice, _) = x.times_power_of_two(1).sin_cos();
            assert!(is_zero(&sine.times(&cosine).times_power_of_two(1).minus(&twice)), "{}", x.to_f64());
        }
        // 4 arctan(1/5) - arctan(1/239) = π/4.
        let fifth = one.over(&Ball::integer(5)).atan().times(&Ball::integer(4));
        let machin =
            fifth.minus(&one.over(&Ball::integer(239)).atan()).minus(&Ball::pi(PRECISION).times_power_of_two(-2));
        assert!(is_zero(&machin));
        // √(3 + 2√2) = 1 + √2, and not only close to it.
        let root = Ball::integer(2).sqrt();
        let nested = root.times(&Ball::integer(2)).plus(&Ball::integer(3));
        assert!(is_zero(&nested.sqrt().minus(&root).minus(&one)));
        let beside = nested.plus(&decimal("1e-300")).sqrt().minus(&root).minus(&one);
        assert!(!beside.contains_zero());
        assert!(is_zero(&Ball::euler(PRECISION).ln().minus(&one)));
    }

    #[test]
    fn radii_cover_the_values_between() {
        let wide = decimal("0.7").widened(Magnitude::of(0.01));
        for function in
            [Function::Exp, Function::Sin, Function::Ln, Function::Atan, Function::Sqrt, Function::Cbrt, Function::Ln1p]
        {
            let enclosure = at(function, &wide);
            for end in ["0.69", "0.71", "0.7"] {
                let off = at(function, &decimal(end)).minus(&enclosure.midpoint());
                let (off, radius) = (off.upper().unwrap(), enclosure.radius().unwrap());
                assert!(off.is_below(radius), "{function:?} {end}");
                assert!(radius.to_f64() < 0.05, "{function:?}: {radius:?}");
            }
        }
    }

    #[test]
    fn beyond_the_domain_nothing_is_known() {
        let zero = Ball::zero();
        for (function, x) in
            [(Function::Ln, "-1"), (Function::Sqrt, "-1"), (Function::Acosh, "0.5"), (Function::Asin, "1.5")]
        {
            assert!(!at(function, &decimal(x)).is_bounded(), "{function:?}");
        }
        assert!(!at(Function::Ln, &zero).is_bounded() && at(Function::Sqrt, &zero).is_zero());
    }

    #[test]
    fn small_exponentials_have_all_their_digits() {
        for text in ["-1500", "-1e12"] {
            let x = decimal(text);
            let power = Ball::apply(Function::Exp, &x, &x, &x);
            assert!(!power.contains_zero(), "{text}");
            let back = Ball::apply(Function::Ln, &power, &x, &x);
            let off = back.minus(&x).over(&x).upper().unwrap();
            assert!(off.bits() < -1270, "{text}: {}", off.bits());
        }
    }
}
