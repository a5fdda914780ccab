//! Boundary conditions of a text: what they are called, their values and derivatives, and what is rejected.

#![cfg(feature = "syntax")]

use dae_runtime::contract::{Boundary, Pattern, Point, Prolongation};
use dae_symbolic::pipeline::{Compiled, compile};
use dae_symbolic::read_text;
use dae_symbolic::syntax::{SourceText, to_text};

fn compiled(text: &str) -> Compiled {
    let (model, sources) =
        read_text(text).unwrap_or_else(|it| panic!("{}", it.to_text(SourceText { file: "model.dae", text })));
    compile(model, 0.0)
        .unwrap_or_else(|it| panic!("{}", to_text(&it.diagnostics, &sources, SourceText { file: "model.dae", text })))
}

/// What is printed about a model that is rejected.
fn rejected(text: &str) -> String {
    let source = SourceText { file: "model.dae", text };
    match read_text(text) {
        Err(it) => it.to_text(source),
        Ok((model, sources)) => {
            let rejected = compile(model, 0.0).expect_err("the conditions are wrong");
            to_text(&rejected.diagnostics, &sources, source)
        }
    }
}

fn boundary(compiled: &Compiled) -> &dyn Boundary {
    compiled.prolonged.boundary().expect("boundary conditions")
}

fn names(compiled: &Compiled) -> Vec<String> {
    boundary(compiled).boundary_description().conditions.iter().map(ToString::to_string).collect()
}

fn residual(compiled: &Compiled, times: &[f64], jets: &[f64]) -> Vec<f64> {
    let boundary = boundary(compiled);
    let mut values = vec![f64::NAN; boundary.boundary_description().conditions.len()];
    boundary.boundary_residual(times, jets, &mut values);
    values
}

/// A matrix, column by column.
fn dense(pattern: &Pattern, values: &[f64]) -> Vec<Vec<f64>> {
    let mut columns = vec![vec![0.0; pattern.rows()]; pattern.columns];
    pattern.entries().for_each(|(row, column, k)| columns[column][row] = values[k]);
    columns
}

/// Compares the Jacobians with central differences, at numbers in general position.
fn assert_derivatives(text: &str) {
    let mut compiled = compiled(text);
    let d = boundary(&compiled).boundary_description().clone();
    let jets = compiled.prolonged.description.jets.len();
    let points = d.points.len();
    let mut times: Vec<f64> = (0..points).map(|k| 0.3 + 0.6 * k as f64).collect();
    let mut values: Vec<f64> = (0..points * jets).map(|k| 0.7 + 0.4 * (1.3 * k as f64).sin()).collect();
    let filled = |pattern: &Pattern, fill: &dyn Fn(&mut [f64])| {
        let mut entries = vec![f64::NAN; pattern.len()];
        fill(&mut entries);
        dense(pattern, &entries)
    };
    let it = boundary(&compiled);
    let by_jets = filled(&d.jacobian, &|entries| it.boundary_jacobian(&times, &values, entries));
    let by_times = filled(&d.jacobian_t, &|entries| it.boundary_jacobian_t(&times, &values, entries));
    let by_parameters = filled(&d.jacobian_p, &|entries| it.boundary_jacobian_p(&times, &values, entries));
    let h = 1e-6;
    let close = |exact: &[f64], before: Vec<f64>, after: Vec<f64>| {
        for ((exact, before), after) in exact.iter().zip(before).zip(after) {
            let quotient = (after - before) / (2.0 * h);
            assert!((exact - quotient).abs() < 1e-7 * (1.0 + exact.abs()), "{exact} and {quotient}");
        }
    };
    assert_eq!((by_jets.len(), by_times.len()), (values.len(), times.len()));
    for k in 0..values.len() {
        let exact = values[k];
        values[k] = exact - h;
        let before = residual(&compiled, &times, &values);
        values[k] = exact + h;
        let after = residual(&compiled, &times, &values);
        values[k] = exact;
        close(&by_jets[k], before, after);
    }
    for k in 0..times.len() {
        let exact = times[k];
        times[k] = exact - h;
        let before = residual(&compiled, &times, &values);
        times[k] = exact + h;
        let after = residual(&compiled, &times, &values);
        times[k] = exact;
        close(&by_times[k], before, after);
    }
    for k in 0..compiled.prolonged.parameters.len() {
        let exact = compiled.prolonged.parameters[k];
        compiled.prolonged.parameters[k] = exact - h;
        let before = residual(&compiled, &times, &values);
        compiled.prolonged.parameters[k] = exact + h;
        let after = residual(&compiled, &times, &values);
        compiled.prolonged.parameters[k] = exact;
        close(&by_parameters[k], before, after);
    }
}

