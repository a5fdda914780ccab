//! Identities that must hold among residues, independence that must be proved, and assumptions that must be reported.

use super::super::{Dag, Expr, Function, Rational, Symbol, UnknownId};
use super::*;

struct Bench {
    dag: Dag,
    x: Expr,
    y: Expr,
    z: Expr,
}

fn unknown(k: u32) -> Symbol {
    Symbol::Unknown { unknown: UnknownId(k), order: 0 }
}

fn q(n: i64, d: i64) -> Rational {
    Rational::new(n, d).unwrap()
}

impl Bench {
    fn new() -> Self {
        let mut dag = Dag::new();
        let [x, y, z] = [0, 1, 2].map(|k| dag.symbol(unknown(k)));
        Bench { dag, x, y, z }
    }

    fn f(&mut self, function: Function, a: Expr) -> Expr {
        self.dag.apply(function, &[a])
    }

    /// $\sum_k q_k e_k$ with integers.
    fn sum(&mut self, terms: &[(i64, Expr)]) -> Expr {
        self.dag.sum(terms.iter().map(|&(n, e)| (Rational::from(n), e)))
    }

    fn at(&self, e: Expr) -> FieldEvaluation {
        FieldPoint::new(11).evaluate(&self.dag, &[e]).unwrap()
    }

    /// The residue; asserts that independence is proved.
    fn proven(&self, e: Expr) -> u64 {
        let evaluation = self.at(e);
        assert_eq!(evaluation.independence, Independence::Proven);
        evaluation.values[0]
    }

    fn reasons(&self, e: Expr) -> Vec<Reason> {
        match self.at(e).independence {
            Independence::Proven => Vec::new(),
            Independence::Assumed { because } => because,
        }
    }
}

#[test]
fn trigonometric_identities_are_zero() {
    let mut b = Bench::new();
    let (x, y) = (b.x, b.y);
    let (sin, cos) = (b.f(Function::Sin, x), b.f(Function::Cos, x));
    let (sin2, cos2, one) = (b.dag.powi(sin, 2), b.dag.powi(cos, 2), b.dag.integer(1));
    let pythagoras = b.sum(&[(1, sin2), (1, cos2), (-1, one)]);
    assert_eq!(b.proven(pythagoras), 0);

    let twice = b.sum(&[(2, x)]);
    let sin_twice = b.f(Function::Sin, twice);
    let product = b.dag.mul(sin, cos);
    let double_angle = b.sum(&[(1, sin_twice), (-2, product)]);
    assert_eq!(b.proven(double_angle), 0);
    let not_linear = b.sum(&[(1, sin_twice), (-2, sin)]);
    assert_ne!(b.proven(not_linear), 0);

    let tan = b.f(Function::Tan, x);
    let ratio = b.dag.div(sin, cos);
    let quotient = b.sum(&[(1, tan), (-1, ratio)]);
    assert_eq!(b.proven(quotient), 0);

    // sin(x/2 - y/3), with fractions of both.
    let (half, third) = (b.dag.scale(q(1, 2), x), b.dag.scale(q(1, 3), y));
    let difference = b.dag.sub(half, third);
    let [s, s1, c1, s2, c2] = [
        (Function::Sin, difference),
        (Function::Sin, half),
        (Function::Cos, half),
        (Function::Sin, third),
        (Function::Cos, third),
    ]
    .map(|(f, a)| b.f(f, a));
    let (first, second) = (b.dag.mul(s1, c2), b.dag.mul(c1, s2));
    let addition = b.sum(&[(1, s), (-1, first), (1, second)]);
    assert_eq!(b.proven(addition), 0);
}

