//! Mechanical systems from their energies: a pendulum, a double pendulum and a slider crank with a flexible connecting
//! rod.
//!
//! The `lagrangian` blocks give energies and constraints; the compiler derives the equations of motion with their
//! multipliers, finds index 3 and generates forms of lower index. Each system is integrated in its stabilised form
//! (GGL) and compared with reference values.

use std::error::Error;

use dae::{Dae, Integration};

dae::dae! {
    /// Planar pendulum from its energies (Hairer & Wanner, VII.1, example 2): the multiplier is the force of the rod.
    pub struct LagrangianPendulum {
        param m = 1.0;
        param l = 1.0;
        param g = 1.0;
        var x ~ 1.0;
        var y = 0.0;
        var u ~ 0.0;
        var v = 0.0;
        var lambda ~ 0.0;
        lagrangian {
            coordinates x, y;
            velocities u, v;
            kinetic = m / 2 * (u.powi(2) + v.powi(2));
            potential = m * g * y;
            constraint(lambda) x.powi(2) + y.powi(2) = l.powi(2);
        }
    }
}

dae::dae! {
    /// Double pendulum from its energies: two masses on rigid rods, in Cartesian coordinates (Hairer, Solving differential equations on
    /// manifolds, exercise IV.5.8).
    pub struct DoublePendulum {
        param m1 = 1.0;
        param m2 = 1.0;
        param l1 = 1.0;
        param l2 = 1.0;
        param g = 1.0;
        var x1 ~ 1.0;
        var y1 = 0.0;
        var x2 = 1.0;
        var y2 ~ -1.0;
        start der(x1) ~ 0.0;
        start der(y1) = 0.0;
        start der(x2) = 0.0;
        start der(y2) ~ 0.0;
        /// Half the tension of the upper rod per length.
        var lambda1 ~ 0.0;
        /// The same of the lower rod.
        var lambda2 ~ 0.0;
        lagrangian {
            coordinates x1, y1, x2, y2;
            kinetic = m1 / 2 * (der(x1).powi(2) + der(y1).powi(2)) + m2 / 2 * (der(x2).powi(2) + der(y2).powi(2));
            potential = m1 * g * y1 + m2 * g * y2;
            constraint(lambda1) x1.powi(2) + y1.powi(2) = l1.powi(2);
            constraint(lambda2) (x2 - x1).powi(2) + (y2 - y1).powi(2) = l2.powi(2);
        }
    }
}

