//! Models with arrays, `for` and sums against the same models written out.
//!
//! Every case is a model with families and the same model written out by hand: both have the same unknowns, equations,
//! incidence, start values and residuals, in the same order. `q[3]` of the one is `q_3` of the other.

use dae_symbolic::expr::{Symbol, evaluate_one};
use dae_symbolic::model::{Model, Start};
use dae_symbolic::read_text;
use dae_symbolic::syntax::SourceText;

pub(crate) fn model(text: &str) -> Model {
    match read_text(text) {
        Ok((model, _)) => model,
        Err(rejection) => panic!("{}", rejection.to_text(SourceText { file: "model.dae", text })),
    }
}

/// `T[2][5]` as `T_2_5`.
fn plain(name: &str) -> String {
    name.replace("][", "_").replace('[', "_").replace(']', "")
}

fn parameters(model: &Model) -> Vec<f64> {
    let mut known: Vec<f64> = Vec::new();
    for parameter in &model.parameters {
        known.push(evaluate_one(&model.dag, parameter.default, |symbol| match symbol {
            Symbol::Parameter(id) => known[id.index()],
            _ => f64::NAN,
        }));
    }
    known
}

/// Residuals of all equations at a point in general position.
fn residuals(model: &Model) -> Vec<f64> {
    let parameters = parameters(model);
    let number = |j: usize, order: u32| (1.7 * j as f64 + 0.9 * f64::from(order) + 0.3).sin() + 1.5;
    let value = |symbol| match symbol {
        Symbol::Unknown { unknown, order } => number(unknown.index(), order),
        Symbol::Parameter(id) => parameters[id.index()],
        Symbol::Time => 0.25,
        _ => f64::NAN,
    };
    model.equations.iter().map(|equation| evaluate_one(&model.dag, equation.residual, value)).collect()
}

/// Unknown, order, kind and value of all start values.
fn starts(model: &Model) -> Vec<(String, u32, Start, f64)> {
    let parameters = parameters(model);
    let value = |symbol| match symbol {
        Symbol::Parameter(id) => parameters[id.index()],
        _ => f64::NAN,
    };
    let mut starts = Vec::new();
    for unknown in &model.unknowns {
        let own = unknown.start.iter().map(|start| (0, start));
        for (order, start) in own.chain(unknown.derivative_starts.iter().map(|(order, start)| (*order, start))) {
            starts.push((plain(&unknown.name), order, start.kind, evaluate_one(&model.dag, start.value, value)));
        }
    }
    starts
}

pub(crate) fn agree(family: &str, scalar: &str) {
    let (family, scalar) = (model(family), model(scalar));
    let names = |model: &Model| model.unknowns.iter().map(|u| plain(&u.name)).collect::<Vec<_>>();
    assert_eq!(names(&family), names(&scalar));
    let names = |model: &Model| model.parameters.iter().map(|p| plain(&p.name)).collect::<Vec<_>>();
    assert_eq!(names(&family), names(&scalar));
    assert_eq!(parameters(&family), parameters(&scalar));
    assert_eq!(starts(&family), starts(&scalar));
    let incidence = |model: &Model| model.equations.iter().map(|e| e.incidence.clone()).collect::<Vec<_>>();
    assert_eq!(incidence(&family), incidence(&scalar));
    for (k, (left, right)) in residuals(&family).iter().zip(residuals(&scalar)).enumerate() {
        assert!((left - right).abs() <= 1e-14 * right.abs().max(1.0), "{}: {left} {right}", family.equation_name(k));
        assert!(left.is_finite(), "{}", family.equation_name(k));
    }
}

#[test]
fn neighbours_and_boundaries() {
    agree(
        "struct M { const N = 4; param k = 3; var q: [f64; N]; var x;
            for i in 1..N - 1 { der(q[i], 2) = k * (q[i + 1] - 2 * q[i] + q[i - 1]); }
            q[0] = x; q[N - 1] = sin(t); der(x) = q[N - 1 - 1]; }",
        "struct M { param k = 3; var q_0; var q_1; var q_2; var q_3; var x;
            der(q_1, 2) = k * (q_2 - 2 * q_1 + q_0);
            der(q_2, 2) = k * (q_3 - 2 * q_2 + q_1);
            q_0 = x; q_3 = sin(t); der(x) = q_2; }",
    );
}

