//! Interval arithmetic: enclosures of values that account for every rounding error.
//!
//! In: intervals. Out: intervals that contain the values of an operation at all their points
//! (R. E. Moore, R. B. Kearfott, M. J. Cloud, *Introduction to Interval Analysis*, SIAM 2009).
//!
//! Bounds are rounded outwards: sums by their exact rounding error, products unless they have so few digits that they
//! are exact, quotients and square roots, all of which IEEE 754 rounds correctly, by one unit in the last place,
//! functions of the mathematical library by [`LIBRARY_ULPS`]. An operation that is undefined somewhere on its operands
//! gives [`Interval::ENTIRE`], and so does every operation on that, except an `if` that certainly takes another branch:
//! an enclosure with a finite bound proves that the expression is defined on the whole box. It is also continuous there
//! unless it contains `signum`, whose enclosure across zero is $[-1, 1]$, or `if`, whose enclosure is the hull of both
//! branches where neither is certain.

mod functions;
mod taylor_model;

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

pub use functions::LIBRARY_ULPS;
pub use taylor_model::TaylorModel;

/// The set of real numbers $x$ with $\mathrm{lo} \le x \le \mathrm{hi}$; bounds may be infinite, never `NaN`.
#[derive(Clone, Copy, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// All real numbers, and possibly points without a value: nothing is known.
    pub const ENTIRE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// $[0, 0]$.
    pub const ZERO: Interval = Interval { lo: 0.0, hi: 0.0 };
    /// $[1, 1]$.
    pub const ONE: Interval = Interval { lo: 1.0, hi: 1.0 };
    /// $\pi$: the constant of the library is below it.
    pub const PI: Interval = Interval { lo: std::f64::consts::PI, hi: std::f64::consts::PI.next_up() };
    /// $e$: the constant of the library is below it.
    pub const E: Interval = Interval { lo: std::f64::consts::E, hi: std::f64::consts::E.next_up() };

    /// The interval between two bounds, or `None` if it would be empty or unbounded on the wrong side.
    pub fn new(lo: f64, hi: f64) -> Option<Interval> {
        (lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY).then_some(Interval { lo, hi })
    }

    /// A single number; the entire line for a number that is not finite.
    #[inline]
    pub fn point(x: f64) -> Interval {
        if x.is_finite() { Interval { lo: x, hi: x } } else { Interval::ENTIRE }
    }

    /// `x` and `ulps` floating-point neighbours on either side.
    pub fn around(x: f64, ulps: u32) -> Interval {
        Interval::checked(down(x, ulps), up(x, ulps))
    }

    /// The interval between two bounds, or the entire line if they are not bounds.
    fn checked(lo: f64, hi: f64) -> Interval {
        Interval::new(lo, hi).unwrap_or(Interval::ENTIRE)
    }

    /// Lower bound.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// Upper bound.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Whether the number lies in the interval.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether the interval lies in the interior of another, as the interval Newton method requires.
    pub fn is_interior_to(self, other: Interval) -> bool {
        other.lo < self.lo && self.hi < other.hi
    }

    /// The intersection, if it is not empty.
    pub fn intersection(self, other: Interval) -> Option<Interval> {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The least interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// A number in the middle, finite; zero for the entire line.
    pub fn midpoint(self) -> f64 {
        if self == Interval::ENTIRE {
            return 0.0;
        }
        (0.5 * self.lo + 0.5 * self.hi).clamp(f64::MIN, f64::MAX)
    }

    /// An upper bound of the width.
    pub fn width(self) -> f64 {
        up(self.hi - self.lo, 1)
    }

    /// The largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest absolute value.
    pub fn mignitude(self) -> f64 {
        if self.contains(0.0) { 0.0 } else { self.lo.abs().min(self.hi.abs()) }
    }

    /// $\{x^n\}$.
    pub fn powi(self, n: i32) -> Interval {
        if self == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        let positive = match (n % 2 == 0, self.lo < 0.0, self.hi > 0.0) {
            (true, ..) => self.abs().power(n.unsigned_abs()),
            (false, false, _) => self.power(n.unsigned_abs()),
            (false, true, false) => -(-self).power(n.unsigned_abs()),
            (false, true, true) => {
                let [below, above] = [-self.lo, self.hi].map(|x| Interval { lo: x, hi: x }.power(n.unsigned_abs()).hi);
                Interval { lo: -below, hi: above }
            }
        };
        if n < 0 { Interval::ONE / positive } else { positive }
    }

    /// $\{x^n\}$ where no number is negative, so that products of bounds are bounds of products.
    fn power(mut self, mut n: u32) -> Interval {
        if n == 2 {
            return self * self;
        }
        let mut power = Interval::ONE;
        while n > 0 {
            if n & 1 == 1 {
                power = power * self;
            }
            n >>= 1;
            if n > 0 {
                self = self * self;
            }
        }
        power
    }

    /// The hull of four numbers, each widened to its neighbours unless all are exact; `None` if the smallest or the
    /// largest may be the result of an overflow or an underflow.
    fn around_rounded([a, b, c, d]: [f64; 4], are_exact: bool) -> Option<Interval> {
        let (min, max) = (|a: f64, b: f64| if a < b { a } else { b }, |a: f64, b: f64| if a > b { a } else { b });
        let (lo, hi) = (min(min(a, b), min(c, d)), max(max(a, b), max(c, d)));
        let is_usual = |x: f64| (SAFE..1.0 / SAFE).contains(&x.abs());
        let part = if are_exact { 0.0 } else { NEIGHBOUR };
        (is_usual(lo) && is_usual(hi)).then(|| Interval { lo: lo - part * lo.abs(), hi: hi + part * hi.abs() })
    }

    /// Number of trailing zeros common to the 53 binary digits of both bounds; 53 for powers of two, with which
    /// products are exact.
    fn last_zeros(self) -> u32 {
        let fraction = (self.lo.to_bits() | self.hi.to_bits()) & ((1 << 52) - 1);
        (fraction | 1 << 53).trailing_zeros()
    }
}

