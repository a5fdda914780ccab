//! An integer power has an integer exponent.

dae::dae! {
    pub struct Model {
        param n = 2;
        var x = 1;
        der(x) = -x.powi(n);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
