//! What cannot be integrated ends with an error that says what, where and how to go on, and never with a panic.
//!
//! In: faulty equations, start values and intervals. Out: typed errors.

use dae_runtime::lie::{
    CrouchGrossman, Equation, ExplicitEuler, GeneralLinear, HomogeneousSpace, ImplicitMidpoint, LieError, LieEuler,
    Linear, Magnus, Matrix, Method, MuntheKaas4, Nonlinear, Projected, RungeKutta4, SpecialLinear, SpecialOrthogonal,
    Stiefel, Symplectic, Trapezoidal, hat, integrate, steps,
};
use nalgebra::{Matrix2, Matrix3, Matrix4, Vector3};

use crate::problems::{rigid_body, so3_linear};

/// The error of a run from $I$ at $t = 0$ to 1, and its message.
fn error<S, E, M, const N: usize>(space: &S, equation: &E, method: &M, steps: usize) -> (LieError, String)
where
    S: HomogeneousSpace<N, N>,
    E: Equation<N, N>,
    M: Method<S, E, N, N> + ?Sized,
{
    let error = integrate(space, equation, method, (0.0, Matrix::identity()), 1.0, steps).unwrap_err();
    let message = error.to_string();
    (error, message)
}

#[test]
fn coefficients_off_the_algebra() {
    // Skew-symmetric until t = 0.55, and then off by 0.1.
    let equation = Linear::new(|t| {
        let off = if t > 0.55 { 0.1 } else { 0.0 };
        Matrix2::new(0.0, 1.0 + off, -1.0, 0.0)
    });
    let (found, message) = error(&SpecialOrthogonal, &equation, &Magnus::Order2, 10);
    let LieError::NotInAlgebra { t, space, defect, allowed } = found else { panic!("{found:?}") };
    assert_eq!((t, &*space), (0.65, "SO(2)"));
    assert!((defect - 0.1).abs() < 1e-15 && allowed < 2e-12);
    assert!(message.contains("t = 0.65") && message.contains("GL(n)"), "{message}");

    let trace = Linear::new(|_| Matrix2::identity());
    let (found, _) = error(&SpecialLinear, &trace, &LieEuler, 10);
    assert!(matches!(found, LieError::NotInAlgebra { t: 0.0, defect: 2.0, .. }), "{found:?}");
    let (found, _) = error(&Symplectic, &trace, &MuntheKaas4, 10);
    assert!(matches!(found, LieError::NotInAlgebra { t: 0.0, defect: 2.0, .. }), "{found:?}");
    assert!(integrate(&GeneralLinear, &trace, &LieEuler, (0.0, Matrix2::identity()), 1.0, 10).is_ok());
}

#[test]
fn rounding_errors_in_coefficients_are_none() {
    let third = 1.0 / 3.0;
    let equation = Linear::new(move |t: f64| {
        let b = Matrix3::from_fn(|i, j| (t + i as f64 * 0.7 - j as f64 * third).sin() * 100.0);
        b - Matrix3::identity() * (b.trace() * third)
    });
    assert!(integrate(&SpecialLinear, &equation, &Magnus::Order4, (0.0, Matrix3::identity()), 0.1, 10).is_ok());
}

#[test]
fn values_that_are_not_finite() {
    let equation =
        Linear::new(|t: f64| Matrix3::from_fn(|i, j| if (i, j) == (2, 1) { (0.45 - t).sqrt() } else { 0.0 }));
    let (found, message) = error(&GeneralLinear, &equation, &LieEuler, 10);
    assert_eq!(found, LieError::NonFiniteCoefficient { t: 0.5, row: 2, column: 1 });
    assert!(message.contains("(2, 1)") && message.contains("t = 0.5"), "{message}");

    let growing = Linear::new(|_| Matrix2::identity() * 1e4);
    let (found, _) = error(&GeneralLinear, &growing, &LieEuler, 10);
    assert_eq!(found, LieError::NonFiniteSolution { t: 0.1 });
    let (found, _) = error(&GeneralLinear, &Linear::new(|_| Matrix2::identity() * 1e10), &Magnus::Order4, 10);
    assert!(matches!(found, LieError::StepTooLong { t: 0.0, .. }), "{found:?}");
}

#[test]
fn start_values() {
    let equation = so3_linear();
    let run = |y0| steps(&SpecialOrthogonal, &equation, &LieEuler, (0.0, y0), 1.0, 10).map(drop);
    let found = run(Matrix3::identity() * 1.01).unwrap_err();
    let LieError::StartOffManifold { space, defect, .. } = &found else { panic!("{found:?}") };
    assert!(space == "SO(3)" && *defect > 0.02);
    assert!(found.to_string().contains("project"), "{found}");
    let mut y0 = Matrix3::identity();
    y0[(1, 2)] = f64::NAN;
    assert_eq!(run(y0), Err(LieError::NonFiniteStart { row: 1, column: 2 }));
    // What a computation leaves of a rotation is one.
    assert_eq!(run(hat(&Vector3::new(0.1, 0.2, 0.3)).map(|x| x * (1.0 + 1e-15)) * 0.0 + Matrix3::identity()), Ok(()));
}

