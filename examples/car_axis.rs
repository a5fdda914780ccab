//! A car axis on a bumpy road: index 3, with a constraint that depends on time.
//!
//! Integrates 3 s in four of the formulations that the compiler derives from the one text, and compares with the
//! reference values of the test set for IVP solvers.

use std::error::Error;

use dae::{Dae, Integration};

dae::dae! {
    /// Car axis of the test set for IVP solvers (Mazzia & Magherini): a rod on springs over a bumpy road, index 3.
    pub struct CarAxis {
        forms(original, index1, index2, ggl, projected(B), pa, overdetermined, state_space, tangent, underlying);
        param eps = 1e-2;
        param m = 10.0;
        param l = 1.0;
        param l0 = 0.5;
        param r = 0.1;
        param omega = 10.0;
        param g = 1.0;
        let k = m * eps.powi(2) / 2;
        input yb = r * sin(omega * t);
        let xb = sqrt(l.powi(2) - yb.powi(2));

        var xl = 0.0;
        var yl ~ 0.5;
        var xr ~ 1.0;
        var yr = 0.5;
        var u1 ~ -0.5;
        var u2 = 0.0;
        var u3 ~ -0.5;
        var u4 = 0.0;
        var lambda1 ~ 0.0;
        var lambda2 ~ 0.0;
        let left = sqrt(xl.powi(2) + yl.powi(2));
        let right = sqrt((xr - xb).powi(2) + (yr - yb).powi(2));

        der(xl) = u1;
        der(yl) = u2;
        der(xr) = u3;
        der(yr) = u4;
        k * der(u1) = (l0 - left) * xl / left + lambda1 * xb + 2 * lambda2 * (xl - xr);
        k * der(u2) = (l0 - left) * yl / left + lambda1 * yb + 2 * lambda2 * (yl - yr) - k * g;
        k * der(u3) = (l0 - right) * (xr - xb) / right - 2 * lambda2 * (xl - xr);
        k * der(u4) = (l0 - right) * (yr - yb) / right - 2 * lambda2 * (yl - yr) - k * g;
        0 = xb * xl + yb * yl;
        0 = (xl - xr).powi(2) + (yl - yr).powi(2) - l.powi(2);
    }
}

/// Positions and velocities at $t = 3$ (problem `caraxis` of the test set).
const REFERENCE: [(&str, f64); 8] = [
    ("xl", 0.049_345_578_427_540_28),
    ("yl", 0.496_989_460_230_171_15),
    ("xr", 1.041_742_524_885_421_5),
    ("yr", 0.373_911_027_265_361_26),
    ("u1", -0.077_058_368_404_097_24),
    ("u2", 0.007_446_866_587_237_786),
    ("u3", 0.017_556_815_753_723_222),
    ("u4", 0.770_341_043_779_252),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", CarAxis::REPORT);
    println!("form        correct digits    steps    largest residual of a constraint");
    let axis = CarAxis::default();
    let forms: [&dyn Dae; 4] = [&axis.original(), &axis.index2(), &axis.index1(), &axis.ggl()];
    for form in forms {
        let solution = Integration::new(form).rtol(1e-8).atol(1e-8).run(0.0, 3.0)?;
        let mut error: f64 = 0.0;
        for (name, reference) in REFERENCE {
            let value = solution.value(name, 3.0).ok_or("the end is not recorded")?;
            error = error.max((value - reference).abs() / (1.0 + reference.abs()));
        }
        let residual = solution.invariants.iter().map(|i| i.max).fold(0.0, f64::max);
        let (name, digits) = (&form.description().form, -error.log10());
        println!("{name:<10}{digits:16.1}{:9}{residual:36.1e}", solution.statistics.steps);
    }
    Ok(())
}
