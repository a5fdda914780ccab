//! The meaning of accepted texts: models of the literature, exact numbers, and every form of the grammar.

use dae_symbolic::expr::{Rational, Symbol, evaluate_one};
use dae_symbolic::model::{Model, Start, verify};
use dae_symbolic::syntax::SourceText;
use dae_symbolic::{read, read_text};

fn model(text: &str) -> Model {
    match read_text(text) {
        Ok((model, _)) => model,
        Err(rejection) => panic!("{}", rejection.to_text(SourceText { file: "model.dae", text })),
    }
}

/// For each equation, the unknowns and derivatives that occur in it, such as `x der(u) lambda`.
fn incidence(model: &Model) -> Vec<String> {
    let name = |&(unknown, order)| model.symbol_name(Symbol::Unknown { unknown, order });
    model.equations.iter().map(|equation| equation.incidence.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

/// The residual of an equation where unknown `j` and its first derivative have the values `x[j]` and `xp[j]`, and `t`
/// is 0.25.
fn residual(model: &Model, equation: usize, x: &[f64], xp: &[f64]) -> f64 {
    let parameters: Vec<f64> = model.parameters.iter().fold(Vec::new(), |mut known, parameter| {
        known.push(evaluate_one(&model.dag, parameter.default, |symbol| match symbol {
            Symbol::Parameter(id) => known[id.index()],
            _ => f64::NAN,
        }));
        known
    });
    let outer = |symbol| match symbol {
        Symbol::Time => 0.25,
        Symbol::Parameter(id) => parameters[id.index()],
        _ => f64::NAN,
    };
    evaluate_one(&model.dag, model.equations[equation].residual, |symbol| match symbol {
        Symbol::Unknown { unknown, order: 0 } => x[unknown.index()],
        Symbol::Unknown { unknown, order: 1 } => xp[unknown.index()],
        Symbol::Input { input, order: 0 } => evaluate_one(&model.dag, model.inputs[input.index()].definition, outer),
        other => outer(other),
    })
}

/// The value of an expression without unknowns, as an exact number.
fn exact(expression: &str) -> Option<Rational> {
    let model = model(&format!("struct M {{ param p = {expression}; var x; x = p; }}"));
    model.dag.as_constant(model.parameters[0].default).cloned()
}

#[test]
fn pendulum() {
    let model = model(include_str!("models/pendulum.dae"));
    assert_eq!((model.name.as_str(), model.visibility.as_str()), ("Pendulum", "pub"));
    assert_eq!(model.docs, ["Planar pendulum in Cartesian coordinates (Hairer & Wanner, VII.2)."]);
    assert_eq!(model.parameters[0].docs, ["Gravity."]);
    assert_eq!(model.dag.as_constant(model.parameters[0].default), Rational::new(981, 100).as_ref());
    assert_eq!(incidence(&model), ["der(x) u", "der(y) v", "x der(u) lambda", "y der(v) lambda", "x y"]);
    let kinds: Vec<_> = model.unknowns.iter().map(|u| u.start.as_ref().map(|start| start.kind)).collect();
    let (guess, fixed) = (Some(Start::Guess), Some(Start::Fixed));
    assert_eq!(kinds, [guess, fixed, guess, fixed, guess]);
    assert_eq!(model.unknowns[4].nominal, 10.0);
    assert_eq!(model.unknowns[4].docs, ["Tension per length."]);
    // 0 = e has the residual e, left = right has left - right.
    let (x, xp) = ([0.5, 2.0, 3.0, 4.0, 5.0], [0.0, 0.0, 7.0, 8.0, 0.0]);
    assert_eq!(residual(&model, 0, &x, &xp), -3.0);
    assert_eq!(residual(&model, 3, &x, &xp), 8.0 + 10.0 + 9.81);
    assert_eq!(residual(&model, 4, &x, &xp), 0.25 + 4.0 - 1.0);
    assert_eq!(verify(&model).err(), None);
}

#[test]
fn transistor_amplifier() {
    let model = model(include_str!("models/transistor_amplifier.dae"));
    assert_eq!(
        incidence(&model),
        [
            "der(y1) der(y2)",
            "der(y1) der(y2) y3",
            "y2 der(y3)",
            "y2 y3 der(y4) der(y5)",
            "der(y4) der(y5) y6",
            "y5 der(y6)",
            "y5 y6 der(y7) der(y8)",
            "der(y7) der(y8)",
        ]
    );
    // At consistent derivatives the second equation holds; h(0) = 0.
    let x = [0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0];
    let xp = [51.338775, 51.338775, -1.0 / 6e-3, -24.9757667, -24.9757667, -1.0 / 12e-3, -10.00564453, -10.00564453];
    for equation in [1, 2, 4, 5, 7] {
        assert!(residual(&model, equation, &x, &xp).abs() < 1e-16, "equation {}", equation + 1);
    }
    // (y1 - ue) / r0 with ue = 0.1 sin(50 π) at t = 0.25.
    assert!(residual(&model, 0, &x, &xp).abs() < 1e-15);
    assert_eq!(model.inputs.len(), 1);
}

#[test]
fn car_axis() {
    let model = model(include_str!("models/car_axis.dae"));
    assert_eq!(
        incidence(&model),
        [
            "der(xl) u1",
            "der(yl) u2",
            "der(xr) u3",
            "der(yr) u4",
            "xl yl xr der(u1) lam1 lam2",
            "xl yl yr der(u2) lam1 lam2",
            "xl xr yr der(u3) lam2",
            "yl xr yr der(u4) lam2",
            "xl yl",
            "xl yl xr yr",
        ]
    );
    assert_eq!(model.definitions.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["k", "yb", "xb", "ll", "lr"]);
    assert_eq!(model.unknowns[8].start, None);
    let x = [0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0];
    let mut xp = [0.0; 10];
    xp[5] = -1.0;
    assert!(residual(&model, 5, &x, &xp).abs() < 1e-18);
}

#[test]
fn numbers_are_exact() {
    let cases = [
        ("9.81", 981, 100),
        ("1e-6", 1, 1_000_000),
        ("1_000", 1000, 1),
        ("2.", 2, 1),
        ("2.5e+3", 2500, 1),
        ("1E3", 1000, 1),
        ("0.1f64", 1, 10),
        ("3_f64", 3, 1),
        ("6 / 9000", 1, 1500),
        ("0.1 + 0.2", 3, 10),
        ("2 - 3 - 4", -5, 1),
        ("2 / 3 / 4", 1, 6),
        ("2 / 3 * 4", 8, 3),
        ("-2.powi(2)", -4, 1),
        ("(-2).powi(2)", 4, 1),
        ("--3 * -2", -6, 1),
        ("2 * -3 + 1", -5, 1),
        ("powi(2, -3)", 1, 8),
        ("sin(PI / 6 * 3)", 1, 1),
        ("4.sqrt()", 2, 1),
        ("max(2, 3) + 2.min(3)", 5, 1),
        ("E.ln() + std::f64::consts::E.ln() + f64::cos(f64::consts::PI)", 1, 1),
        ("((((7))))", 7, 1),
    ];
    for (text, numerator, denominator) in cases {
        assert_eq!(exact(text), Rational::new(numerator, denominator), "{text}");
    }
    assert_eq!(exact("6.02e23").map(|value| value.to_f64()), Some(6.02e23));
}

#[test]
fn every_form_of_every_statement() {
    let model = model(
        "/// One.
        /// Two.
        pub(in crate::inner) struct All {
            start der(x) ~ 2 * 0.5;
            const M = 1;
            const N: f64 = M + 1;
            param a = N;
            param k: f64 = a / 1;
            input u = a * t;
            fn f(p: f64, q,) -> f64 { let r: f64 = p * q; let s = r * a; s + u }
            let w = x * der(x);
            /// Newton.
            der(x, N + 1) = -k * u + f(der(u), 2,) + w;
            ;
            /** Block. */
            var x: f64 = a;
            start der(x, 2) = 1;
        }",
    );
    assert_eq!(model.visibility, "pub(in crate::inner)");
    assert_eq!(model.docs, ["One.", "Two."]);
    assert_eq!(incidence(&model), ["der(x, 3)"]);
    assert_eq!(model.equations[0].docs, ["Newton."]);
    assert_eq!(model.unknowns[0].docs, ["Block."]);
    let starts: Vec<_> =
        model.unknowns[0].derivative_starts.iter().map(|(order, start)| (*order, start.kind)).collect();
    assert_eq!(starts, [(1, Start::Guess), (2, Start::Fixed)]);
    // x''' + k u - (2 a u' + u) - x x' at u' = 3, x''' = 11 and all others 2: symbols keep the order of derivatives.
    let value = evaluate_one(&model.dag, model.equations[0].residual, |symbol| match symbol {
        Symbol::Input { order: 1, .. } => 3.0,
        Symbol::Unknown { order: 3, .. } => 11.0,
        Symbol::Parameter(id) => [2.0, 2.0][id.index()],
        _ => 2.0,
    });
    assert_eq!(value, 11.0 + 4.0 - (3.0 * 2.0 * 2.0 + 2.0) - 4.0);
}

#[test]
fn start_statements_replace_the_values_of_declarations() {
    let model = model(
        "struct Starts {
            start x = 0.5; start q ~ 3; start q[1] = 4; start y = 2 / 4;
            var x ~ 1; var y = 0.5; var z; var q: [f64; 2] ~ 7; start z ~ 6;
            der(x) = y; der(y) = z; z = 1; for i in 0..2 { q[i] = i; }
        }",
    );
    let starts: Vec<_> = model.unknowns.iter().filter_map(|unknown| unknown.start.as_ref()).collect();
    let values: Vec<f64> = starts.iter().map(|start| evaluate_one(&model.dag, start.value, |_| f64::NAN)).collect();
    assert_eq!(values, [0.5, 0.5, 6.0, 3.0, 4.0]);
    let kinds: Vec<Start> = starts.iter().map(|start| start.kind).collect();
    assert_eq!(kinds, [Start::Fixed, Start::Fixed, Start::Guess, Start::Guess, Start::Fixed]);
}

#[test]
fn conditionals_mean_what_they_mean_in_rust() {
    type Meaning = fn(f64, f64) -> f64;
    let cases: [(&str, Meaning); 8] = [
        ("if x < y { 1 } else { 2 }", |x, y| if x < y { 1.0 } else { 2.0 }),
        ("if x <= y { x } else { -y }", |x, y| if x <= y { x } else { -y }),
        ("1 + if x >= y && !(x > 2) { 1 } else { 2 } * 3", |x, y| {
            1.0 + if x >= y && x <= 2.0 { 1.0 } else { 2.0 } * 3.0
        }),
        ("if x > 1 || y > 1 && x < 0 { 1 } else { 2 }", |x, y| if x > 1.0 || y > 1.0 && x < 0.0 { 1.0 } else { 2.0 }),
        (
            "if (x > 1 || y > 1) && x < 2 { 1 } else { 2 }",
            |x, y| {
                if (x > 1.0 || y > 1.0) && x < 2.0 { 1.0 } else { 2.0 }
            },
        ),
        ("if x > 1 { 1 } else if y > 1 { 2 } else if !!(x + y > 1) { 3 } else { 4 }", |x, y| {
            if x > 1.0 {
                1.0
            } else if y > 1.0 {
                2.0
            } else if x + y > 1.0 {
                3.0
            } else {
                4.0
            }
        }),
        ("-if if x > 1 { y } else { -y } > 0 { 1 } else { 2 }.sqrt()", |x, y| {
            if (if x > 1.0 { y } else { -y }) > 0.0 { -1.0 } else { -(2.0_f64.sqrt()) }
        }),
        ("f(x, if x > y { y } else { x },)", |x, y| x.min(y)),
    ];
    for (text, meaning) in cases {
        let model = model(&format!(
            "struct M {{
                fn same(a) {{ a }}
                fn f(a, b) {{ if a > b {{ same(b) }} else {{ a }} }}
                var x; var y;
                0 = {text};
                der(y) = x;
            }}"
        ));
        for x in [-1.0, 0.0, 1.0, 2.0, 3.0] {
            for y in [-1.0, 0.0, 1.0, 2.0, 3.0] {
                assert_eq!(residual(&model, 0, &[x, y], &[0.0; 2]), meaning(x, y), "{text} at {x}, {y}");
            }
        }
    }
}

