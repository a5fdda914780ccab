//! Drift-off of the pendulum in its index-1 form, and what projections make of it (Hairer & Wanner II, section VII.2,
//! figures 2.1 and 2.2).
//!
//! In: DOPRI5 on the underlying equation with tolerances of $10^{-6}$, from rest at $(1, 0)$. Out: residuals of the
//! constraints, and errors, up to $t = 80$.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::{Dop853, Dopri5, Integration, Projection, Record, Solution};

use super::Picture;

dae::dae! {
    /// The pendulum of (VII.2.1) to (VII.2.3).
    pub struct Pendulum {
        forms(underlying);
        var x = 1; var y = 0; var u = 0; var v = 0; var lambda;
        der(x) = u;
        der(y) = v;
        der(u) = -x * lambda;
        der(v) = -1 - y * lambda;
        0 = x.powi(2) + y.powi(2) - 1;
    }
}

/// The end of all runs.
const T_END: f64 = 80.0;
const TOLERANCE: f64 = 1e-6;
/// What each curve of figure 2.2 is called, and onto what its steps are projected.
pub(crate) const PROJECTIONS: [(&str, Projection); 4] = [
    ("none", Projection::Off),
    ("positions", Projection::Positions),
    ("velocities", Projection::Velocities),
    ("both", Projection::On),
];

fn run(projection: Projection) -> Result<Solution, Box<dyn Error>> {
    let form = Pendulum::default().underlying();
    let run = Integration::new(&form).method(Dopri5).projection(projection).rtol(TOLERANCE).atol(TOLERANCE);
    Ok(run.record(Record::Steps).run(0.0, T_END)?)
}

/// Figure 2.1: without projections, the velocity constraint is violated in proportion to $t$, the position constraint
/// to $t^2$ (theorem VII.2.1).
///
/// # Errors
/// If the run fails.
pub(crate) fn drift_off() -> Result<Picture, Box<dyn Error>> {
    let solution = run(Projection::Off)?;
    let curve = |label: &str, residual: fn(&[f64]) -> f64| {
        Series::new(label, solution.iter().map(|(t, state)| (t, residual(state).abs())).collect())
    };
    let series =
        vec![curve("position", |s| s[0] * s[0] + s[1] * s[1] - 1.0), curve("velocity", |s| s[0] * s[2] + s[1] * s[3])];
    let panel = Panel { y_label: "residual".into(), scale: Scale::Logarithmic, series };
    Ok(Picture { name: "drift_off", title: "Drift-off of the pendulum, DOPRI5", panels: vec![panel] })
}

/// Figure 2.2: the error of the position for each projection.
///
/// # Errors
/// If a run fails.
pub(crate) fn projections() -> Result<Picture, Box<dyn Error>> {
    let form = Pendulum::default().underlying();
    let exact = Integration::new(&form).method(Dop853).rtol(1e-13).atol(1e-13);
    let exact = exact.record(Record::Dense).run(0.0, T_END)?;
    let mut series = Vec::new();
    for (label, projection) in PROJECTIONS {
        let solution = run(projection)?;
        let error = |(t, state): (f64, &[f64])| {
            let at = exact.at(t)?;
            Some((t, (state[0] - at[0]).hypot(state[1] - at[1])))
        };
        series.push(Series::new(label, solution.iter().filter_map(error).skip(1).collect()));
    }
    let panel = Panel { y_label: "error of the position".into(), scale: Scale::Logarithmic, series };
    Ok(Picture { name: "projections", title: "The pendulum with projections, DOPRI5", panels: vec![panel] })
}
