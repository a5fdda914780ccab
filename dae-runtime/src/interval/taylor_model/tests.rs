//! Taylor models against values at random points, and against intervals.

use super::*;

/// Random numbers and models between two bounds, the same in every run.
struct Random(fastrand::Rng);

impl Random {
    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.0.f64()
    }

    /// A model whose range lies between the bounds.
    fn model(&mut self, lo: f64, hi: f64) -> TaylorModel {
        let radius = self.between(0.0, 1.0).powi(4) * 0.5 * (hi - lo);
        let (share, sign) = (self.between(0.0, 1.0), self.between(-1.0, 1.0).signum());
        let centre = self.between(lo + radius, hi - radius);
        TaylorModel::new(centre, sign * share * radius, (1.0 - share) * radius).narrowed(Interval { lo, hi })
    }

    /// A value of the model, and the point where it is taken.
    fn value(&mut self, x: TaylorModel) -> (f64, f64) {
        let s = self.between(-1.0, 1.0);
        ((x.centre + x.slope * s + self.between(-1.0, 1.0) * x.remainder).clamp(x.range.lo, x.range.hi), s)
    }
}

fn interval(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi).unwrap()
}

/// Whether the model has this value there, up to rounding errors of the value.
fn has(model: TaylorModel, value: f64, s: f64) -> bool {
    let rounding = 1e-14 * (value.abs() + model.centre.abs() + model.slope.abs());
    let is_near = (value - model.centre - model.slope * s).abs() <= model.remainder + rounding;
    is_near && model.range.lo - rounding <= value && value <= model.range.hi + rounding
}

/// Whether the range is as narrow as with intervals, up to the remainder and rounding errors.
fn is_hardly_wider(model: TaylorModel, by_intervals: Interval) -> bool {
    let rounding = 1e-14 * model.range.magnitude();
    let slack = rounding + if model.slope == 0.0 { 0.0 } else { 2.0 * model.remainder };
    by_intervals.lo - slack <= model.range.lo && model.range.hi <= by_intervals.hi + slack
}

type OfOne = (fn(TaylorModel) -> TaylorModel, fn(Interval) -> Interval, fn(f64) -> f64, [f64; 2]);

