//! Indices that are not affine, not integers, or not known.

dae::dae! {
    pub struct Model {
        var q: [f64; 9];
        var x;
        for i in 0..3 { for j in 0..3 { q[i * j] = 1; } }
        x = q[1 / 2] + q[x];
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
