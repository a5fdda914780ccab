//! The expression kernel on random expressions: each is also kept as an unsimplified tree, against which its canonical
//! form, derivatives, interval enclosures and residues in the prime field are checked.

use dae_symbolic::expr::interval::{self, Interval, evaluate_interval};
use dae_symbolic::expr::prime_field::{FieldPoint, PRIME, arithmetic};
use dae_symbolic::expr::{
    Dag, Expr, Function, Rational, Symbol, UnknownId, differentiate, evaluate, evaluate_one, reachable,
};
use proptest::prelude::*;

/// An expression as written.
#[derive(Clone, Debug)]
enum Tree {
    Number(i64, i64),
    Symbol(u32),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    Div(Box<Tree>, Box<Tree>),
    Power(Box<Tree>, i32),
    /// A function of up to three arguments; the third, if there is one, is the first again.
    Apply(Function, Box<Tree>, Box<Tree>),
}

fn unknown(k: u32) -> Symbol {
    Symbol::Unknown { unknown: UnknownId(k), order: 0 }
}

fn number(s: Symbol) -> usize {
    match s {
        Symbol::Unknown { unknown, .. } => unknown.index(),
        _ => usize::MAX,
    }
}

impl Tree {
    fn build(&self, dag: &mut Dag) -> Expr {
        let pair = |dag: &mut Dag, a: &Tree, b: &Tree| (a.build(dag), b.build(dag));
        match self {
            Tree::Number(n, d) => dag.constant(Rational::new(*n, *d).unwrap()),
            Tree::Symbol(k) => dag.symbol(unknown(*k)),
            Tree::Add(a, b) => {
                let (a, b) = pair(dag, a, b);
                dag.add(a, b)
            }
            Tree::Sub(a, b) => {
                let (a, b) = pair(dag, a, b);
                dag.sub(a, b)
            }
            Tree::Mul(a, b) => {
                let (a, b) = pair(dag, a, b);
                dag.mul(a, b)
            }
            Tree::Div(a, b) => {
                let (a, b) = pair(dag, a, b);
                dag.div(a, b)
            }
            Tree::Power(a, n) => {
                let a = a.build(dag);
                dag.powi(a, *n)
            }
            Tree::Apply(f, a, b) => {
                let (a, b) = pair(dag, a, b);
                dag.apply(*f, &[a, b, a][..f.arity()])
            }
        }
    }

    fn value(&self, point: &[f64]) -> f64 {
        match self {
            Tree::Number(n, d) => *n as f64 / *d as f64,
            Tree::Symbol(k) => point[*k as usize],
            Tree::Add(a, b) => a.value(point) + b.value(point),
            Tree::Sub(a, b) => a.value(point) - b.value(point),
            Tree::Mul(a, b) => a.value(point) * b.value(point),
            Tree::Div(a, b) => a.value(point) / b.value(point),
            Tree::Power(a, n) => a.value(point).powi(*n),
            Tree::Apply(f, a, b) => {
                let (a, b) = (a.value(point), b.value(point));
                f.value(a, b, a)
            }
        }
    }

    fn enclosure(&self, cell: &[Interval]) -> Interval {
        match self {
            Tree::Number(n, d) => interval::rational(&Rational::new(*n, *d).unwrap()),
            Tree::Symbol(k) => cell[*k as usize],
            Tree::Add(a, b) => a.enclosure(cell) + b.enclosure(cell),
            Tree::Sub(a, b) => a.enclosure(cell) - b.enclosure(cell),
            Tree::Mul(a, b) => a.enclosure(cell) * b.enclosure(cell),
            Tree::Div(a, b) => a.enclosure(cell) / b.enclosure(cell),
            Tree::Power(a, n) => a.enclosure(cell).powi(*n),
            Tree::Apply(f, a, b) => {
                let (a, b) = (a.enclosure(cell), b.enclosure(cell));
                interval::apply(*f, a, b, a)
            }
        }
    }

    /// The exact value; `None` where the tree contains a function, divides by zero, or has a power that would be too
    /// long.
    fn exact(&self, point: &[i64]) -> Option<Rational> {
        match self {
            Tree::Number(n, d) => Rational::new(*n, *d),
            Tree::Symbol(k) => Some(Rational::from(point[*k as usize])),
            Tree::Add(a, b) => Some(a.exact(point)?.add(&b.exact(point)?)),
            Tree::Sub(a, b) => Some(a.exact(point)?.sub(&b.exact(point)?)),
            Tree::Mul(a, b) => Some(a.exact(point)?.mul(&b.exact(point)?)),
            Tree::Div(a, b) => Some(a.exact(point)?.mul(&b.exact(point)?.recip()?)),
            Tree::Power(a, n) => a.exact(point)?.powi(*n),
            Tree::Apply(..) => None,
        }
    }
}

