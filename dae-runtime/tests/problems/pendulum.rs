//! Planar pendulum, $x' = u$, $y' = v$, $u' = -\lambda x$, $v' = -1 - \lambda y$, $0 = x^2 + y^2 - 1$, in four forms.
//!
//! Source: Hairer & Wanner, section VII.2, eqs. (2.1)–(2.3) and (1.48); started at rest from $(1, 0)$.

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{
    Kind::{Algebraic, Differential},
    Leading,
};

/// The forms of the pendulum, by the constraints that its multipliers enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Position constraint, index 3.
    Index3,
    /// Velocity constraint, index 2.
    Index2,
    /// Acceleration constraint, index 1.
    Index1,
    /// Position and velocity constraints with a second multiplier, index 2.
    Ggl,
}

/// The pendulum in one of its forms; unknowns `x y u v lambda` and, for GGL, `mu`.
pub struct Pendulum(Form);

impl Model for Pendulum {
    fn residual<S: Scalar>(&self, _t: S, w: &[S], wp: &[S], out: &mut [S]) {
        let (x, y, u, v, lambda) = (w[0], w[1], w[2], w[3], w[4]);
        out[0] = wp[0] - u;
        out[1] = wp[1] - v;
        out[2] = wp[2] + lambda * x;
        out[3] = wp[3] + lambda * y + 1.0;
        let position = x.square() + y.square() - 1.0;
        let velocity = (x * u + y * v) * 2.0;
        match self.0 {
            Form::Index3 => out[4] = position,
            Form::Index2 => out[4] = velocity,
            Form::Index1 => out[4] = u.square() + v.square() - y - lambda * (x.square() + y.square()),
            Form::Ggl => {
                let mu = w[5];
                out[0] = out[0] + x * mu * 2.0;
                out[1] = out[1] + y * mu * 2.0;
                out[4] = position;
                out[5] = velocity;
            }
        }
    }

    fn invariants<S: Scalar>(&self, _t: S, w: &[S], out: &mut [S]) {
        out[0] = w[0].square() + w[1].square() - 1.0;
        out[1] = (w[0] * w[2] + w[1] * w[3]) * 2.0;
    }
}

/// The pendulum, at rest at $(1, 0)$.
pub fn pendulum(form: Form) -> Problem<Pendulum> {
    let velocity_index = if form == Form::Index3 { 2 } else { 1 };
    let multiplier_index = match form {
        Form::Index3 => 3,
        Form::Index2 | Form::Ggl => 2,
        Form::Index1 => 1,
    };
    let mut unknowns = vec![
        ("x", Differential, 1),
        ("y", Differential, 1),
        ("u", Differential, velocity_index),
        ("v", Differential, velocity_index),
        ("lambda", Algebraic, multiplier_index),
    ];
    let (mut y0, mut yp0) = (vec![1.0, 0.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, -1.0, 0.0]);
    let (position, velocity) = match form {
        Form::Index3 => (Some(4), None),
        Form::Index2 => (None, Some(4)),
        Form::Index1 => (None, None),
        Form::Ggl => {
            unknowns.push(("mu", Algebraic, 2));
            y0.push(0.0);
            yp0.push(0.0);
            (Some(4), Some(5))
        }
    };
    Problem::new(
        "pendulum",
        Pendulum(form),
        &unknowns,
        &[("position", position), ("velocity", velocity)],
        (Leading::Constant, 4),
        (0.0, &y0, &yp0),
    )
}

/// `(t, [x, y, u, v, lambda])`, from extrapolation of the index-1 equations in 34-digit arithmetic; Jacobi elliptic
/// functions agree to 3e-29.
#[allow(clippy::excessive_precision, reason = "as in the source")]
pub const REFERENCE: [(f64, [f64; 5]); 4] = [
    (
        1.0,
        [
            0.8795481324118891546229,
            -0.47580992294272079709,
            -0.4641573588509940116336,
            -0.8580080373224432477691,
            1.42742976882816239127,
        ],
    ),
    (
        2.0,
        [
            -0.2041932147882804225211,
            -0.9789306058319083821426,
            -1.369754885003414137283,
            0.2857144845349995146812,
            2.936791817495725146428,
        ],
    ),
    (
        5.0,
        [
            -0.6853448712787484796701,
            -0.7282186535731666337252,
            0.8788357128748399882497,
            -0.8270943700220096860081,
            2.184655960719499901176,
        ],
    ),
    (
        10.0,
        [
            -0.8115864461913038342742,
            -0.5842323513453957010629,
            -0.6315291490650175809507,
            0.8772887988410693289614,
            1.752697054036187103189,
        ],
    ),
];
