//! Nothing in a model is mutable.

dae::dae! {
    pub struct Model {
        let mut rate = 2;
        var x = 1;
        der(x) = -rate * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
