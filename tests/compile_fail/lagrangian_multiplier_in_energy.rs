//! The constraint is added to the energy by hand, and once more.

dae::dae! {
    pub struct Model {
        var x = 1;
        var lambda;
        lagrangian {
            coordinates x;
            kinetic = der(x).powi(2) / 2;
            potential = lambda * (x - 1);
            constraint(lambda) x = 1;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
