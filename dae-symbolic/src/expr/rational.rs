//! Exact rational numbers.
//!
//! In: integers and decimal literals. Out: reduced fractions. Nearly all fit in two machine words, which matters as
//! macros run unoptimised; the others are made of big integers, which the caller does not notice.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A fraction of big integers. (The name that `num-rational` gives it is behind a feature; with the feature, a crate
/// that uses the macro would build `nalgebra` and all that depends on it twice, with the feature for the macro and
/// without it for itself.)
type BigRational = Ratio<BigInt>;

/// A reduced fraction with a positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// `Small` whenever numerator and denominator fit, so that equal numbers have equal representations.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<BigRational>),
}

/// Decimal exponents that exceed this by more than the number of digits are rejected by [`Rational::from_decimal`]:
/// `f64` ends at 308.
const MAX_DECIMAL_EXPONENT: i64 = 400;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(Repr::Small(0, 1));
    /// One.
    pub const ONE: Rational = Rational(Repr::Small(1, 1));
    /// Minus one.
    pub const MINUS_ONE: Rational = Rational(Repr::Small(-1, 1));

    /// `numerator / denominator`, or `None` if the denominator is zero.
    pub fn new(numerator: i64, denominator: i64) -> Option<Rational> {
        (denominator != 0).then(|| Self::reduced(i128::from(numerator), i128::from(denominator)))
    }

    /// The number a decimal literal denotes, exactly: `1e-6`, `9.81`, `6_000`, `2.`; `None` if the text is not one, or
    /// its exponent is far beyond the range of `f64`.
    pub fn from_decimal(text: &str) -> Option<Rational> {
        let text: String = text.chars().filter(|&c| c != '_').collect();
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
            None => (text.as_str(), 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        if exponent.abs() > MAX_DECIMAL_EXPONENT + digits.len() as i64 {
            return None;
        }
        let mantissa = BigRational::from_integer(digits.parse::<BigInt>().ok()?);
        let power = BigRational::from_integer(BigInt::from(10)).pow(exponent as i32);
        Some(Self::from_big(mantissa * power))
    }

    fn reduced(numerator: i128, denominator: i128) -> Rational {
        let gcd = numerator.gcd(&denominator) * denominator.signum();
        let (n, d) = (numerator / gcd, denominator / gcd);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Rational(Repr::Small(n, d)),
            _ => Rational(Repr::Big(Box::new(BigRational::new_raw(n.into(), d.into())))),
        }
    }

    fn from_big(value: BigRational) -> Rational {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(n), Some(d)) => Rational(Repr::Small(n, d)),
            _ => Rational(Repr::Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Repr::Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Numerator, with the sign.
    pub fn numerator(&self) -> BigInt {
        self.to_big().numer().clone()
    }

    /// Denominator, positive.
    pub fn denominator(&self) -> BigInt {
        self.to_big().denom().clone()
    }

    /// The number of binary digits of numerator and denominator together.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(n, d) => u64::from(128 - n.unsigned_abs().leading_zeros() - d.unsigned_abs().leading_zeros()),
            Repr::Big(big) => big.numer().bits() + big.denom().bits(),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n, _) => *n < 0,
            Repr::Big(value) => value.is_negative(),
        }
    }

    /// Numerator and denominator; `None` unless both are machine integers.
    pub(crate) fn to_machine(&self) -> Option<(i64, i64)> {
        match self.0 {
            Repr::Small(n, d) => Some((n, d)),
            Repr::Big(_) => None,
        }
    }

    /// The largest integer that is not larger.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Repr::Small(n, d) => Rational(Repr::Small(n.div_euclid(*d), 1)),
            Repr::Big(value) => Self::from_big(value.floor()),
        }
    }

    /// The value as a machine integer; `None` if it is not one.
    pub fn to_integer(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// The nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        // Both exactly representable: one correctly rounded division.
        const EXACT: i64 = 1 << 53;
        match &self.0 {
            Repr::Small(n, d) if n.unsigned_abs() <= EXACT as u64 && *d <= EXACT => *n as f64 / *d as f64,
            _ => nearest(&self.to_big()),
        }
    }

    /// The nearest `f64`; where that is an integer and the number is not ($1 + 10^{-17}$), its neighbour on the other
    /// side of the number. So enclosures may treat `f64` that are integers as exact, and all others as rounded.
    pub fn to_distinct_f64(&self) -> f64 {
        const EXACT: f64 = (1_i64 << 53) as f64;
        let nearest = self.to_f64();
        if nearest.abs() > EXACT || nearest != nearest.trunc() {
            return nearest;
        }
        match self.cmp(&Rational::from(nearest as i64)) {
            Ordering::Less => nearest.next_down(),
            Ordering::Equal => nearest,
            Ordering::Greater => nearest.next_up(),
        }
    }

    /// Absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// $-a$.
    pub fn neg(&self) -> Rational {
        match &self.0 {
            Repr::Small(n, d) => Self::reduced(-i128::from(*n), i128::from(*d)),
            Repr::Big(value) => Self::from_big(-(**value).clone()),
        }
    }

    /// $a + b$.
    pub fn add(&self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) if a.checked_add(*c).is_some() => Self::from(a + c),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                // |ad + bc| < 2^127: each product is at most 2^126.
                Self::reduced(a * d + b * c, b * d)
            }
            (Repr::Small(0, 1), Repr::Big(_)) => other.clone(),
            (Repr::Big(_), Repr::Small(0, 1)) => self.clone(),
            _ => Self::from_big(self.to_big() + other.to_big()),
        }
    }

    /// $a - b$.
    pub fn sub(&self, other: &Rational) -> Rational {
        self.add(&other.neg())
    }

    /// $a b$.
    pub fn mul(&self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) if a.checked_mul(*c).is_some() => Self::from(a * c),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                Self::reduced(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            // Most coefficients are one, and big integers are slow to find that out.
            (Repr::Small(1, 1), Repr::Big(_)) => other.clone(),
            (Repr::Big(_), Repr::Small(1, 1)) => self.clone(),
            _ => Self::from_big(self.to_big() * other.to_big()),
        }
    }

    /// $1 / a$, or `None` for zero.
    pub fn recip(&self) -> Option<Rational> {
        match &self.0 {
            Repr::Small(n, d) => Self::new(*d, *n),
            Repr::Big(value) => Some(Self::from_big(value.recip())),
        }
    }

    /// $a^n$, or `None` if that is a division by zero or the result would be unreasonably long.
    pub fn powi(&self, exponent: i32) -> Option<Rational> {
        if self.is_zero() && exponent < 0 {
            return None;
        }
        if exponent == 1 || self.is_one() {
            return Some(self.clone());
        }
        let big = self.to_big();
        let bits = big.numer().bits().max(big.denom().bits());
        const MAX_BITS: u64 = 1 << 14;
        if bits.saturating_mul(u64::from(exponent.unsigned_abs())) > MAX_BITS && bits > 1 {
            return None;
        }
        Some(Self::from_big(big.pow(exponent)))
    }

    /// The $k$-th root (for even `k` the nonnegative one); `None` if it is not rational.
    pub fn root(&self, k: u32) -> Option<Rational> {
        let big = self.to_big();
        if big.is_negative() && k.is_multiple_of(2) {
            return None;
        }
        let (n, d) = (big.numer().nth_root(k), big.denom().nth_root(k));
        (n.pow(k) == *big.numer() && d.pow(k) == *big.denom()).then(|| Self::from_big(BigRational::new(n, d)))
    }

    /// The residue class modulo a prime, or `None` if the prime divides the denominator.
    pub fn modulo(&self, prime: u64) -> Option<u64> {
        if let Repr::Small(n, d) = self.0 {
            let p = i128::from(prime);
            let (n, d) = (i128::from(n).rem_euclid(p), i128::from(d).rem_euclid(p));
            return (d != 0).then(|| (n * inverse(d, p) % p) as u64);
        }
        let p = BigInt::from(prime);
        let big = self.to_big();
        let d = big.denom().mod_floor(&p);
        if d.is_zero() {
            return None;
        }
        // Fermat: d^(p-2) is the inverse of d.
        let inverse = d.modpow(&(&p - 2), &p);
        (big.numer().mod_floor(&p) * inverse).mod_floor(&p).to_u64()
    }

    /// The greatest positive rational of which every value is an integer multiple; one if all values are zero.
    pub fn content<'a>(values: impl IntoIterator<Item = &'a Rational>) -> Rational {
        let (mut n, mut d) = (BigInt::zero(), BigInt::one());
        for value in values {
            n = n.gcd(&value.numerator());
            d = d.lcm(&value.denominator());
        }
        if n.is_zero() { Rational::ONE } else { Self::from_big(BigRational::new(n, d)) }
    }
}

