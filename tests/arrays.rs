//! Models with arrays against the same models written out by hand.
//!
//! In: a chain of three pendulums and a heat plate of two by two interior points, once with families of equations and
//! once without. Out: the same index, degrees of freedom and hidden constraints, and the same solutions: to rounding
//! and in the same number of steps by Radau IIA, to ten times the tolerance and in about as many steps by BDF.

use std::sync::Arc;

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::index::Verdict;
use dae::symbolic::model::{Domain, Member};
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Integration, Method, Solution};

const CHAIN: &str = "struct Twin {
    param g = 9.81;
    param m_0 = 1; param m_1 = 1; param m_2 = 2;
    param l_0 = 1 / 3; param l_1 = 1 / 3; param l_2 = 1 / 3;
    var x_0 = 0.2; var x_1 = 0.4; var x_2 = 0.6;
    var y_0 ~ -0.8 / 3; var y_1 ~ -1.6 / 3; var y_2 ~ -0.8;
    var u_0 = 0; var u_1 = 0; var u_2 = 0;
    var v_0 ~ 0; var v_1 ~ 0; var v_2 ~ 0;
    #[nominal(100)] var tension_0 ~ 9.81 * 3 * 4;
    #[nominal(100)] var tension_1 ~ 9.81 * 3 * 3;
    #[nominal(100)] var tension_2 ~ 9.81 * 3 * 2;
    der(x_0) = u_0; der(x_1) = u_1; der(x_2) = u_2;
    der(y_0) = v_0; der(y_1) = v_1; der(y_2) = v_2;
    m_0 * der(u_0) = -tension_0 * x_0 + tension_1 * (x_1 - x_0);
    m_0 * der(v_0) = -tension_0 * y_0 + tension_1 * (y_1 - y_0) - m_0 * g;
    x_0.powi(2) + y_0.powi(2) = l_0.powi(2);
    m_1 * der(u_1) = -tension_1 * (x_1 - x_0) + tension_2 * (x_2 - x_1);
    m_1 * der(v_1) = -tension_1 * (y_1 - y_0) + tension_2 * (y_2 - y_1) - m_1 * g;
    m_2 * der(u_2) = -tension_2 * (x_2 - x_1);
    m_2 * der(v_2) = -tension_2 * (y_2 - y_1) - m_2 * g;
    (x_1 - x_0).powi(2) + (y_1 - y_0).powi(2) = l_1.powi(2);
    (x_2 - x_1).powi(2) + (y_2 - y_1).powi(2) = l_2.powi(2);
}";

