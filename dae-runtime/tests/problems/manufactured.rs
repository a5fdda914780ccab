//! Fully implicit systems with known solutions: a leading matrix that depends on the state (and is singular), and an
//! equation that is nonlinear in $y'$.
//!
//! Both are manufactured: $F$ vanishes for the chosen functions by construction, and these are stable solutions.

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{
    Kind::{Algebraic, Differential},
    Leading,
};

/// $M(y)\\,(y' - \varphi'(t)) + K (y - \varphi(t)) = 0$ for two states, $\varphi = (2 + \sin t, \cos 2t)$, and
/// $0 = z - y_1 y_2$, where $M = \begin{pmatrix} 1 + y_1^2 & y_2 z \\ y_1 y_2 & 2 + \cos z \end{pmatrix}$
/// and $K = \begin{pmatrix} 10 & 3 \\ -2 & 5 \end{pmatrix}$.
pub struct StateDependentLeading;

impl Model for StateDependentLeading {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let (y1, y2, z) = (y[0], y[1], y[2]);
        let (d1, d2) = (yp[0] - t.cos(), yp[1] + (t * 2.0).sin() * 2.0);
        let (e1, e2) = (y1 - t.sin() - 2.0, y2 - (t * 2.0).cos());
        out[0] = (y1.square() + 1.0) * d1 + y2 * z * d2 + e1 * 10.0 + e2 * 3.0;
        out[1] = y1 * y2 * d1 + (z.cos() + 2.0) * d2 - e1 * 2.0 + e2 * 5.0;
        self.invariants(t, y, &mut out[2..]);
    }

    fn invariants<S: Scalar>(&self, _t: S, y: &[S], out: &mut [S]) {
        out[0] = y[2] - y[0] * y[1];
    }
}

/// The quasilinear problem, with the solution [`state_dependent_leading_solution`].
pub fn state_dependent_leading() -> Problem<StateDependentLeading> {
    let y0 = state_dependent_leading_solution(0.0);
    Problem::new(
        "state-dependent leading matrix",
        StateDependentLeading,
        &[("y1", Differential, 1), ("y2", Differential, 1), ("z", Algebraic, 1)],
        &[("product", Some(2))],
        (Leading::Quasilinear, 2),
        (0.0, &y0, &[1.0, 0.0, 0.0]),
    )
}

/// The solution of [`state_dependent_leading`].
pub fn state_dependent_leading_solution(t: f64) -> [f64; 3] {
    let (y1, y2) = (2.0 + t.sin(), (2.0 * t).cos());
    [y1, y2, y1 * y2]
}

/// $y'^3 + (1 + y^2)\\,y' + 4y = (\text{the same at } y = \sin t)$.
pub struct NonlinearLeading;

impl Model for NonlinearLeading {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let f = |y: S, yp: S| yp.square() * yp + (y.square() + 1.0) * yp + y * 4.0;
        out[0] = f(y[0], yp[0]) - f(t.sin(), t.cos());
    }
}

/// The nonlinear problem, with the solution $\sin t$.
pub fn nonlinear_leading() -> Problem<NonlinearLeading> {
    Problem::new(
        "nonlinear leading term",
        NonlinearLeading,
        &[("y", Differential, 1)],
        &[],
        (Leading::Nonlinear, 1),
        (0.0, &[0.0], &[1.0]),
    )
}
