//! What is known about declared invariants: proofs, rejections, and what is neither proved nor disproved.

#![cfg(feature = "syntax")]

use dae_symbolic::first_integrals::Verdict;
use dae_symbolic::form::Form;
use dae_symbolic::pipeline::{Compiled, compile};
use dae_symbolic::read_text;
use dae_symbolic::syntax::{SourceText, to_text};

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    compile(model.with_forms([Form::Underlying]), 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics))
}

/// The name of each invariant, with `proved`, what the proof divides by, or `numerical`.
fn verdicts(text: &str) -> Vec<(String, String)> {
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Proved { nonzero } if nonzero.is_empty() => "proved".to_string(),
        Verdict::Proved { nonzero } => nonzero.join("; "),
        Verdict::Numerical { states, largest } => {
            assert!(*states > 3 && *largest < 1e-12, "{states}, {largest:e}");
            "numerical".to_string()
        }
        Verdict::NotExamined { reason } => reason.clone(),
    };
    let compiled = compiled(text);
    compiled.first_integrals.iter().map(|it| (it.name.clone(), verdict(&it.verdict))).collect()
}

/// What is printed about a model that is rejected after it was read.
fn rejected(text: &str) -> String {
    let (model, sources) = read_text(text).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    let rejected = compile(model, 0.0).expect_err("the invariant is wrong");
    to_text(&rejected.diagnostics, &sources, SourceText { file: "model.dae", text })
}

fn assert_all(text: &str, expected: &[(&str, &str)]) {
    let found = verdicts(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(name, verdict)| (name.as_str(), verdict.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn invariants_of_a_planet_are_proved() {
    assert_all(
        "struct Kepler {
            var x = 0.4; var y = 0; var u = 0; var v = 2;
            let r = sqrt(x.powi(2) + y.powi(2));
            let momentum = x * v - y * u;
            der(x) = u; der(y) = v; der(u) = -x / r.powi(3); der(v) = -y / r.powi(3);
            invariant energy = (u.powi(2) + v.powi(2)) / 2 - 1 / r;
            invariant angular_momentum = momentum;
            invariant lenz_x = v * momentum - x / r;
            invariant lenz_y = -u * momentum - y / r;
        }",
        &[("energy", "proved"), ("angular_momentum", "proved"), ("lenz_x", "proved"), ("lenz_y", "proved")],
    );
}

/// The hidden constraint has to be used, as the multiplier is in the derivative of the energy.
#[test]
fn the_energy_of_constrained_motion_is_proved() {
    assert_all(PENDULUM, &[("energy", "proved")]);
    assert_all(
        "struct Two {
            param m = 1; param g = 9.81;
            var x = 1; var y ~ 0; var z ~ 1; var w = -1; var a; var b;
            start der(x) ~ 0; start der(y) = 0; start der(z) = 0; start der(w) ~ 0;
            m * der(x, 2) = -a * x + b * (z - x); m * der(y, 2) = -a * y + b * (w - y) - m * g;
            der(z, 2) = -b * (z - x); der(w, 2) = -b * (w - y) - g;
            x.powi(2) + y.powi(2) = 1; (z - x).powi(2) + (w - y).powi(2) = 1;
            invariant energy = m / 2 * (der(x).powi(2) + der(y).powi(2)) + (der(z).powi(2) + der(w).powi(2)) / 2
                + g * (m * y + w);
        }",
        &[("energy", "proved")],
    );
}

/// Its derivative is made of the equations of motion times velocities.
#[test]
fn the_energy_of_a_lagrangian_with_coupled_masses_is_proved() {
    assert_all(
        "struct Double {
            param m = 1; param l = 1; param g = 9.81;
            var a = 1; var b = 2; var p = 0; var q = 0;
            lagrangian {
                coordinates a, b;
                velocities p, q;
                kinetic = m * (l * p).powi(2) + m / 2 * (l * q).powi(2) + m * l.powi(2) * p * q * cos(a - b);
                potential = -m * g * l * (2 * cos(a) + cos(b));
                invariant energy;
            }
        }",
        &[("energy", "proved")],
    );
}

/// What is divided by is named, unless it has no zero.
#[test]
fn a_proof_names_what_it_divides_by() {
    let text = |factor: &str| {
        format!(
            "struct Circle {{
                var x = 0.5; var y = 0.5; let f = {factor};
                f * der(x) = y; f * der(y) = -x;
                invariant radius = x.powi(2) + y.powi(2);
            }}"
        )
    };
    assert_all(&text("2 + x"), &[("radius", "x + 2")]);
    assert_all(&text("2 + x.powi(2)"), &[("radius", "proved")]);
}

