//! A state that the text gives as a function of time has no start value of its own.

dae::dae! {
    pub struct Model {
        var x = 0.5;
        var force ~ 0.0;
        der(x, 2) = force;
        x = sin(t);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
