//! Two rigid bodies, one hanging from the other.
//!
//! In: a chain of two tops with spherical joints, for which no other solution is known. Out: derivatives that agree
//! with differences, errors of second order against a run with shorter steps, energy and angular momentum.

use dae_runtime::lie::mechanics::{Bodies, GeneralizedAlpha, MechanicalSystem, Pose, Se3, Vector};
use dae_runtime::lie::{HomogeneousSpace, Matrix, SpecialOrthogonal, hat};
use nalgebra::{Matrix3, Vector3};

use crate::mechanics::{RHO, check_derivatives, check_order};

/// Bodies of mass two whose centres are in the middle between their joints, `2 * HALF` apart.
struct Chain;

const HALF: f64 = 0.5;
const MASS: f64 = 2.0;

type Poses = [Pose; 2];

fn inertia() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(0.2, 0.1, 0.25))
}

fn gravity() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -9.81)
}

/// From the centre to the upper joint, as seen from a body; the lower joint is opposite.
fn up() -> Vector3<f64> {
    Vector3::new(0.0, HALF, 0.0)
}

/// Velocities of a body: that of its centre, that of rotation, both in the body.
fn halves(v: &Vector<12>, body: usize) -> (Vector3<f64>, Vector3<f64>) {
    (v.fixed_rows::<3>(6 * body).into_owned(), v.fixed_rows::<3>(6 * body + 3).into_owned())
}

/// The place in space of a point of a body, and the derivative of that with respect to its velocities.
fn point(q: &Pose, x: &Vector3<f64>) -> (Vector3<f64>, [Matrix3<f64>; 2]) {
    (q.position + q.rotation * x, [q.rotation, -q.rotation * hat(x)])
}

/// The points of each body that constraints hold together, with signs: the upper joint of the first body is fixed, the
/// lower one is the upper one of the second.
fn joints() -> [[(usize, f64, Vector3<f64>); 2]; 2] {
    [[(0, 1.0, up()), (0, 0.0, up())], [(0, 1.0, -up()), (1, -1.0, up())]]
}

impl MechanicalSystem<12, 6> for Chain {
    type Space = Bodies<Se3, 2>;

    fn space(&self) -> &Bodies<Se3, 2> {
        &Bodies(Se3)
    }
    fn mass(&self, _: &Poses) -> Matrix<12, 12> {
        let mut mass = Matrix::<12, 12>::identity() * MASS;
        for body in 0..2 {
            mass.fixed_view_mut::<3, 3>(6 * body + 3, 6 * body + 3).copy_from(&inertia());
        }
        mass
    }
    fn force(&self, _: f64, q: &Poses, v: &Vector<12>) -> Vector<12> {
        let mut force = Vector::<12>::zeros();
        for body in 0..2 {
            let (u, omega) = halves(v, body);
            let weight = q[body].rotation.tr_mul(&gravity());
            force.fixed_rows_mut::<3>(6 * body).copy_from(&((omega.cross(&u) - weight) * MASS));
            force.fixed_rows_mut::<3>(6 * body + 3).copy_from(&omega.cross(&(inertia() * omega)));
        }
        force
    }
    fn constraint(&self, q: &Poses) -> Vector<6> {
        let mut constraint = Vector::<6>::zeros();
        for (joint, points) in joints().iter().enumerate() {
            for (body, sign, x) in points {
                let mut rows = constraint.fixed_rows_mut::<3>(3 * joint);
                rows += point(&q[*body], x).0 * *sign;
            }
        }
        constraint
    }
    fn gradient(&self, q: &Poses) -> Matrix<6, 12> {
        let mut gradient = Matrix::<6, 12>::zeros();
        for (joint, points) in joints().iter().enumerate() {
            for (body, sign, x) in points {
                for (half, block) in point(&q[*body], x).1.iter().enumerate() {
                    let mut view = gradient.fixed_view_mut::<3, 3>(3 * joint, 6 * body + 3 * half);
                    view += block * *sign;
                }
            }
        }
        gradient
    }
    fn curvature(&self, q: &Poses, v: &Vector<12>) -> Vector<6> {
        let mut curvature = Vector::<6>::zeros();
        for (joint, points) in joints().iter().enumerate() {
            for (body, sign, x) in points {
                let (u, omega) = halves(v, *body);
                let mut rows = curvature.fixed_rows_mut::<3>(3 * joint);
                rows += q[*body].rotation * omega.cross(&(u + omega.cross(x))) * *sign;
            }
        }
        curvature
    }
    fn stiffness(&self, _: f64, q: &Poses, _: &Vector<12>, _: &Vector<12>, lambda: &Vector<6>) -> Matrix<12, 12> {
        let mut stiffness = Matrix::<12, 12>::zeros();
        for body in 0..2 {
            let weight = hat(&q[body].rotation.tr_mul(&gravity())) * -MASS;
            stiffness.fixed_view_mut::<3, 3>(6 * body, 6 * body + 3).copy_from(&weight);
        }
        // A force in space turns as seen from the body, and with it its moment.
        for (joint, points) in joints().iter().enumerate() {
            for (body, sign, x) in points {
                let force = hat(&q[*body].rotation.tr_mul(&lambda.fixed_rows::<3>(3 * joint))) * *sign;
                for (half, block) in [force, hat(x) * force].iter().enumerate() {
                    let mut view = stiffness.fixed_view_mut::<3, 3>(6 * body + 3 * half, 6 * body + 3);
                    view += block;
                }
            }
        }
        stiffness
    }
    fn damping(&self, _: f64, _: &Poses, v: &Vector<12>) -> Matrix<12, 12> {
        let mut damping = Matrix::<12, 12>::zeros();
        for body in 0..2 {
            let (u, omega) = halves(v, body);
            let turning = hat(&omega) * inertia() - hat(&(inertia() * omega));
            damping.fixed_view_mut::<3, 3>(6 * body, 6 * body).copy_from(&(hat(&omega) * MASS));
            damping.fixed_view_mut::<3, 3>(6 * body, 6 * body + 3).copy_from(&(hat(&u) * -MASS));
            damping.fixed_view_mut::<3, 3>(6 * body + 3, 6 * body + 3).copy_from(&turning);
        }
        damping
    }
}

