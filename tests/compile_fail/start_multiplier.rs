//! The multiplier is given by positions and velocities, through the second derivative of the constraint.

dae::dae! {
    pub struct Model {
        param g = 1.0;
        param l = 1.0;
        var x = 0.6;
        var y ~ -0.8;
        var u ~ 0.0;
        var v = 0.0;
        var lambda = 5.0;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
