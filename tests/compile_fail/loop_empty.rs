//! A range without a member.

dae::dae! {
    pub struct Model {
        const N = 1;
        var q: [f64; 3];
        for i in N..N { der(q[i]) = 1; }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