#[test]
fn quarter_and_eighth_turns() {
    let mut b = Bench::new();
    let (x, pi) = (b.x, b.dag.pi());
    let shifted = b.dag.sum([(Rational::ONE, x), (q(1, 2), pi)]);
    let (sin, cos) = (b.f(Function::Sin, shifted), b.f(Function::Cos, x));
    let shift = b.sum(&[(1, sin), (-1, cos)]);
    assert_eq!(b.proven(shift), 0);

    // tan(x + π/4) (1 - tan x) = 1 + tan x; 2 cos(π/4) = √2.
    let eighth = b.dag.sum([(Rational::ONE, x), (q(1, 4), pi)]);
    let (left, tan, one) = (b.f(Function::Tan, eighth), b.f(Function::Tan, x), b.dag.integer(1));
    let (below, above) = (b.sum(&[(1, one), (-1, tan)]), b.sum(&[(1, one), (1, tan)]));
    let left = b.dag.mul(left, below);
    let identity = b.sum(&[(1, left), (-1, above)]);
    assert_eq!(b.proven(identity), 0);
    let angle = b.dag.scale(q(1, 4), pi);
    let two = b.dag.integer(2);
    let (cos, root) = (b.f(Function::Cos, angle), b.f(Function::Sqrt, two));
    let length = b.sum(&[(2, cos), (-1, root)]);
    assert_eq!(b.proven(length), 0);

    // sin(π/3) is not exact: there is no √3 modulo this prime.
    let third = b.dag.sum([(Rational::ONE, x), (q(1, 3), pi)]);
    let sin = b.f(Function::Sin, third);
    assert_eq!(b.reasons(sin), [Reason::Angle]);
}

#[test]
fn exponential_identities_are_zero() {
    let mut b = Bench::new();
    let (x, y, one) = (b.x, b.y, b.dag.integer(1));
    let twice = b.sum(&[(2, x)]);
    let (exp, exp_twice) = (b.f(Function::Exp, x), b.f(Function::Exp, twice));
    let square = b.dag.powi(exp, 2);
    let doubled = b.sum(&[(1, exp_twice), (-1, square)]);
    assert_eq!(b.proven(doubled), 0);
    let different = b.sum(&[(1, exp_twice), (-2, exp)]);
    assert_ne!(b.proven(different), 0);

    let (cosh, sinh, tanh) = (b.f(Function::Cosh, x), b.f(Function::Sinh, x), b.f(Function::Tanh, x));
    let (cosh2, sinh2, ratio) = (b.dag.powi(cosh, 2), b.dag.powi(sinh, 2), b.dag.div(sinh, cosh));
    let hyperbola = b.sum(&[(1, cosh2), (-1, sinh2), (-1, one)]);
    assert_eq!(b.proven(hyperbola), 0);
    let quotient = b.sum(&[(1, tanh), (-1, ratio)]);
    assert_eq!(b.proven(quotient), 0);
    let exp_m1 = b.f(Function::ExpM1, x);
    let shifted = b.sum(&[(1, exp_m1), (1, one), (-1, exp)]);
    assert_eq!(b.proven(shifted), 0);

    // exp((x + y)²) = exp(x²) exp(2xy) exp(y²): arguments are multiplied out.
    let s = b.dag.add(x, y);
    let (s2, x2, y2, xy) = (b.dag.powi(s, 2), b.dag.powi(x, 2), b.dag.powi(y, 2), b.dag.mul(x, y));
    let xy2 = b.sum(&[(2, xy)]);
    let [left, a, c, d] = [s2, x2, xy2, y2].map(|e| b.f(Function::Exp, e));
    let right = b.dag.product([(a, 1), (c, 1), (d, 1)]);
    let binomial = b.sum(&[(1, left), (-1, right)]);
    assert_eq!(b.proven(binomial), 0);

    // e, e², √e and exp(x + 1).
    let (e, half) = (b.dag.euler(), b.dag.constant(q(1, 2)));
    let (root, shifted) = (b.f(Function::Exp, half), b.sum(&[(1, x), (1, one)]));
    let shifted = b.f(Function::Exp, shifted);
    let product = b.dag.product([(exp, 1), (root, 2)]);
    let constant = b.sum(&[(1, shifted), (-1, product)]);
    assert_eq!(b.proven(constant), 0);
    let ee = b.dag.mul(e, exp);
    let constant = b.sum(&[(1, shifted), (-1, ee)]);
    assert_eq!(b.proven(constant), 0);
}

