//! Functions of the model.

dae::dae! {
    pub struct Model {
        fn drag(speed, density) { density * speed.powi(2) / 2 }
        var x = 1;
        der(x) = -drag(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
