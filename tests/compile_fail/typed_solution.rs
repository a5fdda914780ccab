//! The solution of a model with an error has the unknowns of its text, so that nothing else is an error.

dae::dae! {
    pub struct Chain {
        const N = 3;
        var x: [f64; N];
        var w: [[f64; N]; M];
        var y = 1;
        for i in 0..N {
            der(x[i]) = -z;
        }
        der(y) = -y;
    }
}

fn main() {
    let form = Chain::default().index1();
    if let Ok(solution) = dae::Integration::new(&form).run(0.0, 1.0) {
        let typed = ChainSolution::try_from(solution);
        let _ = typed.map(|it| (it.x(0, 1.0), it.w(1, 2, 1.0), it.y(1.0)));
    }
}
