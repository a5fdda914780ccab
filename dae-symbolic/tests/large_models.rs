//! Large models: the certificate of local regularity, and the size of the forms.

use dae_symbolic::form::Form;
use dae_symbolic::index::{Limits, LocalRegularity, Verdict, analyse};
use dae_symbolic::pipeline::compile;
use dae_symbolic::read_text;

fn local(text: &str) -> LocalRegularity {
    let (mut model, _) = read_text(text).map_err(|rejection| rejection.diagnostics).unwrap();
    analyse(&mut model, 0.0, &Limits::DEFAULT).map_err(|(_, diagnostics)| diagnostics).unwrap().certificate.local
}

/// A model whose statements are `part(1)`, …, `part(count)`.
fn model(count: usize, part: impl Fn(usize) -> String) -> String {
    format!("pub struct Large {{\n{}}}\n", (1..=count).map(part).collect::<String>())
}

/// The statements of pendulum `k`, which is independent of the others and starts in a position of its own.
fn pendulum(k: usize) -> String {
    let angle = 0.1 + 0.01 * k as f64;
    let (x, y) = (angle.sin(), -angle.cos());
    format!(
        "var x{k} ~ {x:.6}; var y{k} = {y:.6}; var u{k} ~ 0.1; var v{k} ~ 0; var l{k} ~ 0;
        der(x{k}) = u{k}; der(y{k}) = v{k}; der(u{k}) = -l{k} * x{k}; der(v{k}) = -l{k} * y{k} - 9.81;
        0 = x{k}.powi(2) + y{k}.powi(2) - 1;\n"
    )
}

/// A chain of links of mass and length 1, turned by `angle` at every joint.
fn chain(links: usize, angle: f64) -> String {
    let end =
        |k: usize| (1..=k).fold((0.0, 0.0), |(x, y), k| (x + (angle * k as f64).cos(), y + (angle * k as f64).sin()));
    model(links, |k| {
        let before = |name: &str| if k == 1 { String::new() } else { format!(" - {name}{}", k - 1) };
        let next = |name: &str| match k < links {
            true => format!(" - l{0} * ({name}{k} - {name}{0})", k + 1),
            false => String::new(),
        };
        let (x, y) = end(k);
        format!(
            "var x{k} ~ {x:.6}; var y{k} ~ {y:.6}; var u{k} ~ 0; var v{k} ~ 0; var l{k} ~ 0;
            der(x{k}) = u{k}; der(y{k}) = v{k};
            der(u{k}) = -l{k} * (x{k}{0}){2}; der(v{k}) = -l{k} * (y{k}{1}){3} - 9.81;
            0 = (x{k}{0}).powi(2) + (y{k}{1}).powi(2) - 1;\n",
            before("x"),
            before("y"),
            next("x"),
            next("y")
        )
    })
}

#[test]
fn a_consistent_point_of_many_pendulums_is_proved() {
    let LocalRegularity::Proven { condition, radius, .. } = local(&model(100, pendulum)) else { panic!() };
    assert!(condition < 100.0 && radius < 1e-11, "{condition:e} {radius:e}");
}

#[test]
fn a_long_sequence_of_equations_is_proved() {
    // z_k = 0.5 z_{k-1} + 0.4 sin(z_{k-1}), where z_1 is a state: the Jacobian of stage 0 is triangular, of order 500.
    let step = |k: usize| match k {
        1 => "var z1 = 0.01; der(z1) = -z1;\n".to_string(),
        _ => format!("var z{k} ~ 0; z{k} = 0.5 * z{0} + 0.4 * sin(z{0});\n", k - 1),
    };
    let found = local(&model(500, step));
    assert!(matches!(found, LocalRegularity::Proven { .. }), "{found:?}");
}

#[test]
fn a_bent_chain_is_regular_in_floating_point_arithmetic() {
    // The system Jacobian is one block of order 300: too large for a proof, but not for a factorization.
    let found = local(&chain(60, 0.05));
    let LocalRegularity::Numerical { condition, .. } = found else { panic!("{found:?}") };
    assert!(condition > 10.0 && condition < 1e7, "{condition:e}");
}

#[test]
fn a_singular_part_of_a_large_model_is_named() {
    // z77 is multiplied by s77 - 2, which is 0 at the start but not identically.
    let part = |k: usize| {
        let factor = if k == 77 { "(s77 - 2)" } else { "1" };
        format!("var s{k} = 2; var z{k} ~ 0; der(s{k}) = z{k}; 0 = {factor} * (z{k} - sin(s{k}));\n")
    };
    let found = local(&model(150, part));
    let LocalRegularity::Singular { message, .. } = &found else { panic!("{found:?}") };
    assert!(message.contains("equation 154 does not determine"), "{message}");
    assert!(message.contains("`z77`"), "{message}");
}

#[test]
fn a_conflict_in_a_large_model_is_named() {
    let part = |k: usize| match k {
        50 => pendulum(k).replace("var x50 ~", "var x50 = 2.0 + 0 *"),
        _ => pendulum(k),
    };
    let found = local(&model(100, part));
    let LocalRegularity::NoConsistentPoint { message } = &found else { panic!("{found:?}") };
    assert!(message.contains("`x50 = 2`") && message.contains("equation 250 cannot hold"), "{message}");
}

/// Expressed in the members alone, the derivatives of a long chain would be nested twenty deep; expressed in
/// derivatives of the members, they are not nested.
#[test]
fn forms_of_a_long_nonlinear_chain_stay_short() {
    let text = "struct Chain {
        const N = 20; var x: [f64; N];
        for i in 0..N - 1 { der(x[i]) = x[i + 1] + 0.1*x[i]*x[i + 1]; }
        x[0] = sin(t);
    }";
    let (model, _) = read_text(text).map_err(|rejection| rejection.diagnostics).unwrap();
    let compiled = compile(model.with_forms([Form::Index1, Form::Ggl]), 0.0).map_err(|it| it.diagnostics).unwrap();
    assert_eq!(compiled.analysis.certificate.verdict(), Verdict::Exact(20));
    assert_eq!(compiled.forms.len(), 2);
    for form in &compiled.forms {
        let longest = form.spelled.iter().map(String::len).max().unwrap();
        assert!(longest < 5_000, "{}: {longest} characters", form.form);
    }
}
