//! Swing-up of a cart-pole at least energy, in Cartesian coordinates: an optimal-control problem whose plant has index 3.
//!
//! M. Kelly, *An introduction to trajectory optimization*, SIAM Review 59 (2017), Sect. 6, without bounds on the force. The
//! conditions of first order of the constrained problem, with a multiplier for the constraint of the plant and one for that
//! of the adjoints, are themselves of index 3.
//!
//! In minimal coordinates, seven solutions of the conditions of first order were computed by collocation and by shooting;
//! those with least cost have 57.944780306728, 58.807667458167 and 59.108263908809.

use dae::bvp::Bvp;
use dae::symbolic::form::Form;

use super::{model, value};

/// From a straight motion of the cart and a uniform rotation of the pole, without any guess of adjoints or force.
const CART_POLE: &str = "struct CartPole {
    param m1 = 1; param m2 = 0.3; param l = 0.5; param g = 9.81;
    var x ~ 0.5 * t; var px ~ 0.5 * t + l * sin(1.57 * t); var py ~ -l * cos(1.57 * t);
    var vx ~ 0.5; var w ~ 0.5 + 1.57 * l * cos(1.57 * t); var z ~ 1.57 * l * sin(1.57 * t);
    var ax; var apx; var apy; var q1; var q2; var q3;
    var u; var lambda ~ 6; var mu; var cost;
    der(x) = vx; der(px) = w; der(py) = z;
    m1 * der(vx) = u + lambda * (px - x);
    m2 * der(w) = -lambda * (px - x);
    m2 * der(z) = -lambda * py - m2 * g;
    der(ax) = lambda * q1 / m1 - lambda * q2 / m2 + mu * (px - x);
    der(apx) = -lambda * q1 / m1 + lambda * q2 / m2 - mu * (px - x);
    der(apy) = lambda * q3 / m2 - mu * py;
    der(q1) = -ax; der(q2) = -apx; der(q3) = -apy;
    0 = q1 / m1 + 2 * u;
    0 = q1 * (px - x) / m1 - q2 * (px - x) / m2 - q3 * py / m2;
    0 = ((px - x).powi(2) + py.powi(2) - l.powi(2)) / 2;
    der(cost) = u.powi(2);
    boundary {
        x(t0) = 0; px(t0) = 0; vx(t0) = 0; w(t0) = 0; cost(t0) = 0;
        x(t_end) = 1; px(t_end) = 1; vx(t_end) = 0; w(t_end) = 0;
    }
}";

#[test]
fn the_swing_up_has_the_cost_computed_in_other_coordinates() {
    let form = model(CART_POLE, &Form::Ggl);
    let found = Bvp::new(&form).rtol(1e-7).atol(1e-7).solve(0.0, 2.0).unwrap();
    let cost = value(&found, "cost", 2.0);
    assert!((cost - 58.807_667_458_167).abs() < 1e-6 * cost, "{cost}");
    // Upright at rest, and the rod keeps its length.
    assert!((value(&found, "py", 2.0) - 0.5).abs() < 1e-7);
    for t in [0.3, 0.9, 1.7] {
        let [x, px, py] = ["x", "px", "py"].map(|name| value(&found, name, t));
        assert!(((px - x).hypot(py) - 0.5).abs() < 1e-7, "{t}");
    }
}
