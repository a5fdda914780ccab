//! Elementary functions with twice the precision.
//!
//! In: numbers of about 32 digits. Out: values of functions there, to about 30. The exponential, sine and cosine are sums of their series after
//! reducing the argument; the others are one or two Newton steps from their values with 16 digits, each of which doubles the number of
//! digits (Brent, *Fast multiple-precision evaluation of elementary functions*, J. ACM 23, 1976).

use super::Scalar;
use super::twofold::Twofold;
use crate::expr::Function;

/// Smaller terms of a series do not count.
const NEGLIGIBLE: f64 = 1e-36;
/// Arguments up to which the series itself is summed where a difference would lose digits.
const SMALL: f64 = 0.3;
/// The argument of the exponential series is divided by two to this power.
const HALVINGS: i32 = 8;

/// The value at `a`, and `b`, `c` for functions of more arguments.
pub(super) fn value(function: Function, a: Twofold, b: Twofold, c: Twofold) -> Twofold {
    let one = Twofold::integer(1);
    // From a value with 16 digits, steps of the inverse function.
    let newton = |step: &dyn Fn(Twofold) -> Twofold| {
        let mut y = Twofold::of(function.value(a.high, b.high, c.high));
        for _ in 0..2 {
            let next = y.plus(step(y));
            // Where the inverse has no derivative the value stays.
            y = if next.high.is_finite() { next } else { y };
        }
        y
    };
    match function {
        Function::Sqrt => newton(&|y| a.minus(y.times(y)).over(y.scaled(2.0))),
        Function::Cbrt => newton(&|y| a.minus(y.times(y).times(y)).over(y.times(y).times(Twofold::of(3.0)))),
        Function::Exp => exp(a),
        Function::Ln => newton(&|y| a.times(exp(y.negative())).minus(one)),
        Function::Log10 => ln(a).over(ln(Twofold::of(10.0))),
        Function::Log2 => ln(a).over(ln(Twofold::of(2.0))),
        Function::Sin => sin_cos(a).0,
        Function::Cos => sin_cos(a).1,
        Function::Tan => quotient(sin_cos(a)),
        Function::Asin => newton(&|y| {
            let (sin, cos) = sin_cos(y);
            a.minus(sin).over(cos)
        }),
        Function::Acos => newton(&|y| {
            let (sin, cos) = sin_cos(y);
            cos.minus(a).over(sin)
        }),
        Function::Atan => newton(&|y| rotation(y, a, one)),
        Function::Atan2 => newton(&|y| rotation(y, a, b)),
        Function::Sinh => sinh_cosh(a).0,
        Function::Cosh => sinh_cosh(a).1,
        Function::Tanh => quotient(sinh_cosh(a)),
        Function::Asinh => newton(&|y| {
            let (sinh, cosh) = sinh_cosh(y);
            a.minus(sinh).over(cosh)
        }),
        Function::Acosh => newton(&|y| {
            let (sinh, cosh) = sinh_cosh(y);
            a.minus(cosh).over(sinh)
        }),
        Function::Atanh => newton(&|y| {
            let (sinh, cosh) = sinh_cosh(y);
            a.times(cosh).minus(sinh).times(cosh)
        }),
        Function::Abs => either(a.high < 0.0, a.negative(), a),
        Function::Signum => Twofold::of(function.value(a.high, b.high, c.high)),
        Function::Min => either(b.minus(a).high < 0.0, b, a),
        Function::Max => either(a.minus(b).high < 0.0, b, a),
        Function::Hypot => {
            let square = a.times(a).plus(b.times(b));
            newton(&|y| square.minus(y.times(y)).over(y.scaled(2.0)))
        }
        Function::ExpM1 => exp_m1(a),
        Function::Ln1p => newton(&|y| a.plus(one).times(exp_m1(y.negative())).plus(a)),
        Function::Powf => exp(b.times(ln(a))),
        Function::If => either(a.high > 0.0, b, c),
    }
}

fn either(first: bool, a: Twofold, b: Twofold) -> Twofold {
    if first { a } else { b }
}

fn quotient((a, b): (Twofold, Twofold)) -> Twofold {
    a.over(b)
}

fn ln(a: Twofold) -> Twofold {
    value(Function::Ln, a, a, a)
}

/// By how much the angle of the point $(x, y)$ exceeds $\varphi$, if it is little.
fn rotation(angle: Twofold, y: Twofold, x: Twofold) -> Twofold {
    let (sin, cos) = sin_cos(angle);
    y.times(cos).minus(x.times(sin)).over(x.times(cos).plus(y.times(sin)))
}

