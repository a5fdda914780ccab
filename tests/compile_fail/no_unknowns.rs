//! Equations alone.

dae::dae! {
    pub struct Model {
        param a = 1;
        0 = a - 1;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
