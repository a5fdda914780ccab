//! Functions that do not exist are pointed at where the model names them.

mod gas {
    pub(crate) fn density(p: f64) -> f64 {
        p
    }
}

dae::dae! {
    pub struct Model {
        extern fn f(a) = gas::density, der(a) = gas::density;
        extern fn g(a) = f64::exp, der(a) = gas::viscosity;
        extern fn h(a) = conductivity, der(a) = ::std::none;
        var x = 1;
        der(x) = f(x) + g(x) + h(x);
    }
}

fn main() {
    let form = Model::default().index1();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