/// Whether the value of some sub-expression at the point is infinite.
fn intermediate_overflow(dag: &Dag, expr: Expr, point: &[f64; 3]) -> bool {
    let nodes = reachable(dag, [expr]);
    evaluate(dag, &nodes, |s| point[number(s)]).into_iter().any(f64::is_infinite)
}

/// Whether the enclosure proves that the expression is defined, with a value of moderate size.
fn moderate(enclosure: Interval) -> bool {
    enclosure.magnitude() < 1e6
}

fn leaf() -> impl Strategy<Value = Tree> {
    prop_oneof![(0u32..3).prop_map(Tree::Symbol), (-9i64..10, 1i64..8).prop_map(|(n, d)| Tree::Number(n, d))]
}

/// Random trees with the given functions.
fn tree(functions: &'static [Function]) -> impl Strategy<Value = Tree> {
    leaf().prop_recursive(6, 40, 2, move |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        let rational = prop_oneof![
            pair().prop_map(|(a, b)| Tree::Add(a, b)),
            pair().prop_map(|(a, b)| Tree::Sub(a, b)),
            pair().prop_map(|(a, b)| Tree::Mul(a, b)),
            pair().prop_map(|(a, b)| Tree::Div(a, b)),
            (inner.clone().prop_map(Box::new), -3i32..5).prop_map(|(a, n)| Tree::Power(a, n)),
        ];
        if functions.is_empty() {
            return rational.boxed();
        }
        let apply = (prop::sample::select(functions), pair()).prop_map(|(f, (a, b))| Tree::Apply(f, a, b));
        prop_oneof![3 => rational, 2 => apply].boxed()
    })
}

const SMOOTH: &[Function] = &[
    Function::Sqrt,
    Function::Cbrt,
    Function::Exp,
    Function::Ln,
    Function::Sin,
    Function::Cos,
    Function::Tan,
    Function::Atan,
    Function::Atan2,
    Function::Asinh,
    Function::Sinh,
    Function::Tanh,
    Function::Hypot,
    Function::Ln1p,
    Function::ExpM1,
    Function::Powf,
    Function::Asin,
    Function::Acos,
];

