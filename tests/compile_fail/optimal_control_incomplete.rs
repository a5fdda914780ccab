//! Dynamics without anything to minimise.

dae::dae! {
    pub struct Model {
        var y = 1;
        var v;
        var u;
        optimal_control {
            states y;
            adjoints v;
            controls u;
            der(y) = u;
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
