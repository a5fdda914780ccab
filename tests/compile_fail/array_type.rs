//! An array where a number is expected.

dae::dae! {
    pub struct Model {
        var q: [f64; 3];
        der(q) = 1;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
