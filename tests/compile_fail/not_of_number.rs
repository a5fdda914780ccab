//! The exclamation mark binds tighter than the comparison.

dae::dae! {
    pub struct Model {
        var x = 1;
        der(x) = if !x > 0 { -x } else { x };
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
