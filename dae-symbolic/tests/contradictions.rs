//! Equations that contradict one another for all values of the unknowns.
//!
//! In: models, most of them nonlinear. Out: which equations are named, and what is left of them when all unknowns are
//! eliminated; models with solutions, even if only complex ones or only for some inputs, are not called contradictory.

use dae_symbolic::diagnostic::Code;
use dae_symbolic::index::ProblemKind;
use dae_symbolic::pipeline::{Rejected, compile};
use dae_symbolic::read_text;

fn rejection(body: &str, t0: f64) -> Option<Rejected> {
    let (model, _) =
        read_text(&format!("struct Model {{ {body} }}")).unwrap_or_else(|found| panic!("{body}\n{found:?}"));
    compile(model, t0).err()
}

/// The equations that are named, and the text of the diagnostics.
fn contradiction(body: &str, t0: f64) -> (Vec<String>, String) {
    let rejected = rejection(body, t0).unwrap_or_else(|| panic!("accepted: {body}"));
    let problem = rejected.problem.expect("a problem of the model");
    assert_eq!(problem.kind, ProblemKind::Contradictory, "{body}");
    assert!(rejected.diagnostics.iter().all(|d| d.code == Code::Contradictory), "{}", rejected.diagnostics);
    (problem.equations, rejected.diagnostics.to_string())
}

#[test]
fn what_is_left_without_unknowns_is_shown() {
    let cases: [(&str, f64, &[&str], &str); 7] = [
        // A point on the unit circle, given by sine and cosine, against a radius that varies.
        (
            "var a ~ 0.1; var x ~ 0.1; var y ~ -1; x = sin(a); y = -cos(a); x.powi(2) + y.powi(2) = 2 + sin(t);",
            0.0,
            &["equation 1", "equation 2", "equation 3"],
            "0 = sin(t) + 1",
        ),
        // What is left is zero at the start, but its derivative is not.
        (
            "var a ~ 0.1; var x ~ 0.1; var y ~ -1; x = sin(a); y = -cos(a); x.powi(2) + y.powi(2) = 1 + sin(t);",
            0.0,
            &["equation 1", "equation 2", "equation 3"],
            "sin(t)",
        ),
        // A distance defined by a square root.
        (
            "var x ~ 1; var d ~ 1; var y ~ 1; d = sqrt(x.powi(2) + y.powi(2)); der(x) = y/d; d.powi(2) - x.powi(2) = y.powi(2) + 1;",
            0.0,
            &["equation 1", "equation 3"],
            "0 = 1",
        ),
        // A quotient.
        (
            "var x ~ 1; var y ~ 2; var z ~ 1; z*x = y; der(x) = 1 + y*z; y/x = z + exp(-t);",
            0.0,
            &["equation 1", "equation 3"],
            "exp(-t)",
        ),
        // The first equation against the second and its derivative.
        (
            "var x ~ 0.01; var y ~ -0.02; 0 = 3*t + 3*t.powi(2) - sin(2*t)*y + 2*x*der(x) - x.powi(2)*y - y.powi(2) + der(y); 0 = -sin(2*t) - x.powi(2) - y;",
            0.0,
            &["equation 1", "equation 2"],
            "cos(2·t)",
        ),
        // With a parameter, at whose default the remainder is not zero.
        (
            "param a = 2; var x ~ 1; var d ~ 1; var y ~ 1; d = sqrt(x.powi(2) + y.powi(2)); der(x) = y/d; d.powi(2) - x.powi(2) = y.powi(2) + a - 1;",
            0.0,
            &["equation 1", "equation 3"],
            "a - 1",
        ),
        // More equations than unknowns.
        (
            "var x ~ 1; var y ~ 1; x*y = 1; x.powi(2)*y.powi(2) = 3; der(x) = y;",
            0.0,
            &["equation 1", "equation 2"],
            "0 = 1",
        ),
    ];
    for (body, t0, equations, left) in cases {
        let (named, text) = contradiction(body, t0);
        assert_eq!(named, equations, "{body}\n{text}");
        let left_over = text.split("eliminating all unknowns from them leaves ").nth(1).unwrap_or_default();
        assert!(left_over.lines().next().is_some_and(|line| line.contains(left)), "{body}\n{text}");
    }
}

#[test]
fn models_with_solutions_are_not_contradictory() {
    let bodies = [
        // A solution far from the start values.
        "var x ~ 100; var y ~ -300; x.powi(4) + y.powi(2) = 1; x*exp(y) + sin(x*y) = 0.1;",
        // No real solution, but complex ones: elimination cannot tell the difference.
        "var x ~ 1; var y ~ 1; x.powi(2) + y.powi(2) = -1; der(x) = y;",
        // The remainder is zero for the default of the parameter.
        "param a = 1; var x ~ 1; var d ~ 1; var y ~ 1; d = sqrt(x.powi(2) + y.powi(2)); der(x) = y/d; d.powi(2) - x.powi(2) = y.powi(2) + a - 1;",
        // Whether the remainder vanishes depends on an input or a function that the caller provides.
        "input u; var a ~ 0.1; var x ~ 0.1; var y ~ -1; x = sin(a); y = -cos(a); x.powi(2) + y.powi(2) = u;",
        "extern fn f(z) = f, der(z) = df; var a ~ 0.1; var x ~ 0.1; var y ~ -1; x = sin(a); y = -cos(a); x.powi(2) + y.powi(2) = 1 + f(0);",
        "input u; var x ~ 1; var y ~ 1; x + y = u; der(x) + der(y) = 0; x = 1;",
        // A guard against division by zero.
        "var x ~ 1; var y ~ 1; x = 0; 2*x = 0; y = if x > 0 { 1/x } else { 0 };",
        // Two branches of solutions.
        "var x ~ 0.5; var y ~ 0; (x - 1)*(x - 2) = 0; x*y = y.powi(2) + sin(t);",
    ];
    for body in bodies {
        let kind = rejection(body, 0.0).and_then(|rejected| rejected.problem).map(|problem| problem.kind);
        assert_ne!(kind, Some(ProblemKind::Contradictory), "{body}");
    }
}

#[test]
fn the_search_is_bounded() {
    // Nested functions, high powers and dense polynomials: within its bounds, elimination derives no contradiction.
    let nest = (0..60).fold("x".to_string(), |inner, _| format!("sin({inner} + y)"));
    let bodies = [
        format!("var x ~ 1; var y ~ 1; 0 = {nest} - 40; 0 = x*y.powi(9) - (x + y + t).powi(11) + 7;"),
        "var x ~ 3; var y ~ 2; var z ~ 5; (x + y + z + t).powi(8) = -1; (x*y - z*t).powi(6) + x.powi(2) = -2; (x + 3*y - 7*z/11).powi(12) = -3;".into(),
    ];
    for body in bodies {
        let kind = rejection(&body, 0.0).and_then(|rejected| rejected.problem).map(|problem| problem.kind);
        assert_ne!(kind, Some(ProblemKind::Contradictory), "{body}");
    }
}
