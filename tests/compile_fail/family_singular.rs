//! Instances that determine one element twice and another one not at all.

dae::dae! {
    pub struct Model {
        const N = 3;
        var q: [f64; N];
        for i in 0..N - 1 { q[i] = i; }
        q[0] = 5;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
