//! A misspelled loop variable.

dae::dae! {
    pub struct Model {
        var q: [f64; 3];
        for link in 0..3 { der(q[lnik]) = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