const BEAM: &str = "struct Beam {
    param omega = 3;
    param tau = 3;
    const N = 2;
    var q: [f64; N] ~ |i| sin((i + 1) * t);
    var u: [f64; N] ~ cos(t);
    var w = 0.5;
    let energy = w * w + q[0];
    for i in 0..N {
        der(q[i]) = u[i];
        der(u[i]) = -omega * q[i];
    }
    der(w) = q[0] - w;
    boundary {
        horizon(0, 2 * omega);
        for i in 0..N { q[i](t0) = 0.1 * i; }
        q[0](t_end) * der(q[1])(0.5) = omega * t_end;
        energy(t_end) = energy(t0) + sqrt(u[1](tau / 8)) * t0;
        u[1](t_end).powi(3) = 1;
        free omega;
    }
}";

#[test]
fn conditions_have_names_points_and_derivatives() {
    let compiled = compiled(BEAM);
    let expected = [
        "start of w",
        "q[0](t0) = 0",
        "q[1](t0) = 0.1",
        "q[0](t_end)·der(q[1])(0.5) = omega·t_end",
        "q[0](t_end) + w(t_end)² = q[0](t0) + w(t0)² + t0·sqrt(u[1](0.125·tau))",
        "u[1](t_end)³ = 1",
    ];
    assert_eq!(names(&compiled), expected);
    let d = boundary(&compiled).boundary_description();
    let points = [Point::Start, Point::Interior("0.5".into()), Point::Interior("0.125·tau".into()), Point::End];
    assert_eq!(&d.points[..], points);
    assert_derivatives(BEAM);
}

#[test]
fn values_are_those_of_the_conditions() {
    let compiled = compiled(
        "struct Oscillator {
            param l = 2;
            var x ~ l * t + 1;
            var v ~ cos(PI * t);
            der(x) = v; der(v) = -x;
            boundary {
                horizon(0, l);
                x(t0) * v(t_end) = l;
                der(v)(t0) = t_end - der(x)(t_end);
            }
        }",
    );
    let it = boundary(&compiled);
    assert_eq!(it.default_ends(), Some([0.0, 2.0]));
    let jets: Vec<String> = compiled.prolonged.description.jets.iter().map(|jet| jet.name.to_string()).collect();
    assert_eq!(jets, ["x", "der(x)", "v", "der(v)"]);
    let values = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0];
    assert_eq!(residual(&compiled, &[0.5, 4.0], &values), [2.0 * 17.0 - 2.0, 7.0 - 4.0 + 13.0]);
    let mut guess = [f64::NAN; 4];
    it.boundary_guess([0.0, 2.0], 1.0, &mut guess);
    assert_eq!(guess, [3.0, 0.0, -1.0, 0.0]);
}

#[test]
fn integrals_are_unknowns() {
    let text = "struct Eigenvalue {
        param lambda = 9;
        var y = 0;
        var v ~ 1;
        der(y) = v; der(v) = -lambda * y;
        boundary { y(t_end) = 0; integral(y.powi(2)) + integral(t * y) = 1; free lambda; integral(t * y) = v(t0); free t_end; }
    }";
    let compiled = compiled(text);
    let expected = [
        "start of y",
        "start of integral_1",
        "start of integral_2",
        "y(t_end) = 0",
        "integral_1(t_end) + integral_2(t_end) = 1",
        "integral_2(t_end) = v(t0)",
    ];
    assert_eq!(names(&compiled), expected);
    let d = boundary(&compiled).boundary_description();
    assert_eq!((&d.free_parameters[..], d.has_free_end), (&[0][..], true));
    let rate = compiled.model.equations.last().map(|it| it.name.clone());
    assert_eq!(rate.as_deref(), Some("integrand of integral_2"));
    assert_derivatives(text);
}

const CONTROL: &str = "
    var y = 1; var z = 0; var v ~ 0; var w ~ 0; var u ~ 0;
    optimal_control {
        states y, z; adjoints v, w; controls u;
        der(y) = z; der(z) = u - y;
        running_cost = u.powi(2) / 2;
        terminal_cost = y.powi(2);
        horizon(0, 1);
    }";

