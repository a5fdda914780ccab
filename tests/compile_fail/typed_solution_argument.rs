//! A wrong call of a solution's method is reported at the unknown.

dae::dae! {
    pub struct Decay {
        /// How much is left.
        var rest = 1;
        der(rest) = -rest;
    }
}

fn main() {
    let form = Decay::default().index1();
    if let Ok(solution) = dae::Integration::new(&form).run(0.0, 1.0) {
        let typed = DecaySolution::try_from(solution);
        let _ = typed.map(|it| it.rest(0, 1.0));
    }
}
