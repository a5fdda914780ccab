//! Generated code for linear algebra at parameters for which its pivots vanish.
//!
//! In: a model whose solution is known for all parameters. Out: the solution and its derivatives, forwards and
//! backwards, also where the pivots chosen for the default parameters vanish.

use dae::{Dae, Integration, Method};

dae::dae! {
    /// Two unknowns turned against one another, and an integral.
    pub struct Turned {
        forms(original);
        param p = 1.0;
        param q = 0.5;
        var a = 1.0;
        var b ~ 0.0;
        var c ~ 0.0;
        der(a) = -b;
        p * b + q * c = sin(t);
        p * c - q * b = cos(t);
    }
}

const END: f64 = 5.0;

/// $a$ at the end, and its derivatives with respect to $p$ and $q$.
fn exact(p: f64, q: f64) -> [f64; 3] {
    let (square, part) = (p * p + q * q, p * (END.cos() - 1.0) + q * END.sin());
    let by = |own: f64, factor: f64| factor / square - 2.0 * own * part / square.powi(2);
    [1.0 + part / square, by(p, END.cos() - 1.0), by(q, END.sin())]
}

#[test]
fn solutions_and_derivatives_do_not_depend_on_the_pivots() {
    for (p, q) in [(1.0, 0.5), (0.0, 1.0), (1.0, 0.0), (-1e-9, 1.0), (1.0, 1e-9)] {
        let form = Turned { p, q }.original();
        assert!(form.unrolled_lu().is_some());
        for method in [Method::Bdf, Method::Radau5, Method::Radau] {
            let run = || Integration::new(&form).method(method).rtol(1e-9).atol(1e-9).sensitivities(["p", "q"]);
            let forward = run().run(0.0, END).unwrap();
            let value = |by: &str| forward.sensitivity_at("a", by, END).unwrap();
            let forwards = [forward.value("a", END).unwrap(), value("p"), value("q")];
            let backward = run().adjoint(0.0, END).unwrap();
            let gradient = backward.gradient("a").unwrap();
            let backwards = [forwards[0], gradient.values[0], gradient.values[1]];
            for (found, expected) in forwards.iter().chain(&backwards).zip([exact(p, q), exact(p, q)].concat()) {
                let error = (found - expected).abs();
                assert!(error < 1e-7, "p = {p}, q = {q}, {method:?}: {found} instead of {expected}");
            }
        }
    }
}
