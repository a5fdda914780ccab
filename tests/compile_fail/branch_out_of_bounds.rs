//! The branch that is taken has to stay within its arrays.

dae::dae! {
    pub struct Model {
        const N = 4;
        var q: [f64; N];
        for i in 0..N { der(q[i]) = if i > 0 { q[i - 2] } else { 0 }; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
