//! The expression kernel: canonical form, assumptions, derivatives, substitution, values, enclosures.

use dae_symbolic::expr::ball::Ball;
use dae_symbolic::expr::interval::{self, Interval, TaylorModel};
use dae_symbolic::expr::{
    Assumption, Dag, Domain, Expr, Function, InputId, ParameterId, Rational, Symbol, UnknownId, differentiate,
    evaluate, evaluate_one, gradient, substitute, total_derivative,
};

fn unknown(k: u32, order: u32) -> Symbol {
    Symbol::Unknown { unknown: UnknownId(k), order }
}

fn q(n: i64, d: i64) -> Rational {
    Rational::new(n, d).unwrap()
}

fn xyz(dag: &mut Dag) -> [Expr; 3] {
    [0, 1, 2].map(|k| dag.symbol(unknown(k, 0)))
}

#[test]
fn numbers_are_exact() {
    let mut dag = Dag::new();
    let (six, many) = (dag.integer(6), dag.integer(9000));
    let quotient = dag.div(six, many);
    assert_eq!(dag.as_constant(quotient), Some(&q(1, 1500)));
    let decimal = dag.constant(Rational::from_decimal("9.81").unwrap());
    let hundred = dag.integer(100);
    let product = dag.mul(decimal, hundred);
    assert_eq!(product, dag.integer(981));
    // Beyond the range of machine integers and back.
    let half = dag.constant(q(1, 2));
    let small = dag.powi(half, 200);
    let large = dag.integer(2);
    let large = dag.powi(large, 200);
    assert_eq!(dag.mul(small, large), dag.integer(1));
    assert!(dag.assumptions().is_empty());
}

#[test]
fn like_terms_and_powers_are_collected() {
    let mut dag = Dag::new();
    let [x, y, _] = xyz(&mut dag);
    let (xy, yx) = (dag.mul(x, y), dag.mul(y, x));
    assert_eq!(xy, yx);
    let sum = dag.sum([(q(2, 1), xy), (q(-1, 2), yx), (q(-3, 2), xy)]);
    assert!(dag.is_zero(sum));
    let (s, t) = (dag.add(x, y), dag.add(y, x));
    assert_eq!(s, t);
    let (square, cube) = (dag.powi(x, 2), dag.powi(x, 3));
    assert_eq!(dag.mul(square, x), cube);
    // (2x)³ (x/4) = 2x⁴
    let (twice, quarter) = (dag.scale(q(2, 1), x), dag.scale(q(1, 4), x));
    let product = dag.product([(twice, 3), (quarter, 1)]);
    let fourth = dag.powi(x, 4);
    assert_eq!(product, dag.scale(q(2, 1), fourth));
    let (nested, flat) = (dag.add(s, x), dag.sum([(q(2, 1), x), (q(1, 1), y)]));
    assert_eq!(nested, flat);
    assert!(dag.assumptions().is_empty());
}

#[test]
fn simplifications_that_need_a_condition_record_it() {
    let mut dag = Dag::new();
    let [x, y, z] = xyz(&mut dag);
    assert_eq!(dag.div(x, x), dag.integer(1));
    assert_eq!(dag.assumptions(), [Assumption::NonZero(x)]);
    let root = dag.apply(Function::Sqrt, &[y]);
    assert_eq!(dag.powi(root, 2), y);
    assert_eq!(dag.assumptions()[1..], [Assumption::NonNegative(y)]);
    let logarithm = dag.apply(Function::Ln, &[z]);
    assert_eq!(dag.apply(Function::Exp, &[logarithm]), z);
    assert_eq!(dag.assumptions()[2..], [Assumption::Positive(z)]);
    // Each is recorded once.
    dag.div(x, x);
    assert_eq!(dag.assumptions().len(), 3);
}

#[test]
fn simplifications_that_always_hold_record_nothing() {
    let mut dag = Dag::new();
    let [x, y, _] = xyz(&mut dag);
    let (square, abs) = (dag.powi(x, 2), dag.apply(Function::Abs, &[x]));
    assert_eq!(dag.apply(Function::Sqrt, &[square]), abs);
    assert_eq!(dag.powi(abs, 2), square);
    let exp = dag.apply(Function::Exp, &[x]);
    assert_eq!(dag.apply(Function::Ln, &[exp]), x);
    let (a, b) = (dag.sub(x, y), dag.sub(y, x));
    let (sin_a, sin_b) = (dag.apply(Function::Sin, &[a]), dag.apply(Function::Sin, &[b]));
    assert_eq!(dag.neg(sin_a), sin_b);
    assert_eq!(dag.apply(Function::Cos, &[a]), dag.apply(Function::Cos, &[b]));
    let pi = dag.pi();
    let turned = dag.sum([(q(1, 1), x), (q(5, 2), pi)]);
    assert_eq!(dag.apply(Function::Sin, &[turned]), dag.apply(Function::Cos, &[x]));
    let (sixteen, three) = (dag.integer(16), dag.constant(q(3, 2)));
    assert_eq!(dag.apply(Function::Powf, &[sixteen, three]), dag.integer(64));
    assert!(dag.assumptions().is_empty());
}