/// The nearest `f64`, ties to even.
fn nearest(value: &BigRational) -> f64 {
    let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
    let in_units = |unit: i64| match u64::try_from(unit) {
        Ok(unit) => numerator.div_rem(&(denominator << unit)),
        Err(_) => (numerator << unit.unsigned_abs()).div_rem(denominator),
    };
    // In units of the last place the quotient has 53 binary digits, or fewer if the unit is the smallest `f64`.
    let mut unit = (numerator.bits() as i64 - denominator.bits() as i64 - DIGITS as i64).max(SMALLEST);
    if in_units(unit).0.bits() > DIGITS {
        unit += 1;
    }
    let (mut quotient, remainder) = in_units(unit);
    let twice = remainder << 1_u32;
    let divisor = if unit > 0 { denominator << unit } else { denominator.clone() };
    if twice > divisor || twice == divisor && quotient.bit(0) {
        quotient += 1_u32;
    }
    // The power of two in two factors: each product is exact or overflows.
    let half = unit / 2;
    let power = |exponent: i64| 2.0_f64.powi(i32::try_from(exponent).unwrap_or(i32::MAX));
    let magnitude = quotient.to_f64().unwrap_or(f64::INFINITY) * power(half) * power(unit - half);
    if value.is_negative() { -magnitude } else { magnitude }
}

