//! Groups: exponentials, projections, defects over long runs.
//!
//! In: elements of groups and their algebras, known in closed form. Out: the same from the module.

use dae_runtime::lie::{
    CrouchGrossman, Equation, GeneralLinear, HomogeneousSpace, ImplicitMidpoint, LieEuler, Linear, Magnus, Matrix,
    Method, MuntheKaas4, Projected, RungeKutta4, SpecialEuclidean, SpecialLinear, SpecialOrthogonal, Stiefel,
    Symplectic, hat, matrix_exponential, steps, vee,
};
use nalgebra::{Matrix2, Matrix3, Matrix4, Vector3};

use crate::problems::*;

#[test]
fn exponentials_in_closed_form_are_those_of_the_series() {
    for angle in [0.0, 1e-12, 1e-5, 0.3, 0.99, 1.01, 3.0, 20.0] {
        let omega = Vector3::new(0.6, -0.48, 0.64) * angle;
        let difference = SpecialOrthogonal.exp(&hat(&omega)) - matrix_exponential(&hat(&omega));
        // Squaring doubles errors with every doubling of the angle.
        let allowed = 4e-15 * angle.max(1.0);
        assert!(difference.amax() <= allowed, "SO(3), angle {angle}: {:e}", difference.amax());
        let mut screw = hat(&omega).to_homogeneous();
        screw.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(1.0, 2.0, -3.0));
        screw[(3, 3)] = 0.0;
        let difference = SpecialEuclidean.exp(&screw) - matrix_exponential(&screw);
        assert!(difference.amax() <= 4.0 * allowed, "SE(3), angle {angle}: {:e}", difference.amax());
    }
    let turn = SpecialOrthogonal.exp(&Matrix2::new(0.0, -0.7, 0.7, 0.0));
    assert!((turn - Matrix2::new(0.7_f64.cos(), -0.7_f64.sin(), 0.7_f64.sin(), 0.7_f64.cos())).amax() < 1e-15);
    assert_eq!(vee(&hat(&Vector3::new(1.0, 2.0, 3.0))), Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(hat(&Vector3::x()) * Vector3::y(), Vector3::z());
}

/// $P D P^{-1}$ for the Pascal matrix $P$, whose inverse has integer entries; and a Jordan block.
#[test]
fn exponentials_of_matrices_with_known_eigenvalues() {
    let p = Matrix4::new(1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 6.0, 10.0, 1.0, 4.0, 10.0, 20.0);
    let q = Matrix4::new(4.0, -6.0, 4.0, -1.0, -6.0, 14.0, -11.0, 3.0, 4.0, -11.0, 10.0, -3.0, -1.0, 3.0, -3.0, 1.0);
    assert_eq!(p * q, Matrix4::identity());
    for scale in [1e-3, 0.01, 0.1, 1.0] {
        let eigenvalues = Matrix::<4, 1>::new(-2.0, -0.5, 0.25, 1.0) * scale;
        let a = p * Matrix4::from_diagonal(&eigenvalues) * q;
        let exact = p * Matrix4::from_diagonal(&eigenvalues.map(f64::exp)) * q;
        let difference = (matrix_exponential(&a) - exact).amax() / exact.amax();
        assert!(difference < 1e-12, "{scale}: {difference:e}");
    }
    let jordan = Matrix3::new(3.0, 1.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 3.0);
    let exact = Matrix3::new(1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0) * 3_f64.exp();
    assert!((matrix_exponential(&jordan) - exact).amax() < 1e-14 * exact.amax());
    assert!(matrix_exponential(&(jordan * 1e9)).iter().all(|entry| entry.is_nan()));
    assert_eq!(matrix_exponential(&Matrix3::zeros()), Matrix3::identity());
}

