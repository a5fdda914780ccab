//! An error beside an array of parameters: the stub has it as a field.

dae::dae! {
    pub struct Model {
        param m: [f64; 3] = 1;
        var q;
        der(q) = m[0] + mm[1];
    }
}

fn main() {
    let form = Model { m: [1.0, 2.0, 3.0] }.ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
