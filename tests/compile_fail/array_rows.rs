//! A row where a number is expected, and a number where a row is.

dae::dae! {
    pub struct Model {
        fn norm2(v: [f64; 2]) { sum(i in 0..2 => v[i].powi(2)) }
        var r: [[f64; 2]; 3];
        var s;
        for i in 0..3 { for j in 0..2 { der(r[i][j]) = -r[i]; } }
        s = norm2(r[0][1]);
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
