//! Dynamics that depend on something whose dynamics are not known to the problem.

dae::dae! {
    pub struct Model {
        var y = 1;
        var v;
        var u;
        var w;
        optimal_control {
            states y;
            adjoints v;
            controls u;
            der(y) = u * w;
            running_cost = u.powi(2) / 2;
            horizon(0, 1);
        }
        w = y.powi(2);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
