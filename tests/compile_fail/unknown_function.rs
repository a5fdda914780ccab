//! A function that does not exist.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = sinus(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
