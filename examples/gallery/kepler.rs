//! A perturbed Kepler problem: explicit Euler with projections onto the energy, and the symplectic Euler method (Hairer
//! & Wanner II, section VII.2, figure 2.3).
//!
//! In: steps of length 0.01. Out: orbits, and energy and angular momentum over time.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::runtime::first_integrals::FirstIntegrals;
use dae::{Integration, Method, Projection, Record, Solution, SymplecticEuler};

use super::Picture;

dae::dae! {
    /// The problem with the Hamiltonian (VII.2.15).
    pub struct Kepler {
        forms(underlying);
        var q1 = 0.4; var q2 = 0; var p1 = 0; var p2 = 2;
        let r2 = q1.powi(2) + q2.powi(2);
        let force = 1 / (r2 * sqrt(r2)) + 0.015 / (r2.powi(2) * sqrt(r2));
        der(q1) = p1;
        der(q2) = p2;
        der(p1) = -force * q1;
        der(p2) = -force * q2;
    }
}

const H: f64 = 0.01;

pub(crate) fn energy(y: &[f64]) -> f64 {
    let r = y[0].hypot(y[1]);
    0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / r - 0.005 / r.powi(3)
}

pub(crate) fn angular_momentum(y: &[f64]) -> f64 {
    y[0] * y[3] - y[1] * y[2]
}

/// Which runs the picture shows.
pub(crate) const RUNS: [&str; 3] = ["explicit Euler", "explicit Euler, projected", "symplectic Euler"];

/// One of the runs.
///
/// # Errors
/// If it fails.
pub(crate) fn run(name: &str, t_end: f64) -> Result<Solution, Box<dyn Error>> {
    let form = Kepler::default().underlying();
    if name == RUNS[2] {
        return Ok(Integration::new(&form)
            .method(SymplecticEuler)
            .fixed_step(H)
            .record(Record::Steps)
            .run(0.0, t_end)?);
    }
    let gradient = |_, y: &[f64], gradient: &mut [f64]| {
        let r = y[0].hypot(y[1]);
        let force = 1.0 / r.powi(3) + 0.015 / r.powi(5);
        gradient.copy_from_slice(&[force * y[0], force * y[1], y[2], y[3]]);
    };
    let form = FirstIntegrals::of(form).with("energy", |_, y| energy(y), gradient);
    let projection = if name == RUNS[1] { Projection::On } else { Projection::Off };
    let run = Integration::new(&form).method(Method::ExplicitEuler).projection(projection).fixed_step(H);
    Ok(run.record(Record::Steps).run(0.0, t_end)?)
}

/// Figure 2.3: projected onto the energy, the orbit of the explicit method still becomes rounder and rounder, for its
/// angular momentum grows; that of the symplectic one turns and keeps its shape.
///
/// # Errors
/// If a run fails.
pub(crate) fn picture() -> Result<Picture, Box<dyn Error>> {
    let curve = |value: fn(&[f64]) -> f64, label: &str| {
        let series = RUNS[1..].iter().map(|name| -> Result<Series, Box<dyn Error>> {
            let points = run(name, 100.0)?.iter().map(|(t, y)| (t, value(y))).collect();
            Ok(Series::new(*name, points))
        });
        Ok::<Panel, Box<dyn Error>>(Panel {
            y_label: label.into(),
            scale: Scale::Linear,
            series: series.collect::<Result<_, _>>()?,
        })
    };
    let panels = vec![
        curve(energy, "energy")?,
        curve(angular_momentum, "angular momentum")?,
        curve(|y| y[0].hypot(y[1]), "distance")?,
    ];
    Ok(Picture { name: "kepler", title: "A perturbed Kepler problem, steps of 0.01", panels })
}
