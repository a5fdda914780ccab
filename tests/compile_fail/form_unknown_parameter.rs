//! A parameter that a form names has to exist, in an ordinary differential equation too.

dae::dae! {
    pub struct Model {
        forms(baumgarte(gama));
        param gamma = 10;
        var x = 1;
        der(x) = -gamma * x;
    }
}

fn main() {
    let form = Model::default().baumgarte();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
