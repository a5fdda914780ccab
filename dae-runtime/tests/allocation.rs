//! A step of any method allocates nothing, as counted by the allocator.

#[cfg(feature = "lie")]
#[allow(dead_code, reason = "the reference solution is for other tests")]
#[path = "lie/heavy_top.rs"]
mod heavy_top;
mod problems;

use std::alloc::System;

use dae_runtime::contract::Dae;
use dae_runtime::solve::Method;
use dae_runtime::stepper::{Options, StepControl, Tolerance};
use dae_runtime::underlying::UnderlyingOde;
use problems::{manufactured, pendulum, spherical_pendulum, transistor_amplifier};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The fewest allocations of three runs, because other threads of the test harness may allocate meanwhile.
fn allocations(method: Method, dae: &dyn Dae, y0: &[f64], yp0: &[f64], t_end: f64) -> usize {
    (0..3).map(|_| allocations_once(method, dae, y0, yp0, t_end)).fold(usize::MAX, usize::min)
}

/// Allocations and reallocations from the first step to the last.
fn allocations_once(method: Method, dae: &dyn Dae, y0: &[f64], yp0: &[f64], t_end: f64) -> usize {
    // A first step that is too long, so that steps are repeated.
    let initial_step = Some(0.5 * t_end);
    let options = Options { rtol: 1e-7, atol: Tolerance::Scalar(1e-7), initial_step, ..Options::default() };
    let mut stepper = method.start(dae, 0.0, y0, yp0, t_end, &options).unwrap();
    let mut coefficients = vec![0.0; 10 * y0.len()];
    let region = Region::new(GLOBAL);
    while stepper.time() != t_end {
        if stepper.step().is_err() {
            break;
        }
        stepper.dense_coefficients(&mut coefficients[..(stepper.dense_degree() + 1) * y0.len()]);
    }
    let change = region.change();
    let statistics = stepper.statistics();
    // The run contains repeated steps, and new matrices if the method has any.
    let has_matrices = method.is_explicit() || statistics.factorizations > 10;
    assert!(stepper.time() == t_end && statistics.rejected() > 0 && has_matrices, "{statistics:?}");
    change.allocations + change.reallocations
}

#[test]
fn steps_do_not_allocate() {
    fixed_steps_do_not_allocate();
    #[cfg(feature = "lie")]
    steps_on_groups_do_not_allocate();
    let is_half_explicit = |method: Method| matches!(method, Method::Hem4 | Method::Hem5 | Method::Mexx);
    for &method in Method::ALL.iter().filter(|method| method.controls_step_size() && !method.is_explicit()) {
        let form = if method == Method::Limex { pendulum::Form::Index1 } else { pendulum::Form::Ggl };
        let problem = pendulum::pendulum(form);
        assert_eq!(allocations(method, &problem, &problem.y0, &problem.yp0, 5.0), 0, "{method:?}");
        let problem = manufactured::state_dependent_leading();
        assert_eq!(allocations(method, &problem, &problem.y0, &problem.yp0, 5.0), 0, "{method:?}");
        // The leading matrix is singular.
        if !is_half_explicit(method) {
            let problem = transistor_amplifier::transistor_amplifier();
            assert_eq!(allocations(method, &problem, &problem.y0, &problem.yp0, 0.1), 0, "{method:?}");
        }
    }
    for &method in Method::ALL.iter().filter(|method| method.is_explicit()) {
        let problem = pendulum::pendulum(pendulum::Form::Index1);
        let form = UnderlyingOde::new(&problem);
        assert_eq!(allocations(method, &form, &problem.y0, &problem.yp0, 5.0), 0, "{method:?}");
        let problem = manufactured::state_dependent_leading();
        let form = UnderlyingOde::new(&problem);
        assert_eq!(allocations(method, &form, &problem.y0, &problem.yp0, 5.0), 0, "{method:?}");
    }
}

/// Methods that make steps of fixed size, all at once.
fn fixed_steps_do_not_allocate() {
    for &method in Method::ALL.iter().filter(|method| !method.controls_step_size()) {
        for a in [0.0, 0.3] {
            let problem = spherical_pendulum::spherical_pendulum(a);
            let form = UnderlyingOde::new(&problem);
            let options = Options { control: StepControl::Fixed(0.01), ..Options::default() };
            let allocations = |_| {
                let mut stepper = method.start(&form, 0.0, &problem.y0, &problem.yp0, 1.0, &options).unwrap();
                let mut coefficients = vec![0.0; 10 * problem.y0.len()];
                let region = Region::new(GLOBAL);
                while stepper.time() != 1.0 {
                    stepper.step().unwrap();
                    let length = (stepper.dense_degree() + 1) * problem.y0.len();
                    stepper.dense_coefficients(&mut coefficients[..length]);
                }
                let change = region.change();
                change.allocations + change.reallocations
            };
            assert_eq!((0..3).map(allocations).fold(usize::MAX, usize::min), 0, "{method:?}");
        }
    }
}

/// On Lie groups, and of mechanical systems on them.
#[cfg(feature = "lie")]
fn steps_on_groups_do_not_allocate() {
    use dae_runtime::lie::{Linear, Magnus, MuntheKaas4, Projected, RungeKutta4, SpecialOrthogonal, Trapezoidal};
    use dae_runtime::lie::{Method, adaptive_steps, hat, steps};
    use nalgebra::{Matrix3, Vector3};

    let equation = Linear::new(|t: f64| hat(&Vector3::new(t.sin(), 1.0, t.cos())));
    let start = (0.0, Matrix3::identity());
    let methods: [&dyn Method<_, _, 3, 3>; 4] =
        [&Magnus::Order6, &MuntheKaas4, &Projected(RungeKutta4), &Projected(Trapezoidal)];
    for (number, method) in methods.into_iter().enumerate() {
        let allocations = |_| {
            let region = Region::new(GLOBAL);
            let equal = steps(&SpecialOrthogonal, &equation, method, start, 5.0, 100).unwrap();
            let adaptive = adaptive_steps(&SpecialOrthogonal, &equation, method, start, 5.0, 1e-6).unwrap();
            assert!(equal.chain(adaptive).filter(Result::is_ok).count() > 102);
            let change = region.change();
            change.allocations + change.reallocations
        };
        assert_eq!((0..3).map(allocations).fold(usize::MAX, usize::min), 0, "method {number}");
    }
    let allocations = |_| {
        let region = Region::new(GLOBAL);
        let method = dae_runtime::lie::mechanics::GeneralizedAlpha::new(0.9).unwrap();
        let run = method.steps(&heavy_top::InBody, heavy_top::start(), 0.1, 100).unwrap();
        assert_eq!(run.filter(Result::is_ok).count(), 100);
        let change = region.change();
        change.allocations + change.reallocations
    };
    assert_eq!((0..3).map(allocations).fold(usize::MAX, usize::min), 0, "heavy top");
}
