//! Observed orders, and identities that hold for steps of any length.
//!
//! In: problems with known solutions. Out: errors fall as the order of each method says, by 0.1 in the exponent, and by
//! 0.3 for order 6.

use std::fmt::Debug;

use dae_runtime::lie::{
    CrouchGrossman, Equation, ExplicitEuler, GeneralLinear, HomogeneousSpace, ImplicitMidpoint, LieEuler, Magnus,
    Matrix, Method, MuntheKaas4, Projected, RungeKutta4, SpecialEuclidean, SpecialLinear, SpecialOrthogonal, Stiefel,
    Symplectic, Trapezoidal,
};
use nalgebra::{Matrix2, Matrix3, Matrix4};

use crate::problems::*;

/// A method with what is printed of it, and the number of steps per unit of time from which errors fall regularly.
struct Case<'m, S, E, const N: usize, const K: usize> {
    name: String,
    method: &'m dyn Method<S, E, N, K>,
    steps: usize,
}

fn case<S, E, M: Method<S, E, N, K> + Debug, const N: usize, const K: usize>(
    method: &M,
    steps: usize,
) -> Case<'_, S, E, N, K> {
    Case { name: format!("{method:?}"), method, steps }
}

/// Methods for all equations.
fn general<S: HomogeneousSpace<N, K>, E: Equation<N, K>, const N: usize, const K: usize>()
-> Vec<Case<'static, S, E, N, K>> {
    vec![
        case(&LieEuler, 800),
        case(&ExplicitEuler, 800),
        case(&Projected(ExplicitEuler), 800),
        case(&CrouchGrossman::Order2, 100),
        case(&CrouchGrossman::Order3, 100),
        case(&CrouchGrossman::Order4, 50),
        case(&MuntheKaas4, 50),
        case(&RungeKutta4, 50),
        case(&Projected(RungeKutta4), 50),
        case(&ImplicitMidpoint, 100),
        case(&Trapezoidal, 100),
        case(&Projected(Trapezoidal), 100),
    ]
}

fn magnus<S, E, const N: usize, const K: usize>() -> Vec<Case<'static, S, E, N, K>>
where
    S: HomogeneousSpace<N, K>,
    E: dae_runtime::lie::LinearEquation<N, K>,
{
    vec![case(&Magnus::Order2, 50), case(&Magnus::Order4, 20), case(&Magnus::Order6, 8)]
}

/// Checks the orders of `cases` from two runs each.
fn check<S, E, const N: usize, const K: usize>(
    (space, equation): (&S, &E),
    cases: Vec<Case<'_, S, E, N, K>>,
    y0: Matrix<N, K>,
    exact: Matrix<N, K>,
) where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
{
    for Case { name, method, steps } in cases {
        let error = |steps| (end((space, equation, method), y0, 1.0, steps) - exact).amax();
        let errors = [error(steps), error(2 * steps)];
        let (found, order) = ((errors[0] / errors[1]).log2(), method.order());
        println!("{} {name}: {found:.3}, errors {:.1e} {:.1e}", space.name(), errors[0], errors[1]);
        let allowed = if order < 6 { 0.1 } else { 0.3 };
        assert!((found - f64::from(order)).abs() < allowed, "{name} on {}: order {found}, {errors:?}", space.name());
    }
}

#[test]
fn of_linear_equations() {
    let (so3, sl2) = (so3_linear(), sl2_linear());
    check((&SpecialOrthogonal, &so3), general(), Matrix3::identity(), so3_linear_at_1());
    check((&SpecialOrthogonal, &so3), magnus(), Matrix3::identity(), so3_linear_at_1());
    check((&SpecialLinear, &sl2), general(), Matrix2::identity(), sl2_linear_at_1());
    check((&SpecialLinear, &sl2), magnus(), Matrix2::identity(), sl2_linear_at_1());
    check((&GeneralLinear, &sl2), magnus(), Matrix2::identity(), sl2_linear_at_1());
}

#[test]
fn of_nonlinear_equations() {
    check((&SpecialOrthogonal, &so3_nonlinear()), general(), Matrix3::identity(), so3_nonlinear_at_1());
    check((&SpecialLinear, &sl2_nonlinear()), general(), Matrix2::identity(), sl2_nonlinear_at_1());
    check((&Symplectic, &sl2_nonlinear()), general(), Matrix2::identity(), sl2_nonlinear_at_1());
    check((&Stiefel, &rigid_body()), general(), momentum(), rigid_body_at_1());
}

/// Without reference values: compared with the classical Runge–Kutta method, which knows nothing of groups, at steps so
/// short that its error is below $10^{-14}$.
#[test]
fn on_other_groups() {
    const STEPS: usize = 8000;
    let (se3, sp4, stiefel) = (se3_linear(), sp4_linear(), stiefel_nonlinear());
    let exact = end((&SpecialEuclidean, &se3, &RungeKutta4), Matrix4::identity(), 1.0, STEPS);
    check((&SpecialEuclidean, &se3), general(), Matrix4::identity(), exact);
    check((&SpecialEuclidean, &se3), magnus(), Matrix4::identity(), exact);
    let exact = end((&Symplectic, &sp4, &RungeKutta4), Matrix4::identity(), 1.0, STEPS);
    check((&Symplectic, &sp4), general(), Matrix4::identity(), exact);
    check((&Symplectic, &sp4), magnus(), Matrix4::identity(), exact);
    let exact = end((&Stiefel, &stiefel, &RungeKutta4), frame(), 1.0, STEPS);
    check((&Stiefel, &stiefel), general(), frame(), exact);
}
