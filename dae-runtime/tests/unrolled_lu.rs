//! Unrolled elimination in place of a search for pivots: it is used, monitored, and abandoned where its pivots vanish.
//!
//! In: a problem with a known solution whose natural pivots pass through zero, with and without unrolled elimination.
//! Out: the solution.

mod problems;

use std::sync::atomic::{AtomicUsize, Ordering};

use dae_runtime::contract::Kind::{Algebraic, Differential};
use dae_runtime::contract::Leading;
use dae_runtime::contract::{Code, UnrolledLu};
use dae_runtime::iteration_matrix::Factorization;
use dae_runtime::solve::{Integration, Method};
use dae_runtime::timing::LinearCosts;
use problems::natural_order::natural_order;
use problems::{Model, Problem, Scalar};

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];

/// $a' = -b$ and $R(t)\\,(b - \sin t, c - \cos t) = 0$, where $R(t)$ rotates by the angle `speed` $t$: the solution
/// is $a = \cos t$, $b = \sin t$, $c = \cos t$.
struct Turning {
    speed: f64,
}

impl Model for Turning {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let (cosine, sine) = ((t * self.speed).cos(), (t * self.speed).sin());
        let (b, c) = (y[1] - t.sin(), y[2] - t.cos());
        out[0] = yp[0] + y[1];
        out[1] = cosine * b + sine * c;
        out[2] = cosine * c - sine * b;
    }
}

fn turning(speed: f64, code: Option<UnrolledLu>) -> Problem<Turning> {
    let unknowns = [("a", Differential, 1), ("b", Algebraic, 1), ("c", Algebraic, 1)];
    let start = (0.0, &[1.0, 0.0, 1.0][..], &[0.0, 1.0, 0.0][..]);
    let mut problem = Problem::new("turning", Turning { speed }, &unknowns, &[], (Leading::Constant, 1), start);
    problem.code = code;
    problem
}

/// The largest error of an unknown at the end of a run.
fn error(problem: &Problem<Turning>, method: Method) -> f64 {
    let run = Integration::new(problem).method(method).rtol(1e-8).atol(1e-8);
    let solution = run.run_from(0.0, &problem.y0, &problem.yp0, 5.0).unwrap();
    assert!(solution.is_success(), "{method:?}: {}", solution.status);
    let exact = [5f64.cos(), 5f64.sin(), 5f64.cos()];
    exact.iter().zip(&solution.end_state).fold(0.0, |error: f64, (exact, value)| error.max((exact - value).abs()))
}

/// The natural pivot of `b` is the cosine of the angle, which passes through zero five times.
#[test]
fn pivots_that_vanish_are_chosen_anew() {
    for method in METHODS {
        let [with, without] = [Some(natural_order(3)), None].map(|code| error(&turning(3.0, code), method));
        assert!(with < 1e-6 && without < 1e-6, "{method:?}: {with:e} with code, {without:e} without");
    }
}

static SOLVES: AtomicUsize = AtomicUsize::new(0);

fn counted(lower: &[f64], upper: &[f64], inverse: &[f64], x: &mut [f64]) {
    SOLVES.fetch_add(1, Ordering::Relaxed);
    (natural_order(inverse.len()).real.solve)(lower, upper, inverse, x);
}

#[test]
fn code_is_used_while_its_pivots_do() {
    let code = natural_order(3);
    let code = UnrolledLu { real: Code { solve: counted, ..code.real }, ..code };
    let problem = turning(0.0, Some(code));
    let run = Integration::new(&problem).method(Method::Bdf);
    let solution = run.run_from(0.0, &problem.y0, &problem.yp0, 5.0).unwrap();
    assert!(solution.is_success(), "{}", solution.status);
    // Every iteration solves once, and every step takes at least one.
    let (solves, steps) = (SOLVES.load(Ordering::Relaxed), solution.statistics.steps);
    assert!(solves >= steps, "{solves} solves by the code in {steps} steps");
}

/// Code for a system of another size, with wrong lengths or with repeated pivots is not used.
#[test]
fn code_that_does_not_fit_is_ignored() {
    let short = UnrolledLu { lengths: [9, 3, 2], ..natural_order(3) };
    for code in [
        natural_order(2),
        natural_order(5),
        short,
        UnrolledLu { pivots: &[(0, 0), (1, 2), (1, 1)], ..natural_order(3) },
    ] {
        let problem = turning(0.0, Some(code));
        assert_eq!(code.symbolic_factorization(dae_runtime::contract::Dae::description(&problem)), None);
        assert!(error(&problem, Method::Radau5) < 1e-6);
    }
}

#[test]
fn costs_are_told_apart() {
    let measure = |problem: &Problem<Turning>, how| {
        LinearCosts::measure(problem, 0.0, &problem.y0, &problem.yp0, 1e-3, how).unwrap().is_some()
    };
    let (with, without) = (turning(0.0, Some(natural_order(3))), turning(0.0, None));
    assert!(measure(&with, Factorization::UnrolledLu) && !measure(&without, Factorization::UnrolledLu));
    for how in [Factorization::Sparse, Factorization::Dense] {
        assert!(measure(&with, how) && measure(&without, how));
    }
}
