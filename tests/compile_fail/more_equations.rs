//! An equation too many.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y;
        der(x) = y;
        y = -x;
        0 = x + y;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
