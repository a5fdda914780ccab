//! BDF does not converge for unknowns of index 3, and does not compile for them.

dae::dae! {
    pub struct Pendulum {
        forms(original, ggl);
        var x = 1;
        var y ~ 0;
        var u ~ 0;
        var v = 0;
        var lambda;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - 1;
        0 = x * x + y * y - 1;
    }
}

fn main() {
    let pendulum = Pendulum::default();
    let _ = dae::Integration::new(&pendulum.ggl()).method(dae::Bdf);
    let _ = dae::Integration::new(&pendulum.original()).method(dae::Radau5);
    let _ = dae::Integration::new(&pendulum.original()).method(dae::Method::Bdf);
    let _ = dae::Integration::new(&pendulum.original()).method(dae::Bdf);
}
