//! `floor`, `ceil` and `rem_euclid`, which jump at events, in several forms and by several methods.

mod interpreted;

use std::f64::consts::PI;

use dae::runtime::contract::Dae;
use dae::symbolic::expr::{Dag, Function, Rational};
use dae::{Integration, Method, Solution};
use interpreted::{available, system};

const METHODS: [Method; 2] = [Method::Bdf, Method::Radau];
const FORMS: [&str; 4] = ["original", "index1", "ggl", "underlying"];

fn run(system: &dyn Dae, method: Method, t_end: f64) -> Solution {
    match Integration::new(system).method(method).rtol(1e-10).atol(1e-10).run(0.0, t_end) {
        Ok(solution) => solution,
        Err(error) => panic!("{} by {method:?}: {error}", system.description().form),
    }
}

/// The value of an unknown at the end of a run.
fn last(solution: &Solution, name: &str) -> f64 {
    let place = solution.names.iter().position(|known| known == name).expect("an unknown");
    solution.end_state[place]
}

/// Every form and method of a model, by name.
fn everywhere(text: &str, t_end: f64, check: impl Fn(&str, &Solution)) {
    let mut count = 0;
    for form in FORMS {
        let Some(system) = available(text, form) else { continue };
        for method in METHODS {
            check(&format!("{form}, {method:?}"), &run(system.as_ref(), method, t_end));
            count += 1;
        }
    }
    assert!(count >= 4, "{count}");
}

/// Why a text is not accepted: the code of the first error and its message.
fn rejection(body: &str) -> (String, String) {
    let text = format!("struct A {{ param p = 1; var x = 1; der(x) = -p * x; {body} }}");
    let found = dae::symbolic::read_text(&text).expect_err("an error").diagnostics;
    let first = found.iter().next().expect("an error");
    (first.code.text().to_string(), first.message.clone())
}

/// The integral of a sawtooth, from a time at which it does not jump.
#[test]
fn a_sawtooth_jumps_at_its_times() {
    let text = "struct Sawtooth { param p = 0.3; var x = 0; der(x) = rem_euclid(t, p); }";
    everywhere(text, 1.0, |case, solution| {
        let times: Vec<f64> = solution.occurrences.iter().map(|it| it.t).collect();
        assert!(
            times.iter().zip([0.3, 0.6, 0.9]).all(|(t, expected)| (t - expected).abs() < 1e-14),
            "{case}: {times:?}"
        );
        assert_eq!(times.len(), 3, "{case}");
        assert!((last(solution, "x") - 0.14).abs() < 1e-12, "{case}: {}", last(solution, "x"));
    });
}

/// `rem_euclid` is not negative, whatever the signs of its arguments are.
#[test]
fn remainders_are_those_of_the_standard_library() {
    for (a, b) in [(7.5_f64, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0)] {
        let text = format!(
            "struct A {{ param a = {a}; param b = {b}; var x = 0; var y; var z; der(x) = 0; y = rem_euclid(a + x, b); z = a.ceil(); }}"
        );
        everywhere(&text, 1.0, |case, solution| {
            assert_eq!(last(solution, "y"), a.rem_euclid(b), "{case}: {a}, {b}");
            assert_eq!(last(solution, "z"), a.ceil(), "{case}");
        });
    }
}

/// 3 sin t passes integers upwards and downwards, and touches none.
#[test]
fn states_round_on_both_ways() {
    let text = "struct Quantised { var x = 0.1; var up = 0; var down = 0;
        der(x) = 2.85 * cos(t); der(down) = floor(x); der(up) = ceil(x); }";
    let t_end = 2.0 * PI;
    // Integral of floor(0.1 + 2.85 sin t): from the times at which it passes integers.
    let value = |t: f64| 0.1 + 2.85 * t.sin();
    let mut bounds = vec![0.0, t_end];
    for integer in -2..=2 {
        let angle = ((f64::from(integer) - 0.1) / 2.85).asin();
        bounds.extend([angle, PI - angle, 2.0 * PI + angle].into_iter().filter(|t| (0.0..t_end).contains(t)));
    }
    bounds.sort_by(f64::total_cmp);
    let integral = |round: fn(f64) -> f64| -> f64 {
        bounds.windows(2).map(|ends| (ends[1] - ends[0]) * round(value(0.5 * (ends[0] + ends[1])))).sum()
    };
    let crossings = bounds.len() - 2;
    everywhere(text, t_end, |case, solution| {
        assert!((last(solution, "down") - integral(f64::floor)).abs() < 1e-8, "{case}");
        assert!((last(solution, "up") - integral(f64::ceil)).abs() < 1e-8, "{case}");
        assert_eq!(solution.occurrences.len(), 2 * crossings, "{case}");
    });
}

/// The algebraic unknown that is rounded is known only when the run begins.
#[test]
fn a_run_begins_with_the_right_integer() {
    let text = "struct Late { var x = 0; var u; der(x) = floor(u); u = 3.7 + t; }";
    everywhere(text, 1.0, |case, solution| {
        assert!((last(solution, "x") - (3.0 * 0.3 + 4.0 * 0.7)).abs() < 1e-12, "{case}: {}", last(solution, "x"));
        // The analysis has begun with it, too.
        assert_eq!(solution.occurrences.len(), 1, "{case}");
    });
    let system = system("struct A { var x = 0; der(x) = floor(t / 2); }", "index1");
    let later = Integration::new(system.as_ref()).run(9.0, 11.0).expect("a solution");
    assert!((last(&later, "x") - 9.0).abs() < 1e-12, "4 for one second, 5 for another");
}

