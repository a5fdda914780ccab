//! A model with piecewise functions of every kind, in rows that are differentiated and in rows that are not.

dae::dae! {
    /// A pendulum on a rod that gives a little beyond a length, with dry friction and a wind that sets in.
    pub struct Piecewise {
        forms(original, index1, index2, ggl);
        param g = 9.81;
        param l = 1.0;
        param mu = 0.2;
        param eps = 0.05;
        fn cut(s, limit) { if s > limit { limit } else if s < -limit { -limit } else { s } }

        var x ~ 0.8;
        var y ~ -0.6;
        var u ~ 0.7;
        var v ~ 0.9;
        var lambda ~ 1.0;
        var heat = 0;
        let speed = sqrt(u.powi(2) + v.powi(2));
        let friction = if speed > eps { mu / speed } else { mu / eps };
        let wind = if t >= 0.5 && !(y > 0 || u >= 2) { 3 } else { x * t };
        let reach = if x <= 2 * l { l } else { l + (x - 2 * l).powi(3) };

        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x - friction * u + wind;
        der(v) = -lambda * y - friction * v - g + cut(v, 0.4) / 10;
        0 = x.powi(2) + y.powi(2) - reach.powi(2);
        der(heat) = if speed > 10 { 0 } else if x > 0 { friction * speed.powi(2) } else { max(speed, 1) } + abs(u - v) / 8;
    }
}
