//! A skate: its constraint is one between velocities.

dae::dae! {
    pub struct Model {
        var x = 1;
        var y = 1;
        var phi = 1;
        var lambda;
        lagrangian {
            coordinates x, y, phi;
            kinetic = (der(x).powi(2) + der(y).powi(2) + der(phi).powi(2)) / 2;
            constraint(lambda) der(x) * sin(phi) = der(y) * cos(phi);
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
