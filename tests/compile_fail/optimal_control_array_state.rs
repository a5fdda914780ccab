//! Every element of an array of states needs dynamics.

dae::dae! {
    pub struct Model {
        var y: [f64; 2] = 1;
        var p: [f64; 2];
        var u;
        optimal_control {
            states y; adjoints p; controls u;
            der(y[0]) = u;
            running_cost = u.powi(2) + y[1];
            horizon(0, 1);
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
