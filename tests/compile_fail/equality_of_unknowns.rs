//! Only numbers that are known can be equal.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = if x == 1 { 0 } else { -x };
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
