//! Order matters for values.

dae::dae! {
    pub struct Model {
        param a = 2 * b;
        param b = 1;
        var x = 1;
        der(x) = -a * b * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