#[test]
fn affine_indices() {
    agree(
        "struct M { const N = 3; var q: [f64; 2 * N]; var r: [f64; N];
            for i in 0..N { q[2 * i] = r[N - 1 - i]; q[2 * i + 1] = i * t + r[i]; r[i] = q[i] + q[i + N]; } }",
        "struct M { var q_0; var q_1; var q_2; var q_3; var q_4; var q_5; var r_0; var r_1; var r_2;
            q_0 = r_2; q_2 = r_1; q_4 = r_0;
            q_1 = 0 * t + r_0; q_3 = 1 * t + r_1; q_5 = 2 * t + r_2;
            r_0 = q_0 + q_3; r_1 = q_1 + q_4; r_2 = q_2 + q_5; }",
    );
}

#[test]
fn two_dimensions_and_nested_loops() {
    agree(
        "struct M { var T: [[f64; 3]; 2];
            for i in 0..2 { let h = 1 / (i + 1); for j in 0..=2 { der(T[i][j]) = h * T[1 - i][j] + j; } } }",
        "struct M { var T_0_0; var T_0_1; var T_0_2; var T_1_0; var T_1_1; var T_1_2;
            der(T_0_0) = T_1_0 + 0; der(T_0_1) = T_1_1 + 1; der(T_0_2) = T_1_2 + 2;
            der(T_1_0) = T_0_0 / 2 + 0; der(T_1_1) = T_0_1 / 2 + 1; der(T_1_2) = T_0_2 / 2 + 2; }",
    );
}

#[test]
fn sums_over_ranges() {
    agree(
        "struct M { const N = 3; param m: [f64; N] = [1, 2, 4]; var q: [f64; N]; var s;
            s = sum(i in 0..N => m[i] * q[i].powi(2)) / sum(i in 0..N => m[i]) + sum(i in 0..0 => q[i]);
            for i in 0..N { der(q[i]) = sum(j in 0..N => sum(k in 0..=j => i * q[j] * m[k])) - s; } }",
        "struct M { param m_0 = 1; param m_1 = 2; param m_2 = 4; var q_0; var q_1; var q_2; var s;
            s = (m_0 * q_0.powi(2) + m_1 * q_1.powi(2) + m_2 * q_2.powi(2)) / (m_0 + m_1 + m_2);
            der(q_0) = 0 * (q_0 + q_1 + q_2) - s;
            der(q_1) = q_0 * m_0 + q_1 * m_0 + q_1 * m_1 + q_2 * m_0 + q_2 * m_1 + q_2 * m_2 - s;
            der(q_2) = 2 * (q_0 * m_0 + q_1 * m_0 + q_1 * m_1 + q_2 * m_0 + q_2 * m_1 + q_2 * m_2) - s; }",
    );
}

#[test]
fn start_values_of_elements_take_precedence() {
    agree(
        "struct M { const N = 4; var q: [f64; N] = 0; var T: [[f64; 2]; 2] ~ |i, j| i + j;
            start q[0] ~ 1; start der(q) ~ 2; for i in 2..N { start der(q[i]) = i; }
            start T[1][0] = 7;
            for i in 0..N { der(q[i], 2) = T[0][0]; } for i in 0..2 { for j in 0..2 { T[i][j] = t; } } }",
        "struct M { var q_0 ~ 1; var q_1 = 0; var q_2 = 0; var q_3 = 0;
            var T_0_0 ~ 0; var T_0_1 ~ 1; var T_1_0 = 7; var T_1_1 ~ 2;
            start der(q_0) ~ 2; start der(q_1) ~ 2; start der(q_2) = 2; start der(q_3) = 3;
            der(q_0, 2) = T_0_0; der(q_1, 2) = T_0_0; der(q_2, 2) = T_0_0; der(q_3, 2) = T_0_0;
            T_0_0 = t; T_0_1 = t; T_1_0 = t; T_1_1 = t; }",
    );
}

#[test]
fn what_depends_on_a_loop_variable() {
    // Ranges, exponents and orders: an expression for each instance.
    agree(
        "struct M { const N = 3; var q: [f64; N]; var w: [f64; 7];
            for i in 0..N {
                let below = sum(j in 0..i => q[j]);
                der(q[i], i + 1) = below + q[i].powi(i) - t.powi(2 * i);
            }
            for i in 0..N { for j in 0..=i { w[i + 2 * j] = q[i] * j; } } }",
        "struct M { var q_0; var q_1; var q_2; var w_0; var w_1; var w_2; var w_3; var w_4; var w_5; var w_6;
            der(q_0) = 0 * q_0 + 1 - 1;
            der(q_1, 2) = q_0 + q_1 - t.powi(2);
            der(q_2, 3) = q_0 + q_1 + q_2.powi(2) - t.powi(4);
            w_0 = 0 * q_0; w_1 = 0 * q_1; w_3 = q_1; w_2 = 0 * q_2; w_4 = q_2; w_6 = 2 * q_2; }",
    );
}

