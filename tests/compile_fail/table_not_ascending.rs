//! A table is sorted.

dae::dae! {
    pub struct Model {
        var x = 1;
        table mu = [(0, 1), (2, 2), (1, 3), (4, 5)];
        der(x) = mu(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
