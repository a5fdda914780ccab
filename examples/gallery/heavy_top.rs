//! A heavy top as a body in space whose one point is held still (O. Brüls, A. Cardona & M. Arnold, *Lie group
//! generalized-α time integration of constrained flexible multibody systems*, Mech. Mach. Theory 48 (2012)).
//!
//! In: the generalised-α method on SE(3). Out: the path of the centre of mass, the forces at the fixed point, and the
//! residual of the constraint.

use std::error::Error;

use dae::plot::{Panel, Scale, Series};
use dae::runtime::lie::mechanics::{
    GeneralizedAlpha, MechanicalSystem, MechanicsError, MotionState, Pose, Se3, Vector,
};
use dae::runtime::lie::nalgebra::{Matrix3, Vector3};
use dae::runtime::lie::{Matrix, hat};

use super::Picture;

const MASS: f64 = 15.0;

/// Moments of inertia about the centre of mass.
fn inertia() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(0.234375, 0.46875, 0.234375))
}

/// The top: its centre of mass is at $X = (0, 1, 0)$ as seen from the body, its fixed point at the origin, and
/// velocities are seen from the body.
pub(crate) struct HeavyTop;

impl MechanicalSystem<6, 3> for HeavyTop {
    type Space = Se3;

    fn space(&self) -> &Se3 {
        &Se3
    }

    fn mass(&self, _: &Pose) -> Matrix<6, 6> {
        blocks([[Matrix3::identity() * MASS, Matrix3::zeros()], [Matrix3::zeros(), inertia()]])
    }

    fn force(&self, _: f64, q: &Pose, v: &Vector<6>) -> Vector<6> {
        let (u, omega) = parts(v);
        joined((omega.cross(&u) - weight(q)) * MASS, omega.cross(&(inertia() * omega)))
    }

    /// $\Phi = R^\mathsf{T} x - X$.
    fn constraint(&self, q: &Pose) -> Vector3<f64> {
        centre(q) - Vector3::y()
    }

    fn gradient(&self, q: &Pose) -> Matrix<3, 6> {
        let turned = hat(&centre(q));
        Matrix::<3, 6>::from_fn(|i, j| if j < 3 { f64::from(i == j) } else { turned[(i, j - 3)] })
    }

    fn curvature(&self, q: &Pose, v: &Vector<6>) -> Vector3<f64> {
        let (u, omega) = parts(v);
        -omega.cross(&(u - omega.cross(&centre(q))))
    }

    fn stiffness(&self, _: f64, q: &Pose, _: &Vector<6>, _: &Vector<6>, lambda: &Vector3<f64>) -> Matrix<6, 6> {
        let (weight, lambda) = (hat(&weight(q)) * MASS, hat(lambda));
        blocks([[Matrix3::zeros(), -weight], [lambda, lambda * hat(&centre(q))]])
    }

    fn damping(&self, _: f64, _: &Pose, v: &Vector<6>) -> Matrix<6, 6> {
        let (u, omega) = parts(v);
        let gyroscopic = hat(&omega) * inertia() - hat(&(inertia() * omega));
        blocks([[hat(&omega) * MASS, hat(&u) * -MASS], [Matrix3::zeros(), gyroscopic]])
    }
}

/// The centre of mass as seen from the body.
fn centre(q: &Pose) -> Vector3<f64> {
    q.rotation.tr_mul(&q.position)
}

/// The acceleration of gravity as seen from the body.
fn weight(q: &Pose) -> Vector3<f64> {
    q.rotation.tr_mul(&Vector3::new(0.0, 0.0, -9.81))
}

/// Velocity and angular velocity.
fn parts(v: &Vector<6>) -> (Vector3<f64>, Vector3<f64>) {
    (v.fixed_rows::<3>(0).into_owned(), v.fixed_rows::<3>(3).into_owned())
}

fn joined(first: Vector3<f64>, last: Vector3<f64>) -> Vector<6> {
    Vector::<6>::from_iterator(first.iter().chain(last.iter()).copied())
}

fn blocks(blocks: [[Matrix3<f64>; 2]; 2]) -> Matrix<6, 6> {
    Matrix::<6, 6>::from_fn(|i, j| blocks[i / 3][j / 3][(i % 3, j % 3)])
}

/// The motion up to time `t_end` in so many steps.
///
/// # Errors
/// If a step has no solution.
pub(crate) fn motion(t_end: f64, steps: usize) -> Result<Vec<MotionState<Pose, 6, 3>>, MechanicsError> {
    let omega = Vector3::new(0.0, 150.0, -4.61538);
    let start = Pose { position: Vector3::y(), rotation: Matrix3::identity() };
    let velocity = joined(omega.cross(&Vector3::y()), omega);
    GeneralizedAlpha::new(0.9)?.integrate(&HeavyTop, (0.0, start, velocity), t_end, steps)
}

/// The largest residual of the constraint.
pub(crate) fn residual(state: &MotionState<Pose, 6, 3>) -> f64 {
    HeavyTop.constraint(&state.q).amax()
}

/// The energy.
pub(crate) fn energy(state: &MotionState<Pose, 6, 3>) -> f64 {
    let (u, omega) = parts(&state.v);
    0.5 * MASS * u.norm_squared() + 0.5 * omega.dot(&(inertia() * omega)) + MASS * 9.81 * state.q.position[2]
}

/// The picture.
///
/// # Errors
/// If the run fails.
pub(crate) fn picture() -> Result<Picture, Box<dyn Error>> {
    let states = motion(1.0, 2000)?;
    let curve = |label: &str, value: &dyn Fn(&MotionState<Pose, 6, 3>) -> f64| {
        Series::new(label, states.iter().map(|state| (state.t, value(state))).collect())
    };
    let coordinates = ["x", "y", "z"].iter().enumerate();
    let path = coordinates.map(|(k, label)| curve(label, &move |state| state.q.position[k])).collect();
    let residual = curve("constraint", &residual);
    let force = curve("force at the fixed point", &|state| state.lambda.norm());
    let first = energy(&states[0]);
    let drift = curve("generalised-α", &|state| energy(state) - first);
    let panel = |y_label: &str, scale: Scale, series: Vec<Series>| Panel { y_label: y_label.into(), scale, series };
    let panels = vec![
        panel("centre of mass", Scale::Linear, path),
        panel("force", Scale::Linear, vec![force]),
        panel("residual", Scale::Logarithmic, vec![residual]),
        panel("energy error", Scale::Linear, vec![drift]),
    ];
    Ok(Picture { name: "heavy_top", title: "A heavy top on SE(3), generalised-α, 2000 steps", panels })
}
