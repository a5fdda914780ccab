//! The forms that are built from the derivative array, for systems whose structure does not reveal their index.
//!
//! In: models with solutions in closed form, of high index or with time-varying coefficients. Out: both forms, by both
//! methods, end at the exact values, to at least seven digits.

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::index::Verdict;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::{Integration, Method, Solution};

const FORMS: [Form; 2] = [Form::DerivativeArray, Form::StrangenessFree];

fn compiled(text: &str) -> Compiled {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    compile(model.with_forms(FORMS), 0.0).unwrap_or_else(|rejected| panic!("well-posed: {:?}", rejected.diagnostics))
}

/// Runs of a model in every form by Radau IIA and BDF, all of which have to succeed.
fn runs(compiled: &Compiled, t_end: f64, tolerance: f64) -> Vec<(String, Solution)> {
    assert!(compiled.unavailable.is_empty(), "{:?}", compiled.unavailable);
    let mut list = Vec::new();
    for form in &compiled.forms {
        for method in [Method::Radau5, Method::Bdf] {
            let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
            let system = system.completed(form.formulation.completion);
            let run = Integration::new(system.as_ref()).method(method).rtol(tolerance).atol(tolerance);
            let solution = run.run(0.0, t_end).expect("consistent");
            let label = format!("{} by {method:?}", form.form);
            assert!(solution.is_success(), "{label}: {}", solution.status);
            list.push((label, solution));
        }
    }
    list
}

/// $-\log_{10}$ of the largest error at the end, relative for values above one.
fn digits(solution: &Solution, exact: &[(&str, f64)]) -> f64 {
    let value = |name: &str| {
        let place = solution.names.iter().position(|known| known == name).expect("an unknown");
        solution.end_state[place]
    };
    let error = |(name, exact): &(&str, f64)| (value(name) - exact).abs() / exact.abs().max(1.0);
    -exact.iter().map(error).fold(f64::MIN_POSITIVE, f64::max).log10()
}

fn assert_digits(label: &str, solution: &Solution, exact: &[(&str, f64)], wanted: f64) {
    let digits = digits(solution, exact);
    println!("{label}: {digits:.1} digits in {} steps", solution.statistics.steps);
    assert!(digits >= wanted, "{label}: {digits:.1} digits");
}

/// $z_0' = -z_0$ and $N z' + z = (0, 0, 0, \sin 2t)$ with the shift $N$ of size 4, in coordinates $z = Q(t) x$ and with
/// rows combined by $P(t)$: an example of our own, after the canonical form of S. L. Campbell, L. R. Petzold (SIAM J.
/// Alg. Disc. Meth. 4, 1983).
const TIME_VARYING: &str = "
    pub struct TimeVarying {
        var x0 ~ 1; var x1 ~ 0; var x2 ~ 0; var x3 ~ 0; var x4 ~ 0;
        let z0 = x0 + sin(t)*x1;
        let z1 = x1 + t*x2;
        let z2 = x2 + cos(t)*x3;
        let z3 = x3 + exp(-t)*x4;
        let z4 = x4 + t*x0;
        let rate0 = der(x0) + sin(t)*der(x1) + cos(t)*x1;
        let rate2 = der(x2) + cos(t)*der(x3) - sin(t)*x3;
        let rate3 = der(x3) + exp(-t)*der(x4) - exp(-t)*x4;
        let rate4 = der(x4) + t*der(x0) + x0;
        let f0 = rate0 + z0;
        let f1 = rate2 + z1;
        let f2 = rate3 + z2;
        let f3 = rate4 + z3;
        let f4 = z4 - sin(2*t);
        0 = f0 + t*f3/2;
        0 = f1 + cos(t)*f4;
        0 = f2 + sin(t)*f1;
        0 = f3 + t*f2;
        0 = f4 + sin(t)*f0/2;
    }";

/// $x = Q(t)^{-1} z$ by substitution around the cycle.
fn time_varying(t: f64) -> [f64; 5] {
    let z = [(-t).exp(), 8.0 * (2.0 * t).cos(), -4.0 * (2.0 * t).sin(), -2.0 * (2.0 * t).cos(), (2.0 * t).sin()];
    // x_k = z_k - q_k x_(k+1), and x_5 is x_0.
    let q = [t.sin(), t, t.cos(), (-t).exp(), t];
    let (mut constant, mut factor) = (0.0, 1.0);
    for (z, q) in z.iter().zip(q).rev() {
        (constant, factor) = (z - q * constant, -q * factor);
    }
    let mut x = [0.0; 5];
    let mut next = constant / (1.0 - factor);
    x[0] = next;
    for k in (1..5).rev() {
        next = z[k] - q[k] * next;
        x[k] = next;
    }
    x
}

#[test]
fn index_4_with_coefficients_that_change_in_time() {
    let compiled = compiled(TIME_VARYING);
    assert_eq!(compiled.analysis.certificate.verdict(), Verdict::Exact(4));
    assert_eq!(compiled.analysis.certificate.degrees_of_freedom(), Some(1));
    let x = time_varying(1.5);
    let exact: Vec<(&str, f64)> = ["x0", "x1", "x2", "x3", "x4"].into_iter().zip(x).collect();
    for (label, solution) in runs(&compiled, 1.5, 1e-11) {
        assert_digits(&label, &solution, &exact, 8.0);
    }
}

