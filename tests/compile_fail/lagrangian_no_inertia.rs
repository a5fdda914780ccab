//! A coordinate that was forgotten in the kinetic energy.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y = 1;
        lagrangian {
            coordinates x, y;
            kinetic = der(x).powi(2) / 2;
            potential = x * y;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