/// The floating-point number `ulps` neighbours below.
fn down(x: f64, ulps: u32) -> f64 {
    (0..ulps).fold(x, |x, _| x.next_down())
}

/// The floating-point number `ulps` neighbours above.
fn up(x: f64, ulps: u32) -> f64 {
    (0..ulps).fold(x, |x, _| x.next_up())
}

/// A number that is neither tiny nor huge, changed by this fraction of itself, rounds to its neighbour.
const NEIGHBOUR: f64 = 0.5 * f64::EPSILON * (1.0 + 4.0 * f64::EPSILON);
/// Below this the error of a product may be lost to underflow.
const SAFE: f64 = 1e-290;

/// A lower bound of the number that was rounded, by the sign of (exact - rounded), which is `NaN` after an overflow.
fn below(rounded: f64, error: f64) -> f64 {
    if rounded.is_finite() && !error.is_nan() {
        rounded - if error < 0.0 { NEIGHBOUR * rounded.abs() } else { 0.0 }
    } else {
        rounded.next_down()
    }
}

/// (exact - rounded) of $a + b$: Knuth's two-sum.
fn rounding_error(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// A lower bound of $a + b$; tiny sums are exact.
fn sum_below(a: f64, b: f64) -> f64 {
    if a.is_infinite() || b.is_infinite() { a + b } else { below(a + b, rounding_error(a, b)) }
}

/// A lower bound of $a b$, with the exact error from the fused multiply-add; a factor of zero makes the product zero,
/// even if the other is infinite.
fn product_below(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if a.is_infinite() || b.is_infinite() {
        return product;
    }
    below(product, if product.abs() < SAFE { f64::NAN } else { a.mul_add(b, -product) })
}

impl Add for Interval {
    type Output = Interval;
    #[inline]
    fn add(self, other: Interval) -> Interval {
        let (lo, hi) = (self.lo + other.lo, self.hi + other.hi);
        if lo.abs() < 1.0 / SAFE && hi.abs() < 1.0 / SAFE {
            let part = |is_rounded: bool| if is_rounded { NEIGHBOUR } else { 0.0 };
            let below = part(rounding_error(self.lo, other.lo) < 0.0) * lo.abs();
            let above = part(rounding_error(self.hi, other.hi) > 0.0) * hi.abs();
            return Interval { lo: lo - below, hi: hi + above };
        }
        Interval::checked(sum_below(self.lo, other.lo), -sum_below(-self.hi, -other.hi))
    }
}

impl AddAssign for Interval {
    fn add_assign(&mut self, other: Interval) {
        *self = *self + other;
    }
}

impl Neg for Interval {
    type Output = Interval;
    #[inline]
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl Sub for Interval {
    type Output = Interval;
    #[inline]
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        if self == Interval::ENTIRE || other == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        let (a, b) = (self, other);
        // Products of n and m digits have at most n + m.
        let are_exact = a.last_zeros() + b.last_zeros() >= 53;
        let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
        if let Some(product) = Interval::around_rounded(corners, are_exact) {
            return product;
        }
        let (lo, hi) = match (a.lo >= 0.0, a.hi <= 0.0, b.lo >= 0.0, b.hi <= 0.0) {
            (true, _, true, _) => ([a.lo, b.lo], [a.hi, b.hi]),
            (true, _, _, true) => ([a.hi, b.lo], [a.lo, b.hi]),
            (true, _, _, _) => ([a.hi, b.lo], [a.hi, b.hi]),
            (_, true, true, _) => ([a.lo, b.hi], [a.hi, b.lo]),
            (_, true, _, true) => ([a.hi, b.hi], [a.lo, b.lo]),
            (_, true, _, _) => ([a.lo, b.hi], [a.lo, b.lo]),
            (_, _, true, _) => ([a.lo, b.hi], [a.hi, b.hi]),
            (_, _, _, true) => ([a.hi, b.lo], [a.lo, b.lo]),
            _ => {
                let lo = product_below(a.lo, b.hi).min(product_below(a.hi, b.lo));
                return Interval::checked(lo, -product_below(-a.lo, b.lo).min(product_below(-a.hi, b.hi)));
            }
        };
        Interval::checked(product_below(lo[0], lo[1]), -product_below(-hi[0], hi[1]))
    }
}

impl Div for Interval {
    type Output = Interval;
    /// Division; the entire line if the divisor contains zero.
    fn div(self, other: Interval) -> Interval {
        if other.contains(0.0) || self == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        let corners = [self.lo / other.lo, self.lo / other.hi, self.hi / other.lo, self.hi / other.hi];
        if let Some(quotient) = Interval::around_rounded(corners, false) {
            return quotient;
        }
        let corner = |a: f64, b: f64| match a / b {
            _ if a == 0.0 || (a.is_finite() && b.is_infinite()) => Interval::ZERO,
            quotient if a.is_infinite() && b.is_finite() => Interval { lo: quotient, hi: quotient },
            // Infinite over infinite: any quotient of that sign, and zero.
            quotient if quotient.is_nan() && (a > 0.0) == (b > 0.0) => Interval { lo: 0.0, hi: f64::INFINITY },
            quotient if quotient.is_nan() => Interval { lo: f64::NEG_INFINITY, hi: 0.0 },
            quotient => Interval { lo: quotient.next_down(), hi: quotient.next_up() },
        };
        corner(self.lo, other.lo)
            .hull(corner(self.lo, other.hi))
            .hull(corner(self.hi, other.lo))
            .hull(corner(self.hi, other.hi))
    }
}

/// Operations with a number, as generated code writes them.
macro_rules! with_numbers {
    ($enclosure:ident: $($trait:ident $method:ident),*) => {$(
        impl $trait<f64> for $enclosure {
            type Output = $enclosure;
            #[inline]
            fn $method(self, other: f64) -> $enclosure {
                self.$method($enclosure::point(other))
            }
        }

        impl $trait<$enclosure> for f64 {
            type Output = $enclosure;
            #[inline]
            fn $method(self, other: $enclosure) -> $enclosure {
                $enclosure::point(self).$method(other)
            }
        }
    )*};
}
use with_numbers;

with_numbers!(Interval: Add add, Sub sub, Mul mul, Div div);

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}]", self.lo, self.hi)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lo, self.hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lo: f64, hi: f64) -> Interval {
        Interval::new(lo, hi).unwrap()
    }

    #[test]
    fn exact_results_stay_exact() {
        assert_eq!(interval(1.0, 2.0) + interval(0.5, 0.5), interval(1.5, 2.5));
        assert_eq!(interval(-1.0, 2.0) * interval(-3.0, 4.0), interval(-6.0, 8.0));
        assert_eq!(interval(-1.0, 2.0).powi(2), interval(0.0, 4.0));
        assert_eq!(interval(-2.0, 3.0).powi(3), interval(-8.0, 27.0));
        assert_eq!(Interval::ZERO * Interval::ENTIRE, Interval::ENTIRE);
        assert_eq!(Interval::ZERO * interval(1.0, f64::INFINITY), Interval::ZERO);
    }

    #[test]
    fn inexact_results_are_enclosed_between_neighbours() {
        let s = Interval::point(0.1) + Interval::point(0.2);
        // The exact sum of the two doubles lies just below their rounded sum.
        assert_eq!((s.lo, s.hi), (0.3, 0.1 + 0.2));
        let p = Interval::point(0.1) * Interval::point(0.1);
        assert!(p.lo.next_up() == 0.1 * 0.1 && p.hi.next_down() == 0.1 * 0.1);
        let third = Interval::ONE / Interval::point(3.0);
        assert!(third.lo < 1.0 / 3.0 && third.hi > 1.0 / 3.0 && third.width() < 2e-16);
        assert!((third * Interval::point(3.0)).contains(1.0));
    }

    #[test]
    fn bounds_are_the_neighbours_of_what_is_rounded() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            let x = f64::from_bits(random.u64(..));
            if !x.is_finite() || x.abs() < SAFE {
                continue;
            }
            let power_of_two = x.signum() * f64::from_bits(x.abs().to_bits() >> 52 << 52);
            for x in [x, power_of_two, x.signum() * f64::MAX] {
                assert_eq!((below(x, -1.0), -below(-x, -1.0)), (x.next_down(), x.next_up()));
                assert_eq!((below(x, 0.0), below(x, 1.0)), (x, x));
            }
        }
    }

    #[test]
    fn sums_of_all_sizes_are_enclosed() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut next = || f64::from_bits(random.u64(..));
        for _ in 0..100_000 {
            let a = next();
            // The second is so near to the first that digits of both count.
            let b = (next() % 1e3) * a;
            if a.is_finite() && b.is_finite() {
                let (sum, fast) =
                    (Interval::checked(sum_below(a, b), -sum_below(-a, -b)), Interval::point(a) + Interval::point(b));
                assert!(sum == fast && sum.contains(a + b), "{a} + {b}");
                assert!(
                    sum.lo >= (a + b).next_down()
                        && sum.hi <= (a + b).next_up()
                        && (sum.lo == a + b || sum.hi == a + b)
                );
            }
        }
    }

    #[test]
    fn products_reach_from_the_least_to_the_greatest_corner() {
        let bounds = [-3.0, -2.0, 0.0, 1.0, 5.0];
        let all =
            || bounds.iter().flat_map(|lo| bounds.iter().filter(move |hi| lo <= *hi).map(move |hi| interval(*lo, *hi)));
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
            let least = corners.iter().fold(f64::INFINITY, |least, x| least.min(*x));
            let greatest = corners.iter().fold(f64::NEG_INFINITY, |greatest, x| greatest.max(*x));
            assert_eq!(a * b, interval(least, greatest), "{a} {b}");
        }
    }

    #[test]
    fn extremes() {
        assert_eq!(Interval::ONE / interval(-1.0, 1.0), Interval::ENTIRE);
        assert_eq!(interval(0.0, 1.0).powi(-2), Interval::ENTIRE);
        let huge = Interval::point(1e200) * Interval::point(1e200);
        assert_eq!((huge.lo, huge.hi), (f64::MAX, f64::INFINITY));
        let tiny = Interval::point(1e-200) * Interval::point(1e-200);
        assert!(tiny.lo <= 0.0 && tiny.hi > 0.0 && tiny.hi < 1e-320);
        assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
        assert_eq!(interval(1.0, f64::INFINITY) / interval(2.0, f64::INFINITY), interval(0.0, f64::INFINITY));
        assert_eq!(Interval::point(f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::new(2.0, 1.0), None);
        assert_eq!(interval(1.0, 3.0).intersection(interval(2.0, 5.0)), Some(interval(2.0, 3.0)));
        assert!(interval(1.0, 2.0).is_interior_to(interval(0.0, 3.0)));
        assert!(!interval(0.0, 2.0).is_interior_to(interval(0.0, 3.0)));
        assert_eq!(interval(1.0, f64::INFINITY).midpoint(), f64::MAX);
    }
}