dae::dae! {
    /// Slider crank with a flexible connecting rod, from its energies (test set for IVP solvers, Mazzia & Magherini; Simeon, 1996): the crank
    /// turns with constant speed, so that the third constraint depends on time, and the rod bends (`q1`, `q2`) and stretches (`q3`, `q4`).
    pub struct SliderCrank {
        forms(original, index2, ggl, index1);
        const M2 = 0.151104;
        const L1 = 0.15;
        const L2 = 0.30;
        const J1 = 0.002727;
        const J2 = 0.0045339259;
        const EE = 0.20e12;
        const BB = 0.0080;
        const HH = 0.0080;
        const RHO = 7870;
        /// As published.
        const pi = 3.1415927;
        const FACM = RHO * BB * HH * L2;
        const FACK = EE * BB * HH / L2;
        const FACB = BB * HH * L2;
        const BEND = FACK * pi.powi(4) * (HH / L2).powi(2);
        const B13 = -16 * FACB / pi.powi(3);
        const B14 = FACB * (8 / pi.powi(3) - 1 / pi);
        const B24 = FACB / (2 * pi);

        /// Mass of the crank and of the slider in kilograms.
        param m1 = 0.36;
        param m3 = 0.075552;
        /// Gravity; the test set has none.
        param gravity = 0.0;
        /// Speed of the crank.
        param omega = 150.0;

        var phi1 ~ 0.0;
        var phi2 ~ 0.0;
        var x3 ~ 0.450016933;
        var q1 = 0.0;
        var q2 = 0.0;
        var q3 = 0.103339863e-4;
        var q4 = 0.169327969e-4;
        start der(phi1) ~ 150.0;
        start der(phi2) ~ -74.9957670;
        start der(x3) ~ -0.268938672e-5;
        start der(q1) = 0.444896105;
        start der(q2) = 0.463434311e-2;
        start der(q3) = -0.178591076e-5;
        start der(q4) = -0.268938672e-5;
        var lambda1 ~ 0.0;
        var lambda2 ~ 382.0;
        var lambda3 ~ 0.0;

        let swing1 = FACB * (2 / 3 * q3 + q4 / 6);
        let swing2 = FACB * 2 / pi * q1;
        let rate1 = FACB * (2 / 3 * der(q3) + der(q4) / 6);
        let rate2 = FACB * 2 / pi * der(q1);

        lagrangian {
            coordinates phi1, phi2, x3, q1, q2, q3, q4;
            kinetic = (J1 + M2 * L1.powi(2)) / 2 * der(phi1).powi(2)
                + (J2 + FACM / 2 * (q1.powi(2) + q2.powi(2)) + 8 * FACM * q3.powi(2) + 2 * FACM * q3 * q4 + 2 * FACM * q4.powi(2)
                    + 2 * RHO * L2 * FACB * (q3 / 3 + q4 / 6)) / 2 * der(phi2).powi(2)
                + m3 / 2 * der(x3).powi(2)
                + FACM / 4 * (der(q1).powi(2) + der(q2).powi(2)) + 4 * FACM * der(q3).powi(2) + FACM * der(q3) * der(q4)
                + FACM * der(q4).powi(2)
                + der(phi1) * der(phi2) * (L1 * L2 * M2 / 2 * cos(phi1 - phi2)
                    + RHO * L1 * (sin(phi1 - phi2) * swing2 + cos(phi1 - phi2) * swing1))
                + RHO * L1 * der(phi1) * (cos(phi1 - phi2) * rate2 - sin(phi1 - phi2) * rate1)
                + RHO * der(phi2) * (L2 * FACB / pi * (der(q1) - der(q2) / 2)
                    + B13 * (q1 * der(q3) - q3 * der(q1)) + B14 * (q1 * der(q4) - q4 * der(q1)) + B24 * (q2 * der(q4) - q4 * der(q2)));
            potential = BEND * (q1.powi(2) / 48 + q2.powi(2) / 3)
                + FACK * (8 / 3 * q3.powi(2) - 8 / 3 * q3 * q4 + 7 / 6 * q4.powi(2))
                + gravity * (L1 / 2 * (m1 + 2 * M2) * sin(phi1) + L2 / 2 * M2 * sin(phi2)
                    + RHO * (sin(phi2) * swing1 + cos(phi2) * swing2));
            constraint(lambda1) 0 = L1 * sin(phi1) + (L2 + q4) * sin(phi2);
            constraint(lambda2) 0 = x3 - L1 * cos(phi1) - (L2 + q4) * cos(phi2);
            constraint(lambda3) 0 = phi1 - omega * t;
        }
    }
}

/// Position at $t = 10$, by elliptic functions (Hairer & Wanner, VII.2).
const PENDULUM: [(&str, f64); 2] = [("x", -0.8115864461913038), ("y", -0.5842323513453958)];

/// Positions at $t = 5$, computed in arithmetic of 34 digits.
const DOUBLE: [(&str, f64); 4] = [
    ("x1", 0.18635443023917095),
    ("y1", -0.9824825832197912),
    ("x2", -0.590983679429103),
    ("y2", -0.35339954954509856),
];

/// Positions and deformations at $t = 0.1$ (problem `crank` of the test set).
const CRANK: [(&str, f64); 7] = [
    ("phi1", 15.00000000000104),
    ("phi2", -0.331173498825626),
    ("x3", 0.169737332842786),
    ("q1", 0.0001893192899613509),
    ("q2", 2.375751249879174e-05),
    ("q3", -5.323896770569702e-06),
    ("q4", -8.363313279112129e-06),
];

fn main() -> Result<(), Box<dyn Error>> {
    for report in [LagrangianPendulum::REPORT, DoublePendulum::REPORT, SliderCrank::REPORT] {
        println!("{}", report.lines().take(2).collect::<Vec<_>>().join(" "));
    }
    println!("\nmodel                 correct digits    steps    largest residual of a constraint");
    compare(&LagrangianPendulum::default().ggl(), 1e-9, 10.0, &PENDULUM)?;
    compare(&DoublePendulum::default().ggl(), 1e-9, 5.0, &DOUBLE)?;
    compare(&SliderCrank::default().ggl(), 1e-7, 0.1, &CRANK)
}

fn compare(form: &dyn Dae, tolerance: f64, end: f64, reference: &[(&str, f64)]) -> Result<(), Box<dyn Error>> {
    let solution = Integration::new(form).rtol(tolerance).atol(tolerance).run(0.0, end)?;
    let mut error: f64 = 0.0;
    for (name, reference) in reference {
        let value = solution.value(name, end).ok_or("the end is not recorded")?;
        error = error.max((value - reference).abs() / (1.0 + reference.abs()));
    }
    let (name, digits, residual) = (&form.description().model, -error.log10(), solution.invariants_max());
    println!("{name:<20}{digits:16.1}{:9}{residual:36.1e}", solution.statistics.steps);
    Ok(())
}
