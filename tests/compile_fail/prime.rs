//! A prime is no derivative.

dae::dae! {
    pub struct Model {
        var x = 1;
        x'x = -1;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