#[test]
fn arrays_of_constants_parameters_and_sub_expressions() {
    agree(
        "struct M { const N = 3; const W: [f64; N] = [1, 4, 1]; const A: [[f64; 2]; N] = |i, j| i * W[i] + j / 2;
            param m: [f64; N] = |i| W[i] + i; param c: [f64; N] = m; param d = m[1] + W[2];
            var q: [f64; N]; var p: [f64; N];
            let e: [f64; N] = |i| q[i] - p[N - 1 - i];
            let f: [f64; 2] = [e[0], e[2]];
            let g: [f64; 2] = t;
            for i in 0..N { der(q[i]) = W[i] * e[i] + A[i][1] * m[i]; }
            for i in 0..2 { p[i] = f[i] * g[i] + A[i + 1][i]; }
            p[2] = d * f[0] + e[1]; }",
        "struct M { param m_0 = 1; param m_1 = 5; param m_2 = 3; param c_0 = m_0; param c_1 = m_1; param c_2 = m_2;
            param d = m_1 + 1;
            var q_0; var q_1; var q_2; var p_0; var p_1; var p_2;
            der(q_0) = (q_0 - p_2) + m_0 / 2;
            der(q_1) = 4 * (q_1 - p_1) + 4.5 * m_1;
            der(q_2) = (q_2 - p_0) + 2.5 * m_2;
            p_0 = (q_0 - p_2) * t + 4;
            p_1 = (q_2 - p_0) * t + 2.5;
            p_2 = d * (q_0 - p_2) + q_1 - p_1; }",
    );
}

#[test]
fn functions_of_arrays() {
    agree(
        "struct M { const N = 2;
            fn norm2(v: [f64; 3]) { sum(i in 0..3 => v[i].powi(2)) }
            fn dot(a: [f64; 3], b: [f64; 3]) -> f64 { let first = a[0] * b[0]; first + sum(k in 1..3 => a[k] * b[k]) }
            fn trace(A: [[f64; 2]; 2], s) { s * (A[0][0] + A[1][1]) }
            var r: [[f64; 3]; N]; var l: [f64; N]; var x; var y; var B: [[f64; 2]; 2];
            for i in 0..N { norm2(r[i]) = l[i]; for k in 0..3 { der(r[i][k]) = -2 * r[i][k] * l[i]; } }
            x = dot(r[0], der(r[1])) + norm2([x, y, 1]) + norm2([0; 3]);
            y = trace(B, 3);
            for i in 0..2 { for j in 0..2 { der(B)[i][j] = i - j; } } }",
        "struct M { var r_0_0; var r_0_1; var r_0_2; var r_1_0; var r_1_1; var r_1_2; var l_0; var l_1; var x; var y;
            var B_0_0; var B_0_1; var B_1_0; var B_1_1;
            r_0_0.powi(2) + r_0_1.powi(2) + r_0_2.powi(2) = l_0;
            r_1_0.powi(2) + r_1_1.powi(2) + r_1_2.powi(2) = l_1;
            der(r_0_0) = -2 * r_0_0 * l_0; der(r_0_1) = -2 * r_0_1 * l_0; der(r_0_2) = -2 * r_0_2 * l_0;
            der(r_1_0) = -2 * r_1_0 * l_1; der(r_1_1) = -2 * r_1_1 * l_1; der(r_1_2) = -2 * r_1_2 * l_1;
            x = r_0_0 * der(r_1_0) + r_0_1 * der(r_1_1) + r_0_2 * der(r_1_2) + x.powi(2) + y.powi(2) + 1;
            y = 3 * (B_0_0 + B_1_1);
            der(B_0_0) = 0; der(B_0_1) = -1; der(B_1_0) = 1; der(B_1_1) = 0; }",
    );
}