#[test]
fn polynomials_and_fractions() {
    let mut b = Bench::new();
    let (x, y) = (b.x, b.y);
    let s = b.dag.add(x, y);
    let (s2, x2, y2, xy) = (b.dag.powi(s, 2), b.dag.powi(x, 2), b.dag.powi(y, 2), b.dag.mul(x, y));
    let binomial = b.sum(&[(1, s2), (-1, x2), (-2, xy), (-1, y2)]);
    assert_eq!(b.proven(binomial), 0);
    let [rx, ry] = [x, y].map(|e| b.dag.powi(e, -1));
    let (sum, rxy) = (b.dag.add(rx, ry), b.dag.div(s, xy));
    let fractions = b.sum(&[(1, sum), (-1, rxy)]);
    assert_eq!(b.proven(fractions), 0);
    let zero = b.dag.powi(binomial, -1);
    assert_eq!(FieldPoint::new(1).evaluate(&b.dag, &[zero]), Err(FieldError::DivisionByZero(zero)));
}

#[test]
fn given_symbols_and_reproducibility() {
    let mut b = Bench::new();
    let (x, y) = (b.x, b.y);
    let product = b.dag.mul(x, y);
    let point = FieldPoint::new(5).with_given([(unknown(0), 6), (unknown(1), 7)]);
    let evaluation = point.evaluate(&b.dag, &[product]).unwrap();
    assert_eq!((evaluation.values, evaluation.point), (vec![42], vec![(unknown(0), 6), (unknown(1), 7)]));
    assert_eq!(b.at(product), b.at(product));
    assert_ne!(b.at(product).values, FieldPoint::new(12).evaluate(&b.dag, &[product]).unwrap().values);
}

#[test]
fn roots_of_independent_radicands() {
    // As in the car axis: three lengths that share coordinates, and a hypotenuse that is one of them.
    let mut b = Bench::new();
    let (x, y, z) = (b.x, b.y, b.z);
    let [x2, y2, z2] = [x, y, z].map(|e| b.dag.powi(e, 2));
    let (u, v, w) = (b.sum(&[(1, x2), (1, y2)]), b.sum(&[(1, y2), (1, z2)]), b.sum(&[(1, x2), (1, z2)]));
    let [ru, rv, rw] = [u, v, w].map(|e| b.f(Function::Sqrt, e));
    let hypot = b.dag.apply(Function::Hypot, &[x, y]);
    let sum = b.sum(&[(1, ru), (1, rv), (1, rw)]);
    assert_ne!(b.proven(sum), 0);
    let same = b.sum(&[(1, hypot), (-1, ru)]);
    assert_eq!(b.proven(same), 0);
    let squares = {
        // (√u + √v)² - u - v - 2 √u √v
        let (s, product) = (b.dag.add(ru, rv), b.dag.mul(ru, rv));
        let square = b.dag.powi(s, 2);
        b.sum(&[(1, square), (-1, u), (-1, v), (-2, product), (1, w), (-1, w)])
    };
    assert_eq!(b.proven(squares), 0);

    let (cx, cy) = (b.f(Function::Cbrt, u), b.f(Function::Cbrt, v));
    let (cube, sum) = (b.dag.powi(cx, 3), b.dag.add(cx, cy));
    let zero = b.sum(&[(1, cube), (-1, u)]);
    assert_eq!(b.proven(zero), 0);
    assert_ne!(b.proven(sum), 0);
}

#[test]
fn dependent_roots_are_noticed_and_keep_their_relations() {
    let mut b = Bench::new();
    let (x, y) = (b.x, b.y);
    let xy = b.dag.mul(x, y);
    let [rx, ry, rxy] = [x, y, xy].map(|e| b.f(Function::Sqrt, e));
    let product = b.dag.mul(rx, ry);
    let difference = b.sum(&[(1, rxy), (-1, product)]);
    assert_eq!((b.at(difference).values[0], b.reasons(difference)), (0, vec![Reason::Radicands]));
    // A radicand that is a square in disguise.
    let (s, x2, y2) = (b.dag.add(x, y), b.dag.powi(x, 2), b.dag.powi(y, 2));
    let hidden = b.sum(&[(1, x2), (2, xy), (1, y2)]);
    let root = b.f(Function::Sqrt, hidden);
    let difference = b.sum(&[(1, root), (-1, s)]);
    assert_eq!(b.reasons(difference), [Reason::Radicands]);
    let nested = b.dag.add(rx, y);
    let nested = b.f(Function::Sqrt, nested);
    assert_eq!(b.reasons(nested), [Reason::NestedRoots]);
    let three = b.dag.integer(3);
    let root = b.f(Function::Sqrt, three);
    assert_eq!(b.reasons(root), [Reason::NoRoot(Function::Sqrt)]);
}

