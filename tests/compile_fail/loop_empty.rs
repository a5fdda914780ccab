//! A range without a member, whatever the constants are.

dae::dae! {
    pub struct Model {
        var q: [f64; 3];
        for i in 3..3 { der(q[i]) = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
