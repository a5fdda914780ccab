//! Two systems of index 2: a perturbation of a constraint, and a robot arm whose hand follows a curve.
//!
//! In: DOP853 with projections, at tolerances of $10^{-10}$. Out: unknowns over time.

use std::error::Error;
use std::f64::consts::TAU;

use dae::plot::{Panel, Series};
use dae::{Dop853, Integration, Record, Solution};

use super::Picture;

dae::dae! {
    /// A car whose steering is to keep it on a circle (Hairer & Wanner II, eq. (VII.1.9)), the constraint perturbed.
    pub struct SteeringWheel {
        forms(underlying);
        param epsilon = 0;
        param omega = 100;
        var y1 = 0; var y2 = 1; var z ~ 0.63;
        der(y1) = 0.7 * y2 + sin(2.5 * z);
        der(y2) = 1.4 * y1 + cos(2.5 * z);
        0 = y1.powi(2) + y2.powi(2) - 1 + epsilon * sin(omega * t);
    }
}

dae::dae! {
    /// An arm of `N` links of length 1 whose hand follows a circle; of all motions the one of least velocity (E. Hairer,
    /// *Solving Differential Equations on Manifolds*, 2011, eqs. (I.2.2) and (I.2.3)).
    pub struct RobotArm {
        forms(underlying);
        const N = 5;
        param begin: [f64; N] = [PI / 2, PI / 3, PI / 6, 0, -PI / 6];
        let x = sum(i in 0..N => cos(begin[i]));
        let y = sum(i in 0..N => sin(begin[i]));
        var theta: [f64; N] = [PI / 2, PI / 3, PI / 6, 0, -PI / 6];
        var u1; var u2;
        for i in 0..N {
            der(theta[i]) = -sin(theta[i]) * u1 + cos(theta[i]) * u2;
        }
        0 = sum(i in 0..N => cos(theta[i])) - x - 0.5 * (cos(t) - 1);
        0 = sum(i in 0..N => sin(theta[i])) - y - 0.5 * sin(t);
    }
}

/// The motion of the car up to time 0.5, with a perturbation of this amplitude.
///
/// # Errors
/// If the run fails.
pub(crate) fn steering_wheel(epsilon: f64) -> Result<Solution, Box<dyn Error>> {
    let form = SteeringWheel { epsilon, ..SteeringWheel::default() }.underlying();
    let run = Integration::new(&form).method(Dop853).rtol(1e-10).atol(1e-10);
    Ok(run.record(Record::Dense).run(0.0, 0.5)?)
}

/// Figure VII.1.3: a small perturbation of fast oscillation moves $y$ little, and $z$ by the frequency times as much.
///
/// # Errors
/// If a run fails.
pub(crate) fn perturbed_index_2() -> Result<Picture, Box<dyn Error>> {
    let runs = [("unperturbed", steering_wheel(0.0)?), ("perturbed", steering_wheel(1e-3)?)];
    let panel = |name: &str| -> Result<Panel, Box<dyn Error>> {
        let curve = |(label, solution): &(&str, Solution)| {
            Series::of(solution, name).map(|series| Series { label: format!("{name} {label}"), ..series })
        };
        let series = runs.iter().map(curve).collect::<Result<_, _>>()?;
        Ok(Panel { y_label: name.to_string(), series, ..Panel::default() })
    };
    let panels = vec![panel("y1")?, panel("z")?];
    Ok(Picture { name: "perturbed_index_2", title: "Index 2: a perturbation of 0.001 sin 100t", panels })
}

/// The motion of the arm while the hand goes round once.
///
/// # Errors
/// If the run fails.
pub(crate) fn arm() -> Result<Solution, Box<dyn Error>> {
    let form = RobotArm::default().underlying();
    let run = Integration::new(&form).method(Dop853).rtol(1e-10).atol(1e-10);
    Ok(run.record(Record::Dense).run(0.0, TAU)?)
}

/// The hand returns to its start, the arm does not.
///
/// # Errors
/// If the run fails.
pub(crate) fn robot_arm() -> Result<Picture, Box<dyn Error>> {
    let solution = arm()?;
    let panels = vec![Panel::of(&solution, &["theta"])?, Panel::of(&solution, &["u1", "u2"])?];
    Ok(Picture { name: "robot_arm", title: "A robot arm of five links", panels })
}