#[test]
fn projections_are_those_of_example_1_2_and_1_3() {
    let near = Matrix3::new(0.36, 0.48, -0.81, -0.79, 0.6, 0.01, 0.48, 0.65, 0.6);
    let nearest = SpecialOrthogonal.project(&near).unwrap();
    // The other factor of the polar decomposition is symmetric and positive definite.
    let factor = nearest.tr_mul(&near);
    assert!(SpecialOrthogonal.defect(&nearest) < 1e-15);
    assert!((factor - factor.transpose()).amax() < 1e-15 && factor.cholesky().is_some());

    let frame = Matrix::<5, 2>::identity() + Matrix::<5, 2>::from_fn(|i, j| 0.02 * (i as f64 - 2.0 * j as f64));
    let nearest = Stiefel.project(&frame).unwrap();
    let factor = nearest.tr_mul(&frame);
    assert!(Stiefel.defect(&nearest) < 1e-15 && (factor - factor.transpose()).amax() < 1e-15);

    // Entries that differ by orders of magnitude, for which scaling is ill-conditioned.
    let near = Matrix3::new(1e3, 1.0, 0.0, 0.0, 1.01, 2.0, 1e-4, 0.0, 1e-3);
    let nearest = SpecialLinear.project(&near).unwrap();
    let direction = near.try_inverse().unwrap().transpose();
    let mu = (nearest - near).dot(&direction) / direction.norm_squared();
    assert!((nearest - near - direction * mu).amax() < 1e-15 * near.amax() && mu < -1e-9, "{mu:e}");
    assert!(SpecialLinear.defect(&nearest) < 1e-15, "{}", nearest.determinant());

    let near = Matrix4::identity() + Matrix4::from_fn(|i, j| 0.01 * (i as f64 - j as f64 * 0.5));
    let nearest = Symplectic.project(&near).unwrap();
    assert!(Symplectic.defect(&near) > 1e-3 && Symplectic.defect(&nearest) < 1e-15);
    assert!((nearest - near).amax() < 0.1);

    let pose = SpecialEuclidean.project(&(Matrix4::identity() * 1.01)).unwrap();
    assert!(SpecialEuclidean.defect(&pose) < 1e-15);
}

#[test]
fn what_is_far_away_is_not_projected() {
    assert_eq!(SpecialOrthogonal.project(&(Matrix3::identity() * 3.0)), None);
    assert_eq!(SpecialOrthogonal.project(&Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0))), None);
    assert_eq!(Stiefel.project(&Matrix::<3, 2>::zeros()), None);
    assert_eq!(SpecialLinear.project(&Matrix2::zeros()), None);
    assert_eq!(SpecialLinear.project(&Matrix2::repeat(f64::NAN)), None);
    assert_eq!(Symplectic.project(&(Matrix4::identity() * 10.0)), None);
    assert_eq!(GeneralLinear.project(&Matrix3::zeros()), None);
}

#[test]
fn defects_see_what_is_not_in_the_group() {
    let reflection = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0));
    assert_eq!((SpecialOrthogonal.defect(&reflection), Stiefel.defect(&reflection)), (2.0, 0.0));
    assert_eq!(SpecialLinear.defect(&reflection), 2.0);
    assert_eq!(GeneralLinear.defect(&reflection), 0.0);
    assert_eq!(GeneralLinear.defect(&Matrix2::repeat(1.0)), f64::INFINITY);
    assert_eq!(SpecialLinear.algebra_defect(&Matrix2::new(1.0, 7.0, 5.0, -3.0)), 2.0);
    assert_eq!(SpecialOrthogonal.algebra_defect(&Matrix3::identity()), 2.0);
    assert_eq!(SpecialEuclidean.algebra_defect(&Matrix4::from_diagonal(&Matrix::<4, 1>::new(0.0, 0.0, 0.0, 5.0))), 5.0);
    // Shears are symplectic where they are symmetric.
    let shear = |a: f64, b: f64| Matrix4::new(1.0, 0.0, a, b, 0.0, 1.0, a, b, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    assert_eq!(Symplectic.defect(&shear(2.0, 2.0)), 0.0);
    assert!(Symplectic.defect(&shear(1.0, 2.0)) > 0.05);
}

