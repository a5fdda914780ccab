//! Each constraint has a multiplier of its own.

dae::dae! {
    pub struct Model {
        var x: [f64; 2];
        var lambda: [f64; 2];
        lagrangian {
            coordinates x;
            kinetic = sum(i in 0..2 => der(x[i]).powi(2));
            for i in 0..2 { constraint(lambda[0]) x[i] = i; }
        }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