#[test]
fn optimal_control_has_boundary_conditions() {
    let of = |more: &str| names(&compiled(&format!("struct Control {{ {CONTROL} {more} }}")));
    assert_eq!(of(""), ["start of y", "start of z", "v(t_end) = 2·y(t_end)", "w(t_end) = 0"]);
    assert_eq!(of("boundary { y(t_end) = 0; }"), ["start of y", "start of z", "y(t_end) = 0", "w(t_end) = 0"]);
    let free = of("boundary { y(t_end) = 0; z(t_end) = 0; free t_end; }");
    assert_eq!(free[..4], ["start of y", "start of z", "y(t_end) = 0", "z(t_end) = 0"]);
    assert_eq!(free.len(), 5);
    assert!(free[4].contains("v(t_end)") && free[4].ends_with(" = 0"), "{}", free[4]);
    let given = compiled(&format!("struct Control {{ {} }}", CONTROL.replace("v ~ 0", "v = 0")));
    assert!(given.prolonged.boundary().is_none());
}

#[test]
fn models_without_conditions_have_none() {
    let plain = compiled("struct Decay { var x = 1; der(x) = -x; }");
    assert!(plain.prolonged.boundary().is_none() && plain.boundary.is_none());
}

/// The texts of a model with the given statements in its block, each with what is printed in its first lines.
fn assert_rejected(block: &str, expected: &[&str]) {
    let text = format!(
        "struct Bad {{\n    param a = 1;\n    param k: [f64; 2] = 1;\n    input f = sin(t);\n    var x ~ 1;\n    var v ~ 0;\n    var q: [f64; 2] ~ 0;\n    \
         let e = x + v;\n    der(x) = v; der(v) = -x;\n    for i in 0..2 {{ 0 = q[i] - x * (i + 1); }}\n    boundary {{\n        {block}\n    }}\n}}"
    );
    let printed = rejected(&text);
    for part in expected {
        assert!(printed.contains(part), "`{part}` is not in\n{printed}");
    }
}

#[test]
fn conditions_that_make_no_sense_are_rejected() {
    assert_rejected("x(t0) = 1;", &["E432", "the model has 1 boundary condition, and 2 are needed", "1 missing"]);
    assert_rejected(
        "x(t0) = 1; v(t0) = 0; v(t_end) = 0;",
        &["E432", "1 too many", "2 degrees of freedom", "`v(t0) = 0`"],
    );
    assert_rejected("x = 1; v(t0) = 0;", &["E430", "`x` stands in a condition without a time", "write `x(t0)`"]);
    assert_rejected("der(x) = 1; v(t0) = 0;", &["E430", "`x` stands in a condition without a time"]);
    assert_rejected("e = 1; v(t0) = 0;", &["E430", "take sub-expressions at a time, too"]);
    assert_rejected("x(t) = 1; v(t0) = 0;", &["E106", "the time `t` cannot be used here", "write `t0` for the start"]);
    assert_rejected("a = 1; v(t0) = 0;", &["E430", "this condition contains no unknown"]);
    assert_rejected("x(x(t0)) = 1;", &["E430", "this is no time at which"]);
    assert_rejected(
        "der(x, 3)(t0) = 1; v(t0) = 0;",
        &["E430", "`der(x, 3)(t0)` is a higher derivative", "up to `der(x)`"],
    );
    assert_rejected("q(t0) = 1;", &["E123", "an array is taken at a time"]);
    assert_rejected("q[2](t0) = 1;", &["E122"]);
    assert_rejected("f = x(t0);", &["E106", "the input `f` cannot be used here"]);
    assert_rejected(
        "x(t0) = 1; v(a / 2) = 1; v(t0) = 0; free a;",
        &["E431", "`a` is free, and a condition holds at a time"],
    );
    assert_rejected(
        "x(t0) = 1; v(t0) = 0; free x;",
        &["E431", "a free quantity is a parameter, and `x` is an unknown"],
    );
    assert_rejected("x(t0) = 1; v(t0) = 0; free t0;", &["E431", "the start `t0` is given"]);
    assert_rejected("x(t0) = 1; v(t0) = 0; free a, a;", &["E402", "`a` is free twice"]);
    assert_rejected("x(t0) = 1; v(t0) = 0; } boundary { x(t0) = 1;", &["E402", "two blocks of boundary conditions"]);
    assert_rejected("x(t0) = 1; v(t0) = 0; } x(t0) = v; boundary {", &["E106", "`x` is taken at a time"]);
    assert_rejected("x(t0) = 1; v(t0) = 0; } q[0](0.5) = v; boundary {", &["E106", "a value is taken at a time"]);
}

