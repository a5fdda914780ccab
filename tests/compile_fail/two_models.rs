//! One model in one macro.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = -x;
    }
    struct Second {}
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
