//! One name, two meanings.

dae::dae! {
    pub struct Model {
        param x = 2;
        var x = 1;
        der(x) = -x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
