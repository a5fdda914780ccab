//! The functions of the operator table on intervals.
//!
//! In: a function and intervals for its arguments. Out: an interval that contains all its values, the entire line if it is
//! undefined anywhere on them. Monotone functions by their values at the bounds, sine and cosine by what extrema lie between.

use std::f64::consts::{PI, TAU};

use super::super::Function;
use super::{Interval, down, up};

/// By how many units in the last place results of the mathematical library are widened. Errors documented for common
/// libraries are at most 2 for the functions used here (the manual of the GNU C Library, *Known Maximum Errors in Math
/// Functions*; P. Zimmermann et al., *Accuracy of Mathematical Functions*, 2024).
pub const LIBRARY_ULPS: u32 = 4;

/// Beyond this magnitude the position of extrema is left open.
const MAX_ANGLE: f64 = 1e6;
/// How uncertain the position of an extremum is taken to be: far above rounding errors for angles up to [`MAX_ANGLE`].
const ANGLE_SLACK: f64 = 1e-8;

impl Interval {
    /// $\{f(x, y, z)\}$; `b` does not matter to functions of one argument, `c` not to those of two.
    pub fn apply(function: Function, a: Interval, b: Interval, c: Interval) -> Interval {
        if function == Function::If {
            return Interval::choose(a, b, c);
        }
        if a == Interval::ENTIRE || (function.arity() == 2 && b == Interval::ENTIRE) {
            return Interval::ENTIRE;
        }
        let above = |bound: f64| a.lo > bound;
        let inside = |lo: f64, hi: f64| a.lo >= lo && a.hi <= hi;
        match function {
            Function::Sqrt if a.lo >= 0.0 => Interval::checked(
                a.lo.sqrt().next_down().max(0.0),
                if a.hi == 0.0 { 0.0 } else { a.hi.sqrt().next_up() },
            ),
            Function::Cbrt => a.increasing(f64::cbrt, Interval::ENTIRE),
            Function::Exp => a.increasing(f64::exp, POSITIVE),
            Function::ExpM1 => a.increasing(f64::exp_m1, Interval { lo: -1.0, hi: f64::INFINITY }),
            Function::Ln if above(0.0) => a.increasing(f64::ln, Interval::ENTIRE),
            Function::Log10 if above(0.0) => a.increasing(f64::log10, Interval::ENTIRE),
            Function::Log2 if above(0.0) => a.increasing(f64::log2, Interval::ENTIRE),
            Function::Ln1p if above(-1.0) => a.increasing(f64::ln_1p, Interval::ENTIRE),
            Function::Sin => a.between_extrema(f64::sin, 0.5 * PI),
            Function::Cos => a.between_extrema(f64::cos, 0.0),
            Function::Tan if !a.meets(0.5 * PI, PI) => a.increasing(f64::tan, Interval::ENTIRE),
            Function::Asin if inside(-1.0, 1.0) => a.increasing(f64::asin, Interval::ENTIRE),
            Function::Acos if inside(-1.0, 1.0) => -a.increasing(|x| -x.acos(), Interval::ENTIRE),
            Function::Atan => a.increasing(f64::atan, Interval::ENTIRE),
            Function::Atan2 => Interval::angle(a, b),
            Function::Sinh => a.increasing(f64::sinh, Interval::ENTIRE),
            Function::Cosh => {
                let size = Interval { lo: a.mignitude(), hi: a.magnitude() };
                size.increasing(f64::cosh, Interval { lo: 1.0, hi: f64::INFINITY })
            }
            Function::Tanh => a.increasing(f64::tanh, UNIT),
            Function::Asinh => a.increasing(f64::asinh, Interval::ENTIRE),
            Function::Acosh if a.lo >= 1.0 => a.increasing(f64::acosh, POSITIVE),
            Function::Atanh if above(-1.0) && a.hi < 1.0 => a.increasing(f64::atanh, Interval::ENTIRE),
            Function::Abs => Interval { lo: a.mignitude(), hi: a.magnitude() },
            Function::Signum if a.lo > 0.0 => Interval::ONE,
            Function::Signum if a.hi < 0.0 => -Interval::ONE,
            Function::Signum => UNIT,
            Function::Min => Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
            Function::Max => Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
            Function::Hypot => Interval::checked(
                down(a.mignitude().hypot(b.mignitude()), LIBRARY_ULPS).max(0.0),
                up(a.magnitude().hypot(b.magnitude()), LIBRARY_ULPS),
            ),
            Function::Powf if above(0.0) => Interval::power(a, b),
            Function::If => Interval::choose(a, b, c),
            Function::Sqrt
            | Function::Ln
            | Function::Log10
            | Function::Log2
            | Function::Ln1p
            | Function::Tan
            | Function::Asin
            | Function::Acos
            | Function::Acosh
            | Function::Atanh
            | Function::Powf => Interval::ENTIRE,
        }
    }

    /// The branch that is certain, whatever the other one is, or the hull of both.
    fn choose(switch: Interval, a: Interval, b: Interval) -> Interval {
        match switch {
            Interval::ENTIRE => Interval::ENTIRE,
            _ if switch.lo > 0.0 => a,
            _ if switch.hi <= 0.0 => b,
            _ => a.hull(b),
        }
    }

