//! Every recurrence against symbolic derivatives.
//!
//! In: expressions with every function of the kernel. Out: Taylor coefficients of order 0 to 9 are those of the exact
//! derivatives, in 53 and in 106 bits, and implicit equations with these functions have the series that they define.

use dae::symbolic::expr::{Expr, Symbol, derivatives, evaluate_one};
use dae::symbolic::model::Model;
use dae::taylor::{DoubleDouble, Scalar, TaylorIntegration, TaylorSolution};

use super::system;

/// Expressions in $t$ near $t = 0.3$.
const EXPRESSIONS: &[&str] = &[
    "1 + 2*t - t*sin(t)",
    "(1 + t)*(2 - t*t)*exp(t)",
    "(1 + t + t.powi(3))/(2 + sin(t))",
    "1/(3 + t).powi(3)",
    "2.5*(t - 0.3).powi(5)",
    "(1 + t*t).powi(-2)*t",
    "sqrt(2 + sin(t))",
    "cbrt(t - 2)",
    "exp(sin(t))",
    "ln(2 + cos(t))",
    "log10(2 + t)",
    "log2(2 + t*t)",
    "sin(1 + t*t)",
    "cos(1 + t*t)",
    "tan(0.5 + t/2)",
    "asin(t/2 + 0.1)",
    "acos(t/2 - 0.7)",
    "atan(3*t - 1)",
    "atan2(1 + t, 2*t - 1)",
    "atan2(sin(t) - 1, t - 2)",
    "sinh(1 + t*t)",
    "cosh(1 + t*t)",
    "tanh(t*t - 1)",
    "asinh(2*t - 1)",
    "acosh(2 + t)",
    "atanh(t - 0.5)",
    "hypot(1 + t, t*t - 2)",
    "exp_m1(t/10)",
    "ln_1p(t/10)",
    "powf(1 + t, 1.7)",
    "powf(1 + t, -0.5)",
    "powf(2 + sin(t), t)",
    "abs(p)*t + max(p, 1)*t*t + min(p, 1) + signum(p)*t.powi(3)",
    "(if p > 0 { 2 } else { 3 })*exp(t)/p.powi(2)",
    "PI*t + E*t*t + pow_of_p*t",
];

/// The expression as an unknown; `start` is the time that the run begins.
fn explicit(expression: &str) -> String {
    format!(
        "pub struct Explicit {{ param p = -1.5; let pow_of_p = powf(-p, 0.3)*sin(p); var x ~ 0; x = {expression}; }}"
    )
}

/// The derivatives of the only equation's right-hand side at a time, with `x` set to zero.
fn exact(text: &str, t: f64, order: u32) -> Vec<f64> {
    let (mut model, _) = dae::symbolic::read_text(text).expect("readable");
    let residual = model.equations[0].residual;
    let list: Vec<Expr> = derivatives(&mut model.dag, residual, order);
    let parameters = defaults(&mut model);
    let value = |symbol: Symbol| match symbol {
        Symbol::Time => t,
        Symbol::Parameter(p) => parameters[p.index()],
        _ => 0.0,
    };
    // 0 = x - expression
    list.into_iter().map(|expr| -evaluate_one(&model.dag, expr, value)).collect()
}

fn defaults(model: &mut Model) -> Vec<f64> {
    let defaults: Vec<Expr> = model.parameters.iter().map(|parameter| parameter.default).collect();
    let closed = model.with_default_parameters(&defaults);
    closed.into_iter().map(|default| evaluate_one(&model.dag, default, |_| f64::NAN)).collect()
}

fn series<S: Scalar>(text: &str, t0: f64, order: usize) -> TaylorSolution<S>
where
    dae::symbolic::taylor::TaylorSystem: dae::taylor::contract::TaylorDae<S>,
{
    let solution =
        TaylorIntegration::<S>::new(&system(text)).order(order).fixed_step(1.0 / 1024.0).run(t0, t0 + 1.0 / 1024.0);
    solution.unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn coefficients_are_symbolic_derivatives() {
    const ORDER: usize = 9;
    let t = 0.3;
    for expression in EXPRESSIONS {
        let text = explicit(expression);
        let exact = exact(&text, t, ORDER as u32);
        let (short, long) = (series::<f64>(&text, t, ORDER + 2), series::<DoubleDouble>(&text, t, ORDER + 2));
        let in_53_bits = |k: usize| short.derivative("x", k, t).expect("within the run");
        let in_106_bits = |k: usize| long.derivative("x", k, DoubleDouble::from(t)).expect("within the run").high();
        for k in 0..=ORDER {
            // Relative to the largest derivative so far, since single ones may vanish.
            let size = exact[..=k].iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            for (label, found) in [("53 bits", in_53_bits(k)), ("106 bits", in_106_bits(k))] {
                let error = (found - exact[k]).abs() / size;
                assert!(error < 1e-12, "{expression}, order {k} in {label}: {found}, not {}", exact[k]);
            }
        }
    }
}

/// $f(x) = f(g(t))$ is solved for $x = g(t)$ with the partial derivatives of $f$.
#[test]
fn partial_derivatives_solve_implicit_equations() {
    let functions = [
        "x*x*x + 2*x",
        "1/x",
        "x/(4 + x*x)",
        "x.powi(-3)",
        "sqrt(x)",
        "cbrt(x)",
        "exp(x)",
        "ln(x)",
        "log10(x)",
        "log2(x)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x/2)",
        "acos(x/2)",
        "atan(x)",
        "atan2(x, 2 - x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "asinh(x)",
        "acosh(1 + x)",
        "atanh(x/2)",
        "hypot(x, 1 + x)",
        "exp_m1(x)",
        "ln_1p(x)",
        "powf(x, 1.7)",
        "powf(x, x + 1)",
    ];
    let g = |x: &str| format!("(0.8 + {x}/4)");
    for function in functions {
        let right = function.replace('x', "@").replace("e@p", "exp").replace('@', &g("sin(t)"));
        let text = format!("pub struct Implicit {{ var x ~ 0.8; {function} = {right}; }}");
        let exact = exact(&format!("pub struct G {{ var x ~ 0; x = {}; }}", g("sin(t)")), 0.3, 7);
        let solution = series::<f64>(&text, 0.3, 9);
        for (k, exact) in exact.iter().enumerate() {
            let found = solution.derivative("x", k, 0.3).expect("within the run");
            assert!((found - exact).abs() < 1e-11, "{function}, order {k}: {found}, not {exact}");
        }
    }
}
