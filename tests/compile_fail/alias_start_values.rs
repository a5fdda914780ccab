//! Two names for one unknown, with different start values.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y;
        var z = 2;
        y = -x;
        z = y;
        der(x) = -x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
