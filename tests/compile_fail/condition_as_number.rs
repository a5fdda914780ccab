//! A condition is no number.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = -x * (x > 0);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
