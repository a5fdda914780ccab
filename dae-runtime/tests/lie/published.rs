//! Figures that others have computed, and the experiments of Hairer's lecture notes.
//!
//! In: problems of Hairer, *Solving Differential Equations on Manifolds* (2011), figure I.2 and section III.4. Out:
//! errors and states, compared with those of an independent program in double precision, which are given here with all
//! the digits that were printed.

use dae_runtime::lie::{
    CrouchGrossman, ExplicitEuler, ImplicitMidpoint, LieError, Magnus, Method, MuntheKaas4, Projected, RungeKutta4,
    SpecialOrthogonal, Stiefel, Trapezoidal, VectorField, integrate,
};
use nalgebra::{Matrix3, Vector3};

use crate::problems::{
    OfTime, end, energy, momentum, rigid_body, rigid_body_at_1, so3_linear, so3_linear_at_1, so3_linear_at_5,
    so3_nonlinear,
};

/// Largest entries of the error at $t = 1$ with 5, 10, 20 and 40 steps.
const ERRORS_OF_ORDER_2: [f64; 4] = [0.004218, 0.001049, 0.000262, 6.549e-05];
const ERRORS_OF_ORDER_4: [f64; 4] = [1.16e-05, 7.235e-07, 4.519e-08, 2.824e-09];

#[test]
fn errors_of_magnus_methods() {
    let problem = so3_linear();
    for (method, published) in [(Magnus::Order2, ERRORS_OF_ORDER_2), (Magnus::Order4, ERRORS_OF_ORDER_4)] {
        for (steps, published) in [5, 10, 20, 40].into_iter().zip(published) {
            let run = integrate(&SpecialOrthogonal, &problem, &method, (0.0, Matrix3::identity()), 1.0, steps).unwrap();
            let error = (run.end() - so3_linear_at_1()).amax();
            // The last digit printed, of three or four.
            assert!((error / published - 1.0).abs() < 2e-3, "{method:?}, {steps} steps: {error:e}, not {published:e}");
            assert!(run.largest_defect(&SpecialOrthogonal) < 2e-15);
        }
    }
}

/// A method of the caller: III (4.6) with the nodes as they are printed in example III.4.4, $c_{1,2} = \frac12 \pm
/// \frac{\sqrt3}{6}$ read in this order, which is of order 2 only.
struct ReversedNodes;

impl Method<SpecialOrthogonal, OfTime<3>, 3, 3> for ReversedNodes {
    fn order(&self) -> u32 {
        2
    }

    fn step(
        &self,
        field: &VectorField<'_, SpecialOrthogonal, OfTime<3>, 3, 3>,
        t: f64,
        y: &Matrix3<f64>,
        h: f64,
    ) -> Result<Matrix3<f64>, LieError> {
        let root = 3_f64.sqrt();
        let a1 = field.coefficient(t + (0.5 + root / 6.0) * h, y)?;
        let a2 = field.coefficient(t + (0.5 - root / 6.0) * h, y)?;
        let commutator = a2 * a1 - a1 * a2;
        Ok(field.exp(t, &((a1 + a2) * (h / 2.0) + commutator * (root * h * h / 12.0)))? * y)
    }
}

#[test]
fn errors_with_reversed_nodes() {
    for (steps, published) in [(5, 0.008109), (10, 0.002029), (20, 0.0005075), (40, 0.0001269)] {
        let y = end((&SpecialOrthogonal, &so3_linear(), &ReversedNodes), Matrix3::identity(), 1.0, steps);
        let error = (y - so3_linear_at_1()).amax();
        assert!((error / published - 1.0).abs() < 1e-3, "{steps} steps: {error:e}, not {published:e}");
    }
}

/// With the solution at $t = 5$, which the tests of orders do not reach.
#[test]
fn a_longer_interval() {
    let problem = so3_linear();
    let error = (end((&SpecialOrthogonal, &problem, &Magnus::Order6), Matrix3::identity(), 5.0, 400)
        - so3_linear_at_5())
    .amax();
    assert!(error < 1e-13, "{error:e}");
}

#[test]
fn explicit_euler_leaves_the_sphere() {
    let run = integrate(&Stiefel, &rigid_body(), &ExplicitEuler, (0.0, momentum()), 10.0, 400).unwrap();
    for (step, y, radius, h) in [
        (40, [0.544728873337, -0.401631207288, 0.739098354758], 0.502151775061, 0.583081579791),
        (400, [-0.142643099744, 0.822155398183, 0.577672951777], 0.514996295941, 0.594607733137),
    ] {
        same_state(&run.states[step], y, radius, h);
    }
    assert!(run.states.windows(2).all(|pair| pair[1].norm() > pair[0].norm()), "the norm always grows");
}

#[test]
fn implicit_midpoint_keeps_sphere_and_energy() {
    let run = integrate(&Stiefel, &rigid_body(), &ImplicitMidpoint, (0.0, momentum()), 1000.0, 1000).unwrap();
    for (step, y) in [
        (1, [0.547375377755, -0.389696689544, 0.740619123427]),
        (10, [-0.178985685293, 0.787486752237, 0.589770073428]),
    ] {
        same_state(&run.states[step], y, 0.5, energy(&momentum()));
    }
    let drift = run.states.iter().map(|y| (energy(y) - energy(&momentum())).abs()).fold(0.0, f64::max);
    assert!(run.largest_defect(&Stiefel) < 1e-13 && drift < 1e-13, "{drift:e}");
}

#[test]
fn projection_of_the_trapezoidal_rule_keeps_the_sphere_only() {
    let method = Projected(Trapezoidal);
    let run = integrate(&Stiefel, &rigid_body(), &method, (0.0, momentum()), 1000.0, 1000).unwrap();
    for (step, y, h) in [
        (1, [0.547080910322, -0.390171011675, 0.740586969376], 0.580998979345),
        (10, [-0.176615182603, 0.787891306408, 0.589944375819], 0.581159918629),
    ] {
        same_state(&run.states[step], y, 0.5, h);
    }
    assert!((energy(&run.states[1000]) - 0.581760589).abs() < 1e-8);
    assert!(run.largest_defect(&Stiefel) < 1e-15);
}

fn same_state(y: &Vector3<f64>, published: [f64; 3], radius: f64, h: f64) {
    let differences = [(y - Vector3::from(published)).amax(), 0.5 * y.norm_squared() - radius, energy(y) - h];
    assert!(differences.iter().all(|difference| difference.abs() < 2e-12), "{differences:?}");
}

/// II (4.4) with $A(Y)$ such that $Y^\mathsf{T} m$ is the momentum of the rigid body.
#[test]
fn a_rotation_that_carries_the_rigid_body() {
    let problem = so3_nonlinear();
    let start = Matrix3::identity();
    for (method, y) in [
        ("Munthe-Kaas", end((&SpecialOrthogonal, &problem, &MuntheKaas4), start, 1.0, 1000)),
        ("Crouch-Grossman", end((&SpecialOrthogonal, &problem, &CrouchGrossman::Order4), start, 1.0, 1000)),
        ("projection", end((&SpecialOrthogonal, &problem, &Projected(RungeKutta4)), start, 1.0, 1000)),
    ] {
        let error = (y.tr_mul(&momentum()) - rigid_body_at_1()).amax();
        assert!(error < 1e-13, "{method}: {error:e}");
    }
}
