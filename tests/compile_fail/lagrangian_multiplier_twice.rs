//! Two constraints with one multiplier.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y = 1;
        var lambda;
        lagrangian {
            coordinates x, y;
            kinetic = (der(x).powi(2) + der(y).powi(2)) / 2;
            constraint(lambda) x = 1;
            constraint(lambda) y = 1;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
