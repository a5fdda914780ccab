//! A model of index 3 with a table and an input of the caller in its constraint, so that both are differentiated.

use dae::Input;

dae::dae! {
    /// A pendulum whose pivot follows a table sideways and the caller's hand up and down, pushed by the wind.
    pub struct Driven {
        forms(original, index1, index2, ggl, derivative_array);
        const STEP = 1 / 2;
        param g = 9.81;
        param l = 1.2;
        /// Horizontal position of the pivot.
        table pivot = [(-1, 0.1), (-STEP, 0), (0, 0.2), (STEP, 0.5), (1, 0.4), (3 * STEP, 0.3), (2, 0.1 * 3)];
        /// Vertical position of the pivot.
        input hand;
        input wind: f64;
        input sway = pivot(sin(t));

        var x = 0.5;
        var y ~ -0.8;
        var u ~ 0.1;
        var v = 0.2;
        var lambda ~ 1;
        let dx = x - pivot(t + x / 20);
        let dy = y - hand;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * dx + wind * (1 - u) + sway;
        der(v) = -lambda * dy - g + der(hand) / 10;
        0 = dx.powi(2) + dy.powi(2) - l.powi(2);
    }
}

/// The inputs of the caller, by name.
pub(crate) fn inputs() -> Vec<(&'static str, Input)> {
    let hand = |t: f64, order: usize| {
        (2.0 * t + std::f64::consts::FRAC_PI_2 * order as f64).sin() * 2f64.powi(order as i32) / 5.0
    };
    let wind = |t: f64, order: usize| (-t).exp() * if order.is_multiple_of(2) { 1.0 } else { -1.0 };
    vec![("hand", Input::with_derivatives(5, hand)), ("wind", Input::with_derivatives(5, wind))]
}

/// The model with these inputs.
pub(crate) fn model() -> Driven {
    let [(_, hand), (_, wind)]: [(&str, Input); 2] = inputs().try_into().expect("two inputs");
    Driven::new(hand, wind)
}
