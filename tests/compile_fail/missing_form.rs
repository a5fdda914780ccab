//! Forms that the model does not have: a polynomial of the wrong degree, and a parameter that does not exist.

dae::dae! {
    pub struct Model {
        forms(ggl, baumgarte(alpha, beta), projected(D));
        param alpha = 5;
        param beta = 5;
        var x ~ 1;
        var y = 0;
        var lambda;
        der(x) = y - lambda * x;
        der(y) = -x - lambda * y;
        0 = x.powi(2) + y.powi(2) - 1;
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
