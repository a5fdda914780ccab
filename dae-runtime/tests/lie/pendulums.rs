//! Pendulums in Cartesian coordinates: the generalised-α method in vector spaces.
//!
//! In: systems with reference solutions. Out: orders of positions, velocities and multipliers. Reference values:
//! Hairer, *Solving Differential Equations on Manifolds* (2011), V (4.6) with the start of figure V.1, and exercise
//! IV.5.8, each computed with more than 16 digits by two independent methods (Cartesian equations of index 1; height
//! and azimuth, or two angles).

use std::f64::consts::FRAC_PI_3;

use dae_runtime::lie::Matrix;
use dae_runtime::lie::mechanics::{GeneralizedAlpha, MechanicalSystem, Vector, VectorSpace};
use nalgebra::{Matrix4, Vector2, Vector3, Vector4};

use crate::mechanics::{RHO, check_derivatives, check_order, check_orders, largest};

/// A pendulum of length and mass one: $\ddot q = -(0, \dots, g) - q\lambda$, $0 = \frac12(|q|^2 - 1)$.
struct Pendulum<const D: usize> {
    gravity: f64,
}

impl<const D: usize> MechanicalSystem<D, 1> for Pendulum<D> {
    type Space = VectorSpace;

    fn space(&self) -> &VectorSpace {
        &VectorSpace
    }
    fn mass(&self, _: &Vector<D>) -> Matrix<D, D> {
        Matrix::identity()
    }
    fn force(&self, _: f64, _: &Vector<D>, _: &Vector<D>) -> Vector<D> {
        Vector::from_fn(|k, _| if k == D - 1 { self.gravity } else { 0.0 })
    }
    fn constraint(&self, q: &Vector<D>) -> Vector<1> {
        Vector::<1>::new(0.5 * (q.norm_squared() - 1.0))
    }
    fn gradient(&self, q: &Vector<D>) -> Matrix<1, D> {
        q.transpose()
    }
    fn curvature(&self, _: &Vector<D>, v: &Vector<D>) -> Vector<1> {
        Vector::<1>::new(v.norm_squared())
    }
    fn stiffness(&self, _: f64, _: &Vector<D>, _: &Vector<D>, _: &Vector<D>, lambda: &Vector<1>) -> Matrix<D, D> {
        Matrix::identity() * lambda[0]
    }
    fn damping(&self, _: f64, _: &Vector<D>, _: &Vector<D>) -> Matrix<D, D> {
        Matrix::zeros()
    }
}

const G: f64 = 9.81;

/// Position, velocity and multiplier of the planar pendulum that starts with angle $\pi/3$ and rate 1, at `samples + 1`
/// times up to `t_end`: the angle by the classical Runge–Kutta method, and $\lambda = |v|^2 - g q_2$.
fn pendulum_by_its_angle(t_end: f64, samples: usize) -> Vec<(Vector2<f64>, Vector2<f64>, f64)> {
    let steps = 32_000 / samples;
    let h = t_end / (samples * steps) as f64;
    let slope = |y: Vector2<f64>| Vector2::new(y[1], -G * y[0].sin());
    let mut y = Vector2::new(FRAC_PI_3, 1.0);
    let mut exact = Vec::new();
    for sample in 0..=samples {
        for _ in 0..if sample > 0 { steps } else { 0 } {
            let k1 = slope(y);
            let k2 = slope(y + k1 * (h / 2.0));
            let k3 = slope(y + k2 * (h / 2.0));
            y += (k1 + (k2 + k3) * 2.0 + slope(y + k3 * h)) * (h / 6.0);
        }
        let (q, v) = (Vector2::new(y[0].sin(), -y[0].cos()), Vector2::new(y[0].cos(), y[0].sin()) * y[1]);
        exact.push((q, v, v.norm_squared() - G * q[1]));
    }
    exact
}

/// Largest errors over all steps of the planar pendulum: of position, velocity and multiplier.
fn errors_of_pendulum(rho: f64, n: usize) -> [f64; 3] {
    const T_END: f64 = 2.0;
    let system = Pendulum::<2> { gravity: G };
    let exact = pendulum_by_its_angle(T_END, n);
    let start = (0.0, exact[0].0, exact[0].1);
    let states = GeneralizedAlpha::new(rho).unwrap().integrate(&system, start, T_END, n).unwrap();
    let pairs = || states.iter().zip(&exact);
    assert!(largest(states.iter().map(|it| system.constraint(&it.q).amax())) < 1e-14);
    [
        largest(pairs().map(|(state, exact)| (state.q - exact.0).amax())),
        largest(pairs().map(|(state, exact)| (state.v - exact.1).amax())),
        largest(pairs().map(|(state, exact)| (state.lambda[0] - exact.2).abs())),
    ]
}

