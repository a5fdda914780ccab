//! Taylor models: enclosures that follow the change of a value over part of a step.
//!
//! In: values over the part as $c + k s \pm r$ for $s \in [-1, 1]$. Out: functions of them in the same form, with the
//! interval that contains them.
//!
//! Interval arithmetic forgets that its operands move together: $x - x$ over a step is twice as wide as the change of
//! $x$. In a Taylor model of degree one the terms linear in $s$ cancel, and the remainder is of the order of the square
//! of the width of the part (K. Makino, M. Berz, *Taylor models and other validated functional inclusion methods*, Int.
//! J. Pure Appl. Math. 4, 2003). Where the remainder is not a small part of the model, intervals are computed as well,
//! and the two are intersected.
//!
//! Products are those of the polynomials, with $s^2 = \frac{1}{2} \pm \frac{1}{2}$. Functions follow Taylor's theorem,
//! $f(x) = f(c) + f'(c) (x - c) \pm \frac{1}{2} \max |f''| (x - c)^2$, or the mean value theorem,
//! $f(x) \in f(c) + f'(X) (x - c)$, $X$ being the range of $x$. Rounding errors are added to the remainder.

mod functions;
#[cfg(test)]
mod tests;

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use super::Interval;

/// A bound on the rounding errors of an operation and of the bounds of its range, relative to its results.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Absolute slack for products that underflow, large enough to keep remainders out of the slow subnormal range.
const UNDERFLOW: f64 = super::SAFE;
/// If the remainder is this many times smaller than the slope, intervals would hardly narrow the range.
const TIGHT: f64 = 16.0;
/// Bounds of second derivatives outside this range are not used: powers of the argument overflow or underflow there.
const CURVATURES: std::ops::Range<f64> = 1e-145..1e145;

/// $\{c + k s + e : |s| \le 1, |e| \le r\}$ within a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaylorModel {
    range: Interval,
    /// $c$.
    centre: f64,
    /// $k$.
    slope: f64,
    /// $r$.
    remainder: f64,
}

impl TaylorModel {
    /// All real numbers, and possibly points without a value: nothing is known.
    pub const ENTIRE: TaylorModel = TaylorModel::constant(Interval::ENTIRE, 0.0);
    /// 0.
    pub const ZERO: TaylorModel = TaylorModel::constant(Interval::ZERO, 0.0);
    /// $\pi$.
    pub const PI: TaylorModel = TaylorModel::constant(Interval::PI, std::f64::consts::PI);
    /// $e$.
    pub const E: TaylorModel = TaylorModel::constant(Interval::E, std::f64::consts::E);

    const fn constant(range: Interval, centre: f64) -> TaylorModel {
        TaylorModel { range, centre, slope: 0.0, remainder: range.hi - range.lo }
    }

    /// $c + k s \pm r$, with room for the rounding errors of a short computation of all three.
    pub fn new(centre: f64, slope: f64, remainder: f64) -> TaylorModel {
        let remainder = remainder + 8.0 * ROUNDING * (centre.abs() + slope.abs() + remainder);
        let spread = slope.abs() + remainder;
        let range = Interval::checked(centre - spread, centre + spread);
        TaylorModel { range, centre, slope, remainder }
    }

    /// A single number; the entire line for a number that is not finite.
    #[inline]
    pub fn point(x: f64) -> TaylorModel {
        Interval::point(x).into()
    }

    /// `x` and `ulps` floating-point neighbours on either side.
    pub fn around(x: f64, ulps: u32) -> TaylorModel {
        Interval::around(x, ulps).into()
    }

    /// An interval that contains all values.
    #[inline]
    pub fn range(self) -> Interval {
        self.range
    }

    /// The range of $s$ in which the value may come within `distance` of zero; $[-1, 1]$ if the model does not narrow
    /// it.
    pub fn zeros_within(self, distance: f64) -> [f64; 2] {
        let (zero, spread) = (-self.centre / self.slope, (self.remainder + distance) / self.slope.abs());
        let slack = ROUNDING * (zero.abs() + spread);
        let bound = |s: f64, otherwise: f64| if s.is_nan() { otherwise } else { s.clamp(-1.0, 1.0) };
        [bound(zero - spread - slack, -1.0), bound(zero + spread + slack, 1.0)]
    }

