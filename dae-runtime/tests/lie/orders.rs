//! Observed orders, and identities that hold for steps of any length.
//!
//! In: problems with known solutions. Out: errors fall as the order of each method says, by 0.1 in the exponent, and by
//! 0.3 for order 6.

use std::fmt::Debug;

use dae_runtime::lie::{
    CrouchGrossman, Equation, ExplicitEuler, GeneralLinear, HomogeneousSpace, ImplicitMidpoint, LieEuler, Linear,
    Magnus, Matrix, Method, MuntheKaas4, Projected, RungeKutta4, SpecialEuclidean, SpecialLinear, SpecialOrthogonal,
    Stiefel, Symplectic, Trapezoidal, VectorField, integrate,
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

/// Where they end after a step of length $h$ and one of length $-h$.
fn there_and_back<S, E, M, const N: usize, const K: usize>(space: &S, equation: &E, method: &M, y: Matrix<N, K>) -> f64
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K>,
{
    let field = VectorField::new(space, equation);
    let there = method.step(&field, 0.3, &y, 0.4).unwrap();
    (method.step(&field, 0.7, &there, -0.4).unwrap() - y).amax()
}

#[test]
fn symmetric_methods_undo_their_steps() {
    let (so3, sl2, body, sp) = (so3_linear(), sl2_linear(), rigid_body(), sl2_nonlinear());
    for method in [Magnus::Order2, Magnus::Order4, Magnus::Order6] {
        let back = [
            there_and_back(&SpecialOrthogonal, &so3, &method, so3_linear_at_1()),
            there_and_back(&SpecialLinear, &sl2, &method, sl2_linear_at_1()),
        ];
        assert!(back.iter().all(|difference| *difference < 4e-15), "{method:?}: {back:?}");
    }
    let back = [
        there_and_back(&Stiefel, &body, &ImplicitMidpoint, rigid_body_at_1()),
        there_and_back(&Symplectic, &sp, &ImplicitMidpoint, sl2_nonlinear_at_1()),
        there_and_back(&SpecialOrthogonal, &so3, &ImplicitMidpoint, so3_linear_at_1()),
        there_and_back(&Symplectic, &sp, &Trapezoidal, sl2_nonlinear_at_1()),
    ];
    assert!(back.iter().all(|difference| *difference < 4e-15), "{back:?}");
    let back = [
        there_and_back(&SpecialOrthogonal, &so3, &LieEuler, so3_linear_at_1()),
        there_and_back(&SpecialOrthogonal, &so3, &MuntheKaas4, so3_linear_at_1()),
        there_and_back(&Stiefel, &body, &CrouchGrossman::Order3, rigid_body_at_1()),
    ];
    assert!(back.iter().all(|difference| *difference > 1e-8), "not symmetric: {back:?}");
}

/// For a constant $A$, the methods of the groups are exact, however long the step.
#[test]
fn constant_coefficients_are_integrated_exactly() {
    let a = Matrix2::new(0.3, 2.0, -1.0, -0.3);
    let equation = Linear::new(move |_| a);
    let exact = SpecialLinear.exp(&(a * 3.0));
    let y = |method: &dyn Method<SpecialLinear, _, 2, 2>| {
        end((&SpecialLinear, &equation, method), Matrix2::identity(), 3.0, 2)
    };
    let ends = [
        y(&LieEuler),
        y(&Magnus::Order2),
        y(&Magnus::Order4),
        y(&Magnus::Order6),
        y(&MuntheKaas4),
        y(&CrouchGrossman::Order2),
        y(&CrouchGrossman::Order3),
        y(&CrouchGrossman::Order4),
    ];
    ends.iter().for_each(|y| assert!((y - exact).amax() < 1e-14, "{y} and {exact}"));
}

#[test]
fn crouch_grossman_of_order_2_is_magnus_for_linear_equations() {
    let equation = so3_linear();
    let y = |method: &dyn Method<SpecialOrthogonal, _, 3, 3>| {
        end((&SpecialOrthogonal, &equation, method), Matrix3::identity(), 1.0, 7)
    };
    assert_eq!(y(&CrouchGrossman::Order2), y(&Magnus::Order2));
}

/// Backwards from the end to the start.
#[test]
fn time_may_run_backwards() {
    let equation = so3_linear();
    let run = integrate(&SpecialOrthogonal, &equation, &Magnus::Order6, (1.0, so3_linear_at_1()), 0.0, 80).unwrap();
    assert_eq!((run.times[0], run.times[20], run.times[80], run.states.len()), (1.0, 0.75, 0.0, 81));
    assert!((run.end() - Matrix3::identity()).amax() < 1e-13);
}
