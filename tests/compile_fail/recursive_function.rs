//! A function that calls itself.

dae::dae! {
    pub struct Model {
        fn f(x) { x * f(x - 1) }
        var x = 1;
        der(x) = -f(x);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
