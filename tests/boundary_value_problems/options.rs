//! Options, guesses, derivatives, and what is said where there is no solution.

use dae::Dae;
use dae::bvp::{Bvp, BvpError, BvpMethod, Cause};
use dae::symbolic::form::Form;

use super::{model, value};

/// Hairer & Wanner II, Sect. VII.1, eqs. (1.33)–(1.39): $y = \cosh(1 - t)/\cosh 1$.
const INDEX_1: &str = "struct OptimalControlIndex1 {
    var y; var v; var w;
    der(y) = w; der(v) = -y; 0 = v + w;
    boundary { y(t0) = 1; v(t_end) = 0; }
}";

/// The same source, index 3 (exercise 8c): the same solution in other names, with $w = y_1 - \sin t$.
const INDEX_3: &str = "struct OptimalControlIndex3 {
    var y1; var y2; var w; var v1; var v2;
    der(y1) = y2; der(y2) = w + sin(t); der(v1) = -y1; der(v2) = -v1 - y2; 0 = v2;
    boundary { y1(t0) = 1; v1(t_end) = 0; }
}";

/// Bratu's problem: two solutions for small $\lambda$, none above 3.5138.
const BRATU: &str = "struct Bratu {
    param lambda = 1; param height = 0;
    var y ~ height * t * (1 - t); var z ~ height * (1 - 2 * t);
    der(y) = z; der(z) = -lambda * exp(y);
    boundary { y(t0) = 0; y(t_end) = 0; }
}";

const TROESCH: &str = "struct Troesch {
    param mu = 5;
    var y ~ t; var z ~ 1;
    der(y) = z; der(z) = mu * sinh(mu * y);
    boundary { y(t0) = 0; y(t_end) = 1; }
}";

#[test]
fn optimal_control_to_ten_digits_in_both_ways() {
    let state = |t: f64| (1.0 - t).cosh() / 1_f64.cosh();
    let adjoint = |t: f64| (1.0 - t).sinh() / 1_f64.cosh();
    for method in [BvpMethod::Gauss, BvpMethod::Radau, BvpMethod::Shooting] {
        for (text, names) in [(INDEX_1, ["y", "v"]), (INDEX_3, ["y1", "v1"])] {
            let form = model(text, &Form::Index1);
            let found = Bvp::new(&form).rtol(1e-10).atol(1e-10).method(method).solve(0.0, 1.0).unwrap();
            for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                for (name, exact) in [(names[0], state(t)), (names[1], adjoint(t))] {
                    let error = (value(&found, name, t) - exact).abs();
                    assert!(error < 1e-10, "{method:?} {name}({t}) off by {error:.1e}");
                }
                if text == INDEX_3 {
                    let error = (value(&found, "w", t) - state(t) + t.sin()).abs();
                    assert!(error < 1e-10, "{method:?} w({t}) off by {error:.1e}");
                }
            }
        }
    }
}

#[test]
fn both_solutions_of_bratu_and_none_beyond_the_fold() {
    let mut form = model(BRATU, &Form::Index1);
    for (height, middle) in [(0.0, 0.140_539_214_400_471_8), (16.0, 4.091_467_246_189_26)] {
        form.set_parameter("height", height).unwrap();
        let found = Bvp::new(&form).rtol(1e-9).atol(1e-9).solve(0.0, 1.0).unwrap();
        assert!((value(&found, "y", 0.5) - middle).abs() < 1e-8 * middle, "{}", value(&found, "y", 0.5));
    }
    form.set_parameter("lambda", 4.0).unwrap();
    form.set_parameter("height", 0.0).unwrap();
    let error = Bvp::new(&form).solve(0.0, 1.0).unwrap_err();
    let BvpError::NotConverged { cause: Cause::Diverged, last } = &error else { panic!("{error}") };
    assert!(last.solution.times.len() > 10 && last.value("y", 0.5).is_some(), "the last iterate is kept");
    assert!(error.to_string().contains("better guess"), "{error}");
}

#[test]
fn troesch_by_automatic_continuation() {
    let mut form = model(TROESCH, &Form::Index1);
    // y'(0), by quadrature and by elliptic functions.
    for (mu, slope) in
        [(5.0, 0.045_750_461_406_318_74), (10.0, 3.583_377_846_308_137e-4), (20.0, 1.648_773_182_780_404e-8)]
    {
        form.set_parameter("mu", mu).unwrap();
        let found = Bvp::new(&form).rtol(1e-8).atol(1e-12).solve(0.0, 1.0).unwrap();
        assert!((value(&found, "z", 0.0) - slope).abs() < 1e-8, "{mu}: {:e}", value(&found, "z", 0.0));
    }
    form.set_parameter("mu", 50.0).unwrap();
    let found = Bvp::new(&form).rtol(1e-6).solve(0.0, 1.0).unwrap();
    assert!(found.statistics.continuation_steps > 0);
    // z(1)^2 = 4 sinh(25)^2 + z(0)^2.
    let end = 2.0 * 25_f64.sinh();
    assert!((value(&found, "z", 1.0) / end - 1.0).abs() < 1e-5);
    let error = Bvp::new(&form).without_continuation().solve(0.0, 1.0).unwrap_err();
    assert!(matches!(error, BvpError::NotConverged { .. }), "{error}");
    let found = Bvp::new(&form).continuation("mu", 5.0).solve(0.0, 1.0).unwrap();
    assert!((value(&found, "z", 1.0) / end - 1.0).abs() < 1e-5);
}

