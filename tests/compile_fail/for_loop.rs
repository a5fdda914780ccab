//! Families of equations: an instance that needs what is not there.

dae::dae! {
    pub struct Model {
        const N = 4;
        var x: [f64; N] = 1;
        for i in 0..N { der(x[i]) = x[i + 1] - x[i]; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
