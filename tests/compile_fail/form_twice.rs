//! Two forms of the same name.

dae::dae! {
    pub struct Model {
        forms(ggl, baumgarte(1), baumgarte(10));
        var x = 1;
        der(x) = -x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
