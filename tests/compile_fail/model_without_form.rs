//! A model is no formulation: the message says how to choose one.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = -x;
    }
}

fn main() {
    let _ = dae::Integration::new(&Model::default()).run(0.0, 1.0);
}