#[test]
fn a_solution_is_the_guess_for_the_next() {
    let mut form = model(TROESCH, &Form::Index1);
    form.set_parameter("mu", 8.0).unwrap();
    let first = Bvp::new(&form).solve(0.0, 1.0).unwrap();
    form.set_parameter("mu", 8.2).unwrap();
    let again = Bvp::new(&form).warm_start(&first).solve(0.0, 1.0).unwrap();
    let anew = Bvp::new(&form).solve(0.0, 1.0).unwrap();
    assert!(again.statistics.factorizations < anew.statistics.factorizations);
    assert!((value(&again, "z", 1.0) / value(&anew, "z", 1.0) - 1.0).abs() < 1e-5);
    let from_solution = Bvp::new(&form).guess(&first.solution).solve(0.0, 1.0).unwrap();
    assert!((value(&from_solution, "z", 1.0) / value(&anew, "z", 1.0) - 1.0).abs() < 1e-5);
}

/// The pendulum in Cartesian coordinates, whose position is given at both ends, with a parameter.
const PENDULUM: &str = "struct Pendulum {
    param g = 1;
    var x ~ sin(-1 + 1.5 * t); var y ~ -cos(-1 + 1.5 * t); var u ~ 1; var v ~ 0; var lambda ~ 3;
    der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - g; 0 = x.powi(2) + y.powi(2) - 1;
    boundary { x(t0) = sin(-1); x(t_end) = sin(0.5); }
}";

#[test]
fn derivatives_with_respect_to_parameters() {
    for form in [Form::Index1, Form::Ggl] {
        let mut form = model(PENDULUM, &form);
        let solve = |form: &_| Bvp::new(form).rtol(1e-10).atol(1e-10).sensitivities(["g"]).solve(0.0, 1.0).unwrap();
        let found = solve(&form);
        let step = 1e-3;
        form.set_parameter("g", 1.0 + step).unwrap();
        let after = solve(&form);
        form.set_parameter("g", 1.0 - step).unwrap();
        let before = solve(&form);
        for name in ["x", "y", "u", "v", "lambda"] {
            let derivative = found.solution.sensitivity(name, "g").unwrap();
            for (t, derivative) in found.mesh.iter().zip(derivative) {
                let quotient = (value(&after, name, *t) - value(&before, name, *t)) / (2.0 * step);
                let allowed = 1e-5 * (1.0 + quotient.abs());
                assert!((derivative - quotient).abs() < allowed, "{name} at {t}: {derivative}, {quotient}");
            }
        }
    }
}

/// Free fall onto the ground from a height of 5, with a drag: the end and the derivatives at fixed times.
#[test]
fn derivatives_with_a_free_end() {
    let text = "struct Fall { param g = 10; param k = 0.3; var h ~ 5 - 5 * t * t; var v ~ -10 * t; var a ~ -10;
        der(h) = v; der(v) = a; a = -g - k * v * (1 + t);
        boundary { free t_end; h(t0) = 5; v(t0) = 0; h(t_end) = 0; } }";
    let mut form = model(text, &Form::Index1);
    let solve = |form: &_| Bvp::new(form).rtol(1e-10).atol(1e-10).sensitivities(["k", "k"]).solve(0.0, 1.0).unwrap();
    let (found, step) = (solve(&form), 1e-4);
    form.set_parameter("k", 0.3 + step).unwrap();
    let after = solve(&form);
    form.set_parameter("k", 0.3 - step).unwrap();
    let before = solve(&form);
    assert!(after.end > found.end && found.end > before.end);
    for name in ["h", "v", "a"] {
        let derivative = found.solution.sensitivity(name, "k").unwrap();
        for (t, derivative) in found.mesh.iter().zip(derivative).filter(|(t, _)| **t < before.end) {
            let quotient = (value(&after, name, *t) - value(&before, name, *t)) / (2.0 * step);
            assert!((derivative - quotient).abs() < 1e-6, "{name} at {t}: {derivative}, {quotient}");
        }
    }
}

