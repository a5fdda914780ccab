//! Elementary functions on Taylor models.
//!
//! In: models of the arguments. Out: a model of the function, the entire line if it is undefined anywhere on them. Each
//! function is given on intervals together with its derivative there, or with its value, its derivative and a bound on
//! its second derivative, infinite where it is not defined everywhere.

use super::{Interval, TaylorModel};

impl TaylorModel {
    /// The square root.
    pub fn sqrt(self) -> TaylorModel {
        self.by_taylor(Interval::sqrt, |c| {
            let (root, least) = (c.sqrt(), self.range.lo.max(0.0));
            [root, 0.5 / root, 0.25 / (least * least.sqrt())]
        })
    }

    /// The cube root.
    pub fn cbrt(self) -> TaylorModel {
        self.by_taylor(Interval::cbrt, |c| {
            let (root, least) = (c.cbrt(), self.range.mignitude().cbrt());
            [root, root / (3.0 * c), 2.0 / (9.0 * least.powi(5))]
        })
    }

    /// The exponential function.
    pub fn exp(self) -> TaylorModel {
        self.by_taylor(Interval::exp, |c| [c.exp(), c.exp(), self.range.hi.exp()])
    }

    /// $e^x - 1$.
    pub fn exp_m1(self) -> TaylorModel {
        self.by_taylor(Interval::exp_m1, |c| [c.exp_m1(), c.exp(), self.range.hi.exp()])
    }

    /// The natural logarithm.
    pub fn ln(self) -> TaylorModel {
        self.by_taylor(Interval::ln, |c| {
            let least = self.range.lo.max(0.0);
            [c.ln(), 1.0 / c, 1.0 / (least * least)]
        })
    }

    /// The decimal logarithm.
    pub fn log10(self) -> TaylorModel {
        self.function(Interval::log10, |x| 1.0 / (x * Interval::point(10.0).ln()))
    }

    /// The binary logarithm.
    pub fn log2(self) -> TaylorModel {
        self.function(Interval::log2, |x| 1.0 / (x * Interval::point(2.0).ln()))
    }

    /// $\ln(1 + x)$.
    pub fn ln_1p(self) -> TaylorModel {
        self.function(Interval::ln_1p, |x| 1.0 / (1.0 + x))
    }

    /// The sine.
    pub fn sin(self) -> TaylorModel {
        self.by_taylor(Interval::sin, |c| {
            let (sin, cos) = c.sin_cos();
            [sin, cos, self.at_most(sin.abs(), 1.0)]
        })
    }

    /// The cosine.
    pub fn cos(self) -> TaylorModel {
        self.by_taylor(Interval::cos, |c| {
            let (sin, cos) = c.sin_cos();
            [cos, -sin, self.at_most(cos.abs(), 1.0)]
        })
    }

    /// The tangent.
    pub fn tan(self) -> TaylorModel {
        self.function(Interval::tan, |x| 1.0 + x.tan().powi(2))
    }

    /// The inverse of the sine.
    pub fn asin(self) -> TaylorModel {
        self.function(Interval::asin, |x| 1.0 / (1.0 - x.powi(2)).sqrt())
    }

    /// The inverse of the cosine.
    pub fn acos(self) -> TaylorModel {
        self.function(Interval::acos, |x| -1.0 / (1.0 - x.powi(2)).sqrt())
    }

    /// The inverse of the tangent.
    pub fn atan(self) -> TaylorModel {
        self.by_taylor(Interval::atan, |c| [c.atan(), 1.0 / (1.0 + c * c), (2.0 * self.range.magnitude()).min(0.65)])
    }

    /// The hyperbolic sine.
    pub fn sinh(self) -> TaylorModel {
        self.function(Interval::sinh, Interval::cosh)
    }

    /// The hyperbolic cosine.
    pub fn cosh(self) -> TaylorModel {
        self.function(Interval::cosh, Interval::sinh)
    }

    /// The hyperbolic tangent.
    pub fn tanh(self) -> TaylorModel {
        self.by_taylor(Interval::tanh, |c| {
            let value = c.tanh();
            // Near one a difference would lose its digits.
            let cosh = c.cosh();
            [value, 1.0 / cosh / cosh, (2.0 * self.range.magnitude()).min(0.77)]
        })
    }

    /// The inverse of the hyperbolic sine.
    pub fn asinh(self) -> TaylorModel {
        self.function(Interval::asinh, |x| 1.0 / (1.0 + x.powi(2)).sqrt())
    }

    /// The inverse of the hyperbolic cosine.
    pub fn acosh(self) -> TaylorModel {
        self.function(Interval::acosh, |x| 1.0 / (x.powi(2) - 1.0).sqrt())
    }

