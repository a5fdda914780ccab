//! Rows and columns exchanged.

dae::dae! {
    pub struct Model {
        var T: [[f64; 2]; 3];
        for i in 0..3 { for j in 0..2 { der(T[i][j]) = T[j][i]; } }
    }
}

fn main() {
    let form = Model::default().ggl();
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
