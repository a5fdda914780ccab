//! The constraint is differentiated more often than the function can be.

dae::dae! {
    pub struct Model {
        var x = 1;
        extern fn f(a) = f64::exp, der(a) = f64::exp;
        var y;
        der(x) = y;
        f(x) = 1 + t;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
