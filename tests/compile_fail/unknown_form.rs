//! Forms that do not exist, one of them a misspelling.

dae::dae! {
    pub struct Model {
        forms(ggl, index3, tangnt);
        var x = 1;
        der(x) = -x;
    }
}

fn main() {
    let form = Model::default().tangent();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