#[test]
fn many_roots_find_a_point() {
    // 150 lengths: between neighbours on a chain of 76 points, and between each of them and the first.
    let mut dag = Dag::new();
    let points: Vec<[Expr; 2]> =
        (0..76).map(|k| [dag.symbol(unknown(2 * k)), dag.symbol(unknown(2 * k + 1))]).collect();
    let mut length = |a: [Expr; 2], b: [Expr; 2]| {
        let d = [0, 1].map(|k| dag.sub(a[k], b[k]));
        let squares = d.map(|d| (Rational::ONE, dag.powi(d, 2)));
        let square = dag.sum(squares);
        dag.apply(Function::Sqrt, &[square])
    };
    let mut lengths = Vec::new();
    for k in 1..76 {
        lengths.push(length(points[k - 1], points[k]));
        lengths.push(length(points[0], points[k]));
    }
    let evaluation = FieldPoint::new(3).evaluate(&dag, &lengths).unwrap();
    assert!(evaluation.is_proof(), "{}", evaluation.independence);
}

#[test]
fn opaque_functions_are_consistent_and_named() {
    let mut b = Bench::new();
    let (x, y, one) = (b.x, b.y, b.dag.integer(1));
    let (ln, log10, ten) = (b.f(Function::Ln, x), b.f(Function::Log10, x), b.dag.integer(10));
    let ln10 = b.f(Function::Ln, ten);
    let product = b.dag.mul(log10, ln10);
    let logarithms = b.sum(&[(1, product), (-1, ln)]);
    assert_eq!(b.at(logarithms).values[0], 0);
    assert_eq!(b.reasons(logarithms), [Reason::Opaque(Function::Ln), Reason::Opaque(Function::Log10)]);

    let exponent = b.dag.constant(q(7, 5));
    let less = b.dag.constant(q(2, 5));
    let (power, lower) = (b.dag.apply(Function::Powf, &[x, exponent]), b.dag.apply(Function::Powf, &[x, less]));
    let product = b.dag.mul(lower, x);
    let powers = b.sum(&[(1, power), (-1, product)]);
    assert_eq!(b.at(powers).values[0], 0);
    let yx = b.dag.apply(Function::Powf, &[x, y]);
    let y1 = b.sum(&[(1, y), (-1, one)]);
    let yx1 = b.dag.apply(Function::Powf, &[x, y1]);
    let product = b.dag.mul(yx1, x);
    let powers = b.sum(&[(1, yx), (-1, product)]);
    assert_eq!((b.at(powers).values[0], b.reasons(powers)), (0, vec![Reason::Opaque(Function::Powf)]));

    let (asin, acos, pi) = (b.f(Function::Asin, x), b.f(Function::Acos, x), b.dag.pi());
    let quarter = b.sum(&[(2, asin), (2, acos), (-1, pi)]);
    assert_eq!(b.at(quarter).values[0], 0);
}

#[test]
fn piecewise_functions_say_their_branch() {
    let mut b = Bench::new();
    let (x, y) = (b.x, b.y);
    let (abs, max) = (b.f(Function::Abs, x), b.dag.apply(Function::Max, &[x, y]));
    let sum = b.dag.add(abs, max);
    let point = FieldPoint::new(1).with_start([(unknown(0), -2.0), (unknown(1), 1.0)]);
    let evaluation = point.evaluate(&b.dag, &[sum]).unwrap();
    let residue = |k: usize| evaluation.point[k].1;
    assert_eq!(evaluation.values[0], arithmetic::sub(residue(1), residue(0)));
    let branch = |expr, sign| Branch { expr, sign };
    assert_eq!(evaluation.branches, [branch(abs, Sign::Negative), branch(max, Sign::Negative)]);
    assert!(evaluation.is_proof());
}

#[test]
fn the_second_branch_of_a_conditional_holds_at_zero() {
    let mut b = Bench::new();
    let (x, y, z) = (b.x, b.y, b.z);
    let (sin, cos) = (b.f(Function::Sin, x), b.f(Function::Cos, x));
    let [sin, cos] = [sin, cos].map(|e| b.dag.powi(e, 2));
    let one = b.dag.integer(1);
    let zero = b.sum(&[(1, sin), (1, cos), (-1, one)]);
    let choice = b.dag.apply(Function::If, &[zero, y, z]);
    let difference = b.dag.sub(choice, z);
    assert_eq!(b.at(difference).values[0], 0);
}

