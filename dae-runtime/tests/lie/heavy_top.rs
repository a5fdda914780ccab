//! The heavy top in two configuration spaces, with a reference solution that knows no constraints.
//!
//! In: nothing. Out: systems, start values, positions and multipliers. Data: O. Brüls, A. Cardona & M. Arnold, *Lie
//! group generalized-α time integration of constrained flexible multibody systems*, Mech. Mach. Theory 48 (2012).

use dae_runtime::lie::mechanics::{MechanicalSystem, Pose, R3TimesSo3, Se3, Vector};
use dae_runtime::lie::{Matrix, hat};
use nalgebra::{Matrix3, Vector3};

pub(crate) const MASS: f64 = 15.0;

/// Moments of inertia about the centre of mass.
pub(crate) fn inertia() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(0.234375, 0.46875, 0.234375))
}

/// The centre of mass as seen from the body; the fixed point is the origin.
pub(crate) fn arm() -> Vector3<f64> {
    Vector3::y()
}

pub(crate) fn gravity() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -9.81)
}

pub(crate) fn angular_velocity() -> Vector3<f64> {
    Vector3::new(0.0, 150.0, -4.61538)
}

pub(crate) fn start() -> (f64, Pose, Vector<6>) {
    // With R = I, velocities in space and in the body are the same.
    let velocity = angular_velocity().cross(&arm());
    (0.0, Pose { position: arm(), rotation: Matrix3::identity() }, joined(velocity, angular_velocity()))
}

/// The top with the velocity of its centre of mass in space.
pub(crate) struct InSpace;

/// The top with the velocity of its centre of mass in the body.
pub(crate) struct InBody;

impl MechanicalSystem<6, 3> for InSpace {
    type Space = R3TimesSo3;

    fn space(&self) -> &R3TimesSo3 {
        &R3TimesSo3
    }

    fn mass(&self, _: &Pose) -> Matrix<6, 6> {
        mass()
    }

    fn force(&self, _: f64, _: &Pose, v: &Vector<6>) -> Vector<6> {
        joined(-gravity() * MASS, gyroscopic(v))
    }

    fn constraint(&self, q: &Pose) -> Vector3<f64> {
        constraint(q)
    }

    fn gradient(&self, q: &Pose) -> Matrix<3, 6> {
        beside(q.rotation.transpose(), hat(&seen_from_body(q)))
    }

    fn curvature(&self, q: &Pose, v: &Vector<6>) -> Vector3<f64> {
        let (u, omega) = (q.rotation.tr_mul(&v.fixed_rows::<3>(0)), turn(v));
        -omega.cross(&u) - omega.cross(&(u - omega.cross(&seen_from_body(q))))
    }

    fn stiffness(&self, _: f64, q: &Pose, _: &Vector<6>, _: &Vector<6>, lambda: &Vector3<f64>) -> Matrix<6, 6> {
        let lambda = hat(lambda);
        blocks([
            [Matrix3::zeros(), -q.rotation * lambda],
            [lambda * q.rotation.transpose(), lambda * hat(&seen_from_body(q))],
        ])
    }

    fn damping(&self, _: f64, _: &Pose, v: &Vector<6>) -> Matrix<6, 6> {
        blocks([[Matrix3::zeros(), Matrix3::zeros()], [Matrix3::zeros(), derivative_of_gyroscopic(v)]])
    }
}

impl MechanicalSystem<6, 3> for InBody {
    type Space = Se3;

    fn space(&self) -> &Se3 {
        &Se3
    }

    fn mass(&self, _: &Pose) -> Matrix<6, 6> {
        mass()
    }

    fn force(&self, _: f64, q: &Pose, v: &Vector<6>) -> Vector<6> {
        let inertial = turn(v).cross(&v.fixed_rows::<3>(0)) - q.rotation.tr_mul(&gravity());
        joined(inertial * MASS, gyroscopic(v))
    }

    fn constraint(&self, q: &Pose) -> Vector3<f64> {
        constraint(q)
    }

    fn gradient(&self, q: &Pose) -> Matrix<3, 6> {
        beside(Matrix3::identity(), hat(&seen_from_body(q)))
    }

    fn curvature(&self, q: &Pose, v: &Vector<6>) -> Vector3<f64> {
        let (u, omega) = (v.fixed_rows::<3>(0), turn(v));
        -omega.cross(&(u - omega.cross(&seen_from_body(q))))
    }

    fn stiffness(&self, _: f64, q: &Pose, _: &Vector<6>, _: &Vector<6>, lambda: &Vector3<f64>) -> Matrix<6, 6> {
        let weight = hat(&q.rotation.tr_mul(&gravity())) * MASS;
        let lambda = hat(lambda);
        blocks([[Matrix3::zeros(), -weight], [lambda, lambda * hat(&seen_from_body(q))]])
    }

