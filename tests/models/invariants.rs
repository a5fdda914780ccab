//! Declared invariants: an energy kept by a constraint, a quantity that depends on time, and one that contains a
//! parameter and a derivative.

dae::dae! {
    /// A pendulum beside an oscillator that is driven.
    pub struct Invariants {
        forms(underlying, ggl);
        param m = 2;
        param g = 1.5;
        param l = 1.2;
        param w = 3;
        var x = 1;
        var y ~ -0.5;
        var u ~ 0.2;
        var v = 0.3;
        var lambda;
        var s = 0.5;
        start der(s) = 0.1;
        let driven = sin(w * t) / (1 - w.powi(2));
        der(x) = u;
        der(y) = v;
        m * der(u) = -lambda * x;
        m * der(v) = -lambda * y - m * g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
        der(s, 2) = -s + sin(w * t);
        /// Kinetic and potential energy.
        invariant energy = 0.5 * m * (u.powi(2) + v.powi(2)) + m * g * y;
        invariant amplitude = (s - driven).powi(2) + (der(s) - w * cos(w * t) / (1 - w.powi(2))).powi(2);
    }
}