/// The negative of a long sum is kept as that sum with a factor of -1; moving the factor out of even and odd functions
/// has to terminate.
#[test]
fn functions_of_long_sums_end() {
    let mut dag = Dag::new();
    let terms: Vec<(Rational, Expr)> = (0..40).map(|k| (q(-1, 1), dag.symbol(unknown(k, 0)))).collect();
    let long = dag.sum(terms);
    let opposite = dag.neg(long);
    let (even, odd) = (dag.apply(Function::Cos, &[long]), dag.apply(Function::Sin, &[opposite]));
    let of = |dag: &Dag, e: Expr| evaluate_one(dag, e, |_| 0.125);
    assert_eq!((of(&dag, even), of(&dag, odd)), (f64::cos(5.0), f64::sin(5.0)));
}

#[test]
fn division_by_the_number_zero_stays() {
    let mut dag = Dag::new();
    let [x, ..] = xyz(&mut dag);
    let zero = dag.integer(0);
    for quotient in [dag.div(x, zero), dag.div(zero, zero)] {
        assert_eq!(dag.as_constant(quotient), None);
        assert!(!evaluate_one(&dag, quotient, |_| 1.0).is_finite());
    }
}

/// The first two arguments of a function at three points of its domain, where its values, derivatives and enclosures
/// are checked.
fn points(function: Function) -> [(f64, f64); 3] {
    match function.domain() {
        Domain::Reals | Domain::CosineNonZero => [(0.3, 0.0), (-0.7, 0.0), (1.1, 0.0)],
        Domain::Kink => [(0.6, 1.9), (-2.5, 0.4), (3.0, -1.0)],
        Domain::Steps => [(0.6, 0.0), (-2.5, 0.0), (3.2, 0.0)],
        Domain::NonZero => [(0.6, 1.9), (-2.5, 0.4), (3.0, -1.0)],
        Domain::Positive => [(0.6, 1.9), (2.5, 0.4), (3.0, -1.0)],
        Domain::AboveOne => [(1.5, 0.0), (2.0, 0.0), (7.0, 0.0)],
        Domain::OpenUnitInterval => [(0.5, 0.0), (-0.3, 0.0), (0.0625, 0.0)],
        Domain::AboveMinusOne => [(-0.5, 0.0), (0.3, 0.0), (4.0, 0.0)],
    }
}

/// The central difference of order 8 (B. Fornberg, *Math. Comp.* 51, 1988, table 1).
fn central_difference(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    (1..=4).zip(weights).map(|(k, w)| w * (f(f64::from(k) * h) - f(f64::from(-k) * h)) / h).sum()
}

#[test]
fn partial_derivatives_of_all_functions() {
    for function in Function::ALL {
        let mut dag = Dag::new();
        let [x, y, z] = xyz(&mut dag);
        let arguments = &[x, y, z][..function.arity()];
        let expr = dag.apply(function, arguments);
        for (a, b) in points(function) {
            let at = [a, b, a * b + 0.5];
            let value = |x: [f64; 3]| function.value(x[0], x[1], x[2]);
            let of = |s: Symbol| at[(0..3).position(|k| unknown(k, 0) == s).unwrap()];
            assert_eq!(evaluate_one(&dag, expr, of), value(at));
            for k in 0..function.arity() {
                let partial = differentiate(&mut dag, expr, unknown(k as u32, 0));
                let exact = evaluate_one(&dag, partial, of);
                let shifted = |h: f64| {
                    let mut x = at;
                    x[k] += h;
                    value(x)
                };
                let difference = central_difference(shifted, 2e-3);
                let error = (exact - difference).abs() / difference.abs().max(1.0);
                assert!(error < 1e-9, "{} by argument {k} at ({a}, {b}): {exact} {difference}", function.name());
            }
        }
    }
}

/// Intervals and Taylor models over a short line segment through a point, and balls at points of the segment.
#[test]
fn enclosures_of_all_functions_contain_their_values() {
    const REACH: f64 = 0.01;
    for function in Function::ALL {
        for (a, b) in points(function) {
            let name = function.name();
            let at = [a, b, a * b + 0.5];
            let [x, y, z] = at.map(|x| Interval::new(x - REACH, x + REACH).unwrap());
            let on_box = interval::apply(function, x, y, z);
            let [x, y, z] = at.map(|x| TaylorModel::new(x, REACH, 0.0));
            let along = interval::apply_along(function, x, y, z);
            assert!(on_box.width() < 1.0 && along.range().width() < 1.0, "{name}: {on_box} {along:?}");
            for s in [-1.0, -0.6, 0.0, 0.3, 1.0] {
                let [x, y, z] = at.map(|x| x + REACH * s);
                let value = function.value(x, y, z);
                assert!(on_box.contains(value) && along.range().contains(value), "{name}: {value} {on_box} {along:?}");
                let rounding = 1e-14 * value.abs().max(1.0);
                let [from, to] = (along - TaylorModel::point(value)).zeros_within(rounding);
                assert!(from <= s && s <= to, "{name}: the value at {s} is placed between {from} and {to}");
                let [x, y, z] = [x, y, z].map(Ball::of_f64);
                let ball = Ball::apply(function, &x, &y, &z);
                assert!(ball.is_bounded() && (ball.to_f64() - value).abs() <= rounding, "{name}: {value} {ball:?}");
            }
        }
    }
}