    /// An increasing function of the library, within its range.
    fn increasing(self, f: impl Fn(f64) -> f64, range: Interval) -> Interval {
        let lo = down(f(self.lo), LIBRARY_ULPS).max(range.lo);
        let hi = up(f(self.hi), LIBRARY_ULPS).min(range.hi);
        Interval::checked(lo, hi)
    }

    /// Sine or cosine with a maximum at `peak`.
    fn between_extrema(self, f: impl Fn(f64) -> f64, peak: f64) -> Interval {
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

    /// The angle of $(x, y)$; off the origin and the negative half-axis it is extremal at corners.
    fn angle(y: Interval, x: Interval) -> Interval {
        if x.lo <= 0.0 && y.contains(0.0) {
            return Interval::ENTIRE;
        }
        let corners = [y.lo.atan2(x.lo), y.lo.atan2(x.hi), y.hi.atan2(x.lo), y.hi.atan2(x.hi)];
        Interval::corners(corners, Interval::ENTIRE)
    }

    /// $x^y$ for $x > 0$: monotone in each variable, so extremal at corners.
    fn power(x: Interval, y: Interval) -> Interval {
        if x.hi.is_infinite() {
            return POSITIVE;
        }
        Interval::corners([x.lo.powf(y.lo), x.lo.powf(y.hi), x.hi.powf(y.lo), x.hi.powf(y.hi)], POSITIVE)
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

/// $[0, \infty]$.
const POSITIVE: Interval = Interval { lo: 0.0, hi: f64::INFINITY };
/// $[-1, 1]$.
const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lo: f64, hi: f64) -> Interval {
        Interval::new(lo, hi).unwrap()
    }

    #[test]
    fn outside_the_domain_nothing_is_known() {
        let beyond = [
            (Function::Sqrt, interval(-1e-300, 1.0)),
            (Function::Ln, interval(0.0, 1.0)),
            (Function::Log10, interval(-1.0, 1.0)),
            (Function::Log2, interval(0.0, 0.0)),
            (Function::Ln1p, interval(-1.0, 1.0)),
            (Function::Tan, interval(1.5, 1.6)),
            (Function::Asin, interval(0.5, 1.0f64.next_up())),
            (Function::Acos, interval(-2.0, 0.0)),
            (Function::Acosh, interval(0.5, 2.0)),
            (Function::Atanh, interval(0.0, 1.0)),
            (Function::Atan2, interval(-1.0, 1.0)),
            (Function::Powf, interval(0.0, 1.0)),
        ];
        for (function, a) in beyond {
            assert_eq!(
                Interval::apply(function, a, interval(-1.0, 1.0), Interval::ONE),
                Interval::ENTIRE,
                "{}",
                function.name()
            );
        }
        for function in Function::ALL {
            assert_eq!(Interval::apply(function, Interval::ENTIRE, Interval::ONE, Interval::ZERO), Interval::ENTIRE);
        }
    }

    #[test]
    fn a_certain_branch_hides_the_other() {
        let (a, b) = (interval(1.0, 2.0), interval(5.0, 6.0));
        let choose = |switch, a, b| Interval::apply(Function::If, switch, a, b);
        assert_eq!(choose(interval(1e-300, 1.0), a, Interval::ENTIRE), a);
        assert_eq!(choose(interval(-1.0, 0.0), Interval::ENTIRE, b), b);
        assert_eq!(choose(interval(-1.0, 1e-300), a, b), interval(1.0, 6.0));
        assert_eq!(choose(interval(-1.0, 1.0), a, Interval::ENTIRE), Interval::ENTIRE);
        assert_eq!(choose(Interval::ENTIRE, a, b), Interval::ENTIRE);
    }

    #[test]
    fn extrema_between_the_bounds() {
        let sine = |lo, hi| Interval::apply(Function::Sin, interval(lo, hi), Interval::ONE, Interval::ONE);
        assert_eq!(sine(1.0, 2.0).hi, 1.0);
        assert!(sine(1.0, 1.5).hi < 1.0 && sine(1.0, 1.5).width() < 0.157);
        assert_eq!(sine(4.0, 5.0).lo, -1.0);
        assert_eq!(sine(-1e9, -1e9 + 1.0), UNIT);
        assert_eq!(sine(0.0, 7.0), UNIT);
        let cosine = Interval::apply(Function::Cos, interval(-0.5, 0.25), Interval::ONE, Interval::ONE);
        assert!(cosine.hi == 1.0 && (cosine.lo - 0.5f64.cos()).abs() < 1e-15);
        let cosh = Interval::apply(Function::Cosh, interval(-2.0, 1.0), Interval::ONE, Interval::ONE);
        assert!(cosh.lo == 1.0 && (cosh.hi - 2f64.cosh()).abs() < 1e-14);
        let angle = Interval::apply(Function::Atan2, interval(1.0, 2.0), interval(-1.0, 1.0), Interval::ONE);
        assert!(angle.contains(0.25 * PI) && angle.contains(0.75 * PI) && angle.width() < 0.5 * PI + 1e-14);
    }
}
