//! The essential underlying differential equation of Ascher & Petzold (1993), eq. (2.13), for the examples of that paper.

use dae::runtime::contract::Kind;
use dae::symbolic::compile::{Compiled, compile};
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::read_text;
use dae::{Integration, Method, Solution};

/// Example 1: the constraint turns, and so does the direction of its multiplier.
const TURNING: &str = "struct Turning {
    param nu = 20;
    var x1 ~ 1;
    var x2 = 1;
    var y ~ -0.5;
    let c1 = sin(nu * t);
    let c2 = cos(nu * t);
    der(x1) = -x1 + c1 * y + (2 + c1 / (2 - t)) * exp(t);
    der(x2) = -x2 + c2 * y + (2 + c2 / (2 - t)) * exp(t);
    0 = c1 * x1 + c2 * x2 - (c1 + c2) * exp(t);
}";

/// Example 2 with the term $-x$ of Example 1 in place of none, and any start value.
const NEARLY_TANGENT: &str = "struct NearlyTangent {
    param nu = 10;
    param x10 = 1;
    var x1 = x10;
    var x2 ~ 1;
    var y ~ -0.5;
    let rest = (2 - t) * y + exp(t);
    der(x1) = -x1 + nu * rest + 2 * exp(t);
    der(x2) = -x2 + (nu - 1) / (2 - t) * rest + 2 * exp(t);
    0 = (t + 2) * x1 + (t.powi(2) - 4) * x2 - (t.powi(2) + t - 2) * exp(t);
}";

/// Example 4, index 3.
const MECHANISM: &str = "struct Mechanism {
    param nu = 5;
    var p1 ~ 1;
    var p2 = 1;
    var v1 ~ 1;
    var v2 = 1;
    var lambda ~ 0.5;
    let c1 = sin(nu * t);
    let c2 = cos(nu * t);
    der(p1) = v1;
    der(p2) = v2;
    der(v1) = -nu.powi(2) * v1 + (1 + nu.powi(2) + c1 / (2 - t)) * exp(t) - c1 * lambda;
    der(v2) = -nu.powi(2) * v2 + (1 + nu.powi(2) + c2 / (2 - t)) * exp(t) - c2 * lambda;
    0 = c1 * p1 + c2 * p2 - (c1 + c2) * exp(t);
}";

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

/// Its differential unknowns are as many as there are degrees of freedom, all others follow from them, and the solution is that of the model, with all constraints.
#[test]
fn it_has_the_solution_of_the_model_in_as_many_states_as_degrees_of_freedom() {
    for (text, freedom, unknowns) in [(TURNING, 1, &["x1", "x2"][..]), (MECHANISM, 2, &["p1", "p2", "v1", "v2"])] {
        let compiled = compiled(text);
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

/// With $B = ((2 - t)\nu, \nu - 1)$, $C = (2 + t, t^2 - 4)$ and $R = (1 - \nu, (2 - t)\nu)$ it is $R S = 1$ for $S = ((2 - t), 1)^\top / (2 - t)$, so that with $A = -I$ the homogeneous
/// equation is $u' = (R A + R') S\,u = -(1 + \nu / (2 - t))\,u$, and two solutions approach one another by $e^{-1} 2^{-\nu}$ from 0 to 1.
#[test]
fn its_coefficients_are_those_derived_by_hand() {
    let compiled = compiled(NEARLY_TANGENT);
    let unit = compiled.forms[0].formulation.unknowns.iter().position(|unknown| unknown.name == "u_1").expect("u");
    let ends = [1.0, 1.25].map(|start| {
        let mut system = form(&compiled);
        dae::Dae::set_parameters(&mut system, &[10.0, start]);
        let solution = run(&system, Method::Radau);
        [0.0, 1.0].map(|t| solution.component(unit, t).expect("in the run"))
    });
    let difference = |k: usize| ends[1][k] - ends[0][k];
    let expected = (-1f64).exp() * 2f64.powi(-10);
    assert!(difference(0).abs() > 0.1, "the start values differ: {}", difference(0));
    let ratio = difference(1) / difference(0);
    assert!((ratio / expected - 1.0).abs() < 1e-3, "{ratio:e} instead of {expected:e}");
}

/// $R y$ is a transformation where directions depend on the time only.
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