/// $\sum_{k \ge 1} x^k / k!$.
fn series(x: Twofold) -> Twofold {
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.high.abs() > NEGLIGIBLE {
        k += 1.0;
        term = term.times(x).over(Twofold::of(k));
        sum = sum.plus(term);
    }
    sum
}

fn exp(x: Twofold) -> Twofold {
    let k = (x.high / std::f64::consts::LN_2).round();
    if x.high.is_nan() || k.abs() > 1000.0 {
        return Twofold::of(x.high.exp());
    }
    let rest = x.minus(Twofold::LN_2.times(Twofold::of(k))).scaled(0.5_f64.powi(HALVINGS));
    // (1 + s)² = 1 + (2 s + s²).
    let power = (0..HALVINGS).fold(series(rest), |s, _| s.scaled(2.0).plus(s.times(s)));
    power.plus(Twofold::integer(1)).scaled(2.0_f64.powi(k as i32))
}

fn exp_m1(x: Twofold) -> Twofold {
    if x.high.abs() < SMALL { series(x) } else { exp(x).minus(Twofold::integer(1)) }
}

fn sinh_cosh(x: Twofold) -> (Twofold, Twofold) {
    let (up, down) = (exp(x), exp(x.negative()));
    let sinh = match x.high.abs() < SMALL {
        true => exp_m1(x).minus(exp_m1(x.negative())),
        false => up.minus(down),
    };
    (sinh.scaled(0.5), up.plus(down).scaled(0.5))
}

fn sin_cos(x: Twofold) -> (Twofold, Twofold) {
    let quarter = Twofold::PI.scaled(0.5);
    let k = (x.high / quarter.high).round();
    if k.is_nan() || k.abs() > 1e9 {
        return (Twofold::of(x.high.sin()), Twofold::of(x.high.cos()));
    }
    let rest = x.minus(quarter.times(Twofold::of(k)));
    let (mut term, mut n) = (Twofold::integer(1), 0.0);
    let (mut sin, mut cos) = (Twofold::ZERO, term);
    while term.high.abs() > NEGLIGIBLE {
        for sum in [&mut sin, &mut cos] {
            n += 1.0;
            term = term.times(rest).over(Twofold::of(n));
            *sum = sum.plus(term);
            if n % 2.0 == 1.0 {
                term = term.negative();
            }
        }
    }
    match (k as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, sin.negative()),
        2 => (sin.negative(), cos.negative()),
        _ => (cos.negative(), sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(function: Function, x: f64) -> Twofold {
        let x = Twofold::of(x);
        value(function, x, x, x)
    }

    fn is_zero(x: Twofold) -> bool {
        x.high.abs() < 1e-29
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
            for x in [0.1, 0.2, 0.7, 1.3] {
                let there = at(function, x);
                let back = value(inverse, there, there, there);
                assert!(is_zero(back.minus(Twofold::of(x))), "{function:?} at {x}: {back:?}");
            }
        }
    }

    #[test]
    fn identities_hold_to_thirty_digits() {
        for x in [0.1_f64, 1.0, 2.5, 40.0, -7.0] {
            let (sin, cos) = sin_cos(Twofold::of(x));
            assert!(is_zero(sin.times(sin).plus(cos.times(cos)).minus(Twofold::integer(1))), "{x}");
            let (sin2, _) = sin_cos(Twofold::of(2.0 * x));
            assert!(is_zero(sin.times(cos).scaled(2.0).minus(sin2)), "{x}");
            let [root, cube] = [Function::Sqrt, Function::Cbrt].map(|f| at(f, x.abs()));
            assert!(is_zero(root.times(root).minus(Twofold::of(x.abs()))), "{x}");
            assert!(is_zero(cube.times(cube).times(cube).minus(Twofold::of(x.abs()))), "{x}");
            let angle = value(Function::Atan2, sin, cos, cos).minus(Twofold::of(x)).over(Twofold::PI.scaled(2.0));
            assert!(is_zero(angle.minus(Twofold::of(angle.high.round()))), "{x}: {angle:?}");
        }
        assert!(is_zero(at(Function::Exp, 1.0).minus(Twofold::EULER)));
        // e^π - π = 19.999099979189475767266442984669044...
        let off = exp(Twofold::PI).minus(Twofold::PI).minus(Twofold::of(20.0));
        assert!((off.high + 9.000_208_105_242_327e-4).abs() < 1e-18, "{off:?}");
        assert_eq!(at(Function::Sqrt, 0.0), Twofold::ZERO);
    }
}
