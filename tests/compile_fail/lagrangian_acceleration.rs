//! An energy of accelerations.

dae::dae! {
    pub struct Model {
        var x = 1;
        lagrangian {
            coordinates x;
            kinetic = der(x).powi(2) / 2 + x * der(x, 2);
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