#[test]
fn towers_and_constants() {
    let mut b = Bench::new();
    let (x, pi, e) = (b.x, b.dag.pi(), b.dag.euler());
    // sin x, sin(sin x) and exp(sin x) are independent; so are sin(1/(x + e)) and sin x.
    let sin = b.f(Function::Sin, x);
    let (sin_sin, exp_sin) = (b.f(Function::Sin, sin), b.f(Function::Exp, sin));
    let shifted = b.dag.sum([(Rational::ONE, x), (Rational::ONE, e)]);
    let reciprocal = b.dag.powi(shifted, -1);
    let sin_reciprocal = b.f(Function::Sin, reciprocal);
    let sum = b.sum(&[(1, sin), (1, sin_sin), (1, exp_sin), (1, sin_reciprocal)]);
    assert_ne!(b.proven(sum), 0);
    // Arguments sin²x, cos²x and 1 are dependent.
    let cos = b.f(Function::Cos, x);
    let [a, c] = [sin, cos].map(|e| b.dag.powi(e, 2)).map(|e| b.f(Function::Exp, e));
    let sum = b.dag.add(a, c);
    assert_eq!(b.reasons(sum), [Reason::Arguments]);
    let both = b.dag.add(pi, e);
    assert_eq!(b.reasons(both), [Reason::PiAndE]);
    let two = b.dag.integer(2);
    let root = b.f(Function::Sqrt, two);
    let constant = b.f(Function::Exp, root);
    assert_eq!(b.reasons(constant), [Reason::ConstantArgument]);
}

#[test]
fn determinants_of_dependent_and_independent_columns() {
    // det [sin x, sin 2x; cos x, 2 cos² x] = 0, but det [sin x, sin 2x; cos x, cos 2x] = -sin x.
    let mut b = Bench::new();
    let x = b.x;
    let twice = b.sum(&[(2, x)]);
    let (sin, cos, sin2, cos2) =
        (b.f(Function::Sin, x), b.f(Function::Cos, x), b.f(Function::Sin, twice), b.f(Function::Cos, twice));
    let square = b.dag.powi(cos, 2);
    let square = b.sum(&[(2, square)]);
    let evaluation = FieldPoint::new(2).evaluate(&b.dag, &[sin, sin2, cos, square, cos2]).unwrap();
    let [sin, sin2, cos, square, cos2]: [u64; 5] = evaluation.values.clone().try_into().unwrap();
    assert_eq!(sparse_determinant(2, &[vec![(0, sin), (1, sin2)], vec![(0, cos), (1, square)]]), 0);
    assert_ne!(sparse_determinant(2, &[vec![(0, sin), (1, sin2)], vec![(0, cos), (1, cos2)]]), 0);
    assert!(evaluation.is_proof());
}

#[test]
fn messages_name_what_is_assumed() {
    let mut b = Bench::new();
    let (x, pi, e) = (b.x, b.dag.pi(), b.dag.euler());
    let ln = b.f(Function::Ln, x);
    let sum = b.sum(&[(1, ln), (1, pi), (1, e)]);
    assert_eq!(
        b.at(sum).independence.to_string(),
        "assuming independence: values of `ln` are assumed to satisfy no algebraic relation; \
         π and e are assumed to be algebraically independent"
    );
}

#[test]
fn constants_of_roots_and_angles_are_examined_together() {
    // √18 = 3√2 = 6 cos(π/4) holds in the reals, not for every choice of roots modulo a prime.
    let mut b = Bench::new();
    let (pi, eighteen, eight) = (b.dag.pi(), b.dag.integer(18), b.dag.integer(8));
    let angle = b.dag.scale(q(1, 4), pi);
    let (cos, r18, r8) = (b.f(Function::Cos, angle), b.f(Function::Sqrt, eighteen), b.f(Function::Sqrt, eight));
    let (with_18, with_8) = (b.sum(&[(1, r18), (-6, cos)]), b.sum(&[(1, r8), (-4, cos)]));
    for sum in [with_18, with_8] {
        assert!(b.reasons(sum).contains(&Reason::Radicands));
    }
}
