//! A free rigid body (E. Hairer, *Solving Differential Equations on Manifolds*, figure I.2).
//!
//! In: Euler's equations, and three methods with long steps. Out: the square of the angular momentum, which is constant,
//! and the energy, which is constant as well.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::runtime::lie::nalgebra::Vector3;
use dae::runtime::lie::{
    ExplicitEuler, ImplicitMidpoint, LieError, Nonlinear, Projected, Stiefel, Trajectory, Trapezoidal, hat, integrate,
};

use super::Picture;

/// Moments of inertia.
const INERTIA: [f64; 3] = [1.6, 1.0, 2.0 / 3.0];
/// What each curve is called.
pub(crate) const METHODS: [&str; 3] = ["explicit Euler", "trapezoidal, projected", "implicit midpoint rule"];

/// A run up to time `t_end`, a whole number.
///
/// # Errors
/// If the run fails.
pub(crate) fn run(method: &str, t_end: usize) -> Result<Trajectory<3, 1>, LieError> {
    let equation = Nonlinear::new(|_, y: &Vector3<f64>| -hat(&y.component_div(&Vector3::from(INERTIA))));
    let start = (0.0, Vector3::new(0.9_f64.cos(), 0.0, 0.9_f64.sin()));
    let end = t_end as f64;
    match METHODS.iter().position(|it| *it == method) {
        Some(0) => integrate(&Stiefel, &equation, &ExplicitEuler, start, end, 40 * t_end),
        Some(1) => integrate(&Stiefel, &equation, &Projected(Trapezoidal), start, end, t_end),
        _ => integrate(&Stiefel, &equation, &ImplicitMidpoint, start, end, t_end),
    }
}

/// The energy.
pub(crate) fn energy(y: &Vector3<f64>) -> f64 {
    0.5 * y.dot(&y.component_div(&Vector3::from(INERTIA)))
}

/// The explicit method leaves the sphere, the projected one keeps to it, the implicit midpoint rule keeps the energy
/// too.
///
/// # Errors
/// If a run fails.
pub(crate) fn picture() -> Result<Picture, Box<dyn Error>> {
    let panel = |label: &str, value: fn(&Vector3<f64>) -> f64| -> Result<Panel, Box<dyn Error>> {
        let mut series = Vec::new();
        for method in METHODS {
            let run = run(method, 40)?;
            let points = run.times.iter().zip(&run.states).map(|(t, y)| (*t, value(y))).collect();
            series.push(Series::new(method, points));
        }
        Ok(Panel { y_label: label.into(), scale: Scale::Linear, series })
    };
    let panels = vec![panel("|y|²/2", |y| 0.5 * y.norm_squared())?, panel("energy", energy)?];
    Ok(Picture { name: "rigid_body", title: "A free rigid body, steps of 1 (explicit Euler: 0.025)", panels })
}
