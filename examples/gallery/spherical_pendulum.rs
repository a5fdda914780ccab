//! A spherical pendulum (E. Hairer, *Solving Differential Equations on Manifolds*, figure V.1).
//!
//! In: steps of length 0.01. Out: the height over a few periods, with the symplectic and the implicit Euler method; and
//! the energy error of the symplectic Euler method and of RATTLE over a thousand periods.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::runtime::symplectic::Symplectic;
use dae::{Bdf, Integration, Method, Record};

use super::Picture;

dae::dae! {
    /// The pendulum of (V.4.6).
    pub struct SphericalPendulum {
        forms(underlying, ggl);
        var q1 = sin(1.3); var q2 = 0.0; var q3 ~ cos(1.3);
        var p1 = 3.0 * cos(1.3); var p2 = 6.5; var p3 ~ -3.0 * sin(1.3);
        var lambda;
        der(q1) = p1;
        der(q2) = p2;
        der(q3) = p3;
        der(p1) = -q1 * lambda;
        der(p2) = -q2 * lambda;
        der(p3) = -1.0 - q3 * lambda;
        0 = (q1.powi(2) + q2.powi(2) + q3.powi(2) - 1.0) / 2.0;
    }
}

const H: f64 = 0.01;

fn energy(q: &[f64], p: &[f64]) -> f64 {
    0.5 * p.iter().map(|p| p * p).sum::<f64>() + q[2]
}

/// Height and energy error over a number of steps, each with the time.
type Course = [Vec<(f64, f64)>; 2];

/// A run by a symplectic method until the height has had so many maxima; heights over the first thousand steps, and the
/// largest energy error in each hundred.
///
/// # Errors
/// If the run fails.
pub(crate) fn symplectic(method: Method, periods: usize) -> Result<Course, Box<dyn Error>> {
    let form = SphericalPendulum::default().underlying();
    let start = Integration::new(&form).run(0.0, 0.0)?;
    let mut map = Symplectic::new(&form, method, 0.0, &start.end_state)?;
    let first = energy(map.positions(), map.momenta());
    let [mut heights, mut errors] = [vec![(0.0, map.positions()[2])], Vec::new()];
    let (mut largest, mut maxima, mut was_rising) = (0.0_f64, 0, false);
    for n in 1.. {
        let before = map.positions()[2];
        map.step(H)?;
        let height = map.positions()[2];
        if n <= 1000 {
            heights.push((map.time(), height));
        }
        largest = largest.max((energy(map.positions(), map.momenta()) - first).abs());
        if n % 100 == 0 {
            errors.push((map.time(), std::mem::take(&mut largest)));
        }
        maxima += usize::from(was_rising && height < before);
        was_rising = height > before;
        if maxima == periods {
            break;
        }
    }
    Ok([heights, errors])
}

/// Energy and height of the implicit Euler method.
///
/// # Errors
/// If the run fails.
pub(crate) fn implicit_euler(t_end: f64) -> Result<Course, Box<dyn Error>> {
    let form = SphericalPendulum::default().ggl();
    let run = Integration::new(&form).method(Bdf).max_order(1).fixed_step(H).record(Record::Steps);
    let solution = run.run(0.0, t_end)?;
    let first = solution.state(0).map_or(0.0, |y| energy(&y[..3], &y[3..6]));
    let heights = solution.iter().map(|(t, y)| (t, y[2])).collect();
    Ok([heights, solution.iter().map(|(t, y)| (t, (energy(&y[..3], &y[3..6]) - first).abs())).collect()])
}

/// Figure V.1: the height by both methods of Euler.
///
/// # Errors
/// If a run fails.
pub(crate) fn heights() -> Result<Picture, Box<dyn Error>> {
    let [height, _] = symplectic(Method::SymplecticEuler, 30)?;
    let [of_implicit, _] = implicit_euler(10.0)?;
    let series = vec![Series::new("symplectic Euler", height), Series::new("implicit Euler", of_implicit)];
    let panel = Panel { y_label: "height".into(), scale: Scale::Linear, series };
    Ok(Picture { name: "spherical_pendulum", title: "Spherical pendulum, steps of 0.01", panels: vec![panel] })
}

/// The largest energy error of each hundred steps, over a thousand periods of the height.
///
/// # Errors
/// If a run fails.
pub(crate) fn energies() -> Result<Picture, Box<dyn Error>> {
    let mut series = Vec::new();
    for (label, method) in [("symplectic Euler", Method::SymplecticEuler), ("RATTLE", Method::Rattle)] {
        let [_, errors] = symplectic(method, 1000)?;
        series.push(Series::new(label, errors));
    }
    let panel = Panel { y_label: "energy error".into(), scale: Scale::Logarithmic, series };
    let title = "Spherical pendulum over a thousand periods, steps of 0.01";
    Ok(Picture { name: "spherical_pendulum_energy", title, panels: vec![panel] })
}
