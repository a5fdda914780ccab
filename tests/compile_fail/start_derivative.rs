//! The start value of a derivative that an equation gives.

dae::dae! {
    pub struct Model {
        param rate = 2.0;
        var x = 1.0;
        start der(x) = 3.0;
        der(x) = -rate * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
