//! Estimates length, friction and initial angle of a pendulum from measured positions.
//!
//! In Cartesian coordinates the pendulum has index 3: its start values have to fit the unknown length. Consistent
//! initialisation takes care of that, also for the sensitivities. Measurements are simulated, with errors of up to a
//! millimetre. The Gauss–Newton method uses the sensitivities of the positions; at the end the gradient of the sum of
//! squares, which should be zero, is computed by the adjoint method.

use std::error::Error;

use dae::{Dae, Integration, Record, SensitivityError, Solution};
use nalgebra::{DMatrix, DVector};

dae::dae! {
    /// Planar pendulum in Cartesian coordinates, with friction in the air.
    pub struct Pendulum {
        param g = 9.81;
        param l = 1.2;        // looked for
        param friction = 0.1; // looked for
        param angle = 1.0;    // at the start, from the vertical; looked for
        var x = l * sin(angle);
        var y ~ -l * cos(angle);
        var u = 0;
        var v ~ 0;
        var lambda;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x - friction * u;
        der(v) = -lambda * y - friction * v - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }
}

/// The quantities to be estimated.
const BY: [&str; 3] = ["l", "friction", "angle"];
/// The values of these quantities behind the simulated measurements.
const TRUE: [f64; 3] = [1.03, 0.25, 1.3];
/// Indices of `x` and `y` in the state.
const X: usize = 0;
const Y: usize = 1;
/// Bound on the errors of the measurements, in metres.
const ERROR: f64 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    let times: Vec<f64> = (0..=60).map(|k| f64::from(k) / 10.0).collect();
    let mut pendulum = Pendulum::default().ggl();
    let guess = pendulum.parameters().to_vec();
    let with = |values: &[f64]| [&guess[..1], values].concat();

    pendulum.set_parameters(&with(&TRUE));
    let measured: Vec<f64> = positions(&integration(&pendulum, &times).run(0.0, 6.0)?);
    // Quasi-random numbers, the same in every run.
    let noise = |k: usize| ERROR * (2.0 * ((k + 1) as f64 * 0.618_033_988_749_895).fract() - 1.0);
    let measured: Vec<f64> = measured.iter().enumerate().map(|(k, value)| value + noise(k)).collect();

    let mut values = guess[1..].to_vec();
    println!("{:>12}{:>12}{:>12}   root mean square", BY[0], BY[1], BY[2]);
    for _ in 0..8 {
        pendulum.set_parameters(&with(&values));
        let solution = integration(&pendulum, &times).sensitivities(BY).run(0.0, 6.0)?;
        let residual = DVector::from_vec(positions(&solution)) - DVector::from_column_slice(&measured);
        let size = residual.norm() / (residual.len() as f64).sqrt();
        println!("{:12.6}{:12.6}{:12.6}   {size:.3e}", values[0], values[1], values[2]);
        let columns: Result<Vec<DVector<f64>>, SensitivityError> =
            BY.iter().map(|by| derivatives(&solution, by)).collect();
        let jacobian = DMatrix::from_columns(&columns?);
        let decomposition =
            jacobian.try_svd(true, true, f64::EPSILON, 1000).ok_or("singular values do not converge")?;
        let step = decomposition.solve(&residual, 1e-12)?;
        values.iter_mut().zip(&step).for_each(|(value, step)| *value -= step);
        if step.norm() < 1e-9 {
            break;
        }
    }

    pendulum.set_parameters(&with(&values));
    let run = integration(&pendulum, &times).sensitivities(BY).adjoint(0.0, 6.0)?;
    let gradient = run.gradient_of(|i, state, by_state| {
        for place in [X, Y] {
            by_state[place] = 2.0 * (state[place] - measured[2 * i + place]);
        }
    })?;
    println!("\nGradient of the sum of squares there, by the adjoint method:");
    for (name, value) in gradient.quantities.iter().zip(&gradient.values) {
        println!("{name:>12}  {value:9.1e}");
    }
    Ok(())
}

fn integration<'d>(
    pendulum: &'d PendulumGgl,
    times: &[f64],
) -> Integration<'d, 'static, dae::runtime::class::Index<2>> {
    Integration::new(pendulum).rtol(1e-9).atol(1e-9).record(Record::At(times.to_vec()))
}

/// The positions at the recorded times, each as `x` and then `y`.
fn positions(solution: &Solution) -> Vec<f64> {
    solution.iter().flat_map(|(_, state)| [state[X], state[Y]]).collect()
}

/// The derivatives of the positions by one of the quantities, in the order of [`positions`].
fn derivatives(solution: &Solution, by: &str) -> Result<DVector<f64>, SensitivityError> {
    let (x, y) = (solution.sensitivity("x", by)?, solution.sensitivity("y", by)?);
    Ok(DVector::from_vec(x.into_iter().zip(y).flat_map(|(x, y)| [x, y]).collect()))
}