#[test]
fn functions_enclose_their_values() {
    let functions: [OfOne; 29] = [
        (TaylorModel::sqrt, Interval::sqrt, f64::sqrt, [0.0, 3.0]),
        (TaylorModel::cbrt, Interval::cbrt, f64::cbrt, [-2.0, 3.0]),
        (TaylorModel::exp, Interval::exp, f64::exp, [-4.0, 3.0]),
        (TaylorModel::exp_m1, Interval::exp_m1, f64::exp_m1, [-4.0, 3.0]),
        (TaylorModel::ln, Interval::ln, f64::ln, [0.01, 3.0]),
        (TaylorModel::log10, Interval::log10, f64::log10, [0.01, 3.0]),
        (TaylorModel::log2, Interval::log2, f64::log2, [0.01, 3.0]),
        (TaylorModel::ln_1p, Interval::ln_1p, f64::ln_1p, [-0.9, 3.0]),
        (TaylorModel::sin, Interval::sin, f64::sin, [-5.0, 5.0]),
        (TaylorModel::cos, Interval::cos, f64::cos, [-5.0, 5.0]),
        (TaylorModel::tan, Interval::tan, f64::tan, [-1.5, 1.5]),
        (TaylorModel::asin, Interval::asin, f64::asin, [-1.0, 1.0]),
        (TaylorModel::acos, Interval::acos, f64::acos, [-1.0, 1.0]),
        (TaylorModel::atan, Interval::atan, f64::atan, [-5.0, 5.0]),
        (TaylorModel::sinh, Interval::sinh, f64::sinh, [-3.0, 3.0]),
        (TaylorModel::cosh, Interval::cosh, f64::cosh, [-3.0, 3.0]),
        (TaylorModel::tanh, Interval::tanh, f64::tanh, [-3.0, 3.0]),
        (TaylorModel::asinh, Interval::asinh, f64::asinh, [-3.0, 3.0]),
        (TaylorModel::acosh, Interval::acosh, f64::acosh, [1.0, 3.0]),
        (TaylorModel::atanh, Interval::atanh, f64::atanh, [-0.99, 0.99]),
        (TaylorModel::abs, Interval::abs, f64::abs, [-3.0, 3.0]),
        (TaylorModel::signum, Interval::signum, f64::signum, [-3.0, 3.0]),
        (|x| x.powi(2), |x| x.powi(2), |x| x.powi(2), [-3.0, 3.0]),
        (|x| x.powi(3), |x| x.powi(3), |x| x.powi(3), [-3.0, 3.0]),
        (|x| x.powi(4), |x| x.powi(4), |x| x.powi(4), [-3.0, 3.0]),
        (|x| x.powi(-3), |x| x.powi(-3), |x| x.powi(-3), [0.1, 3.0]),
        (|x| x * x, |x| x.powi(2), |x| x * x, [0.0, 3.0]),
        (|x| 2.5 - x, |x| 2.5 - x, |x| 2.5 - x, [-3.0, 3.0]),
        (|x| 2.5 / x, |x| 2.5 / x, |x| 2.5 / x, [-3.0, -0.1]),
    ];
    let (mut random, mut lines) = (Random(fastrand::Rng::with_seed(1)), 0);
    for (k, (function, on_intervals, on_numbers, [lo, hi])) in functions.into_iter().enumerate() {
        for _ in 0..1000 {
            let x = random.model(lo, hi);
            let f = function(x);
            let by_intervals = on_intervals(x.range);
            assert!(is_hardly_wider(f, by_intervals), "{k}: {x:?} {f:?} {by_intervals}");
            lines += usize::from(f.slope != 0.0);
            for _ in 0..5 {
                let (value, s) = random.value(x);
                assert!(has(f, on_numbers(value), s), "{k} at {value}, {s}: {x:?} {f:?}");
            }
        }
    }
    assert!(lines > 15_000, "{lines}");
}

#[test]
fn functions_of_two_enclose_their_values() {
    type OfTwo = (
        fn(TaylorModel, TaylorModel) -> TaylorModel,
        fn(Interval, Interval) -> Interval,
        fn(f64, f64) -> f64,
        [[f64; 2]; 2],
    );
    let functions: [OfTwo; 11] = [
        (|x, y| x + y, |x, y| x + y, |x, y| x + y, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|x, y| x - y, |x, y| x - y, |x, y| x - y, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|x, y| x * y, |x, y| x * y, |x, y| x * y, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|x, y| x / y, |x, y| x / y, |x, y| x / y, [[-3.0, 3.0], [0.1, 3.0]]),
        (|x, y| x.min(y), |x, y| x.min(y), f64::min, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|x, y| x.max(y), |x, y| x.max(y), f64::max, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|x, y| x.hypot(y), |x, y| x.hypot(y), f64::hypot, [[-3.0, 3.0], [-3.0, 3.0]]),
        (|y, x| y.atan2(x), |y, x| y.atan2(x), f64::atan2, [[-3.0, 3.0], [0.1, 3.0]]),
        (|y, x| y.atan2(x), |y, x| y.atan2(x), f64::atan2, [[0.1, 3.0], [-3.0, 3.0]]),
        (|x, y| x.powf(y), |x, y| x.powf(y), f64::powf, [[0.1, 3.0], [-2.0, 2.0]]),
        (
            |x, y| y.choose(x, 2.0 * y),
            |x, y| y.choose(x, 2.0 * y),
            |x, y| if y > 0.0 { x } else { 2.0 * y },
            [[-3.0, 3.0], [-3.0, 3.0]],
        ),
    ];
    let mut random = Random(fastrand::Rng::with_seed(2));
    for (k, (function, on_intervals, on_numbers, [of_x, of_y])) in functions.into_iter().enumerate() {
        for _ in 0..2000 {
            let (x, y) = (random.model(of_x[0], of_x[1]), random.model(of_y[0], of_y[1]));
            let f = function(x, y);
            let by_intervals = on_intervals(x.range, y.range);
            assert!(is_hardly_wider(f, by_intervals), "{k}: {x:?} {y:?} {f:?} {by_intervals}");
            for _ in 0..5 {
                let s = random.between(-1.0, 1.0);
                let mut at = |x: TaylorModel| {
                    let value = x.centre + x.slope * s + random.between(-1.0, 1.0) * x.remainder;
                    value.clamp(x.range.lo, x.range.hi)
                };
                let value = on_numbers(at(x), at(y));
                assert!(has(f, value, s), "{k} has {value} at {s}: {x:?} {y:?} {f:?}");
            }
        }
    }
}