/// The largest defect in a run, of which nothing is kept.
fn drift<S, E, M, const N: usize, const K: usize>(space: &S, equation: &E, method: &M, y0: Matrix<N, K>) -> f64
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K>,
{
    let run = steps(space, equation, method, (0.0, y0), 500.0, 20_000).unwrap();
    run.map(|step| space.defect(&step.unwrap().1)).fold(0.0, f64::max)
}

/// Products of 20,000 exponentials are off by the rounding errors of as many products, and no more.
#[test]
fn methods_stay_in_their_groups_for_a_long_time() {
    const ALLOWED: f64 = 20_000.0 * f64::EPSILON;
    // A rotating rate that stays bounded, unlike that of `so3_linear`.
    let rate = |t: f64| Vector3::new(t.sin(), (2.0 * t).cos(), 0.5);
    let so3 = Linear::new(move |t| hat(&rate(t)));
    let se3 = Linear::new(move |t: f64| {
        let mut a = hat(&rate(t)).to_homogeneous();
        a.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(t.cos(), 0.1, 0.0));
        a[(3, 3)] = 0.0;
        a
    });
    let sl2 = Linear::new(|t: f64| Matrix2::new(0.1 * t.sin(), 1.0, -1.0, -0.1 * t.sin()));
    let sp4 = Linear::new(|t: f64| {
        let c = 0.1 * t.cos();
        Matrix4::new(0.0, 0.0, 1.0, c, 0.0, 0.0, c, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0)
    });
    let (body, frame_equation) = (rigid_body(), stiefel_nonlinear());
    let found = [
        ("SO(3), Lie-Euler", drift(&SpecialOrthogonal, &so3, &LieEuler, Matrix3::identity())),
        ("SO(3), Magnus 4", drift(&SpecialOrthogonal, &so3, &Magnus::Order4, Matrix3::identity())),
        ("SO(3), Magnus 6", drift(&SpecialOrthogonal, &so3, &Magnus::Order6, Matrix3::identity())),
        ("SO(3), Munthe-Kaas", drift(&SpecialOrthogonal, &so3, &MuntheKaas4, Matrix3::identity())),
        ("SO(3), Crouch-Grossman 4", drift(&SpecialOrthogonal, &so3, &CrouchGrossman::Order4, Matrix3::identity())),
        ("SO(3), midpoint", drift(&SpecialOrthogonal, &so3, &ImplicitMidpoint, Matrix3::identity())),
        ("SO(3), projected", drift(&SpecialOrthogonal, &so3, &Projected(RungeKutta4), Matrix3::identity())),
        ("SE(3), Magnus 4", drift(&SpecialEuclidean, &se3, &Magnus::Order4, Matrix4::identity())),
        ("SL(2), Magnus 4", drift(&SpecialLinear, &sl2, &Magnus::Order4, Matrix2::identity())),
        ("SL(2), projected", drift(&SpecialLinear, &sl2, &Projected(RungeKutta4), Matrix2::identity())),
        ("Sp(4), Magnus 4", drift(&Symplectic, &sp4, &Magnus::Order4, Matrix4::identity())),
        ("Sp(4), midpoint", drift(&Symplectic, &sp4, &ImplicitMidpoint, Matrix4::identity())),
        ("sphere, Munthe-Kaas", drift(&Stiefel, &body, &MuntheKaas4, momentum())),
        ("frames, Crouch-Grossman 3", drift(&Stiefel, &frame_equation, &CrouchGrossman::Order3, frame())),
    ];
    for (name, defect) in found {
        println!("{name}: {defect:.1e}");
        assert!(defect < ALLOWED, "{name}: {defect:e}");
    }
    let classical = drift(&SpecialOrthogonal, &so3, &RungeKutta4, Matrix3::identity());
    println!("SO(3), Runge-Kutta 4: {classical:.1e}");
    assert!(classical > 1e3 * ALLOWED, "the classical method leaves the group: {classical:e}");
}
