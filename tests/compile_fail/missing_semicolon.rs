//! A statement ends with a semicolon.

dae::dae! {
    pub struct Model {
        param a = 1
        var x = 1;
        der(x) = -a * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