    fn damping(&self, _: f64, _: &Pose, v: &Vector<6>) -> Matrix<6, 6> {
        let (u, omega) = (v.fixed_rows::<3>(0).into_owned(), turn(v));
        blocks([[hat(&omega) * MASS, hat(&u) * -MASS], [Matrix3::zeros(), derivative_of_gyroscopic(v)]])
    }
}

/// $\Phi = R^\mathsf{T} x - X$.
fn constraint(q: &Pose) -> Vector3<f64> {
    seen_from_body(q) - arm()
}

fn seen_from_body(q: &Pose) -> Vector3<f64> {
    q.rotation.tr_mul(&q.position)
}

fn mass() -> Matrix<6, 6> {
    blocks([[Matrix3::identity() * MASS, Matrix3::zeros()], [Matrix3::zeros(), inertia()]])
}

fn gyroscopic(v: &Vector<6>) -> Vector3<f64> {
    turn(v).cross(&(inertia() * turn(v)))
}

fn derivative_of_gyroscopic(v: &Vector<6>) -> Matrix3<f64> {
    hat(&turn(v)) * inertia() - hat(&(inertia() * turn(v)))
}

fn turn(v: &Vector<6>) -> Vector3<f64> {
    v.fixed_rows::<3>(3).into_owned()
}

fn joined(first: Vector3<f64>, last: Vector3<f64>) -> Vector<6> {
    Vector::<6>::from_iterator(first.iter().chain(last.iter()).copied())
}

fn beside(left: Matrix3<f64>, right: Matrix3<f64>) -> Matrix<3, 6> {
    Matrix::<3, 6>::from_fn(|row, column| if column < 3 { left[(row, column)] } else { right[(row, column - 3)] })
}

fn blocks(blocks: [[Matrix3<f64>; 2]; 2]) -> Matrix<6, 6> {
    Matrix::<6, 6>::from_fn(|row, column| blocks[row / 3][column / 3][(row % 3, column % 3)])
}

/// Position of the centre of mass, angular velocity, and the multiplier, which is the force at the fixed point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) position: Vector3<f64>,
    pub(crate) angular_velocity: Vector3<f64>,
    pub(crate) lambda: Vector3<f64>,
}

/// The solution at `samples + 1` times from 0 to `t_end`: Euler's equations about the fixed point, $J_0 \dot\Omega +
/// \Omega \times J_0 \Omega = X \times m R^\mathsf{T} \gamma$ with $J_0 = J + m (|X|^2 I - X X^\mathsf{T})$, and $\dot
/// R = R \hat\Omega$, by the classical Runge–Kutta method with `steps` steps from one time to the next. Then $\lambda =
/// R^\mathsf{T} (m\gamma - m\ddot x)$.
pub(crate) fn exact(t_end: f64, samples: usize, steps: usize) -> Vec<Exact> {
    let about_fixed_point = inertia() + (Matrix3::identity() * arm().norm_squared() - arm() * arm().transpose()) * MASS;
    let inverse = about_fixed_point.try_inverse().unwrap();
    let slope = |(r, omega): (Matrix3<f64>, Vector3<f64>)| {
        let moment = arm().cross(&(r.tr_mul(&gravity()) * MASS));
        (r * hat(&omega), inverse * (moment - omega.cross(&(about_fixed_point * omega))))
    };
    let h = t_end / (samples * steps) as f64;
    let mut y = (Matrix3::identity(), angular_velocity());
    let moved =
        |y: (Matrix3<f64>, Vector3<f64>), k: (Matrix3<f64>, Vector3<f64>), h: f64| (y.0 + k.0 * h, y.1 + k.1 * h);
    let mut exact = Vec::new();
    for sample in 0..=samples {
        if sample > 0 {
            for _ in 0..steps {
                let k1 = slope(y);
                let k2 = slope(moved(y, k1, h / 2.0));
                let k3 = slope(moved(y, k2, h / 2.0));
                let k4 = slope(moved(y, k3, h));
                y = [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)].iter().fold(y, |y, (k, b)| moved(y, *k, b * h / 6.0));
            }
        }
        let (r, omega) = y;
        let acceleration = omega.cross(&omega.cross(&arm())) + slope(y).1.cross(&arm());
        let lambda = (r.tr_mul(&gravity()) - acceleration) * MASS;
        exact.push(Exact { position: r * arm(), angular_velocity: omega, lambda });
    }
    exact
}
