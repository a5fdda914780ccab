//! Through three points there is no cubic spline.

dae::dae! {
    pub struct Model {
        var x = 1;
        table mu = [(0, 1), (1, 2), (2, 3)];
        der(x) = mu(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
