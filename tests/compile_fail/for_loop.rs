//! Families of equations.

dae::dae! {
    pub struct Model {
        var x = 1;
        for i in 0..3 { x = i; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