/// Binary digits of an `f64`.
const DIGITS: u64 = f64::MANTISSA_DIGITS as u64;
/// The exponent of the smallest positive `f64`.
const SMALLEST: i64 = f64::MIN_EXP as i64 - f64::MANTISSA_DIGITS as i64;

/// $1/d$ modulo a prime (extended Euclid).
fn inverse(d: i128, prime: i128) -> i128 {
    let (mut r, mut s) = ((prime, d), (0, 1));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    s.0.rem_euclid(prime)
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational(Repr::Small(value, 1))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n, 1) => write!(f, "{n}"),
            Repr::Small(n, d) => write!(f, "{n}/{d}"),
            Repr::Big(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Rational::from_decimal("9.81"), Rational::new(981, 100));
        assert_eq!(Rational::from_decimal("1e-6"), Rational::new(1, 1_000_000));
        assert_eq!(Rational::from_decimal("2."), Rational::new(2, 1));
        assert_eq!(Rational::from_decimal("1_000.5E1"), Rational::new(10005, 1));
        assert_eq!(Rational::from_decimal("x"), None);
        assert_eq!(Rational::from_decimal("1e999999"), None);
    }

    #[test]
    fn arithmetic_moves_to_big_integers_and_back() {
        let big = Rational::from(i64::MAX).mul(&Rational::from(i64::MAX));
        assert_eq!(big.to_integer(), None);
        assert_eq!(big.mul(&Rational::new(1, i64::MAX).unwrap()), Rational::from(i64::MAX));
        assert_eq!(Rational::from(i64::MIN).neg().neg(), Rational::from(i64::MIN));
        assert_eq!(Rational::new(1, i64::MIN).unwrap().recip(), Some(Rational::from(i64::MIN)));
    }

    #[test]
    fn roots_powers_residues() {
        assert_eq!(Rational::new(9, 4).unwrap().root(2), Rational::new(3, 2));
        assert_eq!(Rational::from(-8).root(3), Some(Rational::from(-2)));
        assert_eq!(Rational::from(2).root(2), None);
        assert_eq!(Rational::ZERO.powi(-1), None);
        assert_eq!(Rational::new(1, 2).unwrap().modulo(7), Some(4));
        assert_eq!(Rational::new(1, 7).unwrap().modulo(7), None);
        assert_eq!(Rational::new(981, 100).unwrap().to_f64(), 9.81);
    }

    /// The standard library reads decimals correctly rounded.
    #[test]
    fn conversions_are_correctly_rounded() {
        let long = "123456789012345678901234567890123456789012345678901234567890";
        for text in [
            "9007199254740993",
            "9007199254740993.0000000000000000000001",
            "1e400",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "0.1000000000000000055511151231257827021181583404541015625",
            "1e-400",
            "8.41e21",
            long,
        ] {
            let exact = Rational::from_decimal(text).unwrap();
            let expected: f64 = text.parse().unwrap();
            assert_eq!(exact.to_f64(), expected, "{text}");
            assert_eq!(exact.neg().to_f64(), -expected, "-{text}");
        }
        let third = Rational::from_decimal(long).unwrap().mul(&Rational::new(1, 3).unwrap());
        assert_eq!(third.to_f64(), 4.115_226_300_411_522_5e58);
    }
}
