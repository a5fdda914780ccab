//! Mechanical systems that cannot be integrated: typed errors that say what, where and how to go on.
//!
//! In: faulty systems, start values and intervals. Out: the errors.

use dae_runtime::lie::Matrix;
use dae_runtime::lie::mechanics::{GeneralizedAlpha, MechanicalSystem, MechanicsError, Vector, VectorSpace};
use nalgebra::{Matrix2, Matrix3, Vector2};

use crate::heavy_top::{self, InBody};

/// A point of mass one on the circle $|q| = 1$, by one constraint or twice the same, with a fault.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The second velocity has no mass.
    Mass,
    /// The force is not finite after $t = 0.5$.
    Force,
    /// The force jumps from one side to the other with any change of position.
    Stiffness,
}

struct Circle<const M: usize>(Fault);

impl<const M: usize> MechanicalSystem<2, M> for Circle<M> {
    type Space = VectorSpace;

    fn space(&self) -> &VectorSpace {
        &VectorSpace
    }
    fn mass(&self, _: &Vector2<f64>) -> Matrix2<f64> {
        Matrix2::from_diagonal(&Vector2::new(1.0, if self.0 == Fault::Mass { 0.0 } else { 1.0 }))
    }
    fn force(&self, t: f64, q: &Vector2<f64>, _: &Vector2<f64>) -> Vector2<f64> {
        let force = match self.0 {
            Fault::Force if t > 0.55 => f64::NAN,
            Fault::Stiffness => 1e9 * (1e7 * q[0]).sin(),
            _ => 1.0,
        };
        Vector2::new(0.0, force)
    }
    fn constraint(&self, q: &Vector2<f64>) -> Vector<M> {
        Vector::repeat(0.5 * (q.norm_squared() - 1.0))
    }
    fn gradient(&self, q: &Vector2<f64>) -> Matrix<M, 2> {
        Matrix::from_fn(|_, column| q[column])
    }
    fn curvature(&self, _: &Vector2<f64>, v: &Vector2<f64>) -> Vector<M> {
        Vector::repeat(v.norm_squared())
    }
    fn stiffness(
        &self,
        _: f64,
        _: &Vector2<f64>,
        _: &Vector2<f64>,
        _: &Vector2<f64>,
        lambda: &Vector<M>,
    ) -> Matrix2<f64> {
        Matrix2::identity() * lambda.sum()
    }
    fn damping(&self, _: f64, _: &Vector2<f64>, _: &Vector2<f64>) -> Matrix2<f64> {
        Matrix2::zeros()
    }
}

fn error<const M: usize>(fault: Fault, q: Vector2<f64>, v: Vector2<f64>) -> (MechanicsError, String) {
    let method = GeneralizedAlpha::new(0.9).unwrap();
    let error = method.integrate(&Circle::<M>(fault), (0.0, q, v), 1.0, 10).unwrap_err();
    let message = error.to_string();
    (error, message)
}

#[test]
fn options_and_intervals() {
    for rho in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let found = GeneralizedAlpha::new(rho).unwrap_err();
        assert!(matches!(found, MechanicsError::SpectralRadius { .. }) && found.to_string().contains("0.9"));
    }
    let method = GeneralizedAlpha::new(0.9).unwrap();
    for (end, steps) in [(0.0, 10), (f64::NAN, 10), (1.0, 0)] {
        let run = method.steps(&Circle::<1>(Fault::None), (0.0, Vector2::x(), Vector2::zeros()), end, steps);
        assert!(matches!(run.unwrap_err(), MechanicsError::Interval { .. }));
    }
}

#[test]
fn start_values() {
    let (found, message) = error::<1>(Fault::None, Vector2::new(1.0, 0.1), Vector2::zeros());
    assert!(matches!(found, MechanicsError::StartOffConstraint { constraint: 0, .. }), "{found:?}");
    assert!(message.contains("constraint 0") && message.contains("5.0e-3"), "{message}");
    let (found, message) = error::<1>(Fault::None, Vector2::x(), Vector2::new(0.25, 1.0));
    assert!(matches!(found, MechanicsError::StartVelocity { constraint: 0, value: 0.25, .. }), "{found:?}");
    assert!(message.contains("2.5e-1"), "{message}");
    let (found, _) = error::<1>(Fault::None, Vector2::x(), Vector2::new(0.0, f64::NAN));
    assert_eq!(found, MechanicsError::NonFiniteStart { entry: 1 });
    let (found, _) = error::<1>(Fault::None, Vector2::new(f64::INFINITY, 0.0), Vector2::zeros());
    assert!(matches!(found, MechanicsError::StartOffGroup { .. }), "{found:?}");

    let (t, mut q, v) = heavy_top::start();
    q.rotation = Matrix3::identity() * 1.001;
    let found = GeneralizedAlpha::new(0.9).unwrap().integrate(&InBody, (t, q, v), 1.0, 10).unwrap_err();
    assert!(matches!(found, MechanicsError::StartOffGroup { defect, .. } if defect > 1e-3), "{found:?}");
}

#[test]
fn equations_that_determine_nothing() {
    let (found, message) = error::<2>(Fault::None, Vector2::x(), Vector2::zeros());
    assert_eq!(found, MechanicsError::DependentConstraints { t: 0.0 });
    assert!(message.contains("leave out"), "{message}");
    let (found, _) = error::<1>(Fault::Mass, Vector2::x(), Vector2::zeros());
    assert_eq!(found, MechanicsError::SingularMass { t: 0.0 });
}

#[test]
fn steps_that_fail() {
    let method = GeneralizedAlpha::new(0.9).unwrap();
    let system = Circle::<1>(Fault::Force);
    let run = method.steps(&system, (0.0, Vector2::x(), Vector2::zeros()), 1.0, 10).unwrap();
    let all: Vec<_> = run.collect();
    assert_eq!(all.len(), 6, "five steps and an error, after which there is nothing");
    assert!(matches!(all[5], Err(MechanicsError::NonFinite { t }) if (t - 0.6).abs() < 1e-12));
    let (found, message) = error::<1>(Fault::Stiffness, Vector2::y(), Vector2::new(0.5, 0.0));
    assert!(matches!(found, MechanicsError::NoConvergence { .. }), "{found:?}");
    assert!(message.contains("stiffness"), "{message}");
}

/// Whatever the numbers, a run ends with states or an error.
#[test]
fn nothing_panics() {
    let (mut results, mut errors) = (0, 0);
    for rho in [0.0, 0.9, 1.0] {
        for t_end in [1e-300, 1e-3, 1.0, -1.0, 1e4, 1e300] {
            for factor in [1e-3, 1.0, 1e3, 1e200] {
                let (t, q, v) = heavy_top::start();
                let method = GeneralizedAlpha::new(rho).unwrap();
                let run = method.integrate(&InBody, (t, q, v * factor), t_end, 3);
                *(if run.is_ok() { &mut results } else { &mut errors }) += 1;
            }
        }
    }
    assert!(results > 10 && errors > 10, "{results} results, {errors} errors");
}