#[test]
fn names_lead_back_to_functions() {
    for function in Function::ALL {
        assert_eq!(Function::from_name(function.name()), Some(function));
    }
    assert_eq!(Function::from_name("sine"), None);
}

#[test]
fn gradient_agrees_with_single_derivatives() {
    let mut dag = Dag::new();
    let [x, y, z] = xyz(&mut dag);
    let product = dag.mul(x, y);
    let sine = dag.apply(Function::Sin, &[product]);
    let quotient = dag.div(sine, z);
    let hypot = dag.apply(Function::Hypot, &[x, quotient]);
    let expr = dag.sum([(q(3, 2), hypot), (q(-1, 1), quotient), (q(2, 1), x)]);
    let all = gradient(&mut dag, expr, |_| true);
    assert_eq!(all.iter().map(|&(s, _)| s).collect::<Vec<_>>(), [0, 1, 2].map(|k| unknown(k, 0)));
    for &(symbol, partial) in &all {
        assert_eq!(differentiate(&mut dag, expr, symbol), partial);
    }
    let only = gradient(&mut dag, expr, |s| s == unknown(1, 0));
    assert_eq!(only, [all[1]]);
    let none = dag.integer(0);
    assert_eq!(differentiate(&mut dag, expr, Symbol::Time), none);
}

#[test]
fn total_derivative_follows_the_jet() {
    let mut dag = Dag::new();
    let [x, y, _] = xyz(&mut dag);
    let (dx, dy) = (dag.symbol(unknown(0, 1)), dag.symbol(unknown(1, 1)));
    let t = dag.symbol(Symbol::Time);
    let p = dag.symbol(Symbol::Parameter(ParameterId(0)));
    let input = |order| Symbol::Input { input: InputId(3), order };
    let (u, du) = (dag.symbol(input(0)), dag.symbol(input(1)));
    // d/dt (p x² t + y u) = 2 p x x' t + p x² + y' u + y u'
    let square = dag.powi(x, 2);
    let first = dag.product([(p, 1), (square, 1), (t, 1)]);
    let second = dag.mul(y, u);
    let expr = dag.add(first, second);
    let derivative = total_derivative(&mut dag, expr);
    let terms = [
        (q(2, 1), dag.product([(p, 1), (x, 1), (dx, 1), (t, 1)])),
        (q(1, 1), dag.mul(p, square)),
        (q(1, 1), dag.mul(dy, u)),
        (q(1, 1), dag.mul(y, du)),
    ];
    let expected = dag.sum(terms);
    assert_eq!(derivative, expected);
    // The derivative of a constant is zero.
    let constant = dag.apply(Function::Sin, &[p]);
    let derivative = total_derivative(&mut dag, constant);
    assert!(dag.is_zero(derivative));
}

#[test]
fn substitution_is_simultaneous_and_canonical() {
    let mut dag = Dag::new();
    let [x, y, _] = xyz(&mut dag);
    let (square, sine) = (dag.powi(x, 2), dag.apply(Function::Sin, &[y]));
    let expr = dag.sub(square, sine);
    // Swap x and y.
    let swapped = substitute(&mut dag, &[expr, x], |_, s| {
        if s == unknown(0, 0) {
            Some(y)
        } else if s == unknown(1, 0) {
            Some(x)
        } else {
            None
        }
    });
    let (square, sine) = (dag.powi(y, 2), dag.apply(Function::Sin, &[x]));
    assert_eq!(swapped, [dag.sub(square, sine), y]);
    // x = 3, y = 0 folds to a number.
    let numbers = substitute(&mut dag, &[expr], |dag, s| Some(dag.integer(if s == unknown(0, 0) { 3 } else { 0 })));
    assert_eq!(numbers, [dag.integer(9)]);
    let same = substitute(&mut dag, &[expr], |_, _| None);
    assert_eq!(same, [expr]);
}

#[test]
fn values_of_several_roots_share_their_parts() {
    let mut dag = Dag::new();
    let [x, y, _] = xyz(&mut dag);
    let product = dag.mul(x, y);
    let root = dag.apply(Function::Sqrt, &[product]);
    let values = evaluate(&dag, &[product, root, x], |s| if s == unknown(0, 0) { 2.0 } else { 8.0 });
    assert_eq!(values, [16.0, 4.0, 2.0]);
    assert_eq!(evaluate(&dag, &[], |_| 0.0), []);
}
