//! The generalised-α method: orders of positions, velocities and multipliers, from the first step on.
//!
//! In: systems with reference solutions that know no constraints. Out: errors that fall with the square of the step,
//! the derivatives of the test systems, typed errors.

use dae_runtime::lie::mechanics::{
    ConfigurationSpace, GeneralizedAlpha, MechanicalSystem, MotionState, PointOf, Pose, R3TimesSo3, Se3, Vector,
    VectorSpace, tangent_operator,
};
use dae_runtime::lie::{HomogeneousSpace, Matrix, SpecialOrthogonal, hat};
use nalgebra::{Matrix3, Vector3};

use crate::heavy_top::{self, InBody, InSpace};
use crate::problems::{INERTIA, momentum, rigid_body_at_1};

pub(crate) const RHO: [f64; 4] = [0.0, 0.5, 0.8, 0.95];

/// The states of a run from 0 to `t_end`.
fn states<Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
    system: &Y,
    rho: f64,
    (q, v): (PointOf<Y, K, M>, Vector<K>),
    t_end: f64,
    steps: usize,
) -> Vec<MotionState<PointOf<Y, K, M>, K, M>> {
    GeneralizedAlpha::new(rho).unwrap().integrate(system, (0.0, q, v), t_end, steps).unwrap()
}

/// Checks that errors of `n` and `2n` steps differ by a factor of four.
pub(crate) fn check_order<const E: usize>(name: &str, errors: impl Fn(usize) -> [f64; E], n: usize) {
    check_orders(name, errors, n, [2.0; E]);
}

/// Checks the orders to which errors of `n` and `2n` steps differ.
pub(crate) fn check_orders<const E: usize>(name: &str, errors: impl Fn(usize) -> [f64; E], n: usize, orders: [f64; E]) {
    let (coarse, fine) = (errors(n), errors(2 * n));
    let found: Vec<f64> = coarse.iter().zip(fine).map(|(coarse, fine)| (coarse / fine).log2()).collect();
    println!("{name}: orders {found:.3?}, errors {:?}", fine.map(|error| format!("{error:.1e}")));
    let agree = found.iter().zip(orders).all(|(found, order)| (found - order).abs() < 0.1);
    assert!(agree, "{name}: {found:?}, {coarse:?}, {fine:?}");
}

/// Largest errors over all steps of the top: of position, angular velocity and multipliers.
fn errors_of_top<Y: MechanicalSystem<6, 3>>(system: &Y, rho: f64, n: usize) -> [f64; 3]
where
    Y::Space: ConfigurationSpace<6, Point = Pose>,
{
    const T_END: f64 = 0.2;
    let (_, q, v) = heavy_top::start();
    let (states, exact) = (states(system, rho, (q, v), T_END, n), heavy_top::exact(T_END, n, 32_000 / n));
    let pairs = || states.iter().zip(&exact);
    let defect = states.iter().map(|it| SpecialOrthogonal.defect(&it.q.rotation)).fold(0.0, f64::max);
    let constraint = states.iter().map(|it| system.constraint(&it.q).amax()).fold(0.0, f64::max);
    assert!(defect < 1e-12 && constraint < 1e-13, "{defect:e}, {constraint:e}");
    [
        largest(pairs().map(|(state, exact)| (state.q.position - exact.position).amax())),
        largest(pairs().map(|(state, exact)| (state.v.fixed_rows::<3>(3) - exact.angular_velocity).amax())),
        largest(pairs().map(|(state, exact)| (state.lambda - exact.lambda).amax())),
    ]
}

pub(crate) fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, f64::max)
}

#[test]
fn heavy_top_with_velocities_in_space() {
    for rho in RHO {
        check_order(&format!("heavy top, R^3 x SO(3), {rho}"), |n| errors_of_top(&InSpace, rho, n), 800);
    }
}

#[test]
fn heavy_top_with_velocities_in_the_body() {
    for rho in RHO {
        check_order(&format!("heavy top, SE(3), {rho}"), |n| errors_of_top(&InBody, rho, n), 800);
    }
}

