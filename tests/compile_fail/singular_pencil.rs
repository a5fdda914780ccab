//! Different but equivalent equations: the pencil is singular.

dae::dae! {
    pub struct Model {
        var x ~ 0.0;
        var y ~ 0.0;
        der(x) + der(y) = cos(t);
        x + y = sin(t);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
