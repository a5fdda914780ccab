//! A parameter does not depend on the solution.

dae::dae! {
    pub struct Model {
        var x = 1;
        param a = 2 * x;
        der(x) = -a * x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