#[test]
fn intervals_and_numbers_of_steps() {
    let equation = so3_linear();
    for (start, end, n) in
        [(0.0, 1.0, 0), (1.0, 1.0, 5), (0.0, f64::INFINITY, 5), (f64::NAN, 1.0, 5), (1e16, 1e16 + 4.0, 9)]
    {
        let found = steps(&SpecialOrthogonal, &equation, &LieEuler, (start, Matrix3::identity()), end, n).unwrap_err();
        assert!(matches!(found, LieError::Interval { steps, .. } if steps == n), "{found:?}");
    }
}

#[test]
fn iterations_and_projections() {
    // The slope depends so strongly on the state that fixed-point iteration diverges.
    let steep = Nonlinear::new(|_, y: &Matrix2<f64>| {
        let rate = 30.0 * (50.0 * y[(0, 1)]).sin() + 20.0;
        Matrix2::new(0.0, rate, -rate, 0.0)
    });
    for method in [&ImplicitMidpoint as &dyn Method<_, _, 2, 2>, &Trapezoidal] {
        let (found, _) = error(&SpecialOrthogonal, &steep, method, 1);
        assert!(matches!(found, LieError::NoConvergence { t: 0.0, h: 1.0, .. }), "{found:?}");
    }
    let (found, message) = error(&SpecialOrthogonal, &steep, &Projected(ExplicitEuler), 1);
    assert!(matches!(found, LieError::NotProjectable { t: 1.0, .. }), "{found:?}");
    assert!(message.contains("SO(2)") && message.contains("more steps"), "{message}");
}

/// A group of the caller, without a projection.
struct Scaling;

impl HomogeneousSpace<1, 1> for Scaling {
    fn name(&self) -> String {
        "the positive numbers".into()
    }
    fn defect(&self, y: &Matrix<1, 1>) -> f64 {
        (-y[0]).max(0.0)
    }
    fn algebra_defect(&self, _: &Matrix<1, 1>) -> f64 {
        0.0
    }
    fn exp(&self, omega: &Matrix<1, 1>) -> Matrix<1, 1> {
        omega.map(f64::exp)
    }
}

#[test]
fn groups_of_the_caller() {
    let logistic = Nonlinear::new(|_, y: &Matrix<1, 1>| Matrix::<1, 1>::new(1.0 - y[0]));
    let start = (0.0, Matrix::<1, 1>::new(0.1));
    let run = integrate(&Scaling, &logistic, &MuntheKaas4, start, 2.0, 200).unwrap();
    let exact = 1.0 / (1.0 + 9.0 * (-2.0_f64).exp());
    assert!((run.end()[0] - exact).abs() < 1e-10);
    let found = integrate(&Scaling, &logistic, &Projected(RungeKutta4), start, 2.0, 200).unwrap_err();
    assert!(matches!(found, LieError::NotProjectable { defect: 0.0, .. }), "{found:?}");
}

#[test]
fn steps_before_an_error_are_returned_and_none_after_it() {
    let equation = Linear::new(|t: f64| Matrix2::new(0.0, -(0.45 - t).sqrt(), (0.45 - t).sqrt(), 0.0));
    let run = steps(&SpecialOrthogonal, &equation, &LieEuler, (0.0, Matrix2::identity()), 1.0, 10).unwrap();
    let all: Vec<_> = run.collect();
    assert_eq!(all.len(), 6);
    assert!(all[..5].iter().all(Result::is_ok) && all[5].is_err());
}

/// Whatever numbers $A$ has, a run ends with a result or an error.
#[test]
fn nothing_panics() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut results, mut errors) = (0, 0);
    for _ in 0..300 {
        let special = [0.0, 1.0, -1.0, 1e-320, 1e8, 1e200, f64::MAX, f64::INFINITY, f64::NAN];
        let mut number = || if random.f64() < 0.9 { random.f64() * 4.0 - 2.0 } else { special[random.usize(..9)] };
        let b = Matrix4::from_fn(|_, _| number());
        let equation = Linear::new(move |t| b * t.exp());
        let skew = Linear::new(move |t: f64| (b - b.transpose()) * t.exp());
        for result in [
            run_all(&GeneralLinear, &equation),
            run_all(&SpecialOrthogonal, &skew),
            run_all(&SpecialLinear, &skew),
            run_all(&Symplectic, &equation),
        ]
        .concat()
        {
            *(if result { &mut results } else { &mut errors }) += 1;
        }
    }
    assert!(results > 1000 && errors > 1000, "{results} results, {errors} errors");
}

/// Whether the methods have integrated an equation.
fn run_all<S, E>(space: &S, equation: &E) -> Vec<bool>
where
    S: HomogeneousSpace<4, 4>,
    E: dae_runtime::lie::LinearEquation<4, 4>,
{
    let methods: [&dyn Method<S, E, 4, 4>; 8] = [
        &LieEuler,
        &Magnus::Order6,
        &MuntheKaas4,
        &CrouchGrossman::Order4,
        &ImplicitMidpoint,
        &Projected(Trapezoidal),
        &Projected(RungeKutta4),
        &ExplicitEuler,
    ];
    let run = |method: &&dyn Method<S, E, 4, 4>| {
        integrate(space, equation, *method, (0.0, Matrix4::identity()), 1.0, 2).is_ok()
    };
    methods.iter().map(run).collect()
}

#[test]
fn the_sphere_has_a_name() {
    let found = integrate(&Stiefel, &rigid_body(), &LieEuler, (0.0, Vector3::repeat(1.0)), 1.0, 10).unwrap_err();
    assert!(found.to_string().contains("Stiefel manifold of 3 x 1"), "{found}");
}
