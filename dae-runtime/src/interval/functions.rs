//! Elementary functions on intervals.
//!
//! In: intervals for the arguments. Out: an interval that contains all values of the function, the entire line if it is
//! undefined anywhere on them. Monotone functions are enclosed by their values at the bounds, sine and cosine also by
//! the extrema in between.

use std::f64::consts::{PI, TAU};

use super::{Interval, down, up};

/// Number of units in the last place by which results of the mathematical library are widened. Errors documented for
/// common libraries are at most 2 for the functions used here (the manual of the GNU C Library, *Known Maximum Errors
/// in Math Functions*; P. Zimmermann et al., *Accuracy of Mathematical Functions*, 2024).
pub const LIBRARY_ULPS: u32 = 4;

/// Beyond this magnitude the position of extrema is left open.
const MAX_ANGLE: f64 = 1e6;
/// Uncertainty assumed in the position of an extremum: far above rounding errors for angles up to [`MAX_ANGLE`].
const ANGLE_SLACK: f64 = 1e-8;

impl Interval {
    /// The interval, or the entire line where the function is not defined on all of it.
    fn defined(self, is_defined: bool) -> Interval {
        if is_defined { self } else { Interval::ENTIRE }
    }

    /// The square root.
    pub fn sqrt(self) -> Interval {
        if self.lo < 0.0 {
            return Interval::ENTIRE;
        }
        let hi = if self.hi == 0.0 { 0.0 } else { self.hi.sqrt().next_up() };
        Interval::checked(self.lo.sqrt().next_down().max(0.0), hi)
    }

    /// The cube root.
    pub fn cbrt(self) -> Interval {
        self.increasing(f64::cbrt, Interval::ENTIRE)
    }

    /// The exponential function.
    pub fn exp(self) -> Interval {
        self.increasing(f64::exp, POSITIVE)
    }

    /// $e^x - 1$.
    pub fn exp_m1(self) -> Interval {
        self.increasing(f64::exp_m1, Interval { lo: -1.0, hi: f64::INFINITY })
    }

    /// The natural logarithm.
    pub fn ln(self) -> Interval {
        self.defined(self.lo > 0.0).increasing(f64::ln, Interval::ENTIRE)
    }

    /// The decimal logarithm.
    pub fn log10(self) -> Interval {
        self.defined(self.lo > 0.0).increasing(f64::log10, Interval::ENTIRE)
    }

    /// The binary logarithm.
    pub fn log2(self) -> Interval {
        self.defined(self.lo > 0.0).increasing(f64::log2, Interval::ENTIRE)
    }

    /// $\ln(1 + x)$.
    pub fn ln_1p(self) -> Interval {
        self.defined(self.lo > -1.0).increasing(f64::ln_1p, Interval::ENTIRE)
    }

    /// The sine.
    pub fn sin(self) -> Interval {
        self.between_extrema(f64::sin, 0.5 * PI)
    }

    /// The cosine.
    pub fn cos(self) -> Interval {
        self.between_extrema(f64::cos, 0.0)
    }

    /// The tangent.
    pub fn tan(self) -> Interval {
        self.defined(!self.meets(0.5 * PI, PI)).increasing(f64::tan, Interval::ENTIRE)
    }

    /// The inverse of the sine.
    pub fn asin(self) -> Interval {
        self.defined(self.lo >= -1.0 && self.hi <= 1.0).increasing(f64::asin, Interval::ENTIRE)
    }

    /// The inverse of the cosine.
    pub fn acos(self) -> Interval {
        -self.defined(self.lo >= -1.0 && self.hi <= 1.0).increasing(|x| -x.acos(), Interval::ENTIRE)
    }

    /// The inverse of the tangent.
    pub fn atan(self) -> Interval {
        self.increasing(f64::atan, Interval::ENTIRE)
    }

    /// The hyperbolic sine.
    pub fn sinh(self) -> Interval {
        self.increasing(f64::sinh, Interval::ENTIRE)
    }

    /// The hyperbolic cosine.
    pub fn cosh(self) -> Interval {
        if self == Interval::ENTIRE {
            return self;
        }
        let size = Interval { lo: self.mignitude(), hi: self.magnitude() };
        size.increasing(f64::cosh, Interval { lo: 1.0, hi: f64::INFINITY })
    }

    /// The hyperbolic tangent.
    pub fn tanh(self) -> Interval {
        self.increasing(f64::tanh, UNIT)
    }

    /// The inverse of the hyperbolic sine.
    pub fn asinh(self) -> Interval {
        self.increasing(f64::asinh, Interval::ENTIRE)
    }

    /// The inverse of the hyperbolic cosine.
    pub fn acosh(self) -> Interval {
        self.defined(self.lo >= 1.0).increasing(f64::acosh, POSITIVE)
    }

    /// The inverse of the hyperbolic tangent.
    pub fn atanh(self) -> Interval {
        self.defined(self.lo > -1.0 && self.hi < 1.0).increasing(f64::atanh, Interval::ENTIRE)
    }

    /// The absolute value.
    pub fn abs(self) -> Interval {
        if self == Interval::ENTIRE { self } else { Interval { lo: self.mignitude(), hi: self.magnitude() } }
    }

