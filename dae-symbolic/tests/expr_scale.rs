//! Expressions of a million nodes in several shapes go through the main operations of the kernel, in a thread with a
//! stack of 512 KiB: none may recurse on depth or take quadratic time. Times are printed (`--nocapture`), not asserted.
//! One shape always has a million nodes; the others have a tenth of that, and a million in the ignored tests
//! (`--include-ignored`).

use std::time::Instant;

use dae_symbolic::expr::interval::{Interval, evaluate_interval};
use dae_symbolic::expr::prime_field::FieldPoint;
use dae_symbolic::expr::{
    Dag, Expr, Function, Notation, Rational, Symbol, UnknownId, evaluate_one, gradient, print, reachable, substitute,
    total_derivative,
};

const STACK: usize = 512 * 1024;
const FULL: u32 = 1_000_000;
const TENTH: u32 = 100_000;

fn unknown(k: u32) -> Symbol {
    Symbol::Unknown { unknown: UnknownId(k), order: 0 }
}

/// A family of expressions.
struct Shape {
    name: &'static str,
    /// Builds the expression with at least the given number of nodes, and not many more.
    build: fn(&mut Dag, u32) -> Expr,
    /// The value of the expression with a given number of nodes, and the sum of its partial derivatives, where all
    /// unknowns are $x$.
    expected: fn(u32, f64) -> (f64, f64),
}

