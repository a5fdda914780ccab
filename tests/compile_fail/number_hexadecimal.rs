//! Numbers are decimal.

dae::dae! {
    pub struct Model {
        param mask = 0x10;
        var x = 1;
        der(x) = -mask * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