/// A condition at the guess of a free end would move with it.
#[test]
fn a_free_end_takes_no_condition_along() {
    let text = "struct Rise { var x ~ t; var v ~ 1; der(x) = v; der(v) = 0;
        boundary { free t_end; x(t0) = 0; x(1) = 0.5; x(t_end) = 1; } }";
    let form = model(text, &Form::Index1);
    let error = Bvp::new(&form).solve(0.0, 1.0).unwrap_err().to_string();
    assert!(error.contains("the guess of the free end has to lie beyond it"), "{error}");
    let found = Bvp::new(&form).solve(0.0, 1.5).unwrap();
    assert!((found.end - 2.0).abs() < 1e-6 && (value(&found, "x", 1.0) - 0.5).abs() < 1e-6, "{}", found.end);
}

/// Times that differ by rounding errors are one.
#[test]
fn conditions_at_the_same_time() {
    let text = "struct Same { var x ~ 0; var v ~ 0; der(x) = v; der(v) = -x;
        boundary { x(0.1 + 0.2) = 0; v(0.3) = 1; } }";
    let found = Bvp::new(&model(text, &Form::Index1)).rtol(1e-9).atol(1e-9).solve(0.0, 1.0).unwrap();
    assert!((value(&found, "x", 1.0) - 0.7_f64.sin()).abs() < 1e-8);
}

/// An algebraic unknown that varies faster than what determines the mesh.
#[test]
fn algebraic_unknowns_are_accurate_between_the_ends_of_intervals() {
    let text = "struct Fast { var x ~ 0; var z ~ 0; der(x) = 1; z = sin(50 * x); boundary { x(t0) = 0; } }";
    let found = Bvp::new(&model(text, &Form::Index1)).rtol(1e-6).atol(1e-6).solve(0.0, 1.0).unwrap();
    for k in 0..=1000 {
        let t = f64::from(k) / 1000.0;
        let error = (value(&found, "z", t) - (50.0 * t).sin()).abs();
        assert!(error < 2e-6, "{t}: {error:e}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let form = model(INDEX_1, &Form::Index1);
    let message = |bvp: Bvp<'_>, ends: [f64; 2]| bvp.solve(ends[0], ends[1]).unwrap_err().to_string();
    assert_eq!(message(Bvp::new(&form), [1.0, 1.0]), "the solution is sought between two times, not between 1 and 1");
    assert!(message(Bvp::new(&form).stages(1), [0.0, 1.0]).contains("2 to 9 nodes, not 1"));
    assert!(message(Bvp::new(&form).rtol(-1.0), [0.0, 1.0]).contains("relative tolerance"));
    assert!(message(Bvp::new(&form).continuation("eps", 1.0), [0.0, 1.0]).contains("no parameter `eps`"));
    assert!(message(Bvp::new(&form).sensitivities(["eps"]), [0.0, 1.0]).contains("no parameter `eps`"));
    let without = model("struct Plain { var x = 1; der(x) = -x; }", &Form::Index1);
    assert!(message(Bvp::new(&without), [0.0, 1.0]).contains("`boundary { x(t0) = 1; x(t_end) = 0; }`"));
    let original = model(INDEX_3, &Form::Original);
    let unsuitable = message(Bvp::new(&original), [0.0, 1.0]);
    assert!(unsuitable.contains("`index1`, `ggl` or `underlying`"), "{unsuitable}");
    let inside = model(
        "struct Inside { var y ~ 0; var z ~ 0; der(y) = z; der(z) = -y; boundary { y(t0) = 1; y(3) = 0; } }",
        &Form::Index1,
    );
    assert!(message(Bvp::new(&inside), [0.0, 1.0]).contains("a condition at t = 3"));
}

/// $y'' = -\pi^2 y$ with zero at both ends has many solutions; with a forcing term there is none.
#[test]
fn a_problem_without_a_single_solution_is_not_solved() {
    for forcing in ["0", "sin(PI * t)"] {
        let text = format!(
            "struct Resonance {{ var y ~ 1; var z ~ 0; der(y) = z; der(z) = -PI.powi(2) * y + {forcing};
             boundary {{ y(t0) = 0; y(t_end) = 0; }} }}"
        );
        let error = Bvp::new(&model(&text, &Form::Index1)).solve(0.0, 1.0).unwrap_err();
        let (BvpError::NotConverged { cause, .. } | BvpError::Inaccurate { cause, .. }) = &error else {
            panic!("{error}")
        };
        assert!(matches!(cause, Cause::Undetermined | Cause::IllConditioned | Cause::Diverged), "{error}");
    }
}

#[test]
fn an_observer_can_stop() {
    let form = model(TROESCH, &Form::Index1);
    let mut meshes = Vec::new();
    let bvp = Bvp::new(&form).rtol(1e-9).on_mesh(|intervals, error| {
        meshes.push((intervals, error));
        false
    });
    let error = bvp.solve(0.0, 1.0).unwrap_err();
    assert!(matches!(error, BvpError::Inaccurate { cause: Cause::Interrupted, .. }), "{error}");
    assert_eq!(error.to_string(), "interrupted on a mesh of 10 intervals");
    assert_eq!(meshes.len(), 1);
}