    /// The model within a range. Where the remainder alone is as wide as the range, or NaN, the range is all that is
    /// known.
    #[inline]
    fn in_range(range: Interval, centre: f64, slope: f64, remainder: f64) -> TaylorModel {
        let spread = slope.abs() + remainder;
        let (below, above) = (centre - spread, centre + spread);
        // NaN is neither greater nor less.
        let lo = if below > range.lo { below } else { range.lo };
        let hi = if above < range.hi { above } else { range.hi };
        if 2.0 * remainder < hi - lo {
            TaylorModel { range: Interval { lo, hi }, centre, slope, remainder }
        } else if lo <= hi {
            Interval { lo, hi }.into()
        } else {
            range.into()
        }
    }

    /// The model; where it is not tight, within the range that intervals give, or the entire line if they give nothing.
    #[inline]
    fn unless_tight(centre: f64, slope: f64, remainder: f64, by_intervals: impl FnOnce() -> Interval) -> TaylorModel {
        let spread = slope.abs() + remainder;
        let range = Interval { lo: centre - spread, hi: centre + spread };
        let model = TaylorModel { range, centre, slope, remainder };
        let is_tight = TIGHT * remainder <= slope.abs() && centre.abs() + spread < f64::MAX;
        if is_tight { model } else { model.narrowed(by_intervals()) }
    }

    /// Whether the value changes along the part, and its centre lies in the range.
    fn is_line(self) -> bool {
        self.slope != 0.0 && self.range.contains(self.centre)
    }

    /// A function of one argument, from its extension to intervals and its value, its derivative and a bound on its
    /// second derivative over the range.
    fn by_taylor(self, f: impl FnOnce(Interval) -> Interval, expansion: impl FnOnce(f64) -> [f64; 3]) -> TaylorModel {
        if !self.is_line() {
            return f(self.range).into();
        }
        let [value, derivative, curvature] = expansion(self.centre);
        if !CURVATURES.contains(&curvature) {
            return f(self.range).into();
        }
        let (slope, spread) = (derivative * self.slope, self.slope.abs() + self.remainder);
        let remainder = derivative.abs() * self.remainder + 0.5 * curvature * spread * spread;
        let size = value.abs() + slope.abs();
        TaylorModel::unless_tight(value, slope, rounded(remainder, size), || f(self.range))
    }

    /// $f(c) + \sum_i f_i (x_i - c_i)$ with enclosures of the partial derivatives on the ranges.
    fn by_mean_value(range: Interval, value: Interval, terms: &[(Interval, TaylorModel)]) -> TaylorModel {
        let (centre, mut remainder) = middle(value);
        let (mut slope, mut size) = (0.0, centre.abs());
        for (derivative, x) in terms {
            let (mean, deviation) = middle(*derivative);
            slope += mean * x.slope;
            size += (mean * x.slope).abs();
            remainder += deviation * x.slope.abs() + derivative.magnitude() * x.remainder;
        }
        TaylorModel::in_range(range, centre, slope, rounded(remainder, size))
    }

    /// $a b$; intervals give a second enclosure.
    #[inline]
    fn product(a: TaylorModel, b: TaylorModel, by_intervals: impl FnOnce() -> Interval) -> TaylorModel {
        let (constant, square) = (a.centre * b.centre, 0.5 * a.slope * b.slope);
        let (left, right) = (a.centre * b.slope, a.slope * b.centre);
        let spread = a.remainder * (b.centre.abs() + b.slope.abs() + b.remainder);
        let remainder = square.abs() + spread + b.remainder * (a.centre.abs() + a.slope.abs());
        let size = constant.abs() + square.abs() + left.abs() + right.abs();
        TaylorModel::unless_tight(constant + square, left + right, rounded(remainder, size), by_intervals)
    }

