//! A loop variable that hides another, and one that hides an unknown.

dae::dae! {
    pub struct Model {
        var q: [f64; 3];
        var k;
        for i in 0..3 { der(q[i]) = sum(i in 0..3 => q[i]); }
        k = sum(k in 0..3 => q[k]);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
