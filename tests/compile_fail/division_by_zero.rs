//! A constant denominator that vanishes.

dae::dae! {
    pub struct Model {
        const NONE = 1 - 1;
        var x = 1;
        der(x) = x / NONE;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
