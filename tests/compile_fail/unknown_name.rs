//! A name close to a declared one.

dae::dae! {
    pub struct Model {
        param gravity = 9.81;
        var height = 1;
        der(height, 2) = -gravty;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
