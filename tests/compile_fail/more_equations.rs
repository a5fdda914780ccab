//! An equation that contradicts another.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y;
        der(x) = y;
        y = -x;
        y = 1 - x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