/// Applies the main operations of the kernel to the expression of a shape, checks the results and prints the times.
fn every_operation(shape: Shape, nodes: u32) {
    let Shape { name: shape, build, expected } = shape;
    let run = move || {
        let mut dag = Dag::new();
        let mut times = Vec::new();
        let mut clock = Instant::now();
        let mut lap = |what: &'static str| {
            times.push(format!("{what} {:.2}", clock.elapsed().as_secs_f64()));
            clock = Instant::now();
        };
        let root = build(&mut dag, nodes);
        lap("construct");
        let order = reachable(&dag, [root]);
        assert!(order.len() >= nodes as usize, "{shape} has {} nodes", order.len());
        lap("reachable");
        let half = |_| 0.5;
        let (value, slope) = expected(nodes, 0.5);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-8 * b.abs().max(1.0);
        let found = evaluate_one(&dag, root, half);
        assert!(close(found, value), "{shape}: {found} {value}");
        lap("evaluate");
        let enclosure = evaluate_interval(&dag, &[root], |_| Interval::point(0.5))[0];
        assert!(enclosure.contains(found) || close(enclosure.midpoint(), found), "{shape}: {enclosure} {found}");
        lap("interval");
        let evaluation = FieldPoint::new(4).evaluate(&dag, &[root]);
        assert_ne!(evaluation.map(|evaluation| evaluation.values[0]), Ok(0));
        lap("field");
        assert!(!print(&dag, root, Notation::Text, |_| "x".into()).is_empty());
        lap("print");
        let partials: Vec<Expr> = gradient(&mut dag, root, |_| true).into_iter().map(|(_, partial)| partial).collect();
        lap("gradient");
        let found: f64 = dae_symbolic::expr::evaluate(&dag, &partials, half).iter().sum();
        assert!(close(found, slope), "{shape}: {found} {slope}");
        lap("evaluate it");
        let rate = total_derivative(&mut dag, root);
        lap("total derivative");
        let found = evaluate_one(&dag, rate, half);
        assert!(close(found, 0.5 * slope), "{shape}: {found} {slope}");
        lap("evaluate it");
        let other = dag.symbol(Symbol::Time);
        let doubled = dag.scale(Rational::from(2), other);
        let replaced = substitute(&mut dag, &[root], |_, s| (s == unknown(0)).then_some(doubled))[0];
        let found = evaluate_one(&dag, replaced, |s| if s == Symbol::Time { 0.25 } else { 0.5 });
        assert!(close(found, value), "{shape}: {found} {value}");
        lap("substitute, evaluate");
        println!("{shape}, {} nodes: {}", order.len(), times.join(", "));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

const SUM_BUILT_TERM_BY_TERM: Shape = Shape {
    name: "sum built term by term",
    build: |dag, n| {
        (0..n).fold(dag.integer(0), |sum, k| {
            let x = dag.symbol(unknown(k));
            dag.add(sum, x)
        })
    },
    expected: |n, x| (f64::from(n) * x, f64::from(n)),
};

const PRODUCT_BUILT_FACTOR_BY_FACTOR: Shape = Shape {
    name: "product built factor by factor",
    build: |dag, n| {
        let half = dag.constant(Rational::new(1, 2).unwrap());
        (0..n / 2).fold(dag.integer(1), |product, k| {
            let x = dag.symbol(unknown(k));
            let factor = dag.add(x, half);
            dag.mul(product, factor)
        })
    },
    expected: |n, x| {
        let n = n as i32 / 2;
        ((x + 0.5).powi(n), f64::from(n) * (x + 0.5).powi(n - 1))
    },
};

const SUM_BUILT_AT_ONCE: Shape = Shape {
    name: "sum built at once",
    build: |dag, n| {
        let terms: Vec<(Rational, Expr)> = (0..n).map(|k| (Rational::from(2), dag.symbol(unknown(k)))).collect();
        dag.sum(terms)
    },
    expected: |n, x| (2.0 * f64::from(n) * x, 2.0 * f64::from(n)),
};

const SINES_OF_SINES: Shape = Shape {
    name: "sines of sines",
    build: |dag, n| {
        let x = dag.symbol(unknown(0));
        (0..n).fold(x, |u, _| dag.apply(Function::Sin, &[u]))
    },
    expected: |n, x| (0..n).fold((x, 1.0), |(u, slope): (f64, f64), _| (u.sin(), slope * u.cos())),
};

const HORNER_CHAIN: Shape = Shape {
    name: "Horner chain",
    build: |dag, n| {
        let (x, y) = (dag.symbol(unknown(0)), dag.symbol(unknown(1)));
        (0..n / 2).fold(y, |u, k| {
            let product = dag.mul(u, x);
            dag.sum([(Rational::ONE, product), (Rational::from(i64::from(k % 7) + 1), x)])
        })
    },
    expected: |n, x| {
        (0..n / 2).fold((x, 1.0), |(u, slope), k| {
            let c = f64::from(k % 7) + 1.0;
            ((u + c) * x, slope * x + u + c)
        })
    },
};

// Each of the 1000 expressions in a layer is made from two neighbours in the layer before, each of which is used four
// times.
const SHARED_LAYERS: Shape = Shape {
    name: "shared layers",
    build: |dag, n| {
        let mut layer: Vec<Expr> = (0..1000).map(|k| dag.symbol(unknown(k))).collect();
        let (half, little) = (Rational::new(1, 2).unwrap(), Rational::new(1, 1000).unwrap());
        for _ in 0..n / 3000 + 1 {
            let next = (0..layer.len()).map(|k| {
                let (a, b) = (layer[k], layer[(k + 1) % layer.len()]);
                let product = dag.mul(a, b);
                let sine = dag.apply(Function::Sin, &[product]);
                dag.sum([(half.clone(), a), (half.clone(), b), (little.clone(), sine)])
            });
            layer = next.collect();
        }
        let terms: Vec<(Rational, Expr)> = layer.into_iter().map(|u| (Rational::ONE, u)).collect();
        dag.sum(terms)
    },
    expected: |n, x| {
        let layer = |(u, slope): (f64, f64), _| (u + (u * u).sin() / 1000.0, slope * (1.0 + (u * u).cos() * u / 500.0));
        let (u, slope) = (0..n / 3000 + 1).fold((x, 1.0), layer);
        (1000.0 * u, 1000.0 * slope)
    },
};

const MANY_SMALL_EQUATIONS_WITH_SQUARE_ROOTS: Shape = Shape {
    name: "many square roots",
    build: |dag, n| {
        let terms: Vec<(Rational, Expr)> = (0..n / 6 + 1)
            .map(|k| {
                let (x, y) = (dag.symbol(unknown(2 * k)), dag.symbol(unknown(2 * k + 1)));
                let squares = [x, y].map(|e| (Rational::ONE, dag.powi(e, 2)));
                let square = dag.sum(squares);
                (Rational::ONE, dag.apply(Function::Sqrt, &[square]))
            })
            .collect();
        dag.sum(terms)
    },
    expected: |n, x| {
        let n = f64::from(n / 6 + 1);
        (n * x * 2f64.sqrt(), n * 2f64.sqrt())
    },
};

#[test]
fn sum_built_term_by_term() {
    every_operation(SUM_BUILT_TERM_BY_TERM, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn sum_built_term_by_term_in_full() {
    every_operation(SUM_BUILT_TERM_BY_TERM, FULL);
}

#[test]
fn product_built_factor_by_factor() {
    every_operation(PRODUCT_BUILT_FACTOR_BY_FACTOR, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn product_built_factor_by_factor_in_full() {
    every_operation(PRODUCT_BUILT_FACTOR_BY_FACTOR, FULL);
}

#[test]
fn sum_built_at_once() {
    every_operation(SUM_BUILT_AT_ONCE, FULL);
}

#[test]
fn sines_of_sines() {
    every_operation(SINES_OF_SINES, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn sines_of_sines_in_full() {
    every_operation(SINES_OF_SINES, FULL);
}

#[test]
fn horner_chain() {
    every_operation(HORNER_CHAIN, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn horner_chain_in_full() {
    every_operation(HORNER_CHAIN, FULL);
}

#[test]
fn shared_layers() {
    every_operation(SHARED_LAYERS, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn shared_layers_in_full() {
    every_operation(SHARED_LAYERS, FULL);
}

#[test]
fn many_small_equations_with_square_roots() {
    every_operation(MANY_SMALL_EQUATIONS_WITH_SQUARE_ROOTS, TENTH);
}

#[test]
#[ignore = "takes up to a minute"]
fn many_small_equations_with_square_roots_in_full() {
    every_operation(MANY_SMALL_EQUATIONS_WITH_SQUARE_ROOTS, FULL);
}