const PLATE: &str = "struct Twin {
    const H = 1 / 3;
    param a = 0.1;
    input heat = 1 - cos(2 * PI * t);
    fn laplacian(west, east, south, north, centre) { (west + east + south + north - 4 * centre) / H.powi(2) }
    var T_0_0; var T_0_1; var T_0_2; var T_0_3;
    var T_1_0; var T_1_1 = 0; var T_1_2 = 0; var T_1_3;
    var T_2_0; var T_2_1 = 0; var T_2_2 = 0; var T_2_3;
    var T_3_0; var T_3_1; var T_3_2; var T_3_3;
    der(T_1_1) = a * laplacian(T_0_1, T_2_1, T_1_0, T_1_2, T_1_1);
    der(T_1_2) = a * laplacian(T_0_2, T_2_2, T_1_1, T_1_3, T_1_2);
    der(T_2_1) = a * laplacian(T_1_1, T_3_1, T_2_0, T_2_2, T_2_1);
    der(T_2_2) = a * laplacian(T_1_2, T_3_2, T_2_1, T_2_3, T_2_2);
    T_0_0 = 0; T_0_1 = heat * sin(PI * H); T_0_2 = heat * sin(PI * 2 * H); T_0_3 = heat * sin(PI);
    T_3_0 = T_2_0; T_3_1 = T_2_1; T_3_2 = T_2_2; T_3_3 = T_2_3;
    T_1_0 = 0; T_2_0 = 0; T_1_3 = 0; T_2_3 = 0;
}";

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// A model without arrays, treated like one with arrays: its first parameter is declared an array of one element,
/// because unknowns that are constant or equal to others are eliminated only from models without families.
fn written_out(text: &str) -> Compiled {
    let (mut model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    let parameter = &mut model.parameters[0];
    let member = Member { family: 0, indices: vec![0], label: parameter.name.clone(), gaps: Default::default() };
    parameter.domain = Domain { extents: vec![1], member: Some(Arc::new(member)) };
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// `T[2][5]` as `T_2_5`.
fn plain(name: &str) -> String {
    name.replace("][", "_").replace('[', "_").replace(']', "")
}

fn solved(compiled: &Compiled, form: &Form, method: Method) -> Solution {
    let found = compiled.forms.iter().find(|f| f.form == *form).expect("the model has all forms");
    let system = Interpreter::new(found.program.clone(), compiled.prolonged.clone());
    let run = Integration::new(&system).method(method).rtol(1e-8).atol(1e-8);
    let solution = run.run(0.0, 0.5).expect("it starts");
    assert!(solution.is_success(), "{}", solution.status);
    solution
}

/// The largest difference by Radau IIA between the end values of a model with arrays and the same model written out.
fn difference(family: &str, scalar: &str) -> f64 {
    let (family, scalar) = (compiled(family), written_out(scalar));
    let index = |it: &Compiled| (it.analysis.certificate.verdict(), it.analysis.structure.degrees_of_freedom);
    assert_eq!(index(&family), index(&scalar));
    let hidden = |it: &Compiled| it.hidden.iter().map(|constraint| constraint.order).collect::<Vec<_>>();
    assert_eq!(hidden(&family), hidden(&scalar));
    let mut worst: f64 = 0.0;
    for form in [Form::Index1, Form::Ggl] {
        for method in [Method::Radau5, Method::Bdf] {
            let (left, right) = (solved(&family, &form, method), solved(&scalar, &form, method));
            // Loops add in another order. BDF ends its iterations early, so that differences in the last bits grow to
            // the size of its tolerance and, now and then, lead to another order of the formula.
            let (steps_apart, values_apart) = if method == Method::Bdf { (0.2, 1e-7) } else { (0.0, f64::INFINITY) };
            let [steps, twin] = [left.statistics.steps, right.statistics.steps].map(|steps| steps as f64);
            assert!((steps / twin - 1.0).abs() <= steps_apart, "{steps} and {twin} steps");
            let mut apart: f64 = 0.0;
            for (k, name) in left.names.iter().enumerate() {
                assert_eq!(left.value(name, 0.5), Some(left.end_state[k]));
                let twin = right.value(&plain(name), 0.5).unwrap_or_else(|| panic!("{name} is in the results"));
                apart = apart.max((left.end_state[k] - twin).abs() / (1.0 + twin.abs()));
            }
            assert!(apart < values_apart, "{method:?}: {apart:e}");
            worst = if method == Method::Bdf { worst } else { worst.max(apart) };
        }
    }
    worst
}

#[test]
fn a_chain_is_what_it_is_written_out() {
    let family = include_str!("../examples/models/chain.dae").replace("const N = 6;", "const N = 3;");
    let worst = difference(&family, CHAIN);
    assert!(worst <= 1e-12, "{worst:e}");
}

/// The chain of three pendulums, with conditions on the loop variable for its ends.
const ENDS: &str = "struct Ends {
    const N = 3;
    param g = 9.81;
    param m: [f64; N] = |i| if i == N - 1 { 2 } else { 1 };
    param l: [f64; N] = 1 / N;
    var x: [f64; N] = |i| 0.6 * (i + 1) / N;
    var y: [f64; N] ~ |i| -0.8 * (i + 1) / N;
    var u: [f64; N] = 0;
    var v: [f64; N] ~ 0;
    #[nominal(100)] var tension: [f64; N] ~ |i| 9.81 * N * (N + 1 - i);
    for i in 0..N {
        der(x[i]) = u[i];
        der(y[i]) = v[i];
        let dx = if i > 0 { x[i] - x[i - 1] } else { x[i] };
        let dy = if i > 0 { y[i] - y[i - 1] } else { y[i] };
        m[i] * der(u[i]) = -tension[i] * dx + if i < N - 1 { tension[i + 1] * (x[i + 1] - x[i]) } else { 0 };
        if i < N - 1 {
            m[i] * der(v[i]) = -tension[i] * dy + tension[i + 1] * (y[i + 1] - y[i]) - m[i] * g;
        } else {
            m[i] * der(v[i]) = -tension[i] * dy - m[i] * g;
        }
        dx.powi(2) + dy.powi(2) = l[i].powi(2);
    }
}";

#[test]
fn a_chain_with_conditions_at_its_ends_is_what_it_is_written_out() {
    let worst = difference(ENDS, CHAIN);
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn the_shortest_chains_are_chains() {
    for n in [1, 2] {
        let compiled = compiled(&ENDS.replace("const N = 3;", &format!("const N = {n};")));
        assert_eq!(compiled.analysis.certificate.verdict(), Verdict::Exact(3));
        assert_eq!(compiled.analysis.structure.degrees_of_freedom, 2 * n);
        let solution = solved(&compiled, &Form::Ggl, Method::Radau5);
        assert!(solution.invariants_max() < 1e-12);
    }
}

#[test]
fn a_plate_is_what_it_is_written_out() {
    let family = include_str!("../examples/models/plate.dae").replace("const N = 6;", "const N = 2;");
    let worst = difference(&family, PLATE);
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn problems_name_elements_and_instances() {
    let text = "struct M { const N = 3; var q: [f64; N]; for i in 0..N - 1 { q[i] = i; } q[0] = 5; }";
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    let Err(rejected) = compile(model.with_forms(Form::BASIC), 0.0) else {
        panic!("q[0] is determined twice and q[2] not at all")
    };
    let text = rejected.diagnostics.to_string();
    for name in ["equation 1[i = 0]", "equation 2", "q[0]", "q[2]"] {
        assert!(text.contains(name), "{text}");
    }
}

dae::dae! {
    /// Nothing reads a parameter, and every instance is written out.
    struct Pair {
        var x: [f64; 2] = 1;
        for i in 0..2 {
            der(x[i]) = -x[i];
        }
    }
}

#[test]
fn arrays_need_no_parameters() {
    let model = Pair::default().index1();
    let solution = Integration::new(&model).rtol(1e-8).atol(1e-8).run(0.0, 1.0).unwrap();
    assert!((solution.end_state[1] - (-1.0_f64).exp()).abs() < 1e-6);
}

#[test]
fn a_family_without_its_first_member_is_a_short_message() {
    let text = "struct Gap { const N = 400; var q: [f64; N] = 0; for i in 1..N { der(q[i]) = q[i - 1] - q[i]; } }";
    let (model, _) = read_text(text).unwrap();
    let Err(rejected) = compile(model.with_forms(Form::BASIC), 0.0) else { panic!("an equation is missing") };
    let message = rejected.diagnostics.to_string();
    assert!(message.contains("`q[0..=399]`, there are only 399 equations, equation 1[i = 1..=399]"), "{message}");
    assert!(message.len() < 2000, "{} characters", message.len());
}
