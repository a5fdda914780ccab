//! Lists of another length than their arrays.

dae::dae! {
    pub struct Model {
        param m: [f64; 3] = [1, 2];
        var q: [f64; 3] ~ [0, 0, 0, 0];
        for i in 0..3 { der(q[i]) = m[i]; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