/// The reference agrees with itself at half the step, and has the energy with which it begins.
#[test]
fn reference_solution_of_the_top() {
    let [coarse, fine] = [16_000, 32_000].map(|steps| heavy_top::exact(0.2, 1, steps));
    let differences = [
        (coarse[1].position - fine[1].position).amax(),
        (coarse[1].angular_velocity - fine[1].angular_velocity).amax(),
        (coarse[1].lambda - fine[1].lambda).amax(),
    ];
    assert!(differences[0] < 1e-10 && differences[1] < 1e-8 && differences[2] < 1e-7, "{differences:?}");
    let energy = |state: &heavy_top::Exact| {
        let (omega, arm) = (state.angular_velocity, heavy_top::arm());
        let turning = 0.5 * omega.dot(&(heavy_top::inertia() * omega));
        turning + heavy_top::MASS * (0.5 * omega.cross(&arm).norm_squared() - heavy_top::gravity().dot(&state.position))
    };
    assert!((energy(&fine[1]) / energy(&fine[0]) - 1.0).abs() < 1e-12);
}

/// A rigid body on which no force acts, without constraints.
struct FreeBody;

impl MechanicalSystem<6, 0> for FreeBody {
    type Space = R3TimesSo3;

    fn space(&self) -> &R3TimesSo3 {
        &R3TimesSo3
    }
    fn mass(&self, _: &Pose) -> Matrix<6, 6> {
        Matrix::from_diagonal(&Vector::<6>::new(1.0, 1.0, 1.0, INERTIA[0], INERTIA[1], INERTIA[2]))
    }
    fn force(&self, _: f64, q: &Pose, v: &Vector<6>) -> Vector<6> {
        let omega = v.fixed_rows::<3>(3).into_owned();
        let turning = omega.cross(&(self.mass(q) * v).fixed_rows::<3>(3));
        Vector::<6>::new(0.0, 0.0, 0.0, turning[0], turning[1], turning[2])
    }
    fn constraint(&self, _: &Pose) -> Vector<0> {
        Vector::zeros()
    }
    fn gradient(&self, _: &Pose) -> Matrix<0, 6> {
        Matrix::zeros()
    }
    fn curvature(&self, _: &Pose, _: &Vector<6>) -> Vector<0> {
        Vector::zeros()
    }
    fn stiffness(&self, _: f64, _: &Pose, _: &Vector<6>, _: &Vector<6>, _: &Vector<0>) -> Matrix<6, 6> {
        Matrix::zeros()
    }
    fn damping(&self, _: f64, q: &Pose, v: &Vector<6>) -> Matrix<6, 6> {
        let (omega, j) = (v.fixed_rows::<3>(3).into_owned(), Matrix3::from_diagonal(&Vector3::from(INERTIA)));
        let turning = hat(&omega) * j - hat(&(self.mass(q) * v).fixed_rows::<3>(3).into_owned());
        let mut damping = Matrix::<6, 6>::zeros();
        damping.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
        damping
    }
}

/// Its angular momentum, seen from the body, is the solution of Euler's equations at $t = 1$; seen from space, it is
/// constant, to within $\mathcal{O}(h^2)$.
#[test]
fn free_body() {
    let start = Pose { position: Vector3::zeros(), rotation: Matrix3::identity() };
    let omega = momentum().component_div(&Vector3::from(INERTIA));
    let v = Vector::<6>::new(1.0, -2.0, 0.5, omega[0], omega[1], omega[2]);
    for rho in RHO.into_iter().chain([1.0]) {
        let errors = |n: usize| {
            let states = states(&FreeBody, rho, (start, v), 1.0, n);
            let end = &states[n];
            assert!((end.q.position - v.fixed_rows::<3>(0)).amax() < 1e-13, "a straight line");
            let seen_from_body = (FreeBody.mass(&end.q) * end.v).fixed_rows::<3>(3).into_owned();
            let seen_from_space = end.q.rotation * seen_from_body;
            [(seen_from_body - rigid_body_at_1()).amax(), (seen_from_space - momentum()).amax()]
        };
        check_order(&format!("free body, {rho}"), errors, 100);
    }
}

