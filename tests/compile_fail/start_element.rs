//! Two start values of one element.

dae::dae! {
    pub struct Model {
        var q: [f64; 3] ~ 0;
        for i in 0..2 { start q[i] = 1; }
        start q[1] = 1;
        for i in 0..3 { der(q[i]) = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
