//! Optimal control: the compiler derives the adjoint equation, the stationarity condition and the conditions at the ends
//! from dynamics and cost, and `Bvp` solves them.
//!
//! Here they are linear: $v(0) = \tanh 1$, and $y = \cosh(1 - t)/\cosh 1$.

use std::error::Error;

use dae::Bvp;

dae::dae! {
    /// Steering to rest at least cost (Hairer & Wanner, VII.1, eqs. (1.33)–(1.39)): first-order conditions of
    /// minimising the integral of (y² + u²) / 2 under y' = u, y(0) = 1.
    pub struct OptimalControl {
        var y = 1.0;
        var v ~ 0.0;
        var u ~ 0.0;
        optimal_control {
            states y;
            adjoints v;
            controls u;
            der(y) = u;
            running_cost = (y.powi(2) + u.powi(2)) / 2;
            horizon(0, 1);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", OptimalControl::REPORT);
    let form = OptimalControl::default().index1();
    let found = Bvp::new(&form).rtol(1e-12).atol(1e-12).solve(0.0, 1.0)?;
    println!("{} intervals, estimated error {:.1e}", found.mesh.len() - 1, found.error_estimate);
    let solution = OptimalControlSolution::try_from(found.solution)?;
    let (adjoint, state) = (solution.v(0.0).unwrap_or(f64::NAN), solution.y(1.0).unwrap_or(f64::NAN));
    println!("v(0) = {adjoint:.12}, y(1) = {state:.12}");
    let (expected, expected_state) = (1.0_f64.tanh(), 1.0 / 1.0_f64.cosh());
    // Also where a value is missing.
    if !((adjoint - expected).abs() <= 1e-10 && (state - expected_state).abs() <= 1e-10) {
        return Err(format!("expected v(0) = {expected}, y(1) = {expected_state}").into());
    }
    Ok(())
}