/// Hairer & Wanner II, Sect. VII.1, eq. (1.32): $y_m N y' + y = 0$, driven by a defect $\varepsilon \sin \omega t$ in its last equation.
#[test]
fn campbell_and_gear_with_a_defect() {
    let (epsilon, omega, t) = (0.5_f64, 3.0_f64, 2.0_f64);
    let three = "
        pub struct CampbellGear3 {
            param epsilon = 0.5; param omega = 3;
            var y1 ~ 0; var y2 ~ 0; var y3 ~ 0;
            y3*der(y2) + y1 = 0;
            y3*der(y3) + y2 = 0;
            y3 = epsilon*sin(omega*t);
        }";
    let (sine, cosine) = (omega * t).sin_cos();
    let y2 = -epsilon.powi(2) * omega * sine * cosine;
    let y1 = epsilon.powi(3) * omega.powi(2) * sine * (2.0 * omega * t).cos();
    let exact = [("y1", y1), ("y2", y2), ("y3", epsilon * sine)];
    for (label, solution) in runs(&compiled(three), t, 1e-10) {
        assert_digits(&format!("m = 3, {label}"), &solution, &exact, 8.0);
    }
    let five = "
        pub struct CampbellGear5 {
            param epsilon = 0.5; param omega = 3;
            var y1 ~ 0; var y2 ~ 0; var y3 ~ 0; var y4 ~ 0; var y5 ~ 0;
            y5*der(y2) + y1 = 0;
            y5*der(y3) + y2 = 0;
            y5*der(y4) + y3 = 0;
            y5*der(y5) + y4 = 0;
            y5 = epsilon*sin(omega*t);
        }";
    // y_(k-1) = -y_m y_k' on polynomials in s = sin and c = cos of ωt, with s² eliminated: y_k = ε^(m-k+1) ω^(m-k) s P_k(c), and the derivative of
    // s P(c) is c P(c) - (1 - c²) P'(c), times ω.
    let mut p = vec![1.0];
    let mut exact = vec![epsilon * sine];
    for k in 1..5 {
        let mut next = vec![0.0; p.len() + 1];
        for (power, &a) in p.iter().enumerate() {
            next[power + 1] -= a;
            if power > 0 {
                next[power - 1] += a * power as f64;
                next[power + 1] -= a * power as f64;
            }
        }
        p = next;
        let value = p.iter().rev().fold(0.0, |value, a| value * cosine + a);
        exact.push(epsilon.powi(k + 1) * omega.powi(k) * sine * value);
    }
    assert!((exact[1] - y2).abs() < 1e-14 && (exact[2] - y1).abs() < 1e-14);
    let exact: Vec<(&str, f64)> = ["y5", "y4", "y3", "y2", "y1"].into_iter().zip(exact).collect();
    for (label, solution) in runs(&compiled(five), t, 1e-10) {
        assert_digits(&format!("m = 5, {label}"), &solution, &exact, 8.0);
    }
}

/// The derivatives jump across a kink, which a derivative array evaluated on one side does not show.
#[test]
fn kinks_are_not_differentiated() {
    let text = "pub struct Rectifier { var u = 0; var i ~ 0; der(u) = i - u; i = max(0, sin(t) - u) * 1e3; }";
    let compiled = compiled(text);
    let [refused] = &compiled.unavailable[..] else { panic!("one is refused: {:?}", compiled.unavailable) };
    assert_eq!(refused.form, Form::DerivativeArray);
    assert!(refused.message.starts_with("equation 2 is not smooth where "), "{}", refused.message);
    // The other form differentiates nothing at index 1.
    let [form] = &compiled.forms[..] else { panic!("one is left") };
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let system = system.completed(form.formulation.completion);
    for method in [Method::Radau5, Method::Bdf] {
        let solution = Integration::new(system.as_ref()).method(method).rtol(1e-7).atol(1e-9).run(0.0, 10.0).unwrap();
        let found = solution.value("u", 10.0).expect("an unknown");
        assert!(solution.is_success() && (found - 0.181_374).abs() < 2e-6, "{method:?}: {found}");
    }
}

/// The choices of one run do not affect the next.
#[test]
fn a_second_run_is_the_first() {
    let compiled = compiled(TIME_VARYING);
    let form = &compiled.forms[0];
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let system = system.completed(form.formulation.completion);
    let run = |end: f64| Integration::new(system.as_ref()).rtol(1e-7).atol(1e-7).run(0.0, end).expect("consistent");
    let first = run(1.0);
    run(1.5);
    let second = run(1.0);
    assert_eq!((first.statistics, first.end_state), (second.statistics, second.end_state));
}

/// An example of our own: leading parts cancel only inside functions, so that no combination of equations removes them,
/// and the system Jacobian is singular.
#[test]
fn a_system_without_structure() {
    let text = "
        pub struct Hidden {
            var x ~ -9.7; var y ~ -4.9; var z ~ -2; var w ~ 4.8;
            let a = der(x) + y*der(y);
            0 = a + a.powi(3) + z - t;
            0 = exp(a) - 1 + z*z + sin(z) - w;
            0 = x + y*y/2 - 2 - sin(t);
            0 = der(z) + w + y - cos(t);
        }";
    let compiled = compiled(text);
    assert_eq!(compiled.analysis.certificate.verdict(), Verdict::Exact(3));
    assert!(!compiled.analysis.certificate.is_regular());
    let t = 1.5_f64;
    let (sine, a) = t.sin_cos();
    let z = t - a - a.powi(3);
    let w = a.exp() - 1.0 + z * z + z.sin();
    let y = a - w - (1.0 + sine + 3.0 * a * a * sine);
    let exact = [("x", 2.0 + sine - y * y / 2.0), ("y", y), ("z", z), ("w", w)];
    for (label, solution) in runs(&compiled, t, 1e-8) {
        assert_digits(&label, &solution, &exact, 7.0);
    }
}
