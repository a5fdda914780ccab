//! An equation is missing.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y;
        var force;
        der(x) = y;
        der(y) = force;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
