//! Observed orders of convergence, at the ends of intervals and between them, with and without projection.
//!
//! Gauss with $s$ nodes has order $2s$ at the ends of intervals, and $s + 1$ between them. For index 2 this needs the
//! projection: without it the order at the ends is $s + 1$ for odd $s$ and $s$ for even $s$ (U. M. Ascher & L. R. Petzold,
//! SIAM J. Numer. Anal. 28 (1991), theorems 2.1 and 4.1).

use dae::bvp::{Bvp, BvpMethod};
use dae::symbolic::form::Form;

use super::model;

/// Nonlinear, of index 1: $x = \mathrm e^{-t}$, $z = x^2$.
const INDEX_1: &str = "struct Index1 {
    var x ~ 1; var v ~ 0; var z ~ 1;
    der(x) = v; der(v) = x * (1 + x * x - z); 0 = z + z.powi(3) - x * x - x.powi(6);
    boundary { x(t0) = 1; x(t_end) = exp(-2); }
}";

/// Nonlinear, of index 2, with a constraint that no method of Gauss satisfies by itself: $x_1 = \sin t$, $x_2 = \cos t$,
/// $w = \cos 2t$, $z = \mathrm e^t$.
const INDEX_2: &str = "struct Index2 {
    var x1 ~ sin(t); var x2 ~ cos(t); var w ~ 1; var z ~ 1;
    der(x1) = x2 + (1 + x2 / 4) * (z - exp(t)) + (w - cos(2 * t)) / 2;
    der(x2) = -x1 + (2 + x1) * (z - exp(t)) - (w - cos(2 * t)) * x1;
    der(w) = -2 * sin(2 * t) + 3 * (w - cos(2 * t)) + x1 - sin(t);
    0 = exp(x1) + x2 * (1 + x1) - exp(sin(t)) - cos(t) * (1 + sin(t));
    boundary { x1(t0) = 0; w(t_end) = cos(2 * t_end); }
}";

/// The largest errors of `x1` (or `x`) at the ends of `count` intervals, and between them.
fn errors(text: &str, form: &Form, stages: usize, count: usize, method: BvpMethod, projection: bool) -> [f64; 2] {
    let form = model(text, form);
    let exact: (&str, fn(f64) -> f64) = if text == INDEX_1 { ("x", |t| (-t).exp()) } else { ("x1", f64::sin) };
    let bvp = Bvp::new(&form).stages(stages).intervals(count).fixed_mesh().method(method);
    let bvp = if projection { bvp } else { bvp.without_projection() };
    let found = bvp.rtol(1e-12).atol(1e-12).without_continuation().solve(0.0, 2.0).unwrap_or_else(|it| panic!("{it}"));
    let error = |t: f64| (found.value(exact.0, t).expect("inside") - (exact.1)(t)).abs();
    let ends = found.mesh.iter().map(|&t| error(t)).fold(0.0, f64::max);
    let between = |ends: &[f64]| {
        [0.17, 0.5, 0.83].map(|theta| error(ends[0] + theta * (ends[1] - ends[0]))).into_iter().fold(0.0, f64::max)
    };
    [ends, found.mesh.windows(2).map(between).fold(0.0, f64::max)]
}

/// The orders at the ends of intervals and between them, from two meshes.
fn orders(text: &str, form: &Form, stages: usize, counts: [usize; 2], method: BvpMethod, projection: bool) -> [f64; 2] {
    let [coarse, fine] = counts.map(|count| errors(text, form, stages, count, method, projection));
    let ratio = (counts[1] as f64 / counts[0] as f64).log2();
    [0, 1].map(|k| (coarse[k] / fine[k]).log2() / ratio)
}

fn assert_order(what: &str, observed: f64, expected: usize, most_off: f64) {
    assert!((observed - expected as f64).abs() < most_off, "{what}: order {observed:.2}, expected {expected}");
}

#[test]
fn gauss_on_index_1() {
    for (stages, counts) in [(2, [20, 40]), (3, [10, 20]), (4, [4, 8])] {
        let [ends, between] = orders(INDEX_1, &Form::Index1, stages, counts, BvpMethod::Gauss, true);
        assert_order(&format!("{stages} nodes, ends"), ends, 2 * stages, 0.4);
        assert_order(&format!("{stages} nodes, between"), between, stages + 1, 0.4);
    }
}

#[test]
fn radau_on_index_1() {
    for (stages, counts) in [(2, [40, 80]), (3, [10, 20])] {
        let [ends, _] = orders(INDEX_1, &Form::Index1, stages, counts, BvpMethod::Radau, true);
        assert_order(&format!("{stages} nodes"), ends, 2 * stages - 1, 0.4);
    }
}

#[test]
fn projection_keeps_the_order_of_gauss_on_index_2() {
    for (stages, counts) in [(2, [20, 40]), (3, [10, 20])] {
        let [ends, between] = orders(INDEX_2, &Form::Original, stages, counts, BvpMethod::Gauss, true);
        assert_order(&format!("{stages} nodes, ends"), ends, 2 * stages, 0.5);
        assert_order(&format!("{stages} nodes, between"), between, stages + 1, 0.5);
    }
}

#[test]
fn without_projection_the_order_is_lost() {
    for (stages, counts) in [(2, [20, 40]), (3, [20, 40])] {
        let [ends, _] = orders(INDEX_2, &Form::Original, stages, counts, BvpMethod::Gauss, false);
        let expected = if stages % 2 == 1 { stages + 1 } else { stages };
        assert_order(&format!("{stages} nodes"), ends, expected, 0.5);
    }
}
