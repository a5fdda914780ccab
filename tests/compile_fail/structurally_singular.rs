//! As many equations as unknowns, and yet two of them share one unknown.

dae::dae! {
    pub struct Model {
        var x = 1;
        var voltage;
        var current;
        der(x) = voltage;
        0 = voltage - x;
        0 = voltage + 2 * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
