//! A ring of six rigid pieces whose constraints depend on one another (E. Hairer, *Solving Differential Equations on
//! Manifolds*, section I.3).
//!
//! In: DOP853 with projections, at tolerances of $10^{-11}$, and RATTLE. Out: the motion of three corners, the residual
//! of the constraint that the others imply, and energy.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::{Dop853, Integration, Rattle, Record, Solution};

use super::Picture;

dae::dae! {
    /// The ring of eq. (I.3.3) with the piece of the corners q6 = (1, 0, 1), q1 = (1, 0, 0) and q2 = 0 held still: sides
    /// of length one, right angles, unit masses under gravity. It starts in the boat form of exercise I.7, where eight
    /// of the nine constraints on q3, q4 and q5 are independent; the right angle at q3 is the one left out.
    pub struct SixPieceRing {
        forms(underlying);
        param speed = 2 / sqrt(5.0);
        var x3 ~ 0; var y3 ~ 1; var z3 ~ 0;
        var x4 ~ 0; var y4 ~ 1; var z4 ~ 1;
        var x5 ~ 0; var y5 ~ 0; var z5 ~ 1;
        start der(z3) ~ -speed;
        start der(x4) ~ speed;
        start der(y4) ~ speed;
        start der(z4) ~ -speed;
        start der(y5) ~ speed;
        var l10 ~ 0; var l11 ~ 0; var l12 ~ 0; var l13 ~ 0; var l14 ~ 0; var l16 ~ 0; var l17 ~ 0; var l18 ~ 0;
        lagrangian {
            coordinates x3, y3, z3, x4, y4, z4, x5, y5, z5;
            kinetic = (der(x3).powi(2) + der(y3).powi(2) + der(z3).powi(2) + der(x4).powi(2) + der(y4).powi(2)
                + der(z4).powi(2) + der(x5).powi(2) + der(y5).powi(2) + der(z5).powi(2)) / 2;
            potential = z3 + z4 + z5;
            constraint(l10) x3.powi(2) + y3.powi(2) + z3.powi(2) = 1;
            constraint(l11) (x4 - x3).powi(2) + (y4 - y3).powi(2) + (z4 - z3).powi(2) = 1;
            constraint(l12) (x5 - x4).powi(2) + (y5 - y4).powi(2) + (z5 - z4).powi(2) = 1;
            constraint(l13) (1 - x5).powi(2) + y5.powi(2) + (1 - z5).powi(2) = 1;
            constraint(l14) x3 = 0;
            constraint(l16) (x5 - x4) * (x4 - x3) + (y5 - y4) * (y4 - y3) + (z5 - z4) * (z4 - z3) = 0;
            constraint(l17) (1 - x5) * (x5 - x4) - y5 * (y5 - y4) + (1 - z5) * (z5 - z4) = 0;
            constraint(l18) z5 = 1;
        }
    }
}

/// The end of the picture: at about 2.33 the ring reaches q3 = (0, 0, 1), where the eight constraints depend on one
/// another.
const T_END: f64 = 2.0;
/// Positions of q3, q4 and q5, and their velocities, as recorded.
const UNKNOWNS: [&str; 9] = ["x3", "y3", "z3", "x4", "y4", "z4", "x5", "y5", "z5"];

/// The motion up to time `t_end`.
///
/// # Errors
/// If the run fails.
pub(crate) fn motion(t_end: f64) -> Result<Solution, Box<dyn Error>> {
    let form = SixPieceRing::default().underlying();
    Ok(Integration::new(&form).method(Dop853).rtol(1e-11).atol(1e-11).record(Record::Dense).run(0.0, t_end)?)
}

/// The same by RATTLE, in steps of 0.01.
///
/// # Errors
/// If the run fails.
pub(crate) fn rattle(t_end: f64) -> Result<Solution, Box<dyn Error>> {
    let form = SixPieceRing::default().underlying();
    Ok(Integration::new(&form).method(Rattle).fixed_step(0.01).record(Record::Steps).run(0.0, t_end)?)
}

/// A function of positions and velocities at all recorded times.
fn over_time(solution: &Solution, function: fn(&[f64], &[f64]) -> f64) -> Vec<(f64, f64)> {
    let place = |name: &str| solution.names.iter().position(|it| it == name);
    let of = |names: Vec<String>| names.iter().filter_map(|name| place(name)).collect::<Vec<usize>>();
    let positions = of(UNKNOWNS.map(String::from).to_vec());
    let velocities = of(UNKNOWNS.map(|name| format!("der({name})")).to_vec());
    let values = |places: &[usize], y: &[f64]| places.iter().map(|&k| y[k]).collect::<Vec<f64>>();
    solution.iter().map(|(t, y)| (t, function(&values(&positions, y), &values(&velocities, y)))).collect()
}

/// $(q_4 - q_3) \cdot (q_3 - q_2)$, which is zero because all the others hold.
pub(crate) fn implied(solution: &Solution) -> Vec<(f64, f64)> {
    over_time(solution, |q, _| ((0..3).map(|k| (q[3 + k] - q[k]) * q[k]).sum::<f64>()).abs())
}

/// The energy.
pub(crate) fn energy(solution: &Solution) -> Vec<(f64, f64)> {
    over_time(solution, |q, v| 0.5 * v.iter().map(|v| v * v).sum::<f64>() + q[2] + q[5] + q[8])
}

/// The picture.
///
/// # Errors
/// If a run fails.
pub(crate) fn picture() -> Result<Picture, Box<dyn Error>> {
    let solution = motion(T_END)?;
    let by_rattle = rattle(T_END)?;
    let first = energy(&by_rattle)[0].1;
    let error = energy(&by_rattle).into_iter().map(|(t, energy)| (t, energy - first)).collect();
    let panel = |y_label: &str, scale: Scale, series: Vec<Series>| Panel { y_label: y_label.into(), scale, series };
    let panels = vec![
        Panel::of(&solution, &["y3", "x4", "y5"])?,
        panel("implied constraint", Scale::Logarithmic, vec![Series::new("right angle at q3", implied(&solution))]),
        panel("energy error", Scale::Linear, vec![Series::new("RATTLE, steps of 0.01", error)]),
    ];
    Ok(Picture { name: "six_piece_ring", title: "A ring of six pieces with a redundant constraint", panels })
}
