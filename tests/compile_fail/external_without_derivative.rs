//! Jacobians need the first derivatives.

dae::dae! {
    pub struct Model {
        var x = 1;
        extern fn f(a) = f64::tanh;
        der(x) = -f(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
