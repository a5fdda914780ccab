//! Decimal digits of numbers with about 106 bits.
//!
//! In: a decimal number, or a [`DoubleDouble`]. Out: the other, with an error of some units of the last bit, or of the
//! last digit that is printed.

use std::fmt;
use std::str::FromStr;

use super::DoubleDouble;

/// The number of digits printed unless fewer are asked for.
const DIGITS: usize = 32;

/// A text that is no decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDecimal {
    /// The text.
    pub text: String,
}

impl fmt::Display for InvalidDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no decimal number such as -1.25e-3", self.text)
    }
}

impl std::error::Error for InvalidDecimal {}

/// $10^k a$, by powers that are far from overflowing.
fn times_power_of_ten(mut a: DoubleDouble, mut k: i32) -> DoubleDouble {
    const MOST: i32 = 150;
    while k != 0 {
        let part = k.clamp(-MOST, MOST);
        let (mut base, mut power, mut rest) = (DoubleDouble::from(10.0), DoubleDouble::ONE, part.unsigned_abs());
        while rest > 0 {
            if rest & 1 == 1 {
                power = power * base;
            }
            base = base.squared();
            rest >>= 1;
        }
        a = if part < 0 { a / power } else { a * power };
        k -= part;
    }
    a
}

impl FromStr for DoubleDouble {
    type Err = InvalidDecimal;

    fn from_str(text: &str) -> Result<DoubleDouble, InvalidDecimal> {
        let invalid = || InvalidDecimal { text: text.to_string() };
        // The parser of `f64` decides what a number is.
        let nearest: f64 = text.parse().map_err(|_| invalid())?;
        if !nearest.is_finite() || nearest == 0.0 {
            return Ok(DoubleDouble::from(nearest));
        }
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let mut exponent: i32 = exponent.parse().map_err(|_| invalid())?;
        let (mut value, mut is_fraction) = (DoubleDouble::ZERO, false);
        for character in mantissa.chars() {
            match character.to_digit(10) {
                Some(digit) => {
                    value = value.times(10.0) + DoubleDouble::from(f64::from(digit));
                    exponent -= i32::from(is_fraction);
                }
                None if character == '.' => is_fraction = true,
                None => {}
            }
        }
        let value = times_power_of_ten(value, exponent);
        Ok(if text.starts_with('-') { -value } else { value })
    }
}

impl fmt::Display for DoubleDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.abs();
        if !self.is_finite() || size.high() == 0.0 {
            return write!(f, "{}", self.high());
        }
        let wanted = f.precision().map_or(DIGITS, |places| places + 1).clamp(1, DIGITS);
        let mut exponent = size.high().log10().floor() as i32;
        let mut rest = times_power_of_ten(size, -exponent);
        if rest >= DoubleDouble::from(10.0) {
            (rest, exponent) = (rest / DoubleDouble::from(10.0), exponent + 1);
        } else if rest < DoubleDouble::ONE {
            (rest, exponent) = (rest.times(10.0), exponent - 1);
        }
        // One digit more, to round by.
        let mut digits: Vec<u8> = Vec::with_capacity(wanted + 1);
        for _ in 0..=wanted {
            let mut digit = rest.high().floor().clamp(0.0, 9.0);
            if rest - DoubleDouble::from(digit) < DoubleDouble::ZERO && digit > 0.0 {
                digit -= 1.0;
            }
            digits.push(digit as u8);
            rest = (rest - DoubleDouble::from(digit)).times(10.0);
        }
        let mut carry = digits.pop().is_some_and(|digit| digit >= 5);
        for digit in digits.iter_mut().rev() {
            if !carry {
                break;
            }
            carry = *digit == 9;
            *digit = if carry { 0 } else { *digit + 1 };
        }
        if carry {
            digits.insert(0, 1);
            digits.pop();
            exponent += 1;
        }
        let text: String = digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        let sign = if self.high() < 0.0 { "-" } else { "" };
        match wanted {
            1 => write!(f, "{sign}{text}e{exponent}"),
            _ => write!(f, "{sign}{}.{}e{exponent}", &text[..1], &text[1..]),
        }
    }
}
