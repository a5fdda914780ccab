//! Optimal control with constraints on the path: solutions with barriers tend to the known ones.

use dae::bvp::{Bvp, BvpSolution};
use dae::symbolic::form::Form;

use super::{model, value};

fn solved(text: &str, form: &Form, (beta, tolerance): (f64, f64), ends: (f64, f64)) -> BvpSolution {
    let mut model = model(text, form);
    dae::Dae::set_parameter(&mut model, "beta", beta).unwrap();
    Bvp::new(&model).rtol(tolerance).atol(tolerance).solve(ends.0, ends.1).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_shortest_time_with_a_bounded_force() {
    let text = include_str!("../../examples/models/minimum_time.dae");
    // Where the control switches, it depends on the adjoints with the factor 1/(2 beta).
    for (beta, tolerance) in [(1e-2, 1e-9), (1e-5, 1e-8), (1e-8, 1e-6)] {
        let found = solved(text, &Form::Index1, (beta, tolerance), (0.0, 3.0));
        // At most by twice that for each of the two barriers, the interval having the length 2.
        let excess = (found.end - 2.0) / beta;
        assert!((1.5..=2.5).contains(&excess), "the end exceeds 2 by {excess} times {beta:e}");
        for k in 0..=200 {
            let t = found.end * f64::from(k) / 200.0;
            let u = value(&found, "u", t);
            assert!(u.abs() < 1.0, "u({t}) = {u}");
            // The multipliers are positive, and complementary to the slacks.
            for (slack, name) in [(1.0 - u, "forward"), (1.0 + u, "backward")] {
                let product = value(&found, name, t) * slack / beta;
                assert!((product - 1.0).abs() < 0.1, "{name} times slack at {t}: {product} times {beta:e}");
            }
        }
    }
    let found = solved(text, &Form::Index1, (1e-8, 1e-6), (0.0, 3.0));
    for (t, x, u) in [(0.5, 0.125, 1.0), (1.5, 0.875, -1.0)] {
        assert!((value(&found, "x", t) - x).abs() < 1e-7);
        assert!((value(&found, "u", t) - u).abs() < 1e-7);
    }
}

#[test]
fn barriers_are_of_certified_index() {
    let text = include_str!("../../examples/models/minimum_time.dae");
    let (model, _) = dae::symbolic::read_text(text).expect("a model");
    let compiled = dae::symbolic::pipeline::compile(model, 0.0).expect("a model that compiles");
    let report = dae::symbolic::report::Report::compiled(&compiled).to_string();
    assert!(report.contains("differentiation index    1, certified at the start values"), "{report}");
    assert!(!report.contains("could not be fulfilled"), "{report}");
}

/// $y' = u$, $u \ge -1/2$, cost $\frac12 \int (y^2 + u^2)$ over two units of time.
const REGULATOR: &str = "struct Regulator {
    param beta = 1e-6;
    var y = 1.5; var v ~ 0; var u ~ 0; var mu ~ 0.1;
    optimal_control {
        states y; adjoints v; controls u;
        der(y) = u;
        running_cost = (y.powi(2) + u.powi(2)) / 2;
        constraint(mu) u >= -0.5;
        barrier = beta;
        horizon(0, 2);
    }
}";

#[test]
fn a_regulator_with_a_bounded_control() {
    // On the bound until tau, then y = a cosh(2 - t), u = -a sinh(2 - t).
    let gap = |tau: f64| 1.5 - 0.5 * tau - 0.5 / (2.0 - tau).tanh();
    let (mut low, mut high) = (1.0, 1.9);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if gap(low) * gap(middle) <= 0.0 { &mut high } else { &mut low }) = middle;
    }
    let a = 0.5 / (2.0_f64 - low).sinh();
    let exact = |t: f64| if t <= low { 1.5 - 0.5 * t } else { a * (2.0 - t).cosh() };
    let error = |beta: f64| {
        let found = solved(REGULATOR, &Form::Index1, (beta, 1e-9), (0.0, 2.0));
        (0..=100).map(|k| 0.02 * f64::from(k)).map(|t| (value(&found, "y", t) - exact(t)).abs()).fold(0.0, f64::max)
    };
    let (large, small) = (error(1e-4), error(1e-8));
    assert!(small < 1e-5, "{small:e}");
    assert!(small < 1e-2 * large, "{small:e} of {large:e}");
}

#[test]
fn a_bound_on_a_state() {
    // A. E. Bryson, W. F. Denham & S. E. Dreyfus, AIAA J. 1 (1963): the least cost is 4/(9 l) for l <= 1/6, and
    // u(0) = -2/(3 l).
    let text = "struct BrysonDenham {
        param beta = 1e-4; const L = 1 / 9;
        var x = 0; var v = 1; var cost = 0; var p ~ 0; var q ~ 0; var u ~ 0; var mu ~ 0.1;
        optimal_control {
            states x, v; adjoints p, q; controls u;
            der(x) = v; der(v) = u;
            running_cost = u.powi(2) / 2;
            constraint(mu) x <= L;
            barrier = beta;
            horizon(0, 1);
        }
        der(cost) = u.powi(2) / 2;
        boundary { x(t_end) = 0; v(t_end) = -1; }
    }";
    let found = solved(text, &Form::Index1, (1e-4, 1e-6), (0.0, 1.0));
    let (cost, u) = (value(&found, "cost", 1.0), value(&found, "u", 0.0));
    assert!((cost - 4.0).abs() < 1e-3, "{cost}");
    assert!((u + 6.0).abs() < 1e-3, "{u}");
    assert!((0..=1000).all(|k| value(&found, "x", 1e-3 * f64::from(k)) < 1.0 / 9.0));
}

#[test]
fn an_equation_on_the_path_acts_as_if_it_were_solved() {
    let constrained = "struct Constrained {
        var y = 1; var v ~ 0; var u ~ 0; var z ~ 0; var mu ~ 0;
        optimal_control {
            states y; adjoints v; controls u, z;
            der(y) = z - y;
            running_cost = (y.powi(2) + u.powi(2)) / 2;
            constraint(mu) z + z.powi(3) / 10 = u * (1 + y.powi(2));
            horizon(0, 1);
        }
    }";
    // u in terms of y and z.
    let solved_for_u = "struct Solved {
        var y = 1; var v ~ 0; var z ~ 0;
        optimal_control {
            states y; adjoints v; controls z;
            der(y) = z - y;
            running_cost = (y.powi(2) + ((z + z.powi(3) / 10) / (1 + y.powi(2))).powi(2)) / 2;
            horizon(0, 1);
        }
    }";
    let solve = |text: &str| {
        let model = model(text, &Form::Index1);
        Bvp::new(&model).rtol(1e-10).atol(1e-10).solve(0.0, 1.0).unwrap_or_else(|error| panic!("{error}"))
    };
    let (constrained, eliminated) = (solve(constrained), solve(solved_for_u));
    for k in 0..=10 {
        let t = 0.1 * f64::from(k);
        for name in ["y", "v", "z"] {
            let (a, b) = (value(&constrained, name, t), value(&eliminated, name, t));
            assert!((a - b).abs() < 1e-9, "{name}({t}): {a}, {b}");
        }
    }
}