/// Differences of masses, forces and constraints against their derivatives, in all directions.
pub(crate) fn check_derivatives<Y, const K: usize, const M: usize>(
    name: &str,
    system: &Y,
    q: &PointOf<Y, K, M>,
    v: &Vector<K>,
) where
    Y: MechanicalSystem<K, M>,
{
    const STEP: f64 = 1e-6;
    let close = |what: &str, found: f64, exact: f64| {
        assert!((found - exact).abs() < 1e-6 * exact.abs().max(100.0), "{name}, {what}: {found}, not {exact}");
    };
    let acceleration = Vector::<K>::from_fn(|k, _| (k as f64 + 1.0).sin() * 3.0);
    let lambda = Vector::<M>::from_fn(|k, _| (k as f64 + 2.0).cos() * 5.0);
    let space = system.space();
    for direction in 0..K {
        let mut unit = Vector::<K>::zeros();
        unit[direction] = STEP;
        let difference = |f: &dyn Fn(&PointOf<Y, K, M>) -> Vector<K>| {
            (f(&space.advance(q, &unit)) - f(&space.advance(q, &-unit))) / (2.0 * STEP)
        };
        let along_q = difference(&|q| {
            system.mass(q) * acceleration + system.force(0.3, q, v) + system.gradient(q).tr_mul(&lambda)
        });
        let stiffness = system.stiffness(0.3, q, v, &acceleration, &lambda);
        let along_v = (system.force(0.3, q, &(v + unit)) - system.force(0.3, q, &(v - unit))) / (2.0 * STEP);
        for row in 0..K {
            close("stiffness", along_q[row], stiffness[(row, direction)]);
            close("damping", along_v[row], system.damping(0.3, q, v)[(row, direction)]);
        }
        let values = [&unit, &-unit].map(|delta| system.constraint(&space.advance(q, delta)));
        for row in 0..M {
            let along_q = (values[0][row] - values[1][row]) / (2.0 * STEP);
            close("gradient", along_q, system.gradient(q)[(row, direction)]);
        }
    }
    let [later, earlier] = [STEP, -STEP].map(|h| system.gradient(&space.advance(q, &(v * h))) * v);
    for row in 0..M {
        close("curvature", (later[row] - earlier[row]) / (2.0 * STEP), system.curvature(q, v)[row]);
    }
}

#[test]
fn derivatives_of_the_systems() {
    let rotation = SpecialOrthogonal.exp(&hat(&Vector3::new(0.3, -0.4, 1.2)));
    let pose = Pose { position: Vector3::new(0.2, 1.1, -0.4), rotation };
    let v = Vector::<6>::new(0.3, -1.0, 2.0, 1.5, 3.0, -0.7);
    check_derivatives("in space", &InSpace, &pose, &v);
    check_derivatives("in the body", &InBody, &pose, &v);
    check_derivatives("free body", &FreeBody, &pose, &v);
}

/// $q \circ \exp(\delta + \epsilon w)$ and $q \circ \exp(\delta) \circ \exp(\epsilon T(\delta) w)$ differ by
/// $\mathcal{O}(\epsilon^2)$.
#[test]
fn tangent_operators() {
    const STEP: f64 = 1e-6;
    let rotation = SpecialOrthogonal.exp(&hat(&Vector3::new(0.3, -0.4, 1.2)));
    let q = Pose { position: Vector3::new(0.2, 1.1, -0.4), rotation };
    let delta = Vector::<6>::new(0.3, -1.0, 2.0, 1.5, 1.0, -0.7);
    fn difference(a: &Pose, b: &Pose) -> f64 {
        (a.position - b.position).amax().max((a.rotation - b.rotation).amax())
    }
    for direction in 0..6 {
        let mut w = Vector::<6>::zeros();
        w[direction] = STEP;
        let se3 = (Se3.advance(&q, &(delta + w)), Se3.advance(&q, &delta));
        let found = Se3.advance(&se3.1, &(tangent_operator(&Se3, &delta) * w));
        assert!(difference(&se3.0, &found) < 1e-11 && difference(&se3.0, &se3.1) > 1e-7);
        let product = (R3TimesSo3.advance(&q, &(delta + w)), R3TimesSo3.advance(&q, &delta));
        let found = R3TimesSo3.advance(&product.1, &(tangent_operator(&R3TimesSo3, &delta) * w));
        assert!(difference(&product.0, &found) < 1e-11 && difference(&product.0, &product.1) > 1e-7);
    }
    assert_eq!(tangent_operator(&VectorSpace, &delta), Matrix::<6, 6>::identity());
}
