//! A derivative is taken with respect to an argument of the function.

dae::dae! {
    pub struct Model {
        var x = 1;
        extern fn f(mach) = f64::exp, der(match_) = f64::exp;
        der(x) = -f(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
