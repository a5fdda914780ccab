//! Random linear problems of known solution.
//!
//! $x' = A x + B z + f(t)$ and algebraic equations of index 1 or 2, with $f$ such that given functions solve them;
//! conditions at both ends and sometimes in between. A problem may be ill-conditioned, or its conditions may determine no
//! solution: then it is not solved. No solution may be less accurate than asked for.

use std::fmt::Write;

use dae::bvp::{Bvp, BvpMethod};
use dae::symbolic::form::Form;
use fastrand::Rng;

use super::{model, try_model, value};

/// $a \sin(b t + c) + d$.
struct Known {
    numbers: [f64; 4],
}

impl Known {
    fn random(rng: &mut Rng) -> Known {
        let number = |rng: &mut Rng, size: f64| (rng.f64() * 2.0 * size * 100.0 - size * 100.0).round() / 100.0;
        Known { numbers: [number(rng, 2.0), number(rng, 4.0), number(rng, 3.0), number(rng, 1.0)] }
    }

    fn at(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.numbers;
        a * (b * t + c).sin() + d
    }

    fn text(&self) -> String {
        let [a, b, c, d] = self.numbers;
        format!("(({a:?}) * sin(({b:?}) * t + ({c:?})) + ({d:?}))")
    }

    fn slope(&self) -> String {
        let [a, b, c, _] = self.numbers;
        format!("(({a:?}) * ({b:?}) * cos(({b:?}) * t + ({c:?})))")
    }
}

struct Problem {
    text: String,
    unknowns: Vec<(String, Known)>,
    end: f64,
}

fn problem(rng: &mut Rng) -> Problem {
    let (n, index_1, index_2) = (rng.usize(2..5), rng.usize(0..3), rng.usize(0..2));
    let end = [0.5, 1.0, 2.0][rng.usize(0..3)];
    let growth = if rng.usize(0..4) == 0 { 40.0 } else { 4.0 };
    let names = |letter: char, count: usize| (1..=count).map(move |k| format!("{letter}{k}"));
    let all = names('x', n).chain(names('y', index_1)).chain(names('z', index_2));
    let unknowns: Vec<(String, Known)> = all.map(|name| (name, Known::random(rng))).collect();
    let entry = |rng: &mut Rng, size: f64| (rng.f64() * 2.0 * size * 10.0 - size * 10.0).round() / 10.0;
    let mut text = String::from("struct Random { ");
    for (name, _) in &unknowns {
        let _ = write!(text, "var {name} ~ 0; ");
    }
    for k in 0..n {
        let (name, known) = &unknowns[k];
        let _ = write!(text, "der({name}) = {}", known.slope());
        for (column, (other, exact)) in unknowns.iter().enumerate() {
            let mut factor = if rng.usize(0..3) == 0 { 0.0 } else { entry(rng, if column < n { growth } else { 3.0 }) };
            if column == n + index_1 && k == 0 {
                // The unknown of index 2 acts on the first state, which its constraint contains.
                factor = 2.0 + factor.abs();
            } else if column >= n + index_1 {
                factor = 0.0;
            }
            if factor != 0.0 {
                let _ = write!(text, " + ({factor:?}) * ({other} - {})", exact.text());
            }
        }
        text.push_str("; ");
    }
    for k in 0..index_1 {
        let _ = write!(text, "0 = ");
        for (column, (other, exact)) in unknowns[..n + index_1].iter().enumerate() {
            let factor = if column == n + k { 3.0 + entry(rng, 1.0) } else { entry(rng, 1.0) };
            let _ = write!(text, "({factor:?}) * ({other} - {}) + ", exact.text());
        }
        text.push_str("0; ");
    }
    if index_2 == 1 {
        let _ = write!(text, "0 = ");
        for (column, (other, exact)) in unknowns[..n].iter().enumerate() {
            let factor = if column == 0 { 1.5 } else { entry(rng, 1.0) };
            let _ = write!(text, "({factor:?}) * ({other} - {}) + ", exact.text());
        }
        text.push_str("0; ");
    }
    text.push_str("boundary { ");
    let inside = 0.375 * end;
    for condition in 0..n - index_2 {
        let mut value = 0.0;
        let mut terms = Vec::new();
        for (name, known) in &unknowns[..n] {
            let most = if rng.usize(0..4) == 0 { 4 } else { 3 };
            let place = rng.usize(0..most);
            let (time, t) = match place {
                0 => ("t0".to_string(), 0.0),
                1 => ("t_end".to_string(), end),
                2 => continue,
                _ => (format!("{inside:?}"), inside),
            };
            let factor = entry(rng, 2.0) + 0.05;
            value += factor * known.at(t);
            terms.push(format!("({factor:?}) * {name}({time})"));
        }
        if terms.is_empty() {
            let (name, known) = &unknowns[condition % n];
            value = known.at(0.0);
            terms.push(format!("{name}(t0)"));
        }
        let _ = write!(text, "{} = {value:?}; ", terms.join(" + "));
    }
    text.push_str("} }");
    Problem { text, unknowns, end }
}