/// An event carries a state over several integers at once.
#[test]
fn jumps_of_states_are_followed_at_once() {
    let text = "struct Jump { var x = 0.5; var y = 0; der(x) = 0; der(y) = floor(x);
        when t >= 1 { x = pre(x) + 5; } when t >= 2 { x = pre(x) - 7; } }";
    everywhere(text, 3.0, |case, solution| {
        assert!((last(solution, "y") - (0.0 + 5.0 - 2.0)).abs() < 1e-12, "{case}: {}", last(solution, "y"));
    });
}

/// In loops, in functions, in sub-expressions, in sums and within one another; the same argument is one unknown.
#[test]
fn rounding_stands_anywhere() {
    let text = "struct Many { const N = 4; fn stairs(u) { floor(2 * u) / 2 } var x: [f64; N] = |i| i; var y = 0; var z = 0; var w = 0;
        let level = stairs(x[1]);
        for i in 0..N { der(x[i]) = 1 + floor(t) * i; }
        der(y) = sum(i in 0..N => stairs(x[i])); der(z) = level; der(w) = floor(floor(t) / 2); }";
    // Reference: midpoint sums over pieces between all jumps.
    let state = |i: f64, t: f64| {
        i + t
            + i * (if t < 1.0 {
                0.0
            } else if t < 2.0 {
                t - 1.0
            } else {
                1.0 + 2.0 * (t - 2.0)
            })
    };
    let stairs = |u: f64| (2.0 * u).floor() / 2.0;
    let integral = |f: &dyn Fn(f64) -> f64| -> f64 {
        let n = 3_000_000;
        (0..n).map(|k| f((f64::from(k) + 0.5) * 3.0 / f64::from(n))).sum::<f64>() * 3.0 / f64::from(n)
    };
    let y = integral(&|t| (0..4).map(|i| stairs(state(f64::from(i), t))).sum());
    let z = integral(&|t| stairs(state(1.0, t)));
    everywhere(text, 3.0, |case, solution| {
        assert!((last(solution, "y") - y).abs() < 1e-5, "{case}: {} {y}", last(solution, "y"));
        assert!((last(solution, "z") - z).abs() < 1e-5, "{case}: {} {z}", last(solution, "z"));
        assert!((last(solution, "w") - 1.0).abs() < 1e-12, "{case}");
        let names: Vec<&str> = solution.names.iter().map(|name| name.as_ref()).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("floor")).count(), 6, "{case}: {names:?}");
    });
}

/// In the values of events, and in what the text decides itself, rounding is a function as others are.
#[test]
fn values_are_rounded_without_events() {
    let text = "struct A { const N = floor(7 / 2); var x: [f64; N] = |i| i; discrete n = floor(2.5); for i in 0..N { der(x[i]) = 1; }
        when t >= 0.75 { n = floor(4.2 * pre(x[1])) + ceil(pre(n) / 3); } }";
    everywhere(text, 1.0, |case, solution| {
        assert_eq!(last(solution, "n"), 7.0 + 1.0, "{case}");
        assert_eq!(solution.occurrences.len(), 1, "{case}");
    });
}

#[test]
fn what_cannot_be_rounded_is_named() {
    let of_input = "input u; var y; y = floor(u);";
    let of_time = "input u = floor(t); var y; y = u;";
    let by_zero = "var y; y = rem_euclid(x, 0);";
    assert_eq!(rejection(of_input).0, "E440");
    assert_eq!(rejection(of_time).0, "E440");
    assert!(rejection(of_time).1.contains("`u` jumps at events"));
    assert_eq!(rejection(by_zero).1, "division by zero");
    assert_eq!(rejection("var y; y = floor(x, 2);").1, "`floor` takes 1 argument, and 2 are given");
    assert!(rejection("fn ceil(u) { u }").1.contains("function of the language"));
}

/// Both a mode and an event of the text see the same integer.
#[test]
fn modes_and_events_use_integers() {
    let text = "struct A { var x = 0; var y = 0; der(x) = 1;
        modes gear { first { der(y) = floor(x); when floor(x) >= 2 { gear = second; } } second { der(y) = 10 * floor(x / 2); } } }";
    everywhere(text, 5.0, |case, solution| {
        assert_eq!(solution.modes.len(), 2, "{case}");
        assert!((solution.modes[1].t - 2.0).abs() < 1e-12, "{case}");
        assert!((last(solution, "y") - (1.0 + 20.0 + 20.0)).abs() < 1e-9, "{case}: {}", last(solution, "y"));
    });
}

#[test]
fn numbers_fold_and_enclosures_are_right() {
    use dae::symbolic::expr::ball::Ball;
    let mut dag = Dag::new();
    let number = dag.constant(Rational::new(-7, 2).expect("a number"));
    let folded = dag.apply(Function::Floor, &[number]);
    assert_eq!(dag.as_constant(folded), Some(&Rational::from(-4)));
    let floor = |ball: &Ball| Ball::apply(Function::Floor, ball, ball, ball);
    assert_eq!(floor(&Ball::of_f64(-3.5)), Ball::integer(-4));
    assert_eq!(floor(&Ball::of_f64(5.0)), Ball::integer(5));
    let around_two = Ball::of_f64(1.75).hull(&Ball::of_f64(2.25));
    let found = floor(&around_two);
    assert!([1, 2].iter().all(|&n| found.minus(&Ball::integer(n)).contains_zero()), "{found:?}");
    assert!(found.is_bounded());
}
