//! A chain of equations.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y;
        der(x) = y = -x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
