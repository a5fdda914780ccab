//! A form that does not exist, and one that is asked for twice.

dae::dae! {
    pub struct Model {
        forms(ggl, index3);
        var x = 1;
        der(x) = -x;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
