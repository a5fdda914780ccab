//! Branches hold expressions.

dae::dae! {
    pub struct Model {
        var x = 1;
        if x > 0 { der(x) = -x; } else { der(x) = x; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
