//! Matrix differential equations with reference values.
//!
//! In: nothing. Out: equations after Hairer, *Solving Differential Equations on Manifolds* (2011), with data of our
//! own: II (4.4) and III (4.1) in $SO(3)$, example III.1.2 in $SL(2)$, I (1.1) on the sphere. The values of solutions
//! were computed with 30 digits by two independent methods each, whose results agree in all digits of a double: the
//! matrix equation, and for $SO(3)$ the equation of quaternions, for $SL(2)$ scalar equations of second order or other
//! steps and orders, on the sphere Jacobi's elliptic functions.

use dae_runtime::lie::{Equation, HomogeneousSpace, Linear, Matrix, Method, Nonlinear, hat, integrate};
use nalgebra::{Matrix2, Matrix3, Matrix4, Vector3};

pub(crate) type OfTime<const N: usize> = Linear<fn(f64) -> Matrix<N, N>>;
pub(crate) type OfState<const N: usize, const K: usize> = Nonlinear<fn(f64, &Matrix<N, K>) -> Matrix<N, N>>;

/// $A = \hat\omega$ with $\omega = (\sin t, \cos 2t, t/2)$.
pub(crate) fn so3_linear() -> OfTime<3> {
    Linear::new(|t| hat(&Vector3::new(t.sin(), (2.0 * t).cos(), t / 2.0)))
}

/// The solution of [`so3_linear`] with $Y(0) = I$ at $t = 1$.
#[rustfmt::skip]
pub(crate) fn so3_linear_at_1() -> Matrix3<f64> {
    Matrix3::new(
        0.8466423228882807, -0.2266847394644128, 0.4814673467518723,
        0.40005318240198906, 0.8677412376320235, -0.29492811965440835,
        -0.3509333673852875, 0.4423111726000096, 0.825352408519432,
    )
}

/// The solution of [`so3_linear`] with $Y(0) = I$ at $t = 5$.
#[rustfmt::skip]
pub(crate) fn so3_linear_at_5() -> Matrix3<f64> {
    Matrix3::new(
        -0.6950168258128376, -0.46056520428336406, 0.5521152999514422,
        -0.6646692658895988, 0.7043824266118596, -0.24911877500937188,
        -0.2741648752463187, -0.5401158113625368, -0.7956811745274354,
    )
}

/// Moments of inertia of the rigid body.
pub(crate) const INERTIA: [f64; 3] = [1.6, 1.0, 2.0 / 3.0];

/// The start value of the rigid body, an angular momentum of length one.
pub(crate) fn momentum() -> Vector3<f64> {
    Vector3::new(0.9_f64.cos(), 0.0, 0.9_f64.sin())
}

/// $A = \widehat{Y J^{-1} Y^\mathsf{T} m}$: then $Y^\mathsf{T} m$ is the solution of [`rigid_body`].
pub(crate) fn so3_nonlinear() -> OfState<3, 3> {
    Nonlinear::new(|_, y| hat(&(y * (y.tr_mul(&momentum())).component_div(&Vector3::from(INERTIA)))))
}

/// The solution of [`so3_nonlinear`] with $Y(0) = I$ at $t = 1$.
#[rustfmt::skip]
pub(crate) fn so3_nonlinear_at_1() -> Matrix3<f64> {
    Matrix3::new(
        0.4116116035949541, -0.9101887966918774, 0.04617620775445607,
        0.8342933725459509, 0.35592959626383225, -0.4210328859238534,
        0.3667839368237022, 0.21182652544017633, 0.9058692327306678,
    )
}

/// Euler's equations of the rigid body, I (1.1), as $y' = -\widehat{J^{-1} y}\\, y$ on the sphere.
pub(crate) fn rigid_body() -> OfState<3, 1> {
    Nonlinear::new(|_, y| -hat(&y.component_div(&Vector3::from(INERTIA))))
}

/// The solution of [`rigid_body`] that starts at [`momentum`], at $t = 1$.
pub(crate) fn rigid_body_at_1() -> Vector3<f64> {
    Vector3::new(0.5431736035836094, -0.3998530114817713, 0.7382953376386405)
}

/// The energy of the rigid body, I (1.1).
pub(crate) fn energy(y: &Vector3<f64>) -> f64 {
    0.5 * y.dot(&y.component_div(&Vector3::from(INERTIA)))
}

/// Example III.1.2 with $A(t)$.
pub(crate) fn sl2_linear() -> OfTime<2> {
    Linear::new(|t| Matrix2::new(t, 1.0, -1.0 - t.sin(), -t))
}

/// The solution of [`sl2_linear`] with $Y(0) = I$ at $t = 1$.
#[rustfmt::skip]
pub(crate) fn sl2_linear_at_1() -> Matrix2<f64> {
    Matrix2::new(
        0.9255804132270702, 0.9722681984839723,
        -1.050527099728122, -0.023114243133843065,
    )
}

/// Example III.1.2 with $A(Y)$.
pub(crate) fn sl2_nonlinear() -> OfState<2, 2> {
    Nonlinear::new(|_, y| Matrix2::new(y[(0, 1)].sin(), 1.0, -1.0, -y[(0, 1)].sin()))
}

/// The solution of [`sl2_nonlinear`] with $Y(0) = I$ at $t = 1$.
#[rustfmt::skip]
pub(crate) fn sl2_nonlinear_at_1() -> Matrix2<f64> {
    Matrix2::new(
        1.0358137547828163, 1.020708807141364,
        -0.7525113721563629, 0.22388678842616105,
    )
}

/// A screw motion whose axis, rate and pitch change, in $\mathfrak{se}(3)$.
pub(crate) fn se3_linear() -> OfTime<4> {
    Linear::new(|t| {
        let mut a = hat(&Vector3::new(t.sin(), (2.0 * t).cos(), t / 2.0)).to_homogeneous();
        a.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(1.0, t, t.cos()));
        a[(3, 3)] = 0.0;
        a
    })
}

/// A Hamiltonian system with time-dependent quadratic energy $\frac12 y^\mathsf{T} S(t) y$: $A = J S$ in
/// $\mathfrak{sp}(4)$.
pub(crate) fn sp4_linear() -> OfTime<4> {
    Linear::new(|t| {
        let s = Matrix4::new(
            2.0 + t.sin(),
            0.5,
            0.1 * t,
            0.0,
            0.5,
            1.0,
            0.0,
            t.cos(),
            0.1 * t,
            0.0,
            1.0,
            0.2,
            0.0,
            t.cos(),
            0.2,
            1.5,
        );
        Matrix4::from_fn(|row, column| if row < 2 { s[(row + 2, column)] } else { -s[(row - 2, column)] })
    })
}

/// A skew-symmetric matrix that depends on the solution, for frames of two vectors in $\mathbb{R}^5$.
pub(crate) fn stiefel_nonlinear() -> OfState<5, 2> {
    Nonlinear::new(|t, y| {
        let b = Matrix::<5, 5>::from_fn(|row, column| y[(row, 0)] * (t + column as f64).cos() + y[(column, 1)]);
        b - b.transpose()
    })
}

/// The first two unit vectors.
pub(crate) fn frame() -> Matrix<5, 2> {
    Matrix::identity()
}

/// The end of a run.
pub(crate) fn end<S, E, M, const N: usize, const K: usize>(
    (space, equation, method): (&S, &E, &M),
    y0: Matrix<N, K>,
    t_end: f64,
    steps: usize,
) -> Matrix<N, K>
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K> + ?Sized,
{
    *integrate(space, equation, method, (0.0, y0), t_end, steps).unwrap().end()
}