#[test]
fn incidence_is_that_of_the_text() {
    let model = model(
        "struct M { var x; var y; var z;
            fn first(a, b) { a } fn twice(a) { first(a, a) + first(a, 0) }
            let w = der(y) - der(y); let q = w * der(z, 2);
            x - x = 0;
            0 * y = w;
            first(x, y) = twice(z - z);
            q + x = der(z) / der(z);
        }",
    );
    assert_eq!(incidence(&model), ["x", "der(y)", "x z", "x der(y) der(z, 2)"]);
}

#[test]
fn invisible_groups_are_parentheses() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    let group = |text: &str| {
        let inner: TokenStream = text.parse().expect("tokens");
        TokenTree::from(Group::new(Delimiter::None, inner))
    };
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    // A name, a guess, a sum after `2 *`, a whole equation and an operand in groups of their own, and an empty group.
    let operand = TokenStream::from(TokenTree::from(Group::new(Delimiter::Parenthesis, group("x").into())));
    let group = |text: &str| TokenStream::from(group(text));
    let mut body = TokenStream::new();
    body.extend([tokens("var"), group("x"), tokens("~"), group("-1"), tokens(";")]);
    body.extend([tokens("x = 2 *"), group("1 + x"), tokens(";")]);
    body.extend([group("der(x) = x"), tokens(";")]);
    body.extend([group(""), tokens("der"), operand, tokens("="), group("x"), tokens(".powi(2);")]);
    let mut all = group("pub(crate)");
    all.extend([tokens("struct"), group("M")]);
    all.extend([TokenTree::from(Group::new(Delimiter::Brace, body))]);
    let (model, _) = read(all).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    assert_eq!((model.visibility.as_str(), model.name.as_str()), ("pub(crate)", "M"));
    assert_eq!(incidence(&model), ["x", "der(x)", "der(x)"]);
    assert_eq!(residual(&model, 0, &[5.0], &[0.0]), 5.0 - 12.0);
}

#[test]
fn reading_is_a_function_of_the_text() {
    let text = include_str!("models/car_axis.dae");
    let (first, second) = (model(text), model(text));
    assert_eq!(first.equations, second.equations);
    assert_eq!(first.dag.len(), second.dag.len());
}