#[test]
fn what_is_linear_cancels() {
    let x = TaylorModel::new(1.0, 0.5, 0.0);
    assert!((x - x).range().magnitude() < 1e-13);
    let distance = |width: f64| {
        let x = TaylorModel::new(1.0, width, 0.0);
        (x.exp() * (-x).exp() - 1.0).range().magnitude()
    };
    // With intervals it is 0.22, and about half of that for half the width.
    assert!(distance(0.1) < 0.04 && distance(0.05) < 0.3 * distance(0.1));
}

#[test]
fn zeros_lie_near_that_of_the_line() {
    let [from, to] = TaylorModel::new(0.25, 1.0, 0.125).zeros_within(0.0625);
    assert!((-0.43751..=-0.4375).contains(&from) && (-0.0625..-0.06249).contains(&to));
    assert_eq!(TaylorModel::from(interval(-1.0, 2.0)).zeros_within(0.0), [-1.0, 1.0]);
    assert_eq!(TaylorModel::ENTIRE.zeros_within(0.0), [-1.0, 1.0]);
    assert_eq!(TaylorModel::ZERO.zeros_within(0.0), [-1.0, 1.0]);
}

#[test]
fn nothing_is_known_where_a_function_is_undefined() {
    let x = TaylorModel::new(0.0, 1.0, 0.0);
    for unknown in [1.0 / x, x.sqrt(), x.ln(), x.atan2(x), TaylorModel::ENTIRE - TaylorModel::ENTIRE, x.powi(-2)] {
        assert_eq!(unknown.range(), Interval::ENTIRE);
    }
    assert_eq!(TaylorModel::point(f64::NAN), TaylorModel::ENTIRE);
    let huge = TaylorModel::new(1e200, 1e199, 0.0);
    assert!((huge * huge).range().contains(f64::MAX) && (huge * huge).range().lo() > 0.0);
    // The root begins at zero, where it has no derivative.
    assert_eq!(TaylorModel::new(1.0, 1.0, 0.0).narrowed(interval(0.0, 2.0)).sqrt().range().lo(), 0.0);
}

#[test]
fn numbers_of_any_size_are_enclosed() {
    type OfSize = (fn(TaylorModel) -> TaylorModel, fn(f64) -> f64);
    let functions: [OfSize; 8] = [
        (|x| 1.0 / x, |x| 1.0 / x),
        (TaylorModel::ln, f64::ln),
        (TaylorModel::sqrt, f64::sqrt),
        (TaylorModel::cbrt, f64::cbrt),
        (|x| x.powi(2), |x| x.powi(2)),
        (|x| x.powi(-1), |x| 1.0 / x),
        (|x| x.powi(-4), |x| 1.0 / (x * x) / (x * x)),
        (TaylorModel::atan, f64::atan),
    ];
    let mut random = Random(fastrand::Rng::with_seed(3));
    for (k, (function, on_numbers)) in functions.into_iter().enumerate() {
        for exponent in -300..300 {
            let size = 10f64.powi(exponent);
            let x = TaylorModel::new(size * random.between(1.0, 2.0), size * random.between(-0.1, 0.1), 0.0);
            let f = function(x);
            for s in [-1.0, -0.5, 0.5, 1.0] {
                let value = on_numbers(x.centre + x.slope * s);
                let is_known = f.range == Interval::ENTIRE || !value.is_normal() || has(f, value, s);
                assert!(is_known, "{k} at {s}: {x:?} {f:?} {value:e}");
            }
        }
    }
}