    /// $x^n$.
    pub fn powi(self, n: i32) -> TaylorModel {
        if self.slope == 0.0 || n == 0 {
            return self.range.powi(n).into();
        }
        if n == 2 {
            return TaylorModel::product(self, self, || self.range.powi(2));
        }
        let (mut power, mut square, mut left) = (TaylorModel::point(1.0), self, n.unsigned_abs());
        loop {
            power = if left & 1 == 1 { power * square } else { power };
            left >>= 1;
            if left == 0 {
                break;
            }
            square = square.powi(2);
        }
        let power = if n < 0 { TaylorModel::point(1.0) / power } else { power };
        TaylorModel::unless_tight(power.centre, power.slope, power.remainder, || self.range.powi(n))
    }

    /// The model in a range that is known from elsewhere; the entire line if nothing is known.
    fn narrowed(self, range: Interval) -> TaylorModel {
        match range {
            Interval::ENTIRE => TaylorModel::ENTIRE,
            range => TaylorModel::in_range(range, self.centre, self.slope, self.remainder),
        }
    }
}

/// A number in the middle, and the distance of the bounds from it.
fn middle(interval: Interval) -> (f64, f64) {
    let middle = interval.midpoint();
    (middle, rounded((interval.hi - middle).max(middle - interval.lo), 0.0))
}

/// A remainder enlarged by the rounding errors of sums of products of total magnitude `size`, and by its own.
fn rounded(remainder: f64, size: f64) -> f64 {
    (remainder + ROUNDING * size) * (1.0 + ROUNDING) + UNDERFLOW
}

impl From<Interval> for TaylorModel {
    #[inline]
    fn from(range: Interval) -> Self {
        if range.lo == range.hi {
            return TaylorModel { range, centre: range.lo, slope: 0.0, remainder: 0.0 };
        }
        let (centre, remainder) = middle(range);
        TaylorModel { range, centre, slope: 0.0, remainder }
    }
}

impl From<f64> for TaylorModel {
    #[inline]
    fn from(x: f64) -> Self {
        TaylorModel::point(x)
    }
}

impl Add for TaylorModel {
    type Output = TaylorModel;
    fn add(self, other: TaylorModel) -> TaylorModel {
        if self.slope == 0.0 && other.slope == 0.0 {
            return (self.range + other.range).into();
        }
        let (centre, slope) = (self.centre + other.centre, self.slope + other.slope);
        let size = centre.abs() + slope.abs();
        TaylorModel::unless_tight(centre, slope, rounded(self.remainder + other.remainder, size), || {
            self.range + other.range
        })
    }
}

impl AddAssign for TaylorModel {
    fn add_assign(&mut self, other: TaylorModel) {
        *self = *self + other;
    }
}

impl Neg for TaylorModel {
    type Output = TaylorModel;
    #[inline]
    fn neg(self) -> TaylorModel {
        TaylorModel { range: -self.range, centre: -self.centre, slope: -self.slope, remainder: self.remainder }
    }
}

impl Sub for TaylorModel {
    type Output = TaylorModel;
    #[inline]
    fn sub(self, other: TaylorModel) -> TaylorModel {
        self + -other
    }
}

impl Mul for TaylorModel {
    type Output = TaylorModel;
    fn mul(self, other: TaylorModel) -> TaylorModel {
        if self.slope == 0.0 && other.slope == 0.0 {
            return (self.range * other.range).into();
        }
        TaylorModel::product(self, other, || self.range * other.range)
    }
}

impl Div for TaylorModel {
    type Output = TaylorModel;
    /// Division; the entire line if the divisor may be zero.
    fn div(self, other: TaylorModel) -> TaylorModel {
        if self.slope == 0.0 && other.slope == 0.0 {
            return (self.range / other.range).into();
        }
        let reciprocal = other.by_taylor(
            |x| 1.0 / x,
            |c| {
                let (nearest, reciprocal) = (other.range.mignitude(), 1.0 / c);
                [reciprocal, -reciprocal * reciprocal, 2.0 / (nearest * nearest * nearest)]
            },
        );
        TaylorModel::product(self, reciprocal, || self.range / other.range)
    }
}

super::with_numbers!(TaylorModel: Add add, Sub sub, Mul mul, Div div);