/// The first body is turned by 0.8 about the first axis, the second hangs straight; both spin.
fn start() -> (f64, Poses, Vector<12>) {
    let rotations = [0.8, 0.0].map(|angle| SpecialOrthogonal.exp(&hat(&(Vector3::x() * (angle + 1.2)))));
    let first = -rotations[0] * up();
    let second = first - rotations[0] * up() - rotations[1] * up();
    let poses = [Pose { position: first, rotation: rotations[0] }, Pose { position: second, rotation: rotations[1] }];
    let omegas = [Vector3::new(1.0, 6.0, 0.5), Vector3::new(-0.5, 4.0, 1.5)];
    // Velocities of centres such that joints stay together.
    let first = omegas[0].cross(&-up());
    let joint = rotations[0] * (first + omegas[0].cross(&-up()));
    let second = rotations[1].tr_mul(&joint) - omegas[1].cross(&up());
    let mut v = Vector::<12>::zeros();
    for (place, part) in [first, omegas[0], second, omegas[1]].iter().enumerate() {
        v.fixed_rows_mut::<3>(3 * place).copy_from(part);
    }
    (0.0, poses, v)
}

fn energy(q: &Poses, v: &Vector<12>) -> f64 {
    let potential: f64 = q.iter().map(|pose| -MASS * gravity().dot(&pose.position)).sum();
    0.5 * v.dot(&(Chain.mass(q) * v)) + potential
}

#[test]
fn derivatives() {
    let (_, q, v) = start();
    check_derivatives("chain", &Chain, &q, &v);
}

#[test]
fn energy_and_states_are_of_second_order() {
    const T_END: f64 = 0.5;
    let run = |rho, n| {
        let states = GeneralizedAlpha::new(rho).unwrap().integrate(&Chain, start(), T_END, n).unwrap();
        assert!(states.iter().all(|it| Chain.constraint(&it.q).amax() < 1e-13));
        states
    };
    let fine = run(0.8, 12_800);
    let exact = &fine[12_800];
    for rho in RHO {
        let errors = |n| {
            let states = run(rho, n);
            let end = &states[n];
            let start = energy(&states[0].q, &states[0].v);
            let drift = states.iter().map(|it| (energy(&it.q, &it.v) - start).abs()).fold(0.0, f64::max);
            [
                (end.q[1].position - exact.q[1].position).amax(),
                (end.q[1].rotation - exact.q[1].rotation).amax(),
                (end.lambda - exact.lambda).amax(),
                drift,
            ]
        };
        check_order(&format!("chain, {rho}"), errors, 400);
    }
}