/// Solves random problems; returns how many were solved, and the texts of those that are wrong.
fn solve(count: usize, seed: u64, method: BvpMethod) -> (usize, Vec<String>) {
    let mut rng = Rng::with_seed(seed);
    let (mut solved, mut wrong) = (0, Vec::new());
    for _ in 0..count {
        let Problem { text, unknowns, end } = problem(&mut rng);
        let tolerance = [1e-4, 1e-6, 1e-8][rng.usize(0..3)];
        let form = if rng.bool() { Form::Index1 } else { Form::Ggl };
        // Conditions that depend on one another are rejected with the text.
        let Ok(form) = try_model(&text, &form) else { continue };
        let bvp = Bvp::new(&form).rtol(tolerance).atol(tolerance).method(method);
        let Ok(found) = bvp.solve(0.0, end) else { continue };
        solved += 1;
        for (name, known) in &unknowns {
            for k in 0..=40 {
                let t = if k == 40 { end } else { end * f64::from(k) / 40.0 };
                let (computed, exact) = (found.value(name, t).unwrap_or(f64::NAN), known.at(t));
                let error = (computed - exact).abs() / (tolerance * (1.0 + exact.abs()));
                if error.is_nan() || error > 1.0 {
                    wrong.push(format!(
                        "{name}({t}) = {computed}, not {exact}, {error:.1} tolerances of {tolerance:e} off: {text}"
                    ));
                }
            }
        }
    }
    (solved, wrong)
}

/// Solves most of many problems, and none of them wrong.
fn none_is_wrong(count: usize, seed: u64, method: BvpMethod) {
    let (solved, wrong) = solve(count, seed, method);
    println!("{solved} of {count} solved, {} wrong values", wrong.len());
    wrong.iter().take(10).for_each(|it| println!("{it}"));
    assert!(wrong.is_empty());
    assert!(5 * solved > 4 * count, "{solved} of {count} solved");
}

/// All conditions are at the start, and one solution grows by $e^{72}$: errors at the start that are smaller than rounding
/// errors of the linear equations fill the solution, which satisfies the discretised equations nevertheless.
#[test]
fn growth_beyond_rounding_is_told() {
    let text = "struct Growth {
        var x1 ~ 0; var x2 ~ 0; var y1 ~ 0; var y2 ~ 0;
        der(x1) = 5.162 * cos(-2.9 * t - 0.64) + 36.1 * (x1 + 1.78 * sin(-2.9 * t - 0.64) + 0.44)
            - 11.5 * (x2 - 1.27 * sin(-0.03 * t - 2) - 0.51) + 1.9 * (y1 + 1.49 * sin(-2.51 * t - 1.98) + 0.71)
            + 0.2 * (y2 + 0.44 * sin(1.13 * t - 1.49) - 0.65);
        der(x2) = -0.0381 * cos(-0.03 * t - 2) + 10.8 * (x2 - 1.27 * sin(-0.03 * t - 2) - 0.51);
        0 = 0.5 * (x1 + 1.78 * sin(-2.9 * t - 0.64) + 0.44) - 0.4 * (x2 - 1.27 * sin(-0.03 * t - 2) - 0.51)
            + 3.9 * (y1 + 1.49 * sin(-2.51 * t - 1.98) + 0.71) + 0.7 * (y2 + 0.44 * sin(1.13 * t - 1.49) - 0.65);
        0 = 0.8 * (x1 + 1.78 * sin(-2.9 * t - 0.64) + 0.44) + 0.6 * (x2 - 1.27 * sin(-0.03 * t - 2) - 0.51)
            - 0.7 * (y1 + 1.49 * sin(-2.51 * t - 1.98) + 0.71) + 2.9 * (y2 + 0.44 * sin(1.13 * t - 1.49) - 0.65);
        boundary { 0.35 * x1(t0) - 1.45 * x2(t0) = 1.1530239714682633; 1.45 * x1(t0) = 0.9033614341563342; }
    }";
    let form = model(text, &Form::Index1);
    for tolerance in [1e-3, 1e-4, 1e-6, 1e-8] {
        let error = Bvp::new(&form).rtol(tolerance).atol(tolerance).solve(0.0, 2.0).unwrap_err();
        assert!(error.to_string().contains("ill-conditioned"), "{error}");
    }
}

/// A solution that itself grows by $e^{30}$ has small relative errors.
#[test]
fn growth_of_the_solution_itself_is_no_obstacle() {
    let text = "struct Growth {
        var x ~ 0; var y ~ 0;
        der(x) = 15 * x + y; der(y) = -y;
        boundary { x(t0) = 1; y(t0) = 1; }
    }";
    let exact = |t: f64| (17.0 * (15.0 * t).exp() - (-t).exp()) / 16.0;
    let found = Bvp::new(&model(text, &Form::Index1)).rtol(1e-6).atol(1e-6).solve(0.0, 2.0).unwrap();
    for t in [0.0, 0.01, 0.5, 1.0, 1.9, 2.0] {
        let error = (value(&found, "x", t) / exact(t) - 1.0).abs();
        assert!(error < 1e-6, "x({t}) off by {error:.1e}");
    }
}

#[test]
fn no_solution_is_wrong() {
    let (solved, wrong) = solve(150, 1, BvpMethod::Gauss);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(solved > 120, "{solved} of 150 solved");
}

#[test]
fn no_solution_by_shooting_is_wrong() {
    let (solved, wrong) = solve(60, 3, BvpMethod::Shooting);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(solved > 40, "{solved} of 60 solved");
}

/// `cargo test --release --features interpreter --test boundary_value_problems -- --ignored --nocapture`
#[test]
#[ignore = "some minutes in release builds"]
fn no_solution_of_ten_thousand_is_wrong() {
    none_is_wrong(10_000, 2, BvpMethod::Gauss);
}

/// The same command.
#[test]
#[ignore = "some minutes in release builds"]
fn no_solution_of_a_thousand_by_shooting_is_wrong() {
    none_is_wrong(1_000, 4, BvpMethod::Shooting);
}
