//! Index 47.
//!
//! In: a chain of derivatives, and a chain of pendulums. Out: solutions to the digits that the numbers have.

use dae::symbolic::taylor::TaylorSystem;
use dae::taylor::{DoubleDouble, Scalar, TaylorIntegration, TaylorSolution};

use super::system;

/// $x_1 = e^{-t/2} \sin t$, $x_{k+1} = \dot x_k$, 47 unknowns.
fn derivatives() -> TaylorSystem {
    system(
        "pub struct Derivatives {
            var x: [f64; 47] ~ 0;
            x[0] = exp(-t/2)*sin(t);
            for k in 0..46 { x[k + 1] = der(x[k]); }
        }",
    )
}

/// $\operatorname{Im} (i - \tfrac12)^k e^{(i - 1/2) t}$.
fn derivative(k: u32, t: f64) -> f64 {
    let (size, angle) = (1.25_f64.sqrt().powi(k as i32), f64::from(k) * 1.0_f64.atan2(-0.5) + t);
    size * (-t / 2.0).exp() * angle.sin()
}

#[test]
fn a_chain_of_derivatives_of_index_47() {
    let chain = derivatives();
    let solution = TaylorIntegration::<f64>::new(&chain).rtol(1e-13).atol(1e-13).run(0.0, 5.0).unwrap();
    for k in 0..47 {
        for t in [1.25, 5.0] {
            let (found, exact) = (solution.value(&format!("x[{k}]"), t).unwrap(), derivative(k, t));
            let size = 1.25_f64.sqrt().powi(k as i32);
            assert!((found - exact).abs() < 1e-11 * size, "x[{k}]({t}) = {found}, not {exact}");
        }
    }
}

/// Pendulum $i$ is as long as $1 + c\, m_{i-1}$, with the multiplier of the one before it: $P$ of them have index
/// $2 P + 1$ (Pryce, Numer. Algorithms 19 (1998), sect. 4; Nedialkov & Pryce III, sect. 6). They start at rest at an angle
/// of about 0.3; with larger angles, or $c = 0.1$, the later ones of many soon shrink to nothing, and the solution ends.
fn pendulums(count: usize) -> TaylorSystem {
    let mut text = String::from("pub struct Pendulums { param g = 1; param l = 1; param c = 0.02;\n");
    for i in 1..=count {
        let length = if i == 1 { "l".to_string() } else { format!("(l + c*m{})", i - 1) };
        text += &format!(
            "var x{i} = 0.3; var y{i} ~ 1; start der(x{i}) = 0; start der(y{i}) ~ 0; var m{i} ~ 1;
             der(x{i}, 2) = -m{i}*x{i};
             der(y{i}, 2) = -m{i}*y{i} + g;
             0 = x{i}.powi(2) + y{i}.powi(2) - {length}.powi(2);\n"
        );
    }
    system(&(text + "}"))
}

/// The lengths of the pendulums fit the multipliers.
fn assert_lengths<S: Scalar>(state: &[S], tolerance: f64) {
    let mut length = S::from_f64(1.0);
    for (k, pendulum) in state.chunks_exact(3).enumerate() {
        let (x, y, m) = (pendulum[0], pendulum[1], pendulum[2]);
        let residual = (x * x + y * y - length * length).to_f64().abs();
        assert!(residual < tolerance, "pendulum {k}: {residual:e}");
        length = S::from_f64(1.0) + m / S::from_f64(50.0);
    }
}

/// The least number of digits to which all unknowns agree at the end.
fn agreement<A: Scalar, B: Scalar>(a: &TaylorSolution<A>, b: &TaylorSolution<B>) -> f64 {
    let pairs = a.end_state().iter().zip(b.end_state());
    let error = |(a, b): (&A, &B)| {
        let (a, b) = (a.to_double_double(), b.to_double_double());
        (a - b).abs().high() / (1.0 + b.abs().high())
    };
    let larger = |worst: f64, e: f64| if e > worst || e.is_nan() { e } else { worst };
    -pairs.map(error).fold(f64::MIN_POSITIVE, larger).log10()
}

#[test]
fn seven_pendulums_of_index_15() {
    let chain = pendulums(7);
    let short = TaylorIntegration::<f64>::new(&chain).rtol(1e-13).atol(1e-13).run(0.0, 10.0).unwrap();
    assert_lengths(short.end_state(), 1e-14);
    let long = TaylorIntegration::<DoubleDouble>::new(&chain).rtol(1e-25).atol(1e-25).run(0.0, 10.0).unwrap();
    assert_lengths(long.end_state(), 1e-29);
    let digits = agreement(&short, &long);
    println!("7 pendulums: {digits:.2} digits, {:?}, {:?}", short.statistics, long.statistics);
    assert!(digits > 11.0, "{digits:.2} digits");
    let other =
        TaylorIntegration::<DoubleDouble>::new(&chain).rtol(1e-23).atol(1e-23).order(25).run(0.0, 10.0).unwrap();
    assert_ne!(long.statistics.steps, other.statistics.steps);
    let digits = agreement(&other, &long);
    assert!(digits > 20.0, "{digits:.2} digits");
}

/// Derivatives of order 46 of a solution cannot be computed in `f64` by themselves, Taylor coefficients can.
///
/// ```sh
/// cargo test --release --all-features --test taylor -- --ignored
/// ```
#[test]
#[ignore = "takes many minutes without optimisation; see its documentation"]
fn twenty_three_pendulums_of_index_47() {
    let chain = pendulums(23);
    let run = |tol: f64| TaylorIntegration::<DoubleDouble>::new(&chain).rtol(tol).atol(tol).run(0.0, 1.0).unwrap();
    let (first, second) = (run(1e-20), run(1e-23));
    assert_lengths(first.end_state(), 1e-28);
    assert_ne!(first.statistics.order, second.statistics.order);
    let digits = agreement(&first, &second);
    println!("23 pendulums: {digits:.2} digits, {:?}, {:?}", first.statistics, second.statistics);
    assert!(digits > 18.0, "{digits:.2} digits");
    let short = TaylorIntegration::<f64>::new(&chain).rtol(1e-11).atol(1e-11).run(0.0, 1.0).unwrap();
    let digits = agreement(&short, &first);
    println!("in 53 bits: {digits:.2} digits, {:?}", short.statistics);
    assert!(digits > 10.0, "{digits:.2} digits");
}
