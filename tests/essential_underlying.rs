//! The essential underlying differential equation of Ascher & Petzold (1993), eq. (2.13), for the examples of that
//! paper.

use dae::runtime::contract::Kind;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Integration, Method, Solution};

/// The text of a model of the example `ascher_petzold`, with this value of its parameter.
fn model(name: &str, nu: &str) -> String {
    let source = include_str!("../examples/ascher_petzold.rs");
    let (_, rest) = source.split_once(&format!("pub struct {name} {{")).expect("a model of the example");
    let (body, _) = rest.split_once("\n    }\n}").expect("its closing braces");
    let (before, after) = body.split_once("param nu = ").expect("its parameter");
    let (_, after) = after.split_once(';').expect("the end of the statement");
    format!("struct {name} {{{before}param nu = {nu};{after}}}")
}

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).expect("readable");
    compile(model.with_forms([Form::EssentialUnderlying]), 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics))
}

fn form(compiled: &Compiled) -> Interpreter {
    let form = compiled.forms.first().unwrap_or_else(|| panic!("{:?}", compiled.unavailable));
    Interpreter::new(form.program.clone(), compiled.prolonged.clone())
}

fn run(system: &Interpreter, method: Method) -> Solution {
    let solution = Integration::new(system).method(method).rtol(1e-8).atol(1e-8).run(0.0, 1.0).expect("it starts");
    assert!(solution.is_success(), "{}", solution.status);
    solution
}

/// The equation has as many differential unknowns as the model has degrees of freedom, and all others follow from them.
/// Its solution is that of the model, with all constraints enforced.
#[test]
fn it_has_the_solution_of_the_model_in_as_many_states_as_degrees_of_freedom() {
    for (name, freedom, unknowns) in [("Example1", 1, &["x1", "x2"][..]), ("Example4", 2, &["p1", "p2", "v1", "v2"])] {
        let compiled = compiled(&model(name, "5"));
        let system = form(&compiled);
        let description = &compiled.forms[0].program.description;
        let differential = description.unknowns.iter().filter(|unknown| unknown.kind == Kind::Differential);
        assert_eq!((differential.count(), description.leading_rank), (freedom, freedom));
        assert!(description.unknowns.iter().all(|unknown| unknown.index == 1));
        assert_eq!(description.invariants.len(), unknowns.len() / 2, "every constraint is enforced");
        for method in [Method::Radau5, Method::Radau, Method::Bdf] {
            let solution = run(&system, method);
            for name in unknowns {
                let error = solution.value(name, 1.0).expect("an unknown of the model") - 1f64.exp();
                assert!(error.abs() < 3e-7, "{method:?}: {name} is off by {error:e}");
            }
        }
    }
}

/// Example 2 has $B = ((2 - t)\nu, \nu - 1)^\top$, $C = (2 + t, t^2 - 4)$ and $R = (1 - \nu, (2 - t)\nu)$. With
/// $S = (2 - t, 1)^\top / (2 - t)$, for which $RS = 1$ and $CS = 0$, the homogeneous equation is
/// $u' = R' S\,u = -\nu / (2 - t)\,u$, and the difference of two solutions shrinks by the factor $2^{-\nu}$ between
/// $t = 0$ and $t = 1$.
#[test]
fn its_coefficients_are_those_derived_by_hand() {
    let text = model("Example2", "10");
    let ends = ["1", "1.25"].map(|start| {
        let compiled = compiled(&text.replace("var x1 = 1;", &format!("var x1 = {start};")));
        let unknowns = &compiled.forms[0].formulation.unknowns;
        let u = unknowns.iter().position(|unknown| unknown.name == "u_1").expect("the differential unknown");
        let solution = run(&form(&compiled), Method::Radau);
        [0.0, 1.0].map(|t| solution.component(u, t).expect("in the run"))
    });
    let difference = |k: usize| ends[1][k] - ends[0][k];
    assert!(difference(0).abs() > 0.1, "the start values differ: {}", difference(0));
    let (ratio, expected) = (difference(1) / difference(0), 2f64.powi(-10));
    assert!((ratio / expected - 1.0).abs() < 1e-3, "{ratio:e} instead of {expected:e}");
}

/// The form, whose unknowns are $R y$, exists only if the directions of the multipliers depend on time alone.
#[test]
fn directions_that_depend_on_unknowns_are_told_by_name() {
    let pendulum = "struct Pendulum {
        var x = 1; var y ~ 0; var u ~ 0; var v = 0; var lambda;
        der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 9.81;
        0 = x.powi(2) + y.powi(2) - 1;
    }";
    let compiled = compiled(pendulum);
    let message = compiled.unavailable[0].to_string();
    let expected = "no essential-underlying form: the directions in which multipliers act on equation 5 depend on `x`";
    assert_eq!(message, expected);
}
