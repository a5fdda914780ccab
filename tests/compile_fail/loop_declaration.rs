//! A declaration inside of a loop.

dae::dae! {
    pub struct Model {
        for i in 0..3 {
            var q;
            der(q) = 1;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
