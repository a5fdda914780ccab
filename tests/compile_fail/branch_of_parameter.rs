//! Which equations there are is settled when the model is compiled.

dae::dae! {
    pub struct Model {
        param closed = 1;
        var x;
        if closed > 0 { der(x) = 1; } else { x = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