    /// The inverse of the hyperbolic tangent.
    pub fn atanh(self) -> TaylorModel {
        self.function(Interval::atanh, |x| 1.0 / (1.0 - x.powi(2)))
    }

    /// The absolute value.
    pub fn abs(self) -> TaylorModel {
        match self.range.signum() {
            Interval::ONE => self,
            sign if sign == -Interval::ONE => -self,
            _ => self.range.abs().into(),
        }
    }

    /// The sign; the whole of $[-1, 1]$ where it changes.
    pub fn signum(self) -> TaylorModel {
        self.range.signum().into()
    }

    /// The largest integer that is not larger.
    pub fn floor(self) -> TaylorModel {
        self.range.floor().into()
    }

    /// The minimum of both.
    pub fn min(self, other: impl Into<TaylorModel>) -> TaylorModel {
        let other = other.into();
        let range = self.range.min(other.range);
        match range {
            Interval::ENTIRE => TaylorModel::ENTIRE,
            _ if self.range.hi <= other.range.lo => self,
            _ if other.range.hi <= self.range.lo => other,
            _ => range.into(),
        }
    }

    /// The maximum of both.
    pub fn max(self, other: impl Into<TaylorModel>) -> TaylorModel {
        -(-self).min(-other.into())
    }

    /// $\sqrt{x^2 + y^2}$.
    pub fn hypot(self, other: impl Into<TaylorModel>) -> TaylorModel {
        let other = other.into();
        let range = self.range.hypot(other.range);
        match self.slope == 0.0 && other.slope == 0.0 {
            true => range.into(),
            false => (self.powi(2) + other.powi(2)).sqrt().narrowed(range),
        }
    }

    /// The angle of $(x, y)$, where $y$ is this model.
    pub fn atan2(self, x: impl Into<TaylorModel>) -> TaylorModel {
        self.function_of_two(x.into(), Interval::atan2, |y, x| {
            let square = y.powi(2) + x.powi(2);
            [x / square, -y / square]
        })
    }

    /// $x^y$ for $x > 0$.
    pub fn powf(self, y: impl Into<TaylorModel>) -> TaylorModel {
        let derivatives = |x: Interval, y: Interval| [y * x.powf(y - 1.0), x.ln() * x.powf(y)];
        self.function_of_two(y.into(), Interval::powf, derivatives)
    }

    /// `a` where the value is positive, otherwise `b`: where the sign is certain the branch taken, whatever the other
    /// one is, otherwise the hull of both.
    pub fn choose(self, a: impl Into<TaylorModel>, b: impl Into<TaylorModel>) -> TaylorModel {
        let (switch, a, b) = (self.range, a.into(), b.into());
        match switch {
            Interval::ENTIRE => TaylorModel::ENTIRE,
            _ if switch.lo > 0.0 => a,
            _ if switch.hi <= 0.0 => b,
            _ => a.range.hull(b.range).into(),
        }
    }

    /// A bound on a quantity that has the value `at_centre` at the centre, changes by no more than the argument does,
    /// and is nowhere larger than `bound`.
    fn at_most(self, at_centre: f64, bound: f64) -> f64 {
        (at_centre + self.slope.abs() + self.remainder).min(bound)
    }

    /// A function of one argument, from the extensions of the function and of its derivative to intervals.
    pub(crate) fn function(
        self,
        f: impl Fn(Interval) -> Interval,
        derivative: impl FnOnce(Interval) -> Interval,
    ) -> TaylorModel {
        let range = f(self.range);
        if range == Interval::ENTIRE || !self.is_line() {
            return range.into();
        }
        let value = f(Interval::point(self.centre));
        TaylorModel::by_mean_value(range, value, &[(derivative(self.range), self)])
    }

    /// A function of two arguments, from the extensions of the function and of its partial derivatives to intervals.
    fn function_of_two(
        self,
        other: TaylorModel,
        f: impl Fn(Interval, Interval) -> Interval,
        derivatives: impl FnOnce(Interval, Interval) -> [Interval; 2],
    ) -> TaylorModel {
        let range = f(self.range, other.range);
        let are_centred = self.range.contains(self.centre) && other.range.contains(other.centre);
        if range == Interval::ENTIRE || !are_centred || (self.slope == 0.0 && other.slope == 0.0) {
            return range.into();
        }
        let value = f(Interval::point(self.centre), Interval::point(other.centre));
        let [by_self, by_other] = derivatives(self.range, other.range);
        TaylorModel::by_mean_value(range, value, &[(by_self, self), (by_other, other)])
    }
}
