//! A size that is known at run time only.

dae::dae! {
    pub struct Model {
        param n = 3;
        var q: [f64; n];
        for i in 0..3 { der(q[i]) = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
