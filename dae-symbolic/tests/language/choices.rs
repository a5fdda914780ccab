//! Models with conditions on loop variables and constants, in expressions and around equations, against models written
//! out.
//!
//! As in `families.rs`, every case is a model and the same model written out by hand; conditions that are decided when
//! the model is read leave no switches.

use super::families::{agree, model};
use dae_symbolic::expr::piecewise;
use dae_symbolic::model::family::Body;
use dae_symbolic::read_families_text;

#[test]
fn boundaries_of_a_chain() {
    agree(
        "struct M { const N = 4; param m: [f64; N] = |i| i + 1; var a: [f64; N]; var F: [f64; N - 1];
            for i in 0..N { m[i] * a[i] = if i > 0 { F[i - 1] } else { 0.0 } - if i < N - 1 { F[i] } else { 0 }; }
            for i in 0..N - 1 { F[i] = a[i + 1] - a[i] + t; } }",
        "struct M { param m_0 = 1; param m_1 = 2; param m_2 = 3; param m_3 = 4;
            var a_0; var a_1; var a_2; var a_3; var F_0; var F_1; var F_2;
            m_0 * a_0 = -F_0; m_1 * a_1 = F_0 - F_1; m_2 * a_2 = F_1 - F_2; m_3 * a_3 = F_2;
            F_0 = a_1 - a_0 + t; F_1 = a_2 - a_1 + t; F_2 = a_3 - a_2 + t; }",
    );
}

#[test]
fn all_comparisons() {
    agree(
        "struct M { const N = 5; var q: [f64; N];
            for i in 0..N { der(q[i]) = if i == 2 { 1 } else if i != 3 { 2 } else { 3 }
                + if i < 1 { 10 } else if i <= 1 { 20 } else if i >= 4 { 30 } else if 2 * i > 5 { 40 } else { 50 }; } }",
        "struct M { var q_0; var q_1; var q_2; var q_3; var q_4;
            der(q_0) = 12; der(q_1) = 22; der(q_2) = 51; der(q_3) = 43; der(q_4) = 32; }",
    );
}

#[test]
fn logic_is_lazy() {
    agree(
        "struct M { const N = 3; var q: [f64; N]; var x;
            for i in 0..N { der(q[i]) = if i > 0 && q[i - 1] > x { 1 } else { 2 } + if i == N - 1 || q[i + 1] > x { 3 } else { 4 }; }
            x = t; }",
        "struct M { var q_0; var q_1; var q_2; var x;
            der(q_0) = 2 + if q_1 > x { 3 } else { 4 };
            der(q_1) = if q_0 > x { 1 } else { 2 } + if q_2 > x { 3 } else { 4 };
            der(q_2) = if q_1 > x { 1 } else { 2 } + 3;
            x = t; }",
    );
}

#[test]
fn two_loop_variables() {
    agree(
        "struct M { var T: [[f64; 3]; 2];
            for i in 0..2 { for j in 0..3 {
                T[i][j] = if i == j { 1 } else if i < j { T[i][j - 1] } else { T[i - 1][j] } + if j == 2 { t } else { 0 }; } } }",
        "struct M { var T_0_0; var T_0_1; var T_0_2; var T_1_0; var T_1_1; var T_1_2;
            T_0_0 = 1; T_0_1 = T_0_0; T_0_2 = T_0_1 + t; T_1_0 = T_0_0; T_1_1 = 1; T_1_2 = T_1_1 + t; }",
    );
}

#[test]
fn sums_and_sub_expressions() {
    agree(
        "struct M { const N = 3; var q: [f64; N];
            for i in 0..N {
                let left = if i > 0 { q[i - 1] } else { sin(t) };
                let both = left + if i < N - 1 { q[i + 1] } else { 0 };
                der(q[i]) = both - 2 * q[i] + sum(j in 0..N => if j == i { 0 } else { q[j] * j });
            } }",
        "struct M { var q_0; var q_1; var q_2;
            der(q_0) = sin(t) + q_1 - 2 * q_0 + q_1 + 2 * q_2;
            der(q_1) = q_0 + q_2 - 2 * q_1 + 0 * q_0 + 2 * q_2;
            der(q_2) = q_1 - 2 * q_2 + 0 * q_0 + q_1; }",
    );
}

#[test]
fn values_by_index_and_functions() {
    agree(
        "struct M { const N = 4; const C: [f64; N] = |i| if i == 0 { 10 } else { i };
            param p: [f64; N] = |i| if i < 2 { 1 } else { 2 };
            fn weight(k) { if k > 1 { 100 } else { k } }
            let edge: [f64; N] = |k| if k == N - 1 { 0 } else { q[k + 1] };
            var q: [f64; N] = |i| if i >= 2 { C[i] } else { -1 };
            for i in 0..N { der(q[i]) = p[i] * C[i] + weight(i) * edge[i] + weight(N - 1 - i); } }",
        "struct M { param p_0 = 1; param p_1 = 1; param p_2 = 2; param p_3 = 2;
            var q_0 = -1; var q_1 = -1; var q_2 = 2; var q_3 = 3;
            der(q_0) = 10 * p_0 + 0 * q_1 + 100;
            der(q_1) = p_1 + q_2 + 100;
            der(q_2) = 2 * p_2 + 100 * q_3 + 1;
            der(q_3) = 3 * p_3 + 0; }",
    );
}