#[test]
fn planar_pendulum() {
    for rho in RHO {
        check_order(&format!("pendulum, {rho}"), |n| errors_of_pendulum(rho, n), 400);
    }
}

/// As the documentation says.
#[test]
fn without_damping_multipliers_lose_an_order() {
    check_orders("pendulum, 1", |n| errors_of_pendulum(1.0, n), 400, [2.0, 2.0, 1.0]);
}

/// Position and velocity of the spherical pendulum of figure V.1 at `samples + 1` times up to 1, by the classical
/// Runge–Kutta method for the equations of index 1, $\lambda = (|v|^2 - q_3)/|q|^2$.
fn spherical_pendulum_of_index_1(samples: usize) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let steps = 32_000 / samples;
    let h = 1.0 / (samples * steps) as f64;
    let slope = |q: Vector3<f64>, v: Vector3<f64>| (v, -Vector3::z() - q * (multiplier(&q, &v) / q.norm_squared()));
    let (sin, cos) = 1.3_f64.sin_cos();
    let (mut q, mut v) = (Vector3::new(sin, 0.0, cos), Vector3::new(3.0 * cos, 6.5, -3.0 * sin));
    let mut exact = vec![(q, v)];
    for _ in 0..samples {
        for _ in 0..steps {
            let k1 = slope(q, v);
            let k2 = slope(q + k1.0 * (h / 2.0), v + k1.1 * (h / 2.0));
            let k3 = slope(q + k2.0 * (h / 2.0), v + k2.1 * (h / 2.0));
            let k4 = slope(q + k3.0 * h, v + k3.1 * h);
            q += (k1.0 + (k2.0 + k3.0) * 2.0 + k4.0) * (h / 6.0);
            v += (k1.1 + (k2.1 + k3.1) * 2.0 + k4.1) * (h / 6.0);
        }
        exact.push((q, v));
    }
    exact
}

/// $\lambda$ on the sphere.
fn multiplier(q: &Vector3<f64>, v: &Vector3<f64>) -> f64 {
    v.norm_squared() - q[2]
}

#[test]
fn spherical_pendulum() {
    let system = Pendulum::<3> { gravity: 1.0 };
    let exact = spherical_pendulum_of_index_1(1);
    let q = Vector3::new(0.6789190097611935, 0.7157661913629996, -0.16354735548637393);
    let v = Vector3::new(-4.992882918443517, 3.9612845952008926, -3.3899021942765504);
    let lambda = 52.2756397237083;
    assert!(
        (exact[1].0 - q).amax() < 1e-11
            && (exact[1].1 - v).amax() < 1e-11
            && (multiplier(&q, &v) - lambda).abs() < 1e-11
    );
    for rho in RHO {
        let errors = |n| {
            let exact = spherical_pendulum_of_index_1(n);
            let (q, v) = exact[0];
            let states = GeneralizedAlpha::new(rho).unwrap().integrate(&system, (0.0, q, v), 1.0, n).unwrap();
            let pairs = || states.iter().zip(&exact);
            [
                largest(pairs().map(|(state, (q, _))| (state.q - q).amax())),
                largest(pairs().map(|(state, (_, v))| (state.v - v).amax())),
                largest(pairs().map(|(state, (q, v))| (state.lambda[0] - multiplier(q, v)).abs())),
            ]
        };
        check_order(&format!("spherical pendulum, {rho}"), errors, 800);
    }
}

/// Two pendulums, one at the end of the other, of masses, lengths and gravity one: $0 = |q_1|^2 - 1$, $0 = |q_2 -
/// q_1|^2 - 1$.
struct DoublePendulum;

/// Of $q_1$ and $q_2$, the vectors of both rods, as the constraints see them: each is $|P_i q|^2 - 1$ with a constant
/// matrix $P_i$, of which this is $2 P_i^\mathsf{T} P_i$.
fn forms() -> [Matrix4<f64>; 2] {
    let first = Matrix4::from_diagonal(&Vector4::new(2.0, 2.0, 0.0, 0.0));
    let second = Matrix4::from_fn(|i, j| {
        if i % 2 != j % 2 {
            0.0
        } else if i == j {
            2.0
        } else {
            -2.0
        }
    });
    [first, second]
}

impl MechanicalSystem<4, 2> for DoublePendulum {
    type Space = VectorSpace;