#[test]
fn start_values() {
    agree(
        "struct M { const N = 3; param a = 2; param w: [f64; N] = 1;
            var p: [f64; N] = 0.5; var q: [f64; N] ~ [1, a, 3 * w[2]]; #[nominal(10)] var r: [f64; N] = |i| (i + 1) / N;
            var T: [[f64; 2]; 2] ~ |i, j| 10 * i + j; var U: [[f64; 2]; 2] = [[1, 2], [3, 4]]; var z: [f64; 2] ~ [a; 2];
            var f: [f64; N];
            start der(p) ~ |i| i * a; start der(q[0], 2) = 1;
            for i in 0..2 { start der(q[i + 1]) ~ w[i] * i; start f[i] = i + 1; }
            start f[2] ~ 9;
            for i in 0..N { der(p[i]) = 1; der(q[i], 3) = 1; der(r[i]) = 1; f[i] = 1; }
            for i in 0..2 { z[i] = 1; for j in 0..2 { T[i][j] = 1; U[i][j] = 1; } } }",
        "struct M { param a = 2; param w_0 = 1; param w_1 = 1; param w_2 = 1;
            var p_0 = 0.5; var p_1 = 0.5; var p_2 = 0.5; var q_0 ~ 1; var q_1 ~ 2; var q_2 ~ 3;
            var r_0 = 1 / 3; var r_1 = 2 / 3; var r_2 = 1;
            var T_0_0 ~ 0; var T_0_1 ~ 1; var T_1_0 ~ 10; var T_1_1 ~ 11;
            var U_0_0 = 1; var U_0_1 = 2; var U_1_0 = 3; var U_1_1 = 4; var z_0 ~ 2; var z_1 ~ 2;
            var f_0 = 1; var f_1 = 2; var f_2 ~ 9;
            start der(p_0) ~ 0; start der(p_1) ~ 2; start der(p_2) ~ 4; start der(q_0, 2) = 1;
            start der(q_1) ~ 0; start der(q_2) ~ 1;
            der(p_0) = 1; der(p_1) = 1; der(p_2) = 1; der(q_0, 3) = 1; der(q_1, 3) = 1; der(q_2, 3) = 1;
            der(r_0) = 1; der(r_1) = 1; der(r_2) = 1; f_0 = 1; f_1 = 1; f_2 = 1;
            z_0 = 1; z_1 = 1;
            T_0_0 = 1; T_0_1 = 1; T_1_0 = 1; T_1_1 = 1; U_0_0 = 1; U_0_1 = 1; U_1_0 = 1; U_1_1 = 1; }",
    );
}

#[test]
fn local_sub_expressions_of_nested_loops() {
    agree(
        "struct M { const N = 2; var q: [f64; N]; var T: [[f64; N]; N];
            for i in 0..N {
                let a = q[i] + i;
                let row: [f64; N] = |k| a * k + T[i][k];
                for j in 0..N { let b = a * j; der(T[i][j]) = b + row[1 - j]; }
                der(q[i]) = sum(k in 0..N => row[k]) + sum(k in i..N => row[k]);
            }
            let unused = q[0]; }",
        "struct M { var q_0; var q_1; var T_0_0; var T_0_1; var T_1_0; var T_1_1;
            der(T_0_0) = 0 * q_0 + q_0 + T_0_1; der(T_0_1) = q_0 + T_0_0;
            der(T_1_0) = 0 * q_1 + q_1 + 1 + T_1_1; der(T_1_1) = q_1 + 1 + T_1_0;
            der(q_0) = 2 * (T_0_0 + q_0 + T_0_1);
            der(q_1) = T_1_0 + q_1 + 1 + T_1_1 + q_1 + 1 + T_1_1; }",
    );
}

#[test]
fn names_of_elements_and_instances() {
    let model = model(
        "struct M { var x; var q: [f64; 2]; var T: [[f64; 2]; 2];
            x = 1;
            for i in 1..=2 { der(q[i - 1]) = i; }
            for i in 0..2 { for j in 0..2 { T[i][j] = x; } }
            x = 2; }",
    );
    let names: Vec<String> = (0..model.equations.len()).map(|k| model.equation_name(k)).collect();
    assert_eq!(
        names,
        [
            "equation 1",
            "equation 2[i = 1]",
            "equation 2[i = 2]",
            "equation 3[i = 0, j = 0]",
            "equation 3[i = 0, j = 1]",
            "equation 3[i = 1, j = 0]",
            "equation 3[i = 1, j = 1]",
            "equation 4",
        ]
    );
    let unknowns: Vec<&str> = model.unknowns.iter().map(|u| u.name.as_str()).collect();
    assert_eq!(unknowns, ["x", "q[0]", "q[1]", "T[0][0]", "T[0][1]", "T[1][0]", "T[1][1]"]);
    let member = model.equations[2].domain.member.as_ref().expect("a family");
    assert_eq!((member.family, member.indices.as_slice()), (1, &[2][..]));
    assert_eq!(model.equations[3].domain.extents, [2, 2]);
    let member = model.unknowns[5].domain.member.as_ref().expect("an array");
    assert_eq!((member.family, member.indices.as_slice()), (2, &[1, 0][..]));
}

/// A statement is instantiated in time proportional to the number of its instances, whatever it contains.
#[test]
fn long_arrays_are_read_quickly() {
    let text = include_str!("../../../examples/models/chain.dae").replace("const N = 6;", "const N = 2000;");
    let start = std::time::Instant::now();
    let chain = model(&text);
    assert_eq!((chain.unknowns.len(), chain.equations.len()), (10_000, 10_000));
    // Measured 0.5 s; a cost that grew with the square of N would be hundreds of times that.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