    /// The sign; the whole of $[-1, 1]$ where it changes.
    pub fn signum(self) -> Interval {
        match self {
            Interval::ENTIRE => Interval::ENTIRE,
            _ if self.lo > 0.0 => Interval::ONE,
            _ if self.hi < 0.0 => -Interval::ONE,
            _ => UNIT,
        }
    }

    /// The largest integer that is not larger.
    pub fn floor(self) -> Interval {
        if self == Interval::ENTIRE { self } else { Interval { lo: self.lo.floor(), hi: self.hi.floor() } }
    }

    /// The minimum of both.
    pub fn min(self, other: Interval) -> Interval {
        if self == Interval::ENTIRE || other == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The maximum of both.
    pub fn max(self, other: Interval) -> Interval {
        if self == Interval::ENTIRE || other == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// $\sqrt{x^2 + y^2}$.
    pub fn hypot(self, other: Interval) -> Interval {
        if self == Interval::ENTIRE || other == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        Interval::checked(
            down(self.mignitude().hypot(other.mignitude()), LIBRARY_ULPS).max(0.0),
            up(self.magnitude().hypot(other.magnitude()), LIBRARY_ULPS),
        )
    }

    /// The angle of $(x, y)$, where $y$ is this interval: extremal at corners away from the origin and the negative
    /// half-axis, and the entire line where the box meets these.
    pub fn atan2(self, x: Interval) -> Interval {
        if self == Interval::ENTIRE || x == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        let y = self;
        if x.lo <= 0.0 && y.contains(0.0) {
            return Interval::ENTIRE;
        }
        let corners = [y.lo.atan2(x.lo), y.lo.atan2(x.hi), y.hi.atan2(x.lo), y.hi.atan2(x.hi)];
        Interval::corners(corners, Interval::ENTIRE)
    }

    /// $x^y$ for $x > 0$: monotone in each variable, so extremal at corners. The entire line if $x$ may be zero or
    /// negative.
    pub fn powf(self, y: Interval) -> Interval {
        let x = self;
        if self == Interval::ENTIRE || y == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        if x.lo <= 0.0 {
            return Interval::ENTIRE;
        }
        if x.hi.is_infinite() {
            return POSITIVE;
        }
        Interval::corners([x.lo.powf(y.lo), x.lo.powf(y.hi), x.hi.powf(y.lo), x.hi.powf(y.hi)], POSITIVE)
    }

    /// `a` where the interval is positive, otherwise `b`: where the sign is certain the branch taken, whatever the
    /// other one is, otherwise the hull of both.
    pub fn choose(self, a: Interval, b: Interval) -> Interval {
        let switch = self;
        match switch {
            Interval::ENTIRE => Interval::ENTIRE,
            _ if switch.lo > 0.0 => a,
            _ if switch.hi <= 0.0 => b,
            _ => a.hull(b),
        }
    }

    /// An increasing function of the mathematical library whose values lie in `range`.
    fn increasing(self, f: impl Fn(f64) -> f64, range: Interval) -> Interval {
        if self == Interval::ENTIRE {
            return self;
        }
        let lo = down(f(self.lo), LIBRARY_ULPS).max(range.lo);
        let hi = up(f(self.hi), LIBRARY_ULPS).min(range.hi);
        Interval::checked(lo, hi)
    }

    /// Sine or cosine with a maximum at `peak`.
    fn between_extrema(self, f: impl Fn(f64) -> f64, peak: f64) -> Interval {
        if self == Interval::ENTIRE {
            return self;
        }
        let (a, b) = (f(self.lo), f(self.hi));
        let lo = if self.meets(peak + PI, TAU) { -1.0 } else { down(a.min(b), LIBRARY_ULPS).max(-1.0) };
        let hi = if self.meets(peak, TAU) { 1.0 } else { up(a.max(b), LIBRARY_ULPS).min(1.0) };
        Interval::checked(lo, hi)
    }

    /// Whether `offset` plus a multiple of `period` lies in the interval; `true` if unsure.
    fn meets(self, offset: f64, period: f64) -> bool {
        if self.magnitude() > MAX_ANGLE {
            return true;
        }
        let first = ((self.lo - offset - ANGLE_SLACK) / period).ceil();
        offset + first * period <= self.hi + ANGLE_SLACK
    }

    fn corners(values: [f64; 4], range: Interval) -> Interval {
        if values.iter().any(|value| value.is_nan()) {
            return range;
        }
        let lo = values.iter().fold(f64::INFINITY, |lo, &value| lo.min(value));
        let hi = values.iter().fold(f64::NEG_INFINITY, |hi, &value| hi.max(value));
        Interval::checked(down(lo, LIBRARY_ULPS).max(range.lo), up(hi, LIBRARY_ULPS).min(range.hi))
    }
}

impl From<f64> for Interval {
    fn from(x: f64) -> Self {
        Interval::point(x)
    }
}

/// $[0, \infty]$.
const POSITIVE: Interval = Interval { lo: 0.0, hi: f64::INFINITY };
/// $[-1, 1]$.
const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };
