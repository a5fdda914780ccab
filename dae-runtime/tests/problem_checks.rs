//! The hand-written test problems start consistently, and their Jacobians agree with differences.

mod problems;

use dae_runtime::contract::Dae;
use problems::{manufactured, pendulum, steering_wheel, stiff, transistor_amplifier};

/// Checks that the start values satisfy the equations, and that the Jacobians, which are computed with dual numbers,
/// agree with central differences at a point off the solution, where every term counts.
fn check(dae: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64]) {
    let n = y0.len();
    let mut residual = vec![0.0; n];
    dae.residual(t0, y0, yp0, &mut residual);
    let size = residual.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(size < 1e-7, "{}: {residual:?}", dae.description().model);

    let shifted = |x: &[f64]| -> Vec<f64> { x.iter().enumerate().map(|(i, x)| x + 0.01 * (1 + i) as f64).collect() };
    let (y, yp) = (shifted(y0), shifted(yp0));
    let (mut fy, mut fyp) = (vec![0.0; n * n], vec![0.0; n * n]);
    dae.jacobian_y(t0, &y, &yp, &mut fy);
    dae.jacobian_yp(t0, &y, &yp, &mut fyp);
    let difference = |j: usize, of_y: bool| -> Vec<f64> {
        let eps = 1e-5;
        let at = |sign: f64| {
            let (mut y, mut yp, mut out) = (y.clone(), yp.clone(), vec![0.0; n]);
            if of_y {
                y[j] += sign * eps
            } else {
                yp[j] += sign * eps
            }
            dae.residual(t0, &y, &yp, &mut out);
            out
        };
        at(1.0).iter().zip(at(-1.0)).map(|(a, b)| (a - b) / (2.0 * eps)).collect()
    };
    for j in 0..n {
        for (exact, of_y) in [(&fy, true), (&fyp, false)] {
            for (i, d) in difference(j, of_y).into_iter().enumerate() {
                let e = exact[i * n + j];
                assert!((d - e).abs() < 2e-6 * (1.0 + e.abs()), "{} ({i}, {j}): {d} {e}", dae.description().model);
            }
        }
    }
}

macro_rules! check {
    ($($problem:expr),* $(,)?) => { $({ let p = $problem; check(&p, p.t0, &p.y0, &p.yp0); })* };
}

#[test]
fn problems_are_consistent_and_exactly_differentiated() {
    use pendulum::Form;
    check!(
        pendulum::pendulum(Form::Index3),
        pendulum::pendulum(Form::Index2),
        pendulum::pendulum(Form::Index1),
        pendulum::pendulum(Form::Ggl),
        steering_wheel::steering_wheel(),
        steering_wheel::steering_wheel_impasse(),
        steering_wheel::steering_wheel_wobbling(),
        stiff::prothero_robinson(10.0),
        stiff::robertson(),
        stiff::end_of_domain(),
        stiff::blow_up(),
        stiff::underdetermined(),
        manufactured::state_dependent_leading(),
        manufactured::nonlinear_leading(),
        transistor_amplifier::transistor_amplifier(),
    );
}