#[test]
fn dependence_on_time_and_elements_of_arrays_are_allowed() {
    assert_all(
        "struct Driven {
            param w = 2; var x = 1; var v = 0;
            der(x) = v; der(v) = -x + sin(w * t);
            let s = 1 - w.powi(2);
            invariant amplitude = (x - sin(w * t) / s).powi(2) + (v - w * cos(w * t) / s).powi(2);
        }",
        &[("amplitude", "proved")],
    );
    assert_all(
        "struct Ring {
            const N = 5;
            var x: [f64; N] = |i| sin(i); var v: [f64; N] = 0.1;
            for i in 0..N { der(x[i]) = v[i]; }
            for i in 1..N - 1 { der(v[i]) = x[i - 1] - 2 * x[i] + x[i + 1]; }
            der(v[0]) = x[N - 1] - 2 * x[0] + x[1];
            der(v[N - 1]) = x[N - 2] - 2 * x[N - 1] + x[0];
            invariant momentum = sum(i in 0..N => v[i]);
        }",
        &[("momentum", "proved")],
    );
}

/// Unknowns that are equal to others are replaced by these.
#[test]
fn aliases_are_replaced() {
    assert_all(
        "struct Alias {
            var x = 1; var v = 0; var w; var f;
            der(x) = w; w = v; der(v) = f; f = -x;
            invariant energy = (w.powi(2) + x.powi(2)) / 2;
        }",
        &[("energy", "proved")],
    );
}

/// It holds for the default of the parameter, so that only numbers speak for it.
#[test]
fn what_holds_for_the_defaults_only_is_numerical() {
    assert_all(
        "struct Spring {
            param k = 1; var x = 1; var v = 0.5;
            der(x) = v; der(v) = -k * x;
            invariant energy = (v.powi(2) + x.powi(2)) / 2;
        }",
        &[("energy", "numerical")],
    );
}

const PENDULUM: &str = "struct Pendulum {
    param m = 2;
    var x = 1; var y ~ 0; var u ~ 0; var v = 0; var lambda;
    der(x) = u; der(y) = v; m * der(u) = -lambda * x; m * der(v) = -lambda * y - m * 9.81;
    0 = x.powi(2) + y.powi(2) - 1;
    invariant energy = 0.5 * m * (u.powi(2) + v.powi(2)) + m * 9.81 * y;
}";

#[test]
fn a_quantity_that_changes_is_rejected_at_its_name() {
    // At the start, where all velocities are zero, nothing is to be seen.
    let text = PENDULUM.replace("0.5 * m", "0.6 * m");
    let printed = rejected(&text);
    assert!(
        printed
            .starts_with("error[E410]: `energy` changes along solutions, and is no invariant\n --> model.dae:6:15\n"),
        "{printed}"
    );
    assert!(printed.contains("at a consistent state") && printed.contains("where t = "), "{printed}");
    // With a start value it is clear there.
    let printed = rejected(&text.replace("var v = 0;", "var v = 1;"));
    assert!(printed.contains("at the start") && printed.contains("v = 1.0000"), "{printed}");
    // Friction.
    let damped = PENDULUM.replace("= -lambda * x;", "= -lambda * x - u;");
    assert!(rejected(&damped).contains("`energy` changes along solutions"));
}

#[test]
fn what_is_no_smooth_function_of_states_is_rejected() {
    let with = |old: &str, new: &str| rejected(&PENDULUM.replace(old, new));
    let printed = with("invariant energy = ", "invariant energy = lambda * x + ");
    assert!(
        printed.contains("error[E409]: the invariant `energy` depends on `lambda`, which is not a state"),
        "{printed}"
    );
    let printed = with("9.81 * y;\n", "9.81 * abs(y);\n");
    assert!(
        printed.contains("error[E409]: the invariant `energy` contains a function with kinks or jumps"),
        "{printed}"
    );
    let printed = with(
        "invariant energy = ",
        "table a = [(0, 1), (1, 2), (2, 4), (3, 1)]; let b = a(x); invariant energy = b + ",
    );
    assert!(
        printed.contains("error[E409]: the invariant `energy` contains a table or an external function"),
        "{printed}"
    );
}