    fn space(&self) -> &VectorSpace {
        &VectorSpace
    }
    fn mass(&self, _: &Vector4<f64>) -> Matrix4<f64> {
        Matrix4::identity()
    }
    fn force(&self, _: f64, _: &Vector4<f64>, _: &Vector4<f64>) -> Vector4<f64> {
        Vector4::new(0.0, 1.0, 0.0, 1.0)
    }
    fn constraint(&self, q: &Vector4<f64>) -> Vector2<f64> {
        Vector2::from(forms().map(|form| 0.5 * q.dot(&(form * q)) - 1.0))
    }
    fn gradient(&self, q: &Vector4<f64>) -> Matrix<2, 4> {
        Matrix::from_rows(&forms().map(|form| (form * q).transpose()))
    }
    fn curvature(&self, _: &Vector4<f64>, v: &Vector4<f64>) -> Vector2<f64> {
        Vector2::from(forms().map(|form| v.dot(&(form * v))))
    }
    fn stiffness(
        &self,
        _: f64,
        _: &Vector4<f64>,
        _: &Vector4<f64>,
        _: &Vector4<f64>,
        lambda: &Vector2<f64>,
    ) -> Matrix4<f64> {
        let [first, second] = forms();
        first * lambda[0] + second * lambda[1]
    }
    fn damping(&self, _: f64, _: &Vector4<f64>, _: &Vector4<f64>) -> Matrix4<f64> {
        Matrix4::zeros()
    }
}

#[test]
fn double_pendulum() {
    const T_END: f64 = 2.0;
    let start = (0.0, Vector4::new(1.0, 0.0, 1.0, -1.0), Vector4::zeros());
    let q = Vector4::new(-0.38614538554794087, -0.9224379335326752, 0.3593587965774791, -1.5889388820942723);
    let v = Vector4::new(-1.08344127532252, 0.4535436301667961, -1.2548552488157231, 0.26181121869805424);
    let lambda = Vector2::new(1.2216886563892928, 0.21624103781542268);
    for rho in RHO {
        let errors = |n: usize| {
            let states = GeneralizedAlpha::new(rho).unwrap().integrate(&DoublePendulum, start, T_END, n).unwrap();
            let end = &states[n];
            [(end.q - q).amax(), (end.v - v).amax(), (end.lambda - lambda).amax()]
        };
        check_order(&format!("double pendulum, {rho}"), errors, 400);
    }
}

/// $\ddot q + q = 2\cos t$, with the solution $t \sin t$: a force that depends on time, and no constraint.
struct Forced;

impl MechanicalSystem<1, 0> for Forced {
    type Space = VectorSpace;

    fn space(&self) -> &VectorSpace {
        &VectorSpace
    }
    fn mass(&self, _: &Vector<1>) -> Matrix<1, 1> {
        Matrix::identity()
    }
    fn force(&self, t: f64, q: &Vector<1>, _: &Vector<1>) -> Vector<1> {
        q.add_scalar(-2.0 * t.cos())
    }
    fn constraint(&self, _: &Vector<1>) -> Vector<0> {
        Vector::zeros()
    }
    fn gradient(&self, _: &Vector<1>) -> Matrix<0, 1> {
        Matrix::zeros()
    }
    fn curvature(&self, _: &Vector<1>, _: &Vector<1>) -> Vector<0> {
        Vector::zeros()
    }
    fn stiffness(&self, _: f64, _: &Vector<1>, _: &Vector<1>, _: &Vector<1>, _: &Vector<0>) -> Matrix<1, 1> {
        Matrix::identity()
    }
    fn damping(&self, _: f64, _: &Vector<1>, _: &Vector<1>) -> Matrix<1, 1> {
        Matrix::zeros()
    }
}

/// Forwards from 0, and backwards from 3.
#[test]
fn forced_oscillator() {
    let exact = |t: f64| [t * t.sin(), t.sin() + t * t.cos(), 2.0 * t.cos() - t * t.sin()];
    for rho in RHO.into_iter().chain([1.0]) {
        for [t0, t_end] in [[0.0, 3.0], [3.0, 0.0]] {
            let errors = |n| {
                let [q, v, _] = exact(t0).map(Vector::<1>::new);
                let states = GeneralizedAlpha::new(rho).unwrap().integrate(&Forced, (t0, q, v), t_end, n).unwrap();
                let error = |k: usize| {
                    largest(states.iter().map(|it| ([it.q, it.v, it.acceleration][k][0] - exact(it.t)[k]).abs()))
                };
                [error(0), error(1), error(2)]
            };
            check_order(&format!("forced, {rho}, to {t_end}"), errors, 400);
        }
    }
}

#[test]
fn derivatives_of_the_systems() {
    check_derivatives("forced", &Forced, &Vector::<1>::new(0.6), &Vector::<1>::new(0.2));
    check_derivatives("planar", &Pendulum { gravity: G }, &Vector2::new(0.6, -0.8), &Vector2::new(0.3, 0.2));
    let (q, v) = (Vector4::new(0.6, -0.8, 0.2, 0.7), Vector4::new(0.3, 0.2, -1.0, 0.5));
    check_derivatives("double", &DoublePendulum, &q, &v);
}