fn point() -> impl Strategy<Value = [f64; 3]> {
    [-3.0..3.0, -3.0..3.0, -3.0..3.0]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The exact value lies in the enclosures of the tree and of the canonical form, so these have to intersect.
    #[test]
    fn canonical_form_keeps_the_value(tree in tree(&Function::ALL), at in point()) {
        let cell = at.map(Interval::point);
        let written = tree.enclosure(&cell);
        prop_assume!(moderate(written));
        let mut dag = Dag::new();
        let expr = tree.build(&mut dag);
        let canonical = evaluate_interval(&dag, &[expr], |s| cell[number(s)])[0];
        prop_assert!(written.intersection(canonical).is_some(), "{written} {canonical}");
        let (exact, value) = (tree.value(&at), evaluate_one(&dag, expr, |s| at[number(s)]));
        if moderate(canonical) {
            // Apart from the order of operations, each value differs from the exact one by at most the width of its
            // enclosure.
            let slack = 4.0 * (written.width() + canonical.width()) + 1e-12 * exact.abs();
            // Where the argument of a bounded function overflows, as in sin(exp(1000)), there is an enclosure, but
            // neither form has a floating-point value.
            let is_without_value = exact.is_nan() && value.is_nan();
            prop_assert!(is_without_value || (exact - value).abs() <= slack, "{exact} {value}");
        }
    }

    /// Enclosures and values at points of a box lie in the enclosure over the box.
    #[test]
    fn enclosures_contain_values(
        tree in tree(&Function::ALL),
        at in point(),
        radius in [0.0..0.5, 0.0..0.5, 0.0..0.5],
        places in prop::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0], 8),
    ) {
        let mut dag = Dag::new();
        let expr = tree.build(&mut dag);
        let cell = [0, 1, 2].map(|k| Interval::new(at[k] - radius[k], at[k] + radius[k]).unwrap());
        let wide = evaluate_interval(&dag, &[expr], |s| cell[number(s)])[0];
        prop_assume!(wide != Interval::ENTIRE);
        for place in places {
            let p: [f64; 3] = [0, 1, 2].map(|k: usize| f64::clamp(at[k] + radius[k] * place[k], cell[k].lo(), cell[k].hi()));
            let thin = evaluate_interval(&dag, &[expr], |s| Interval::point(p[number(s)]))[0];
            // The exact value lies in both; neither need contain the other, as bounds are rounded outwards by different
            // amounts.
            prop_assert!(wide.intersection(thin).is_some(), "{wide} {thin}");
            let value = evaluate_one(&dag, expr, |s| p[number(s)]);
            // After an intermediate overflow, the floating-point value may be far from the exact one, or NaN.
            if intermediate_overflow(&dag, expr, &p) {
                continue;
            }
            // The value and the enclosure of a product are evaluated in different orders.
            let slack = 4.0 * thin.width() + 1e-12 * value.abs();
            prop_assert!(wide.lo() - slack <= value && value <= wide.hi() + slack, "{wide} {value}");
        }
    }

    /// Derivatives against central differences of the tree, where the differences with two step sizes agree.
    #[test]
    fn derivatives_of_random_expressions(tree in tree(SMOOTH), at in point(), k in 0u32..3) {
        const H: f64 = 1e-3;
        let cell = [0, 1, 2].map(|j| {
            let reach = if j == k as usize { 8.0 * H } else { 0.0 };
            Interval::new(at[j] - reach, at[j] + reach).unwrap()
        });
        prop_assume!(moderate(tree.enclosure(&cell)));
        let difference = |h: f64| -> f64 {
            let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
            let shifted = |d: f64| {
                let mut p = at;
                p[k as usize] += d;
                tree.value(&p)
            };
            (1..=4).zip(weights).map(|(j, w)| w * (shifted(f64::from(j) * h) - shifted(-f64::from(j) * h)) / h).sum()
        };
        let (fine, coarse) = (difference(H), difference(2.0 * H));
        prop_assume!((fine - coarse).abs() <= 1e-8 * fine.abs().max(1.0));
        let mut dag = Dag::new();
        let expr = tree.build(&mut dag);
        let derivative = differentiate(&mut dag, expr, unknown(k));
        // Where a function is constant up to rounding, as asin(tanh(x)) is for large x, its derivative is evaluated as
        // zero over zero.
        let cell = [0, 1, 2].map(|j| Interval::point(at[j]));
        prop_assume!(moderate(evaluate_interval(&dag, &[derivative], |s| cell[number(s)])[0]));
        let exact = evaluate_one(&dag, derivative, |s| at[number(s)]);
        prop_assert!((exact - fine).abs() <= 1e-6 * fine.abs().max(1.0), "{exact} {fine}");
    }

    /// Rational functions: residues and intervals agree with exact arithmetic.
    #[test]
    fn residues_of_rational_functions(tree in tree(&[]), at in [-9i64..10, -9i64..10, -9i64..10]) {
        let exact = tree.exact(&at);
        prop_assume!(exact.is_some());
        let exact = exact.unwrap();
        let mut dag = Dag::new();
        let expr = tree.build(&mut dag);
        let residue = |n: i64| if n < 0 { PRIME - n.unsigned_abs() } else { n.unsigned_abs() };
        let point = FieldPoint::new(1).with_given((0..3).map(|k| (unknown(k), residue(at[k as usize]))));
        let evaluation = point.evaluate(&dag, &[expr]);
        if let Ok(evaluation) = &evaluation {
            prop_assert_eq!(Some(evaluation.values[0]), exact.modulo(PRIME));
            prop_assert!(evaluation.is_proof());
        }
        // The canonical form is defined wherever the tree is: cancellation may remove a division by zero, but never
        // adds one.
        prop_assert!(evaluation.is_ok());
        let cell = at.map(|n| Interval::point(n as f64));
        let enclosure = evaluate_interval(&dag, &[expr], |s| cell[number(s)])[0];
        prop_assert!(enclosure.intersection(interval::rational(&exact)).is_some());
    }

    /// The rules of differentiation (f g)' = f' g + f g' and (f/g)' g² = f' g - f g' hold for residues.
    #[test]
    fn product_and_quotient_rules_as_residues(f in tree(SMOOTH), g in tree(SMOOTH)) {
        let mut dag = Dag::new();
        let (f, g) = (f.build(&mut dag), g.build(&mut dag));
        let (product, quotient) = (dag.mul(f, g), dag.div(f, g));
        let [df, dg, dp, dq] = [f, g, product, quotient].map(|e| differentiate(&mut dag, e, unknown(0)));
        if let Ok(evaluation) = FieldPoint::new(9).evaluate(&dag, &[f, g, df, dg, dp, dq]) {
            let [f, g, df, dg, dp, dq]: [u64; 6] = evaluation.values.clone().try_into().unwrap();
            let (left, right) = (arithmetic::mul(df, g), arithmetic::mul(f, dg));
            // Opaque functions have random values, so only what is proved has to agree.
            if evaluation.is_proof() {
                prop_assert_eq!(arithmetic::add(left, right), dp);
                prop_assert_eq!(arithmetic::sub(left, right), arithmetic::mul(dq, arithmetic::mul(g, g)));
            }
        }
    }
}
