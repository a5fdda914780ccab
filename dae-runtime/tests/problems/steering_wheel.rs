//! The steering wheel, index 2: $y_1' = 0.7 y_2 + \sin 2.5z$, $y_2' = 1.4 y_1 + \cos 2.5z$, $0 = y_1^2 + y_2^2 - 1$.
//!
//! Source: Hairer & Wanner, section VII.1, eq. (1.9).

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{
    Kind::{Algebraic, Differential},
    Leading,
};

/// Unknowns `y1 y2 z`.
pub struct SteeringWheel {
    /// $\kappa$ in the constraint $0 = y_1^2 + y_2^2 - 1 + \kappa \max(0, t - 1/4) + \varepsilon \sin 100t$.
    kink: f64,
    /// $\varepsilon$ in the constraint.
    wobble: f64,
}

impl SteeringWheel {
    fn constraint<S: Scalar>(&self, t: S, y: &[S]) -> S {
        let disturbance = (t - 0.25).positive_part() * self.kink + (t * 100.0).sin() * self.wobble;
        y[0].square() + y[1].square() - 1.0 + disturbance
    }
}

impl Model for SteeringWheel {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let angle = y[2] * 2.5;
        out[0] = yp[0] - y[1] * 0.7 - angle.sin();
        out[1] = yp[1] - y[0] * 1.4 - angle.cos();
        out[2] = self.constraint(t, y);
    }

    fn invariants<S: Scalar>(&self, t: S, y: &[S], out: &mut [S]) {
        out[0] = self.constraint(t, y);
    }
}

const UNDISTURBED: SteeringWheel = SteeringWheel { kink: 0.0, wobble: 0.0 };

fn start(model: SteeringWheel, y0: [f64; 3], yp0: [f64; 3]) -> Problem<SteeringWheel> {
    Problem::new(
        "steering wheel",
        model,
        &[("y1", Differential, 1), ("y2", Differential, 1), ("z", Algebraic, 2)],
        &[("equation 3", Some(2))],
        (Leading::Constant, 2),
        (0.0, &y0, &yp0),
    )
}

/// From $(0, 1)$ with $z = \pi/5$: the branch with $y_1' = 1.7$, which exists for all times.
pub fn steering_wheel() -> Problem<SteeringWheel> {
    start(UNDISTURBED, [0.0, 1.0, std::f64::consts::PI / 5.0], [1.7, 0.0, 0.0])
}

/// From $(0, 1)$ with $z = -\pi/5$: the branch that ends at [`IMPASSE`], where $g_y f_z$ becomes singular.
pub fn steering_wheel_impasse() -> Problem<SteeringWheel> {
    start(UNDISTURBED, [0.0, 1.0, -std::f64::consts::PI / 5.0], [-0.3, 0.0, 0.0])
}

/// [`steering_wheel`] with the constraint disturbed by $10^{-3} \sin 100t$, whose derivative, of amplitude $1/10$,
/// moves $z$.
pub fn steering_wheel_wobbling() -> Problem<SteeringWheel> {
    let z: f64 = 0.6483268734402667;
    let yp0 = [0.7 + (2.5 * z).sin(), (2.5 * z).cos(), 0.0];
    start(SteeringWheel { wobble: 1e-3, ..UNDISTURBED }, [0.0, 1.0, z], yp0)
}

/// `(t, [y1, y2, z])` of [`steering_wheel_wobbling`].
#[allow(clippy::excessive_precision, reason = "as in the source")]
pub const WOBBLING_REFERENCE: (f64, [f64; 3]) =
    (0.25, [0.3627268746485946978975, 0.9319665048475510753803, 1.121749602054393360363]);

/// [`steering_wheel`] with a kink in the constraint at $t = 1/4$, where $z$ jumps from 1.0927 to [`AFTER_KINK`].
pub fn steering_wheel_kink() -> Problem<SteeringWheel> {
    start(SteeringWheel { kink: 0.1, ..UNDISTURBED }, [0.0, 1.0, std::f64::consts::PI / 5.0], [1.7, 0.0, 0.0])
}

/// $z(1/4+)$ of [`steering_wheel_kink`].
#[allow(clippy::excessive_precision, reason = "as in the source")]
pub const AFTER_KINK: f64 = 1.122202946637883691254;

/// The time at which the solution of [`steering_wheel_impasse`] ends.
pub const IMPASSE: f64 = 2.44301400467968;

/// `(t, [y1, y2, z])` of [`steering_wheel`], computed by two methods that agree to 3e-31.
#[allow(clippy::excessive_precision, reason = "as in the source")]
pub const REFERENCE: [(f64, [f64; 3]); 3] = [
    (0.1, [0.1652278847051180657779, 0.9862554162669385368801, 0.8344210968036342652077]),
    (0.25, [0.3628473879257067234434, 0.9318485784050387757953, 1.09267463450634714889]),
    (0.5, [0.5305732971973564579827, 0.8476390601553975448847, 1.346387263931095652349]),
];
