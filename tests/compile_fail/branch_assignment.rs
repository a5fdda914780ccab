//! One equals sign makes an equation.

dae::dae! {
    pub struct Model {
        var q: [f64; 3];
        for i in 0..3 { if i = 0 { q[i] = 1; } else { der(q[i]) = 1; } }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
