//! Elementary functions in fixed point.
//!
//! In: integers $x$ that stand for $x \cdot 2^{-w}$. Out: $\pi$, $\ln 2$, $e^x - 1$, $\sin x$ and $\cos x - 1$ in the
//! same form. $\pi$ and $\ln 2$ are sums of arc tangents and of their hyperbolic counterparts, off by less than two
//! units. For the functions, the argument is halved several times, the Taylor series summed, and the halving undone by
//! squaring or by the formulas for double angles (R. P. Brent and P. Zimmermann, *Modern Computer Arithmetic*,
//! Cambridge University Press, 2010, ch. 4); [`ERROR_BITS`] bounds their error.

use std::sync::OnceLock;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::PRECISION;

/// Binary digits of the stored constants: enough to reduce arguments of sine and cosine of up to $2^{1200}$.
pub(super) const CONSTANT_BITS: u64 = PRECISION + 1400;
/// The number of times that the argument of the exponential is halved before its series is summed; that of sine and
/// cosine is halved half as many times.
const HALVINGS: u64 = 32;
/// Binary digits of the arguments of [`exponential_minus_one`] and [`sine_cosine`] beyond those of the result.
pub(super) const GUARD: u64 = 160;
/// The binary logarithm of a bound on the error of [`exponential_minus_one`] and [`sine_cosine`], in units of $2^{-w}$,
/// for arguments that are off by a few such units: rounding in each of fewer than $2^{10}$ operations, and at most
/// [`HALVINGS`] doublings or squarings, each of which multiplies the error by at most 4, with a margin. As both compute
/// with $2 \cdot$ [`HALVINGS`] more digits, the bound is generous.
pub(super) const ERROR_BITS: i64 = 2 * HALVINGS as i64 + 20;

/// $\sum_k s^k / ((2k+1) n^{2k+1})$ times $2^b$, with `alternating` for $s$: $\arctan(1/n)$ for $s = -1$,
/// $\operatorname{artanh}(1/n)$ for $s = 1$.
fn inverse_tangent(n: u64, alternating: i32, bits: u64) -> BigInt {
    let square = BigInt::from(n) * BigInt::from(n);
    let mut power = (BigInt::one() << bits) / BigInt::from(n);
    let (mut sum, mut k, mut sign) = (BigInt::zero(), 1_u64, 1);
    while !power.is_zero() {
        sum += &power * BigInt::from(sign) / BigInt::from(k);
        power /= &square;
        k += 2;
        sign *= alternating;
    }
    sum
}

/// $\pi$ times $2^b$ by Machin's formula.
pub(super) fn pi(bits: u64) -> BigInt {
    static VALUE: OnceLock<BigInt> = OnceLock::new();
    let value = VALUE.get_or_init(|| {
        let bits = CONSTANT_BITS + 40;
        let fourth = inverse_tangent(5, -1, bits) * 4 - inverse_tangent(239, -1, bits);
        (fourth << 2) >> 40
    });
    value >> (CONSTANT_BITS - bits.min(CONSTANT_BITS))
}

/// $\ln 2 = 18 \operatorname{artanh} \frac1{26} - 2 \operatorname{artanh} \frac1{4801} + 8 \operatorname{artanh}
/// \frac1{8749}$, times $2^b$.
pub(super) fn ln_2(bits: u64) -> BigInt {
    static VALUE: OnceLock<BigInt> = OnceLock::new();
    let value = VALUE.get_or_init(|| {
        let bits = CONSTANT_BITS + 40;
        let sum =
            inverse_tangent(26, 1, bits) * 18 - inverse_tangent(4801, 1, bits) * 2 + inverse_tangent(8749, 1, bits) * 8;
        sum >> 40
    });
    value >> (CONSTANT_BITS - bits.min(CONSTANT_BITS))
}

/// $e^x - 1$ for $|x| \le \frac32 \ln 2$; $w$ is `width`.
pub(super) fn exponential_minus_one(x: &BigInt, width: u64) -> BigInt {
    let bits = width + 2 * HALVINGS;
    let x = (x << (2 * HALVINGS)) >> HALVINGS;
    let (mut term, mut sum, mut k) = (x.clone(), x.clone(), 1_u64);
    while !term.is_zero() && term != BigInt::from(-1) {
        k += 1;
        term = ((&term * &x) >> bits) / BigInt::from(k);
        sum += &term;
    }
    for _ in 0..HALVINGS {
        // (1 + s)² - 1 = s (s + 2).
        sum = ((&sum * &sum) >> bits) + (&sum << 1_u64);
    }
    sum >> (2 * HALVINGS)
}

/// $\sin x$ and $\cos x - 1$ for $|x| \le 1$; $w$ is `width`.
pub(super) fn sine_cosine(x: &BigInt, width: u64) -> (BigInt, BigInt) {
    let bits = width + 2 * HALVINGS;
    let halvings = HALVINGS / 2;
    let x = (x << (2 * HALVINGS)) >> halvings;
    let square = (&x * &x) >> bits;
    let (mut term, mut sine, mut k) = (x.clone(), x, 1_u64);
    while !term.is_zero() {
        term = -((&term * &square) >> bits) / BigInt::from((k + 1) * (k + 2));
        k += 2;
        sine += &term;
        if term.abs() <= BigInt::one() {
            break;
        }
    }
    // cos x - 1 = √(1 - sin² x) - 1 for the halved argument; then cos 2x - 1 = -2 sin² x.
    let one = BigInt::one() << bits;
    let mut cosine = -root_complement(&sine, &one, bits);
    for _ in 0..halvings {
        let next = (&sine * (&cosine + &one)) >> (bits - 1);
        cosine = -((&sine * &sine) >> (bits - 1));
        sine = next;
    }
    (sine >> (2 * HALVINGS), cosine >> (2 * HALVINGS))
}

/// $1 - \sqrt{1 - s^2}$ for a small sine.
fn root_complement(sine: &BigInt, one: &BigInt, bits: u64) -> BigInt {
    let square = (one << bits) - sine * sine;
    one - square.sqrt()
}
