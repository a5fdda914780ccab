//! The functions of the operator table on intervals and on Taylor models.
//!
//! In: a function and enclosures of its arguments. Out: an enclosure of all its values, the entire line if it is
//! undefined anywhere on them.

use super::super::Function;
use super::{Interval, TaylorModel};

/// The functions as methods of a type of enclosures.
macro_rules! by_methods {
    ($function:expr, $a:expr, $b:expr, $c:expr) => {
        match $function {
            Function::Sqrt => $a.sqrt(),
            Function::Cbrt => $a.cbrt(),
            Function::Exp => $a.exp(),
            Function::ExpM1 => $a.exp_m1(),
            Function::Ln => $a.ln(),
            Function::Log10 => $a.log10(),
            Function::Log2 => $a.log2(),
            Function::Ln1p => $a.ln_1p(),
            Function::Sin => $a.sin(),
            Function::Cos => $a.cos(),
            Function::Tan => $a.tan(),
            Function::Asin => $a.asin(),
            Function::Acos => $a.acos(),
            Function::Atan => $a.atan(),
            Function::Atan2 => $a.atan2($b),
            Function::Sinh => $a.sinh(),
            Function::Cosh => $a.cosh(),
            Function::Tanh => $a.tanh(),
            Function::Asinh => $a.asinh(),
            Function::Acosh => $a.acosh(),
            Function::Atanh => $a.atanh(),
            Function::Abs => $a.abs(),
            Function::Signum => $a.signum(),
            Function::Floor => $a.floor(),
            Function::Min => $a.min($b),
            Function::Max => $a.max($b),
            Function::Hypot => $a.hypot($b),
            Function::Powf => $a.powf($b),
            Function::If => $a.choose($b, $c),
        }
    };
}

/// An interval that contains $f(x, y, z)$ for all $x$, $y$, $z$ in `a`, `b`, `c`; functions of one argument ignore `b`
/// and `c`, those of two ignore `c`.
pub fn apply(function: Function, a: Interval, b: Interval, c: Interval) -> Interval {
    by_methods!(function, a, b, c)
}

/// A Taylor model of $f(x, y, z)$ along a part of a step; unused arguments are ignored as in [`apply`].
pub fn apply_along(function: Function, a: TaylorModel, b: TaylorModel, c: TaylorModel) -> TaylorModel {
    by_methods!(function, a, b, c)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

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
            assert_eq!(apply(function, a, interval(-1.0, 1.0), Interval::ONE), Interval::ENTIRE, "{}", function.name());
        }
        for function in Function::ALL {
            assert_eq!(apply(function, Interval::ENTIRE, Interval::ONE, Interval::ZERO), Interval::ENTIRE);
        }
    }

    #[test]
    fn a_certain_branch_hides_the_other() {
        let (a, b) = (interval(1.0, 2.0), interval(5.0, 6.0));
        let choose = |switch, a, b| apply(Function::If, switch, a, b);
        assert_eq!(choose(interval(1e-300, 1.0), a, Interval::ENTIRE), a);
        assert_eq!(choose(interval(-1.0, 0.0), Interval::ENTIRE, b), b);
        assert_eq!(choose(interval(-1.0, 1e-300), a, b), interval(1.0, 6.0));
        assert_eq!(choose(interval(-1.0, 1.0), a, Interval::ENTIRE), Interval::ENTIRE);
        assert_eq!(choose(Interval::ENTIRE, a, b), Interval::ENTIRE);
    }

    #[test]
    fn extrema_between_the_bounds() {
        let sine = |lo, hi| apply(Function::Sin, interval(lo, hi), Interval::ONE, Interval::ONE);
        assert_eq!(sine(1.0, 2.0).hi(), 1.0);
        assert!(sine(1.0, 1.5).hi() < 1.0 && sine(1.0, 1.5).width() < 0.157);
        assert_eq!(sine(4.0, 5.0).lo(), -1.0);
        assert_eq!(sine(-1e9, -1e9 + 1.0), interval(-1.0, 1.0));
        assert_eq!(sine(0.0, 7.0), interval(-1.0, 1.0));
        let cosine = apply(Function::Cos, interval(-0.5, 0.25), Interval::ONE, Interval::ONE);
        assert!(cosine.hi() == 1.0 && (cosine.lo() - 0.5f64.cos()).abs() < 1e-15);
        let cosh = apply(Function::Cosh, interval(-2.0, 1.0), Interval::ONE, Interval::ONE);
        assert!(cosh.lo() == 1.0 && (cosh.hi() - 2f64.cosh()).abs() < 1e-14);
        let angle = apply(Function::Atan2, interval(1.0, 2.0), interval(-1.0, 1.0), Interval::ONE);
        assert!(angle.contains(FRAC_PI_4) && angle.contains(3.0 * FRAC_PI_4) && angle.width() < FRAC_PI_2 + 1e-14);
    }
}
