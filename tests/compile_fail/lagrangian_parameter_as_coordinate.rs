//! A coordinate that cannot move.

dae::dae! {
    pub struct Model {
        param l = 1;
        var x = 1;
        lagrangian {
            coordinates x, l;
            kinetic = der(x).powi(2) / 2;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
