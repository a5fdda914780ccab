//! An input has no value when parameters get theirs.

dae::dae! {
    pub struct Model {
        var x = 1;
        input u;
        param p = u;
        der(x) = -p * u;
    }
}

fn main() {
    let form = Model::new(1.0).ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