#[test]
fn conditions_that_restrict_the_same_are_rejected() {
    assert_rejected("x(t0) = 1; x(t0) = 2;", &["E433", "`x(t0) = 1` and `x(t0) = 2` restrict the same"]);
    assert_rejected("x(t0) = 1; q[1](t0) = 2;", &["E433", "restrict the same", "related by equation"]);
    assert_rejected("x(t0) + v(t0) = 1; e(t0) = 3;", &["E433"]);
    assert_rejected(
        "q[0](t0) = 2 * x(t0) - x(t0); v(t0) = 0;",
        &["E433", "restricts what the equations already determine"],
    );
    let pendulum = |conditions: &str| {
        format!(
            "struct Pendulum {{
            var x ~ 1; var y ~ 0; var u ~ 0; var v ~ 0; var lambda ~ 0;
            der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 9.81;
            x.powi(2) + y.powi(2) = 1;
            boundary {{ {conditions} }}
        }}"
        )
    };
    let printed = rejected(&pendulum("x(t0) = 0.6; y(t0) = 0.8;"));
    assert!(printed.contains("E433") && printed.contains("`x(t0) = 0.6` and `y(t0) = 0.8`"), "{printed}");
    // Where it starts, the first condition would be dependent, and nowhere else.
    assert_eq!(names(&compiled(&pendulum("x(t0) = 0.6; y(t_end) = 0.8;"))).len(), 2);
    assert_eq!(names(&compiled(&pendulum("x(t0) = 0.6; v(t0) = 0.8;"))).len(), 2);
}

#[test]
fn conditions_that_differ_are_accepted() {
    let of = |more: &str| {
        compiled(&format!(
            "struct Good {{ param a = 1; var x ~ 0; var v ~ 0; var w ~ 0; der(x) = v; der(v) = -a * x; w = t; boundary {{ {more} }} }}"
        ))
    };
    for conditions in [
        "x(t0) = x(t_end); v(t0) = v(t_end);",
        "x(t0).powi(2) = 0; x(t_end) * v(t_end) = 0;",
        "x(t0) = 1; x(t0) = a; v(t_end) = 0; free a;",
        "x(t0) = 1; x(t_end) = 1; x(t_end) = t_end; free t_end;",
        "x(t0) = 1; v(t0) = 1; w(t_end) = 3; free t_end;",
        "x(0.3) = 1; x(0.6) = 1;",
        "-x(t0) = 1; (x(t_end) - v(t_end)) / a = 1;",
    ] {
        of(conditions);
    }
}

#[test]
fn sums_and_functions_are_of_values_at_times() {
    let text = "struct Chain {
        const N = 3;
        param a = 2;
        var q: [f64; N] ~ |i| i * t;
        fn square(s) { s * s }
        let total = sum(i in 0..N => q[i]);
        for i in 0..N { der(q[i]) = -q[i] / (1 + i) + t; }
        boundary {
            sum(i in 0..N => square(q[i](t0))) = if q[0](t_end) > 0 { a } else { -a };
            total(t_end) = 1;
            for i in 2..N { integral(q[i] * i) = a; }
        }
    }";
    let compiled = compiled(text);
    let expected = [
        "start of integral_1",
        "q[0](t0)² + q[1](t0)² + q[2](t0)² = ",
        "q[0](t_end) + q[1](t_end) + q[2](t_end) = 1",
        "integral_1(t_end) = a",
    ];
    for (name, expected) in names(&compiled).iter().zip(expected) {
        assert!(name.starts_with(expected), "{name}");
    }
    assert_derivatives(text);
}

#[cfg(feature = "report")]
#[test]
fn reports_list_conditions() {
    use dae_symbolic::report::Report;
    let compiled = compiled(BEAM);
    let report = Report::compiled(&compiled);
    let boundary = report.boundary.as_ref().expect("boundary conditions");
    assert_eq!(boundary.horizon, Some(["0".to_string(), "2·omega".to_string()]));
    assert_eq!((boundary.conditions.len(), boundary.free.join(", ").as_str()), (6, "omega"));
    assert_eq!(
        (boundary.conditions[0].source, boundary.conditions[0].equation.as_str()),
        ("start value", "w(t0) = 0.5")
    );
    assert_eq!((boundary.conditions[1].source, boundary.conditions[1].name.as_str()), ("text", "q[0](t0) = 0"));
    let text = report.to_string();
    assert!(text.contains("boundary condition") && text.contains("u[1](t_end)³ = 1"), "{text}");
    assert!(text.contains("omega, by the boundary conditions"), "{text}");
    let lines = compiled.summary().join("\n");
    assert!(lines.contains("* q[1](t0) = 0.1") && lines.contains("They determine `omega`."), "{lines}");
}
