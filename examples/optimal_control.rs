//! Optimal control: the compiler derives the adjoint equation and the stationarity condition from dynamics and cost.
//!
//! These conditions are a two-point boundary value problem. Here it is linear, so that two trial values of the adjoint
//! at the start and one secant step solve it: $v(0) = \tanh 1$, and $y = \cosh(1 - t)/\cosh 1$.

use std::error::Error;

use dae::Integration;

dae::dae! {
    /// Steering to rest at least cost (Hairer & Wanner, VII.1, eqs. (1.33)–(1.39)): first-order conditions of
    /// minimising the integral of (y² + u²) / 2 under y' = u, y(0) = 1.
    pub struct OptimalControl {
        /// Start value of the adjoint: to be found such that it ends at zero.
        param adjoint = 0.0;
        var y = 1.0;
        var v = adjoint;
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

/// Adjoint and state at the end of the horizon, for a trial value of the adjoint at its start.
fn shoot(adjoint: f64) -> Result<(f64, f64), Box<dyn Error>> {
    let form = OptimalControl { adjoint }.index1();
    let solution = Integration::new(&form).rtol(1e-10).atol(1e-10).run(0.0, 1.0)?;
    let end = |name| solution.value(name, 1.0).ok_or("the end is not recorded");
    Ok((end("v")?, end("y")?))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", OptimalControl::REPORT);
    let ((at_zero, _), (at_one, _)) = (shoot(0.0)?, shoot(1.0)?);
    let adjoint = -at_zero / (at_one - at_zero);
    let (end, state) = shoot(adjoint)?;
    println!("v(0) = {adjoint:.10}, v(1) = {end:.1e}, y(1) = {state:.10}");
    let (expected, expected_state) = (1.0_f64.tanh(), 1.0 / 1.0_f64.cosh());
    if (adjoint - expected).abs() > 1e-8 || (state - expected_state).abs() > 1e-8 {
        return Err(format!("expected v(0) = {expected}, y(1) = {expected_state}").into());
    }
    Ok(())
}
