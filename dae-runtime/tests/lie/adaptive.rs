//! Steps whose length follows from an estimate of their error.
//!
//! In: problems with known solutions, tolerances. Out: errors within as many tolerances as there are steps, steps that
//! are short where the solution changes fast, defects at the level of rounding errors, typed errors.

use dae_runtime::lie::{
    CrouchGrossman, GeneralLinear, HomogeneousSpace, LieError, Linear, Magnus, Method, MuntheKaas4, SpecialOrthogonal,
    Stiefel, adaptive_steps, hat, integrate, integrate_adaptively,
};
use nalgebra::{Matrix2, Matrix3, Vector3};

use crate::problems::{momentum, rigid_body, rigid_body_at_1, so3_linear, so3_linear_at_5};

#[test]
fn errors_are_within_a_tolerance_per_step() {
    let (so3, body) = (so3_linear(), rigid_body());
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let linear: [&dyn Method<_, _, 3, 3>; 3] = [&Magnus::Order4, &Magnus::Order6, &CrouchGrossman::Order3];
        for method in linear {
            let start = (0.0, Matrix3::identity());
            let run = integrate_adaptively(&SpecialOrthogonal, &so3, method, start, 5.0, tolerance).unwrap();
            let error = (run.end() - so3_linear_at_5()).amax();
            let steps = run.times.len() - 1;
            println!("order {}, {tolerance:e}: {steps} steps, error {error:.1e}", method.order());
            // Rotations do not increase errors of steps, which add up.
            let allowed = steps as f64 * tolerance;
            assert!(error < allowed, "order {}, {tolerance:e}: {error:e}, {steps} steps", method.order());
            assert!(error > 0.01 * allowed, "more is done than asked: {error:e}, {steps} steps");
            assert_eq!(run.times.last(), Some(&5.0));
            assert!(run.largest_defect(&SpecialOrthogonal) < 1e-12);
        }
        let start = (1.0, rigid_body_at_1());
        let run = integrate_adaptively(&Stiefel, &body, &MuntheKaas4, start, 0.0, tolerance).unwrap();
        let error = (run.end() - momentum()).amax();
        assert!(error < run.times.len() as f64 * tolerance, "backwards, {tolerance:e}: {error:e}");
        assert!(run.times.windows(2).all(|pair| pair[1] < pair[0]));
    }
}

/// A rotation that is fast for a short time only.
#[test]
fn steps_are_short_where_they_have_to_be() {
    let equation = Linear::new(|t: f64| {
        let fast = 40.0 * (-50.0 * (t - 5.0).powi(2)).exp();
        hat(&Vector3::new(0.1, fast, 0.1 * t.sin()))
    });
    let (space, method, start) = (SpecialOrthogonal, Magnus::Order4, (0.0, Matrix3::identity()));
    let run = integrate_adaptively(&space, &equation, &method, start, 10.0, 1e-7).unwrap();
    let lengths: Vec<(f64, f64)> = run.times.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect();
    let shortest = lengths.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let longest = lengths.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!((shortest.0 - 5.0).abs() < 0.5 && longest.1 > 20.0 * shortest.1, "{shortest:?}, {longest:?}");
    // A step costs as much as three of equal length.
    let equal = integrate(&space, &equation, &method, start, 10.0, 3 * lengths.len()).unwrap();
    let exact = integrate(&space, &equation, &Magnus::Order6, start, 10.0, 20_000).unwrap();
    let [found, equal] = [&run, &equal].map(|run| (run.end() - exact.end()).amax());
    assert!(found < 1e-6 && equal > 3.0 * found, "{found:e} and {equal:e}");
}

#[test]
fn options_and_poles() {
    let so3 = so3_linear();
    let start = (0.0, Matrix3::identity());
    for tolerance in [0.0, -1.0, 1e-16, f64::NAN, f64::INFINITY] {
        let found = adaptive_steps(&SpecialOrthogonal, &so3, &MuntheKaas4, start, 1.0, tolerance).unwrap_err();
        assert!(matches!(found, LieError::Tolerance { .. }), "{found:?}");
    }
    for end in [0.0, f64::NAN, f64::INFINITY] {
        let found = adaptive_steps(&SpecialOrthogonal, &so3, &MuntheKaas4, start, end, 1e-6).unwrap_err();
        assert!(matches!(found, LieError::Interval { .. }), "{found:?}");
    }
    // A pole, through which no solution leads, and beyond which there is no A.
    let pole = Linear::new(|t: f64| Matrix2::identity() / (1.0 - t));
    let run = adaptive_steps(&GeneralLinear, &pole, &Magnus::Order4, (0.0, Matrix2::identity()), 2.0, 1e-6).unwrap();
    let all: Vec<_> = run.collect();
    let last = all[all.len() - 2].as_ref().unwrap();
    assert!((last.0 - 1.0).abs() < 1e-6, "{}", last.0);
    assert!(all[all.len() - 1].is_err() && all[..all.len() - 1].iter().all(Result::is_ok));
    // Times that can hardly be told apart.
    let far = (1e16, Matrix3::identity());
    let run = integrate_adaptively(&SpecialOrthogonal, &so3, &Magnus::Order2, far, 1e16 + 40.0, 1e-9);
    assert!(matches!(run, Err(LieError::StepTooSmall { .. })), "{run:?}");
    // What leaves the algebra is no matter of the step.
    let leaves = Linear::new(|t: f64| Matrix2::new(0.0, -1.0 - (t - 0.5).max(0.0), 1.0, 0.0));
    let found = integrate_adaptively(&SpecialOrthogonal, &leaves, &MuntheKaas4, (0.0, Matrix2::identity()), 1.0, 1e-6);
    assert!(matches!(found, Err(LieError::NotInAlgebra { .. })), "{found:?}");
    assert_eq!(SpecialOrthogonal.defect(&Matrix2::identity()), 0.0);
}
