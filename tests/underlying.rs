//! The underlying ordinary differential equation: what explicit and projection methods are built on.

use dae::runtime::underlying::{UnderlyingOde, Unsolvable};
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Dae, Integration, Method};
use nalgebra::{DMatrix, DVector};

const PENDULUM: &str = "struct Pendulum {
    param m = 2; param g = 9.81; param l = 1;
    var x = 1; var y = 0; var u = 0; var v = 0; var lambda;
    der(x) = u; der(y) = v;
    m * der(u) = -2 * lambda * x; m * der(v) = -2 * lambda * y - m * g;
    0 = x.powi(2) + y.powi(2) - l.powi(2);
}";

fn compiled(text: &str, forms: &[Form]) -> Compiled {
    let (model, _) = read_text(text).expect("readable");
    compile(model.with_forms(forms), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

fn interpreter(compiled: &Compiled, form: &Form) -> Interpreter {
    let found = compiled.forms.iter().find(|f| f.form == *form).unwrap_or_else(|| panic!("{:?}", compiled.unavailable));
    Interpreter::new(found.program.clone(), compiled.prolonged.clone())
}

fn underlying(text: &str) -> UnderlyingOde<Interpreter> {
    UnderlyingOde::new(interpreter(&compiled(text, &[Form::Underlying]), &Form::Underlying))
}

/// The largest magnitude of the invariants.
fn violation(ode: &dyn Dae, t: f64, y: &[f64]) -> f64 {
    let mut values = vec![0.0; ode.description().invariants.len()];
    ode.invariants(t, y, &mut values);
    values.iter().fold(0.0, |worst, value| value.abs().max(worst))
}

/// Simplified Newton iteration for the nearest point that satisfies the constraints, with their gradients at the first
/// iterate (Hairer & Wanner II, eq. (VII.2.4)).
fn project(ode: &UnderlyingOde<Interpreter>, t: f64, y: &mut [f64]) {
    let description = ode.description();
    let (pattern, m) = (&description.invariants_jacobian, description.invariants.len());
    let mut derivatives = vec![0.0; pattern.len()];
    ode.invariants_jacobian(t, y, &mut derivatives);
    let mut gradients = DMatrix::zeros(m, y.len());
    pattern.entries().for_each(|(row, column, position)| gradients[(row, column)] = derivatives[position]);
    let inverse = (&gradients * gradients.transpose()).try_inverse().expect("the constraints are independent");
    for _ in 0..5 {
        let mut values = vec![0.0; m];
        ode.invariants(t, y, &mut values);
        let correction = gradients.transpose() * (&inverse * DVector::from_vec(values));
        y.iter_mut().zip(&correction).for_each(|(y, correction)| *y -= correction);
    }
}

/// Integrates from time 0 by the classical Runge–Kutta method of order 4, with a projection after each step if
/// `projected`; returns the largest violation of the constraints.
fn runge_kutta(ode: &UnderlyingOde<Interpreter>, y: &mut [f64], h: f64, steps: usize, projected: bool) -> f64 {
    let (mut slope, mut worst) = (vec![0.0; y.len()], 0.0_f64);
    for step in 0..steps {
        let (t, start) = (step as f64 * h, y.to_vec());
        let mut sum = vec![0.0; y.len()];
        for (c, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            let mut stage = y.to_vec();
            ode.states().iter().for_each(|&j| stage[j] = start[j] + c * h * slope[j]);
            ode.solve(t + c * h, &mut stage, &mut slope).expect("regular");
            sum.iter_mut().zip(&slope).for_each(|(sum, slope)| *sum += weight / 6.0 * slope);
        }
        y.iter_mut().zip(&sum).for_each(|(y, sum)| *y += h * sum);
        if projected {
            project(ode, t + h, y);
        }
        worst = worst.max(violation(ode, t + h, y));
    }
    ode.solve(steps as f64 * h, y, &mut slope).expect("regular");
    worst
}

#[test]
fn a_pendulum_by_an_explicit_method_with_projections() {
    let ode = underlying(PENDULUM);
    assert_eq!(ode.states(), [0, 1, 2, 3]);
    // At rest on the right: no force in the rod, free fall.
    let (mut y, mut yp) = (vec![1.0, 0.0, 0.0, 0.0, 0.0], vec![0.0; 5]);
    ode.solve(0.0, &mut y, &mut yp).expect("regular");
    assert_eq!((y[4], &yp[..]), (0.0, &[0.0, 0.0, 0.0, -9.81, 0.0][..]));

    let compiled = compiled(PENDULUM, &[Form::Ggl]);
    let ggl = interpreter(&compiled, &Form::Ggl);
    let reference = Integration::new(&ggl).rtol(1e-12).atol(1e-12).run(0.0, 10.0).expect("it starts");
    let run = |projected| {
        let mut y = vec![1.0, 0.0, 0.0, 0.0, 0.0];
        let worst = runge_kutta(&ode, &mut y, 1e-2, 1000, projected);
        let pairs = y.iter().zip(&reference.end_state);
        (worst, pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    };
    let ((drift, free_error), (residual, error)) = (run(false), run(true));
    assert!(drift > 1e-7 && residual < 1e-14, "{drift:e}, with projections {residual:e}");
    assert!(error < 2e-4 && error < free_error, "{error:e}, without projections {free_error:e}");
}

/// Index 1 with a nonlinear algebraic loop, a derivative that is given implicitly, and an algebraic unknown that
/// depends on it.
const LOOP: &str = "struct Loop {
    param k = 0.3;
    var x = 0.5; var y = 1; var z ~ 1; var w ~ 0.5; var s ~ 0.1;
    der(x).powi(3) + der(x) = -x + z + sin(t);
    der(y) + s * x = -k * y;
    z + 0.2 * w.powi(3) = y.powi(2);
    w - 0.1 * sin(z) = x * k;
    s = der(x) - w;
}";

#[test]
fn derivatives_are_those_of_the_solution() {
    let ode = underlying(LOOP);
    let (n, t) = (5, 0.7);
    let solved = |t: f64, y: &[f64]| {
        let (mut y, mut yp) = (y.to_vec(), vec![0.0; n]);
        ode.solve(t, &mut y, &mut yp).expect("regular");
        (0..n).map(|k| if ode.states().contains(&k) { yp[k] } else { y[k] }).collect::<Vec<f64>>()
    };
    let y = [0.4, 1.1, 1.0, 0.4, 0.1];
    let at = solved(t, &y);
    let (full_y, full_yp) = ([y[0], y[1], at[2], at[3], at[4]], [at[0], at[1], 0.0, 0.0, 0.0]);
    let mut residual = vec![0.0; n];
    ode.residual(t, &full_y, &full_yp, &mut residual);
    assert!(residual.iter().all(|r| r.abs() < 1e-15), "{residual:?}");
    let description = ode.description();
    let mut by_y = vec![0.0; description.jacobian_y.len()];
    ode.jacobian_y(t, &full_y, &full_yp, &mut by_y);
    let mut dense = DMatrix::zeros(n, n);
    description.jacobian_y.entries().for_each(|(row, column, position)| dense[(row, column)] = by_y[position]);
    let h = 1e-5;
    for &j in ode.states() {
        let (mut above, mut below) = (y, y);
        (above[j], below[j]) = (y[j] + h, y[j] - h);
        let (above, below) = (solved(t, &above), solved(t, &below));
        for k in 0..n {
            let difference = (below[k] - above[k]) / (2.0 * h);
            assert!((dense[(k, j)] - difference).abs() < 1e-9, "∂w_{k}/∂y_{j}: {} {difference}", dense[(k, j)]);
        }
    }
    let mut by_t = vec![0.0; n];
    ode.jacobian_t(t, &full_y, &full_yp, &mut by_t);
    let (above, below) = (solved(t + h, &y), solved(t - h, &y));
    (0..n).for_each(|k| assert!((by_t[k] - (below[k] - above[k]) / (2.0 * h)).abs() < 1e-9));
    let mut by_p = vec![0.0; description.jacobian_p.len()];
    ode.jacobian_p(t, &full_y, &full_yp, &mut by_p);
    // k occurs in the second and fourth equations, and affects all solved quantities.
    let mut other = underlying(LOOP);
    let mut with = |k: f64| {
        other.set_parameters(&[k]);
        let (mut y, mut yp) = (y.to_vec(), vec![0.0; n]);
        other.solve(t, &mut y, &mut yp).expect("regular");
        [yp[0], yp[1], y[2], y[3], y[4]]
    };
    let (above, below) = (with(0.3 + h), with(0.3 - h));
    for (row, _, position) in description.jacobian_p.entries() {
        let difference = (below[row] - above[row]) / (2.0 * h);
        assert!((by_p[position] - difference).abs() < 1e-9, "∂w_{row}/∂k: {} {difference}", by_p[position]);
    }
}

/// Integrators treat the underlying equation like any other formulation.
#[test]
fn every_integrator_runs_it() {
    for text in [PENDULUM, LOOP] {
        let compiled = compiled(text, &[Form::Underlying, Form::Index1]);
        let index1 = interpreter(&compiled, &Form::Index1);
        let ode = UnderlyingOde::new(interpreter(&compiled, &Form::Underlying));
        let reference = Integration::new(&index1).rtol(1e-11).atol(1e-11).run(0.0, 2.0).expect("it starts");
        for method in [Method::Radau5, Method::Bdf] {
            let run = Integration::new(&ode).method(method).rtol(1e-9).atol(1e-9).run(0.0, 2.0).expect("it starts");
            assert!(run.is_success(), "{method:?}: {}", run.status);
            let pairs = run.end_state.iter().zip(&reference.end_state);
            let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 3e-7, "{method:?}: {error:e}");
        }
    }
}

#[test]
fn where_it_has_no_value_it_says_why() {
    let ode = underlying(PENDULUM);
    let (mut y, mut yp) = (vec![0.0, 0.0, 1.0, 0.0, 0.0], vec![0.0; 5]);
    let error = ode.solve(0.5, &mut y, &mut yp).unwrap_err();
    assert!(matches!(&error, Unsolvable::Singular { unknown, .. } if unknown == "lambda"), "{error}");
    assert!(error.to_string().contains("singular at t = 0.5: der(equation 5, 2)"), "{error}");
    y[0] = f64::NAN;
    let error = ode.solve(0.5, &mut y, &mut yp).unwrap_err();
    assert!(matches!(error, Unsolvable::NonFinite { .. }), "{error}");
    // The equation has no real solution for the derivative.
    let ode = underlying("struct Impasse { var x = 1; der(x) * der(x) = x; }");
    let (mut y, mut yp) = (vec![-1.0], vec![0.3]);
    let error = ode.solve(0.0, &mut y, &mut yp).unwrap_err();
    assert!(matches!(error, Unsolvable::NoConvergence { .. } | Unsolvable::Singular { .. }), "{error}");
    assert_eq!((y[0], yp[0]), (-1.0, 0.3));
}