#[test]
fn tables_decide_from_point_to_point() {
    agree(
        "struct M { const N = 4; const KIND: [f64; N] = [1, 0, 1, 2]; var q: [f64; N];
            for i in 0..N { if KIND[i] == 1 { der(q[i]) = i; } else if KIND[i] == 0 { q[i] = t; } else { q[i] = q[0]; } } }",
        "struct M { var q_0; var q_1; var q_2; var q_3; der(q_0) = 0; der(q_2) = 2; q_1 = t; q_3 = q_0; }",
    );
}

#[test]
fn branches_around_equations() {
    agree(
        "struct M { const N = 4; const CLOSED = 1; var q: [f64; N]; var x ~ 1;
            for i in 0..N {
                if i == 0 { der(q[0]) = x; start q[i] = 3; }
                else if i < N - 1 { let mean = (q[i - 1] + q[i + 1]) / 2; der(q[i]) = mean - q[i]; start q[i] ~ i; }
                else { q[i] = t; }
            }
            if CLOSED > 0 { x = q[N - 1]; } else { x = q[N]; } }",
        "struct M { var q_0 = 3; var q_1 ~ 1; var q_2 ~ 2; var q_3; var x ~ 1;
            der(q_0) = x;
            der(q_1) = (q_0 + q_2) / 2 - q_1; der(q_2) = (q_1 + q_3) / 2 - q_2;
            q_3 = t;
            x = q_3; }",
    );
}

#[test]
fn loops_in_branches_and_branches_in_loops() {
    agree(
        "struct M { const N = 3; var q: [f64; N]; var r: [f64; N];
            if N >= 3 { for i in 0..N { if i != 1 { q[i] = r[i] + 1; } } q[1] = 5; }
            else { for i in 0..N { q[i] = r[i + 100]; } }
            for i in 0..N { for j in 0..=i { if j == i { der(r[i]) = q[j]; } } } }",
        "struct M { var q_0; var q_1; var q_2; var r_0; var r_1; var r_2;
            q_0 = r_0 + 1; q_2 = r_2 + 1; q_1 = 5;
            der(r_0) = q_0; der(r_1) = q_1; der(r_2) = q_2; }",
    );
}

#[test]
fn empty_ranges_hold_nothing() {
    let chain = |n: usize| {
        format!(
            "struct M {{ const N = {n}; var q: [f64; N];
                for i in 1..N - 1 {{ der(q[i]) = q[i - 1] + q[i + 1] + sum(j in 1..N - 1 => q[j]); start q[i] = 1; }}
                for i in 0..N {{ if i == 0 || i == N - 1 {{ q[i] = sum(j in i + 1..N => q[j]) + t; }} }} }}"
        )
    };
    agree(&chain(1), "struct M { var q_0; q_0 = t; }");
    agree(&chain(2), "struct M { var q_0; var q_1; q_0 = q_1 + t; q_1 = t; }");
    agree(
        &chain(3),
        "struct M { var q_0; var q_1 = 1; var q_2; der(q_1) = q_0 + q_2 + q_1; q_0 = q_1 + q_2 + t; q_2 = t; }",
    );
}

#[test]
fn arrays_without_elements() {
    agree(
        "struct M { const N = 1; param k: [f64; N - 1] = 3; var q: [f64; N]; var F: [f64; N - 1];
            for i in 0..N - 1 { F[i] = k[i] * (q[i + 1] - q[i]); }
            for i in 0..N { der(q[i]) = if i > 0 { F[i - 1] } else { 1 } - if i < N - 1 { F[i] } else { 0 }; } }",
        "struct M { var q_0; der(q_0) = 1; }",
    );
}

#[test]
fn decided_conditions_leave_no_switches_and_few_templates() {
    let text = |n: usize| {
        format!(
            "struct M {{ const N = {n}; var q: [f64; N];
                for i in 0..N {{ der(q[i]) = if i > 0 {{ q[i - 1] }} else {{ 0 }} - if i < N - 1 {{ q[i] }} else {{ 0 }}; }} }}"
        )
    };
    let written = model(&text(5));
    let roots: Vec<_> = written.equations.iter().map(|equation| equation.residual).collect();
    assert_eq!(piecewise(&written.dag, &roots), []);
    for n in [5, 5_000] {
        let Ok(families) = read_families_text(&text(n)) else { panic!("a model") };
        let Body::Pieces(pieces) = &families.model.equations[0].body else { panic!("one template cannot do") };
        let domains: Vec<_> = pieces.iter().map(|piece| piece.domain[0]).collect();
        assert_eq!(domains, [(0, 1), (1, n as i64 - 1), (n as i64 - 1, n as i64)]);
    }
}
