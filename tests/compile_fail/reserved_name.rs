//! The name of the time is reserved.

dae::dae! {
    pub struct Model {
        var t = 1;
        der(t) = -t;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
